//! Awaited figures: what the next release of a series can be expected to say, and by how much the last one surprised.

use super::kept::{Awaited, Print, State};
use super::local::Desk;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::indicators::expectation::Formula;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date, SeriesInfo};
use jiff::ToSpan;
use std::sync::Arc;

impl Desk {
    /// What is awaited of a series at a state of knowledge; computed once per state of the data.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn awaited(&self, formula: &'static Formula, as_of: AsOf) -> Result<Arc<Awaited>> {
        let state = self.state()?;
        let key = (state, formula.id, as_of);
        self.awaited.or_make(key, || {
            let known = self.set(formula.inputs.iter().copied(), as_of)?;
            let newest = known.get(formula.id).and_then(|s| s.observations.last());
            let last = match (Catalogue::embedded().get(formula.id), newest) {
                (Some(info), Some(newest)) => {
                    self.printed((formula, info), newest.date, (as_of, state))?
                }
                _ => None,
            };
            let next = formula.expect(&known);
            Ok(Arc::new(Awaited { next, last }))
        })
    }

    /// A period's figure in the state of the day on which it came, beside what was expected the day before.
    fn printed(
        &self,
        (formula, info): (&'static Formula, &Arc<SeriesInfo>),
        period: Date,
        (as_of, state): (AsOf, State),
    ) -> Result<Option<Print>> {
        let (day, is_recorded) = self.came((info, period), (as_of, state))?;
        let then = self.set_on([formula.id], day, state)?;
        let value = then
            .get(formula.id)
            .and_then(|s| formula.printed(s, period));
        let Some(value) = value else {
            return Ok(None);
        };
        let before = self.set_on(
            formula.inputs.iter().copied(),
            shift(day, (-1).day()),
            state,
        )?;
        let expected =
            formula
                .expect(&before)
                .and_then(|expected| match expected.period == period {
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
    fn came(
        &self,
        (info, period): (&Arc<SeriesInfo>, Date),
        (as_of, state): (AsOf, State),
    ) -> Result<(Date, bool)> {
        let end = match as_of {
            AsOf::Day(day) => day,
            AsOf::Latest => Date::MAX,
        };
        let held = self.kept_vintages(&info.id, state)?;
        let rows = held.iter().flat_map(|v| v.rows());
        let mut of_period = rows.filter(|row| row.date == period && row.value.is_some());
        let recorded = of_period.find_map(|row| row.known_from.filter(|day| *day <= end));
        let usual = info.known_by(period);
        Ok((recorded.unwrap_or(usual), recorded.is_some()))
    }
}
