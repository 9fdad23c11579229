//! The rows of an answer: all up to the cap, or some by the calendar with a digest of all; rows as CSV, and a picture.

use super::answer::{Reduction, TimeSeriesAnswer};
use super::arguments::{Detail, Format, Params};
use super::digest::summarize;
use crate::render::measured::FigureKind;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::chart::{self, ChartSpec, Line, Theme};
use econoscope_core::error::Result;
use econoscope_core::indicators::nber::RECESSIONS;
use econoscope_core::indicators::prose::capitalize;
use econoscope_core::model::frequency::day_number;
use econoscope_core::model::{Date, DateRange, Frequency, Observation};
use econoscope_desk::address;
use std::fmt::Write;

/// Most rows in one answer (API.md, limits).
const MAX_ROWS: usize = 5_000;
/// Most rows as CSV within a model's window, some 9,000 tokens.
const MAX_CSV_ROWS: usize = 750;
/// A summary has all rows up to `MAX_UNTHINNED`; more are thinned to `MAX_THINNED`.
const MAX_UNTHINNED: usize = 60;
const MAX_THINNED: usize = 31;

/// Leaves the rows that fit the requested detail, and adds digest, picture and link; `base` is the service's address, if
/// it has one. An answer without data stays as it is.
///
/// # Errors
/// [`econoscope_core::Error::Internal`] when the picture cannot be drawn.
pub(super) fn fit_rows(
    mut answer: TimeSeriesAnswer,
    params: &Params,
    base: Option<&str>,
) -> Result<TimeSeriesAnswer> {
    let Some(kind) = answer.kind.clone() else {
        return Ok(answer);
    };
    if params.chart {
        let chart = picture_spec(&answer, &kind);
        answer.picture =
            Some(chart::render_png(&chart::render_svg(&chart), chart::DENSITY)?.into());
    }
    if !answer.points.is_empty() {
        answer.row_count = answer.data.len();
        return Ok(answer);
    }
    if params.detail.is_some() {
        answer.summary = summarize(&answer.data, &kind);
    }
    if (params.max_points, params.detail()) == (None, Detail::Full) {
        // A CSV file has all rows.
        let excess = match params.format {
            Format::Csv => 0,
            Format::Json => answer.data.len().saturating_sub(MAX_ROWS),
        };
        answer.data.drain(..excess);
        answer.row_count = answer.data.len();
        if let (true, Some(first)) = (excess > 0, answer.data.first()) {
            answer.truncated = true;
            answer.start = first.date;
        }
        return Ok(answer);
    }
    let (data, method) = thin(&answer.data, max_rows(params, answer.data.len()));
    answer.reduction = Some(Reduction {
        from_rows: answer.data.len(),
        to_rows: data.len(),
        method,
    });
    answer.row_count = data.len();
    answer.all_rows = Some(csv_address(&answer, params, base));
    answer.data = data;
    Ok(answer)
}

/// Returns the most rows of an answer whose range has `rows`.
pub(super) fn max_rows(params: &Params, rows: usize) -> usize {
    match (params.max_points, params.detail()) {
        (Some(max), _) => usize::from(max),
        (None, Detail::Full) => MAX_ROWS,
        (None, Detail::Csv) => MAX_CSV_ROWS,
        (None, Detail::Summary | Detail::Points) if rows <= MAX_UNTHINNED => MAX_UNTHINNED,
        (None, Detail::Summary | Detail::Points) => MAX_THINNED,
    }
}

/// Returns the address of all rows as CSV: over REST, or as a resource.
pub(super) fn csv_address(
    answer: &TimeSeriesAnswer,
    params: &Params,
    base: Option<&str>,
) -> String {
    let id = &answer.series_id;
    let start = answer.start;
    let end = answer.end;
    let mut query = format!("start={start}&end={end}");
    for (name, value) in [
        ("frequency", params.frequency.map(|f| f.code)),
        ("aggregation", params.aggregation.map(|a| a.code)),
        ("units", params.units.map(|u| u.code)),
        ("as_of", params.as_of.as_deref()),
    ] {
        if let Some(value) = value {
            query += &format!("&{name}={}", value.to_lowercase().replace(' ', "+"));
        }
    }
    let page = format!("/api/public/data/{id}?{query}&format=csv");
    address(base, &page, &format!("series/{id}.csv?{query}"))
}

/// Returns the NBER's recessions, for shading.
pub fn recessions() -> Vec<DateRange> {
    let ranges = RECESSIONS
        .iter()
        .map(|r| DateRange::new(r.start(), r.end()));
    ranges.collect()
}

/// Returns the rows of an answer as a line of a chart.
pub fn line(answer: &TimeSeriesAnswer, name: &str) -> Line {
    Line {
        name: name.to_owned(),
        points: answer.data.clone(),
        frequency: answer.frequency(),
        is_right: false,
        color: 0,
    }
}

/// Returns a chart of the rows of an answer, with recessions shaded.
pub fn plot(answer: &TimeSeriesAnswer) -> ChartSpec {
    let info = Catalogue::embedded().get(&answer.series_id);
    let decimals = info.map_or(2, |info| info.decimals);
    let published_unit = answer.published_unit();
    ChartSpec {
        title: answer.display_name.clone(),
        decimals: match published_unit {
            Some(_) => decimals,
            // A change is not more exact than its base.
            None => decimals.clamp(1, 2),
        },
        unit: published_unit.unwrap_or_else(|| {
            let words = answer.unit_in_words.as_deref().unwrap_or(&answer.unit);
            capitalize(words.trim_end_matches(", SA"))
        }),
        unit_short: answer.unit.clone(),
        lines: vec![line(answer, "")],
        shading: recessions(),
        ..ChartSpec::default()
    }
}

/// Returns a chart that stands alone: with source and credit line.
fn picture_spec(answer: &TimeSeriesAnswer, kind: &FigureKind) -> ChartSpec {
    let mut chart = plot(answer);
    // Models read pictures, too, and untrusted text cannot be fenced in one.
    if answer.untrusted.is_none() {
        chart.source = answer.source.clone().unwrap_or_default();
    } else {
        chart.title.clone_from(&answer.series_id);
    }
    // The chart has a line of its own for the source.
    let credit = answer.attribution.text.split("; source:").next();
    chart.credit = credit.unwrap_or_default().to_owned();
    chart.decimals = u8::try_from(kind.decimals).unwrap_or(2);
    chart.theme = Theme::Light;
    chart.size = (800, 420);
    chart
}

/// Renders `observation_date,<ID>` and a line per row; whole numbers have no fraction.
pub(super) fn csv(id: &str, rows: &[Observation]) -> String {
    let mut out = format!("observation_date,{id}\n");
    let mut digits = zmij::Buffer::new();
    for Observation { date, value } in rows {
        let printed = digits.format(*value);
        let shortest = printed.strip_suffix(".0").unwrap_or(printed);
        let _ = writeln!(out, "{date},{shortest}");
    }
    out
}

/// A span of the calendar: the key that its rows share, and its name.
type Span = (fn(Date) -> i32, &'static str);

/// Spans from narrow to wide; none of a year or less straddles a year's end.
const SPANS: &[Span] = &[
    (|d| day_number(Frequency::Weekly.period_date(d)), "week"),
    (|d| months(d), "month"),
    (|d| months(d) / 2, "two months"),
    (|d| months(d) / 3, "quarter"),
    (|d| months(d) / 6, "half-year"),
    (|d| i32::from(d.year()), "year"),
    (|d| i32::from(d.year()) / 5, "five years"),
    (|d| i32::from(d.year()) / 25, "25 years"),
    (|d| i32::from(d.year()) / 100, "century"),
];

fn months(day: Date) -> i32 {
    i32::from(day.year()) * 12 + i32::from(day.month()) - 1
}

/// Returns at most `max` of the rows, and how they were chosen: all, or the last of each week, month or longer span, the
/// shortest that fits. The newest row is always among them.
pub(super) fn thin(rows: &[Observation], max: usize) -> (Vec<Observation>, String) {
    if rows.len() <= max {
        return (rows.to_vec(), "all rows".to_owned());
    }
    for (key, name) in SPANS {
        let spans = rows.chunk_by(|a, b| key(a.date) == key(b.date));
        if spans.clone().count() <= max {
            let last = spans.filter_map(|span| span.last().copied());
            return (last.collect(), format!("last observation of each {name}"));
        }
    }
    let newest = rows.iter().skip(rows.len() - max).copied();
    (newest.collect(), "newest rows".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::model::frequency::{day_from_number, shift};
    use jiff::ToSpan;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn any_row() -> impl Strategy<Value = Observation> {
        let value = prop_oneof![
            any::<f64>(),
            -1e6..1e6,
            (-10_000..10_000i32).prop_map(|n| f64::from(n) / 100.0)
        ];
        (-4_000_000..2_900_000i32, value).prop_filter_map("a day of the calendar", |(n, value)| {
            day_from_number(n).map(|date| Observation { date, value })
        })
    }

    proptest! {
        #[test]
        fn csv_parses_to_the_same_numbers(rows in prop::collection::vec(any_row(), 0..60)) {
            let text = csv("X", &rows);
            let parsed: Vec<f64> = text.lines().skip(1).map(|l| l.split_once(',').unwrap().1.parse().unwrap_or(f64::NAN)).collect();
            prop_assert_eq!(parsed.len(), rows.len());
            for (value, row) in parsed.iter().zip(&rows) {
                prop_assert!(*value == row.value || !row.value.is_finite(), "{} {}", value, row.value);
            }
        }
    }

    #[test]
    fn whole_numbers_in_csv_have_no_fraction() {
        let row = |value| Observation {
            date: jiff::civil::date(2026, 8, 3),
            value,
        };
        let text = csv("X", &[row(5.0), row(-0.25), row(953_612.0)]);
        assert_eq!(
            text,
            "observation_date,X\n2026-08-03,5\n2026-08-03,-0.25\n2026-08-03,953612\n"
        );
    }

    fn some_rows(n: i64) -> Vec<Observation> {
        let row = |i: i64| Observation {
            date: shift(date(2021, 8, 23), i.days()),
            value: f64::from(i32::try_from(i % 7).unwrap()),
        };
        (0..n).map(row).collect()
    }

    #[test]
    fn rows_are_thinned_by_the_calendar() {
        let five_years = some_rows(1_826);
        let (thinned, method) = thin(&five_years, 60);
        assert_eq!(method, "last observation of each two months");
        assert_eq!(thinned.last(), five_years.last());
        assert_eq!(thin(&five_years, 61).1, "last observation of each month");
        assert_eq!(
            thin(&some_rows(5), 60),
            (some_rows(5), "all rows".to_owned())
        );
    }

    proptest! {
        #[test]
        fn thinned_rows_are_few_and_end_with_the_newest(n in 1i64..3_000, most in 1usize..400) {
            let all = some_rows(n);
            let (thinned, _) = thin(&all, most);
            prop_assert!(!thinned.is_empty() && thinned.len() <= most);
            prop_assert_eq!(thinned.last(), all.last());
            prop_assert!(thinned.is_sorted_by(|a, b| a.date < b.date));
            prop_assert!(thinned.iter().all(|r| all.contains(r)));
        }
    }
}
