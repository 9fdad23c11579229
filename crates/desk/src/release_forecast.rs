//! Release forecasts: the expectation for the next release of a series, and the surprise of the last one.

use crate::desk::Desk;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::indicators::expectation::{Expectation, Formula};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date, SeriesInfo};
use jiff::ToSpan;
use std::sync::Arc;

/// The first print of a series' newest period, and the expectation of the day before.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstPrint {
    /// Period.
    pub period: Date,
    /// Release day.
    pub day: Date,
    /// Whether the day is recorded; else it is the end of the period plus the usual lag.
    pub is_recorded: bool,
    /// Value in the formula's measure.
    pub value: f64,
    /// Expectation, or the reason for none.
    pub expected: std::result::Result<Expectation, String>,
}

impl FirstPrint {
    /// Returns the print less the expectation.
    pub fn surprise(&self) -> Option<f64> {
        let expected = self.expected.as_ref().ok()?;
        Some(self.value - expected.value)
    }

    /// Returns the surprise in standard deviations.
    pub fn deviations(&self) -> Option<f64> {
        let sd = self.expected.as_ref().ok()?.sd;
        Some(self.surprise()? / sd).filter(|z| z.is_finite())
    }
}

/// The expectation for the next release of a series, and the last release.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleaseForecast {
    /// Expectation, or the reason for none.
    pub next: std::result::Result<Expectation, String>,
    /// The last release; `None` when no value is known, or its measure cannot be computed.
    pub last: Option<FirstPrint>,
}

impl Desk {
    /// Returns the release forecast of a series as known at `as_of`, cached per state of the data.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn release_forecast(
        &self,
        formula: &'static Formula,
        as_of: AsOf,
    ) -> Result<Arc<ReleaseForecast>> {
        let key = (self.state()?, formula.id, as_of);
        self.release_forecasts.get_or_insert_with(key, || {
            let inputs = self.series_set(formula.inputs.iter().copied(), as_of)?;
            let newest = inputs.get(formula.id).and_then(|s| s.observations.last());
            let last = match newest {
                Some(newest) => self.first_print(formula, newest.date, as_of)?,
                None => None,
            };
            let next = formula.forecast(&inputs);
            Ok(Arc::new(ReleaseForecast { next, last }))
        })
    }

    /// Returns the newest first prints of which something was expected, the newest first.
    ///
    /// # Errors
    /// As [`Desk::release_forecast`].
    pub fn surprises(&self, formula: &Formula, count: usize) -> Result<Vec<FirstPrint>> {
        let set = self.series_set([formula.id], AsOf::Latest)?;
        let series = set.get(formula.id);
        let newest = series.map_or(&[][..], |series| &series.observations);
        let periods = newest.iter().rev().take(2 * count);
        let prints = periods.map(|o| self.first_print(formula, o.date, AsOf::Latest));
        let is_expected =
            |print: &Result<FirstPrint>| !matches!(print, Ok(print) if print.expected.is_err());
        let surprises = prints.filter_map(Result::transpose).filter(is_expected);
        surprises.take(count).collect()
    }

    /// Returns a period's first print from the state of its release day, and the expectation of the day before; `None` where
    /// its measure cannot be computed.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn first_print(
        &self,
        formula: &Formula,
        period: Date,
        as_of: AsOf,
    ) -> Result<Option<FirstPrint>> {
        let Some(info) = Catalogue::embedded().get(formula.id) else {
            return Ok(None);
        };
        let (day, is_recorded) = self.release_day(info, period, as_of)?;
        let set = self.series_set_on([formula.id], day)?;
        let series = set.get(formula.id);
        let Some(value) = series.and_then(|s| formula.value_of(s, period)) else {
            return Ok(None);
        };
        let before = self.series_set_on(formula.inputs.iter().copied(), shift(day, (-1).day()))?;
        let expected = formula.forecast(&before).and_then(|expected| {
            if expected.period == period {
                Ok(expected)
            } else {
                Err("the figure of the period before was not known".to_owned())
            }
        });
        Ok(Some(FirstPrint {
            period,
            day,
            is_recorded,
            value,
            expected,
        }))
    }

    /// Returns the day on which a period's first value became known, and whether it is recorded.
    fn release_day(&self, info: &SeriesInfo, period: Date, as_of: AsOf) -> Result<(Date, bool)> {
        let is_known = |day: &Date| match as_of {
            AsOf::Day(end) => *day <= end,
            AsOf::Latest => true,
        };
        let vintages = self.period_vintages(info, period)?;
        let values = vintages.iter().filter(|(_, value)| value.is_some());
        let recorded = values.map(|(day, _)| *day).find(is_known);
        let estimated = info.publication_day(period);
        Ok((recorded.unwrap_or(estimated), recorded.is_some()))
    }
}
