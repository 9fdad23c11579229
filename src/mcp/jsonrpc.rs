//! Writes the envelopes of JSON-RPC.

use super::message::{describe, find_id};
use axum::body::{Body, Bytes};
use axum::response::Response;
use futures_util::stream;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use rmcp::model::RequestId;
use serde_json::{Value, json};
use std::convert::Infallible;

/// The body is not JSON.
pub(crate) const PARSE_ERROR: i32 = -32_700;
/// The body is JSON, but not a request.
pub(crate) const INVALID_REQUEST: i32 = -32_600;
/// The revision of the request does not have the method.
pub(crate) const METHOD_NOT_FOUND: i32 = -32_601;
/// The parameters do not fit the method.
pub(crate) const INVALID_PARAMS: i32 = -32_602;
/// An error that the server defines, such as an exhausted allowance.
pub(crate) const SERVER_ERROR: i32 = -32_000;

/// Results up to this length are copied behind the id.
const MAX_COPIED: usize = 16 * 1024;

/// Encodes an error response to the request with an id; without one the id is null.
pub(crate) fn error(
    id: Option<&RequestId>,
    code: i32,
    message: &str,
    data: Option<Value>,
) -> Bytes {
    let error = match data {
        Some(data) => json!({ "code": code, "message": message, "data": data }),
        None => json!({ "code": code, "message": message }),
    };
    let id = json!(id);
    Bytes::from(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
}

/// Encodes the error for a body that the SDK cannot read: -32700 if it is not JSON, else -32600.
pub(super) fn unreadable(body: &[u8]) -> Bytes {
    // The SDK's message names its own types, so the body is parsed again.
    match serde_json::from_slice::<Value>(body) {
        Err(problem) => error(None, PARSE_ERROR, &format!("Parse error: {problem}"), None),
        Ok(value) => {
            let why = format!("Invalid request: {}", describe(&value));
            error(find_id(body).as_ref(), INVALID_REQUEST, &why, None)
        }
    }
}

/// Builds the response with a result. `result` ends with the brace that closes the envelope; a long one is shared and not
/// copied.
pub(super) fn result(id: Option<&RequestId>, result: &Bytes) -> Response {
    let mut start = Vec::with_capacity(128 + result.len().min(MAX_COPIED));
    start.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    // Cannot fail: an id is a string or a number.
    let _ = serde_json::to_writer(&mut start, &id);
    start.extend_from_slice(br#","result":"#);
    if result.len() <= MAX_COPIED {
        start.extend_from_slice(result);
        return response(StatusCode::OK, start);
    }
    let length = HeaderValue::from(start.len() + result.len());
    let parts = [Bytes::from(start), result.clone()].map(Ok::<_, Infallible>);
    let mut response = response(StatusCode::OK, Body::from_stream(stream::iter(parts)));
    // A stream has no length of its own; without the header the body is sent in chunks.
    response.headers_mut().insert(CONTENT_LENGTH, length);
    response
}

/// Builds a response with a JSON body.
pub(crate) fn response(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
