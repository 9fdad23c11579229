//! The desk itself: its store, settings and caches.

use crate::base_rates::BaseRates;
use crate::computed::RegimeHistory;
use crate::lock::Lock;
use crate::names::search::SearchIndex;
use crate::narrative::ArticleTerms;
use crate::real_time::RealTimePath;
use crate::release_forecast::ReleaseForecast;
use crate::settings::Settings;
use crate::store_summary::StoreSummary;
use econoscope_core::cache::Cache;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::Reading;
use econoscope_core::indicators::nowcast::Nowcast;
use econoscope_core::indicators::precedents::Precedents;
use econoscope_core::indicators::revisions::Revisions;
use econoscope_core::model::{
    AsOf, Attribution, Date, Observation, Rights, Series, SeriesId, SeriesInfo, Vintages,
};
use econoscope_data::ingest::Memory;
use econoscope_data::store::Store;
use jiff::Timestamp;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

/// The clock. Tests use a fixed time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Most attempts to compute an answer while the data change, before a snapshot of the store is read.
const ATTEMPTS: usize = 2;
/// Time to wait when there is no snapshot.
const CHANGING_RETRY_AFTER: Duration = Duration::from_secs(1);
/// Most cached rows of series: 64 MiB.
const MAX_CACHED_ROWS: u64 = 4 << 20;
/// Most cached rows of vintages: 24 MiB, twice what the composites read.
const MAX_CACHED_VINTAGES: u64 = 1 << 20;
/// Weight of an entry without rows, in rows.
const MIN_ROWS: usize = 16;
/// Most cached first prints with their revisions: 4 MiB, all monthly series with vintages.
const MAX_CACHED_PRINTS: u64 = 32 << 10;

/// State of the data: a cached answer is valid for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    version: u64,
    /// Of the series that are held in memory.
    memory: u64,
    pub(super) today: Date,
}

/// The version of a cached series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum SeriesVersion {
    /// A fetched series: the number and checksum of its rows, and the changes of base, identify its version.
    Rows {
        incarnation: u64,
        rows: u64,
        checksum: u32,
        bases: usize,
        next_announced: Option<Date>,
        today: Date,
    },
    /// Any other series depends on all data.
    All(State),
}

/// One value for the newest state of the data. Callers wait while it is computed.
pub(super) struct LatestCache<T>(Mutex<Option<(State, Arc<T>)>>);

impl<T> LatestCache<T> {
    /// Returns the cached value of this state, or computes it. `compute` receives the former value.
    pub(super) fn get_or_compute(
        &self,
        state: State,
        compute: impl FnOnce(Option<Arc<T>>) -> Result<Arc<T>>,
    ) -> Result<Arc<T>> {
        let mut slot = self.0.lock();
        let former = match &*slot {
            Some((cached_state, cached)) if *cached_state == state => {
                return Ok(Arc::clone(cached));
            }
            former => former.as_ref().map(|(_, cached)| Arc::clone(cached)),
        };
        let value = compute(former)?;
        *slot = Some((state, Arc::clone(&value)));
        Ok(value)
    }
}

impl<T> Default for LatestCache<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

/// The local backend.
pub struct Desk {
    pub(super) store: Arc<dyn Store>,
    /// Series that questions brought and that are not stored.
    pub(super) memory: Arc<Memory>,
    pub(super) settings: Settings,
    pub(super) now: Clock,
    pub(super) store_summary: LatestCache<StoreSummary>,
    pub(super) article_terms: LatestCache<ArticleTerms>,
    pub(super) series: Cache<(SeriesVersion, SeriesId, AsOf), Option<Arc<Series>>>,
    /// For questions about past days, which come in twos and threes.
    pub(super) vintages: Cache<(SeriesVersion, SeriesId), Option<Arc<Vintages>>>,
    pub(super) revisions: Cache<(SeriesVersion, SeriesId), Option<Arc<Revisions>>>,
    pub(super) readings: Cache<(State, &'static str, AsOf), Arc<Reading>>,
    pub(super) regimes: Cache<(State, AsOf), Arc<RegimeHistory>>,
    pub(super) nowcasts: Cache<(State, AsOf), Arc<std::result::Result<Nowcast, String>>>,
    /// Expectations of the next release, by series.
    pub(super) release_forecasts: Cache<(State, &'static str, AsOf), Arc<ReleaseForecast>>,
    pub(super) precedents: Cache<(State, AsOf), Arc<std::result::Result<Precedents, String>>>,
    /// Indicators as known at each month's end, by indicator.
    pub(super) real_time_paths: Cache<(State, &'static str), Arc<RealTimePath>>,
    /// Histories with each period as known at its time, by composite.
    pub(super) real_time_histories:
        Cache<(Vec<SeriesVersion>, &'static str), Arc<Vec<Observation>>>,
    pub(super) search_index: LatestCache<SearchIndex>,
    pub(super) base_rates: Cache<State, Arc<BaseRates>>,
}

impl Desk {
    /// Creates a desk over a store.
    pub fn open(store: Arc<dyn Store>, settings: Settings, now: Clock) -> Self {
        Self {
            store: match settings.lock {
                Some(lock) => lock.store(store),
                None => store,
            },
            now: settings.lock.map_or(now, Lock::clock),
            memory: Arc::default(),
            settings,
            store_summary: LatestCache::default(),
            article_terms: LatestCache::default(),
            series: Cache::with_max_weight(MAX_CACHED_ROWS, |_, series| {
                weight(series.as_ref().map(|s| s.observations.len()))
            }),
            vintages: Cache::with_max_weight(MAX_CACHED_VINTAGES, |_, vintages| {
                weight(vintages.as_ref().map(|v| v.rows().len()))
            }),
            revisions: Cache::with_max_weight(MAX_CACHED_PRINTS, |_, revisions| {
                weight(revisions.as_ref().map(|r| r.prints.len()))
            }),
            readings: Cache::new(256),
            regimes: Cache::new(32),
            nowcasts: Cache::new(32),
            release_forecasts: Cache::new(256),
            precedents: Cache::new(32),
            real_time_paths: Cache::new(8),
            real_time_histories: Cache::new(4),
            search_index: LatestCache::default(),
            base_rates: Cache::new(1),
        }
    }

    /// Returns the system's clock.
    pub fn system_clock() -> Clock {
        Arc::new(econoscope_core::clock::wall_time)
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Returns the series that are held in memory beside the store.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the current time.
    pub fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// Returns the current day, UTC.
    pub fn today(&self) -> Date {
        self.now().to_zoned(jiff::tz::TimeZone::UTC).date()
    }

    /// Returns the current state of the data.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn state(&self) -> Result<State> {
        Ok(State {
            version: self.store.version()?,
            memory: self.memory.generation(),
            today: self.today(),
        })
    }

    /// Computes something from one state of the data, again if the data changed meanwhile. If they change during every
    /// attempt, `compute` receives a desk over a snapshot of the store. What it reads must come from the desk it receives.
    ///
    /// # Errors
    /// The error of the computation, [`Error::Store`] when the store cannot be read, and [`Error::Unavailable`] when the data
    /// change all the time and the store, being in memory, has no snapshots.
    pub fn compute_consistently<T>(&self, compute: impl Fn(&Self) -> Result<T>) -> Result<T> {
        for _ in 0..ATTEMPTS {
            let before = self.store.version()?;
            let result = compute(self);
            if self.store.current_version()? == before {
                return result;
            }
        }
        let snapshot = self.store.snapshot()?.ok_or_else(|| {
            let seconds = CHANGING_RETRY_AFTER.as_secs();
            let what = format!("The data are changing. Retry after {seconds} s.");
            Error::unavailable(what, Some(CHANGING_RETRY_AFTER))
        })?;
        // The caches of this desk are filled from the changing store.
        let now = Arc::clone(&self.now);
        compute(&Self {
            memory: Arc::clone(&self.memory),
            ..Self::open(snapshot, self.settings.clone(), now)
        })
    }

    /// Returns the credit line of every answer.
    pub fn attribution(&self) -> Attribution {
        Attribution {
            text: format!("Data by {}", self.settings.service),
            url: self.settings.home().to_owned(),
        }
    }

    /// Checks that a series may be redistributed.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] with what the operator can do; [`Error::Store`] when the store cannot be read.
    pub fn check_permitted(&self, info: &SeriesInfo) -> Result<()> {
        if info.is_composite()
            && let Some(error) = self.lock_error(&info.title)
        {
            return Err(error);
        }
        if self.settings.serves_restricted() {
            return Ok(());
        }
        // The origins of the rows count first, whoever publishes the series.
        let status = self.series_status(&info.id)?;
        let origins = status.iter().flat_map(|s| s.origins(Date::MIN, Date::MAX));
        let mut sources = origins.filter_map(|(origin, _)| self.settings.recipes().source(origin));
        let restricted = sources.find(|source| source.rights == Rights::FetchOnly);
        let publisher = (info.rights == Rights::FetchOnly).then_some(&info.source);
        let Some(owner) = restricted.map(|source| &source.name).or(publisher) else {
            return Ok(());
        };
        Err(Error::NotPermitted {
            what: format!("{} ({})", info.id, info.title),
            reason: format!(
                "{owner} holds the rights and does not allow redistribution; an operator with a licence can \
                 start the server with --serve-restricted"
            ),
        })
    }

    /// Returns why a desk with a strict lock withholds a composite.
    fn lock_error(&self, what: &str) -> Option<Error> {
        let lock = self.settings.lock.filter(|lock| lock.is_strict)?;
        Some(Error::NotPermitted {
            what: what.to_owned(),
            reason: format!(
                "its formula was chosen on figures after {} (--strict)",
                lock.day
            ),
        })
    }

    /// Returns whether a series may be an input of computations: points and ranks of a restricted one would reveal it.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub(super) fn is_permitted(&self, info: &SeriesInfo) -> Result<bool> {
        match self.check_permitted(info) {
            Ok(()) => Ok(true),
            Err(Error::NotPermitted { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the error for figures computed from these series; `None` if they may be shown.
    pub fn redistribution_error(&self, series: &[&str]) -> Option<Error> {
        if let Some(error) = self.lock_error("a composite") {
            return Some(error);
        }
        series
            .iter()
            .filter_map(|id| econoscope_core::catalogue::Catalogue::embedded().get(id))
            .find_map(|info| self.check_permitted(info).err())
    }
}

/// Returns the weight of a cache entry; `None` is a series without rows.
fn weight(rows: Option<usize>) -> u64 {
    rows.unwrap_or_default().max(MIN_ROWS) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDesk;
    use econoscope_data::store::Sqlite;
    use std::cell::Cell;

    /// Reads a note twice, with a change in between.
    fn read_twice(store: Arc<dyn Store>) -> Result<[Option<String>; 2]> {
        let desk = TestDesk::over(Arc::clone(&store)).open();
        let changes = Cell::new(0);
        desk.compute_consistently(|desk| {
            let first = desk.store.note("n")?;
            changes.set(changes.get() + 1);
            store.set_note("n", &changes.get().to_string())?;
            Ok([first, desk.store.note("n")?])
        })
    }

    #[test]
    fn changing_data_are_read_from_a_snapshot_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let file = Sqlite::open(&dir.path().join("store.db")).unwrap();
        let [first, second] = read_twice(Arc::new(file)).unwrap();
        assert_eq!(first.as_deref(), Some("2"));
        assert_eq!(first, second);
        let refused = read_twice(Arc::new(Sqlite::in_memory().unwrap())).unwrap_err();
        assert_eq!(refused.code(), "unavailable");
        assert!(refused.to_string().contains("Retry after 1 s"), "{refused}");
    }
}
