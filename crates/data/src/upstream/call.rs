//! One paid call: permission, request, and the cached response.
//!
//! A lookup makes one call, without retries and redirects, because each request costs a call of the daily limit. A key
//! that failed is not requested again for a while.

use super::budget::{Purpose, Refusal, Verdict};
use super::cache::{Content, Entry};
use super::failure::Failure;
use super::fetch::{self, Reply};
use super::freshness::{DEFAULT_LIFETIME, Policy};
use super::ledger::Ledger;
use super::request::{Key, Kind};
use super::{Core, Lookup, Outcome};
use crate::pool::Caller;
use econoscope_core::clock::Moment;
use econoscope_core::error::{Error, Result, quote};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Longest time between a payment and its call: half of what the ledger's window exceeds a day.
const MAX_DELAY: Duration = Duration::from_secs(30);
/// Lifetime of an unknown name.
const UNKNOWN_LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// Lifetime of a refusal, which is only in memory.
const REFUSED_LIFETIME: Duration = Duration::MAX;
/// Backoff of a key after its first failure; doubled with each further one.
const FIRST_BACKOFF: Duration = Duration::from_secs(30);
const LONGEST_BACKOFF: Duration = Duration::from_secs(3600);
/// Failures in a row after which no key is requested for a while, so that an outage does not use up the daily calls.
const MAX_FAILURES: u32 = 5;

/// What is not requested during a backoff.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum BackoffKey {
    /// A key that failed.
    Key(Key),
    /// A purpose that the ledger refuses, for one caller or for all.
    Purpose(Purpose, Option<Caller>),
    /// All keys of an upstream that failed several times in a row.
    Upstream,
}

/// A period without requests.
#[derive(Debug, Clone)]
pub(super) struct Backoff {
    since: Moment,
    /// The error for callers meanwhile, with the length of the period.
    failure: Failure,
}

impl Core {
    /// Calls the upstream, with a conditional request when there is a cached body.
    pub(super) async fn call(
        self: &Arc<Self>,
        lookup: &Arc<Lookup>,
        cached: Option<Arc<Entry>>,
    ) -> Outcome {
        if let Some(failure) = self.active_backoff(lookup, &self.clock.now()) {
            return Err(failure);
        }
        let url = lookup.request.url(&self.config.base);
        self.pay(lookup).await?;
        let cached_body = cached.filter(|entry| matches!(entry.content, Content::Found(_)));
        let clock = self.clock.as_ref();
        let reply = fetch::send(&self.client, url, cached_body.as_deref(), clock).await;
        let outcome = self.receive(lookup, reply).await;
        let total = if outcome.is_ok() {
            &self.totals.answered
        } else {
            &self.totals.failed
        };
        total.fetch_add(1, Ordering::Relaxed);
        outcome
    }

    /// Stores a response, or notes a failure.
    async fn receive(
        self: &Arc<Self>,
        lookup: &Arc<Lookup>,
        reply: std::result::Result<Reply, String>,
    ) -> Outcome {
        match reply {
            Ok(Reply::Response(content, policy)) => {
                self.failures.store(0, Ordering::Relaxed);
                self.backoffs.remove(&BackoffKey::Upstream);
                self.store_response(lookup, content, policy)
            }
            Ok(Reply::Pause(requested)) => {
                let wait = requested.max(FIRST_BACKOFF);
                let pause = self.with_ledger(move |ledger| ledger.pause(wait));
                Err(match pause.await {
                    Ok(()) => self.refuse(lookup, Refusal::Pause, wait),
                    Err(_) => {
                        let failure = Failure::unavailable("asked for silence", wait);
                        self.start_backoff(BackoffKey::Upstream, failure)
                    }
                })
            }
            Err(problem) => {
                if self.failures.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_FAILURES {
                    let what = "failed several times in a row and is left alone for a while";
                    self.back_off(BackoffKey::Upstream, what);
                }
                Err(self.back_off(BackoffKey::Key(lookup.key.clone()), &problem))
            }
        }
    }

    /// Asks the ledger for permission, which records the payment.
    async fn pay(self: &Arc<Self>, lookup: &Lookup) -> std::result::Result<(), Failure> {
        let purpose = lookup.purpose;
        let caller = lookup.caller;
        let mut now = self.clock.now();
        loop {
            let verdict = self.with_ledger(move |ledger| ledger.pay(purpose, caller));
            match verdict.await {
                Ok(Verdict::Granted) => {
                    let before = std::mem::replace(&mut now, self.clock.now());
                    // A process that was suspended meanwhile would call on another day than it paid for.
                    if now.duration_since(&before) < MAX_DELAY {
                        return Ok(());
                    }
                }
                Ok(Verdict::Refused { wait, reason }) => {
                    return Err(self.refuse(lookup, reason, wait));
                }
                Err(error) => {
                    let what = format!("was not asked: {error}");
                    return Err(Failure::unavailable(&what, FIRST_BACKOFF));
                }
            }
        }
    }

    /// Runs work on the ledger on a blocking thread, and logs its error.
    async fn with_ledger<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Ledger) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let core = Arc::clone(self);
        let result = tokio::task::spawn_blocking(move || work(&core.ledger))
            .await
            .unwrap_or_else(|e| Err(Error::internal("the upstream ledger died", e)));
        result.inspect_err(|error| {
            let cause = error as &dyn std::error::Error;
            tracing::error!(cause, "the upstream ledger cannot be used");
        })
    }

    /// Stores a response: in memory at once, on disk in the background.
    fn store_response(
        self: &Arc<Self>,
        lookup: &Arc<Lookup>,
        mut content: Content,
        policy: Policy,
    ) -> Outcome {
        let request = &lookup.request;
        let policy = match &mut content {
            Content::Found(body) => {
                if let Some(Err(problem)) = request.check.map(|check| check(body)) {
                    let what = format!("broke its contract: {problem}");
                    return Err(self.back_off(BackoffKey::Key(lookup.key.clone()), &what));
                }
                policy
            }
            Content::Unknown(name) => {
                if name.is_empty() {
                    *name = request.segments.last().map_or(String::new(), |s| quote(s));
                }
                Policy::with_lifetime(match request.kind {
                    Kind::Interactive => UNKNOWN_LIFETIME,
                    // "No regime at present" may end at any time.
                    Kind::Shared => self.ledger.pace().max(DEFAULT_LIFETIME),
                })
            }
            Content::Refused => Policy::with_lifetime(REFUSED_LIFETIME),
        };
        let entry = Arc::new(Entry {
            content,
            fetched: self.clock.now(),
            policy,
        });
        self.backoffs.remove(&BackoffKey::Key(lookup.key.clone()));
        if entry.policy.is_storable {
            self.cache
                .memory
                .insert(lookup.key.clone(), Arc::clone(&entry));
        }
        let core = Arc::clone(self);
        let lookup = Arc::clone(lookup);
        let own_entry = Arc::clone(&entry);
        self.tasks.spawn_blocking(move || {
            if own_entry.policy.is_storable {
                core.cache.save(&lookup.key, &own_entry);
            } else {
                core.cache.remove(&lookup.key);
            }
        });
        Ok(entry)
    }

    /// Returns the error of a running backoff.
    pub(super) fn active_backoff(&self, lookup: &Lookup, now: &Moment) -> Option<Failure> {
        let keys = [
            BackoffKey::Key(lookup.key.clone()),
            BackoffKey::Purpose(lookup.purpose, None),
            BackoffKey::Purpose(lookup.purpose, Some(lookup.caller)),
            BackoffKey::Upstream,
        ];
        keys.iter().find_map(|key| {
            let mut backoff = self.backoffs.get(key)?;
            let passed = now.duration_since(&backoff.since);
            backoff.failure.wait = backoff.failure.wait.saturating_sub(passed);
            (backoff.failure.wait > Duration::ZERO).then_some(backoff.failure)
        })
    }

    /// Starts a backoff as long as the failure says.
    fn start_backoff(&self, key: BackoffKey, failure: Failure) -> Failure {
        let backoff = Backoff {
            since: self.clock.now(),
            failure: failure.clone(),
        };
        self.backoffs.insert(key, backoff);
        failure
    }

    /// Starts a backoff, twice as long as the last one of its key if that has ended.
    fn back_off(&self, key: BackoffKey, what: &str) -> Failure {
        let now = self.clock.now();
        let wait = self.backoffs.get(&key).map_or(FIRST_BACKOFF, |last| {
            let wait = last.failure.wait;
            if now.duration_since(&last.since) < wait {
                wait
            } else {
                wait.saturating_mul(2).min(LONGEST_BACKOFF)
            }
        });
        self.start_backoff(key, Failure::unavailable(what, wait))
    }

    /// Starts the backoff of a purpose for which the ledger grants no call.
    fn refuse(&self, lookup: &Lookup, reason: Refusal, wait: Duration) -> Failure {
        let quota = self.ledger.last_quota();
        let now = self.clock.now().wall;
        let caller = (reason == Refusal::Share).then_some(lookup.caller);
        let key = BackoffKey::Purpose(lookup.purpose, caller);
        self.start_backoff(key, Failure::rate_limited(quota, reason, wait, now))
    }
}
