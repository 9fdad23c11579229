//! Connections are accepted up to a number, refused with a word above it, and drained at the end.

use super::connection::{Answer, Connection};
use super::descriptors::Spare;
use super::memory::{Held, PART_OF_ADDRESS, PART_OF_CONNECTION};
use super::metrics::Metrics;
use super::settings::{Connections, Shutdown};
use crate::admission::Permits;
use econoscope_data::pool::Caller;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Streams that never end by themselves are cut this long before the drain is over.
const CUT_BEFORE_END: Duration = Duration::from_secs(2);
/// Connections turned away at once; more are closed without waiting until they have read why.
const TURNED_AWAY: usize = 64;
/// How long one that is turned away may take to read why.
const LAST_WORD: Duration = Duration::from_secs(1);
/// What the kernel may keep for a reader; it doubles it. Two megabytes a second at a tenth of a second's distance.
#[cfg(unix)]
const SEND_BUFFER_BYTES: usize = 128 * 1024;

/// What a loop needs besides its listener.
pub(super) struct Acceptor<S> {
    pub(super) site: S,
    pub(super) connections: Connections,
    pub(super) metrics: Arc<Metrics>,
    pub(super) ready: Arc<AtomicBool>,
    /// For whom the connections of an address are counted.
    pub(super) counted: Box<dyn Fn(IpAddr) -> Caller + Send + Sync>,
}

impl<S: Answer> Acceptor<S> {
    /// Serves connections until told to stop, then lets open answers finish.
    pub(super) async fn run(self, listener: Arc<TcpListener>, shutdown: Shutdown) {
        bound_buffers(&listener);
        let open = TaskTracker::new();
        let closing = CancellationToken::new();
        tokio::select! {
            // Looked at first: what comes after the other took over is the other's.
            biased;
            () = shutdown.relieved.cancelled() => {}
            () = async {
                shutdown.stop.cancelled().await;
                self.ready.store(false, Ordering::SeqCst);
                tokio::time::sleep(self.connections.linger).await;
            } => {}
            () = self.accept(&listener, &open, &closing) => {}
        }
        drop(listener);
        closing.cancel();
        open.close();
        let gentle = self.connections.drain.saturating_sub(CUT_BEFORE_END);
        let is_drained = tokio::time::timeout(gentle, open.wait()).await.is_ok();
        shutdown.cut.cancel();
        if is_drained {
            return;
        }
        let rest = self.connections.drain.saturating_sub(gentle);
        if tokio::time::timeout(rest, open.wait()).await.is_err() {
            tracing::warn!(connections = open.len(), "stopped with answers still open");
        }
    }

    async fn accept(
        &self,
        listener: &TcpListener,
        open: &TaskTracker,
        closing: &CancellationToken,
    ) {
        let bounds = &self.connections;
        let permits = Arc::new(Permits::new(bounds.max, bounds.max_per_address));
        let held = Held::default();
        let leaving = Arc::new(Semaphore::new(TURNED_AWAY));
        let mut spare = Spare::open();
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    if let Some(stream) = spare.give(listener, &error).await {
                        self.metrics.closed.add("no_descriptor");
                        say_too_many(&stream);
                    }
                    spare.refill();
                    // Breathe, then go on.
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    continue;
                }
            };
            self.metrics.accepted.fetch_add(1, Ordering::Relaxed);
            let caller = (self.counted)(peer.ip());
            let part = match caller.is_own() {
                true => PART_OF_CONNECTION,
                false => PART_OF_ADDRESS,
            };
            let Ok(permit) = permits.take(caller, || held.share(part)) else {
                self.metrics.closed.add("too_many");
                turn_away(stream, &leaving);
                continue;
            };
            let connection = Connection {
                site: self.site.clone(),
                peer,
                permit,
                metrics: Arc::clone(&self.metrics),
                _open: Arc::clone(&self.metrics.connections),
            };
            open.spawn(connection.serve(stream, closing.clone()));
        }
    }
}

/// Says how much of an answer the kernel takes for a reader, for every connection of a listener. Left to itself it
/// takes up to 4 MiB for each, and more from time to time, which looks as if somebody read.
fn bound_buffers(listener: &TcpListener) {
    #[cfg(unix)]
    if let Err(error) =
        rustix::net::sockopt::set_socket_send_buffer_size(listener, SEND_BUFFER_BYTES)
    {
        tracing::debug!(%error, "the send buffers of connections stay as they are");
    }
    #[cfg(not(unix))]
    let _ = listener;
}

/// A word to one who is refused, if the socket takes it at once.
fn say_too_many(stream: &TcpStream) {
    let body = "{\"error\":\"Too many connections. Retry in 5 s.\"}";
    let words = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 5\r\n\
        content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    if let Err(error) = stream.try_write(words.as_bytes()) {
        tracing::debug!(%error, "a connection was closed without a word");
    }
}

/// Says so, and reads what was asked in the meantime: a socket closed with bytes unread takes the word back.
fn turn_away(mut stream: TcpStream, leaving: &Arc<Semaphore>) {
    say_too_many(&stream);
    let Ok(place) = Arc::clone(leaving).try_acquire_owned() else {
        return;
    };
    tokio::spawn(async move {
        let rest = async {
            stream.shutdown().await?;
            let mut asked = [0; 1_024];
            while stream.read(&mut asked).await? > 0 {}
            Ok::<_, std::io::Error>(())
        };
        if let Ok(Err(error)) = tokio::time::timeout(LAST_WORD, rest).await {
            tracing::debug!(%error, "one that was turned away left");
        }
        drop(place);
    });
}
