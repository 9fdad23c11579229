//! Series whose newest figures a caller waits for. A running sync fetches them first; between two syncs a small one of
//! them alone is run, at once for all callers.

use econoscope_core::model::SeriesId;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How long a caller waits for a source.
const PATIENCE: Duration = Duration::from_secs(2);
/// A series is requested again after this time at the earliest, even if no source had it.
const RETRY: Duration = Duration::from_secs(3_600);
/// Most series that are remembered as requested.
const MAX_REQUESTED: usize = 2_000;

/// The series that callers wait for, shared by the sync and those who answer.
#[derive(Debug, Default)]
pub struct Wanted(watch::Sender<Requests>);

#[derive(Debug, Default)]
struct Requests {
    /// Whether this process syncs.
    is_served: bool,
    /// Series that the running sync has not come to; `None` when none runs.
    due: Option<BTreeSet<SeriesId>>,
    /// Another process that shares the store syncs until then.
    elsewhere_until: Option<Instant>,
    wanted: BTreeSet<SeriesId>,
    requested_at: BTreeMap<SeriesId, Instant>,
}

impl Requests {
    fn is_elsewhere(&self) -> bool {
        self.elsewhere_until.is_some_and(|end| Instant::now() < end)
    }

    /// Adds a series, if a sync can bring a newer figure. Returns whether it did.
    fn add(&mut self, id: &SeriesId) -> bool {
        let is_recent = |at: &Instant| at.elapsed() < RETRY;
        let is_open = match &self.due {
            Some(due) => due.contains(id),
            None => !self.requested_at.get(id).is_some_and(is_recent),
        };
        if self.is_served
            && !self.is_elsewhere()
            && is_open
            && self.requested_at.len() < MAX_REQUESTED
        {
            self.requested_at.insert(id.clone(), Instant::now());
            self.wanted.insert(id.clone());
        }
        self.wanted.contains(id)
    }
}

impl Wanted {
    /// Waits until the sync has come to the series that are due, for at most two seconds. Returns whether it has; of the
    /// sync of another process that is unknown, and nobody waits for it.
    pub async fn fetch(&self, ids: &[SeriesId]) -> bool {
        let mut receiver = self.0.subscribe();
        self.0
            .send_if_modified(|requests| ids.iter().filter(|id| requests.add(id)).count() > 0);
        let is_done = |requests: &Requests| !ids.iter().any(|id| requests.wanted.contains(id));
        let done = tokio::time::timeout(PATIENCE, receiver.wait_for(is_done)).await;
        done.is_ok() && !self.is_elsewhere()
    }

    /// Whether another process that shares the store syncs.
    pub fn is_elsewhere(&self) -> bool {
        self.0.borrow().is_elsewhere()
    }

    /// Notes that another process syncs, for some time from now. Nobody waits any more.
    pub fn leave_to_other(&self, time: Duration) {
        self.end();
        let until = Instant::now().checked_add(time);
        self.0
            .send_modify(|requests| requests.elsewhere_until = until);
    }

    /// Waits for a series that a caller wants, and returns all of them.
    pub async fn next(&self) -> Vec<SeriesId> {
        let mut receiver = self.0.subscribe();
        let change = receiver.wait_for(|requests| !requests.wanted.is_empty());
        let requests = change.await.ok();
        requests.map_or_else(Vec::new, |requests| {
            requests.wanted.iter().cloned().collect()
        })
    }

    /// Whether one of these series is wanted.
    pub(super) fn contains_any<'a>(&self, ids: impl IntoIterator<Item = &'a SeriesId>) -> bool {
        let requests = self.0.borrow();
        ids.into_iter().any(|id| requests.wanted.contains(id))
    }

    /// Whether this process syncs, now and at an interval.
    pub fn is_served(&self) -> bool {
        self.0.borrow().is_served
    }

    /// Says whether this process syncs.
    pub fn set_served(&self, is_served: bool) {
        self.0
            .send_modify(|requests| requests.is_served = is_served);
    }

    /// Begins a sync of the series that are due.
    pub(super) fn begin(&self, due: BTreeSet<SeriesId>) {
        self.0.send_modify(|requests| {
            requests.due = Some(due);
            requests.elsewhere_until = None;
        });
    }

    /// Notes that the sync has come to a series.
    pub(super) fn settle(&self, id: &SeriesId) {
        self.0.send_modify(|requests| {
            requests.wanted.remove(id);
            if let Some(due) = &mut requests.due {
                due.remove(id);
            }
        });
    }

    /// Ends a sync: nobody waits any more.
    pub fn end(&self) {
        self.0.send_modify(|requests| {
            requests.wanted.clear();
            requests.due = None;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn id(text: &str) -> SeriesId {
        SeriesId::new(text).unwrap()
    }

    #[tokio::test]
    async fn nobody_waits_for_what_no_sync_brings() {
        let wanted = Wanted::default();
        assert!(wanted.fetch(&[id("HOUST")]).await, "nobody syncs");
        wanted.set_served(true);
        wanted.begin([id("DGS10")].into());
        assert!(wanted.fetch(&[id("HOUST")]).await, "it is not due");
        assert!(!wanted.contains_any(&[id("HOUST")]));
    }

    #[tokio::test]
    async fn caller_waits_two_seconds_and_series_are_requested_once() {
        let wanted = Arc::new(Wanted::default());
        wanted.set_served(true);
        let before = tokio::time::Instant::now();
        assert!(!wanted.fetch(&[id("HOUST")]).await);
        assert!(before.elapsed() >= PATIENCE);
        assert_eq!(wanted.next().await, [id("HOUST")]);
        let callers = [(); 3].map(|()| {
            let wanted = Arc::clone(&wanted);
            tokio::spawn(async move { wanted.fetch(&[id("HOUST")]).await })
        });
        tokio::task::yield_now().await;
        wanted.begin([id("HOUST")].into());
        assert!(wanted.contains_any(&[id("HOUST")]));
        wanted.settle(&id("HOUST"));
        for caller in callers {
            assert!(caller.await.unwrap());
        }
        wanted.end();
        assert!(
            wanted.fetch(&[id("HOUST")]).await,
            "not again within the hour"
        );
    }

    #[tokio::test]
    async fn sync_of_another_process_is_said_and_not_waited_for() {
        let wanted = Arc::new(Wanted::default());
        wanted.set_served(true);
        let caller = Arc::clone(&wanted);
        let first = tokio::spawn(async move { caller.fetch(&[id("HOUST")]).await });
        assert_eq!(wanted.next().await, [id("HOUST")]);
        // The lease is held by another process.
        wanted.leave_to_other(Duration::from_secs(60));
        assert!(!first.await.unwrap(), "it is being fetched");
        let before = Instant::now();
        assert!(!wanted.fetch(&[id("PERMIT")]).await, "so is any other");
        assert!(before.elapsed() < PATIENCE);
        wanted.leave_to_other(Duration::ZERO);
        assert!(
            wanted.fetch(&[id("HOUST")]).await,
            "the other process is done"
        );
    }
}
