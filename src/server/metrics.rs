//! What the server counts about itself, in Prometheus' text form, on a listener of its own.
//!
//! Labels come from the routes and tables of this program, never from a request, so their number is fixed.

use crate::admission::NamedCounters;
use jiff::Timestamp;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// Upper bounds of the time classes, in seconds.
const BOUNDS: [f64; 10] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 10.0,
];

/// Answers of one route: how many of each status, and how long they took.
#[derive(Debug, Clone, Default)]
pub(super) struct RouteStats {
    pub(super) statuses: BTreeMap<u16, u64>,
    classes: [u64; BOUNDS.len()],
    pub(super) time: Duration,
}

impl RouteStats {
    pub(super) fn count(&self) -> u64 {
        self.statuses.values().sum()
    }

    /// Answers that took at most as long as each bound.
    pub(super) fn buckets(&self) -> impl Iterator<Item = (f64, u64)> {
        let mut below = 0;
        BOUNDS.iter().zip(&self.classes).map(move |(bound, count)| {
            below += count;
            (*bound, below)
        })
    }
}

/// What the syncs of one process did.
#[derive(Debug, Clone, Default)]
pub struct SyncCounts {
    /// Syncs that brought all that was due.
    pub complete: u64,
    /// Syncs that did not.
    pub incomplete: u64,
    /// Requests that failed or whose answers were refused, by source.
    pub failures: BTreeMap<String, u64>,
}

/// Counters of one process.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    /// When the process began.
    pub(super) started: Timestamp,
    pub(super) synced: Mutex<SyncCounts>,
    /// By the router's own patterns.
    pub(super) routes: Mutex<BTreeMap<String, RouteStats>>,
    /// Connections that were refused, by why: `too_many`, `not_accepted`.
    pub(super) closed: NamedCounters,
    /// Attempts to deliver an alert to a webhook, by what came of them.
    pub(super) webhooks: NamedCounters,
    /// Held once more for each request being answered, however that ends.
    pub(super) in_flight: Arc<()>,
    /// Held once more for each connection that is open.
    pub(super) connections: Arc<()>,
    /// Connections taken since the start.
    pub(super) accepted: AtomicU64,
    /// Handlers that panicked.
    pub(super) panics: AtomicU64,
}

impl Metrics {
    /// Adds what a sync did.
    pub(super) fn add(&self, done: SyncCounts) {
        let mut synced = self.synced.lock();
        synced.complete += done.complete;
        synced.incomplete += done.incomplete;
        for (source, times) in done.failures {
            *synced.failures.entry(source).or_default() += times;
        }
    }

    /// Counts one answered request.
    pub(super) fn answered(&self, route: &str, status: u16, time: Duration) {
        let routes = &mut *self.routes.lock();
        let answered = match routes.get_mut(route) {
            Some(answered) => answered,
            None => routes.entry(route.to_owned()).or_default(),
        };
        *answered.statuses.entry(status).or_default() += 1;
        answered.time += time;
        let seconds = time.as_secs_f64();
        let class = BOUNDS.iter().position(|bound| seconds <= *bound);
        if let Some(count) = class.and_then(|class| answered.classes.get_mut(class)) {
            *count += 1;
        }
    }
}
