//! Errors as HTTP responses. Only this module knows the statuses.

use super::body::set;
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use econoscope_core::error::{Error, quote};
use rmcp::model::object;
use serde_json::json;
use std::any::Any;

/// Builds the response for a failed endpoint and logs the error. A 404 echoes `ticker`, as the contract requires.
pub(crate) fn respond(error: &Error, endpoint: &str, ticker: Option<&str>) -> Response {
    econoscope_core::error::log(error, endpoint);
    let status = status(error);
    let mut body = object(json!({ "error": error.to_string(), "code": error.code() }));
    if let Some(ticker) = ticker.filter(|_| status == StatusCode::NOT_FOUND) {
        body.insert("ticker".into(), quote(ticker).into());
    }
    let ids: Vec<&str> = error.suggestions().iter().map(|s| s.id.as_str()).collect();
    if !ids.is_empty() {
        body.insert("suggestions".into(), ids.into());
    }
    let mut response = (status, axum::Json(body)).into_response();
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
        Error::Unavailable { .. } | Error::Busy | Error::Store { .. } => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        Error::BadFile { .. } | Error::Internal { .. } => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Builds the response for a refused request.
pub(crate) fn problem(status: StatusCode, code: &str, message: &str) -> Response {
    let body = axum::Json(json!({ "error": message, "code": code }));
    (status, body).into_response()
}

/// Responds to an unknown path.
pub(crate) async fn not_found(uri: Uri) -> Response {
    let path = quote(uri.path());
    let error = format!("No such path: {path}. /llms.txt lists the paths.");
    problem(StatusCode::NOT_FOUND, "unknown_path", &error)
}

/// Responds to a wrong method on a known path; the router adds `Allow`.
pub(crate) async fn method_not_allowed(method: Method) -> Response {
    let method = quote(method.as_str());
    let error = format!("Method {method} is not allowed; use GET.");
    problem(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", &error)
}

/// Responds to a panic of a handler, and logs it.
pub(crate) fn panic_response(cause: Box<dyn Any + Send + 'static>) -> Response {
    let text = cause.downcast_ref::<String>().map(String::as_str);
    let what = text.or_else(|| cause.downcast_ref::<&str>().copied());
    tracing::error!(what, "a handler panicked");
    let body = json!({ "error": "Internal error. This is a defect; please report it." });
    (StatusCode::INTERNAL_SERVER_ERROR, axum::Json(body)).into_response()
}
