//! Composites and the regime as known on a day, computed once per state of the data.

use super::facts::held;
use super::local::Desk;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::asset_views::{self, Asset, Evidence};
use econoscope_core::indicators::composite::{self, Computation};
use econoscope_core::indicators::months::Month;
use econoscope_core::indicators::nowcast::{self, Nowcast};
use econoscope_core::indicators::precedents::{self, Precedents};
use econoscope_core::indicators::regime::{self, Regime};
use econoscope_core::indicators::{Composite, Reading};
use econoscope_core::model::{AsOf, Date, Observation, Recorded, Series, SeriesId, SeriesInfo};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The regime month by month, and what it is at the reference day.
#[derive(Debug)]
pub struct RegimeHistory {
    /// Every month that can be classified, ascending.
    pub months: Vec<regime::RegimeMonth>,
    /// The answer at the reference day.
    pub now: regime::Outlook,
}

impl Desk {
    /// A composite at the reference day, with its inputs.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn reading(&self, composite: &'static Composite, as_of: AsOf) -> Result<Arc<Reading>> {
        let key = (self.state()?, composite.about.id, as_of);
        self.readings.or_make(key, || {
            let set = self.set(composite.inputs(), as_of)?;
            let day = self.day(composite, as_of)?;
            let (mut reading, history) = composite.at(&set, day);
            if reading.value.is_none()
                && let Some(older) = composite.last(&set, day, history.as_deref())
            {
                reading = Reading {
                    late: reading.reason,
                    ..older
                };
            }
            if let Some(rule) = composite.alarm {
                reading.alarm = Some(rule.state(&self.as_known_up_to(composite, day)?));
            }
            if let (Some(rows), Some(info)) = (history, Catalogue::of(&composite.about))
                && !self.is_stored(composite, as_of)?
            {
                let key = (self.stamp(&info.id)?, info.id.clone(), as_of);
                self.series.insert(key, held(info, rows));
            }
            Ok(Arc::new(reading))
        })
    }

    /// Whether a composite's history is read from the store; that of a past day is computed as it was known then, and
    /// one that may have been stored with figures that may not be passed on is computed without them.
    pub(super) fn is_stored(&self, composite: &Composite, as_of: AsOf) -> Result<bool> {
        let id = SeriesId::new(composite.about.id)?;
        let is_held = as_of == AsOf::Latest && self.held(&id)?.is_some();
        Ok(is_held && self.barred(&composite.inputs()).is_none())
    }

    /// The day for which a composite speaks.
    pub(super) fn day(&self, composite: &Composite, as_of: AsOf) -> Result<Date> {
        let inputs = composite.inputs();
        self.reference_day(inputs, as_of, |info, last| composite.dated_by(info, last))
    }

    /// A composite's whole history as known at `as_of`.
    pub(super) fn computed(
        &self,
        composite: &'static Composite,
        info: &Arc<SeriesInfo>,
        as_of: AsOf,
    ) -> Result<Option<Arc<Series>>> {
        // Where the reading rests on the history, that has come into the cache with it.
        self.reading(composite, as_of)?;
        let key = (self.stamp(&info.id)?, info.id.clone(), as_of);
        if let Some(found) = self.series.get(&key) {
            return Ok(found);
        }
        Ok(held(info, self.history(composite, as_of)?))
    }

    /// A composite's whole history, from the figures known at `as_of` or, where its method has each period as it was
    /// known at its own time, from what is on record of that.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn history(&self, composite: &'static Composite, as_of: AsOf) -> Result<Vec<Observation>> {
        let day = self.day(composite, as_of)?;
        if composite.is_as_known() {
            let path = self.as_known_up_to(composite, day)?;
            return Ok(composite::ended(path, &*self.reading(composite, as_of)?));
        }
        Ok(composite.history(&self.set(composite.inputs(), as_of)?, day))
    }

    /// Each period of a composite up to `day` as it was known at its own time; nothing where its method has no such
    /// history. What came to be known later is in none of them, so that one path serves every day.
    pub fn as_known_up_to(
        &self,
        composite: &'static Composite,
        day: Date,
    ) -> Result<Vec<Observation>> {
        let Computation::AsKnown { path, out_on, .. } = composite.computation else {
            return Ok(Vec::new());
        };
        let inputs = composite.inputs();
        let stamps = inputs.iter().map(|id| self.stamp(&SeriesId::new(id)?));
        let key = (stamps.collect::<Result<_>>()?, composite.about.id);
        let whole = self.as_known.or_make(key, || {
            let recorded = self.recorded(inputs)?;
            Ok::<_, Error>(Arc::new(path(&recorded, self.today())))
        })?;
        let out = whole.partition_point(|o| out_on(o.date) <= day);
        Ok(whole.get(..out).unwrap_or_default().to_vec())
    }

    /// All that was ever known of the named series; those that hold nothing or may not be passed on are absent.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn recorded<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> Result<Vec<Recorded>> {
        let mut recorded = Vec::new();
        for id in ids {
            if let Some(info) = Catalogue::embedded().get(id)
                && self.may_enter(info)?
                && let Some(vintages) = self.kept_vintages(&info.id)?
            {
                recorded.push(Recorded {
                    info: Arc::clone(info),
                    vintages,
                });
            }
        }
        Ok(recorded)
    }

    /// The day for which the regime speaks.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn regime_day(&self, as_of: AsOf) -> Result<Date> {
        Ok(self.data_date(regime::INPUTS.iter().copied(), as_of)?.as_of)
    }

    /// The regime of every month up to the reference day, and the answer for that day.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn regimes(&self, as_of: AsOf) -> Result<Arc<RegimeHistory>> {
        self.regimes.or_make((self.state()?, as_of), || {
            let set = self.set(regime::INPUTS.iter().copied(), as_of)?;
            let day = self.regime_day(as_of)?;
            let months = regime::history(&set, day);
            let now = regime::outlook(months.clone(), &set, self.present(as_of));
            Ok(Arc::new(RegimeHistory { months, now }))
        })
    }

    /// The regime with figures filled that are not out yet, or why there is none; computed once per state of the data.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn nowcast(&self, as_of: AsOf) -> Result<Arc<std::result::Result<Nowcast, String>>> {
        self.nowcasts.or_make((self.state()?, as_of), || {
            let read = regime::INPUTS.iter().chain(&nowcast::WEEKLY);
            let set = self.set(read.copied(), as_of)?;
            let weekly = self.data_date(nowcast::WEEKLY, as_of)?.as_of;
            let path = self.regimes(as_of)?;
            let found = nowcast::after(&path.now, &set, (self.regime_day(as_of)?, weekly));
            Ok(Arc::new(found))
        })
    }

    /// The months most like the regime's newest one, or why there are none; computed once per state of the data.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn precedents(&self, as_of: AsOf) -> Result<Arc<std::result::Result<Precedents, String>>> {
        self.precedents.or_make((self.state()?, as_of), || {
            let path = self.regimes(as_of)?;
            let set = self.set(precedents::INPUTS, as_of)?;
            let day = self.data_date(precedents::INPUTS, as_of)?.as_of;
            Ok(Arc::new(precedents::of(&path.months, &set, day)))
        })
    }

    /// Evidence of the assets in a regime, measured from the store's own figures as known at `as_of`. Assets without are
    /// absent: what the store cannot show stays documented, and so does everything while nothing but the bundled history
    /// is held.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn evidence(&self, regime: Regime, as_of: AsOf) -> Result<BTreeMap<Asset, Evidence>> {
        if self.holdings()?.bundled {
            return Ok(BTreeMap::new());
        }
        let path = self.regimes(as_of)?;
        let months = path.months.iter().map(|s| (Month::of(s.month), s.regime));
        let months: Vec<(Month, Regime)> = months.collect();
        let series = Asset::ALL.into_iter().flat_map(Asset::series).copied();
        let set = self.set(series.clone(), as_of)?;
        let day = self.data_date(series, as_of)?.as_of;
        let measured = |asset: Asset| {
            let found = asset_views::measured(asset, regime, &months, &set, day)?;
            Some((asset, found))
        };
        Ok(Asset::ALL.into_iter().filter_map(measured).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::Settings;
    use crate::store::{Sqlite, Store, Write};
    use econoscope_core::indicators::stress::CMSI;
    use econoscope_core::model::frequency::{day_from_number, day_number};
    use jiff::Timestamp;
    use jiff::civil::date;

    #[test]
    fn a_reading_that_rests_on_the_history_brings_it_along() -> Result<()> {
        let now = || "2026-08-22T12:00:00Z".parse::<Timestamp>().unwrap();
        let store = Arc::new(Sqlite::bundled()?);
        for (id, step) in [("NFCI", 7), ("ICSA", 7), ("DGS10", 1)] {
            let (first, last) = (day_number(date(1984, 1, 6)), day_number(date(2020, 3, 31)));
            let days = (first..=last).step_by(step);
            let row = |n: i32| {
                let value = 3.0 + (f64::from(n) / 90.0).sin();
                Some(Observation::new(day_from_number(n)?, value))
            };
            store.write(Write {
                id: &SeriesId::new(id)?,
                observations: &days.filter_map(row).collect::<Vec<_>>(),
                known_from: None,
                fetched_at: now(),
                origin: "fred",
            })?;
        }
        let desk = Desk::open(store, Settings::default(), Arc::new(now));
        let as_of = AsOf::Day(date(2020, 4, 1));
        let reading = desk.reading(&CMSI, as_of)?;
        let info = Catalogue::of(&CMSI.about).unwrap();
        let key = (desk.stamp(&info.id)?, info.id.clone(), as_of);
        let kept = desk.series.get(&key).flatten().unwrap();
        let last = kept.observations.last().map(|o| o.value);
        assert!(last.is_some());
        assert_eq!(last, reading.value);
        assert!(Arc::ptr_eq(&kept, &desk.series(info, as_of)?.unwrap()));
        Ok(())
    }
}
