//! The condition asked of a series, counted over all its rows.

use super::answer::TimeSeriesAnswer;
use super::arguments::Params;
use crate::endpoints::condition::{Condition, Setting};
use crate::endpoints::formulas::NamedSeries;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::resample::Aggregation;
use econoscope_core::model::{AsOf, Date, SeriesInfo};
use econoscope_data::desk::Desk;

/// The condition, and the series that it names beside the one asked for, which is taken as it is asked for.
///
/// # Errors
/// [`Error::InvalidParam`] for what is no condition, and whatever the desk says of a name.
pub(super) fn read(
    desk: &Desk,
    params: &Params,
    as_of: AsOf,
    info: &SeriesInfo,
) -> Result<Option<(Condition, NamedSeries)>> {
    let Some(text) = params.condition.as_deref() else {
        return Ok(None);
    };
    let is_own = |name: &str| {
        desk.resolve("series", name)
            .is_ok_and(|found| found.id == info.id)
    };
    let condition = Condition::read(text)?.about(&is_own);
    let known = NamedSeries::read(desk, as_of, [&condition.tree])?;
    Ok(Some((condition, known)))
}

/// The condition of an answer that came without the series beside it: it may name no other.
///
/// # Errors
/// [`Error::InvalidParam`] for what is no condition, and for one about other series.
pub(super) fn read_alone(params: &Params, id: &str) -> Result<Option<(Condition, NamedSeries)>> {
    let Some(text) = params.condition.as_deref() else {
        return Ok(None);
    };
    let condition = Condition::read(text)?.about(&|name| name.eq_ignore_ascii_case(id));
    if !condition.tree.names().is_empty() {
        let problem = format!("names other series than {id}, of which another server answers");
        let allowed = "a condition on the series itself, for example >= 0.5";
        return Err(Error::invalid("condition", text, &problem, allowed));
    }
    Ok(Some((condition, NamedSeries::default())))
}

/// Counts the condition over the rows that the answer has.
///
/// # Errors
/// [`Error::InvalidParam`] for units that cannot be compared and for what takes too long.
pub(super) fn judge(
    answer: &mut TimeSeriesAnswer,
    (condition, known): (&Condition, &NamedSeries),
    info: &SeriesInfo,
    params: &Params,
    days: (Date, Date),
) -> Result<()> {
    if let Some(reason) = known.reason(&condition.tree) {
        answer.provenance.note("condition", reason.to_string());
        return Ok(());
    }
    let how = params.aggregation.map(|how| how.meaning);
    let setting = Setting {
        known,
        how: how.unwrap_or_else(|| Aggregation::usual(info)),
        frequency: params.frequency.map(|asked| asked.meaning.frequency),
        days,
    };
    answer.condition =
        Some(condition.of_rows(info, (&answer.unit, answer.data.clone()), &setting)?);
    Ok(())
}
