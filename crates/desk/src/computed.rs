//! Composites, the regime and its relatives as known on a day, cached per state of the data.

use crate::desk::Desk;
use crate::series::to_series;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::asset_views::{self, Asset, Evidence};
use econoscope_core::indicators::composite::{self, Computation};
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nowcast::{self, Nowcast};
use econoscope_core::indicators::precedents::{self, Precedents};
use econoscope_core::indicators::regime::{self, Regime};
use econoscope_core::indicators::{Composite, Reading};
use econoscope_core::model::{
    AsOf, Date, Observation, Series, SeriesId, SeriesInfo, SeriesVintages,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The regime month by month and at the reference day.
#[derive(Debug)]
pub struct RegimeHistory {
    /// Classified months, ascending.
    pub months: Vec<regime::RegimeMonth>,
    /// The regime at the reference day.
    pub now: regime::RegimeReading,
}

impl Desk {
    /// Returns a composite at the reference day, with its inputs.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn reading(&self, composite: &'static Composite, as_of: AsOf) -> Result<Arc<Reading>> {
        let key = (self.state()?, composite.indicator.id, as_of);
        self.readings.get_or_insert_with(key, || {
            let set = self.series_set(composite.inputs(), as_of)?;
            let day = self.composite_day(composite, as_of)?;
            let (mut reading, history) = composite.compute(&set, day);
            if reading.value.is_none()
                && let Some(older) = composite.last_reading(&set, day, history.as_deref())
            {
                reading = Reading {
                    late: reading.reason,
                    ..older
                };
            }
            if let Some(rule) = composite.indicator.definition().alarm {
                reading.alarm = Some(rule.state(&self.real_time_history(composite, day)?));
            }
            if let (Some(rows), Some(info)) =
                (history, Catalogue::of_indicator(&composite.indicator))
                && !self.is_stored(composite, as_of)?
            {
                let key = (self.series_version(&info.id)?, info.id.clone(), as_of);
                self.series.insert(key, to_series(info, rows));
            }
            Ok(Arc::new(reading))
        })
    }

    /// Returns whether a composite's history is read from the store. The history of a past day is computed as it was
    /// known then. A history that may include restricted values is computed without them.
    pub(super) fn is_stored(&self, composite: &Composite, as_of: AsOf) -> Result<bool> {
        let id = SeriesId::new(composite.indicator.id)?;
        let is_stored = as_of == AsOf::Latest && self.series_status(&id)?.is_some();
        Ok(is_stored && self.redistribution_error(&composite.inputs()).is_none())
    }

    /// Returns the reference day of a composite.
    fn composite_day(&self, composite: &Composite, as_of: AsOf) -> Result<Date> {
        let inputs = composite.inputs();
        self.reference_day_by(inputs, as_of, |info, last| {
            composite.reference_day(info, last)
        })
    }

    /// Computes a composite's whole history as known at `as_of`.
    pub(super) fn compute_composite(
        &self,
        composite: &'static Composite,
        info: &Arc<SeriesInfo>,
        as_of: AsOf,
    ) -> Result<Option<Arc<Series>>> {
        // A reading that needs the history also caches it.
        self.reading(composite, as_of)?;
        let key = (self.series_version(&info.id)?, info.id.clone(), as_of);
        if let Some(series) = self.series.get(&key) {
            return Ok(series);
        }
        Ok(to_series(info, self.history(composite, as_of)?))
    }

    /// Returns a composite's whole history, from the values known at `as_of`, or from recorded vintages if its method has
    /// each period as it was known at its own time.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn history(&self, composite: &'static Composite, as_of: AsOf) -> Result<Vec<Observation>> {
        let day = self.composite_day(composite, as_of)?;
        if composite.is_real_time() {
            let path = self.real_time_history(composite, day)?;
            return Ok(composite::with_latest_reading(
                path,
                &*self.reading(composite, as_of)?,
            ));
        }
        Ok(composite.history(&self.series_set(composite.inputs(), as_of)?, day))
    }

    /// Returns each period of a composite up to `day` as it was known at its own time; empty if its method has no such
    /// history. Later knowledge changes none of them, so one cached history serves every day.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn real_time_history(
        &self,
        composite: &'static Composite,
        day: Date,
    ) -> Result<Vec<Observation>> {
        let Computation::RealTime {
            path, release_day, ..
        } = composite.computation
        else {
            return Ok(Vec::new());
        };
        let inputs = composite.inputs();
        let versions = inputs
            .iter()
            .map(|id| self.series_version(&SeriesId::new(id)?));
        let key = (versions.collect::<Result<_>>()?, composite.indicator.id);
        let history = self.real_time_histories.get_or_insert_with(key, || {
            let recorded = self.recorded_vintages(inputs)?;
            Ok::<_, Error>(Arc::new(path(&recorded, self.today())))
        })?;
        let end = history.partition_point(|o| release_day(o.date) <= day);
        Ok(history.get(..end).unwrap_or_default().to_vec())
    }

    /// Returns all vintages of the named series, without those that have no values or may not be redistributed.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn recorded_vintages<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<SeriesVintages>> {
        let mut recorded = Vec::new();
        for id in ids {
            if let Some(info) = Catalogue::embedded().get(id)
                && self.is_permitted(info)?
                && let Some(vintages) = self.cached_vintages(&info.id)?
            {
                recorded.push(SeriesVintages {
                    info: Arc::clone(info),
                    vintages,
                });
            }
        }
        Ok(recorded)
    }

    /// Returns the reference day of the regime.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn regime_day(&self, as_of: AsOf) -> Result<Date> {
        let inputs = regime::INPUTS.iter().copied();
        Ok(self.reference_day(inputs, as_of)?.as_of)
    }

    /// Returns the regime of every month up to the reference day, and on that day.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn regimes(&self, as_of: AsOf) -> Result<Arc<RegimeHistory>> {
        self.regimes.get_or_insert_with((self.state()?, as_of), || {
            let set = self.series_set(regime::INPUTS.iter().copied(), as_of)?;
            let day = self.regime_day(as_of)?;
            let months = regime::history(&set, day);
            let now = regime::reading_from_history(&months, &set, self.reading_day(as_of));
            Ok(Arc::new(RegimeHistory { months, now }))
        })
    }

    /// Returns the nowcast: the regime with estimates for unpublished values, or the reason for none.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn nowcast(&self, as_of: AsOf) -> Result<Arc<std::result::Result<Nowcast, String>>> {
        self.nowcasts
            .get_or_insert_with((self.state()?, as_of), || {
                let inputs = regime::INPUTS.iter().chain(&nowcast::WEEKLY);
                let set = self.series_set(inputs.copied(), as_of)?;
                let day = self.regime_day(as_of)?;
                let weekly = self.reference_day(nowcast::WEEKLY, as_of)?.as_of;
                let now = &self.regimes(as_of)?.now;
                Ok(Arc::new(nowcast::compute_after(now, &set, day, weekly)))
            })
    }

    /// Returns the past months most like the newest one, or the reason for none.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn precedents(&self, as_of: AsOf) -> Result<Arc<std::result::Result<Precedents, String>>> {
        self.precedents
            .get_or_insert_with((self.state()?, as_of), || {
                let months = &self.regimes(as_of)?.months;
                let set = self.series_set(precedents::INPUTS, as_of)?;
                let day = self.reference_day(precedents::INPUTS, as_of)?.as_of;
                Ok(Arc::new(precedents::find(months, &set, day)))
            })
    }

    /// Measures the evidence of assets in a regime from the values known at `as_of`. Assets without enough data are
    /// absent and keep their documented evidence. With only the bundled history, all do.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn evidence(&self, regime: Regime, as_of: AsOf) -> Result<BTreeMap<Asset, Evidence>> {
        if self.store_summary()?.is_bundled {
            return Ok(BTreeMap::new());
        }
        let regimes = self.regimes(as_of)?;
        let label = |m: &regime::RegimeMonth| (Month::from_date(m.month), m.regime);
        let months: Vec<(Month, Regime)> = regimes.months.iter().map(label).collect();
        let assets = Asset::ALL.into_iter();
        let series = assets.flat_map(|asset| asset.series).copied();
        let set = self.series_set(series.clone(), as_of)?;
        let day = self.reference_day(series, as_of)?.as_of;
        let measure = |asset: Asset| {
            let evidence = asset_views::measured(asset, regime, &months, &set, day)?;
            Some((asset, evidence))
        };
        Ok(Asset::ALL.into_iter().filter_map(measure).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::testing::TestDesk;
    use econoscope_core::indicators::stress::CMSI;
    use econoscope_core::model::frequency::{day_from_number, day_number};

    use jiff::Timestamp;
    use jiff::civil::date;

    #[test]
    fn reading_caches_the_history_it_computes() -> Result<()> {
        let _now = || "2026-08-22T12:00:00Z".parse::<Timestamp>().unwrap();
        let mut test_desk = TestDesk::bundled().on("2026-08-22");
        for (id, step) in [("NFCI", 7), ("ICSA", 7), ("DGS10", 1)] {
            let first = day_number(date(1984, 1, 6));
            let last = day_number(date(2020, 3, 31));
            let days = (first..=last).step_by(step);
            let row = |n: i32| {
                let value = 3.0 + (f64::from(n) / 90.0).sin();
                Some(Observation::new(day_from_number(n)?, value))
            };
            let rows: Vec<Observation> = days.filter_map(row).collect();
            test_desk = test_desk.series(id, "fred", &rows, None);
        }
        let desk = test_desk.open();
        let as_of = AsOf::Day(date(2020, 4, 1));
        let reading = desk.reading(&CMSI, as_of)?;
        let info = Catalogue::of_indicator(&CMSI.indicator).unwrap();
        let key = (desk.series_version(&info.id)?, info.id.clone(), as_of);
        let cached = desk.series.get(&key).flatten().unwrap();
        let last = cached.observations.last().map(|o| o.value);
        assert!(last.is_some());
        assert_eq!(last, reading.value);
        assert!(Arc::ptr_eq(&cached, &desk.series(info, as_of)?.unwrap()));
        Ok(())
    }
}
