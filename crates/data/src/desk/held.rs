//! What the desk's store holds, read once per state of the data, and the day for which an answer speaks.

use super::holdings::{DataDate, Holdings, LAST_SYNC};
use super::local::Desk;
use crate::ingest::BASES;
use crate::store::Status;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::model::frequency::days_between;
use econoscope_core::model::{AsOf, Date, SeriesId, SeriesInfo};
use std::sync::{Arc, OnceLock};

/// A longer list is not read into memory: then the series of the built-in catalogue alone are known from the
/// outset and date the data, and any other is asked for when it is needed.
const LONG_LIST: u64 = 20_000;

impl Desk {
    /// What is held now; read once per state.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn holdings(&self) -> Result<Arc<Holdings>> {
        let state = self.state()?;
        self.holdings.or_make(state, |_| {
            let list = self.list()?;
            let count = self.store.count()?.max(list.len() as u64);
            let is_whole = count > 0 && count == list.len() as u64;
            Ok(Arc::new(Holdings {
                state,
                bundled: is_whole && list.iter().all(Status::is_bundled),
                last_sync: self.store.note(LAST_SYNC)?.and_then(|t| t.parse().ok()),
                count,
                // One of another version of this program says nothing.
                bases: (self.store.note(BASES)?)
                    .and_then(|text| serde_json::from_str(&text).ok())
                    .unwrap_or_default(),
                by_id: list.into_iter().map(|s| (s.id.clone(), s)).collect(),
                others: OnceLock::new(),
            }))
        })
    }

    fn list(&self) -> Result<Vec<Status>> {
        if self.store.count()? <= LONG_LIST {
            return self.store.status();
        }
        let known = Catalogue::embedded().iter();
        known
            .filter_map(|info| self.store.status_of(&info.id).transpose())
            .collect()
    }

    /// What is held of any series.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn held(&self, id: &SeriesId) -> Result<Option<Status>> {
        let holdings = self.holdings()?;
        match holdings.get(id) {
            None if !holdings.is_whole() => self.store.status_of(id),
            found => Ok(found.cloned()),
        }
    }

    /// The day for which an answer over these series speaks (docs/METHODS.md#reference-day): an explicit day; today
    /// while the last sync is under 48 hours old; else the later of the last sync's day and the newest day on which a
    /// figure among them came. Composites stand for their inputs; other series do not count.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn data_date<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        as_of: AsOf,
    ) -> Result<DataDate> {
        let came = |info: &SeriesInfo, last| Some(info.known_by(last));
        let day = self.reference_day(ids, as_of, came)?;
        let today = self.today();
        Ok(DataDate {
            as_of: day,
            age_days: days_between(day, today),
            live: as_of == AsOf::Latest && self.is_live()?,
        })
    }

    /// The same, where the newest figure stands for the day that `dated` makes of its stamp.
    pub(super) fn reference_day<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        as_of: AsOf,
        dated: impl Fn(&SeriesInfo, Date) -> Option<Date>,
    ) -> Result<Date> {
        let today = self.today();
        if let AsOf::Day(day) = as_of {
            return Ok(day);
        }
        if self.is_live()? {
            return Ok(today);
        }
        let mut newest = self.holdings()?.synced_on();
        for id in self.inputs(ids)? {
            let held = self.held(&SeriesId::new(id)?)?;
            // Those that reach beyond today (GDPPOT) hold projections.
            let last = held.map(|s| s.last).filter(|last| *last <= today);
            let info = Catalogue::embedded().get(id);
            newest = newest.max(last.and_then(|last| match info {
                Some(info) => dated(info, last),
                None => Some(last),
            }));
        }
        Ok(newest.unwrap_or(today).min(today))
    }

    /// Whether the last sync is under 48 hours old.
    fn is_live(&self) -> Result<bool> {
        let last_sync = self.holdings()?.last_sync;
        let age = last_sync.map(|t| self.now().duration_since(t));
        Ok(age.is_some_and(|age| age.as_hours() < 48))
    }

    /// The day on which an answer is read: figures that should be newer by then are late.
    pub fn present(&self, as_of: AsOf) -> Date {
        match as_of {
            AsOf::Day(day) => day.min(self.today()),
            AsOf::Latest => self.today(),
        }
    }
}
