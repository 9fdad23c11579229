//! Accepts connections up to a limit, serves HTTP/1.1 on each, and drains them at the end.
//!
//! TLS, HTTP/2, slow clients and floods are the business of the reverse proxy in front (`deploy/`). What stays here bounds
//! a server that has no proxy: a time for the request head, a time without any progress of an answer, and the number of
//! connections in all and for one address.

use super::metrics::Metrics;
use super::settings::{Connections, Shutdown};
use crate::admission::{Activity, Full, Permits};
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use econoscope_data::pool::Caller;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::convert::Infallible;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;

/// Longest request head in all; addresses are held shorter further in.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// An answer of which the client takes no byte for so long is given up.
const WRITE_TIME: Duration = Duration::from_secs(30);
/// Streams that never end by themselves are cut this long before the drain is over.
const CUT_BEFORE_END: Duration = Duration::from_secs(2);
/// What the kernel may keep for a reader; it doubles it. Two megabytes a second at a tenth of a second's distance.
#[cfg(unix)]
const SEND_BUFFER_BYTES: usize = 128 * 1024;
/// Descriptors for the store, logs, upstream and sources, and the metrics listener.
#[cfg(unix)]
const RESERVED_DESCRIPTORS: u64 = 256;

/// A stream of which a write without progress fails.
type TimedStream = TokioIo<Pin<Box<TimeoutStream<TcpStream>>>>;

/// What an accept loop needs besides its listener.
pub(super) struct Acceptor<S> {
    /// Answers a request of the connection's other end.
    pub(super) answer: S,
    pub(super) connections: Connections,
    pub(super) metrics: Arc<Metrics>,
    pub(super) ready: Arc<AtomicBool>,
    /// For whom the connections of an address are counted.
    pub(super) counted: Box<dyn Fn(IpAddr) -> Caller + Send + Sync>,
}

impl<S, F> Acceptor<S>
where
    S: Fn(Request, SocketAddr) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    /// Serves connections until told to stop, then lets open answers finish.
    pub(super) async fn run(self, listener: TcpListener, shutdown: Shutdown) {
        bound_send_buffers(&listener);
        let open = GracefulShutdown::new();
        tokio::select! {
            () = async {
                shutdown.stop.cancelled().await;
                self.ready.store(false, Ordering::SeqCst);
                tokio::time::sleep(self.connections.linger).await;
            } => {}
            () = self.accept(&listener, &open) => {}
        }
        drop(listener);
        let drained = open.shutdown();
        tokio::pin!(drained);
        let gentle = self.connections.drain.saturating_sub(CUT_BEFORE_END);
        let is_drained = tokio::time::timeout(gentle, drained.as_mut()).await.is_ok();
        shutdown.cut.cancel();
        if is_drained {
            return;
        }
        let rest = self.connections.drain.saturating_sub(gentle);
        if tokio::time::timeout(rest, drained).await.is_err() {
            tracing::warn!("stopped with answers still open");
        }
    }

    async fn accept(&self, listener: &TcpListener, open: &GracefulShutdown) {
        let bounds = &self.connections;
        let permits = Arc::new(Permits::new(bounds.max, bounds.max_per_address));
        loop {
            let (stream, peer) = match listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    self.metrics.closed.add("not_accepted");
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            self.metrics.accepted.fetch_add(1, Ordering::Relaxed);
            let caller = (self.counted)(peer.ip());
            let taken = permits.take(caller).or_else(|full| match full {
                // Room is made where somebody holds it without using it.
                Full::All if permits.end_one() => {
                    self.metrics.closed.add("gave_way");
                    permits.take_beyond(caller)
                }
                Full::All | Full::Caller => Err(full),
            });
            let Ok(permit) = taken else {
                self.metrics.closed.add("too_many");
                refuse(&stream);
                continue;
            };
            let count = Arc::clone(&self.metrics.connections);
            let activity = Arc::clone(&permit.activity);
            let connection = open.watch(self.serve(stream, peer, activity));
            tokio::spawn(async move {
                tokio::select! {
                    done = connection => if let Err(error) = done {
                        tracing::debug!(error = %error, "a connection ended early");
                    },
                    () = permit.activity.close.cancelled() => {
                        tracing::debug!("an idle connection gave way");
                    }
                }
                drop((permit, count));
            });
        }
    }

    fn serve(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        activity: Arc<Activity>,
    ) -> http1::Connection<
        TimedStream,
        impl HttpService<Incoming, ResBody = Body, Error = Infallible, Future: Send> + use<S, F>,
    > {
        // Small answers must not wait for a delayed acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY was refused");
        }
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(WRITE_TIME));
        let answer = self.answer.clone();
        let answer = service_fn(move |request: Request<Incoming>| {
            let (answer, busy) = (answer.clone(), activity.begin());
            // Begun inside, so that the work of a request, which is large, is not held and moved a second time.
            async move {
                let response = answer(request.map(Body::new), peer).await;
                drop(busy);
                Ok(response)
            }
        });
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.connections.head_time)
            // At most 100 headers is the default already; to set it would move them from the stack to the heap.
            .max_buf_size(MAX_HEAD_BYTES)
            .serve_connection(TokioIo::new(Box::pin(stream)), answer)
    }
}

/// Bounds how much of an answer the kernel takes for a slow reader. Left to itself it takes up to 4 MiB for each.
fn bound_send_buffers(listener: &TcpListener) {
    #[cfg(unix)]
    if let Err(error) =
        rustix::net::sockopt::set_socket_send_buffer_size(listener, SEND_BUFFER_BYTES)
    {
        tracing::debug!(%error, "the send buffers of connections stay as they are");
    }
    #[cfg(not(unix))]
    let _ = listener;
}

/// Answers one who is refused, if the socket takes it at once.
fn refuse(stream: &TcpStream) {
    let body = "{\"error\":\"Too many connections. Retry in 5 s.\"}";
    let response = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 5\r\n\
        content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    if let Err(error) = stream.try_write(response.as_bytes()) {
        tracing::debug!(%error, "a connection was closed without an answer");
    }
}

impl Connections {
    /// Raises this process's limit of open files as far as these connections need and the system allows; where that
    /// is not far enough, fewer connections are taken, so that the rest of the program can still open its files.
    #[must_use]
    #[cfg(unix)]
    pub fn within_descriptors(mut self) -> Self {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let wanted = u64::try_from(self.max).unwrap_or(u64::MAX);
        let limit = getrlimit(Resource::Nofile);
        let needed = wanted.saturating_add(RESERVED_DESCRIPTORS);
        let mut usable = limit.current.unwrap_or(u64::MAX);
        if usable < needed {
            let raised = limit.maximum.map_or(needed, |max| max.min(needed));
            let current = Some(raised);
            match setrlimit(Resource::Nofile, Rlimit { current, ..limit }) {
                Ok(()) => usable = raised,
                Err(error) => {
                    tracing::warn!(%error, "the limit of open files could not be raised");
                }
            }
        }
        // A quarter of very few is reserve enough.
        let room = usable.saturating_sub(RESERVED_DESCRIPTORS.min(usable / 4));
        let max = usize::try_from(room).unwrap_or(usize::MAX).max(1);
        if max < self.max {
            tracing::warn!(
                wanted,
                max,
                open_files = usable,
                "fewer connections are taken than were asked for; raise the limit of open files (ulimit -Hn)"
            );
            self.max = max;
        }
        self
    }

    /// Other systems have no such limit.
    #[cfg(not(unix))]
    pub fn within_descriptors(self) -> Self {
        self
    }
}
