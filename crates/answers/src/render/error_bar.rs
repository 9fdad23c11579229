//! The sentence on how far the newest first print of a series may still move.

use crate::conditions::claim::{GROWTH, LEVEL};
use crate::endpoints::revisions::units;
use crate::prelude::*;
use econoscope_core::indicators::prose::lowercase_first;
use econoscope_core::indicators::revisions::PrintMeasure;

/// Describes the 90 % interval of a first print.
///
/// "nine in ten first prints like this change of +29 stand a year later between -97 and +170 thousands of persons, by 180
/// revisions". Empty where the figure at `date` is no unrevised newest one, and for a series whose intervals failed their
/// validation.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub fn describe(desk: &Desk, info: &Arc<SeriesInfo>, date: Date, as_of: AsOf) -> Result<String> {
    let level = Catalogue::embedded().get(LEVEL);
    let info = level.filter(|_| info.id.as_str() == GROWTH).unwrap_or(info);
    let Some((revisions, bar)) = desk.error_bar(info, date, as_of)? else {
        return Ok(String::new());
    };
    let measure = revisions.measure;
    let series = desk.series(info, as_of)?;
    let figure = series.and_then(|series| measure.figure(&series, date, date));
    let [(unit, decimals), _] = units(measure, info);
    let format = |value: f64| match measure {
        PrintMeasure::Level | PrintMeasure::LevelInPercent => round_to(value, decimals).to_string(),
        PrintMeasure::Change | PrintMeasure::Growth | PrintMeasure::AnnualGrowth => {
            format_signed(value, usize::try_from(decimals).unwrap_or_default())
        }
    };
    let described = figure.map(|figure| {
        let [.., [low, high]] = bar.around(figure.value, measure).map(|bounds| bounds.map(format));
        let what = match measure {
            PrintMeasure::Level | PrintMeasure::LevelInPercent => "first prints like this".to_owned(),
            PrintMeasure::Change => format!("first prints like this change of {}", format(figure.value)),
            PrintMeasure::Growth => format!("first prints like this monthly change of {} %", format(figure.value)),
            PrintMeasure::AnnualGrowth => format!("first prints like this annual rate of {} %", format(figure.value)),
        };
        let unit = lowercase_first(&unit);
        let count = bar.revisions.len();
        format!("nine in ten {what} stand a year later between {low} and {high} {unit}, by {count} revisions")
    });
    Ok(described.unwrap_or_default())
}

/// Describes that of the newest figure of a series.
///
/// # Errors
/// As [`describe`].
pub fn describe_newest(desk: &Desk, info: &Arc<SeriesInfo>, as_of: AsOf) -> Result<String> {
    let series = desk.series(info, as_of)?;
    let newest = series.and_then(|series| Some(series.observations.last()?.date));
    newest.map_or(Ok(String::new()), |date| describe(desk, info, date, as_of))
}
