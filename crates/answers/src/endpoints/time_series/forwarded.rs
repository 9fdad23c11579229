//! A series from an upstream: the contract knows its range alone; thinning, units, frequency and CSV are
//! made here from its rows.

use super::answer::TimeSeriesAnswer;
use super::arguments::{DateSelection, Params};
use super::shape::shaped;
use super::transformed::{judge, transformed};
use crate::endpoints::condition::Condition;
use crate::endpoints::days::{newest, written_as_of};
use crate::endpoints::decode::{Arguments, params};
use crate::endpoints::forward::{about, untrusted};
use crate::endpoints::measured::FigureKind;
use crate::endpoints::prelude::*;
use econoscope_core::indicators::transform::Units;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{Rights, Series, SeriesId};
use jiff::ToSpan;
use std::sync::Arc;

/// Arguments that an upstream of the contract knows.
const CONTRACT: [&str; 4] = ["seriesId", "start", "end", "as_of"];

/// What is sent: the range as days, wide enough for what is to be made of it.
///
/// # Errors
/// [`econoscope_core::Error::InvalidParam`] for days that are none.
pub(super) fn outbound(checked: &Arguments, today: Date) -> Result<Arguments> {
    let params: Params = params(checked)?;
    let as_of = written_as_of(params.as_of.as_deref(), today)?;
    let asked = DateSelection::of(&params, as_of, today)?;
    let (mut start, mut end) = (asked.start, asked.end);
    let mut arguments = checked.clone();
    let has_days = !asked.days.is_empty();
    if has_days {
        // The figure of a day may be of a quarter that began long before, and whether it is the newest tells the next.
        end = shift(end, 1.year()).min(newest(as_of, today));
        start = shift(start.min(end), (-1).year());
    }
    let is_made_here = params.units.is_some() || params.frequency.is_some();
    if is_made_here {
        // A change from a year earlier and a first whole period need rows before the range.
        start = shift(start, (-2).years());
    }
    arguments.retain(|name, _| CONTRACT.contains(&name.as_str()));
    for (name, day, is_needed) in [
        ("start", start, has_days || is_made_here),
        ("end", end, has_days),
    ] {
        if is_needed || arguments.contains_key(name) {
            arguments.insert(name.into(), day.to_string().into());
        }
    }
    Ok(arguments)
}

/// The answer asked for, out of the upstream's rows: of that series, each date once, the oldest first.
///
/// # Errors
/// [`Error::Unavailable`] for an answer to another question, and
/// [`econoscope_core::Error::InvalidParam`] for a frequency finer than the series' own.
pub(super) fn received(
    mut answer: TimeSeriesAnswer,
    params: &Params,
    today: Date,
) -> Result<TimeSeriesAnswer> {
    about(&params.series_id, &answer.series_id)?;
    if !answer.data.is_sorted_by(|a, b| a.date < b.date) {
        return Err(untrusted("has dates twice or out of order"));
    }
    answer.provenance.told(&params.series_id);
    let info = Arc::new(describe(&answer)?);
    let base = answer.attribution.url.clone();
    let as_of = written_as_of(params.as_of.as_deref(), today)?;
    let asked = DateSelection::of(params, as_of, today)?;
    let series = Arc::new(Series::new(Arc::clone(&info), answer.data.clone()));
    let is_made_here = params.units.is_some() || params.frequency.is_some();
    if is_made_here || !asked.days.is_empty() {
        (answer.start, answer.end) = (asked.start, asked.end);
        transformed(&mut answer, &series, params, &asked)?;
    } else {
        let kind = FigureKind::new(&series, Units::Level, series.frequency());
        answer.measured = Some(kind);
    }
    if let Some(text) = &params.condition {
        let id = answer.series_id.clone();
        let condition = Condition::read(text)?.about(&|name| name.eq_ignore_ascii_case(&id));
        if !condition.tree.names().is_empty() {
            let problem = format!("names other series than {id}, of which another server answers");
            let allowed = "a condition on the series itself, for example >= 0.5";
            return Err(Error::invalid("condition", text, &problem, allowed));
        }
        let days = (answer.start, answer.end);
        let alone = (condition, Default::default());
        judge(&mut answer, alone, &info, params, days)?;
    }
    shaped(answer, params, Some(&base))
}

/// What is known of an upstream's series: our catalogue's word, or its own.
fn describe(answer: &TimeSeriesAnswer) -> Result<SeriesInfo> {
    if let Some(info) = Catalogue::embedded().get(&answer.series_id) {
        return Ok((**info).clone());
    }
    Ok(SeriesInfo {
        id: SeriesId::new(&answer.series_id)?,
        title: answer.display_name.clone(),
        units: answer.unit.clone(),
        units_short: answer.unit.clone(),
        frequency: answer.measured(),
        seasonally_adjusted: false,
        category: "upstream".into(),
        source: answer.source.clone().unwrap_or_default(),
        publication_lag_days: 30,
        metric: false,
        rights: Rights::Ok,
        decimals: 4,
        by_others: true,
    })
}
