//! The metrics as a page.

use super::ages::{self, Age};
use super::metrics::{Answered, Metrics, Synced};
use super::shared::Shared;
use crate::admission::Admission;
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
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The page a scraper reads.
#[derive(Template)]
#[template(path = "metrics.txt")]
struct Page<'a> {
    metrics: &'a Metrics,
    admission: &'a Admission,
    /// Copied, so that requests need not wait until the page is written.
    routes: BTreeMap<String, Answered>,
    refused: BTreeMap<&'static str, u64>,
    synced: Synced,
    ready: bool,
    resident: Option<u64>,
    computed: Counts,
    ages: BTreeMap<&'static str, Age>,
    projections: usize,
    /// None while the store cannot be read, which `/ready` tells.
    held: Option<Arc<Holdings>>,
    /// How the copy stands to its database; None where the store is a file of its own.
    following: Option<Following>,
    now: Timestamp,
}

/// Answers a scraper.
pub(super) async fn page(State(shared): State<Shared>) -> Response {
    let (metrics, admission) = (&shared.metrics, &shared.admission);
    let mut refused = admission.refused.counts();
    let held = metrics.held.load(Ordering::Relaxed);
    refused.extend((held > 0).then_some(("held", held)));
    let desk = shared.backend.desk();
    let holdings = desk.holdings().ok();
    let ages = holdings.as_ref().map(|held| ages::of(held, desk.today()));
    let (ages, projections) = ages.unwrap_or_default();
    let page = Page {
        metrics,
        admission,
        routes: metrics.routes.lock().clone(),
        refused,
        synced: metrics.synced.lock().clone(),
        ready: shared.ready.load(Ordering::Relaxed),
        resident: resident_bytes(),
        computed: shared.backend.pool().counts(),
        ages,
        projections,
        held: holdings,
        following: desk.store().following(),
        now: clock::wall(),
    };
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
