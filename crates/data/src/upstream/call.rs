//! One paid call from the permission to the kept answer.
//!
//! Everything that reaches the upstream is paid for one by one: the call, its one retry, each redirect.
//! A retry is made only while a caller waits and at least 30 % of the allowance is left, never after 429.

use super::cache::{Content, Entry};
use super::core::{BackoffKey, Core, Question, QuestionOutcome};
use super::failure::Failure;
use super::fetch::{NoReply, Reply};
use super::freshness::{DEFAULT_LIFETIME, Policy};
use super::ledger::Ledger;
use super::ledger_state::{Purpose, Quota, Verdict};
use super::request::Kind;
use crate::pool::Caller;
use econoscope_core::clock::jitter;
use econoscope_core::error::{Error, quote};
use std::sync::Arc;
use std::time::Duration;

/// How long after it was asked for a payment is good: half of what the window has more than a day.
const MAX_DELAY: Duration = Duration::from_secs(30);
/// Redirects followed.
const MAX_HOPS: u32 = 2;
/// An unknown name is not asked for again for a day.
const UNKNOWN_LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// A question the upstream refuses is not asked again by this process.
const REFUSED_LIFETIME: Duration = Duration::MAX;
/// After a failure a key rests so long, doubled with each further one.
const FIRST_REST: Duration = Duration::from_secs(30);
const LONGEST_REST: Duration = Duration::from_secs(3600);

impl Core {
    /// Asks the upstream. `held` is confirmed by it where possible.
    pub(super) async fn call(
        self: &Arc<Self>,
        question: &Question,
        held: Option<Arc<Entry>>,
    ) -> Result<QuestionOutcome, Failure> {
        let now = self.clock.now();
        if let Some(failure) = self.barred(&question.key, question.purpose, question.caller, &now) {
            return Err(failure);
        }
        match self.exchange(question, held.as_deref()).await? {
            Ok(Reply::Silence(wait)) => Err(self.keep_silent(question, wait).await),
            Ok(reply) => self.conclude(question, reply, held),
            Err(no_reply) => Err(self.fail(question, &no_reply.what)),
        }
    }

    /// Calls, follows redirects, and retries once where that is allowed.
    async fn exchange(
        self: &Arc<Self>,
        question: &Question,
        held: Option<&Entry>,
    ) -> Result<Result<Reply, NoReply>, Failure> {
        let mut url = question.request.url(&self.config.base).map_err(|error| {
            Failure::no_answer(&format!("cannot be asked: {error}"), LONGEST_REST)
        })?;
        // Only a body can be confirmed; that a name is unknown has to be said anew.
        let held = held.filter(|held| matches!(held.content, Content::Found(_)));
        let confirmable = held.map(|held| &held.policy);
        let (mut hops, mut retried) = (0, false);
        loop {
            let clock = self.clock.as_ref();
            let quota = loop {
                let asked = clock.now();
                let quota = self.pay(question.purpose, question.caller).await?;
                // A process that stood still would call on another day than the one it paid for.
                if clock.now().since(&asked) < MAX_DELAY {
                    break quota;
                }
            };
            let reply = self.fetcher.send(&url, confirmable, clock).await;
            match &reply {
                Err(_) => self.breaker.failed(self.clock.now()),
                Ok(Reply::Silence(_)) => self.breaker.withdrawn(),
                Ok(_) => self.breaker.succeeded(),
            }
            match reply {
                Ok(Reply::Moved(to)) if hops < MAX_HOPS => {
                    hops += 1;
                    url = to;
                }
                Ok(Reply::Moved(_)) => return Ok(Err("redirects too often".into())),
                Err(NoReply {
                    is_transient: true, ..
                }) if !retried && is_affordable(question.purpose, &quota) => {
                    retried = true;
                    let (shortest, longest) = self.config.retry_pause;
                    let pause = shortest + jitter(longest.saturating_sub(shortest));
                    tokio::time::sleep(pause).await;
                }
                reply => return Ok(reply),
            }
        }
    }

    /// Permission for one call: the breaker's, then the ledger's, which takes payment.
    async fn pay(self: &Arc<Self>, purpose: Purpose, caller: Caller) -> Result<Quota, Failure> {
        let now = self.clock.now();
        self.breaker.admit(now).map_err(|left| {
            let what = "failed several times in a row and is left alone for a while";
            Failure::no_answer(what, left)
        })?;
        let paid = self.on_ledger(move |ledger| ledger.pay(purpose, caller));
        let failure = match paid.await {
            Ok(Verdict::Granted(quota)) => {
                self.note_quota(quota);
                return Ok(quota);
            }
            Ok(Verdict::Refused {
                wait,
                held,
                is_share,
                quota,
            }) => {
                self.note_quota(quota);
                let failure = match is_share {
                    true => Failure::share_spent(&quota, wait, now.wall),
                    false => Failure::spent(&quota, held, wait, now.wall),
                };
                // Nobody asks the ledger again too early.
                let whose = is_share.then_some(caller);
                self.set_back(BackoffKey::Purpose(purpose, whose), wait, &failure);
                failure
            }
            Err(error) => Failure::no_answer(&format!("was not asked: {error}"), FIRST_REST),
        };
        self.breaker.withdrawn();
        Err(failure)
    }

    /// Runs what blocks on the ledger's file. A failure is logged.
    async fn on_ledger<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Ledger) -> econoscope_core::Result<T> + Send + 'static,
    ) -> econoscope_core::Result<T> {
        let this = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&this.ledger)).await;
        let done = done.unwrap_or_else(|e| Err(Error::internal("the upstream ledger died", e)));
        done.inspect_err(|error| {
            let cause = error as &dyn std::error::Error;
            tracing::error!(cause, "the upstream ledger cannot be used");
        })
    }

    /// Turns a reply into an entry and keeps it, or into a failure and remembers that.
    fn conclude(
        self: &Arc<Self>,
        question: &Question,
        reply: Reply,
        held: Option<Arc<Entry>>,
    ) -> Result<QuestionOutcome, Failure> {
        let request = &question.request;
        let (content, policy) = match (reply, held) {
            (Reply::Found(body, policy), _) => {
                if let Some(Err(problem)) = request.check.map(|check| check(&body)) {
                    return Err(self.fail(question, &format!("broke its contract: {problem}")));
                }
                (Content::Found(body), policy)
            }
            (Reply::Unchanged(policy), Some(held)) => {
                (held.content.clone(), held.policy.confirmed(policy))
            }
            (Reply::Unknown(name), _) => {
                let asked = || request.segments.last().map(|name| quote(name));
                let lifetime = match request.kind {
                    Kind::Interactive => UNKNOWN_LIFETIME,
                    // "No regime at present" may end at any time.
                    Kind::Shared => self.ledger.pace().max(DEFAULT_LIFETIME),
                };
                let name = name.or_else(asked).unwrap_or_default();
                (Content::Unknown(name), Policy::ours(lifetime))
            }
            (Reply::Refused, _) => (Content::Refused, Policy::ours(REFUSED_LIFETIME)),
            (Reply::Unchanged(_) | Reply::Silence(_) | Reply::Moved(_), _) => {
                return Err(self.fail(question, "gave an answer to another question"));
            }
        };
        let entry = Arc::new(Entry {
            content,
            fetched: self.clock.now(),
            policy,
        });
        self.keep(question, &entry);
        Ok(QuestionOutcome {
            entry,
            is_fetched: true,
        })
    }

    /// Into memory at once, onto disk behind the caller's back.
    fn keep(self: &Arc<Self>, question: &Question, entry: &Arc<Entry>) {
        self.setbacks.remove(&BackoffKey::Key(question.key.clone()));
        if entry.policy.is_storable {
            self.cache.remember(&question.key, Arc::clone(entry));
        }
        let (this, question, entry) = (Arc::clone(self), question.clone(), Arc::clone(entry));
        self.tasks.spawn_blocking(move || {
            if entry.policy.is_storable {
                this.cache.save(&question.key, &entry);
            } else {
                this.cache.forget(&question.key);
            }
        });
    }

    /// How long a key rests after a failure: twice as long as after the last one.
    fn rest(&self, question: &Question) -> Duration {
        let last = self.setbacks.get(&BackoffKey::Key(question.key.clone()));
        last.map_or(FIRST_REST, |last| {
            last.rest.saturating_mul(2).min(LONGEST_REST)
        })
    }

    /// Notes that the upstream gave no answer.
    fn fail(&self, question: &Question, what: &str) -> Failure {
        let rest = self.rest(question);
        let failure = Failure::no_answer(what, rest);
        self.set_back(BackoffKey::Key(question.key.clone()), rest, &failure);
        failure
    }

    /// The upstream asked for silence: all processes keep it.
    async fn keep_silent(self: &Arc<Self>, question: &Question, wait: Duration) -> Failure {
        let noted = self.on_ledger(move |ledger| {
            ledger.hold(wait)?;
            ledger.quota()
        });
        let rest = self.rest(question);
        let wait = wait.max(rest);
        let failure = match noted.await {
            Ok(quota) => {
                self.note_quota(quota);
                Failure::spent(&quota, true, wait, self.clock.now().wall)
            }
            Err(_) => Failure::no_answer("asked for silence", wait),
        };
        self.set_back(BackoffKey::Key(question.key.clone()), rest, &failure);
        failure
    }
}

/// Whether a retry may be paid for.
fn is_affordable(purpose: Purpose, quota: &Quota) -> bool {
    purpose != Purpose::Refresh && u64::from(quota.remaining) * 10 >= u64::from(quota.limit) * 3
}
