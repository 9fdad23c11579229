//! The queue: the next job is that of the caller with the lowest recent usage, and among equals the oldest.
//!
//! A job is charged [`RESERVED`] when it enters and its real cost when it is done, so that a caller with many waiting
//! jobs has a high usage before the first of them has run. Usage halves every ten seconds.

use super::caller::{Caller, Priority};
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

/// Waiting jobs of callers over the network.
const MAX_JOBS: usize = 256;
/// Callers whose usage is stored.
const MAX_CALLERS: usize = 4_096;
/// Assumed cost of a job until it is done: the most that a job should take.
const RESERVED: Duration = Duration::from_millis(10);
/// How long a job of the background gives way to requests. After that it has its turn, so that a busy server gets to it, too.
const PATIENCE: Duration = Duration::from_secs(2);
/// Half-life of usage, in seconds.
const HALF_LIFE: f64 = 10.0;

/// The work of a job. It is dropped unrun when the job is refused, or when nobody waits for it any more.
pub(super) type Work = Box<dyn FnOnce() + Send>;

/// A waiting job.
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) reservation: Reservation,
    priority: Priority,
}

impl Job {
    /// Whether it gives way to every request.
    fn yields(&self, now: Instant) -> bool {
        let waited = now.saturating_duration_since(self.reservation.at);
        self.priority == Priority::Background && waited < PATIENCE
    }
}

/// [`RESERVED`] as charged to a caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reservation {
    pub(super) caller: Caller,
    at: Instant,
}

/// Processor time that was used up to a moment.
#[derive(Clone, Copy)]
struct Usage {
    time: Duration,
    at: Instant,
}

impl Usage {
    /// Returns what is left of it.
    fn decayed(self, now: Instant) -> Duration {
        let age = now.saturating_duration_since(self.at).as_secs_f64();
        self.time.mul_f64((-age / HALF_LIFE).exp2())
    }
}

/// Recent usage by caller.
#[derive(Default)]
struct CallerUsage(HashMap<Caller, Usage>);

impl CallerUsage {
    /// Returns the usage of a caller; always 0 for the program's own user.
    fn get(&self, caller: Caller, now: Instant) -> Duration {
        let usage = self.0.get(&caller).filter(|_| !caller.is_local());
        usage.map_or(Duration::ZERO, |usage| usage.decayed(now))
    }

    fn set(&mut self, caller: Caller, time: Duration, now: Instant) {
        if self.0.len() >= MAX_CALLERS && !self.0.contains_key(&caller) {
            self.forget_lower_half(now);
        }
        self.0.insert(caller, Usage { time, at: now });
    }

    fn charge(&mut self, caller: Caller, cost: Duration, now: Instant) {
        let time = self.get(caller, now).saturating_add(cost);
        self.set(caller, time, now);
    }

    fn reserve(&mut self, caller: Caller, now: Instant) -> Reservation {
        self.charge(caller, RESERVED, now);
        Reservation { caller, at: now }
    }

    /// Refunds what is left of a reservation.
    fn refund(&mut self, reservation: Reservation, now: Instant) {
        let Reservation { caller, at } = reservation;
        let time = RESERVED;
        let left = Usage { time, at }.decayed(now);
        self.set(caller, self.get(caller, now).saturating_sub(left), now);
    }

    fn forget_lower_half(&mut self, now: Instant) {
        let mut all: Vec<Duration> = self.0.values().map(|usage| usage.decayed(now)).collect();
        let middle = all.len() / 2;
        let (_, median, _) = all.select_nth_unstable(middle);
        let median = *median;
        self.0.retain(|_, usage| usage.decayed(now) > median);
    }
}

/// Counters of the pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Waiting jobs.
    pub waiting: usize,
    /// Finished jobs.
    pub done: u64,
    /// Jobs that were refused because the queue was full.
    pub refused: u64,
    /// Jobs that were removed from the queue for a caller with less usage.
    pub evicted: u64,
}

/// Waiting jobs by number, in order of arrival.
#[derive(Default)]
pub(super) struct Queue {
    jobs: BTreeMap<u64, Job>,
    next_number: u64,
    usage: CallerUsage,
    /// Whether it refuses jobs.
    pub(super) is_closed: bool,
    counts: Counts,
}

impl Queue {
    /// Adds a job. Returns its number, and the work that the caller must drop: its own when it is refused, or that of a
    /// job that was evicted for it.
    pub(super) fn push(
        &mut self,
        caller: Caller,
        priority: Priority,
        work: Work,
        now: Instant,
    ) -> (u64, Option<Work>) {
        let number = self.next_number;
        self.next_number += 1;
        if self.is_closed {
            return (number, Some(work));
        }
        let mut evicted = None;
        if !caller.is_local() && self.network_jobs().count() >= MAX_JOBS {
            let usage = self.usage.get(caller, now) + RESERVED;
            let candidate = match priority {
                Priority::Request => self.eviction_candidate(usage, now),
                Priority::Background => None,
            };
            let Some(victim) = candidate else {
                self.counts.refused += 1;
                return (number, Some(work));
            };
            self.counts.evicted += 1;
            evicted = self.remove(victim, now);
        }
        let reservation = self.usage.reserve(caller, now);
        let job = Job {
            work,
            reservation,
            priority,
        };
        self.jobs.insert(number, job);
        (number, evicted)
    }

    /// Returns the number and the caller of each job of a caller over the network.
    fn network_jobs(&self) -> impl Iterator<Item = (u64, Caller)> {
        let jobs = self.jobs.iter();
        jobs.map(|(number, job)| (*number, job.reservation.caller))
            .filter(|(_, caller)| !caller.is_local())
    }

    /// Returns the newest job of the caller with the highest usage, when that is above `usage`.
    fn eviction_candidate(&self, usage: Duration, now: Instant) -> Option<u64> {
        let (highest, number) = self
            .network_jobs()
            .map(|(number, caller)| (self.usage.get(caller, now), number))
            .max()?;
        (highest > usage).then_some(number)
    }

    /// Adds a waiting caller to a job, which then counts for the one with the lower usage. Does nothing when the job
    /// has started.
    pub(super) fn join(&mut self, number: u64, caller: Caller, priority: Priority, now: Instant) {
        let Some(job) = self.jobs.get_mut(&number) else {
            return;
        };
        if priority == Priority::Request {
            job.priority = priority;
        }
        let current = self.usage.get(job.reservation.caller, now);
        if self.usage.get(caller, now) + RESERVED < current {
            self.usage.refund(job.reservation, now);
            job.reservation = self.usage.reserve(caller, now);
        }
    }

    /// Removes a job for which nobody waits. Returns its work, to be dropped.
    pub(super) fn remove(&mut self, number: u64, now: Instant) -> Option<Work> {
        let job = self.jobs.remove(&number)?;
        self.usage.refund(job.reservation, now);
        Some(job.work)
    }

    /// Removes the next job, that of the caller with the lowest usage, those of the background last. Its reservation stays
    /// charged while it runs.
    pub(super) fn pop(&mut self, now: Instant) -> Option<Job> {
        // Of equals the first, which is the oldest.
        let next = self.jobs.iter().min_by_key(|(_, job)| {
            let usage = self.usage.get(job.reservation.caller, now);
            (job.yields(now), usage)
        });
        let number = *next?.0;
        self.jobs.remove(&number)
    }

    /// Replaces the reservation of a finished job by its real cost.
    pub(super) fn finish(&mut self, reservation: Reservation, cost: Duration, now: Instant) {
        self.usage.refund(reservation, now);
        self.usage.charge(reservation.caller, cost, now);
        self.counts.done += 1;
    }

    /// Refuses further jobs. Returns the waiting ones, to be dropped.
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

    /// Returns the numbers of the waiting jobs.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> impl Iterator<Item = u64> {
        self.jobs.keys().copied()
    }

    /// Returns the number of callers with a stored usage.
    #[cfg(test)]
    pub(super) fn callers(&self) -> usize {
        self.usage.0.len()
    }
}
