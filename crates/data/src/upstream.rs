//! Answers of another service of the same API, within the few calls a day it allows.
//!
//! A question's way: memory, then disk, then one call that all who ask here share. Each call is paid for in the [`Ledger`] first. An answer past its lifetime is given at once,
//! marked with its age, while one call renews it; it is also given when the upstream fails. This floor
//! knows paths and query pairs, not endpoints.

mod breaker;
mod cache;
mod call;
mod callers;
mod core;
mod failure;
mod fetch;
mod freshness;
mod ledger;
mod ledger_state;
mod request;
mod shared;
mod state;

pub use self::core::UpstreamConfig;
pub use ledger::Ledger;
pub use ledger_state::{Purpose, Quota, Verdict};
pub use request::{Check, Kind, Request};

use self::core::{BackoffKey, Core, Question};
use crate::pool::Caller;
use bytes::Bytes;
use cache::{Content, Entry, EntryFreshness};
use econoscope_core::clock::{Clock, Moment};
use econoscope_core::error::{Error, Result};
use failure::Failure;
use futures_util::FutureExt;
use jiff::Timestamp;
use request::Key;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A stale answer up to so long past its lifetime is given at once; an older one is worth a short wait.
const SERVE_AT_ONCE: Duration = Duration::from_secs(3600);
/// That short wait.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);

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

impl Upstream {
    /// Sets up the client and opens the state; sends nothing.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for a base address that cannot be used, [`Error::Store`] when the state file
    /// cannot be opened or is not ours, [`Error::Internal`] when TLS cannot be set up.
    pub fn open(config: UpstreamConfig, clock: Arc<dyn Clock>) -> Result<Self> {
        Ok(Self(Arc::new(Core::open(config, clock)?)))
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
        let key = request.key()?;
        let held = self.0.cache.recall(&key);
        let now = self.0.clock.now();
        match held {
            Some(entry) if entry.standing(&now, request.max_stale) == EntryFreshness::Fresh => {
                self.give(&request, &entry, Freshness::Fresh)
            }
            held => self.pursue(key, Arc::new(request), held).await,
        }
    }

    /// The way of a question that no fresh answer is in memory for.
    async fn pursue(
        &self,
        key: Key,
        request: Arc<Request>,
        mut held: Option<Arc<Entry>>,
    ) -> Result<Fetched> {
        let end = Instant::now() + self.0.config.patience;
        let caller = Caller::current();
        // Each round knows more: what memory held, what was on disk, what the upstream said.
        for _ in 0..3 {
            let left = end.saturating_duration_since(Instant::now());
            let now = self.0.clock.now();
            let standing = held
                .as_ref()
                .map(|e| (e, e.standing(&now, request.max_stale)));
            let (older, purpose, patience) = match standing {
                Some((entry, EntryFreshness::Fresh)) => {
                    return self.give(&request, entry, Freshness::Fresh);
                }
                Some((entry, EntryFreshness::Stale(_))) if !self.0.is_due(&key, entry, &now) => {
                    return self.give(&request, entry, self.staleness(&key, now));
                }
                Some((entry, EntryFreshness::Stale(past))) if past > SERVE_AT_ONCE => {
                    (Some(entry), Purpose::Refresh, left.min(SHORT_PATIENCE))
                }
                Some((entry, EntryFreshness::Stale(_))) => {
                    (Some(entry), Purpose::Refresh, Duration::ZERO)
                }
                Some((_, EntryFreshness::Spent)) | None => {
                    (None, Purpose::Miss(request.kind), left)
                }
            };
            let question = Question {
                key: key.clone(),
                request: Arc::clone(&request),
                purpose,
                caller,
            };
            let underway = self.0.ask(question, held.clone());
            // Who has something to give does not wait, not even for a tick of the timer.
            let outcome = if patience.is_zero() {
                underway.result.now_or_never()
            } else {
                tokio::time::timeout(patience, underway.result).await.ok()
            };
            match (outcome, older) {
                (Some(Ok(answered)), _) if answered.is_fetched => {
                    let entry = answered.entry;
                    return self.give(&request, &entry, on_arrival(&entry));
                }
                (Some(Ok(answered)), _) => held = Some(answered.entry),
                (_, Some(entry)) => {
                    let staleness = self.staleness(&key, self.0.clock.now());
                    return self.give(&request, entry, staleness);
                }
                // It was a renewal that could not be paid for; a miss may use other parts of the allowance.
                (Some(Err(_)), None) if underway.purpose == Purpose::Refresh => {}
                // It may be the share of who led that is spent.
                (Some(Err(failure)), None) if failure.is_share && underway.caller != caller => {}
                (Some(Err(failure)), None) => return Err(failure.error()),
                (None, None) => break,
            }
        }
        let what = "has not answered yet; the call goes on and its answer will be kept";
        Err(Failure::no_answer(what, Duration::from_secs(5)).error())
    }

    /// What is left of the allowance: as the disk has it, or as the database told it last.
    ///
    /// # Errors
    /// [`Error::Store`] when the ledger cannot be read.
    pub fn quota(&self) -> Result<Quota> {
        match self.0.shared {
            Some(_) => Ok(*self.0.quota.lock()),
            None => self.0.ledger.quota(),
        }
    }

    /// Waits until all calls under way have ended and are kept; for shutdown and tests.
    pub async fn settle(&self) {
        let tasks = &self.0.tasks;
        tasks.close();
        tasks.wait().await;
        tasks.reopen();
    }

    /// How a stale answer is marked: was the last try to renew it in vain?
    fn staleness(&self, key: &str, now: Moment) -> Freshness {
        let has_failed = self
            .0
            .setbacks
            .contains_key(&BackoffKey::Key(key.to_owned()));
        if has_failed || self.0.breaker.pause_left(now).is_some() {
            Freshness::Offline
        } else {
            Freshness::Stale
        }
    }

    /// An entry as an answer, or as the error it stands for.
    fn give(&self, request: &Request, entry: &Entry, freshness: Freshness) -> Result<Fetched> {
        let now = self.0.clock.now();
        match &entry.content {
            Content::Found(body) => Ok(Fetched {
                body: body.clone(),
                age: entry.age(&now),
                freshness,
                fetched_at: entry.fetched.wall,
                quota: self.0.little_left(&now),
            }),
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

/// An answer that just came is fresh unless it was old when it came.
fn on_arrival(entry: &Entry) -> Freshness {
    const MOMENT: Duration = Duration::from_secs(60);
    if entry.policy.born < entry.policy.lifetime.max(MOMENT) {
        Freshness::Fresh
    } else {
        Freshness::Stale
    }
}
