//! One paid call from the permission to the kept answer.
//!
//! What reaches the upstream is paid for: one call for a question, no retry and no redirect, each of which would cost another
//! call of the allowance. After a failure a question rests.

use super::cache::{Content, Entry};
use super::failure::Failure;
use super::fetch::{self, Reply};
use super::freshness::{DEFAULT_LIFETIME, Policy};
use super::ledger::Ledger;
use super::ledger_state::{Purpose, Verdict};
use super::request::{Key, Kind};
use super::{Core, Freshness, Outcome, Question};
use crate::pool::Caller;
use econoscope_core::clock::Moment;
use econoscope_core::error::{Error, Result, quote};
use std::sync::Arc;
use std::time::Duration;

/// How long after it was asked for a payment is good: half of what the window has more than a day.
const MAX_DELAY: Duration = Duration::from_secs(30);
/// An unknown name is not asked for again for a day.
const UNKNOWN_LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// A question the upstream refuses is not asked again by this process.
const REFUSED_LIFETIME: Duration = Duration::MAX;
/// After a failure a key rests so long, doubled with each further one.
const FIRST_REST: Duration = Duration::from_secs(30);
const LONGEST_REST: Duration = Duration::from_secs(3600);

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
    rest: Duration,
    failure: Failure,
}

impl Core {
    /// Asks the upstream. `held` is confirmed by it where possible.
    pub(super) async fn call(
        self: &Arc<Self>,
        question: &Arc<Question>,
        held: Option<Arc<Entry>>,
    ) -> Outcome {
        let now = self.clock.now();
        if let Some(failure) = self.barred(&question.key, question.purpose, question.caller, &now) {
            return Err(failure);
        }
        let url = question.request.url(&self.config.base);
        self.pay(question).await?;
        // Only a body can be confirmed; that a name is unknown has to be said anew.
        let held = held.filter(|held| matches!(held.content, Content::Found(_)));
        let reply = fetch::send(&self.client, url, held.as_deref(), self.clock.as_ref()).await;
        match reply {
            Ok(Reply::Answer(content, policy)) => {
                self.breaker.succeeded();
                self.conclude(question, content, policy)
            }
            Ok(Reply::Silence(wait)) => {
                self.breaker.withdrawn();
                Err(self.keep_silent(question, wait).await)
            }
            Err(what) => {
                self.breaker.failed(self.clock.now());
                Err(self.fail(question, &what))
            }
        }
    }

    /// Permission for one call: the breaker's, then the ledger's, which takes payment.
    async fn pay(self: &Arc<Self>, question: &Question) -> std::result::Result<(), Failure> {
        let (purpose, caller) = (question.purpose, question.caller);
        let mut now = self.clock.now();
        self.breaker.admit(now).map_err(|left| {
            let what = "failed several times in a row and is left alone for a while";
            Failure::no_answer(what, left)
        })?;
        let failure = loop {
            let paid = self.on_ledger(move |ledger| ledger.pay(purpose, caller));
            match paid.await {
                Ok(Verdict::Granted) => {
                    let asked = std::mem::replace(&mut now, self.clock.now());
                    // A process that stood still would call on another day than the one it paid for.
                    if now.since(&asked) < MAX_DELAY {
                        return Ok(());
                    }
                }
                Ok(Verdict::Refused {
                    wait,
                    held,
                    is_share,
                }) => {
                    let quota = self.ledger.last_quota();
                    let failure = Failure::limit(quota, (held, is_share), wait, now.wall);
                    // Nobody asks the ledger again too early.
                    let whose = is_share.then_some(caller);
                    self.back_off(BackoffKey::Purpose(purpose, whose), wait, &failure);
                    break failure;
                }
                Err(error) => {
                    break Failure::no_answer(&format!("was not asked: {error}"), FIRST_REST);
                }
            }
        };
        self.breaker.withdrawn();
        Err(failure)
    }

    /// Runs what blocks on the ledger's file. A failure is logged.
    async fn on_ledger<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Ledger) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let this = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&this.ledger)).await;
        let done = done.unwrap_or_else(|e| Err(Error::internal("the upstream ledger died", e)));
        done.inspect_err(|error| {
            let cause = error as &dyn std::error::Error;
            tracing::error!(cause, "the upstream ledger cannot be used");
        })
    }

    /// Turns what came into an entry, and keeps it: in memory at once, on disk behind the caller's back.
    fn conclude(
        self: &Arc<Self>,
        question: &Arc<Question>,
        mut content: Content,
        policy: Policy,
    ) -> Outcome {
        let request = &question.request;
        let policy = match &mut content {
            Content::Found(body) => {
                if let Some(Err(problem)) = request.check.map(|check| check(body)) {
                    return Err(self.fail(question, &format!("broke its contract: {problem}")));
                }
                policy
            }
            Content::Unknown(name) => {
                if name.is_empty() {
                    *name = request.segments.last().map_or(String::new(), |s| quote(s));
                }
                Policy::ours(match request.kind {
                    Kind::Interactive => UNKNOWN_LIFETIME,
                    // "No regime at present" may end at any time.
                    Kind::Shared => self.ledger.pace().max(DEFAULT_LIFETIME),
                })
            }
            Content::Refused => Policy::ours(REFUSED_LIFETIME),
        };
        let is_fresh = policy.is_fresh_on_arrival();
        let entry = Arc::new(Entry {
            content,
            fetched: self.clock.now(),
            policy,
        });
        self.backoffs.remove(&BackoffKey::Key(question.key.clone()));
        if entry.policy.is_storable {
            self.cache.remember(&question.key, Arc::clone(&entry));
        }
        let (this, question, kept) = (Arc::clone(self), Arc::clone(question), Arc::clone(&entry));
        self.tasks.spawn_blocking(move || {
            if kept.policy.is_storable {
                this.cache.save(&question.key, &kept);
            } else {
                this.cache.forget(&question.key);
            }
        });
        let freshness = match is_fresh {
            true => Freshness::Fresh,
            false => Freshness::Stale,
        };
        Ok((entry, freshness))
    }

    /// Why a question must not be asked now, if so.
    pub(super) fn barred(
        &self,
        key: &Key,
        purpose: Purpose,
        caller: Caller,
        now: &Moment,
    ) -> Option<Failure> {
        let names = [
            BackoffKey::Key(key.clone()),
            BackoffKey::Purpose(purpose, None),
            BackoffKey::Purpose(purpose, Some(caller)),
        ];
        names.iter().find_map(|name| {
            let backoff = self.backoffs.get(name)?;
            let left = backoff.rest.saturating_sub(now.since(&backoff.since));
            (left > Duration::ZERO).then(|| backoff.failure.after(left))
        })
    }

    fn back_off(&self, name: BackoffKey, rest: Duration, failure: &Failure) {
        let backoff = Backoff {
            since: self.clock.now(),
            rest,
            failure: failure.clone(),
        };
        self.backoffs.insert(name, backoff);
    }

    /// How long a key rests after a failure: twice as long as after the last one.
    fn rest(&self, question: &Question) -> Duration {
        let last = self.backoffs.get(&BackoffKey::Key(question.key.clone()));
        last.map_or(FIRST_REST, |last| {
            last.rest.saturating_mul(2).min(LONGEST_REST)
        })
    }

    /// Notes that the upstream gave no answer.
    fn fail(&self, question: &Question, what: &str) -> Failure {
        let rest = self.rest(question);
        let failure = Failure::no_answer(what, rest);
        self.back_off(BackoffKey::Key(question.key.clone()), rest, &failure);
        failure
    }

    /// The upstream asked for silence: all processes keep it.
    async fn keep_silent(self: &Arc<Self>, question: &Question, wait: Duration) -> Failure {
        let noted = self.on_ledger(move |ledger| ledger.hold(wait)).await;
        let rest = self.rest(question);
        let wait = wait.max(rest);
        let failure = match noted {
            Ok(()) => {
                let (quota, now) = (self.ledger.last_quota(), self.clock.now().wall);
                Failure::limit(quota, (true, false), wait, now)
            }
            Err(_) => Failure::no_answer("asked for silence", wait),
        };
        self.back_off(BackoffKey::Key(question.key.clone()), rest, &failure);
        failure
    }
}
