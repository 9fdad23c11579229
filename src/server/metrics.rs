//! The metrics of the server. Labels are routes and names of this program, never text of a request, so their number is
//! bounded.

use crate::admission::NamedCounters;
use jiff::Timestamp;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// Upper bounds of the histogram's buckets, in seconds.
const BUCKET_BOUNDS: [f64; 10] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 10.0,
];

/// Responses of one route by status, with their duration.
#[derive(Debug, Clone, Default)]
pub(super) struct RouteStats {
    pub(super) statuses: BTreeMap<u16, u64>,
    bucket_counts: [u64; BUCKET_BOUNDS.len()],
    pub(super) time: Duration,
}

impl RouteStats {
    pub(super) fn count(&self) -> u64 {
        self.statuses.values().sum()
    }

    /// Returns each bound with the number of responses up to it.
    pub(super) fn buckets(&self) -> impl Iterator<Item = (f64, u64)> {
        let mut below = 0;
        BUCKET_BOUNDS
            .iter()
            .zip(&self.bucket_counts)
            .map(move |(bound, count)| {
                below += count;
                (*bound, below)
            })
    }
}

/// Counts of the syncs of one process.
#[derive(Debug, Clone, Default)]
pub struct SyncCounts {
    /// Syncs that fetched everything that was due.
    pub complete: u64,
    /// Other syncs.
    pub incomplete: u64,
    /// Requests that failed or whose responses were rejected, by source.
    pub failures: BTreeMap<String, u64>,
}

/// Counters of one process.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    /// Start of the process.
    pub(super) started: Timestamp,
    pub(super) syncs: Mutex<SyncCounts>,
    /// Statistics by the pattern of the route.
    pub(super) routes: Mutex<BTreeMap<String, RouteStats>>,
    /// Closed connections by reason: `too_many`, `gave_way`, `not_accepted`.
    pub(super) closed: NamedCounters,
    /// Attempts to deliver an alert to a webhook, by outcome.
    pub(super) webhooks: NamedCounters,
    /// A gauge: cloned for each request while it is answered.
    pub(super) in_flight: Arc<()>,
    /// A gauge: cloned for each open connection.
    pub(super) connections: Arc<()>,
    /// Connections accepted since the start.
    pub(super) accepted: AtomicU64,
    /// Panics of handlers.
    pub(super) panics: AtomicU64,
}

impl Metrics {
    /// Adds the counts of a sync.
    pub(super) fn add_sync(&self, counts: SyncCounts) {
        let mut syncs = self.syncs.lock();
        syncs.complete += counts.complete;
        syncs.incomplete += counts.incomplete;
        for (source, count) in counts.failures {
            *syncs.failures.entry(source).or_default() += count;
        }
    }

    /// Counts a response.
    pub(super) fn add_response(&self, route: &str, status: u16, time: Duration) {
        let routes = &mut *self.routes.lock();
        let stats = match routes.get_mut(route) {
            Some(stats) => stats,
            None => routes.entry(route.to_owned()).or_default(),
        };
        *stats.statuses.entry(status).or_default() += 1;
        stats.time += time;
        let seconds = time.as_secs_f64();
        let mut buckets = BUCKET_BOUNDS.iter().zip(&mut stats.bucket_counts);
        if let Some((_, count)) = buckets.find(|(bound, _)| seconds <= **bound) {
            *count += 1;
        }
    }
}
