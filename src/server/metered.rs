//! A body that notes, byte by byte, what the other side takes of it.
//!
//! The protocols draw a body long before it is taken: HTTP/2 asks for all of it and then waits for the reader's
//! window. Only the buffers themselves see what leaves, so they count; HTTP/1 and HTTP/2 look alike here.

use super::activity::Exchange;
use axum::body::Body;
use bytes::{Buf, Bytes};
use http_body::{Body as _, Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// The body of an open answer.
pub(super) struct Metered {
    body: Body,
    exchange: Arc<Exchange>,
}

impl Metered {
    pub(super) fn new(body: Body, exchange: Arc<Exchange>) -> Self {
        exchange.answered(body.size_hint().upper());
        Self { body, exchange }
    }
}

impl http_body::Body for Metered {
    type Data = Offered;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Offered>, axum::Error>>> {
        let polled = ready!(Pin::new(&mut self.body).poll_frame(context));
        Poll::Ready(polled.map(|frame| {
            frame.map(|frame| {
                frame.map_data(|bytes| Offered::new(bytes, Arc::clone(&self.exchange)))
            })
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Bytes that wait to be taken.
pub(super) struct Offered {
    bytes: Bytes,
    exchange: Arc<Exchange>,
}

impl Offered {
    fn new(bytes: Bytes, exchange: Arc<Exchange>) -> Self {
        exchange.offer(bytes.len());
        Self { bytes, exchange }
    }
}

impl Buf for Offered {
    fn remaining(&self) -> usize {
        self.bytes.len()
    }

    fn chunk(&self) -> &[u8] {
        &self.bytes
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        self.exchange.take(count);
    }
}

impl Drop for Offered {
    fn drop(&mut self) {
        self.exchange.withdraw(self.bytes.len());
    }
}

#[cfg(test)]
mod tests {
    use super::super::activity::Activity;
    use super::super::memory::Held;
    use super::*;
    use http_body_util::BodyExt;

    #[tokio::test]
    async fn bytes_wait_until_they_leave_and_not_until_they_are_drawn() {
        let activity = Arc::new(Activity::new());
        let exchange = activity.request(Held::default().share(1).nothing());
        let mut body = Metered::new(Body::from("x".repeat(100_000)), Arc::clone(&exchange));
        let mut drawn = body
            .frame()
            .await
            .unwrap()
            .unwrap()
            .into_data()
            .ok()
            .unwrap();
        assert!(body.is_end_stream());
        drop(body);
        assert_eq!(activity.earned(), (1, 0), "drawn is not taken");
        drawn.advance(60_000);
        assert_eq!(activity.earned(), (1, 60_000));
        drop(drawn);
        assert_eq!(
            activity.earned(),
            (1, 60_000),
            "what is given up is not taken"
        );
    }
}
