//! `/health`: the process lives. `/ready`: it wants requests, and its store can be read.

use super::{Shared, error};
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
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
    match shared.backend.desk().holdings() {
        Ok(held) => {
            let body = json!({
                "status": "ok",
                "data": if held.bundled { "bundled history" } else { "store" },
                "series": held.count,
                "updated_at": held.updated_at().map(|t| t.to_string()),
                "last_sync": held.last_sync.map(|t| t.to_string()),
            });
            told(StatusCode::OK, body)
        }
        Err(problem) => {
            let mut response = error::respond(&problem, "ready", None);
            *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            response
        }
    }
}

fn told(status: StatusCode, body: Value) -> Response {
    let mut response = (status, axum::Json(body)).into_response();
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
