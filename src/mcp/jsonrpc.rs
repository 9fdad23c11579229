//! Writes the envelopes of JSON-RPC.

use super::message::Message;
use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use http_body::{Frame, SizeHint};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The body is not JSON.
pub(crate) const PARSE_ERROR: i32 = -32_700;
/// The body is JSON, but not a request.
pub(crate) const INVALID_REQUEST: i32 = -32_600;
/// The revision of the request does not have the method.
pub(crate) const METHOD_NOT_FOUND: i32 = -32_601;
/// An error that the server defines, such as an exhausted allowance.
pub(crate) const SERVER_ERROR: i32 = -32_000;

/// Results up to this length are copied behind the id.
const MAX_COPIED: usize = 16 * 1024;

/// Encodes an error response to `request`; without one the id is null.
pub(crate) fn error(
    request: Option<&Message>,
    code: i32,
    message: &str,
    data: Option<Value>,
) -> Bytes {
    let error = match data {
        Some(data) => json!({ "code": code, "message": message, "data": data }),
        None => json!({ "code": code, "message": message }),
    };
    // An id of another type is not echoed.
    let is_valid =
        |id: &&str| serde_json::from_str::<Value>(id).is_ok_and(|id| id.is_string() || id.is_i64());
    let id = request
        .and_then(|m| m.id.as_deref())
        .filter(is_valid)
        .unwrap_or("null");
    Bytes::from(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
}

/// Encodes the error for a body that the SDK cannot read: -32700 if it is not JSON, else -32600.
pub(super) fn unreadable(body: &[u8]) -> Bytes {
    // The SDK's message names its own types, so the body is parsed again.
    match serde_json::from_slice::<Value>(body) {
        Err(problem) => error(None, PARSE_ERROR, &format!("Parse error: {problem}"), None),
        Ok(_) => error(
            Message::read(Bytes::copy_from_slice(body)).ok().as_ref(),
            INVALID_REQUEST,
            "Invalid request: one JSON-RPC 2.0 request or notification at a time; batches are not spoken",
            None,
        ),
    }
}

/// Builds the body of a result. `result` ends with the brace that closes the envelope; a long one is shared and not copied.
pub(super) fn result(id: Option<&str>, result: &Bytes) -> Body {
    let id = id.unwrap_or("null");
    let mut start = Vec::with_capacity(64 + id.len() + result.len().min(MAX_COPIED));
    for part in [r#"{"jsonrpc":"2.0","id":"#, id, r#","result":"#] {
        start.extend_from_slice(part.as_bytes());
    }
    if result.len() <= MAX_COPIED {
        start.extend_from_slice(result);
        return Body::from(start);
    }
    Body::new(TwoParts([Some(start.into()), Some(result.clone())]))
}

/// A body of two parts, of known length.
struct TwoParts([Option<Bytes>; 2]);

impl HttpBody for TwoParts {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = self.0.iter_mut().find_map(Option::take);
        Poll::Ready(next.map(|part| Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    fn size_hint(&self) -> SizeHint {
        let parts = self.0.iter().flatten();
        SizeHint::with_exact(parts.map(|part| part.len() as u64).sum())
    }
}

/// Builds a response with a JSON body.
pub(crate) fn response(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
