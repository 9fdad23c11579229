//! Who is next: the caller who has cost least of late, and among equals who came first.
//!
//! Each job is charged [`PROMISED`] when it comes and what it really cost when it is done, so that many that wait are
//! dear before the first of them has run. What was spent counts half after ten seconds.

use super::caller::Caller;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

/// Jobs of callers over the network that may wait.
const MAX_JOBS: usize = 256;
/// Callers whose costs are remembered.
const MAX_ACCOUNTS: usize = 4_096;
/// What a job is taken to cost until it is done, in seconds: the most that one should.
const PROMISED: f64 = 0.010;
/// After so many seconds a cost counts half.
const HALF_LIFE: f64 = 10.0;

/// What a job does. A job that is dropped instead was refused, or nobody waits for it any more.
pub(super) type Start = Box<dyn FnOnce() + Send>;

/// Work that waits for its turn.
pub(super) struct Job {
    pub(super) start: Start,
    pub(super) promise: Reservation,
}

/// [`PROMISED`] as it was charged to a caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reservation {
    pub(super) caller: Caller,
    at: Instant,
}

/// Seconds of processor time as they stood at some moment.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    at: Instant,
}

impl Cost {
    /// What is left of it: half after each [`HALF_LIFE`].
    fn now(self, now: Instant) -> f64 {
        let age = now.saturating_duration_since(self.at).as_secs_f64();
        self.seconds * (-age / HALF_LIFE).exp2()
    }
}

/// What callers have spent of late.
#[derive(Default)]
struct CallerUsage(HashMap<Caller, Cost>);

impl CallerUsage {
    /// The program's own user owes nothing, whatever was done for him.
    fn of(&self, caller: Caller, now: Instant) -> f64 {
        if caller.is_own() {
            return 0.0;
        }
        self.0.get(&caller).map_or(0.0, |spent| spent.now(now))
    }

    fn charge(&mut self, caller: Caller, seconds: f64, now: Instant) {
        if self.0.len() >= MAX_ACCOUNTS && !self.0.contains_key(&caller) {
            self.forget_half(now);
        }
        let seconds = (self.of(caller, now) + seconds).max(0.0);
        self.0.insert(caller, Cost { seconds, at: now });
    }

    fn promise(&mut self, caller: Caller, now: Instant) -> Reservation {
        self.charge(caller, PROMISED, now);
        Reservation { caller, at: now }
    }

    /// Gives back what is left of a promise.
    fn refund(&mut self, promise: Reservation, now: Instant) {
        let (seconds, at) = (PROMISED, promise.at);
        self.charge(promise.caller, -Cost { seconds, at }.now(now), now);
    }

    /// The cheaper half is forgotten: whoever is dear stays so.
    fn forget_half(&mut self, now: Instant) {
        let mut all: Vec<f64> = self.0.values().map(|spent| spent.now(now)).collect();
        let middle = all.len() / 2;
        let (_, middle, _) = all.select_nth_unstable_by(middle, f64::total_cmp);
        let middle = *middle;
        self.0.retain(|_, spent| spent.now(now) > middle);
    }
}

/// What the pool has done and is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Jobs that wait.
    pub waiting: usize,
    /// Jobs done.
    pub done: u64,
    /// Callers sent away because the queue was full.
    pub refused: u64,
    /// Jobs sent away from the queue for somebody who had cost less.
    pub evicted: u64,
}

/// Jobs in the order in which they came, and what their callers have spent.
#[derive(Default)]
pub(super) struct Queue {
    jobs: BTreeMap<u64, Job>,
    next: u64,
    accounts: CallerUsage,
    is_closed: bool,
    counts: Counts,
}

impl Queue {
    /// Takes a job in and gives its number. What comes back besides is refused and to be dropped: this job, or a dearer
    /// one in whose place it stands now.
    pub(super) fn admit(
        &mut self,
        caller: Caller,
        start: Start,
        now: Instant,
    ) -> (u64, Option<Start>) {
        let number = self.next;
        self.next += 1;
        if self.is_closed {
            return (number, Some(start));
        }
        let mut evicted = None;
        let over_network = self
            .jobs
            .values()
            .filter(|job| !job.promise.caller.is_own());
        if !caller.is_own() && over_network.count() >= MAX_JOBS {
            let own = self.accounts.of(caller, now) + PROMISED;
            let Some(dearest) = self.dearer_than(own, now) else {
                self.counts.refused += 1;
                return (number, Some(start));
            };
            self.counts.evicted += 1;
            evicted = self.remove(dearest, now);
        }
        let promise = self.accounts.promise(caller, now);
        self.jobs.insert(number, Job { start, promise });
        (number, evicted)
    }

    /// The newest job of the dearest caller, when that one has cost more than so much.
    fn dearer_than(&self, spent: f64, now: Instant) -> Option<u64> {
        let over_network = self
            .jobs
            .iter()
            .filter(|(_, job)| !job.promise.caller.is_own());
        let (cost, number) = over_network
            .map(|(number, job)| (self.accounts.of(job.promise.caller, now), *number))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
        (cost > spent).then_some(number)
    }

    /// One more waits for a job; it stands for whoever has cost less. A job whose turn has come is left alone.
    pub(super) fn join(&mut self, number: u64, caller: Caller, now: Instant) {
        let Some(job) = self.jobs.get_mut(&number) else {
            return;
        };
        if self.accounts.of(caller, now) + PROMISED < self.accounts.of(job.promise.caller, now) {
            self.accounts.refund(job.promise, now);
            job.promise = self.accounts.promise(caller, now);
        }
    }

    /// Takes a job out that nobody waits for any more; it comes back, to be dropped.
    pub(super) fn remove(&mut self, number: u64, now: Instant) -> Option<Start> {
        let job = self.jobs.remove(&number)?;
        self.accounts.refund(job.promise, now);
        Some(job.start)
    }

    /// The next job, for the caller who has cost least; what was promised stays charged while it runs.
    pub(super) fn pop(&mut self, now: Instant) -> Option<Job> {
        let (_, number) = self
            .jobs
            .iter()
            .map(|(number, job)| (self.accounts.of(job.promise.caller, now), *number))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
        self.jobs.remove(&number)
    }

    /// A job is done: what it really cost takes the place of what was promised.
    pub(super) fn finish(&mut self, promise: Reservation, cost: Duration, now: Instant) {
        self.accounts.refund(promise, now);
        self.accounts
            .charge(promise.caller, cost.as_secs_f64(), now);
        self.counts.done += 1;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Nothing more is taken in; what waited comes back, to be dropped.
    pub(super) fn close(&mut self) -> BTreeMap<u64, Job> {
        self.is_closed = true;
        std::mem::take(&mut self.jobs)
    }

    pub(super) fn counts(&self) -> Counts {
        Counts {
            waiting: self.jobs.len(),
            ..self.counts
        }
    }

    /// Numbers of the jobs that wait.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> impl Iterator<Item = u64> {
        self.jobs.keys().copied()
    }

    /// Callers whose costs are remembered.
    #[cfg(test)]
    pub(super) fn accounts(&self) -> usize {
        self.accounts.0.len()
    }
}
