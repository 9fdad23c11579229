//! Fetches series outside the catalogue when a question names them: by an agency's own identifier, or by FRED's for own use.
//!
//! A fetch is a sync of these series alone into a store in memory, so that every rule of a sync holds. What came from an open
//! source is then kept in the store, without vintages of before; anything else stays in memory for a while
//! (docs/SOURCES.md#any-series).

use super::elsewhere::{self, FoundElsewhere};
use super::pace::PaceSettings;
use super::plan::SyncConfig;
use super::progress::Progress;
use super::report::{Outcome, SyncReport};
use super::sources::SourceSettings;
use super::state;
use super::sync::sync;
use super::write::day_of;
use crate::store::{Description, Sqlite, Status, Store, Write};
use econoscope_core::cache::Cache;
use econoscope_core::error::{Error, NOTICE_TARGET, Result};
use econoscope_core::model::frequency::days_between;
use econoscope_core::model::{Date, Observation, Rights, SeriesId};
use econoscope_core::recipe::{FeedRef, Format};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, join_all};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// Name of the note with the [`Kept`] of each series that questions brought into the store.
const ON_DEMAND: &str = "on_demand";

/// How long a caller waits for a source.
const PATIENCE: Duration = Duration::from_secs(8);
/// Longest fetch, all its requests together.
const LONGEST_FETCH: Duration = Duration::from_secs(60);
/// Fetches at once, of different sources, and those that may wait.
const AT_ONCE: usize = 2;
const MAX_WAITING: usize = 20;
/// How long, and of how many series, it is remembered that a source lacks them, or that it failed.
const UNKNOWN_LIFETIME: Duration = Duration::from_secs(24 * 3600);
const FAILED_LIFETIME: Duration = Duration::from_secs(30);
const MAX_UNKNOWN: usize = 1_000;
/// How long, and how many, series are held in memory.
const MEMORY_LIFETIME: Duration = Duration::from_secs(15 * 60);
const MAX_IN_MEMORY: usize = 64;
/// Days without a question after which a series leaves the store, and how many stay at most.
const KEPT_DAYS: i64 = 90;
const MAX_KEPT: usize = 1_000;

/// Says once what FRED's terms allow.
const FRED_TERMS: &str = "FRED is asked for series of questions, for your own use: its terms allow viewing and forbid \
    storing and passing on, so that these figures stay in memory for 15 minutes (--fred)";

/// A series that questions brought into the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The address from which it came, without a key.
    pub address: String,
    /// Day of the last question.
    pub asked: Date,
}

impl Kept {
    /// Returns the day from which it is dropped unless it is asked for again.
    pub fn until(&self) -> Date {
        let days = jiff::Span::new().days(KEPT_DAYS);
        econoscope_core::model::frequency::shift(self.asked, days)
    }
}

/// A series that is held in memory.
#[derive(Debug)]
pub struct Fetched {
    /// What its source says of it.
    pub description: Option<Description>,
    /// Its figures, ascending.
    pub rows: Vec<Observation>,
    /// Its summary.
    pub status: Status,
}

/// The series that are held in memory, never on disk: the figures of others, for the user of this machine.
#[derive(Debug, Default)]
pub struct Memory {
    held: Mutex<BTreeMap<SeriesId, (Instant, Arc<Fetched>)>>,
    changes: AtomicU64,
}

impl Memory {
    /// Returns a series.
    pub fn get(&self, id: &SeriesId) -> Option<Arc<Fetched>> {
        self.generation();
        let held = self.held.lock();
        held.get(id).map(|(_, fetched)| Arc::clone(fetched))
    }

    /// Returns a number that grows with every change. Series whose time is over are dropped.
    pub fn generation(&self) -> u64 {
        let mut held = self.held.lock();
        let count = held.len();
        held.retain(|_, (since, _)| since.elapsed() < MEMORY_LIFETIME);
        if held.len() < count {
            self.changes.fetch_add(1, Ordering::Relaxed);
        }
        self.changes.load(Ordering::Relaxed)
    }

    fn insert(&self, id: &SeriesId, fetched: Fetched) {
        let mut held = self.held.lock();
        held.remove(id);
        let oldest = held.iter().min_by_key(|(_, (since, _))| *since);
        if let Some(id) = oldest.map(|(id, _)| id.clone())
            && held.len() >= MAX_IN_MEMORY
        {
            held.remove(&id);
        }
        held.insert(id.clone(), (Instant::now(), Arc::new(fetched)));
        self.changes.fetch_add(1, Ordering::Relaxed);
    }
}

/// Who may be asked.
#[derive(Debug, Clone)]
pub struct DemandSettings {
    /// How sources are asked; with `no_fred` FRED is not.
    pub sources: SourceSettings,
    /// Whether strangers ask.
    pub is_public: bool,
    /// Whether a caller waits until a fetch has ended.
    pub is_patient: bool,
}

/// What came of a fetch, by series.
type Outcomes = BTreeMap<SeriesId, Result<()>>;

/// A running fetch of series of one source, which all callers share.
type Flight = Shared<BoxFuture<'static, Arc<Outcomes>>>;

/// Fetches series for questions.
pub struct Demand {
    settings: DemandSettings,
    store: Arc<dyn Store>,
    memory: Arc<Memory>,
    flights: Mutex<HashMap<SeriesId, Flight>>,
    slots: Semaphore,
    /// One fetch of a source at a time.
    turns: Mutex<BTreeMap<String, Arc<tokio::sync::Mutex<()>>>>,
    failures: Cache<SeriesId, (Instant, Error)>,
    has_told_terms: AtomicBool,
}

impl Demand {
    /// Creates the fetches for a store and what is held in memory beside it. Sends nothing.
    pub fn new(settings: DemandSettings, store: Arc<dyn Store>, memory: Arc<Memory>) -> Arc<Self> {
        let mut settings = settings;
        // Two attempts; the pace of the slowest source.
        settings.sources.pace.get_or_insert(PaceSettings {
            tries: 2,
            ..PaceSettings::DOWNLOADS
        });
        settings.sources.timeouts.all_tries =
            settings.sources.timeouts.all_tries.min(LONGEST_FETCH);
        settings.sources.for_questions = true;
        Arc::new(Self {
            settings,
            store,
            memory,
            flights: Mutex::default(),
            slots: Semaphore::new(AT_ONCE),
            turns: Mutex::default(),
            failures: Cache::new(MAX_UNKNOWN),
            has_told_terms: AtomicBool::new(false),
        })
    }

    /// Fetches series that are not held, in one request where their source takes several, and waits for them for some
    /// seconds; then the fetch goes on.
    ///
    /// # Errors
    /// [`Error::Unknown`] for what no source has or none is asked for, [`Error::Unavailable`] while it is being fetched, when
    /// too many are, or when the source failed, and [`Error::RateLimited`] when the requests of the day are used up.
    pub async fn fetch(self: &Arc<Self>, ids: &[SeriesId]) -> Result<()> {
        let flights = self.start_or_join(ids)?;
        let is_whole_file = |id| {
            let format = self.route(id).map(|route| route.feed.format);
            matches!(format, Some(Format::BeaFlat | Format::BoardZip))
        };
        let is_late = ids.iter().any(is_whole_file);
        let patience = if self.settings.is_patient {
            LONGEST_FETCH
        } else if is_late {
            Duration::ZERO
        } else {
            PATIENCE
        };
        if let Ok(landed) = tokio::time::timeout(patience, join_all(flights)).await {
            let outcome_of = |id| landed.iter().find_map(|outcomes| outcomes.get(id)).cloned();
            let ended = Error::internal("a fetch", "ended early");
            return (ids.iter())
                .try_for_each(|id| outcome_of(id).unwrap_or_else(|| Err(ended.clone())));
        }
        let first = ids.iter().find_map(|id| self.route(id));
        let name = first.map_or("FRED", |route| &route.source.name);
        let seconds = if is_late { 30 } else { 20 };
        let size = if is_late {
            " (a file of up to 35 MB)"
        } else {
            ""
        };
        Err(Error::unavailable(
            format!("Being fetched from {name}{size}; ask again in about {seconds} s."),
            Some(Duration::from_secs(seconds)),
        ))
    }

    /// Whether the user of this machine asks.
    pub fn is_own(&self) -> bool {
        !self.settings.is_public
    }

    /// Searches the lists of others; returns at most five results, or why a place had none.
    pub async fn search_elsewhere(&self, words: &str) -> Vec<Result<FoundElsewhere>> {
        elsewhere::search(&self.settings.sources, words).await
    }

    /// Notes the day of a question for series that questions brought into the store.
    ///
    /// # Errors
    /// [`Error::Store`] when the note cannot be written.
    pub fn touch(&self, ids: &[SeriesId]) -> Result<()> {
        let today = day_of(econoscope_core::clock::wall_time());
        self.store.write_batch(&|store| {
            let mut kept = self::kept(store)?;
            for id in ids {
                kept.entry(id.clone()).and_modify(|kept| kept.asked = today);
            }
            drop_unasked(store, &mut kept, today)?;
            state::write(&kept, store, ON_DEMAND)
        })
    }

    /// Checks that a source would be asked for each series.
    ///
    /// # Errors
    /// [`Error::Unknown`] with the reason why none is.
    pub fn check(&self, ids: &[SeriesId]) -> Result<()> {
        ids.iter().try_for_each(|id| self.source(id).map(drop))
    }

    fn route(&self, id: &SeriesId) -> Option<FeedRef<'_>> {
        self.settings.sources.recipes.form_of(id)
    }

    /// Returns the source to ask for a series.
    ///
    /// # Errors
    /// [`Error::Unknown`] with the reason why none is asked.
    fn source(&self, id: &SeriesId) -> Result<&str> {
        let sources = &self.settings.sources;
        let why = match self.route(id) {
            Some(route) if self.settings.is_public && route.source.rights == Rights::FetchOnly => {
                format!("it comes from {}; this public server may not pass it on", route.source.name)
            }
            Some(route) if sources.is_open(route.source) => return Ok(&route.source.id),
            Some(route) => {
                let from = route.source.key.as_ref().map_or("", |key| &key.from);
                let source = &route.source.id;
                format!("{} answers with a key of your own alone, --source-key {source}=KEY ({from})", route.source.name)
            }
            None if id.as_str().contains(':') => {
                "no source has identifiers of this form (docs/SOURCES.md#any-series)".to_owned()
            }
            None if self.settings.is_public => {
                "it is not in the catalogue. FRED may have it; this public server may not pass it on".to_owned()
            }
            None if sources.no_fred => {
                "it is not in the catalogue. FRED may have it; this server does not ask FRED (start with --fred for your own use)"
                    .to_owned()
            }
            None => return Ok("fred"),
        };
        Err(unknown(id, why))
    }

    /// Starts a fetch for each series that is not being fetched, those of a source together, and returns the fetches of all.
    fn start_or_join(self: &Arc<Self>, ids: &[SeriesId]) -> Result<Vec<Flight>> {
        let mut flights = self.flights.lock();
        flights.retain(|_, flight| flight.peek().is_none());
        let mut new: BTreeMap<&str, Vec<SeriesId>> = BTreeMap::new();
        for id in ids.iter().filter(|id| !flights.contains_key(*id)) {
            if let Some((since, error)) = self.failures.get(id) {
                let lifetime = if matches!(error, Error::Unknown { .. }) {
                    UNKNOWN_LIFETIME
                } else {
                    FAILED_LIFETIME
                };
                if since.elapsed() < lifetime {
                    return Err(error);
                }
            }
            new.entry(self.source(id)?).or_default().push(id.clone());
        }
        if !new.is_empty() && flights.len() >= AT_ONCE + MAX_WAITING {
            let what =
                format!("{MAX_WAITING} series are waiting to be fetched; ask again in 20 s.");
            return Err(Error::unavailable(what, Some(Duration::from_secs(20))));
        }
        for (source, ids) in new {
            let job = tokio::spawn(Arc::clone(self).run(source.to_owned(), ids.clone()));
            let flight = (job.map(|ended| Arc::new(ended.unwrap_or_default())))
                .boxed()
                .shared();
            flights.extend(ids.into_iter().map(|id| (id, flight.clone())));
        }
        let joined = ids.iter().filter_map(|id| flights.get(id).cloned());
        Ok(joined.collect())
    }

    /// Fetches series of one source in its turn, and keeps what came.
    async fn run(self: Arc<Self>, source: String, ids: Vec<SeriesId>) -> Outcomes {
        let turn = Arc::clone(self.turns.lock().entry(source.clone()).or_default());
        let _turn = turn.lock().await;
        let _slot = self.slots.acquire().await;
        if source == "fred" && !self.has_told_terms.swap(true, Ordering::Relaxed) {
            tracing::warn!(target: NOTICE_TARGET, "{FRED_TERMS}");
        }
        let runtime = tokio::runtime::Handle::current();
        let demand = Arc::clone(&self);
        let only = ids.clone();
        let job = tokio::task::spawn_blocking(move || runtime.block_on(demand.sync_and_keep(only)));
        let ended = job
            .await
            .unwrap_or_else(|panic| Err(Error::internal("a fetch", panic)));
        let outcomes: Outcomes = match ended {
            Ok(outcomes) => outcomes,
            Err(error) => ids.into_iter().map(|id| (id, Err(error.clone()))).collect(),
        };
        for (id, outcome) in &outcomes {
            let Err(error) = outcome else {
                self.failures.remove(id);
                continue;
            };
            tracing::debug!(%id, %source, error = error.operator_message(), "not fetched");
            let failure = (Instant::now(), error.clone());
            self.failures.insert(id.clone(), failure);
        }
        outcomes
    }

    async fn sync_and_keep(&self, ids: Vec<SeriesId>) -> Result<Outcomes> {
        let scratch = Sqlite::in_memory()?;
        let config = SyncConfig {
            sources: self.settings.sources.clone(),
            only: Some(ids.clone()),
            ..SyncConfig::default()
        };
        let mut progress = Progress::quiet();
        let fetch = sync(&scratch, &config, CancellationToken::new(), &mut progress);
        let Ok(ended) = tokio::time::timeout(LONGEST_FETCH, fetch).await else {
            let seconds = LONGEST_FETCH.as_secs();
            let what = format!("The source did not answer within {seconds} s; ask again later.");
            return Err(Error::unavailable(what, None));
        };
        let report = ended?;
        let kept = |id: &SeriesId| (id.clone(), self.keep(&scratch, id, &report));
        Ok(ids.iter().map(kept).collect())
    }

    /// Keeps a series that a fetch has brought, in the store or in memory.
    fn keep(&self, scratch: &Sqlite, id: &SeriesId, report: &SyncReport) -> Result<()> {
        let rows = state::stored_rows(scratch, id)?;
        let Some(status) = scratch.status_of(id)?.filter(|_| !rows.is_empty()) else {
            let mut outcomes = report.series.iter().filter(|(other, _)| other == id);
            return Err(match outcomes.next() {
                Some((_, Outcome::Failed(error))) => self.explain(id, error),
                Some((_, Outcome::Skipped(error))) => error.clone(),
                Some(_) | None => unknown(id, "its source has no figure of it".to_owned()),
            });
        };
        let description = scratch.description(id)?;
        let source = self.settings.sources.recipes.source(&status.origin);
        let is_open =
            source.is_some_and(|source| source.id != "fred" && source.rights != Rights::FetchOnly);
        if !is_open {
            let fetched = Fetched {
                description,
                rows,
                status,
            };
            self.memory.insert(id, fetched);
            return Ok(());
        }
        let today = day_of(status.fetched_at);
        let address = self.route(id).map(|route| route.feed.url.clone());
        self.store.write_batch(&|store| {
            store.write(Write {
                id,
                observations: &rows,
                known_from: None,
                fetched_at: status.fetched_at,
                origin: &status.origin,
            })?;
            store.describe(description.as_slice())?;
            let mut kept = kept(store)?;
            let new = Kept {
                address: address.clone().unwrap_or_default(),
                asked: today,
            };
            kept.remove(id);
            drop_unasked(store, &mut kept, today)?;
            kept.insert(id.clone(), new);
            state::write(&kept, store, ON_DEMAND)
        })
    }

    /// Says what a failed fetch means for the caller.
    fn explain(&self, id: &SeriesId, error: &Error) -> Error {
        let Error::NoData { reason, .. } = error else {
            return error.clone();
        };
        let why = self.route(id).map(|route| {
            let agency = &route.source.name;
            format!("{id} has the form of a series of {agency}, which has none of that name")
        });
        unknown(id, why.unwrap_or_else(|| reason.clone()))
    }
}

fn unknown(id: &SeriesId, why: String) -> Error {
    Error::Unknown {
        kind: "series",
        name: id.to_string(),
        why,
        suggestions: Vec::new(),
    }
}

/// Returns the series that questions brought into a store.
///
/// # Errors
/// [`Error::Store`] when the store cannot be read.
pub fn kept(store: &dyn Store) -> Result<BTreeMap<SeriesId, Kept>> {
    state::read(store, ON_DEMAND)
}

/// Removes from a store and the list the series that nobody has asked for since long, and where there is no room for one more
/// that asked for longest ago.
fn drop_unasked(store: &dyn Store, kept: &mut BTreeMap<SeriesId, Kept>, today: Date) -> Result<()> {
    let is_old = |kept: &Kept| days_between(kept.asked, today) > KEPT_DAYS;
    let mut old: Vec<SeriesId> = (kept.extract_if(.., |_, kept| is_old(kept)))
        .map(|(id, _)| id)
        .collect();
    while kept.len() >= MAX_KEPT {
        let oldest = kept.iter().min_by_key(|(_, kept)| kept.asked);
        let Some(id) = oldest.map(|(id, _)| id.clone()) else {
            break;
        };
        kept.remove(&id);
        old.push(id);
    }
    old.iter().try_for_each(|id| store.forget(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::testing::{QUICK, sources_at};
    use jiff::civil::date;

    #[tokio::test]
    async fn fetch_that_panics_is_remembered_as_a_failure() {
        let mut sources = sources_at("http://localhost:1", false);
        // No clock can show when the next request may start.
        sources.pace = Some(PaceSettings {
            interval: Duration::MAX,
            ..QUICK
        });
        let settings = DemandSettings {
            sources,
            is_public: false,
            is_patient: true,
        };
        let store = Arc::new(Sqlite::in_memory().unwrap());
        let demand = Demand::new(settings, store, Arc::default());
        let id = SeriesId::new("DGS10").unwrap();
        let error = demand.fetch(std::slice::from_ref(&id)).await.unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains("panicked"), "{cause}");
        let (_, stored) = demand.failures.get(&id).unwrap();
        assert_eq!(stored.to_string(), error.to_string());
    }

    #[test]
    fn kept_series_are_bounded_and_the_longest_unasked_leave() -> Result<()> {
        let store = Sqlite::in_memory()?;
        let today = date(2026, 11, 28);
        let mut kept = BTreeMap::new();
        for n in 0..MAX_KEPT + 2 {
            let asked = if n < 3 { date(2026, 11, 1) } else { today };
            let address = String::new();
            kept.insert(
                SeriesId::new(&format!("KEPT{n:05}"))?,
                Kept { address, asked },
            );
        }
        for id in kept.keys().take(3) {
            store.write(Write {
                id,
                observations: &[Observation::new(today, 1.0)],
                known_from: None,
                fetched_at: econoscope_core::clock::wall_time(),
                origin: "bls",
            })?;
        }
        drop_unasked(&store, &mut kept, today)?;
        assert_eq!(kept.len(), MAX_KEPT - 1);
        assert_eq!(store.count()?, 0);
        Ok(())
    }
}
