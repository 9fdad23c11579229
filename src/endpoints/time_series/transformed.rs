//! Rows at another frequency and in other units, with FRED's words: first aggregated, then transformed, so
//! that a yearly percent change is one of yearly figures.

use super::Row;
use crate::endpoints::codes::Period;
use crate::error::{Error, Result};
use crate::indicators::resample::{Aggregation, aggregate};
use crate::indicators::transform::Units;
use crate::model::{Frequency, Series};
use std::sync::Arc;

/// A series as asked for.
pub(super) struct Transformed {
    /// Over the whole history; aggregated and transformed.
    pub(super) series: Arc<Series>,
    /// Unit of its values.
    pub(super) unit: String,
    /// Whether the last period may still gain figures.
    pub(super) is_partial: bool,
}

impl Transformed {
    /// The rows from `start` to `end`.
    pub(super) fn rows(&self, (start, end): (crate::model::Date, crate::model::Date)) -> Vec<Row> {
        let row = |o: &crate::model::Observation| Row {
            date: o.date,
            value: o.value,
        };
        self.series.between(start, end).iter().map(row).collect()
    }
}

/// Aggregates and transforms a series.
///
/// # Errors
/// [`Error::InvalidParam`] for a frequency finer than the series' own, or an aggregation without a frequency.
pub(super) fn transformed(
    series: &Arc<Series>,
    to: Option<Period>,
    how: Option<Aggregation>,
    units: Units,
) -> Result<Transformed> {
    if to.is_none() && how.is_some() {
        return Err(Error::invalid(
            "aggregation",
            "",
            "has no meaning without frequency",
            "frequency=m with aggregation=avg",
        ));
    }
    let mut unit = unit(units, &series.info.units_short);
    let mut of = Arc::clone(series);
    let mut is_partial = false;
    let to = to.map_or(series.frequency(), Frequency::from);
    if to != series.frequency() {
        let resampled = aggregate(series, to, how.unwrap_or(Aggregation::EndOfPeriod))?;
        let mut info = (*series.info).clone();
        info.frequency = to;
        is_partial = resampled.last_is_partial;
        of = Arc::new(Series::new(Arc::new(info), resampled.observations));
    }
    if units != Units::Level {
        let rows = units.apply(&of);
        of = Arc::new(Series::new(Arc::clone(&of.info), rows));
    }
    if how == Some(Aggregation::Sum) {
        unit = format!("{unit}, summed");
    }
    Ok(Transformed {
        series: of,
        unit,
        is_partial,
    })
}

/// Unit after a transformation.
fn unit(units: Units, own: &str) -> String {
    let points = if own == "%" { "percentage points" } else { own };
    match units {
        Units::Level => own.to_owned(),
        Units::Change => format!("{points}, change from the period before"),
        Units::ChangeYear => format!("{points}, change from a year earlier"),
        Units::Percent => "% from the period before".into(),
        Units::PercentYear => "% from a year earlier".into(),
        Units::PercentAnnualised => "% from the period before, annualised".into(),
        Units::LogChange => "log % from the period before".into(),
        Units::LogChangeAnnualised => "log % from the period before, annualised".into(),
        Units::Log => "natural logarithm".into(),
    }
}
