//! The local backend itself: its store, its settings, and what it keeps in memory.

use super::awaited::Awaited;
use super::base_rates::BaseRates;
use super::computed::RegimeHistory;
use super::hindsight::Path;
use super::holdings::Holdings;
use super::narrative::Texts;
use super::search::Library;
use super::settings::Settings;
use crate::store::Store;
use econoscope_core::cache::Cache;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::Reading;
use econoscope_core::indicators::nowcast::Nowcast;
use econoscope_core::indicators::precedents::Precedents;
use econoscope_core::indicators::revisions::Revisions;
use econoscope_core::model::{
    AsOf, Attribution, Date, Observation, Rights, Series, SeriesId, SeriesInfo, Vintages,
};
use jiff::Timestamp;
use parking_lot::Mutex;
use std::sync::Arc;

/// Where the present comes from; tests give a fixed one.
pub type Now = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// How often an answer is computed at most while the data change.
const ATTEMPTS: usize = 3;
/// Rows of series that are kept in memory: 64 MiB.
const MAX_CACHED_ROWS: u64 = 4 << 20;
/// Rows of all vintages that are kept in memory: 24 MiB, twice what the composites read.
const MAX_CACHED_VINTAGES: u64 = 1 << 20;
/// An entry counts as so many rows at least, for what it takes without any.
const MIN_ROWS: usize = 16;
/// First prints whose fate is kept in memory: 4 MiB, all monthly series with vintages.
const MAX_CACHED_PRINTS: u64 = 32 << 10;

/// State of the data an answer was made from; a new one makes every cached answer old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct State {
    version: u64,
    pub(super) today: Date,
}

/// What a series in memory was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Stamp {
    /// A series of a source, of which one store only ever gets more rows; it is as it was while they are as many, on
    /// the base that they had.
    Rows {
        incarnation: u64,
        rows: u64,
        bases: usize,
        today: Date,
    },
    /// Anything else rests on the whole of the data.
    All(State),
}

/// What was made of the newest state of the data; who asks while it is made waits for it.
pub(super) struct LatestCache<T>(Mutex<Option<(State, Arc<T>)>>);

impl<T> LatestCache<T> {
    /// As it is kept for this state, or else made; of what there was before, where that is of use.
    pub(super) fn or_make(
        &self,
        state: State,
        make: impl FnOnce(Option<Arc<T>>) -> Result<Arc<T>>,
    ) -> Result<Arc<T>> {
        let mut slot = self.0.lock();
        // Stays where making the next one fails.
        let before = match &*slot {
            Some((of, kept)) if *of == state => return Ok(Arc::clone(kept)),
            before => before.as_ref().map(|(_, kept)| Arc::clone(kept)),
        };
        let kept = make(before)?;
        *slot = Some((state, Arc::clone(&kept)));
        Ok(kept)
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
    pub(super) settings: Settings,
    pub(super) now: Now,
    pub(super) holdings: LatestCache<Holdings>,
    pub(super) series: Cache<(Stamp, SeriesId, AsOf), Option<Arc<Series>>>,
    /// All that was ever known of a series, for questions about past days, which come in twos and threes.
    pub(super) vintages: Cache<(Stamp, SeriesId), Option<Arc<Vintages>>>,
    pub(super) revisions: Cache<(Stamp, SeriesId), Option<Arc<Revisions>>>,
    pub(super) readings: Cache<(State, &'static str, AsOf), Arc<Reading>>,
    pub(super) regimes: Cache<(State, AsOf), Arc<RegimeHistory>>,
    pub(super) nowcasts: Cache<(State, AsOf), Arc<std::result::Result<Nowcast, String>>>,
    /// What the next releases can be expected to say, by series.
    pub(super) awaited: Cache<(State, &'static str, AsOf), Arc<Awaited>>,
    /// Past months most like the regime's, or why there are none.
    pub(super) precedents: Cache<(State, AsOf), Arc<std::result::Result<Precedents, String>>>,
    /// What was known at the end of each month, by indicator.
    pub(super) paths: Cache<(State, &'static str), Arc<Path>>,
    /// Histories that have each period as it was known at its own time, by composite, while its inputs are as they were.
    pub(super) as_known: Cache<(Vec<Stamp>, &'static str), Arc<Vec<Observation>>>,
    pub(super) library: LatestCache<Library>,
    pub(super) base_rates: Cache<State, Arc<BaseRates>>,
    pub(super) texts: LatestCache<Texts>,
}

impl Desk {
    /// A desk over a store.
    pub fn open(store: Arc<dyn Store>, settings: Settings, now: Now) -> Self {
        Self {
            store,
            settings,
            now,
            holdings: LatestCache::default(),
            series: Cache::weighed(MAX_CACHED_ROWS, |_, series| {
                weight(series.as_ref().map(|s| s.observations.len()))
            }),
            vintages: Cache::weighed(MAX_CACHED_VINTAGES, |_, vintages| {
                weight(vintages.as_ref().map(|v| v.rows().len()))
            }),
            revisions: Cache::weighed(MAX_CACHED_PRINTS, |_, revisions| {
                weight(revisions.as_ref().map(|r| r.prints.len()))
            }),
            readings: Cache::new(256),
            regimes: Cache::new(32),
            nowcasts: Cache::new(32),
            awaited: Cache::new(256),
            precedents: Cache::new(32),
            paths: Cache::new(8),
            as_known: Cache::new(4),
            library: LatestCache::default(),
            base_rates: Cache::new(1),
            texts: LatestCache::default(),
        }
    }

    /// The present by the system's clock.
    pub fn system_clock() -> Now {
        Arc::new(econoscope_core::clock::wall)
    }

    /// The store behind the desk.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// How the desk names itself.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The present instant.
    pub fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// The present day, UTC.
    pub fn today(&self) -> Date {
        self.now().to_zoned(jiff::tz::TimeZone::UTC).date()
    }

    /// The state of the data now.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub fn state(&self) -> Result<State> {
        Ok(State {
            version: self.store.version()?,
            today: self.today(),
        })
    }

    /// Computes something from one state of the data: again when the data changed meanwhile. When they change during every
    /// attempt, the last one counts.
    ///
    /// # Errors
    /// Those of the computation, and [`Error::Store`] when the store cannot be read.
    pub fn consistent<T>(&self, compute: impl Fn() -> Result<T>) -> Result<T> {
        for _ in 1..ATTEMPTS {
            let before = self.store.version()?;
            let made = compute();
            if self.store.current_version()? == before {
                return made;
            }
        }
        compute()
    }

    /// The credit line that every answer carries.
    pub fn attribution(&self) -> Attribution {
        Attribution {
            text: format!("Data by {}", self.settings.service),
            url: self.settings.home().to_owned(),
        }
    }

    /// Refuses a series whose figures may not be passed on.
    ///
    /// # Errors
    /// [`Error::NotPermitted`] with what the operator can do.
    pub fn permit(&self, info: &SeriesInfo) -> Result<()> {
        if self.settings.serve_restricted {
            return Ok(());
        }
        // Whose rows they are counts, whoever measures the series.
        let held = self.held(&info.id)?;
        let origins = held
            .iter()
            .flat_map(|held| held.origins(Date::MIN, Date::MAX));
        let mut sources = origins.filter_map(|(origin, _)| self.settings.recipes.source(origin));
        let barred = sources.find(|source| source.rights.rights() == Rights::FetchOnly);
        let own = (info.rights == Rights::FetchOnly).then_some(info.source.as_str());
        let Some(owner) = barred.map(|source| source.name.as_str()).or(own) else {
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

    /// Whether figures of a series may enter what is computed here: points and ranks of one that may not be passed on
    /// would give it back.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read.
    pub(super) fn may_enter(&self, info: &SeriesInfo) -> Result<bool> {
        match self.permit(info) {
            Ok(()) => Ok(true),
            Err(Error::NotPermitted { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Why a figure made of these series may not be shown; `None` when it may.
    pub fn barred(&self, series: &[&str]) -> Option<Error> {
        series
            .iter()
            .filter_map(|id| econoscope_core::catalogue::Catalogue::embedded().get(id))
            .find_map(|info| self.permit(info).err())
    }
}

/// What rows count for; a series of which nothing is held has none.
fn weight(rows: Option<usize>) -> u64 {
    rows.unwrap_or_default().max(MIN_ROWS) as u64
}
