//! `/health`: the process lives. `/ready`: it wants requests, and endpoints can read what they answer from.

use super::shared::Shared;
use crate::rest;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

/// Answers as long as anything answers: what a supervisor asks before it restarts the process.
pub(super) async fn alive() -> Response {
    told(
        StatusCode::OK,
        json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }),
    )
}

/// Whether a balancer should send requests here.
pub(super) async fn ready(State(shared): State<Shared>) -> Response {
    if !shared.ready.load(Ordering::SeqCst) {
        let body = json!({ "status": "stopping", "error": "The server is shutting down." });
        return told(StatusCode::SERVICE_UNAVAILABLE, body);
    }
    let desk = shared.backend.desk();
    let probed = shared.probe.ask(desk).await;
    match probed.and_then(|()| desk.holdings()) {
        Ok(held) => {
            let mut body = json!({
                "status": "ok",
                "data": if held.bundled { "bundled history" } else { "store" },
                "series": held.count,
                "updated_at": held.updated_at().map(|t| t.to_string()),
                "last_sync": held.last_sync.map(|t| t.to_string()),
            });
            // Without its database a copy answers as ever, and says since when.
            let following = desk.store().replica();
            if let Some((following, body)) = following.zip(body.as_object_mut()) {
                let database = json!({
                    "away_since": following.away_since.map(|t| t.to_string()),
                    "seen_at": following.seen_at.map(|t| t.to_string()),
                    "writes_in_term": following.term,
                });
                body.insert("database".to_owned(), database);
            }
            told(StatusCode::OK, body)
        }
        Err(problem) => {
            let mut response = rest::respond(&problem, "ready", None);
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            response
        }
    }
}

fn told(status: StatusCode, body: Value) -> Response {
    let headers = [(header::CACHE_CONTROL, "no-store")];
    (status, headers, axum::Json(body)).into_response()
}
