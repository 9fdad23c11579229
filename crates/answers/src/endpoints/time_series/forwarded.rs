//! A series from an upstream. The contract has ranges alone: thinning, units, frequency and CSV are made here from its
//! rows.

use super::answer::TimeSeriesAnswer;
use super::arguments::{DateSelection, Params};
use super::shape::fit_rows;
use crate::conditions::Condition;
use crate::conditions::formulas::NamedSeries;
use crate::dates::parse_one_as_of;
use crate::prelude::*;
use crate::route::decode::{Arguments, params};
use crate::route::forward::{check_series, contract_error};
use econoscope_core::model::{Rights, SeriesId};
use econoscope_desk::names::resolve;

/// Arguments that are sent; a past day is refused, since the contract does not have it.
const SENT: [&str; 4] = ["seriesId", "start", "end", "as_of"];

/// Returns the arguments for the upstream: the range as days, wide enough for what is computed from it.
///
/// # Errors
/// [`econoscope_core::Error::InvalidParam`] for dates that cannot be read.
pub(super) fn upstream_arguments(checked: &Arguments, today: Date) -> Result<Arguments> {
    let params: Params = params(checked)?;
    let as_of = parse_one_as_of(params.as_of.as_deref(), today)?;
    let selection = DateSelection::new(&params, as_of, today, None)?;
    let mut start = selection.start;
    let mut end = selection.end;
    let has_days = !selection.days.is_empty();
    if has_days {
        // The figure for a day may be of a quarter that began long before, and the row after it tells whether it is the
        // newest.
        end = shift(end, 1.year()).min(newest(as_of, today));
        start = shift(start.min(end), (-1).year());
    }
    let is_transformed = params.is_transformed();
    if is_transformed {
        // A change from a year earlier and a first whole period need rows before the range.
        start = shift(start, (-2).years());
    }
    let mut arguments = checked.clone();
    arguments.retain(|name, _| SENT.contains(&name.as_str()));
    for (name, day, is_needed) in [
        ("start", start, has_days || is_transformed),
        ("end", end, has_days),
    ] {
        if is_needed || arguments.contains_key(name) {
            arguments.insert(name.into(), day.to_string().into());
        }
    }
    Ok(arguments)
}

/// Turns an upstream's answer, whose rows must ascend by date, into the requested one.
///
/// # Errors
/// [`Error::Unavailable`] for an answer about another series or with unordered rows, and
/// [`econoscope_core::Error::InvalidParam`] for a frequency finer than the series' own.
pub(super) fn received(
    mut answer: TimeSeriesAnswer,
    params: &Params,
    today: Date,
) -> Result<TimeSeriesAnswer> {
    check_series(&params.series_id, &answer.series_id)?;
    if !answer.data.is_sorted_by(|a, b| a.date < b.date) {
        return Err(contract_error("has dates twice or out of order"));
    }
    if answer.series_id.is_empty() {
        let info = resolve::find(&params.series_id);
        answer.series_id =
            info.map_or_else(|| params.series_id.clone(), |info| info.id.to_string());
    }
    answer.provenance.note_name(&params.series_id);
    let first = answer.data.first().map_or(today, |row| row.date);
    let last = answer.data.last().map_or(today, |row| row.date);
    for (day, known) in [(&mut answer.start, first), (&mut answer.end, last)] {
        if *day == Date::default() {
            *day = known;
        }
    }
    let info = Arc::new(series_info(&answer)?);
    let base = answer.attribution.url.clone();
    let selection = DateSelection::new(params, AsOf::Latest, today, None)?;
    let series = Arc::new(Series::new(Arc::clone(&info), answer.data.clone()));
    if params.is_transformed() || !selection.days.is_empty() {
        (answer.start, answer.end) = (selection.start, selection.end);
        answer = answer.with_rows(&series, params, &selection)?;
    } else {
        answer.kind = Some(FigureKind::new(&series, Units::Level, series.frequency()));
    }
    if let Some(text) = &params.condition {
        let id = &answer.series_id;
        let condition = Condition::parse(text)?.with_subject(&|name| name.eq_ignore_ascii_case(id));
        if !condition.tree.names().is_empty() {
            let problem = format!("names other series than {id}, of which another server answers");
            let allowed = "a condition on the series itself, for example >= 0.5";
            return Err(Error::invalid("condition", text, &problem, allowed));
        }
        let range = DateRange::new(answer.start, answer.end);
        let context = params.evaluation_context(&info, NamedSeries::default(), range);
        answer = answer.with_condition(&condition, &context, &info)?;
    }
    fit_rows(answer, params, Some(&base))
}

/// Returns the catalogue's description of an upstream's series, else the upstream's own.
fn series_info(answer: &TimeSeriesAnswer) -> Result<SeriesInfo> {
    if let Some(info) = Catalogue::embedded().get(&answer.series_id) {
        return Ok((**info).clone());
    }
    Ok(SeriesInfo {
        id: SeriesId::new(&answer.series_id)?,
        title: answer.display_name.clone(),
        units: answer.unit.clone(),
        units_short: answer.unit.clone(),
        frequency: answer.frequency(),
        seasonally_adjusted: false,
        category: "upstream".into(),
        source: answer.source.clone().unwrap_or_default(),
        publication_lag_days: 30,
        is_metric: false,
        rights: Rights::Ok,
        decimals: 4,
        is_untrusted: true,
    })
}
