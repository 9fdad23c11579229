//! JSON-RPC's envelopes: the one place that writes them.

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

/// What came is not JSON.
pub(crate) const PARSE_ERROR: i32 = -32_700;
/// It is JSON, but no request.
pub(crate) const INVALID_REQUEST: i32 = -32_600;
/// The method is not one of the revision that is spoken.
pub(crate) const METHOD_NOT_FOUND: i32 = -32_601;
/// A failure of the server's own kind, such as a used-up allowance.
pub(crate) const SERVER_ERROR: i32 = -32_000;

/// Up to this length a result is copied behind the id of its caller.
const MAX_COPIED: usize = 16 * 1024;

/// An error as the answer to a message; to none where it is not known what was asked.
pub(crate) fn error(to: Option<&Message>, code: i32, message: &str, data: Option<Value>) -> Bytes {
    let error = match data {
        Some(data) => json!({ "code": code, "message": message, "data": data }),
        None => json!({ "code": code, "message": message }),
    };
    // An id of no kind that the protocol knows is not repeated.
    let is_known =
        |id: &&str| serde_json::from_str::<Value>(id).is_ok_and(|id| id.is_string() || id.is_i64());
    let id = to
        .and_then(|m| m.id.as_deref())
        .filter(is_known)
        .unwrap_or("null");
    Bytes::from(format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#))
}

/// The answer to what the library cannot read as a message: -32700 for what is no JSON, -32600 for any other.
pub(super) fn unreadable(bytes: &Bytes) -> Bytes {
    // The library's own words speak of its types, so it is read again plainly.
    match serde_json::from_slice::<Value>(bytes) {
        Err(problem) => error(None, PARSE_ERROR, &format!("Parse error: {problem}"), None),
        Ok(_) => error(
            Message::read(bytes.clone()).ok().as_ref(),
            INVALID_REQUEST,
            "Invalid request: one JSON-RPC 2.0 request or notification at a time; batches are not spoken",
            None,
        ),
    }
}

/// A result as the answer to the message with this id. `result` ends with the brace that closes the answer; a long one
/// is shared and not copied.
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

/// A body of two parts whose length is known.
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
        let left = self.0.iter().flatten();
        SizeHint::with_exact(left.map(|part| part.len() as u64).sum())
    }
}

/// A response of JSON.
pub(crate) fn response(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
