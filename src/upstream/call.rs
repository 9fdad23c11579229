//! One paid call from the permission to the kept answer.
//!
//! Everything that reaches the upstream is paid for one by one: the call, its one retry, each redirect.
//! A retry is made only while a caller waits and at least 30 % of the allowance is left, never after 429.

use super::allowance::Purpose;
use super::cache::{Answer, Entry};
use super::clock::random;
use super::failure::Failure;
use super::fetch::Reply;
use super::flight::{Landed, Landing};
use super::freshness::{DEFAULT_LIFETIME, Policy};
use super::ledger::{Quota, Verdict};
use super::refill::{Question, Refill, Setback};
use super::request::Kind;
use crate::error::{Error, quote};
use std::sync::Arc;
use std::time::Duration;

/// Redirects followed.
const MAX_HOPS: u32 = 2;
/// An unknown name is not asked for again for a day.
const UNKNOWN_LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// A question the upstream refuses is not asked again by this process.
const REFUSED_LIFETIME: Duration = Duration::MAX;
/// After a failure a key rests so long, doubled with each further one.
const FIRST_REST: Duration = Duration::from_secs(30);
const LONGEST_REST: Duration = Duration::from_secs(3600);

impl Refill {
    /// Asks the upstream. `held` is confirmed by it where possible.
    pub(super) async fn call(
        self: &Arc<Self>,
        question: &Question,
        held: Option<Arc<Entry>>,
    ) -> Landing {
        let renewal = question.purpose == Purpose::Refresh;
        let result = match self.barred(question, &self.clock.now()) {
            Some(failure) => Err(failure),
            None => match self.exchange(question, held.as_deref()).await {
                Ok(reply) => self.conclude(question, reply, held).await,
                Err(failure) => Err(failure),
            },
        };
        result.map_err(|failure| {
            if renewal {
                failure.on_renewal()
            } else {
                failure
            }
        })
    }

    /// Calls, follows redirects, and retries once where that is allowed.
    async fn exchange(
        self: &Arc<Self>,
        question: &Question,
        held: Option<&Entry>,
    ) -> Result<Reply, Failure> {
        let request = &question.request;
        let mut url = request.url(&self.config.base).map_err(|error| {
            Failure::no_answer(&format!("cannot be asked: {error}"), LONGEST_REST)
        })?;
        // Only a body can be confirmed; that a name is unknown has to be said anew.
        let confirmable = held
            .filter(|held| matches!(held.answer, Answer::Found(_)))
            .map(|held| &held.policy);
        let (mut hops, mut retried) = (0, false);
        loop {
            let quota = self.pay(question.purpose).await?;
            let reply = self
                .fetcher
                .send(&url, request.media, confirmable, self.clock.as_ref())
                .await;
            if matches!(reply, Reply::Failed { .. }) {
                self.breaker.failed(self.clock.now());
            } else if matches!(reply, Reply::Silence(_)) {
                self.breaker.withdrawn();
            } else {
                self.breaker.succeeded();
            }
            if let Reply::Moved(to) = &reply
                && hops < MAX_HOPS
            {
                hops += 1;
                url = to.clone();
            } else if matches!(
                reply,
                Reply::Failed {
                    transient: true,
                    ..
                }
            ) && !retried
                && affordable(question.purpose, &quota)
            {
                retried = true;
                tokio::time::sleep(self.retry_pause()).await;
            } else {
                return Ok(reply);
            }
        }
    }

    /// Permission for one call: the breaker's, then the ledger's, which takes payment.
    async fn pay(self: &Arc<Self>, purpose: Purpose) -> Result<Quota, Failure> {
        let now = self.clock.now();
        self.breaker.admit(now).map_err(|left| {
            Failure::no_answer(
                "failed several times in a row and is left alone for a while",
                left,
            )
        })?;
        let this = Arc::clone(self);
        let verdict = match tokio::task::spawn_blocking(move || this.ledger.pay(purpose)).await {
            Ok(verdict) => verdict,
            Err(died) => Err(Error::internal("the upstream ledger died", died)),
        };
        match verdict {
            Ok(Verdict::Granted(quota)) => {
                self.note_quota(quota);
                Ok(quota)
            }
            Ok(Verdict::Refused { wait, held, quota }) => {
                self.breaker.withdrawn();
                self.note_quota(quota);
                let failure = Failure::spent(&quota, held, wait, now.wall);
                self.shut_gate(
                    purpose,
                    Setback {
                        since: now,
                        rest: wait,
                        failure: failure.clone(),
                    },
                );
                Err(failure)
            }
            Err(error) => {
                self.breaker.withdrawn();
                tracing::error!(
                    cause = &error as &dyn std::error::Error,
                    "no upstream call can be paid for"
                );
                Err(Failure::no_answer(
                    &format!("was not asked: {error}"),
                    FIRST_REST,
                ))
            }
        }
    }

    fn retry_pause(&self) -> Duration {
        let (shortest, longest) = self.config.retry_pause;
        let spread = u64::try_from(longest.saturating_sub(shortest).as_millis()).unwrap_or(0);
        shortest + Duration::from_millis(random() % (spread + 1))
    }

    /// Turns a reply into an entry and keeps it, or into a failure and remembers that.
    async fn conclude(
        self: &Arc<Self>,
        question: &Question,
        reply: Reply,
        held: Option<Arc<Entry>>,
    ) -> Landing {
        let request = &question.request;
        let (answer, policy) = match (reply, held) {
            (Reply::Found(body, policy), _) => {
                if let Some(Err(problem)) = request.check.map(|check| check(&body)) {
                    return Err(self.set_back(question, |rest| Failure::contract(&problem, rest)));
                }
                (Answer::Found(body), policy)
            }
            (Reply::Unchanged(policy), Some(held)) => {
                (held.answer.clone(), held.policy.confirmed(policy))
            }
            (Reply::Unknown(name), _) => {
                let asked = request
                    .segments
                    .last()
                    .map(|name| quote(name))
                    .unwrap_or_default();
                let lifetime = match request.kind {
                    Kind::Interactive => UNKNOWN_LIFETIME,
                    // "No regime at present" may end at any time.
                    Kind::Shared => self.ledger.pace().max(DEFAULT_LIFETIME),
                };
                (
                    Answer::Unknown(name.unwrap_or(asked)),
                    Policy::ours(lifetime),
                )
            }
            (Reply::Refused, _) => (Answer::Refused, Policy::ours(REFUSED_LIFETIME)),
            (Reply::Silence(wait), _) => return Err(self.keep_silent(question, wait).await),
            (Reply::Failed { what, .. }, _) => {
                return Err(self.set_back(question, |rest| Failure::no_answer(&what, rest)));
            }
            (Reply::Moved(_), _) => {
                return Err(self.set_back(question, |rest| {
                    Failure::no_answer("redirects too often", rest)
                }));
            }
            (Reply::Unchanged(_), None) => {
                let what = "confirmed an answer that is not held";
                return Err(self.set_back(question, |rest| Failure::no_answer(what, rest)));
            }
        };
        let entry = Arc::new(Entry {
            answer,
            fetched: self.clock.now(),
            policy,
            slice: request.slice,
        });
        self.keep(question, &entry);
        Ok(Landed {
            entry,
            fetched: true,
        })
    }

    /// Into memory at once, onto disk behind the caller's back.
    fn keep(self: &Arc<Self>, question: &Question, entry: &Arc<Entry>) {
        self.setbacks.remove(&question.key);
        let (this, question, entry) = (Arc::clone(self), question.clone(), Arc::clone(entry));
        if entry.policy.storable {
            self.cache.remember(&question.key, Arc::clone(&entry));
            self.tasks.spawn_blocking(move || {
                let series = question.request.series_key().ok();
                this.cache.save(&question.key, &entry, series.as_ref());
            });
        } else {
            self.cache.release(&question.key);
            self.tasks
                .spawn_blocking(move || this.cache.erase(&question.key));
        }
    }

    /// Lets a key rest after a failure, twice as long as after the last one.
    fn set_back(&self, question: &Question, failure: impl FnOnce(Duration) -> Failure) -> Failure {
        let last = self.setbacks.get(&question.key);
        let rest = last.map_or(FIRST_REST, |last| {
            last.rest.saturating_mul(2).min(LONGEST_REST)
        });
        let failure = failure(rest);
        let since = self.clock.now();
        self.setbacks.insert(
            question.key.clone(),
            Setback {
                since,
                rest,
                failure: failure.clone(),
            },
        );
        failure
    }

    /// The upstream asked for silence: all processes keep it.
    async fn keep_silent(self: &Arc<Self>, question: &Question, wait: Duration) -> Failure {
        let this = Arc::clone(self);
        let noted = tokio::task::spawn_blocking(move || {
            this.ledger.hold(wait)?;
            this.ledger.quota()
        });
        let now = self.clock.now().wall;
        match noted
            .await
            .unwrap_or_else(|died| Err(Error::internal("the upstream ledger died", died)))
        {
            Ok(quota) => {
                self.note_quota(quota);
                self.set_back(question, |rest| {
                    Failure::spent(&quota, true, wait.max(rest), now)
                })
            }
            Err(error) => {
                tracing::error!(
                    cause = &error as &dyn std::error::Error,
                    "the upstream's wish was not noted"
                );
                self.set_back(question, |rest| {
                    Failure::no_answer("asked for silence", wait.max(rest))
                })
            }
        }
    }
}

/// Whether a retry may be paid for.
fn affordable(purpose: Purpose, quota: &Quota) -> bool {
    purpose != Purpose::Refresh && u64::from(quota.remaining) * 10 >= u64::from(quota.limit) * 3
}
