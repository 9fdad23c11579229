//! The lane on a pair of streams that carry a message a line: stdin and stdout.
//!
//! One task does all reading and writing. A line that is a plain call is answered from here, at once when its result
//! is kept and from a task of its own when it must be made; every other line is fed to the library's own reader,
//! whose answers go out through the same queue, so that two lines are never mixed.

use super::queue::{Feed, Outlet, Queue};
use super::{Call, Era, Lane};
use bytes::Bytes;
use rmcp::model::{ServerJsonRpcMessage, ServerResult};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, BufReader};

/// A longer line is no plain call, and passed on in pieces as it comes.
const MOST_LINE: usize = 64 * 1024;
/// With so much unsent nothing more is read: the client is to read first.
const MOST_UNSENT: usize = 16 << 20;

/// How the conversation was opened, as far as the answers sent so far tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// Not yet: the library decides what may come first.
    None,
    /// By `initialize`: a call without `_meta` is of the older lifecycle.
    Handshake,
    /// By a call that says everything itself; each one must.
    Inline,
}

/// Two streams, the lane and the library's reader.
pub(in crate::mcp) struct Lines<R, W> {
    lane: Arc<Lane>,
    reader: BufReader<R>,
    writer: W,
    line: Vec<u8>,
    /// Whether the line being read is too long to be kept and goes on piece by piece.
    is_passing: bool,
    has_ended: bool,
    opening: Opening,
    queue: Arc<Queue>,
    feed: Feed,
    library: AsyncRwTransport<RoleServer, Feed, Outlet>,
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send> Lines<R, W> {
    /// `longest` is what the library takes as a line.
    pub(in crate::mcp) fn new(lane: Arc<Lane>, reader: R, writer: W, longest: usize) -> Self {
        let queue = Arc::new(Queue::default());
        let feed = Feed::default();
        let library = AsyncRwTransport::new(feed.clone(), Outlet(Arc::clone(&queue)))
            .with_max_line_length(longest);
        Self {
            lane,
            reader: BufReader::new(reader),
            writer,
            line: Vec::new(),
            is_passing: false,
            has_ended: false,
            opening: Opening::None,
            queue,
            feed,
            library,
        }
    }

    /// The next message that the library is to answer; on the way there, reads, answers and writes.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<RxJsonRpcMessage<RoleServer>>> {
        self.queue.wake_for(cx);
        loop {
            let unsent = match self.queue.poll_write(&mut self.writer, cx) {
                Ok(unsent) => unsent,
                Err(error) => {
                    tracing::debug!(%error, "nobody reads the answers");
                    return Poll::Ready(None);
                }
            };
            if !self.feed.is_empty()
                && let Poll::Ready(message) = self.poll_library(cx)
            {
                return Poll::Ready(message);
            }
            if self.has_ended && unsent == 0 && self.queue.is_idle() {
                return Poll::Ready(None);
            }
            if self.has_ended || unsent > MOST_UNSENT {
                return Poll::Pending;
            }
            match ready!(self.poll_line(cx)) {
                Ok(true) => self.take_line(),
                Ok(false) => self.has_ended = true,
                Err(error) => {
                    tracing::error!(%error, "reading a message");
                    self.has_ended = true;
                }
            }
        }
    }

    /// Lets the library read what it was fed. It waits for more when that was nothing to answer.
    fn poll_library(&mut self, cx: &mut Context<'_>) -> Poll<Option<RxJsonRpcMessage<RoleServer>>> {
        // Without a budget: "try again later" would leave the message lying here.
        pin!(tokio::task::unconstrained(self.library.receive())).poll(cx)
    }

    /// Reads until a line is whole or too long; `false` at the end of the stream.
    fn poll_line(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        loop {
            let mut reader = Pin::new(&mut self.reader);
            let available = ready!(reader.as_mut().poll_fill_buf(cx))?;
            if available.is_empty() {
                return Poll::Ready(Ok(false));
            }
            let end = available.iter().position(|b| *b == b'\n');
            let taken = end.map_or(available.len(), |at| at + 1);
            self.line
                .extend_from_slice(available.get(..taken).unwrap_or_default());
            reader.consume(taken);
            if end.is_some() || self.line.len() > MOST_LINE {
                return Poll::Ready(Ok(true));
            }
        }
    }

    /// Answers a line, or passes it on.
    fn take_line(&mut self) {
        let is_whole = self.line.last() == Some(&b'\n');
        let was_passing = std::mem::replace(&mut self.is_passing, !is_whole);
        if was_passing || !is_whole || !self.answer() {
            self.feed.push(&self.line);
        }
        self.line.clear();
    }

    /// Whether the line is answered here, now or soon.
    fn answer(&self) -> bool {
        let Some((call, era)) = Call::read(&self.line).and_then(|c| self.era(&c).map(|e| (c, e)))
        else {
            return false;
        };
        if let Some(result) = self.lane.kept(&call, era) {
            send(&self.queue, call.id, &result);
            return true;
        }
        if !self.lane.may_make(&call) {
            return false;
        }
        self.make(era);
        true
    }

    /// Makes the answer to the line in a task of its own.
    fn make(&self, era: Era) {
        let (lane, queue) = (Arc::clone(&self.lane), Arc::clone(&self.queue));
        let line = self.line.clone();
        let work = queue.begin();
        tokio::spawn(async move {
            if let Some(call) = Call::read(&line) {
                let result = match lane.result(&call, era).await {
                    Some(result) => result,
                    None => Bytes::from_static(UNMADE.as_bytes()),
                };
                send(&queue, call.id, &result);
            }
            drop(work);
        });
    }

    /// The lifecycle of a call in this conversation; `None` when the library must judge it.
    fn era(&self, call: &Call<'_>) -> Option<Era> {
        match (self.opening, call.meta) {
            (Opening::None, _) | (Opening::Inline, None) => None,
            (Opening::Handshake, None) => Some(Era::Legacy),
            (Opening::Handshake, Some(meta)) => self.lane.meta(meta),
            (Opening::Inline, Some(meta)) => self.lane.meta(meta).filter(|e| *e == Era::Modern),
        }
    }

    /// Learns from an answer how the conversation was opened.
    fn note(&mut self, message: &TxJsonRpcMessage<RoleServer>) {
        let ServerJsonRpcMessage::Response(response) = message else {
            return;
        };
        self.opening = match (&response.result, self.opening) {
            (ServerResult::InitializeResult(_), Opening::None) => Opening::Handshake,
            // A question about the server, or whether it is there, opens nothing.
            (ServerResult::DiscoverResult(_) | ServerResult::EmptyResult(_), Opening::None) => {
                Opening::None
            }
            (_, Opening::None) => Opening::Inline,
            (_, opened) => opened,
        };
    }
}

/// What is said when the data went away between the look and the work.
const UNMADE: &str =
    r#""error":{"code":-32603,"message":"The data cannot be read now; try again."}}"#;

fn send(queue: &Queue, id: &str, result: &[u8]) {
    let mut line = super::opening(id, result.len() + 1);
    line.extend_from_slice(result);
    line.push(b'\n');
    queue.push(&line);
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.note(&message);
        self.library.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        std::future::poll_fn(|cx| self.poll_next(cx)).await
    }

    async fn close(&mut self) -> io::Result<()> {
        std::future::poll_fn(|cx| match self.queue.poll_write(&mut self.writer, cx) {
            Ok(0) => Poll::Ready(Ok(())),
            Ok(_) => Poll::Pending,
            Err(error) => Poll::Ready(Err(error)),
        })
        .await
    }
}
