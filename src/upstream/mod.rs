//! Answers of another service of the same API, within the few calls a day it allows.
//!
//! A question's way: memory, then disk, then a wider range already held, then one call that all who ask
//! share. Each call is paid for in the [`Ledger`] first. An answer past its lifetime is given at once,
//! marked with its age, while one call renews it; it is also given when the upstream fails. This floor
//! knows paths and query pairs, not endpoints.

mod allowance;
mod breaker;
mod cache;
mod call;
pub mod clock;
mod failure;
mod fetch;
mod flight;
mod freshness;
#[cfg(fuzzing)]
pub mod fuzz;
mod ledger;
mod refill;
mod request;
mod slice;
mod state;

pub use allowance::Purpose;
pub use clock::{Clock, ManualClock, Moment, SystemClock};
pub use ledger::{Ledger, Quota, Verdict};
pub use request::{Check, Kind, Media, Request, Slice};

use crate::error::{Error, Result, quote};
use bytes::Bytes;
use cache::{Answer, Entry, Standing};
use failure::Failure;
use flight::{Landed, Passage};
use jiff::Timestamp;
use refill::Refill;
use request::Key;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use url::Url;

/// A stale answer up to so long past its lifetime is given at once; an older one is worth a short wait.
const SERVE_AT_ONCE: Duration = Duration::from_secs(3600);
/// That short wait.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);

/// Where the upstream is and what it may cost.
#[derive(Debug, Clone)]
pub struct UpstreamConfig {
    /// Address above `/api/public`; http(s), no credentials.
    pub base: Url,
    /// Calls allowed in any 24 hours.
    pub daily_limit: u32,
    /// File for the ledger and the cache, shared by all processes of this machine; `None` = memory only.
    pub state: Option<PathBuf>,
    /// For one call, from connecting to the last byte.
    pub timeout: Duration,
    /// A caller that holds nothing waits at most so long.
    pub patience: Duration,
    /// Shortest and longest pause before the one retry.
    pub retry_pause: (Duration, Duration),
    /// Size of the cache in memory.
    pub memory_bytes: u64,
    /// Size of the cache on disk.
    pub disk_bytes: u64,
    /// Larger bodies are refused.
    pub max_body: usize,
}

impl UpstreamConfig {
    /// The documented allowance of 100 calls a day and bounds that suit a desktop and a small server.
    pub fn new(base: Url) -> Self {
        Self {
            base,
            daily_limit: 100,
            state: None,
            timeout: Duration::from_secs(8),
            patience: Duration::from_secs(9),
            retry_pause: (Duration::from_millis(200), Duration::from_secs(2)),
            memory_bytes: 32 << 20,
            disk_bytes: 128 << 20,
            max_body: 8 << 20,
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
    /// The body as the upstream sent it, or a range cut out of one.
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
pub struct Upstream(Arc<Refill>);

impl Upstream {
    /// Sets up the client and opens the state; sends nothing.
    ///
    /// # Errors
    /// [`Error::InvalidParam`] for a base address that cannot be used, [`Error::Store`] when the state file
    /// cannot be opened or is not ours, [`Error::Internal`] when TLS cannot be set up.
    pub fn open(config: UpstreamConfig, clock: Arc<dyn Clock>) -> Result<Self> {
        Ok(Self(Arc::new(Refill::open(config, clock)?)))
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
            Some(entry) if entry.standing(&now, request.max_stale) == Standing::Fresh => {
                self.give(&request, &entry, Freshness::Fresh, now)
            }
            held => self.pursue(&key, &Arc::new(request), held).await,
        }
    }

    /// The way of a question that no fresh answer is in memory for.
    async fn pursue(
        &self,
        key: &Key,
        request: &Arc<Request>,
        mut held: Option<Arc<Entry>>,
    ) -> Result<Fetched> {
        let end = Instant::now() + self.0.config.patience;
        // Each round knows more: what memory held, what was on disk, what the upstream said.
        for _ in 0..3 {
            let now = self.0.clock.now();
            let landing = match held
                .as_ref()
                .map(|entry| (entry, entry.standing(&now, request.max_stale)))
            {
                Some((entry, Standing::Fresh)) => {
                    return self.give(request, entry, Freshness::Fresh, now);
                }
                Some((entry, Standing::Stale(past))) => {
                    let patience = if past > SERVE_AT_ONCE {
                        SHORT_PATIENCE
                    } else {
                        Duration::ZERO
                    };
                    let patience = patience.min(end.saturating_duration_since(Instant::now()));
                    match self.renew(key, request, entry, patience).await {
                        Some(landed) => Ok(landed),
                        None => {
                            return self.give(
                                request,
                                entry,
                                self.0.staleness(key),
                                self.0.clock.now(),
                            );
                        }
                    }
                }
                Some((_, Standing::Spent)) | None => {
                    let patience = end.saturating_duration_since(Instant::now());
                    let purpose = Purpose::Miss(request.kind);
                    match self.0.fetch(key, request, purpose, held.as_ref()) {
                        Passage::Arrived(landed) => Ok(landed),
                        Passage::Awaited(ticket) => match flight::wait(ticket, patience).await {
                            Some(landing) => landing,
                            None => break,
                        },
                    }
                }
            };
            match landing {
                Ok(Landed {
                    entry,
                    fetched: true,
                }) => {
                    return self.give(request, &entry, on_arrival(&entry), self.0.clock.now());
                }
                Ok(landed) => held = Some(landed.entry),
                // It was a renewal that could not be paid for; a miss may use other parts of the allowance.
                Err(failure) if failure.of_renewal() => {}
                Err(failure) => return Err(failure.error()),
            }
        }
        let what = "has not answered yet; the call goes on and its answer will be kept";
        Err(Failure::no_answer(what, Duration::from_secs(5)).error())
    }

    /// What is left of the allowance. Reads the disk.
    ///
    /// # Errors
    /// [`Error::Store`] when the ledger cannot be read.
    pub fn quota(&self) -> Result<Quota> {
        self.0.ledger.quota()
    }

    /// Waits until all calls under way have ended and are kept; for shutdown and tests.
    pub async fn settle(&self) {
        self.0.settle().await;
    }

    /// Renews a stale entry in the background; its result when it comes within `patience`.
    async fn renew(
        &self,
        key: &Key,
        request: &Arc<Request>,
        entry: &Arc<Entry>,
        patience: Duration,
    ) -> Option<Landed> {
        if !self.0.due(key, entry, self.0.clock.now()) {
            return None;
        }
        match self.0.fetch(key, request, Purpose::Refresh, Some(entry)) {
            Passage::Arrived(landed) => Some(landed),
            Passage::Awaited(_) if patience == Duration::ZERO => None,
            Passage::Awaited(ticket) => flight::wait(ticket, patience).await?.ok(),
        }
    }

    /// An entry as an answer, or as the error it stands for.
    fn give(
        &self,
        request: &Request,
        entry: &Entry,
        freshness: Freshness,
        now: Moment,
    ) -> Result<Fetched> {
        match &entry.answer {
            Answer::Found(body) => Ok(Fetched {
                body: body.clone(),
                age: entry.age(&now),
                freshness,
                fetched_at: entry.fetched.wall,
                quota: self.0.little_left(now),
            }),
            Answer::Unknown(name) => Err(Error::Unknown {
                kind: request.what,
                name: name.clone(),
                suggestions: Vec::new(),
            }),
            Answer::Refused => {
                let asked: Vec<_> = request
                    .query
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect();
                Err(Error::InvalidParam {
                    field: "request".to_owned(),
                    received: quote(&asked.join("&")),
                    problem: "is refused by the upstream".to_owned(),
                    allowed: "the parameters this call documents".to_owned(),
                })
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
