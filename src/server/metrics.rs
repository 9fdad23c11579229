//! The metrics of the server, rendered in Prometheus' text format on a listener of their own. Labels are routes and names of
//! this program, never text of a request, so their number is bounded.

use super::Shared;
use crate::admission::NamedCounters;
use crate::rest;
use askama::Template;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::clock;
use econoscope_core::error::Error;
use econoscope_core::model::{Date, Timeliness};
use econoscope_data::ingest::SyncReport;
use econoscope_data::pool::Counts;
use econoscope_data::store::ReplicaStatus;
use econoscope_data::upstream::{Quota, UpstreamCounts};
use econoscope_desk::StoreSummary;
use jiff::Timestamp;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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
pub(super) struct SyncCounts {
    /// Syncs that fetched everything that was due.
    complete: u64,
    /// Other syncs.
    incomplete: u64,
    /// Requests that failed or whose responses were rejected, by source.
    failures: BTreeMap<String, u64>,
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
    /// Counts a sync; `None` is one that failed as a whole.
    pub(super) fn add_sync(&self, report: Option<SyncReport>) {
        let mut syncs = self.syncs.lock();
        let is_complete = report.as_ref().is_some_and(SyncReport::is_complete);
        // A cancelled sync says nothing about the sources.
        let is_cancelled = report.as_ref().is_some_and(|report| report.cancelled);
        syncs.complete += u64::from(is_complete);
        syncs.incomplete += u64::from(!is_complete && !is_cancelled);
        for (source, count) in report.into_iter().flat_map(|report| report.failed) {
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

/// The metrics page.
#[derive(Template)]
#[template(path = "metrics.txt")]
struct Page<'a> {
    shared: &'a Shared,
    /// A copy, so that requests do not wait for the rendering.
    routes: BTreeMap<String, RouteStats>,
    syncs: SyncCounts,
    resident: Option<u64>,
    computed: Counts,
    freshness: BTreeMap<&'static str, Freshness>,
    /// `None` if the store cannot be read.
    holdings: Option<Arc<StoreSummary>>,
    /// `None` if the store is not a replica.
    replica: Option<ReplicaStatus>,
    /// `None` on a server that does not forward; the quota is `None` if the ledger cannot be read.
    upstream: Option<(UpstreamCounts, Option<Quota>)>,
    now: Timestamp,
}

/// Answers `/metrics`.
pub(super) async fn page(State(shared): State<Shared>) -> Response {
    let desk = shared.backend.desk();
    let holdings = desk.store_summary().ok();
    let freshness = holdings
        .as_ref()
        .map(|h| freshness_by_frequency(h, desk.today()));
    let upstream = match shared.backend.upstream().cloned() {
        Some(upstream) => {
            let counts = upstream.counts();
            let quota = tokio::task::spawn_blocking(move || upstream.quota().ok()).await;
            Some((counts, quota.ok().flatten()))
        }
        None => None,
    };
    let page = Page {
        shared: &shared,
        routes: shared.metrics.routes.lock().clone(),
        syncs: shared.metrics.syncs.lock().clone(),
        resident: resident_bytes(),
        computed: shared.backend.pool().counts(),
        freshness: freshness.unwrap_or_default(),
        holdings,
        replica: desk.store().replica(),
        upstream,
        now: clock::wall_time(),
    };
    match page.render() {
        Ok(text) => {
            let kind = "text/plain; version=0.0.4; charset=utf-8";
            ([(header::CONTENT_TYPE, kind)], text).into_response()
        }
        Err(error) => rest::respond(&Error::internal("writing metrics", error), "metrics", None),
    }
}

/// Returns the resident memory of this process; `None` without `/proc`.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1_024)
}

/// The series of one frequency.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Freshness {
    series: usize,
    /// Number of series whose next figure is overdue.
    late: usize,
}

/// Returns the freshness of the catalogue's series by frequency, without composites and projections.
fn freshness_by_frequency(
    holdings: &StoreSummary,
    today: Date,
) -> BTreeMap<&'static str, Freshness> {
    let catalogue = Catalogue::embedded();
    let mut groups: BTreeMap<&'static str, Freshness> = BTreeMap::new();
    for status in holdings.iter() {
        let Some(info) = catalogue
            .get(status.id.as_str())
            .filter(|info| !info.is_composite() && status.last <= today)
        else {
            continue;
        };
        let group = groups.entry(info.frequency.word()).or_default();
        group.series += 1;
        let announced = holdings
            .announced
            .next_day(info, status.last)
            .map(|next| next.day);
        let timeliness = Timeliness::new(info, status.last, today, announced);
        group.late += usize::from(timeliness != Timeliness::Current);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::model::{Observation, SeriesId};
    use econoscope_data::store::{Sqlite, Store, Write};
    use econoscope_desk::testing::TestDesk;
    use jiff::civil::date;
    use std::sync::Arc;

    #[test]
    fn late_series_are_counted_by_frequency() {
        let store = Sqlite::in_memory().unwrap();
        for (id, last) in [
            ("DGS10", date(2026, 1, 8)),
            ("DGS2", date(2025, 12, 1)),
            ("UNRATE", date(2025, 12, 1)),
            ("GDPPOT", date(2036, 10, 1)),
        ] {
            let write = Write {
                id: &SeriesId::new(id).unwrap(),
                observations: &[Observation::new(last, 4.0)],
                known_from: None,
                fetched_at: "2026-01-10T00:00:00Z".parse().unwrap(),
                origin: "import",
            };
            store.write(write).unwrap();
        }
        let now = || "2026-01-10T12:00:00Z".parse().unwrap();
        let desk = TestDesk::over(Arc::new(store)).at(now()).open();
        let groups = freshness_by_frequency(&desk.store_summary().unwrap(), desk.today());
        let daily = groups["daily"];
        let monthly = groups["monthly"];
        assert_eq!((daily.series, daily.late), (2, 1), "DGS2 is forty days old");
        assert_eq!((monthly.series, monthly.late), (1, 0));
        assert_eq!(groups.len(), 2, "a projection is not counted");
    }
}
