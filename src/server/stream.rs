//! A stream that notes what passes through it, so that slowness can be judged.

use super::activity::Activity;
use std::io::IoSlice;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Interval, interval_at};

/// Who has ended sending may have left altogether, and nothing tells the two apart before an answer is sent. An answer
/// that is not made within this time is given up, or hanging up would cancel no work.
const PATIENCE: Duration = Duration::from_secs(2);

/// A socket and the record of it.
pub(super) struct Watched {
    stream: TcpStream,
    activity: Arc<Activity>,
    /// Requests at the last look after the other side's end of sending.
    at_end: Option<u64>,
    /// Looks at whether the other side, done with sending, is being answered.
    looks: Option<Interval>,
}

impl Watched {
    pub(super) fn new(stream: TcpStream, activity: Arc<Activity>) -> Self {
        Self {
            stream,
            activity,
            at_end: None,
            looks: None,
        }
    }

    /// Ready when the other side has ended sending and has waited too long for an answer to begin.
    fn lose_patience(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let looks = self
            .looks
            .get_or_insert_with(|| interval_at(Instant::now() + PATIENCE, PATIENCE));
        loop {
            ready!(looks.poll_tick(context));
            if !self.activity.is_answering() {
                return Poll::Ready(());
            }
        }
    }

    fn noted(&self, written: Poll<std::io::Result<usize>>) -> Poll<std::io::Result<usize>> {
        match &written {
            Poll::Ready(Ok(bytes)) => self.activity.wrote(*bytes),
            Poll::Pending => self.activity.stuck(),
            Poll::Ready(Err(_)) => {}
        }
        written
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let came = buffer.filled().get(before..).unwrap_or_default();
        if !came.is_empty() {
            if self.activity.read(came) {
                let why = "too many frames without a request";
                return Poll::Ready(Err(std::io::Error::other(why)));
            }
        } else if buffer.remaining() > 0 {
            // The other side is done with sending, and may still read.
            let this = &mut *self;
            if this.activity.end(&mut this.at_end, context).is_pending() {
                ready!(this.lose_patience(context));
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.noted(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.noted(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::Held;
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    /// What the server reads after a client that sent `GET` has ended sending, with `waiting` bytes of its answer made.
    async fn read_after_the_end(waiting: usize) -> Result<usize, tokio::time::error::Elapsed> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        client.write_all(b"GET").await.unwrap();
        client.shutdown().await.unwrap();
        let activity = Arc::new(Activity::new());
        let mut server = Watched::new(listener.accept().await.unwrap().0, Arc::clone(&activity));
        let mut bytes = [0; 16];
        assert_eq!(server.read(&mut bytes).await.unwrap(), 3);
        let open = activity.request(Held::default().share(1).nothing());
        if waiting > 0 {
            open.offer(waiting);
        }
        let read = tokio::time::timeout(2 * PATIENCE, server.read(&mut bytes)).await;
        drop(open);
        read.map(|read| read.unwrap())
    }

    #[tokio::test]
    async fn who_hangs_up_before_the_answer_begins_is_not_waited_for() {
        assert_eq!(read_after_the_end(0).await.ok(), Some(0));
    }

    #[tokio::test]
    async fn who_has_ended_sending_is_heard_as_long_as_the_answer_is_taken() {
        assert!(read_after_the_end(100).await.is_err());
    }
}
