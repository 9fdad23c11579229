//! The way from a question that memory cannot answer to an entry: disk, a wider range, one paid call.

use super::allowance::Purpose;
use super::breaker::Breaker;
use super::cache::{Answer, Cache, Entry, Standing};
use super::clock::{Clock, Moment};
use super::failure::Failure;
use super::fetch::Fetcher;
use super::flight::{Boarding, Flights, Landed, Landing, Passage};
use super::freshness::Policy;
use super::ledger::{Ledger, Quota};
use super::request::{Key, Request, check_base};
use super::slice::cut;
use super::state::State;
use super::{Freshness, UpstreamConfig};
use crate::error::Result;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_util::task::TaskTracker;

/// The quota kept for answers is read again after so long.
const QUOTA_AGE: Duration = Duration::from_secs(60);

/// A failure that holds for a while, so that it is not paid for again at once.
#[derive(Debug, Clone)]
pub(super) struct Setback {
    pub(super) since: Moment,
    pub(super) rest: Duration,
    pub(super) failure: Failure,
}

impl Setback {
    /// The failure, while it holds.
    fn standing(&self, now: &Moment) -> Option<Failure> {
        let left = self.rest.saturating_sub(now.since(&self.since));
        (left > Duration::ZERO).then(|| self.failure.after(left))
    }
}

/// A request, what it is known by and why it is asked.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) key: Key,
    pub(super) request: Arc<Request>,
    pub(super) purpose: Purpose,
}

/// Everything an upstream consists of.
pub(super) struct Refill {
    pub(super) config: UpstreamConfig,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) cache: Cache,
    pub(super) ledger: Ledger,
    pub(super) breaker: Breaker,
    pub(super) fetcher: Fetcher,
    pub(super) tasks: TaskTracker,
    flights: Arc<Flights>,
    pub(super) setbacks: crate::cache::Cache<Key, Setback>,
    /// The ledger said no, for a purpose: nobody asks it again before the time.
    gates: Mutex<Vec<(Purpose, Setback)>>,
    quota: Mutex<(Moment, Quota)>,
    /// Little is left: only then a hit looks at the quota.
    low: AtomicBool,
}

impl Refill {
    pub(super) fn open(config: UpstreamConfig, clock: Arc<dyn Clock>) -> Result<Self> {
        check_base(&config.base)?;
        let now = clock.now();
        let State {
            ledger,
            cache,
            lost,
        } = State::open(config.state.as_deref(), now.wall)?;
        // The allowance belongs to the host, the answers to the address.
        let host = config.base.origin().ascii_serialization();
        let address = config.base.as_str().trim_end_matches('/');
        let disk_bytes = match config.state {
            Some(_) => config.disk_bytes,
            None => config.memory_bytes / 2,
        };
        let ledger = Ledger::over(ledger, &host, config.daily_limit, Arc::clone(&clock), lost)?;
        let quota = ledger.quota()?;
        Ok(Self {
            cache: Cache::new(cache, address, config.memory_bytes, disk_bytes),
            fetcher: Fetcher::new(&config.base, config.timeout, config.max_body)?,
            ledger,
            breaker: Breaker::default(),
            flights: Arc::default(),
            tasks: TaskTracker::new(),
            setbacks: crate::cache::Cache::new(10_000),
            gates: Mutex::default(),
            quota: Mutex::new((now, quota)),
            low: AtomicBool::new(quota.is_low()),
            config,
            clock,
        })
    }

    pub(super) async fn settle(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
    }

    /// Whether a stale entry should be renewed now. Cheap: asked on every stale hit.
    pub(super) fn due(&self, key: &Key, entry: &Entry, now: Moment) -> bool {
        now.since(&entry.fetched) >= self.ledger.pace()
            && self.gate(Purpose::Refresh, &now).is_none()
            && self.breaker.closed_for(now) == Duration::ZERO
            && self.setback(key, &now).is_none()
    }

    /// How a stale answer is marked: was the last try to renew it in vain?
    pub(super) fn staleness(&self, key: &Key) -> Freshness {
        if self.breaker.is_open() || self.setbacks.contains_key(key) {
            Freshness::Offline
        } else {
            Freshness::Stale
        }
    }

    /// The quota, when little of it is left; at most a minute old.
    pub(super) fn little_left(self: &Arc<Self>, now: Moment) -> Option<Quota> {
        if !self.low.load(Ordering::Relaxed) {
            return None;
        }
        let mut seen = self.quota.lock().unwrap_or_else(PoisonError::into_inner);
        let quota = seen.1;
        if now.since(&seen.0) >= QUOTA_AGE {
            seen.0 = now;
            let this = Arc::clone(self);
            self.tasks
                .spawn_blocking(move || match this.ledger.quota() {
                    Ok(quota) => this.note_quota(quota),
                    Err(error) => {
                        tracing::warn!(cause = &error as &dyn std::error::Error, "no quota")
                    }
                });
        }
        Some(quota)
    }

    pub(super) fn note_quota(&self, quota: Quota) {
        self.low.store(quota.is_low(), Ordering::Relaxed);
        *self.quota.lock().unwrap_or_else(PoisonError::into_inner) = (self.clock.now(), quota);
    }

    /// Joins or starts the one flight of a key.
    pub(super) fn fetch(
        self: &Arc<Self>,
        key: &Key,
        request: &Arc<Request>,
        purpose: Purpose,
        held: Option<&Arc<Entry>>,
    ) -> Passage {
        let newer = || {
            let now = self.cache.recall(key)?;
            held.is_none_or(|held| !Arc::ptr_eq(held, &now))
                .then_some(now)
        };
        match self.flights.board(key, newer) {
            Boarding::Joined(ticket) => Passage::Awaited(ticket),
            Boarding::Arrived(entry) => Passage::Arrived(Landed {
                entry,
                fetched: false,
            }),
            Boarding::Started(pilot, ticket) => {
                let (this, held) = (Arc::clone(self), held.cloned());
                let question = Question {
                    key: key.clone(),
                    request: Arc::clone(request),
                    purpose,
                };
                self.tasks.spawn(async move {
                    let landing = this.fly(question, held).await;
                    pilot.land(landing);
                });
                Passage::Awaited(ticket)
            }
        }
    }

    async fn fly(self: Arc<Self>, question: Question, held: Option<Arc<Entry>>) -> Landing {
        let (this, asked, newest) = (Arc::clone(&self), question.clone(), held.clone());
        let kept =
            tokio::task::spawn_blocking(move || this.look_up(&asked, newest.as_deref())).await;
        let (entry, usable) = kept.unwrap_or_else(|error| {
            tracing::error!(%error, "reading the upstream cache died");
            (None, false)
        });
        let entry = entry.map(Arc::new);
        match entry {
            Some(entry) if usable => {
                self.cache.remember(&question.key, Arc::clone(&entry));
                Ok(Landed {
                    entry,
                    fetched: false,
                })
            }
            newer => self.call(&question, newer.or(held)).await,
        }
    }

    /// What the disk holds that is newer than `held`, and whether it will do. Blocks.
    fn look_up(&self, question: &Question, held: Option<&Entry>) -> (Option<Entry>, bool) {
        let Question {
            key,
            request,
            purpose,
        } = question;
        let now = self.clock.now();
        let proved = |entry: &Entry| match (&entry.answer, request.check) {
            // Written by another version of this program, perhaps, which took less care.
            (Answer::Found(body), Some(check)) => check(body).is_ok(),
            _ => true,
        };
        let will_do = |entry: &Entry| {
            proved(entry)
                && match entry.standing(&now, request.max_stale) {
                    Standing::Fresh => true,
                    // Another process renewed it a moment ago, or a caller has nothing better.
                    Standing::Stale(_) => {
                        *purpose != Purpose::Refresh
                            || now.since(&entry.fetched) < self.ledger.pace()
                    }
                    Standing::Spent => false,
                }
        };
        let newer = |entry: &Entry| {
            held.is_none_or(|held| now.since(&entry.fetched) < now.since(&held.fetched))
        };
        let loaded = self.cache.load(key).filter(newer);
        if loaded.as_ref().is_some_and(will_do) {
            return (loaded, true);
        }
        let Some((slice, series)) = request.slice.zip(request.series_key().ok()) else {
            return (loaded, false);
        };
        let mut wider = self.cache.wider(&series, slice).into_iter();
        let fitting = wider.find_map(|entry| {
            let Answer::Found(body) = &entry.answer else {
                return None;
            };
            if !will_do(&entry) || !newer(&entry) {
                return None;
            }
            let body = cut(body, request.media, entry.slice?, slice)?;
            let policy = Policy {
                etag: None,
                modified: None,
                ..entry.policy
            };
            Some(Entry {
                answer: Answer::Found(body),
                slice: Some(slice),
                policy,
                ..entry
            })
        });
        let usable = fitting.is_some();
        (fitting.or(loaded), usable)
    }

    fn setback(&self, key: &Key, now: &Moment) -> Option<Failure> {
        self.setbacks.get(key)?.standing(now)
    }

    fn gate(&self, purpose: Purpose, now: &Moment) -> Option<Failure> {
        let gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates
            .iter()
            .find(|(shut, _)| *shut == purpose)?
            .1
            .standing(now)
    }

    /// Notes the ledger's no, so that nobody asks it again too early.
    pub(super) fn shut_gate(&self, purpose: Purpose, setback: Setback) {
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.retain(|(shut, _)| *shut != purpose);
        gates.push((purpose, setback));
    }

    /// Why a question must not be asked now, if so.
    pub(super) fn barred(&self, question: &Question, now: &Moment) -> Option<Failure> {
        self.setback(&question.key, now)
            .or_else(|| self.gate(question.purpose, now))
    }
}
