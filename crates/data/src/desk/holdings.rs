//! What the store holds at a state of the data, read once for each, and the day for which an answer speaks.

use super::local::Desk;
use crate::ingest::BASES;
use crate::store::Status;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::model::frequency::days_between;
use econoscope_core::model::words::fold;
use econoscope_core::model::{AsOf, Date, Frequency, Observation, SeriesId, SeriesInfo};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The note under which a sync leaves its time.
pub const LAST_SYNC: &str = "last_sync";

/// A longer list is not read into memory: then the series of the built-in catalogue alone are known from the
/// outset and date the data, and any other is asked for when it is needed.
const LONG_LIST: u64 = 20_000;

/// What is held, by series.
#[derive(Debug)]
pub struct Holdings {
    /// Whether nothing but the bundled history is held.
    pub bundled: bool,
    /// Time of the last sync, if there was one.
    pub last_sync: Option<Timestamp>,
    /// How many series are held, listed or not.
    pub count: u64,
    pub(super) by_id: BTreeMap<SeriesId, Status>,
    /// Units of series whose base has changed, by the day of the change.
    pub(super) bases: BTreeMap<String, Vec<(Date, String)>>,
    /// Those that the built-in catalogue does not know, by identifier, each with the identifier as names are compared.
    pub(super) others: Vec<(String, SeriesId)>,
}

/// The day an answer speaks for, and how old that is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataDate {
    /// Reference day of docs/METHODS.md#reference-day.
    pub as_of: Date,
    /// Days from then to today.
    pub age_days: i64,
    /// Whether a sync within 48 hours stands behind it.
    pub live: bool,
}

impl DataDate {
    /// The word for the answer: `live` or `snapshot`.
    pub fn freshness(&self) -> &'static str {
        if self.live { "live" } else { "snapshot" }
    }
}

impl Holdings {
    /// What is held of a series of the built-in catalogue; of others where the list is not long
    /// ([`crate::desk::Desk::held`] asks for any).
    pub fn get(&self, id: &SeriesId) -> Option<&Status> {
        self.by_id.get(id)
    }

    /// Whether every series held stands in the list.
    pub fn is_whole(&self) -> bool {
        self.by_id.len() as u64 >= self.count
    }

    /// Everything held, by identifier; of a long list the series of the built-in catalogue.
    pub fn iter(&self) -> impl Iterator<Item = &Status> {
        self.by_id.values()
    }

    /// The newest time at which any source was read.
    pub fn updated_at(&self) -> Option<Timestamp> {
        self.by_id.values().map(|s| s.fetched_at).max()
    }
}

impl Desk {
    /// What is held now; read once per state.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when the store cannot be read.
    pub fn holdings(&self) -> Result<Arc<Holdings>> {
        self.holdings.or_make(self.state()?, |_| {
            let list = self.list()?;
            let count = self.store.count()?.max(list.len() as u64);
            let is_whole = count > 0 && count == list.len() as u64;
            let unknown = |s: &&Status| Catalogue::embedded().get(s.id.as_str()).is_none();
            let others = list.iter().filter(unknown);
            Ok(Arc::new(Holdings {
                bundled: is_whole && list.iter().all(Status::is_bundled),
                last_sync: self.store.note(LAST_SYNC)?.and_then(|t| t.parse().ok()),
                count,
                // One of another version of this program says nothing.
                bases: (self.store.note(BASES)?)
                    .and_then(|text| serde_json::from_str(&text).ok())
                    .unwrap_or_default(),
                others: others
                    .map(|s| (fold(s.id.as_str()), s.id.clone()))
                    .collect(),
                by_id: list.into_iter().map(|s| (s.id.clone(), s)).collect(),
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
        let last_sync = self.holdings()?.last_sync;
        let mut newest = last_sync.map(|t| t.to_zoned(TimeZone::UTC).date());
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

/// The frequency that the median gap between rows suggests.
pub fn guess_frequency(rows: &[Observation]) -> Frequency {
    let mut gaps: Vec<i64> = rows
        .windows(2)
        .filter_map(|w| Some(days_between(w.first()?.date, w.last()?.date)))
        .collect();
    gaps.sort_unstable();
    match gaps.get(gaps.len() / 2).copied().unwrap_or(1) {
        ..=4 => Frequency::Daily,
        5..=20 => Frequency::Weekly,
        21..=60 => Frequency::Monthly,
        61..=200 => Frequency::Quarterly,
        _ => Frequency::Annual,
    }
}
