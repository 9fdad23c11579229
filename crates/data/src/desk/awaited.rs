//! Awaited figures: what the next release of a series can be expected to say, and by how much the last one surprised.

use super::local::Desk;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::indicators::expectation::{Expectation, Formula};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date, SeriesInfo};
use jiff::ToSpan;
use std::sync::Arc;

/// The newest figure of a series as it was printed first, beside what could be expected the day before.
#[derive(Debug, Clone, PartialEq)]
pub struct Print {
    /// Stamp of the period.
    pub period: Date,
    /// Day by which it was known.
    pub day: Date,
    /// Whether that day is on record; else it is the period's end and the usual lag.
    pub is_recorded: bool,
    /// In the formula's measure.
    pub value: f64,
    /// What could be expected of it, or why nothing.
    pub expected: std::result::Result<Expectation, String>,
}

impl Print {
    /// The print less the expectation.
    pub fn surprise(&self) -> Option<f64> {
        let expected = self.expected.as_ref().ok()?;
        Some(self.value - expected.value)
    }

    /// The surprise in standard deviations.
    pub fn deviations(&self) -> Option<f64> {
        let sd = self.expected.as_ref().ok()?.sd;
        Some(self.surprise()? / sd).filter(|z| z.is_finite())
    }
}

/// A series with a formula at a state of knowledge.
#[derive(Debug, Clone, PartialEq)]
pub struct Awaited {
    /// What the next release can be expected to say, or why nothing.
    pub next: std::result::Result<Expectation, String>,
    /// The newest figure known; `None` where none is, or its measure cannot be taken.
    pub last: Option<Print>,
}

impl Desk {
    /// What is awaited of a series at a state of knowledge; computed once per state of the data.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn awaited(&self, formula: &'static Formula, as_of: AsOf) -> Result<Arc<Awaited>> {
        let key = (self.state()?, formula.id, as_of);
        self.awaited.or_make(key, || {
            let known = self.set(formula.inputs.iter().copied(), as_of)?;
            let newest = known.get(formula.id).and_then(|s| s.observations.last());
            let last = match newest {
                Some(newest) => self.printed(formula, newest.date, as_of)?,
                None => None,
            };
            let next = formula.expect(&known);
            Ok(Arc::new(Awaited { next, last }))
        })
    }

    /// A period's figure in the state of the day on which it came, beside what was expected the day before.
    fn printed(&self, formula: &Formula, period: Date, as_of: AsOf) -> Result<Option<Print>> {
        let Some(info) = Catalogue::embedded().get(formula.id) else {
            return Ok(None);
        };
        let (day, is_recorded) = self.came(info, period, as_of)?;
        let then = self.set_on([formula.id], day)?;
        let printed = then.get(formula.id);
        let Some(value) = printed.and_then(|s| formula.printed(s, period)) else {
            return Ok(None);
        };
        let before = self.set_on(formula.inputs.iter().copied(), shift(day, (-1).day()))?;
        let expected = formula.expect(&before);
        let expected = expected.and_then(|expected| match expected.period == period {
            true => Ok(expected),
            false => Err("the figure of the period before was not known".to_owned()),
        });
        Ok(Some(Print {
            period,
            day,
            is_recorded,
            value,
            expected,
        }))
    }

    /// The day on which a period's first figure became known, and whether that is on record.
    fn came(&self, info: &SeriesInfo, period: Date, as_of: AsOf) -> Result<(Date, bool)> {
        let is_known = |day: &Date| match as_of {
            AsOf::Day(end) => *day <= end,
            AsOf::Latest => true,
        };
        let held = self.kept_vintages(&info.id)?;
        let rows = held.iter().flat_map(|v| v.rows());
        let mut of_period = rows.filter(|row| row.date == period && row.value.is_some());
        let recorded = of_period.find_map(|row| row.known_from.filter(is_known));
        let usual = info.known_by(period);
        Ok((recorded.unwrap_or(usual), recorded.is_some()))
    }
}
