//! The shape of an answer: every row up to the cap, or a few with what happened over all of them, and a picture.

use super::answer::{Reduction, TimeSeriesAnswer};
use super::arguments::{Detail, Format, Params};
use super::digest::digest;
use super::rows::thin;
use crate::endpoints::measured::FigureKind;
use econoscope_core::chart::{self, ChartSpec, Line, Span, Theme};
use econoscope_core::error::Result;
use econoscope_core::indicators::nber::RECESSIONS;
use econoscope_core::indicators::transform::Units;
use econoscope_data::desk::address;

/// Most rows in one answer (API.md, limits).
const MAX_ROWS: usize = 5_000;
/// Most rows as CSV within a model's window, some 9,000 tokens.
const MAX_CSV_ROWS: usize = 750;
/// So many rows are all shown where nothing else is asked for; more are thinned to so few as show their course.
const ALL: usize = 60;
const FEW: usize = 31;

/// Gives the rows as asked for; `base` is the address of links, if any is listened on.
///
/// # Errors
/// [`econoscope_core::Error::Internal`] when the picture cannot be drawn.
pub(super) fn shaped(
    mut answer: TimeSeriesAnswer,
    params: &Params,
    measured: FigureKind,
    base: Option<&str>,
) -> Result<TimeSeriesAnswer> {
    if params.chart {
        let drawing = drawing(&answer, params, &measured);
        answer.picture = Some(chart::png(&chart::svg(&drawing), chart::DENSITY)?.into());
    }
    if params.detail.is_some() && answer.points.is_empty() {
        answer.summary = digest(&answer.data, &measured);
    }
    answer.measured = Some(measured);
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
pub fn recessions() -> Vec<Span> {
    let spans = RECESSIONS.iter().map(|r| Span {
        start: r.start(),
        end: r.end(),
    });
    spans.collect()
}

/// A chart of every row that the answer has now.
fn drawing(answer: &TimeSeriesAnswer, params: &Params, measured: &FigureKind) -> ChartSpec {
    let in_words = answer.published_unit();
    let in_words = in_words.filter(|_| params.units() == Units::Level);
    // A model reads pictures, too, and no mark stands beside the words in one.
    let is_ours = answer.untrusted.is_none();
    // The source has a line of its own in the drawing.
    let credit = answer.attribution.text.split("; source:").next();
    let title = match is_ours {
        true => &answer.display_name,
        false => &answer.series_id,
    };
    let source = answer.source.clone().filter(|_| is_ours);
    ChartSpec {
        title: title.clone(),
        unit: in_words.unwrap_or_else(|| answer.unit.clone()),
        unit_short: answer.unit.clone(),
        decimals: u8::try_from(measured.decimals).unwrap_or(2),
        lines: vec![Line {
            name: String::new(),
            points: answer.data.clone(),
            frequency: answer.measured(),
            is_right: false,
            color: 0,
        }],
        shading: recessions(),
        source: source.unwrap_or_default(),
        credit: credit.unwrap_or_default().to_owned(),
        theme: Theme::Light,
        size: (800, 420),
        ..ChartSpec::default()
    }
}
