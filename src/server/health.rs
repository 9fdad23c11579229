//! `/health`: the process is alive. `/ready`: it accepts requests, and its store can be read.

use super::shared::Shared;
use crate::rest;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

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
    match probe.and_then(|()| desk.holdings()) {
        Ok(holdings) => {
            let mut body = json!({
                "status": "ok",
                "data": if holdings.bundled { "bundled history" } else { "store" },
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
