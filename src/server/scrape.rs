//! The metrics as a page.

use super::ages::{self, Age};
use super::metrics::{Answered, Synced};
use super::shared::Shared;
use crate::admission::SharedState;
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
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};

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
