//! `/health`: the process is alive. `/ready`: it accepts requests, and its store can be read.

use super::Shared;
use crate::rest;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use econoscope_core::error::{Error, Result};
use econoscope_data::ingest;
use econoscope_data::store::Store;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// How long the outcome of a check of the store is used again: the check reads rows, and `/ready` is not charged.
const MAX_AGE: Duration = Duration::from_millis(500);

/// The last check of the store: when it ran (`None` before the first) and its outcome.
pub(super) type StoreProbe = Mutex<(Option<Instant>, Result<()>)>;

/// Answers as long as the process is alive.
pub(super) async fn alive() -> Response {
    let body = json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") });
    uncached(StatusCode::OK, body)
}

/// Tells a load balancer whether to send requests here.
pub(super) async fn ready(State(shared): State<Shared>) -> Response {
    if !shared.ready.load(Ordering::SeqCst) {
        let body = json!({ "status": "stopping", "error": "The server is shutting down." });
        return uncached(StatusCode::SERVICE_UNAVAILABLE, body);
    }
    let desk = shared.backend.desk();
    let mut probe = shared.probe.lock().await;
    if probe.0.is_none_or(|at| at.elapsed() >= MAX_AGE) {
        let store = Arc::clone(desk.store());
        let outcome = tokio::task::spawn_blocking(move || store.probe())
            .await
            .unwrap_or_else(|e| Err(Error::internal("checking the store", e)));
        *probe = (Some(Instant::now()), outcome);
    }
    match probe.1.clone().and_then(|()| desk.store_summary()) {
        Ok(holdings) => {
            let mut body = json!({
                "status": "ok",
                "data": if holdings.is_bundled { "bundled history" } else { "store" },
                "series": holdings.count,
                "updated_at": holdings.updated_at().map(|t| t.to_string()),
                "last_sync": holdings.last_sync.map(|t| t.to_string()),
                "missed_series": missed_series(desk.store().as_ref()),
            });
            // A replica is ready without its database.
            let replica = desk.store().replica();
            if let Some((replica, body)) = replica.zip(body.as_object_mut()) {
                let database = json!({
                    "away_since": replica.away_since.map(|t| t.to_string()),
                    "seen_at": replica.seen_at.map(|t| t.to_string()),
                    "writes_in_term": replica.term,
                });
                body.insert("database".to_owned(), database);
            }
            uncached(StatusCode::OK, body)
        }
        Err(error) => unready(&error),
    }
}

/// The number of series that the last sync could not fetch.
fn missed_series(store: &dyn Store) -> Option<usize> {
    let missed = ingest::last_missed(store).ok()?;
    Some(missed.iter().map(|reason| reason.count).sum())
}

fn unready(error: &Error) -> Response {
    let mut response = rest::respond(error, "ready", None);
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response
}

fn uncached(status: StatusCode, body: Value) -> Response {
    let headers = [(header::CACHE_CONTROL, "no-store")];
    (status, headers, axum::Json(body)).into_response()
}
