//! The one place that knows HTTP statuses: meanings become responses here.

use super::body::set;
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use econoscope_core::error::Error;
use serde_json::{Value, json};
use std::any::Any;

/// The response for a failed endpoint. `ticker` is echoed where the contract asks for it.
pub(crate) fn respond(error: &Error, endpoint: &str, ticker: Option<&str>) -> Response {
    econoscope_core::error::log(error, endpoint);
    let mut body = serde_json::Map::new();
    body.insert("error".into(), error.to_string().into());
    body.insert("code".into(), error.code().into());
    if let (Some(ticker), StatusCode::NOT_FOUND) = (ticker, status(error)) {
        body.insert(
            "ticker".into(),
            econoscope_core::error::quote(ticker).into(),
        );
    }
    if !error.suggestions().is_empty() {
        let ids = error.suggestions().iter();
        let ids = ids.map(|s| Value::from(s.id.as_str()));
        body.insert("suggestions".into(), ids.collect());
    }
    let mut response = (status(error), axum::Json(body)).into_response();
    set(&mut response, header::CACHE_CONTROL, "no-store");
    if let Some(wait) = error.retry_after() {
        let seconds = wait.as_secs().max(1).to_string();
        set(&mut response, header::RETRY_AFTER, &seconds);
    }
    response
}

pub(crate) fn status(error: &Error) -> StatusCode {
    match error {
        Error::InvalidParam { .. } => StatusCode::BAD_REQUEST,
        Error::Unknown { .. } | Error::Ambiguous { .. } | Error::NoData { .. } => {
            StatusCode::NOT_FOUND
        }
        Error::NotPermitted { .. } => StatusCode::FORBIDDEN,
        Error::RateLimited { .. } => StatusCode::TOO_MANY_REQUESTS,
        // A store may be mended or replaced while the server runs.
        Error::Unavailable { .. } | Error::Busy { .. } | Error::Store { .. } => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        Error::BadFile { .. } | Error::Internal { .. } => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// A refusal in the form of every failure: what is wrong in words, and a code for programs.
pub(crate) fn problem(status: StatusCode, code: &str, why: &str) -> Response {
    (status, axum::Json(json!({ "error": why, "code": code }))).into_response()
}

/// No such path.
pub(crate) async fn not_found(uri: Uri) -> Response {
    let error = format!(
        "No such path: {}. See /llms.txt for what is here.",
        econoscope_core::error::quote(uri.path())
    );
    problem(StatusCode::NOT_FOUND, "unknown_path", &error)
}

/// The path exists, but not for this method; the router adds `Allow`.
pub(crate) async fn method_not_allowed(method: Method) -> Response {
    let error = format!(
        "{} is not answered here; this service is read with GET.",
        econoscope_core::error::quote(method.as_str())
    );
    problem(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", &error)
}

/// A handler panicked: a defect, told as one and logged.
pub(crate) fn panicked(cause: Box<dyn Any + Send + 'static>) -> Response {
    let what = cause
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| cause.downcast_ref::<&str>().copied());
    tracing::error!(what, "a handler panicked");
    let body = json!({ "error": "Internal error. This is a defect; please report it." });
    (StatusCode::INTERNAL_SERVER_ERROR, axum::Json(body)).into_response()
}
