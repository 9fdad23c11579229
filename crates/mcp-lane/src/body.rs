//! Results as bytes, and the answers they become.

use crate::message::Message;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response};
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use serde::Serialize;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The body of an answer, as rmcp's service gives it.
pub type Body = BoxBody<Bytes, Infallible>;

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Up to this length the id and the result are copied together; a longer result is sent as a second piece.
const MAX_COPIED: usize = 16 * 1024;

/// A result as JSON, from behind the id of the answer to its end.
#[derive(Debug, Clone)]
pub struct Rendered(Bytes);

impl Rendered {
    /// Renders a result.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn of(result: &impl Serialize) -> serde_json::Result<Self> {
        let mut bytes = b"\"result\":".to_vec();
        serde_json::to_writer(&mut bytes, result)?;
        bytes.push(b'}');
        Ok(Self(Bytes::from(bytes)))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The answer to a request: its id before the result.
    pub fn answer(self, to: &Message) -> Response<Body> {
        self.with_id(to.id().unwrap_or("null"))
    }

    fn with_id(self, id: &str) -> Response<Body> {
        let is_copied = self.0.len() <= MAX_COPIED;
        let mut first = opening(id, if is_copied { self.0.len() } else { 0 });
        if is_copied {
            first.extend_from_slice(&self.0);
        }
        let pieces = Pieces {
            first: Bytes::from(first),
            second: if is_copied { Bytes::new() } else { self.0 },
        };
        json(pieces.boxed())
    }
}

/// A response of JSON.
pub(crate) fn json(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// An answer up to its result or error, with room for `more` bytes.
pub(crate) fn opening(id: &str, more: usize) -> Vec<u8> {
    const OPEN: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":";
    let mut bytes = Vec::with_capacity(OPEN.len() + id.len() + 1 + more);
    bytes.extend_from_slice(OPEN);
    bytes.extend_from_slice(id.as_bytes());
    bytes.push(b',');
    bytes
}

/// A body of one piece or two, whose length is known.
struct Pieces {
    first: Bytes,
    second: Bytes,
}

impl http_body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let mut next = std::mem::take(&mut self.first);
        if next.is_empty() {
            next = std::mem::take(&mut self.second);
        }
        Poll::Ready((!next.is_empty()).then(|| Ok(Frame::data(next))))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_empty() && self.second.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        let length = self.first.len() + self.second.len();
        SizeHint::with_exact(u64::try_from(length).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body::Body as _;

    #[tokio::test]
    async fn a_body_is_the_same_in_one_piece_and_in_two() {
        for length in [10, MAX_COPIED, MAX_COPIED + 1] {
            let result = Rendered(Bytes::from(vec![b'x'; length]));
            let body = result.with_id("7").into_body();
            let said = body.size_hint().exact().unwrap();
            let bytes = body.collect().await.unwrap().to_bytes();
            assert_eq!(said, bytes.len() as u64);
            assert!(bytes.starts_with(br#"{"jsonrpc":"2.0","id":7,x"#));
            assert_eq!(bytes.len(), length + 24);
        }
    }
}
