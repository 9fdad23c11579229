//! The accept loop: how many connections, how long each may be slow, and how they end.

mod guard;
mod watch;

use super::metrics::Metrics;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use guard::Guarded;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;
use watch::Pulse;

/// Longest request head in all; addresses are held shorter further in.
const MOST_HEAD_BYTES: usize = 64 * 1024;
/// Requests one HTTP/2 connection may have open.
const MOST_STREAMS: u32 = 128;
/// Streams that never end by themselves are cut this long before the drain is over.
const CUT_BEFORE_END: Duration = Duration::from_secs(2);

/// How long a connection that has said nothing yet may still do so when the server stops.
const FIRST_WORD: Duration = Duration::from_millis(500);

/// Who is let in, and how the server leaves.
#[derive(Debug, Clone)]
pub struct Connections {
    /// Connections at once.
    pub most: usize,
    /// Connections at once from one address that is counted.
    pub per_address: usize,
    /// How long requests are still taken after a stop, while `/ready` says no.
    pub linger: Duration,
    /// How long open answers may then take.
    pub drain: Duration,
}

impl Default for Connections {
    fn default() -> Self {
        Self {
            most: 4_096,
            per_address: 256,
            // Long enough for connections that wait in the queue of the kernel.
            linger: Duration::from_millis(100),
            drain: Duration::from_secs(10),
        }
    }
}

/// How a server is told to end.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// Take no more work, finish what is open.
    pub stop: CancellationToken,
    /// Cancelled by the server shortly before the drain is over: open-ended streams should close.
    pub cut: CancellationToken,
}

/// Who answers the requests of connections; cheap to clone.
pub(super) trait Answer: Clone + Send + Sync + 'static {
    fn answer(
        self,
        request: Request,
        peer: SocketAddr,
    ) -> impl Future<Output = Response> + Send + 'static;
}

impl Answer for Router {
    async fn answer(self, request: Request, _: SocketAddr) -> Response {
        let Ok(response) = self.oneshot(request).await;
        response
    }
}

/// What a loop needs besides its listener.
pub(super) struct Loop<S> {
    pub(super) site: S,
    pub(super) connections: Connections,
    pub(super) metrics: Arc<Metrics>,
    pub(super) ready: Arc<AtomicBool>,
    /// Whether connections of an address are counted one by one.
    pub(super) counted: Arc<dyn Fn(IpAddr) -> bool + Send + Sync>,
}

impl<S: Answer> Loop<S> {
    /// Serves connections until told to stop, then lets open answers finish.
    pub(super) async fn run(self, listener: TcpListener, shutdown: Shutdown) {
        let open = TaskTracker::new();
        let doors = Arc::new(Doors::default());
        let closing = CancellationToken::new();
        let this = Arc::new(self);
        tokio::select! {
            () = this.accept(&listener, &open, &doors, &closing) => {}
            () = async {
                shutdown.stop.cancelled().await;
                this.ready.store(false, Ordering::SeqCst);
                tokio::time::sleep(this.connections.linger).await;
            } => {}
        }
        drop(listener);
        closing.cancel();
        open.close();
        let drain = this.connections.drain;
        let gentle = drain.saturating_sub(CUT_BEFORE_END);
        if tokio::time::timeout(gentle, open.wait()).await.is_ok() {
            shutdown.cut.cancel();
            return;
        }
        shutdown.cut.cancel();
        let rest = drain.saturating_sub(gentle);
        if tokio::time::timeout(rest, open.wait()).await.is_err() {
            tracing::warn!(connections = open.len(), "stopped with answers still open");
        }
    }

    async fn accept(
        self: &Arc<Self>,
        listener: &TcpListener,
        open: &TaskTracker,
        doors: &Arc<Doors>,
        closing: &CancellationToken,
    ) {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => {
                    self.metrics.accepted.fetch_add(1, Ordering::Relaxed);
                    let counted = (self.counted)(peer.ip());
                    match doors.enter(peer.ip(), counted, &self.connections) {
                        Some(seat) => {
                            let conversation = Conversation {
                                house: Arc::clone(self),
                                peer,
                                seat,
                            };
                            open.spawn(conversation.hold(stream, closing.clone()));
                        }
                        None => {
                            self.metrics.closed("too_many");
                            turn_away(&stream);
                        }
                    }
                }
                Err(error) => {
                    // Out of descriptors or a client that left: breathe, then go on.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }
}

/// A word to who is not let in, if the socket takes it at once.
fn turn_away(stream: &TcpStream) {
    let words = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 5\r\n\
        content-length: 46\r\nconnection: close\r\n\r\n{\"error\":\"Too many connections. Retry in 5 s.\"}";
    if let Err(error) = stream.try_write(words) {
        tracing::debug!(%error, "a connection was closed without a word");
    }
}

/// Seats taken, in all and by address.
#[derive(Default)]
struct Doors {
    taken: Mutex<(usize, HashMap<IpAddr, usize>)>,
}

/// A seat; given back when dropped.
struct Seat {
    doors: Arc<Doors>,
    address: Option<IpAddr>,
}

impl Doors {
    fn enter(self: &Arc<Self>, peer: IpAddr, counted: bool, limits: &Connections) -> Option<Seat> {
        let address = counted.then(|| network(peer));
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.0 >= limits.most {
            return None;
        }
        if let Some(address) = address {
            let count = taken.1.entry(address).or_default();
            if *count >= limits.per_address {
                return None;
            }
            *count += 1;
        }
        taken.0 += 1;
        Some(Seat {
            doors: Arc::clone(self),
            address,
        })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self
            .doors
            .taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        taken.0 = taken.0.saturating_sub(1);
        if let Some(address) = self.address
            && let Some(count) = taken.1.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                taken.1.remove(&address);
            }
        }
    }
}

/// IPv4 as it is, IPv6 by its /64: one customer holds all of it.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// One connection.
struct Conversation<S> {
    house: Arc<Loop<S>>,
    peer: SocketAddr,
    seat: Seat,
}

impl<S: Answer> Conversation<S> {
    async fn hold(self, stream: TcpStream, closing: CancellationToken) {
        self.house
            .metrics
            .connections
            .fetch_add(1, Ordering::Relaxed);
        self.speak(stream, closing).await;
        self.house
            .metrics
            .connections
            .fetch_sub(1, Ordering::Relaxed);
        drop(self.seat);
    }

    async fn speak(&self, stream: TcpStream, closing: CancellationToken) {
        // Small answers must not wait for a delayed acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY was refused");
        }
        let pulse = Arc::new(Pulse::new());
        let io = TokioIo::new(Guarded::new(stream, Arc::clone(&pulse)));
        let peer = self.peer;
        let service = hyper::service::service_fn(|request: Request<hyper::body::Incoming>| {
            let busy = pulse.request();
            let site = self.house.site.clone();
            async move {
                let answer = site.answer(request.map(Body::new), peer).await;
                drop(busy);
                Ok::<_, Infallible>(answer)
            }
        });
        let builder = protocol();
        let connection = builder.serve_connection_with_upgrades(io, service);
        tokio::pin!(connection);
        let leave = async {
            closing.cancelled().await;
            // What was sent before the stop may not have been read yet.
            if pulse.is_new() {
                tokio::time::sleep(FIRST_WORD).await;
            }
        };
        tokio::pin!(leave);
        let mut leaving = false;
        loop {
            tokio::select! {
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(error, "a connection ended early");
                    }
                    return;
                }
                why = pulse.overdue() => {
                    self.house.metrics.closed(why);
                    tracing::debug!(why, "a connection is closed");
                    return;
                }
                () = leave.as_mut(), if !leaving => {
                    leaving = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }
}

/// HTTP/1.1 and HTTP/2 with their bounds; slowness is watched outside, where both look alike.
fn protocol() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        // At most 100 headers is the default already; to set it would move them from the stack to the heap.
        .max_buf_size(MOST_HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MOST_STREAMS)
        .max_header_list_size(64 * 1024);
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_counted_by_address_and_given_back() {
        let doors = Arc::new(Doors::default());
        let limits = Connections {
            most: 3,
            per_address: 2,
            ..Connections::default()
        };
        let one: IpAddr = "2001:db8::1".parse().unwrap();
        let same: IpAddr = "2001:db8::ffff".parse().unwrap();
        let first = doors.enter(one, true, &limits).unwrap();
        let second = doors.enter(same, true, &limits).unwrap();
        assert!(doors.enter(one, true, &limits).is_none(), "its /64 is full");
        let third = doors.enter(one, false, &limits).unwrap();
        assert!(
            doors
                .enter("192.0.2.1".parse().unwrap(), true, &limits)
                .is_none()
        );
        drop((first, second, third));
        let taken = doors.taken.lock().unwrap();
        assert!(taken.0 == 0 && taken.1.is_empty());
    }
}
