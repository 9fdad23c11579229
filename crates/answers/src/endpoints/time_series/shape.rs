//! The shape of an answer: every row up to the cap, or a few real ones by the calendar with what happened over all of
//! them; rows as CSV, and a picture.

use super::answer::{Reduction, TimeSeriesAnswer};
use super::arguments::{Detail, Format, Params};
use super::digest::digest;
use crate::endpoints::measured::FigureKind;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::chart::{self, ChartSpec, Line, Theme};
use econoscope_core::error::Result;
use econoscope_core::indicators::nber::RECESSIONS;
use econoscope_core::model::frequency::day_number;
use econoscope_core::model::{Date, Frequency, Observation};
use econoscope_data::desk::address;
use std::fmt::Write;

/// Most rows in one answer (API.md, limits).
const MAX_ROWS: usize = 5_000;
/// Most rows as CSV within a model's window, some 9,000 tokens.
const MAX_CSV_ROWS: usize = 750;
/// So many rows are all shown where nothing else is asked for; more are thinned to so few as show their course.
const ALL: usize = 60;
const FEW: usize = 31;

/// Gives the rows as asked for where there are any; `base` is the address of links, if any is listened on.
///
/// # Errors
/// [`econoscope_core::Error::Internal`] when the picture cannot be drawn.
pub(super) fn shaped(
    mut answer: TimeSeriesAnswer,
    params: &Params,
    base: Option<&str>,
) -> Result<TimeSeriesAnswer> {
    let Some(measured) = answer.measured.clone() else {
        return Ok(answer);
    };
    if params.chart {
        let drawing = drawing(&answer, &measured);
        answer.picture = Some(chart::png(&chart::svg(&drawing), chart::DENSITY)?.into());
    }
    if params.detail.is_some() && answer.points.is_empty() {
        answer.summary = digest(&answer.data, &measured);
    }
    let rows = answer.data.len();
    if !answer.points.is_empty() {
        answer.row_count = rows;
        return Ok(answer);
    }
    if (params.max_points, params.detail()) == (None, Detail::Full) {
        cut(&mut answer, params.format);
        return Ok(answer);
    }
    let (data, method) = thin(&answer.data, most(params, rows));
    answer.reduction = Some(Reduction {
        from_rows: rows,
        to_rows: data.len(),
        method,
    });
    answer.row_count = data.len();
    answer.all_rows = Some(link(&answer, params, base));
    answer.data = data;
    Ok(answer)
}

/// Most rows that an answer with so many in its range may have.
pub(super) fn most(params: &Params, rows: usize) -> usize {
    match (params.max_points, params.detail()) {
        (Some(most), _) => usize::from(most),
        (None, Detail::Full) => MAX_ROWS,
        (None, Detail::Csv) => MAX_CSV_ROWS,
        (None, Detail::Summary | Detail::Points) if rows <= ALL => ALL,
        (None, Detail::Summary | Detail::Points) => FEW,
    }
}

/// Leaves the newest rows that one answer may have; a file of CSV has all of them.
fn cut(answer: &mut TimeSeriesAnswer, format: Format) {
    let cut = match format {
        Format::Csv => 0,
        Format::Json => answer.data.len().saturating_sub(MAX_ROWS),
    };
    answer.truncated |= cut > 0;
    answer.data.drain(..cut);
    answer.row_count = answer.data.len();
    if let (true, Some(first)) = (cut > 0, answer.data.first()) {
        answer.start = first.date;
    }
}

/// Where all rows are to be had as CSV: over REST, or as a resource.
pub(super) fn link(answer: &TimeSeriesAnswer, params: &Params, base: Option<&str>) -> String {
    let (id, start, end) = (&answer.series_id, answer.start, answer.end);
    let mut query = format!("start={start}&end={end}");
    for (name, value) in [
        ("frequency", params.frequency.map(|f| f.word)),
        ("aggregation", params.aggregation.map(|how| how.word)),
        ("units", params.units.map(|code| code.word)),
        ("as_of", params.as_of.as_deref()),
    ] {
        if let Some(value) = value {
            query += &format!("&{name}={}", value.to_lowercase().replace(' ', "+"));
        }
    }
    let page = format!("/api/public/data/{id}?{query}&format=csv");
    address(base, &page, &format!("series/{id}.csv?{query}"))
}

/// Recessions by the NBER's dates, for shading.
pub fn recessions() -> Vec<chart::Span> {
    let spans = RECESSIONS.iter().map(|r| chart::Span {
        start: r.start(),
        end: r.end(),
    });
    spans.collect()
}

/// The rows that an answer has as a line with a name.
pub fn line(answer: &TimeSeriesAnswer, name: &str) -> Line {
    Line {
        name: name.to_owned(),
        points: answer.data.clone(),
        frequency: answer.measured(),
        is_right: false,
        color: 0,
    }
}

/// A plot of the rows that an answer has, recessions shaded.
pub fn plot(answer: &TimeSeriesAnswer) -> ChartSpec {
    let known = Catalogue::embedded().get(&answer.series_id);
    let as_published = answer.published_unit();
    // A change is not more exact than its base.
    let decimals = known.map_or(2, |info| info.decimals);
    ChartSpec {
        title: answer.display_name.clone(),
        decimals: match as_published {
            Some(_) => decimals,
            None => decimals.clamp(1, 2),
        },
        unit: as_published.unwrap_or_else(|| answer.unit.clone()),
        unit_short: answer.unit.clone(),
        lines: vec![line(answer, "")],
        shading: recessions(),
        ..ChartSpec::default()
    }
}

/// A plot with its source and credit line, as a picture of its own.
fn drawing(answer: &TimeSeriesAnswer, measured: &FigureKind) -> ChartSpec {
    let mut plot = plot(answer);
    // A model reads pictures, too, and no mark stands beside the words in one.
    if answer.untrusted.is_none() {
        plot.source = answer.source.clone().unwrap_or_default();
    } else {
        plot.title.clone_from(&answer.series_id);
    }
    // The source has a line of its own in the drawing.
    let credit = answer.attribution.text.split("; source:").next();
    ChartSpec {
        decimals: u8::try_from(measured.decimals).unwrap_or(2),
        credit: credit.unwrap_or_default().to_owned(),
        theme: Theme::Light,
        size: (800, 420),
        ..plot
    }
}

/// `observation_date,<ID>` and a line per row, LF; whole numbers without a fraction.
pub(super) fn csv(id: &str, rows: &[Observation]) -> String {
    let mut out = format!("observation_date,{id}\n");
    let mut digits = zmij::Buffer::new();
    for Observation { date, value } in rows {
        let value = digits.format(*value);
        let value = value.strip_suffix(".0").unwrap_or(value);
        let _ = writeln!(out, "{date},{value}");
    }
    out
}

/// A span of the calendar: rows of one span share a key.
type Span = (fn(Date) -> i32, &'static str);

/// Spans from narrow to wide; none of a year or less straddles a year's end.
const SPANS: &[Span] = &[
    (|d| day_number(Frequency::Weekly.stamp(d)), "week"),
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

/// At most `max` of the rows: the last of each week, month, … whichever is narrow enough; all when they fit.
/// Every row given is a real one, and the newest is always among them.
pub(super) fn thin(rows: &[Observation], max: usize) -> (Vec<Observation>, String) {
    if rows.len() <= max {
        return (rows.to_vec(), "all rows".to_owned());
    }
    for (key, name) in SPANS {
        let same = |a: &Observation, b: &Observation| key(a.date) == key(b.date);
        if rows.chunk_by(same).count() <= max {
            let kept = rows.chunk_by(same).filter_map(|span| span.last().copied());
            return (kept.collect(), format!("last observation of each {name}"));
        }
    }
    let newest = rows.iter().skip(rows.len() - max).copied();
    (newest.collect(), "newest rows".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::model::frequency::day_from_number;
    use econoscope_core::model::frequency::shift;
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
        fn csv_reads_back_as_the_same_numbers(rows in prop::collection::vec(any_row(), 0..60)) {
            let text = csv("X", &rows);
            let back: Vec<f64> = text.lines().skip(1).map(|l| l.split_once(',').unwrap().1.parse().unwrap_or(f64::NAN)).collect();
            prop_assert_eq!(back.len(), rows.len());
            for (value, row) in back.iter().zip(&rows) {
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
        let (kept, method) = thin(&five_years, 60);
        assert_eq!(method, "last observation of each two months");
        assert_eq!(kept.last(), five_years.last());
        assert_eq!(thin(&five_years, 61).1, "last observation of each month");
        assert_eq!(
            thin(&some_rows(5), 60),
            (some_rows(5), "all rows".to_owned())
        );
    }

    proptest! {
        #[test]
        fn thinned_rows_are_real_ascending_few_and_end_with_the_newest(n in 1i64..3_000, most in 1usize..400) {
            let all = some_rows(n);
            let (kept, _) = thin(&all, most);
            prop_assert!(!kept.is_empty() && kept.len() <= most);
            prop_assert_eq!(kept.last(), all.last());
            prop_assert!(kept.is_sorted_by(|a, b| a.date < b.date));
            prop_assert!(kept.iter().all(|r| all.contains(r)));
        }
    }
}
