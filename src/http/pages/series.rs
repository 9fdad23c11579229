//! One series: its chart, its figures, where to take it from.

use super::{Asked, Frame, argument, html};
use crate::chart::ChartSpec;
use crate::desk::Desk;
use crate::desk::glossary::{Glossary, Term};
use crate::endpoints::metric;
use crate::endpoints::recessions;
use crate::error::{Error, Result};
use crate::http::document::Document;
use crate::indicators::prose::{number, signed};
use crate::model::frequency::shift;
use crate::model::{AsOf, Date, Frequency, Observation, Series, SeriesInfo};
use askama::Template;
use jiff::ToSpan;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "series.html")]
struct One {
    frame: Frame,
    id: String,
    name: String,
    units: String,
    frequency: &'static str,
    adjusted: bool,
    source: String,
    reason: Option<String>,
    facts: Vec<(String, String)>,
    meaning: String,
    ranges: Vec<Range>,
    start: &'static str,
    wide: String,
    narrow: String,
    rows: Vec<(Date, String)>,
    terms: Vec<&'static Term>,
}

struct Range {
    label: &'static str,
    current: bool,
}

/// Ranges on offer, with their years; `max` is all there is.
const RANGES: [(&str, i64); 5] = [("1y", 1), ("5y", 5), ("10y", 10), ("30y", 30), ("max", 0)];

/// Years that one sees at first.
const FIRST: &str = "10y";

/// The range of that name, as label and first day before the newest observation.
///
/// # Errors
/// [`Error::InvalidParam`] for another name.
pub(super) fn range(series: &Series, wanted: Option<&str>) -> Result<(&'static str, Date, Date)> {
    let wanted = wanted.unwrap_or(FIRST);
    let last = series.observations.last().map_or(Date::MAX, |o| o.date);
    let first = series.observations.first().map_or(last, |o| o.date);
    let found = RANGES
        .into_iter()
        .find(|(label, _)| label.eq_ignore_ascii_case(wanted));
    let (label, years) = found.ok_or_else(|| {
        Error::invalid(
            "start",
            wanted,
            "is not one of the ranges",
            "1y, 5y, 10y, 30y or max",
        )
    })?;
    let start = if years == 0 {
        first
    } else {
        shift(last, (-years).years()).max(first)
    };
    Ok((label, start, last))
}

pub(super) fn page(desk: &Desk, asked: &Asked) -> Result<Document> {
    let info = desk.resolve("series", &asked.name)?;
    let id = desk.shown_id(&info.id);
    let description = format!(
        "{}: latest value, chart with NBER recessions, CSV and JSON.",
        info.title
    );
    let mut frame = Frame::of(desk, &info.title, &description, &format!("/series/{id}"))?;
    let mut page = match desk.series_or_reason(&info, AsOf::Latest) {
        Ok(series) => shown(desk, &info, &series, asked, frame)?,
        Err(error @ (Error::NoData { .. } | Error::NotPermitted { .. })) => {
            frame.picture = "/chart/DGS10.png".into();
            One::without(&info, frame, error.to_string())
        }
        Err(error) => return Err(error),
    };
    page.id = id;
    page.terms = Glossary::embedded()?
        .iter()
        .filter(|t| {
            t.series
                .iter()
                .any(|s| s.eq_ignore_ascii_case(info.id.as_str()))
        })
        .collect();
    html(&page, "")
}

impl One {
    fn without(info: &SeriesInfo, frame: Frame, reason: String) -> Self {
        Self {
            frame,
            id: String::new(),
            name: info.title.clone(),
            units: info.units.clone(),
            frequency: info.frequency.word(),
            adjusted: info.seasonally_adjusted,
            source: info.source.clone(),
            reason: Some(reason),
            facts: Vec::new(),
            meaning: String::new(),
            ranges: Vec::new(),
            start: FIRST,
            wide: String::new(),
            narrow: String::new(),
            rows: Vec::new(),
            terms: Vec::new(),
        }
    }
}

fn shown(
    desk: &Desk,
    info: &Arc<SeriesInfo>,
    series: &Series,
    asked: &Asked,
    mut frame: Frame,
) -> Result<One> {
    let (label, start, end) = range(series, argument(asked.query.as_deref(), "start").as_deref())?;
    let spec = ChartSpec::of(series, start, end).shaded(recessions());
    frame.picture = format!("/chart/{}.png", desk.shown_id(&info.id));
    let reading = metric::read(desk, info, AsOf::Latest)?;
    let decimals = usize::from(info.decimals);
    let facts = facts(info, &reading, series.between(start, end));
    let mut page = One::without(info, frame, String::new());
    page.reason = None;
    page.facts = facts;
    page.meaning = reading.interpretation.unwrap_or_default();
    page.ranges = RANGES
        .into_iter()
        .map(|(l, _)| Range {
            label: l,
            current: l == label,
        })
        .collect();
    page.start = label;
    page.wide = crate::chart::svg(&spec.clone().plot(1100, 420));
    page.narrow = crate::chart::svg(&spec.plot(380, 260));
    let newest = series.observations.iter().rev().take(12);
    page.rows = newest
        .map(|o| (o.date, number(o.value, decimals)))
        .collect();
    Ok(page)
}

/// Latest value, changes, extremes in view, next figure.
fn facts(
    info: &SeriesInfo,
    reading: &metric::Output,
    in_view: &[Observation],
) -> Vec<(String, String)> {
    let with_unit = |v: f64| metric::unit_value(v, &info.units_short);
    let mut facts = Vec::new();
    if let (Some(value), Some(date)) = (reading.value, reading.date) {
        let old = if reading.stale == Some(true) {
            " (a newer figure should be out)"
        } else {
            ""
        };
        facts.push((format!("Latest, {date}{old}"), with_unit(value)));
    }
    let month = if info.frequency == Frequency::Monthly {
        "Against the month before"
    } else {
        "30 days"
    };
    let changes = [
        ("7 days", reading.changes.week),
        (month, reading.changes.month),
    ];
    let decimals = usize::from(info.decimals);
    facts.extend(
        changes
            .into_iter()
            .filter_map(|(over, c)| Some((over.to_owned(), signed(c?, decimals)))),
    );
    let by_value = |a: &&Observation, b: &&Observation| a.value.total_cmp(&b.value);
    let ends = [
        ("Lowest", in_view.iter().min_by(by_value)),
        ("Highest", in_view.iter().max_by(by_value)),
    ];
    for (word, o) in ends {
        facts.extend(o.map(|o| {
            (
                format!("{word} in view, {}", o.date),
                with_unit(info.round(o.value)),
            )
        }));
    }
    facts.extend(
        reading
            .next_release
            .map(|d| ("Next figure, typically".to_owned(), d.to_string())),
    );
    facts
}
