//! The queue: the next job is that of the caller whose use ends first, and among equals the oldest.
//!
//! A caller's use ends now, or later when its jobs took time: a job adds [`RESERVED`] when it enters, so that a caller
//! with many waiting jobs comes late before the first of them has run, and its real cost instead when it is done. A
//! second of work is forgotten a second later (the generic cell rate algorithm).

use super::caller::Caller;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

/// Waiting jobs of callers over the network.
const MAX_JOBS: usize = 256;
/// Assumed cost of a job until it is done: the most that a job should take.
const RESERVED: Duration = Duration::from_millis(10);

/// The work of a job. It is dropped unrun when the job is refused, or when nobody waits for it any more.
pub(super) type Work = Box<dyn FnOnce() + Send>;

/// A waiting job.
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) caller: Caller,
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
    /// End of each caller's use, unless it is over. Work ends at least as fast as it is forgotten, so few callers are
    /// here at any time.
    used_until: HashMap<Caller, Instant>,
    is_closed: bool,
    counts: Counts,
}

impl Queue {
    /// Adds a job. Returns its number, and the work that the caller must drop: its own when it is refused, or that of a
    /// job that was evicted for it.
    pub(super) fn push(&mut self, caller: Caller, work: Work, now: Instant) -> (u64, Option<Work>) {
        let number = self.next_number;
        self.next_number += 1;
        if self.is_closed {
            return (number, Some(work));
        }
        let mut evicted = None;
        let network_jobs = self.jobs.iter().filter(|(_, job)| !job.caller.is_local());
        if !caller.is_local() && network_jobs.clone().count() >= MAX_JOBS {
            let newest = network_jobs.map(|(number, job)| (self.use_end(job.caller, now), *number));
            let own_end = self.use_end(caller, now).map(|end| end + RESERVED);
            let Some((_, victim)) = newest.max().filter(|(end, _)| *end > own_end) else {
                self.counts.refused += 1;
                return (number, Some(work));
            };
            self.counts.evicted += 1;
            evicted = self.remove(victim);
        }
        self.charge(caller, RESERVED, now);
        self.jobs.insert(number, Job { work, caller });
        (number, evicted)
    }

    /// Returns when the use of a caller ends; `None`, which is before every end, for the program's own user.
    fn use_end(&self, caller: Caller, now: Instant) -> Option<Instant> {
        let end = self.used_until.get(&caller).copied().unwrap_or(now);
        (!caller.is_local()).then_some(end.max(now))
    }

    fn charge(&mut self, caller: Caller, cost: Duration, now: Instant) {
        self.used_until.retain(|_, end| *end > now);
        if let Some(end) = self.use_end(caller, now) {
            self.used_until.insert(caller, end + cost);
        }
    }

    /// Takes back the reservation of a job.
    fn refund(&mut self, caller: Caller) {
        if let Some(end) = self.used_until.get_mut(&caller) {
            *end = end.checked_sub(RESERVED).unwrap_or(*end);
        }
    }

    /// Adds a waiting caller to a job, which then counts for the one whose use ends first. Does nothing when the job has
    /// started.
    pub(super) fn join(&mut self, number: u64, caller: Caller, now: Instant) {
        let Some(current) = self.jobs.get(&number).map(|job| job.caller) else {
            return;
        };
        let own_end = self.use_end(caller, now).map(|end| end + RESERVED);
        if own_end < self.use_end(current, now) {
            self.refund(current);
            self.charge(caller, RESERVED, now);
            if let Some(job) = self.jobs.get_mut(&number) {
                job.caller = caller;
            }
        }
    }

    /// Removes a job for which nobody waits. Returns its work, to be dropped.
    pub(super) fn remove(&mut self, number: u64) -> Option<Work> {
        let job = self.jobs.remove(&number)?;
        self.refund(job.caller);
        Some(job.work)
    }

    /// Removes the next job. Its reservation stays charged while it runs.
    pub(super) fn pop(&mut self, now: Instant) -> Option<Job> {
        let jobs = self.jobs.iter();
        let (_, number) = jobs
            .map(|(n, job)| (self.use_end(job.caller, now), *n))
            .min()?;
        self.jobs.remove(&number)
    }

    /// Replaces the reservation of a finished job by its real cost.
    pub(super) fn finish(&mut self, caller: Caller, cost: Duration, now: Instant) {
        self.refund(caller);
        self.charge(caller, cost, now);
        self.counts.done += 1;
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
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

    /// Returns the number of callers with a stored use.
    #[cfg(test)]
    pub(super) fn callers(&self) -> usize {
        self.used_until.len()
    }
}
