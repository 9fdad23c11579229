//! JSON-RPC's envelopes: the one place that writes them.

use super::message::Message;
use axum::body::{Body, Bytes};
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
/// A failure of the server's own kind, such as a used-up allowance.
pub(crate) const SERVER_ERROR: i32 = -32_000;

/// Up to this length the parts of an answer are copied together.
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

/// A result as the answer to the message with this id. The parts of a long result are not copied.
pub(super) fn result(id: Option<&str>, parts: &[Bytes]) -> Body {
    let opening = [
        r#"{"jsonrpc":"2.0","id":"#,
        id.unwrap_or("null"),
        r#","result":"#,
    ];
    let length: usize = parts.iter().map(Bytes::len).sum();
    let is_copied = length <= MAX_COPIED;
    let mut first = Vec::with_capacity(128 + if is_copied { length } else { 0 });
    for part in opening {
        first.extend_from_slice(part.as_bytes());
    }
    if is_copied {
        parts.iter().for_each(|part| first.extend_from_slice(part));
        first.push(b'}');
        return Body::from(first);
    }
    let mut pieces = Vec::with_capacity(parts.len() + 2);
    pieces.push(first.into());
    pieces.extend_from_slice(parts);
    pieces.push(Bytes::from_static(b"}"));
    Body::new(Pieces(pieces.into_iter()))
}

/// A response of JSON.
pub(crate) fn response(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// A body of pieces whose length is known.
struct Pieces(std::vec::IntoIter<Bytes>);

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.next().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_slice().is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(
            self.0
                .as_slice()
                .iter()
                .map(|piece| piece.len() as u64)
                .sum(),
        )
    }
}
