//! Accepts connections up to a limit, serves HTTP/1.1 on each, and drains them at shutdown.
//!
//! TLS, HTTP/2, slow clients and floods are handled by the reverse proxy in front (`deploy/`). The bounds here protect a
//! server without a proxy: a time limit for the request head, one for writes without progress, and the number of
//! connections, in all and per address.

use super::front::EntryService;
use super::settings::{ConnectionSettings, Shutdown};
use crate::admission::{NoPermit, Permit, Permits};
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;

/// Maximum size of a request head. Inner layers limit addresses further.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// Time limit for a write without progress.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Endless streams are closed this long before the drain ends.
const CLOSE_STREAMS_BEFORE_END: Duration = Duration::from_secs(2);
/// Send buffer of a connection; the kernel doubles it. Enough for two megabytes per second at a round trip of 0.1 s.
#[cfg(unix)]
const SEND_BUFFER_BYTES: usize = 128 * 1024;
/// File descriptors for the store, logs, upstream, sources and the metrics listener.
#[cfg(unix)]
const RESERVED_DESCRIPTORS: u64 = 256;

/// The accept loop of a listener.
pub(super) struct Acceptor {
    pub(super) entry: Arc<EntryService>,
    pub(super) connections: ConnectionSettings,
}

impl Acceptor {
    /// Serves connections until shutdown, then lets open responses finish.
    pub(super) async fn run(self, listener: TcpListener, shutdown: Shutdown) {
        limit_send_buffers(&listener);
        let graceful = GracefulShutdown::new();
        tokio::select! {
            () = async {
                shutdown.stop.cancelled().await;
                self.entry.shared.ready.store(false, Ordering::SeqCst);
                tokio::time::sleep(self.connections.linger).await;
            } => {}
            () = self.accept(&listener, &graceful) => {}
        }
        drop(listener);
        let drained = graceful.shutdown();
        tokio::pin!(drained);
        let drain = self.connections.drain;
        let close_after = drain.saturating_sub(CLOSE_STREAMS_BEFORE_END);
        let first = tokio::time::timeout(close_after, drained.as_mut()).await;
        shutdown.close_streams.cancel();
        let rest = drain.saturating_sub(close_after);
        if first.is_err() && tokio::time::timeout(rest, drained).await.is_err() {
            tracing::warn!("stopped before every response was complete");
        }
    }

    async fn accept(&self, listener: &TcpListener, graceful: &GracefulShutdown) {
        let limits = &self.connections;
        let shared = &self.entry.shared;
        let permits = Arc::new(Permits::new(limits.max, limits.max_per_address));
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    shared.metrics.closed.add("not_accepted");
                    tracing::warn!(%error, "accepting a connection failed");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            shared.metrics.accepted.fetch_add(1, Ordering::Relaxed);
            let caller = shared.admission.connection_caller(peer.ip());
            let permit = permits.acquire(caller).or_else(|reason| match reason {
                NoPermit::AllFull if permits.evict_one() => {
                    shared.metrics.closed.add("gave_way");
                    permits.acquire_reserve(caller)
                }
                NoPermit::AllFull | NoPermit::CallerFull => Err(reason),
            });
            match permit {
                Ok(permit) => self.serve(stream, peer, permit, graceful),
                Err(_) => {
                    shared.metrics.closed.add("too_many");
                    refuse(&stream);
                }
            }
        }
    }

    /// Serves a connection in a task of its own.
    fn serve(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        permit: Permit,
        graceful: &GracefulShutdown,
    ) {
        // Small answers must not wait for a delayed acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "setting TCP_NODELAY failed");
        }
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(WRITE_TIMEOUT));
        let entry = Arc::clone(&self.entry);
        let activity = Arc::clone(&permit.activity);
        let service = service_fn(move |request: Request<Incoming>| {
            let entry = Arc::clone(&entry);
            let active_request = activity.begin_request();
            // Called inside, so that the handler's large future is not moved.
            async move {
                let response = entry.handle(request.map(Body::new), Some(peer)).await;
                drop(active_request);
                Ok::<_, Infallible>(response)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.connections.head_time)
            // The limit of 100 headers is the default. Setting it would move them from the stack to the heap.
            .max_buf_size(MAX_HEAD_BYTES)
            .serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = graceful.watch(connection);
        let gauge = Arc::clone(&self.entry.shared.metrics.connections);
        tokio::spawn(async move {
            tokio::select! {
                result = connection => if let Err(error) = result {
                    tracing::debug!(error = %error, "a connection ended early");
                },
                () = permit.activity.evicted.cancelled() => {
                    tracing::debug!("a connection was evicted");
                }
            }
            drop((permit, gauge));
        });
    }
}

/// Limits how much the kernel buffers for a slow reader; by default it is up to 4 MiB per connection.
fn limit_send_buffers(listener: &TcpListener) {
    #[cfg(unix)]
    if let Err(error) =
        rustix::net::sockopt::set_socket_send_buffer_size(listener, SEND_BUFFER_BYTES)
    {
        tracing::debug!(%error, "setting the size of send buffers failed");
    }
    #[cfg(not(unix))]
    let _ = listener;
}

/// Answers a refused connection, if the socket accepts the response at once.
fn refuse(stream: &TcpStream) {
    let body = "{\"error\":\"Too many connections. Retry in 5 s.\"}";
    let response = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 5\r\n\
        content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    if let Err(error) = stream.try_write(response.as_bytes()) {
        tracing::debug!(%error, "a connection was closed without a response");
    }
}

impl ConnectionSettings {
    /// Raises this process's limit of open files to what these connections need. If the system allows less, lowers the
    /// number of connections, so that the rest of the program can still open files.
    #[must_use]
    #[cfg(unix)]
    pub fn within_descriptors(mut self) -> Self {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let connections = u64::try_from(self.max).unwrap_or(u64::MAX);
        let limit = getrlimit(Resource::Nofile);
        let needed = connections.saturating_add(RESERVED_DESCRIPTORS);
        let mut usable = limit.current.unwrap_or(u64::MAX);
        if usable < needed {
            let raised = limit.maximum.map_or(needed, |max| max.min(needed));
            let current = Some(raised);
            match setrlimit(Resource::Nofile, Rlimit { current, ..limit }) {
                Ok(()) => usable = raised,
                Err(error) => {
                    tracing::warn!(%error, "raising the limit of open files failed");
                }
            }
        }
        // With very few descriptors a quarter is enough.
        let room = usable.saturating_sub(RESERVED_DESCRIPTORS.min(usable / 4));
        let max = usize::try_from(room).unwrap_or(usize::MAX).max(1);
        if max < self.max {
            tracing::warn!(
                requested = connections,
                max,
                open_files = usable,
                "the number of connections is reduced; raise the limit of open files (ulimit -Hn)"
            );
            self.max = max;
        }
        self
    }

    /// Returns the settings unchanged: other systems have no such limit.
    #[cfg(not(unix))]
    pub fn within_descriptors(self) -> Self {
        self
    }
}
