//! What lies between the two streams and those who write and read lines: answers not sent yet, and lines fed to the
//! library.

use bytes::{Buf, BytesMut};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Answers that wait for their turn, whole lines only, and how many are being made.
#[derive(Default)]
pub(super) struct Queue(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    bytes: BytesMut,
    is_unflushed: bool,
    working: usize,
    /// The task that writes.
    writer: Option<Waker>,
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The task of this context is woken when there is something to write.
    pub(super) fn wake_for(&self, cx: &Context<'_>) {
        let mut waiting = self.waiting();
        match &mut waiting.writer {
            Some(writer) => writer.clone_from(cx.waker()),
            writer @ None => *writer = Some(cx.waker().clone()),
        }
    }

    /// Puts whole lines at the end.
    pub(super) fn push(&self, lines: &[u8]) {
        let mut waiting = self.waiting();
        waiting.bytes.extend_from_slice(lines);
        if let Some(writer) = &waiting.writer {
            writer.wake_by_ref();
        }
    }

    /// Writes what the stream takes now and gives how much is left.
    ///
    /// # Errors
    /// When the stream is closed.
    pub(super) fn poll_write(
        &self,
        writer: &mut (impl AsyncWrite + Unpin),
        cx: &mut Context<'_>,
    ) -> io::Result<usize> {
        let mut waiting = self.waiting();
        while !waiting.bytes.is_empty() {
            match Pin::new(&mut *writer).poll_write(cx, &waiting.bytes) {
                Poll::Ready(Ok(0)) => return Err(io::ErrorKind::WriteZero.into()),
                Poll::Ready(written) => waiting.bytes.advance(written?),
                Poll::Pending => return Ok(waiting.bytes.len()),
            }
            waiting.is_unflushed = true;
        }
        if !waiting.is_unflushed {
            return Ok(0);
        }
        match Pin::new(writer).poll_flush(cx) {
            Poll::Ready(flushed) => {
                waiting.is_unflushed = false;
                flushed.map(|()| 0)
            }
            Poll::Pending => Ok(1),
        }
    }

    /// Announces an answer; the end of the work is the drop of what is given.
    pub(super) fn begin(self: &Arc<Self>) -> Work {
        self.waiting().working += 1;
        Work(Arc::clone(self))
    }

    /// Whether no announced answer is missing.
    pub(super) fn is_idle(&self) -> bool {
        self.waiting().working == 0
    }
}

/// An answer that is being made.
pub(super) struct Work(Arc<Queue>);

impl Drop for Work {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting();
        waiting.working = waiting.working.saturating_sub(1);
        if let Some(writer) = &waiting.writer {
            writer.wake_by_ref();
        }
    }
}

/// Where the library writes: each of its writes is one whole line.
pub(super) struct Outlet(pub(super) Arc<Queue>);

impl AsyncWrite for Outlet {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        line: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.push(line);
        Poll::Ready(Ok(line.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Lines for the library to read. It is polled right after it was fed, so nobody needs to be woken.
#[derive(Clone, Default)]
pub(super) struct Feed(Arc<Mutex<BytesMut>>);

impl Feed {
    fn bytes(&self) -> MutexGuard<'_, BytesMut> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, bytes: &[u8]) {
        self.bytes().extend_from_slice(bytes);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }
}

impl AsyncRead for Feed {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = self.bytes();
        if bytes.is_empty() {
            return Poll::Pending;
        }
        let count = bytes.len().min(to.remaining());
        to.put_slice(&bytes.split_to(count));
        Poll::Ready(Ok(()))
    }
}
