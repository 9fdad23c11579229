//! Forwards requests to another service of the same API, within the few calls a day that it allows.
//!
//! A request is answered from memory, then from disk, then by one call that all concurrent callers share. Each call is
//! paid for in the [`Ledger`] first. A stale response is returned at once, with its age, while one call refreshes it;
//! it is also returned when the upstream fails. This module knows paths and query pairs, not endpoints.

mod budget;
mod cache;
mod call;
mod failure;
mod fetch;
mod freshness;
mod ledger;
mod request;
mod shared;
mod state;

pub use budget::{Purpose, Quota, Refusal, Verdict};
pub use ledger::Ledger;
pub use request::{Check, Kind, Request};

use crate::pool::Caller;
use crate::postgres::Address;
use bytes::Bytes;
use cache::{Cache, Content, Entry};
use call::{Backoff, BackoffKey};
use econoscope_core::clock::{Clock, Moment};
use econoscope_core::error::{Error, Result};
use failure::Failure;
use freshness::DEFAULT_LIFETIME;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use jiff::Timestamp;
use ledger::LedgerStore;
use parking_lot::Mutex;
use request::{Key, check_base};
use shared::SharedLedger;
use state::StateFile;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use tokio_util::task::TaskTracker;
use url::Url;

/// A response that is stale for less than this is returned at once to callers of a server; the program's own user, and
/// everybody for an older one, waits shortly for a new one.
const SERVE_AT_ONCE: Duration = Duration::from_secs(3600);
/// Length of that wait.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);
/// Size of the cache in memory.
const MEMORY_BYTES: u64 = 32 << 20;
/// Size of the cache on disk.
const DISK_BYTES: u64 = 128 << 20;
/// Suggested wait after one of our tasks has panicked.
const PANIC_WAIT: Duration = Duration::from_secs(30);

/// Settings of an upstream.
#[derive(Debug, Clone)]
pub struct UpstreamConfig {
    /// Address above `/api/public`; http(s), no credentials.
    pub base: Url,
    /// Calls allowed in any 24 hours.
    pub daily_limit: u32,
    /// File of the ledger and the cache, shared by all processes of this machine; `None` = memory only.
    pub state: Option<PathBuf>,
    /// Database of a ledger that many machines share; `None` = the file alone.
    pub database: Option<Address>,
    /// Longest wait of a caller without a cached response.
    pub patience: Duration,
}

impl UpstreamConfig {
    /// Returns settings with the documented limit of 100 calls a day.
    pub fn new(base: Url) -> Self {
        Self {
            base,
            daily_limit: 100,
            state: None,
            database: None,
            patience: Duration::from_secs(9),
        }
    }
}

/// How current a response is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Within the lifetime that the upstream gave it.
    Fresh,
    /// Past it: a refresh is running, or waits for the ledger.
    Stale,
    /// Past it, and the last refresh failed.
    Offline,
}

/// A response with its age.
#[derive(Debug, Clone)]
pub struct UpstreamResponse {
    /// The body as the upstream sent it.
    pub body: Bytes,
    /// Age of the content.
    pub age: Duration,
    /// How current it is.
    pub freshness: Freshness,
    /// When it was fetched or last validated.
    pub fetched_at: Timestamp,
    /// How long a client or a shared cache may keep it, from its generation on; `None` when it is for one recipient.
    pub max_age: Option<Duration>,
    /// The remaining calls, when they are few.
    pub quota: Option<Quota>,
}

/// A client of the upstream with cache and ledger. Clones share both.
#[derive(Clone)]
pub struct Upstream(Arc<Core>);

struct Core {
    config: UpstreamConfig,
    clock: Arc<dyn Clock>,
    client: reqwest::Client,
    cache: Cache,
    ledger: Ledger,
    /// Failed calls in a row.
    failures: AtomicU32,
    totals: Totals,
    tasks: TaskTracker,
    in_flight: Mutex<HashMap<(Key, Purpose), InFlight>>,
    backoffs: econoscope_core::cache::Cache<BackoffKey, Backoff>,
}

/// Counters since the start of the process. No response waits for another to count itself.
#[derive(Debug, Default)]
struct Totals {
    answered: AtomicU64,
    failed: AtomicU64,
    stale: AtomicU64,
    refused: AtomicU64,
}

/// Numbers since the start of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UpstreamCounts {
    /// Calls with a usable response.
    pub answered: u64,
    /// Calls that failed or had an unusable response.
    pub failed: u64,
    /// Responses past their lifetime that were returned.
    pub stale: u64,
    /// Requests without any response because the ledger granted no call.
    pub refused: u64,
}

/// A request on its way through the cache to the upstream.
struct Lookup {
    key: Key,
    request: Request,
    purpose: Purpose,
    /// Who pays for the call.
    caller: Caller,
}

/// A cache entry, or why there is none.
type Outcome = std::result::Result<Arc<Entry>, Failure>;

/// A running lookup, which all callers of the same key share.
#[derive(Clone)]
struct InFlight {
    /// Who started it.
    caller: Caller,
    outcome: Shared<BoxFuture<'static, Outcome>>,
}

impl Upstream {
    /// Sets up the client and opens the state; sends nothing.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for an invalid base address, [`Error::Store`] when the state file cannot be opened or is
    /// not ours, [`Error::Internal`] when TLS cannot be set up.
    pub fn open(config: UpstreamConfig, clock: Arc<dyn Clock>) -> Result<Self> {
        check_base(&config.base)?;
        let state = Arc::new(StateFile::open(config.state.as_deref())?);
        // Calls are limited per host, but responses belong to an address.
        let host = config.base.origin().ascii_serialization();
        let address = config.base.as_str().trim_end_matches('/');
        let disk_bytes = if state.is_in_memory() {
            MEMORY_BYTES / 2
        } else {
            DISK_BYTES
        };
        let cache = Cache::new(Arc::clone(&state), address, MEMORY_BYTES, disk_bytes);
        let store = match &config.database {
            Some(database) => LedgerStore::Shared(Box::new(SharedLedger::new(database)?)),
            None => LedgerStore::File(state),
        };
        let ledger = Ledger::new(store, &host, config.daily_limit, Arc::clone(&clock))?;
        Ok(Self(Arc::new(Core {
            client: fetch::client(&config.base)?,
            cache,
            ledger,
            failures: AtomicU32::default(),
            totals: Totals::default(),
            tasks: TaskTracker::new(),
            in_flight: Mutex::default(),
            backoffs: econoscope_core::cache::Cache::new(10_000),
            config,
            clock,
        })))
    }

    /// Returns a cached response, or makes one call, within 10 seconds in any case.
    /// Must run in a tokio runtime. Dropping the future does not cancel a running call.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for an invalid name or a request that the upstream refuses, [`Error::Unknown`] for a
    /// name that it does not know, [`Error::RateLimited`] when the ledger does not grant the call, and
    /// [`Error::Unavailable`] without a usable response and a cached one; the last two have a `retry_after`.
    pub async fn get(&self, request: Request) -> Result<UpstreamResponse> {
        let core = &self.0;
        let start = Instant::now();
        let key = request.key()?;
        let entry = match core.cache.memory.get(&key) {
            None => core.newest_entry(&key, request.check).await,
            cached => cached,
        };
        let now = core.clock.now();
        let cached = entry.filter(|entry| entry.is_usable(&now, request.max_stale));
        let caller = Caller::current();
        let (purpose, patience) = match &cached {
            None => (Purpose::Miss(request.kind), core.config.patience),
            Some(entry) => {
                let staleness = entry.staleness(&now).unwrap_or_default();
                let is_patient = caller.is_local() || staleness > SERVE_AT_ONCE;
                let patience = if is_patient {
                    SHORT_PATIENCE
                } else {
                    Duration::ZERO
                };
                let purpose = Purpose::refresh(request.kind, entry.age(&now), core.ledger.pace());
                (purpose, patience)
            }
        };
        let lookup = Arc::new(Lookup {
            key,
            request,
            purpose,
            caller,
        });
        if let Some(entry) = &cached {
            // Cheap, because it runs on every hit.
            let is_due = is_due(entry, &now) && core.active_backoff(&lookup, &now).is_none();
            if is_due && patience.is_zero() {
                core.start_or_join(&lookup);
            }
            if !is_due || patience.is_zero() {
                return core.respond(&lookup, entry);
            }
        }
        match (core.wait_for(&lookup, start + patience).await, cached) {
            (Ok(entry), _) | (Err(_), Some(entry)) => core.respond(&lookup, &entry),
            (Err(failure), None) => {
                if failure.refusal.is_some() {
                    core.totals.refused.fetch_add(1, Ordering::Relaxed);
                }
                Err(failure.to_error())
            }
        }
    }

    /// The address above `/api/public`.
    pub fn base(&self) -> &Url {
        &self.0.config.base
    }

    /// Returns the remaining calls. Blocks when the ledger is in a database.
    ///
    /// # Errors
    /// [`Error::Store`] when the ledger cannot be read.
    pub fn quota(&self) -> Result<Quota> {
        self.0.ledger.quota()
    }

    /// Makes one call whatever is cached, if the ledger grants it, to see whether the upstream answers.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn probe(&self, request: Request) -> Result<()> {
        let lookup = Lookup {
            key: request.key()?,
            purpose: Purpose::Miss(request.kind),
            request,
            caller: Caller::current(),
        };
        let outcome = self.0.call(&Arc::new(lookup), None).await;
        outcome.map(drop).map_err(|failure| failure.to_error())
    }

    /// Returns the numbers since the start of the process.
    pub fn counts(&self) -> UpstreamCounts {
        let totals = &self.0.totals;
        let load = |total: &AtomicU64| total.load(Ordering::Relaxed);
        UpstreamCounts {
            answered: load(&totals.answered),
            failed: load(&totals.failed),
            stale: load(&totals.stale),
            refused: load(&totals.refused),
        }
    }

    /// Returns when the newest stored response was fetched or validated, here or by another process. Blocks.
    pub fn last_success(&self) -> Option<Timestamp> {
        self.0.cache.newest()
    }

    /// Waits until all running calls have ended and their responses are stored; for shutdown and tests.
    pub async fn wait_until_idle(&self) {
        let tasks = &self.0.tasks;
        tasks.close();
        tasks.wait().await;
        tasks.reopen();
    }
}

impl Core {
    /// Waits for the upstream's response until a deadline; the call goes on after it.
    async fn wait_for(self: &Arc<Self>, lookup: &Arc<Lookup>, deadline: Instant) -> Outcome {
        loop {
            let InFlight { caller, outcome } = self.start_or_join(lookup);
            match timeout_at(deadline, outcome).await {
                // The caller that started it has used up its share, but ours may have calls left.
                Ok(Err(failure))
                    if failure.refusal == Some(Refusal::Share) && caller != lookup.caller => {}
                Ok(outcome) => return outcome,
                Err(_) => {
                    let what = "has not answered yet; the call goes on and its answer will be kept";
                    return Err(Failure::unavailable(what, Duration::from_secs(5)));
                }
            }
        }
    }

    /// Starts a lookup, or joins the running one of the same key. It runs in its own task, so a caller that leaves does
    /// not cancel a call that is paid for.
    fn start_or_join(self: &Arc<Self>, lookup: &Arc<Lookup>) -> InFlight {
        let mut in_flight = self.in_flight.lock();
        let name = (lookup.key.clone(), lookup.purpose);
        // A finished one that is still in the map has panicked, and is replaced.
        if let Some(running) = in_flight.get(&name).filter(|f| f.outcome.peek().is_none()) {
            return running.clone();
        }
        let core = Arc::clone(self);
        let own_lookup = Arc::clone(lookup);
        let task = self.tasks.spawn(async move {
            let outcome = core.look_up(&own_lookup).await;
            let name = (own_lookup.key.clone(), own_lookup.purpose);
            core.in_flight.lock().remove(&name);
            outcome
        });
        let outcome = task.map(|result| {
            let what = "could not be asked: the call died";
            result.unwrap_or_else(|_| Err(Failure::unavailable(what, PANIC_WAIT)))
        });
        let started = InFlight {
            caller: lookup.caller,
            outcome: outcome.boxed().shared(),
        };
        in_flight.insert(name, started.clone());
        started
    }

    /// Returns an entry that was stored since the caller looked, here or by another process, or makes a call.
    async fn look_up(self: &Arc<Self>, lookup: &Arc<Lookup>) -> Outcome {
        let request = &lookup.request;
        let cached = self.newest_entry(&lookup.key, request.check).await;
        let now = self.clock.now();
        let is_usable = |entry: &&Arc<Entry>| entry.is_usable(&now, request.max_stale);
        if let Some(entry) = cached.as_ref().filter(is_usable) {
            let is_miss = matches!(lookup.purpose, Purpose::Miss(_));
            if is_miss || !is_due(entry, &now) {
                return Ok(Arc::clone(entry));
            }
        }
        self.call(lookup, cached).await
    }

    /// Returns the newest entry of a key in memory or on disk, where another process may have stored it.
    async fn newest_entry(self: &Arc<Self>, key: &Key, check: Option<Check>) -> Option<Arc<Entry>> {
        let core = Arc::clone(self);
        let own_key = key.clone();
        let load = move || {
            // Another version of this program may have stored what this one refuses.
            let is_valid = |entry: &Entry| match (&entry.content, check) {
                (Content::Found(body), Some(check)) => check(body).is_ok(),
                _ => true,
            };
            core.cache.load(&own_key).filter(is_valid)
        };
        let loaded = tokio::task::spawn_blocking(load)
            .await
            .unwrap_or_else(|error| {
                tracing::error!(%error, "reading the upstream cache panicked");
                None
            });
        let now = self.clock.now();
        let cached = self.cache.memory.get(key);
        let age = |entry: &Entry| now.duration_since(&entry.fetched);
        let is_newer = |loaded: &Entry| cached.as_ref().is_none_or(|c| age(loaded) < age(c));
        let Some(loaded) = loaded.filter(is_newer) else {
            return cached;
        };
        let loaded = Arc::new(loaded);
        self.cache.memory.insert(key.clone(), Arc::clone(&loaded));
        Some(loaded)
    }

    /// Converts an entry to a response or an error.
    fn respond(&self, lookup: &Lookup, entry: &Entry) -> Result<UpstreamResponse> {
        let request = &lookup.request;
        let now = self.clock.now();
        let has_failed = |key| self.backoffs.contains_key(&key);
        match &entry.content {
            Content::Found(body) => {
                let is_low = |quota: &Quota| {
                    quota.remaining <= quota.limit / 5 && quota.resets_at > now.wall
                };
                let freshness = if entry.is_fresh(&now) {
                    Freshness::Fresh
                } else if has_failed(BackoffKey::Upstream)
                    || has_failed(BackoffKey::Key(lookup.key.clone()))
                {
                    Freshness::Offline
                } else {
                    Freshness::Stale
                };
                if freshness != Freshness::Fresh {
                    self.totals.stale.fetch_add(1, Ordering::Relaxed);
                }
                Ok(UpstreamResponse {
                    body: body.clone(),
                    age: entry.age(&now),
                    freshness,
                    fetched_at: entry.fetched.wall,
                    max_age: (!entry.policy.is_private).then_some(entry.policy.lifetime),
                    quota: self.ledger.last_quota().filter(is_low),
                })
            }
            Content::Unknown(name) => Err(Error::unknown(request.what, name, Vec::new())),
            Content::Refused => {
                let pair = |(name, value): &(String, String)| format!("{name}={value}");
                let query = request.query.iter().map(pair).collect::<Vec<_>>().join("&");
                let problem = "is refused by the upstream";
                let allowed = "the parameters this call documents";
                Err(Error::invalid("request", &query, problem, allowed))
            }
        }
    }
}

/// Whether an entry is stale, and was not fetched within the documented update interval of the upstream.
fn is_due(entry: &Entry, now: &Moment) -> bool {
    entry.staleness(now).is_some() && now.duration_since(&entry.fetched) >= DEFAULT_LIFETIME
}
