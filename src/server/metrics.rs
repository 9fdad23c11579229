//! What the server counts about itself, in Prometheus' text form, on a listener of its own.
//!
//! Labels come from the routes and tables of this program, never from a request, so their number is fixed.

use super::ages::{self, Age};
use super::shared::Shared;
use crate::admission::{SharedState, Tally};
use crate::clock;
use crate::desk::Holdings;
use crate::error::Error;
use crate::pool::Counts;
use crate::rest;
use crate::store::Following;
use askama::Template;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Upper bounds of the time classes, in seconds.
const BOUNDS: [f64; 10] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 10.0,
];

/// Answers of one route: how many of each status, and how long they took.
#[derive(Debug, Clone, Default)]
struct Answered {
    statuses: BTreeMap<u16, u64>,
    classes: [u64; BOUNDS.len()],
    time: Duration,
}

impl Answered {
    fn count(&self) -> u64 {
        self.statuses.values().sum()
    }

    /// Answers that took at most as long as each bound.
    fn buckets(&self) -> impl Iterator<Item = (f64, u64)> {
        let mut below = 0;
        BOUNDS.iter().zip(&self.classes).map(move |(bound, count)| {
            below += count;
            (*bound, below)
        })
    }
}

/// What the syncs of one process did.
#[derive(Debug, Clone, Default)]
pub struct Synced {
    /// Syncs that brought all that was due.
    pub complete: u64,
    /// Syncs that did not.
    pub incomplete: u64,
    /// Requests that failed or whose answers were refused, by source.
    pub failures: BTreeMap<String, u64>,
}

/// When the process began.
#[derive(Debug)]
struct Started(Timestamp);

impl Default for Started {
    fn default() -> Self {
        Self(clock::wall())
    }
}

/// Counters of one process.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    started: Started,
    synced: Mutex<Synced>,
    /// By the router's own patterns.
    routes: Mutex<BTreeMap<String, Answered>>,
    /// Connections that were closed, by why: `idle`, `slow_header`, `slow_reader`, `flood` …
    pub(super) closed: Tally,
    /// Requests being answered.
    pub(super) in_flight: AtomicI64,
    /// Connections open.
    pub(super) connections: AtomicI64,
    /// Connections taken since the start.
    pub(super) accepted: AtomicU64,
    /// Requests refused for the memory that others of the same caller hold.
    pub(super) held: AtomicU64,
    /// Handlers that panicked.
    pub(super) panics: AtomicU64,
}

impl Metrics {
    /// Adds what a sync did.
    pub(super) fn add(&self, done: Synced) {
        let mut synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        synced.complete += done.complete;
        synced.incomplete += done.incomplete;
        for (source, times) in done.failures {
            *synced.failures.entry(source).or_default() += times;
        }
    }

    /// Counts one answered request.
    pub(super) fn answered(&self, route: &str, status: u16, time: Duration) {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        if !routes.contains_key(route) {
            routes.insert(route.to_owned(), Answered::default());
        }
        let Some(answered) = routes.get_mut(route) else {
            return;
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

/// The page a scraper reads.
#[derive(Template)]
#[template(path = "metrics.txt")]
struct Page {
    routes: BTreeMap<String, Answered>,
    refused: BTreeMap<&'static str, u64>,
    called: BTreeMap<&'static str, u64>,
    closed: BTreeMap<&'static str, u64>,
    in_flight: i64,
    connections: i64,
    accepted: u64,
    panics: u64,
    addresses: usize,
    shared: Option<SharedState>,
    ready: u8,
    resident: Option<u64>,
    version: &'static str,
    computed: Counts,
    started: i64,
    synced: Synced,
    ages: BTreeMap<&'static str, Age>,
    projections: usize,
    /// None while the store cannot be read, which `/ready` tells.
    held: Option<Arc<Holdings>>,
    /// How the copy stands to its database; None where the store is a file of its own.
    following: Option<Followed>,
}

/// How a copy stands to its database, in numbers.
struct Followed {
    away: i64,
    seen: i64,
    writer: u8,
}

impl From<Following> for Followed {
    fn from(following: Following) -> Self {
        let now = clock::wall().as_second();
        let away = |since: Timestamp| now.saturating_sub(since.as_second());
        Self {
            away: following.away_since.map_or(0, away),
            seen: following.seen_at.map_or(0, Timestamp::as_second),
            writer: following.term.is_some().into(),
        }
    }
}

/// Answers a scraper.
pub(super) async fn page(State(shared): State<Shared>) -> Response {
    let (metrics, admission) = (&shared.metrics, &shared.admission);
    let routes = metrics
        .routes
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let mut refused = admission.refused().counts();
    let held = metrics.held.load(Relaxed);
    refused.extend((held > 0).then_some(("held", held)));
    let desk = shared.backend.desk();
    let holdings = desk.holdings().ok();
    let ages = holdings.as_ref().map(|held| ages::of(held, desk.today()));
    let (ages, projections) = ages.unwrap_or_default();
    let synced = metrics
        .synced
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let page = Page {
        routes: routes.clone(),
        refused,
        called: admission.called().counts(),
        closed: metrics.closed.counts(),
        in_flight: metrics.in_flight.load(Relaxed),
        connections: metrics.connections.load(Relaxed),
        accepted: metrics.accepted.load(Relaxed),
        panics: metrics.panics.load(Relaxed),
        addresses: admission.limits().addresses(),
        shared: admission.limits().shared(),
        ready: shared.ready.load(Relaxed).into(),
        resident: resident_bytes(),
        version: env!("CARGO_PKG_VERSION"),
        computed: shared.backend.pool().counts(),
        started: metrics.started.0.as_second(),
        synced: synced.clone(),
        ages,
        projections,
        held: holdings,
        following: desk.store().following().map(Followed::from),
    };
    drop((routes, synced));
    match page.render() {
        Ok(text) => {
            let kind = "text/plain; version=0.0.4; charset=utf-8";
            ([(header::CONTENT_TYPE, kind)], text).into_response()
        }
        Err(error) => rest::respond(&Error::internal("writing metrics", error), "metrics", None),
    }
}

/// Memory of this process as the kernel counts it; none where there is no such file.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1_024)
}
