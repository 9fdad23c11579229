//! Answers of another service of the same API, within the few calls a day it allows.
//!
//! A question is answered from memory, then from disk, then by one call that all who ask here share. Each call is paid for in
//! the [`Ledger`] first. An answer past its lifetime is given at once, marked with its age, while one call renews it; it is also
//! given when the upstream fails. This module knows paths and query pairs, not endpoints.

mod breaker;
mod cache;
mod call;
mod failure;
mod fetch;
mod freshness;
mod ledger;
mod ledger_state;
mod request;
mod shared;
mod state;

pub use ledger::Ledger;
pub use ledger_state::{Purpose, Quota, Verdict};
pub use request::{Check, Kind, Request};

use crate::pool::Caller;
use crate::postgres::Address;
use breaker::Breaker;
use bytes::Bytes;
use cache::{Cache, Content, Entry, EntryFreshness};
use call::{Backoff, BackoffKey};
use econoscope_core::clock::{Clock, Moment};
use econoscope_core::error::{Error, Result};
use failure::Failure;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use jiff::Timestamp;
use ledger::LedgerStore;
use parking_lot::Mutex;
use request::{Key, check_base};
use shared::SharedState;
use state::StateFile;
use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use tokio_util::task::TaskTracker;
use url::Url;

/// A stale answer up to so long past its lifetime is given at once; an older one is worth a short wait.
const SERVE_AT_ONCE: Duration = Duration::from_secs(3600);
/// That short wait.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);
/// Size of the cache in memory, and of the one on disk.
const MEMORY_BYTES: u64 = 32 << 20;
const DISK_BYTES: u64 = 128 << 20;
/// After a task of ours has died.
const DEATH_REST: Duration = Duration::from_secs(30);

/// Where the upstream is and what it may cost.
#[derive(Debug, Clone)]
pub struct UpstreamConfig {
    /// Address above `/api/public`; http(s), no credentials.
    pub base: Url,
    /// Calls allowed in any 24 hours.
    pub daily_limit: u32,
    /// File for the ledger and the cache, shared by all processes of this machine; `None` = memory only.
    pub state: Option<PathBuf>,
    /// Database for the ledger that many machines share; `None` = the file alone.
    pub database: Option<Address>,
    /// A caller that holds nothing waits at most so long.
    pub patience: Duration,
}

impl UpstreamConfig {
    /// The documented allowance of 100 calls a day.
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

/// How far an answer may be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Within the lifetime the upstream gave it.
    Fresh,
    /// Past it: a call to renew it is under way or waits for its turn in the allowance.
    Stale,
    /// Past it, and the last try to renew it failed.
    Offline,
}

/// An answer and where it stands in time.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The body as the upstream sent it.
    pub body: Bytes,
    /// How old the content is.
    pub age: Duration,
    /// How far it may be relied on.
    pub freshness: Freshness,
    /// When it came or was last confirmed.
    pub fetched_at: Timestamp,
    /// What is left of the allowance, when that is little.
    pub quota: Option<Quota>,
}

/// The upstream, seen through cache, ledger and breaker. Clones share all three.
#[derive(Clone)]
pub struct Upstream(Arc<Core>);

struct Core {
    config: UpstreamConfig,
    clock: Arc<dyn Clock>,
    client: reqwest::Client,
    cache: Cache,
    ledger: Ledger,
    breaker: Breaker,
    tasks: TaskTracker,
    underway: Mutex<HashMap<(Key, Purpose), InFlight>>,
    backoffs: econoscope_core::cache::Cache<BackoffKey, Backoff>,
}

/// A request, what it is known by and why it is asked.
struct Question {
    key: Key,
    request: Request,
    purpose: Purpose,
    /// Who is counted for the call.
    caller: Caller,
}

/// An entry that answers a question, or why there is none.
type Outcome = std::result::Result<(Arc<Entry>, Freshness), Failure>;

/// Work under way for a key; all who ask wait for the same.
#[derive(Clone)]
struct InFlight {
    /// Who asked first.
    caller: Caller,
    outcome: Shared<BoxFuture<'static, Outcome>>,
}

impl Upstream {
    /// Sets up the client and opens the state; sends nothing.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for a base address that cannot be used, [`Error::Store`] when the state file
    /// cannot be opened or is not ours, [`Error::Internal`] when TLS cannot be set up.
    pub fn open(config: UpstreamConfig, clock: Arc<dyn Clock>) -> Result<Self> {
        check_base(&config.base)?;
        let state = Arc::new(StateFile::open(config.state.as_deref())?);
        // The allowance belongs to the host, the answers to the address.
        let host = config.base.origin().ascii_serialization();
        let address = config.base.as_str().trim_end_matches('/');
        let disk_bytes = match config.state {
            Some(_) => DISK_BYTES,
            None => MEMORY_BYTES / 2,
        };
        let cache = Cache::new(Arc::clone(&state), address, MEMORY_BYTES, disk_bytes);
        let home = match &config.database {
            Some(database) => LedgerStore::Shared(Box::new(SharedState::at(database)?)),
            None => LedgerStore::File(state),
        };
        let ledger = Ledger::over(home, &host, config.daily_limit, Arc::clone(&clock))?;
        Ok(Self(Arc::new(Core {
            client: fetch::client(&config.base)?,
            cache,
            ledger,
            breaker: Breaker::default(),
            tasks: TaskTracker::new(),
            underway: Mutex::default(),
            backoffs: econoscope_core::cache::Cache::new(10_000),
            config,
            clock,
        })))
    }

    /// Answers a question from what is held or by one call, within 10 seconds in any case.
    /// Must run in a tokio runtime. Dropping the future cancels no call that is under way.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for a name that is none or a question the upstream refuses, [`Error::Unknown`]
    /// for a name it does not know, [`Error::RateLimited`] when the allowance does not cover the call, and
    /// [`Error::Unavailable`] when the upstream gives no usable answer and nothing older is held; the last
    /// two say when to come back.
    pub async fn get(&self, request: Request) -> Result<Fetched> {
        let core = &self.0;
        let end = Instant::now() + core.config.patience;
        let key = request.key()?;
        let held = match core.cache.recall(&key) {
            None => core.newest(&key, request.check).await,
            held => held,
        };
        let now = core.clock.now();
        let standing = held.map(|held| (held.standing(&now, request.max_stale), held));
        let (older, purpose) = match standing {
            Some((EntryFreshness::Fresh, entry)) => {
                return core.give(&request, &entry, Freshness::Fresh);
            }
            Some((EntryFreshness::Stale(past), entry)) => (Some((past, entry)), Purpose::Refresh),
            Some((EntryFreshness::Spent, _)) | None => (None, Purpose::Miss(request.kind)),
        };
        let question = Arc::new(Question {
            key,
            request,
            purpose,
            caller: Caller::current(),
        });
        match older {
            Some((past, entry)) => core.renew(&question, past, &entry).await,
            None => core.wait_for(&question, end).await,
        }
    }

    /// What is left of the allowance. Of a database it blocks.
    ///
    /// # Errors
    /// [`Error::Store`] when the ledger cannot be read.
    pub fn quota(&self) -> Result<Quota> {
        self.0.ledger.quota()
    }

    /// Waits until all calls under way have ended and are kept; for shutdown and tests.
    pub async fn settle(&self) {
        let tasks = &self.0.tasks;
        tasks.close();
        tasks.wait().await;
        tasks.reopen();
    }
}

impl Core {
    /// Gives an answer that is past its lifetime, and has it renewed when that is due; one that is quite old is worth a
    /// short wait for the new one.
    async fn renew(
        self: &Arc<Self>,
        question: &Arc<Question>,
        past: Duration,
        entry: &Entry,
    ) -> Result<Fetched> {
        if self.is_due(&question.key, entry, &self.clock.now()) {
            let underway = self.ask(question);
            if past > SERVE_AT_ONCE
                && let wait = tokio::time::timeout(SHORT_PATIENCE, underway.outcome)
                && let Ok(Ok((entry, freshness))) = wait.await
            {
                return self.give(&question.request, &entry, freshness);
            }
        }
        let staleness = self.staleness(&question.key, self.clock.now());
        self.give(&question.request, entry, staleness)
    }

    /// Asks a question for which nothing is held, and waits for what comes of it.
    async fn wait_for(self: &Arc<Self>, question: &Arc<Question>, end: Instant) -> Result<Fetched> {
        loop {
            let InFlight { caller, outcome } = self.ask(question);
            match timeout_at(end, outcome).await {
                Ok(Ok((entry, freshness))) => {
                    return self.give(&question.request, &entry, freshness);
                }
                // The share of who asked first is spent, and ours may not be.
                Ok(Err(failure)) if failure.is_share && caller != question.caller => {}
                Ok(Err(failure)) => return Err(failure.error()),
                Err(_) => {
                    let what = "has not answered yet; the call goes on and its answer will be kept";
                    return Err(Failure::no_answer(what, Duration::from_secs(5)).error());
                }
            }
        }
    }

    /// Asks a question, or follows who asks it already. The work runs in a task of its own: a caller that leaves
    /// cancels nothing, so a call that is paid for is never lost.
    fn ask(self: &Arc<Self>, question: &Arc<Question>) -> InFlight {
        let mut all = self.underway.lock();
        let name = (question.key.clone(), question.purpose);
        // One whose task died has told so to its followers and is replaced.
        if let Some(underway) = all.get(&name).filter(|u| u.outcome.peek().is_none()) {
            return underway.clone();
        }
        let (this, asked) = (Arc::clone(self), Arc::clone(question));
        let task = self.tasks.spawn(async move {
            let outcome = this.answer(&asked).await;
            let name = (asked.key.clone(), asked.purpose);
            this.underway.lock().remove(&name);
            outcome
        });
        let died = |_| {
            let what = "could not be asked: the call died";
            Err(Failure::no_answer(what, DEATH_REST))
        };
        let outcome = task.map(move |done| done.unwrap_or_else(died));
        let underway = InFlight {
            caller: question.caller,
            outcome: outcome.boxed().shared(),
        };
        all.insert(name, underway.clone());
        underway
    }

    /// Answers from what came since the caller looked, here or in another process, or by a call.
    async fn answer(self: &Arc<Self>, question: &Arc<Question>) -> Outcome {
        let request = &question.request;
        let held = self.newest(&question.key, request.check).await;
        let now = self.clock.now();
        if let Some(entry) = &held {
            let is_recent = now.since(&entry.fetched) < self.ledger.pace();
            let freshness = match entry.standing(&now, request.max_stale) {
                EntryFreshness::Fresh => Some(Freshness::Fresh),
                EntryFreshness::Stale(_) if question.purpose != Purpose::Refresh || is_recent => {
                    Some(self.staleness(&question.key, now))
                }
                EntryFreshness::Stale(_) | EntryFreshness::Spent => None,
            };
            if let Some(freshness) = freshness {
                return Ok((Arc::clone(entry), freshness));
            }
        }
        self.call(question, held).await
    }

    /// The newest that is held of a key, in memory or on disk, where another process may have put it.
    async fn newest(self: &Arc<Self>, key: &Key, check: Option<Check>) -> Option<Arc<Entry>> {
        let (this, name) = (Arc::clone(self), key.clone());
        let load = move || {
            // Another version of this program may have kept what this one refuses.
            let is_proved = |entry: &Entry| match (&entry.content, check) {
                (Content::Found(body), Some(check)) => check(body).is_ok(),
                _ => true,
            };
            this.cache.load(&name).filter(is_proved)
        };
        let loaded = tokio::task::spawn_blocking(load).await;
        let loaded = loaded.unwrap_or_else(|error| {
            tracing::error!(%error, "reading the upstream cache died");
            None
        });
        let (now, held) = (self.clock.now(), self.cache.recall(key));
        let age = |entry: &Entry| now.since(&entry.fetched);
        let is_newer = |loaded: &Entry| held.as_ref().is_none_or(|held| age(loaded) < age(held));
        let Some(loaded) = loaded.filter(is_newer) else {
            return held;
        };
        let loaded = Arc::new(loaded);
        self.cache.remember(key, Arc::clone(&loaded));
        Some(loaded)
    }

    /// Whether a stale entry should be renewed now. Cheap: asked on every stale hit.
    fn is_due(&self, key: &Key, entry: &Entry, now: &Moment) -> bool {
        now.since(&entry.fetched) >= self.ledger.pace()
            && self.breaker.pause(*now).is_none_or(|left| left.is_zero())
            && self
                .barred(key, Purpose::Refresh, Caller::OWN, now)
                .is_none()
    }

    /// How a stale answer is marked: was the last try to renew it in vain?
    fn staleness(&self, key: &Key, now: Moment) -> Freshness {
        let has_failed = self.backoffs.contains_key(&BackoffKey::Key(key.clone()));
        match has_failed || self.breaker.pause(now).is_some() {
            true => Freshness::Offline,
            false => Freshness::Stale,
        }
    }

    /// An entry as an answer, or as the error it stands for.
    fn give(&self, request: &Request, entry: &Entry, freshness: Freshness) -> Result<Fetched> {
        let now = self.clock.now();
        match &entry.content {
            Content::Found(body) => {
                let quota = self.ledger.last_quota();
                let is_told = |quota: &Quota| quota.is_low() && quota.resets_at > now.wall;
                Ok(Fetched {
                    body: body.clone(),
                    age: entry.age(&now),
                    freshness,
                    fetched_at: entry.fetched.wall,
                    quota: quota.filter(is_told),
                })
            }
            Content::Unknown(name) => Err(Error::unknown(request.what, name, Vec::new())),
            Content::Refused => {
                let pair = |(name, value): &(String, String)| format!("{name}={value}");
                let asked = request.query.iter().map(pair).collect::<Vec<_>>();
                let problem = "is refused by the upstream";
                let allowed = "the parameters this call documents";
                let asked = asked.join("&");
                Err(Error::invalid("request", &asked, problem, allowed))
            }
        }
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.0.config.base.host_str();
        f.debug_struct("Upstream")
            .field("host", &host)
            .finish_non_exhaustive()
    }
}
