//! What the desk's store holds, read once per state of the data, and the day for which an answer speaks.

use super::holdings::{DataDate, Holdings, LAST_SYNC};
use super::local::Desk;
use crate::error::Result;
use crate::model::frequency::days_between;
use crate::model::{AsOf, Catalogue, SeriesId};
use crate::store::Status;
use std::sync::{Arc, OnceLock};

/// A longer list is not read into memory: then the series of the built-in catalogue alone are known from the
/// outset and date the data, and any other is asked for when it is needed.
const LONG_LIST: u64 = 20_000;

/// A monthly figure is stamped with its first day and read weeks after: where no daily figure is younger than that
/// beside it, the daily ones are another reading and speak for their own newest day.
const MARKET_DAYS: i64 = 31;

impl Desk {
    /// What is held now; read once per state.
    ///
    /// # Errors
    /// [`crate::Error::Store`] when the store cannot be read.
    pub fn holdings(&self) -> Result<Arc<Holdings>> {
        let state = self.state()?;
        let mut slot = self
            .holdings
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(held) = slot.as_ref().filter(|h| h.state == state) {
            return Ok(Arc::clone(held));
        }
        let list = self.list()?;
        let count = self.store.count()?.max(list.len() as u64);
        let bundled =
            count > 0 && count == list.len() as u64 && list.iter().all(Status::is_bundled);
        let held = Arc::new(Holdings {
            state,
            bundled,
            last_sync: self.store.note(LAST_SYNC)?.and_then(|t| t.parse().ok()),
            count,
            by_id: list.into_iter().map(|s| (s.id.clone(), s)).collect(),
            others: OnceLock::new(),
        });
        *slot = Some(Arc::clone(&held));
        Ok(held)
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
    /// [`crate::Error::Store`] when the store cannot be read.
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
    /// [`crate::Error::Store`] when the store cannot be read.
    pub fn data_date(&self, as_of: AsOf) -> Result<DataDate> {
        let today = self.today();
        let held = self.holdings()?;
        let synced = held.last_sync.map(|t| {
            (
                t.to_zoned(jiff::tz::TimeZone::UTC).date(),
                self.now().duration_since(t),
            )
        });
        let live = synced.is_some_and(|(_, age)| age.as_hours() < 48);
        let day = match as_of {
            AsOf::Day(day) => day,
            AsOf::Latest if live => today,
            AsOf::Latest => {
                let newest = held.newest(today);
                newest
                    .max(synced.map(|(day, _)| day))
                    .unwrap_or(today)
                    .min(today)
            }
        };
        let daily = held
            .newest_daily(day)
            .filter(|_| as_of == AsOf::Latest && !live);
        let daily = daily.filter(|daily| days_between(*daily, day) <= MARKET_DAYS);
        Ok(DataDate {
            as_of: day,
            market: daily.unwrap_or(day),
            age_days: days_between(day, today),
            live: live && as_of == AsOf::Latest,
        })
    }
}
