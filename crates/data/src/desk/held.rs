//! What the desk's store holds, read once per state of the data, and the day for which an answer speaks.

use super::holdings::{DataDate, Holdings, LAST_SYNC};
use super::local::Desk;
use crate::store::Status;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::model::frequency::days_between;
use econoscope_core::model::{AsOf, SeriesId};
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
                by_id: list.into_iter().map(|s| (s.id.clone(), s)).collect(),
                others: OnceLock::new(),
                snapshot: OnceLock::new(),
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

    /// The day for which an answer speaks (docs/METHODS.md#reference-day): an explicit day; today while the last sync
    /// is under 48 hours old; else the later of the last sync's day and the newest observation.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn data_date(&self, as_of: AsOf) -> Result<DataDate> {
        let today = self.today();
        let held = self.holdings()?;
        let age = held.last_sync.map(|t| self.now().duration_since(t));
        let live = age.is_some_and(|age| age.as_hours() < 48) && as_of == AsOf::Latest;
        let (day, market) = match as_of {
            AsOf::Day(day) => (day, day),
            AsOf::Latest if live => (today, today),
            AsOf::Latest => held.snapshot(),
        };
        Ok(DataDate {
            as_of: day,
            market,
            age_days: days_between(day, today),
            live,
        })
    }
}
