//! `/health`: the process is alive. `/ready`: it accepts requests, and its store can be read.

use super::Shared;
use crate::rest;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use econoscope_core::error::{Error, Result};
use econoscope_data::desk::Desk;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

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
    let probe = shared.probe.check(desk).await;
    match probe.and_then(|()| desk.store_summary()) {
        Ok(holdings) => {
            let mut body = json!({
                "status": "ok",
                "data": if holdings.is_bundled { "bundled history" } else { "store" },
                "series": holdings.count,
                "updated_at": holdings.updated_at().map(|t| t.to_string()),
                "last_sync": holdings.last_sync.map(|t| t.to_string()),
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
        Err(problem) => {
            let mut response = rest::respond(&problem, "ready", None);
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            response
        }
    }
}

fn uncached(status: StatusCode, body: Value) -> Response {
    let headers = [(header::CACHE_CONTROL, "no-store")];
    (status, headers, axum::Json(body)).into_response()
}

/// A cached check of the store: it reads rows, and `/ready` is not charged.
#[derive(Debug, Default)]
pub(super) struct StoreProbe(Mutex<Option<(Instant, Option<String>)>>);

impl StoreProbe {
    /// Cache time of the outcome.
    const MAX_AGE: Duration = Duration::from_millis(500);

    /// Checks that the store can be read.
    pub(super) async fn check(&self, desk: &Arc<Desk>) -> Result<()> {
        let mut cached = self.0.lock().await;
        if cached
            .as_ref()
            .is_none_or(|(at, _)| at.elapsed() >= Self::MAX_AGE)
        {
            let store = Arc::clone(desk.store());
            let outcome = tokio::task::spawn_blocking(move || store.probe()).await;
            let outcome = outcome.map_err(|e| Error::internal("the probe failed", e))?;
            let problem = outcome.err().map(|e| e.operator_message());
            *cached = Some((Instant::now(), problem));
        }
        match cached.as_ref().and_then(|(_, problem)| problem.as_ref()) {
            None => Ok(()),
            Some(problem) => Err(Error::store_without_cause(
                problem.trim_start_matches("Store: "),
            )),
        }
    }
}
