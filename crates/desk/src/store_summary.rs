//! A summary of the stored series, cached per state of the data, and the reference day of an answer.

use crate::desk::Desk;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::model::calendar::AnnouncedDays;
use econoscope_core::model::frequency::days_between;
use econoscope_core::model::words::fold_name;
use econoscope_core::model::{AsOf, Date, SeriesId, SeriesInfo};
use econoscope_data::ingest::{self, BASES, Kept, LAST_SYNC};
use econoscope_data::store::Status;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most series that are listed. Of a larger store only the series of the catalogue are listed, and others are looked up
/// when they are needed.
const MAX_LISTED: u64 = 20_000;

/// A summary of the stored series.
#[derive(Debug)]
pub struct StoreSummary {
    /// Whether all rows are the bundled history.
    pub is_bundled: bool,
    /// Time of the last sync, if any.
    pub last_sync: Option<Timestamp>,
    /// Number of stored series, listed or not.
    pub count: u64,
    pub(super) by_id: BTreeMap<SeriesId, Status>,
    /// Units of series whose base has changed, with the day of each change.
    pub(super) bases: BTreeMap<String, Vec<(Date, String)>>,
    /// Series that questions brought into the store.
    pub kept: BTreeMap<SeriesId, Kept>,
    /// Release days that agencies announced.
    pub announced: AnnouncedDays,
    /// Series outside the catalogue, each with its folded identifier.
    pub(super) others: Vec<(String, SeriesId)>,
}

/// The reference day of an answer and its age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferenceDay {
    /// Reference day (docs/METHODS.md#reference-day).
    pub as_of: Date,
    /// Days from the reference day to today.
    pub age_days: i64,
    /// Whether the last sync is under 48 hours old.
    pub is_live: bool,
}

impl ReferenceDay {
    /// Returns the word in answers: `live` or `snapshot`.
    pub fn freshness(&self) -> &'static str {
        if self.is_live { "live" } else { "snapshot" }
    }
}

impl StoreSummary {
    /// Returns the summary of a listed series. [`crate::Desk::series_status`] finds any.
    pub fn get(&self, id: &SeriesId) -> Option<&Status> {
        self.by_id.get(id)
    }

    /// Returns whether every stored series is listed.
    pub fn is_complete(&self) -> bool {
        self.by_id.len() as u64 >= self.count
    }

    /// Returns the listed series, ordered by identifier.
    pub fn iter(&self) -> impl Iterator<Item = &Status> {
        self.by_id.values()
    }

    /// Returns the last time at which any source was read.
    pub fn updated_at(&self) -> Option<Timestamp> {
        self.by_id.values().map(|s| s.fetched_at).max()
    }
}

impl Desk {
    /// Returns the summary, cached per state of the data.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn store_summary(&self) -> Result<Arc<StoreSummary>> {
        self.store_summary.get_or_compute(self.state()?, |_| {
            let list = self.list_series()?;
            let count = self.store.count()?.max(list.len() as u64);
            let is_complete = count > 0 && count == list.len() as u64;
            let is_other = |s: &&Status| Catalogue::embedded().get(s.id.as_str()).is_none();
            let others = list.iter().filter(is_other);
            let kept = ingest::kept(self.store.as_ref())?;
            // What questions brought is no input of anything.
            let mut own = list.iter().filter(|status| !kept.contains_key(&status.id));
            Ok(Arc::new(StoreSummary {
                // A locked store measures what the bundled one has from studies of later years.
                is_bundled: is_complete
                    && self.settings.lock.is_none()
                    && own.all(Status::is_bundled),
                last_sync: self.store.note(LAST_SYNC)?.and_then(|t| t.parse().ok()),
                count,
                // The note of another version of this program is ignored.
                bases: (self.store.note(BASES)?)
                    .and_then(|text| serde_json::from_str(&text).ok())
                    .unwrap_or_default(),
                kept,
                announced: ingest::announced_days(self.store.as_ref())?,
                others: others
                    .map(|s| (fold_name(s.id.as_str()), s.id.clone()))
                    .collect(),
                by_id: list.into_iter().map(|s| (s.id.clone(), s)).collect(),
            }))
        })
    }

    fn list_series(&self) -> Result<Vec<Status>> {
        if self.store.count()? <= MAX_LISTED {
            return self.store.status();
        }
        let infos = Catalogue::embedded().iter();
        infos
            .filter_map(|info| self.store.status_of(&info.id).transpose())
            .collect()
    }

    /// Returns the summary of any series; `None` when it is not stored.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn series_status(&self, id: &SeriesId) -> Result<Option<Status>> {
        if let Some(fetched) = self.memory.get(id) {
            return Ok(Some(fetched.status.clone()));
        }
        let summary = self.store_summary()?;
        match summary.get(id) {
            None if !summary.is_complete() => self.store.status_of(id),
            status => Ok(status.cloned()),
        }
    }

    /// Whether lists and searches name a series of the catalogue. A locked desk names none without a figure by its day, since
    /// it may not have existed.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn is_listed(&self, info: &SeriesInfo) -> Result<bool> {
        Ok(self.settings.lock.is_none()
            || info.is_composite()
            || self.series_status(&info.id)?.is_some())
    }

    /// Returns the release days that agencies had announced at `as_of`.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn announced_days(&self, as_of: AsOf) -> Result<AnnouncedDays> {
        let summary = self.store_summary()?;
        Ok(match as_of {
            AsOf::Latest => summary.announced.clone(),
            AsOf::Day(day) => summary.announced.known_on(day),
        })
    }

    /// Returns the reference day of an answer over these series (docs/METHODS.md#reference-day): the day of `as_of`;
    /// today while the last sync is under 48 hours old; else the later of the last sync's day and the newest release
    /// among the series. A composite counts by its inputs.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn reference_day<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        as_of: AsOf,
    ) -> Result<ReferenceDay> {
        let day =
            self.reference_day_by(ids, as_of, |info, last| Some(info.publication_day(last)))?;
        let today = self.today();
        Ok(ReferenceDay {
            as_of: day,
            age_days: days_between(day, today),
            is_live: as_of == AsOf::Latest && self.is_live()?,
        })
    }

    /// Like [`Self::reference_day`], with `date_of` as the day of the newest value by its period.
    pub(super) fn reference_day_by<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
        as_of: AsOf,
        date_of: impl Fn(&SeriesInfo, Date) -> Option<Date>,
    ) -> Result<Date> {
        let today = self.today();
        if let AsOf::Day(day) = as_of {
            return Ok(day);
        }
        if self.is_live()? {
            return Ok(today);
        }
        let last_sync = self.store_summary()?.last_sync;
        let mut newest = last_sync.map(|t| t.to_zoned(TimeZone::UTC).date());
        for id in self.inputs(ids)? {
            let status = self.series_status(&SeriesId::new(id)?)?;
            let info = Catalogue::embedded().get(id);
            if let (Some(status), Some(info)) = (&status, info.filter(|info| info.is_forecast())) {
                newest = newest.max(Some(self.known_since(info, status.last)?.0));
                continue;
            }
            // Series beyond today (GDPPOT) are projections.
            let last = status.map(|s| s.last).filter(|last| *last <= today);
            newest = newest.max(last.and_then(|last| match info {
                Some(info) => date_of(info, last),
                None => Some(last),
            }));
        }
        Ok(newest.unwrap_or(today).min(today))
    }

    fn is_live(&self) -> Result<bool> {
        let last_sync = self.store_summary()?.last_sync;
        let age = last_sync.map(|t| self.now().duration_since(t));
        Ok(age.is_some_and(|age| age.as_hours() < 48))
    }

    /// Returns the day on which an answer is read: values that should be newer by then are late.
    pub fn reading_day(&self, as_of: AsOf) -> Date {
        match as_of {
            AsOf::Day(day) => day.min(self.today()),
            AsOf::Latest => self.today(),
        }
    }
}
