//! What an upstream consists of, and the way of a question that memory cannot answer: what the disk holds,
//! one paid call. Equal questions share one way: the first caller leads, the others follow.

use super::breaker::Breaker;
use super::cache::{Cache, Content, Entry, EntryFreshness};
use super::failure::Failure;
use super::fetch::Fetcher;
use super::ledger::{Ledger, LedgerStore};
use super::ledger_state::{Purpose, Quota};
use super::request::{Key, Request, check_base};
use super::shared::SharedState;
use super::state::StateFile;
use crate::pool::Caller;
use crate::postgres::Address;
use econoscope_core::clock::{Clock, Moment};
use econoscope_core::error::Result;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::task::TaskTracker;
use url::Url;

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
    /// Database for what many machines share: the ledger, the answers, and who asks; `None` = the file alone.
    pub database: Option<Address>,
    /// A caller that holds nothing waits at most so long.
    pub patience: Duration,
    /// Shortest and longest pause before the one retry.
    pub retry_pause: (Duration, Duration),
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
            retry_pause: (Duration::from_millis(200), Duration::from_secs(2)),
        }
    }
}

/// A request, what it is known by and why it is asked.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) key: Key,
    pub(super) request: Arc<Request>,
    pub(super) purpose: Purpose,
    /// For whom: who is counted for the call.
    pub(super) caller: Caller,
}

/// What came of a question.
#[derive(Debug, Clone)]
pub(super) struct QuestionOutcome {
    pub(super) entry: Arc<Entry>,
    /// It came from the upstream just now, so it answers whatever its headers say.
    pub(super) is_fetched: bool,
}

impl QuestionOutcome {
    pub(super) fn held(entry: Arc<Entry>) -> Self {
        Self {
            entry,
            is_fetched: false,
        }
    }
}

/// Work under way for a key; all who asked wait for the same.
#[derive(Clone)]
pub(super) struct InFlight {
    /// What the leader asked it for.
    pub(super) purpose: Purpose,
    /// Who leads.
    pub(super) caller: Caller,
    pub(super) result: Shared<BoxFuture<'static, std::result::Result<QuestionOutcome, Failure>>>,
}

/// What must not be asked for a while.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum BackoffKey {
    /// A question that failed.
    Key(Key),
    /// All of a purpose that the ledger does not pay for: for one caller, or for all.
    Purpose(Purpose, Option<Caller>),
}

/// Why, since when and for how long.
#[derive(Debug, Clone)]
pub(super) struct Backoff {
    since: Moment,
    pub(super) rest: Duration,
    failure: Failure,
}

/// Everything an upstream consists of.
pub(super) struct Core {
    pub(super) config: UpstreamConfig,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) cache: Cache,
    pub(super) ledger: Ledger,
    /// What other machines share.
    pub(super) shared: Option<Arc<SharedState>>,
    pub(super) breaker: Breaker,
    pub(super) fetcher: Fetcher,
    pub(super) tasks: TaskTracker,
    underway: Mutex<HashMap<Key, InFlight>>,
    pub(super) setbacks: econoscope_core::cache::Cache<BackoffKey, Backoff>,
    /// As the ledger told it last.
    pub(super) quota: Mutex<Quota>,
}

impl Core {
    pub(super) fn open(config: UpstreamConfig, clock: Arc<dyn Clock>) -> Result<Self> {
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
        let (limit, is_writable) = (config.daily_limit, state.is_writable());
        let shared = config.database.as_ref();
        let shared = shared.map(|at| SharedState::at(at).map(Arc::new));
        let shared = shared.transpose()?;
        let home = match &shared {
            Some(shared) => LedgerStore::Shared(Arc::clone(shared)),
            None => LedgerStore::File(state),
        };
        let ledger = Ledger::over(home, &host, limit, Arc::clone(&clock))?;
        let told = (is_writable && shared.is_none()).then(|| ledger.quota().ok());
        // Counts that cannot be read may all be spent; those of a database are told with the first call.
        let used = if shared.is_some() { 0 } else { limit };
        let quota = told.flatten().unwrap_or(Quota {
            used,
            limit,
            remaining: limit - used,
            resets_at: clock.now().wall,
        });
        Ok(Self {
            cache,
            fetcher: Fetcher::new(&config.base)?,
            ledger,
            shared,
            breaker: Breaker::default(),
            underway: Mutex::default(),
            tasks: TaskTracker::new(),
            setbacks: econoscope_core::cache::Cache::new(10_000),
            quota: Mutex::new(quota),
            config,
            clock,
        })
    }

    /// Whether a stale entry should be renewed now. Cheap: asked on every stale hit.
    pub(super) fn is_due(&self, key: &str, entry: &Entry, now: &Moment) -> bool {
        now.since(&entry.fetched) >= self.ledger.pace()
            && self
                .breaker
                .pause_left(*now)
                .is_none_or(|left| left.is_zero())
            && self
                .barred(key, Purpose::Refresh, Caller::OWN, now)
                .is_none()
    }

    /// Why a question must not be asked now, if so.
    pub(super) fn barred(
        &self,
        key: &str,
        purpose: Purpose,
        caller: Caller,
        now: &Moment,
    ) -> Option<Failure> {
        let holds = [
            BackoffKey::Key(key.to_owned()),
            BackoffKey::Purpose(purpose, None),
            BackoffKey::Purpose(purpose, Some(caller)),
        ];
        holds.iter().find_map(|hold| {
            let setback = self.setbacks.get(hold)?;
            let left = setback.rest.saturating_sub(now.since(&setback.since));
            (left > Duration::ZERO).then(|| setback.failure.after(left))
        })
    }

    pub(super) fn set_back(&self, hold: BackoffKey, rest: Duration, failure: &Failure) {
        let setback = Backoff {
            since: self.clock.now(),
            rest,
            failure: failure.clone(),
        };
        self.setbacks.insert(hold, setback);
    }

    /// The quota, when so little of it is left that a caller should know.
    pub(super) fn little_left(&self, now: &Moment) -> Option<Quota> {
        let quota = *self.quota.lock();
        (quota.is_low() && quota.resets_at > now.wall).then_some(quota)
    }

    pub(super) fn note_quota(&self, quota: Quota) {
        *self.quota.lock() = quota;
    }

    /// Asks a question, or follows who asks it already. The work runs in a task of its own: a caller that leaves
    /// cancels nothing, so a call that is paid for is never lost.
    pub(super) fn ask(self: &Arc<Self>, question: Question, held: Option<Arc<Entry>>) -> InFlight {
        let (purpose, caller) = (question.purpose, question.caller);
        let mut all = self.underway.lock();
        // One whose task died has told so to its followers and is replaced.
        if let Some(underway) = all.get(&question.key).filter(|u| u.result.peek().is_none()) {
            return underway.clone();
        }
        // The work for an equal question may have ended since the caller looked.
        let newer = self.cache.recall(&question.key);
        let newer = newer.filter(|new| held.as_ref().is_none_or(|held| !Arc::ptr_eq(held, new)));
        if let Some(entry) = newer {
            let answered = QuestionOutcome::held(entry);
            let result = async { Ok(answered) }.boxed().shared();
            return InFlight {
                purpose,
                caller,
                result,
            };
        }
        let (this, key) = (Arc::clone(self), question.key.clone());
        let task = self.tasks.spawn(async move {
            let answered = this.answer(&question, held).await;
            this.underway.lock().remove(&question.key);
            answered
        });
        let died = |_| {
            Err(Failure::no_answer(
                "could not be asked: the call died",
                DEATH_REST,
            ))
        };
        let result = task
            .map(move |done| done.unwrap_or_else(died))
            .boxed()
            .shared();
        let underway = InFlight {
            purpose,
            caller,
            result,
        };
        all.insert(key, underway.clone());
        underway
    }

    async fn answer(
        self: &Arc<Self>,
        question: &Question,
        held: Option<Arc<Entry>>,
    ) -> std::result::Result<QuestionOutcome, Failure> {
        let newer = match self.held_here(question, held.clone()).await {
            (Some(entry), true) => return Ok(QuestionOutcome::held(entry)),
            (newer, _) => newer.or(held),
        };
        self.call(question, newer).await
    }

    /// What the disk holds that is newer, remembered if it will do.
    pub(super) async fn held_here(
        self: &Arc<Self>,
        question: &Question,
        held: Option<Arc<Entry>>,
    ) -> (Option<Arc<Entry>>, bool) {
        let (this, asked) = (Arc::clone(self), question.clone());
        let kept = tokio::task::spawn_blocking(move || this.look_up(&asked, held.as_deref())).await;
        let (entry, is_usable) = kept.unwrap_or_else(|error| {
            tracing::error!(%error, "reading the upstream cache died");
            (None, false)
        });
        let entry = entry.map(Arc::new);
        if let Some(entry) = entry.as_ref().filter(|_| is_usable) {
            self.cache.remember(&question.key, Arc::clone(entry));
        }
        (entry, is_usable)
    }

    /// What the disk holds that is newer than `held`, and whether it will do. Blocks.
    fn look_up(&self, question: &Question, held: Option<&Entry>) -> (Option<Entry>, bool) {
        let request = &question.request;
        let now = self.clock.now();
        let age = |entry: &Entry| now.since(&entry.fetched);
        let is_newer = |entry: &Entry| held.is_none_or(|held| age(entry) < age(held));
        let will_do = |entry: &Entry| {
            let is_proved = match (&entry.content, request.check) {
                // Written by another version of this program, perhaps, which took less care.
                (Content::Found(body), Some(check)) => check(body).is_ok(),
                _ => true,
            };
            is_proved
                && match entry.standing(&now, request.max_stale) {
                    EntryFreshness::Fresh => true,
                    // Another process renewed it a moment ago, or a caller has nothing better.
                    EntryFreshness::Stale(_) => {
                        question.purpose != Purpose::Refresh || age(entry) < self.ledger.pace()
                    }
                    EntryFreshness::Spent => false,
                }
        };
        let loaded = self.cache.load(&question.key).filter(is_newer);
        let is_usable = loaded.as_ref().is_some_and(will_do);
        (loaded, is_usable)
    }
}
