//! Series and computed figures as known on a day, kept once per state of the data.

use super::local::{Desk, RegimePath, Stamp, State};
use super::remarks;
use crate::error::{Error, Result};
use crate::indicators::composite::{self, Computation};
use crate::indicators::precedents::{self, Precedents};
use crate::indicators::{self, Composite, Reading, nowcast, regime};
use crate::model::{
    AsOf, Catalogue, Date, Observation, Recorded, Series, SeriesId, SeriesInfo, SeriesSet,
    Vintages, units,
};
use crate::store::Status;
use std::sync::Arc;

impl Desk {
    /// A series as known at `as_of`, as it is held, or else as its identity makes it of others; `None` where there is
    /// neither.
    /// Shape: up to the reference day; observations dated after today are projections and are left out.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn series(&self, info: &Arc<SeriesInfo>, as_of: AsOf) -> Result<Option<Arc<Series>>> {
        let state = self.state()?;
        let key = (self.stamp(&info.id, state)?, info.id.clone(), as_of);
        if let Some(found) = self.series.get(&key) {
            return Ok(found);
        }
        let found = match self.read(info, as_of, state)? {
            None => self.by_identity(info, as_of)?,
            found => found,
        };
        self.series.insert(key, found.clone());
        Ok(found)
    }

    /// What tells whether a series is still as it was read.
    pub(super) fn stamp(&self, id: &SeriesId, state: State) -> Result<Stamp> {
        let of_a_source = |s: &Status| indicators::composite(s.id.as_str()).is_none();
        Ok(match self.held(id)?.filter(of_a_source) {
            Some(held) if !held.origin.starts_with("computed") => Stamp::Rows {
                incarnation: self.store.incarnation(),
                rows: held.rows,
                today: state.today,
            },
            _ => Stamp::All(state),
        })
    }

    fn read(
        &self,
        info: &Arc<SeriesInfo>,
        as_of: AsOf,
        state: State,
    ) -> Result<Option<Arc<Series>>> {
        if let Some(composite) = indicators::composite(info.id.as_str())
            && !self.is_stored(composite, as_of)?
        {
            return self.computed(composite, info, as_of);
        }
        Ok(match as_of {
            AsOf::Latest => self.vintages(&info.id)?.and_then(|v| {
                let mut rows = v.latest();
                rows.truncate(rows.partition_point(|o| o.date <= state.today));
                held(info, rows)
            }),
            AsOf::Day(day) => {
                let info = self.described_on(info, day, state)?;
                let rows = self.known_on(&info, day, state)?;
                rows.and_then(|rows| held(&info, rows))
            }
        })
    }

    /// A series' description with the units in which it was published on a day.
    fn described_on(
        &self,
        info: &Arc<SeriesInfo>,
        day: Date,
        state: State,
    ) -> Result<Arc<SeriesInfo>> {
        let held = self.kept_vintages(&info.id, state)?;
        let newest = held.and_then(|v| v.changed_by(day));
        let units = newest.and_then(|day| units::published(info.id.as_str(), day));
        Ok(match units {
            None => Arc::clone(info),
            Some(units) => Arc::new(SeriesInfo {
                units_short: units.to_owned(),
                ..SeriesInfo::clone(info)
            }),
        })
    }

    /// What was known of a series on a day; `None` when nothing is held of it.
    fn known_on(
        &self,
        info: &SeriesInfo,
        day: Date,
        state: State,
    ) -> Result<Option<Vec<Observation>>> {
        let end = day.min(state.today);
        Ok(self.kept_vintages(&info.id, state)?.map(|v| {
            let mut rows = v.as_of(day, info.frequency, info.publication_lag_days);
            rows.truncate(rows.partition_point(|o| o.date <= end));
            rows
        }))
    }

    /// The named series as known on one of many days, which are read and not kept.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub(super) fn set_on<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        day: Date,
        state: State,
    ) -> Result<SeriesSet> {
        let mut set = SeriesSet::default();
        for id in ids {
            if let Some(info) = Catalogue::embedded().get(id)
                && let Some(series) = self
                    .known_on(info, day, state)?
                    .and_then(|rows| held(info, rows))
            {
                set.insert(series);
            }
        }
        Ok(set)
    }

    /// Every value ever seen of a series.
    ///
    /// # Errors
    /// [`Error::Store`] when the rows cannot be read.
    pub fn vintages(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        self.store.read(id)
    }

    /// [`Self::vintages`], read once while they are as they were.
    pub(super) fn kept_vintages(
        &self,
        id: &SeriesId,
        state: State,
    ) -> Result<Option<Arc<Vintages>>> {
        let key = (self.stamp(id, state)?, id.clone());
        if let Some(found) = self.vintages.get(&key) {
            return Ok(found);
        }
        let found = self.vintages(id)?.map(Arc::new);
        self.vintages.insert(key, found.clone());
        Ok(found)
    }

    /// The named series as known at `as_of`; those that hold nothing are absent.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn set<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        as_of: AsOf,
    ) -> Result<SeriesSet> {
        let catalogue = Catalogue::embedded();
        let mut set = SeriesSet::default();
        for id in ids {
            // A composite chooses itself what stands in for a series that is not held.
            if let Some(info) = catalogue.get(id)
                && self.made_by(&info.id)?.is_none()
                && let Some(series) = self.series(info, as_of)?
            {
                set.insert(series);
            }
        }
        Ok(set)
    }

    /// A composite at the reference day, with its inputs.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn reading(&self, composite: &'static Composite, as_of: AsOf) -> Result<Arc<Reading>> {
        let state = self.state()?;
        let key = (state, composite.about.id, as_of);
        if let Some(found) = self.readings.get(&key) {
            return Ok(found);
        }
        let set = self.set(composite.inputs(), as_of)?;
        let day = self.day(composite, as_of)?;
        let (mut reading, history) = composite.at(&set, day);
        if let Some(rule) = composite.alarm {
            reading.alarm = Some(rule.state(&self.as_known_up_to(composite, day)?));
        }
        let reading = Arc::new(reading);
        self.readings.insert(key, Arc::clone(&reading));
        if let (Some(rows), Some(info)) = (history, composite.about.info())
            && !self.is_stored(composite, as_of)?
        {
            let key = (self.stamp(&info.id, state)?, info.id.clone(), as_of);
            self.series.insert(key, held(info, rows));
        }
        Ok(reading)
    }

    /// Whether a composite's history is read from the store; that of a past day is computed as it was known then.
    fn is_stored(&self, composite: &Composite, as_of: AsOf) -> Result<bool> {
        let id = SeriesId::new(composite.about.id)?;
        Ok(as_of == AsOf::Latest && self.held(&id)?.is_some())
    }

    /// The day for which a composite speaks.
    pub(super) fn day(&self, composite: &Composite, as_of: AsOf) -> Result<Date> {
        let frequency = composite.about.info().map(|info| info.frequency);
        let day = self.data_date(as_of)?;
        Ok(frequency.map_or(day.as_of, |frequency| day.of(frequency)))
    }

    /// A composite's whole history as known at `as_of`.
    fn computed(
        &self,
        composite: &'static Composite,
        info: &Arc<SeriesInfo>,
        as_of: AsOf,
    ) -> Result<Option<Arc<Series>>> {
        // Where the reading rests on the history, that has come into the cache with it.
        self.reading(composite, as_of)?;
        let key = (self.stamp(&info.id, self.state()?)?, info.id.clone(), as_of);
        if let Some(found) = self.series.get(&key) {
            return Ok(found);
        }
        Ok(held(info, self.history(composite, as_of)?))
    }

    /// A composite's whole history, from the figures known at `as_of` or, where its method has each period as it was
    /// known at its own time, from what is on record of that.
    pub(super) fn history(
        &self,
        composite: &'static Composite,
        as_of: AsOf,
    ) -> Result<Vec<Observation>> {
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
        let state = self.state()?;
        let key = (state, composite.about.id);
        let whole = match self.as_known.get(&key) {
            Some(found) => found,
            None => {
                let whole = Arc::new(path(
                    &self.recorded(composite.inputs(), state)?,
                    state.today,
                ));
                self.as_known.insert(key, Arc::clone(&whole));
                whole
            }
        };
        let out = whole.partition_point(|o| out_on(o.date) <= day);
        Ok(whole.get(..out).unwrap_or_default().to_vec())
    }

    /// All that was ever known of the named series; those that hold nothing are absent.
    pub(super) fn recorded<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        state: State,
    ) -> Result<Vec<Recorded>> {
        let mut recorded = Vec::new();
        for info in ids
            .into_iter()
            .filter_map(|id| Catalogue::embedded().get(id))
        {
            if let Some(vintages) = self.kept_vintages(&info.id, state)? {
                recorded.push(Recorded {
                    info: Arc::clone(info),
                    vintages,
                });
            }
        }
        Ok(recorded)
    }

    /// The regime of every month up to the reference day, and the answer for that day.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn regimes(&self, as_of: AsOf) -> Result<Arc<RegimePath>> {
        let key = (self.state()?, as_of);
        if let Some(found) = self.regimes.get(&key) {
            return Ok(found);
        }
        let read = regime::INPUTS.iter().chain(&nowcast::WEEKLY);
        let set = self.set(read.copied(), as_of)?;
        let day = self.data_date(as_of)?;
        let months = regime::history(&set, day.as_of);
        let now = regime::outlook(months.clone(), &set, day.as_of);
        let path = Arc::new(RegimePath {
            nowcast: nowcast::after(&now, &set, (day.as_of, day.market)),
            months,
            now,
        });
        self.regimes.insert(key, Arc::clone(&path));
        Ok(path)
    }

    /// The months most like the regime's newest one, or why there are none; computed once per state of the data.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn precedents(&self, as_of: AsOf) -> Result<Arc<std::result::Result<Precedents, String>>> {
        let key = (self.state()?, as_of);
        if let Some(found) = self.precedents.get(&key) {
            return Ok(found);
        }
        let path = self.regimes(as_of)?;
        let set = self.set(precedents::INPUTS, as_of)?;
        let day = self.data_date(as_of)?.as_of;
        let found = Arc::new(precedents::of(&path.months, &set, day));
        self.precedents.insert(key, Arc::clone(&found));
        Ok(found)
    }

    /// A series that must hold something.
    ///
    /// # Errors
    /// [`Error::NoData`] saying what would bring it.
    pub fn series_or_reason(&self, info: &Arc<SeriesInfo>, as_of: AsOf) -> Result<Arc<Series>> {
        self.permit(info)?;
        self.series(info, as_of)?
            .ok_or_else(|| self.no_data(info, as_of))
    }

    /// Why a known series holds nothing, and what would bring it.
    pub fn no_data(&self, info: &SeriesInfo, as_of: AsOf) -> Error {
        let reason = match as_of {
            AsOf::Day(day) => format!("nothing of it was known on {day}"),
            AsOf::Latest if info.is_composite() => match indicators::composite(info.id.as_str()) {
                Some(composite) => self
                    .reading(composite, as_of)
                    .ok()
                    .and_then(|r| r.reason.clone())
                    .unwrap_or_else(|| "its inputs are not held here".into()),
                None => self
                    .narrative(as_of)
                    .ok()
                    .and_then(|r| r.reason.clone())
                    .unwrap_or_else(|| "no day of it has been stored yet".into()),
            },
            AsOf::Latest => self.not_held(info),
        };
        Error::NoData {
            what: match info.by_others {
                // A title by others has no place in an error of ours.
                true => self.shown_id(&info.id),
                false => format!("{} ({})", self.shown_id(&info.id), info.title),
            },
            reason,
        }
    }
}

impl Desk {
    /// Why nothing is held of a series, what comes nearest to it, and, for an operator, what would bring it.
    fn not_held(&self, info: &SeriesInfo) -> String {
        let ended = remarks::always(info.id.as_str()).filter(|text| text.starts_with("ended"));
        let mut reason = ended.unwrap_or_else(|| "it is not loaded".into());
        // A store that cannot be read has been told of before.
        if let Some(sibling) = self.sibling(info).ok().flatten() {
            reason += &format!("; {sibling}");
        }
        // Where nothing is listened on, who asks is who operates.
        if self.settings().base_url.is_none() && info.is_on_fred() && !info.by_others {
            reason += "; `econoscope sync` brings it";
        }
        reason
    }
}

/// Rows under their description; nothing where there are none.
fn held(info: &Arc<SeriesInfo>, rows: Vec<Observation>) -> Option<Arc<Series>> {
    (!rows.is_empty()).then(|| Arc::new(Series::new(Arc::clone(info), rows)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::Settings;
    use crate::indicators::stress::CMSI;
    use crate::model::frequency::{day_from_number, day_number};
    use crate::store::{Sqlite, Store, Write};
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
        let info = CMSI.about.info().unwrap();
        let key = (desk.stamp(&info.id, desk.state()?)?, info.id.clone(), as_of);
        let kept = desk.series.get(&key).flatten().unwrap();
        let last = kept.observations.last().map(|o| o.value);
        assert!(last.is_some());
        assert_eq!(last, reading.value);
        assert!(Arc::ptr_eq(&kept, &desk.series(info, as_of)?.unwrap()));
        Ok(())
    }
}
