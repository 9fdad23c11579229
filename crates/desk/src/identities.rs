//! Series that are not stored, computed by their identities ([`identities`]), and stored ones that contradict theirs.

use crate::desk::Desk;
use crate::series::to_series;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators;
use econoscope_core::indicators::identities::{self, Identity};
use econoscope_core::model::{AsOf, Date, Series, SeriesId, SeriesInfo};
use econoscope_data::ingest::{Comparison, compare};
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::sync::Arc;

impl Desk {
    /// Returns the identity by which a series is computed: if the series is not stored, and each of its inputs is stored
    /// or computed.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn identity_of(&self, id: &SeriesId) -> Result<Option<&'static Identity>> {
        let Some(identity) = identities::identity(id.as_str()) else {
            return Ok(None);
        };
        if self.series_status(id)?.is_some() {
            return Ok(None);
        }
        for input in identity.inputs() {
            let input = SeriesId::new(input)?;
            if self.series_status(&input)?.is_none() && self.identity_of(&input)?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(identity))
    }

    /// Returns the date of a series' newest value, stored or computed.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn last_date(&self, info: &Arc<SeriesInfo>) -> Result<Option<Date>> {
        if let Some(composite) = indicators::composite(info.id.as_str()) {
            let reading = self.reading(composite, AsOf::Latest)?;
            return Ok(reading.value.map(|_| reading.date));
        }
        if let Some(status) = self.series_status(&info.id)? {
            // For a projection, the current period.
            let is_projection = status.last > self.today();
            return Ok(Some(if is_projection {
                info.frequency.period_date(self.today())
            } else {
                status.last
            }));
        }
        let series = self.series(info, AsOf::Latest)?;
        Ok(series.and_then(|series| Some(series.observations.last()?.date)))
    }

    /// Computes a series by its identity from the values known on a day; `None` when an input is missing or may not be
    /// redistributed.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub(super) fn compute_identity(
        &self,
        info: &Arc<SeriesInfo>,
        as_of: AsOf,
    ) -> Result<Option<Arc<Series>>> {
        let Some(identity) = self.identity_of(&info.id)? else {
            return Ok(None);
        };
        let inputs: Vec<&str> = identity.inputs().collect();
        if self.redistribution_error(&inputs).is_some() {
            return Ok(None);
        }
        let common_day = self.day_of_inputs(identity)?;
        let as_of = common_day.map_or(as_of, |day| AsOf::Day(day.min(self.reading_day(as_of))));
        Ok(match self.input_series(identity, as_of)? {
            Some(inputs) => to_series(info, identities::evaluate(identity, info, &inputs)?),
            None => None,
        })
    }

    /// Returns the day as of which all inputs of an identity are read, if they have one.
    fn day_of_inputs(&self, identity: &Identity) -> Result<Option<Date>> {
        if identity.day_of.is_empty() {
            return Ok(None);
        }
        let status = self.series_status(&SeriesId::new(identity.day_of)?)?;
        Ok(status.map(|status| status.fetched_at.to_zoned(TimeZone::UTC).date()))
    }

    /// Returns the inputs of an identity; `None` when one of them is missing.
    fn input_series(
        &self,
        identity: &'static Identity,
        as_of: AsOf,
    ) -> Result<Option<HashMap<&'static str, Arc<Series>>>> {
        let inputs = identity.inputs().map(|id| {
            let info = Catalogue::embedded()
                .get(id)
                .ok_or_else(|| Error::internal("an identity's input", id))?;
            Ok(self.series(info, as_of)?.map(|series| (id, series)))
        });
        inputs.collect()
    }

    /// Describes stored series that differ from their identity on more than one in ten of the newest common dates, by the
    /// tolerances for two sources ([`compare`]).
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn contradictions(&self) -> Result<Vec<String>> {
        let mut contradictions = Vec::new();
        for (id, identity) in identities::all() {
            if let Some(info) = Catalogue::embedded().get(id)
                && identity.known_difference.is_empty()
                && self.series_status(&info.id)?.is_some()
                && let Some(stored) = self.series(info, AsOf::Latest)?
                && let Some(inputs) = self.input_series(identity, AsOf::Latest)?
                && let computed = identities::evaluate(identity, info, &inputs)?
                && let Comparison::Differs(why) =
                    compare(Some(info), &stored.observations, &computed)
            {
                contradictions.push(format!(
                    "{id} does not agree with {}: {why}",
                    identity.formula
                ));
            }
        }
        contradictions.sort();
        Ok(contradictions)
    }
}
