//! One connection: its requests are answered, its slowness is judged, its end is gentle.

use super::activity::Activity;
use super::memory::Share;
use super::metered::Metered;
use super::metrics::Metrics;
use super::stream::Watched;
use crate::admission::Permit;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body::Body as _;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// Longest request head in all; addresses are held shorter further in.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// Requests one HTTP/2 connection may have open.
const MAX_STREAMS: u32 = 128;
/// What an HTTP/2 client may send before we read on: the largest body that is taken.
const WINDOW: u32 = 256 * 1024;
/// What an open request holds besides bodies: its task, its stream, its head.
const REQUEST_BYTES: u64 = 8 * 1024;
/// What a body that comes may make us hold; what is longer is refused as it comes.
const BODY_BYTES: u64 = 256 * 1024;
/// How long a connection that has said nothing yet may still do so when the server stops.
const FIRST_WORD: Duration = Duration::from_millis(500);

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

/// One connection, counted as open while it lives.
pub(super) struct Connection<S> {
    pub(super) site: S,
    pub(super) peer: SocketAddr,
    pub(super) permit: Permit<Arc<Share>>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) _open: Arc<()>,
}

impl<S: Answer> Connection<S> {
    /// Answers until the other side is done, too slow, or `closing` and all is answered.
    pub(super) async fn serve(self, stream: TcpStream, closing: CancellationToken) {
        // Small answers must not wait for a delayed acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY was refused");
        }
        let activity = Arc::new(Activity::new());
        let io = TokioIo::new(Watched::new(stream, Arc::clone(&activity)));
        let service =
            hyper::service::service_fn(|request| self.answer(request, Arc::clone(&activity)));
        let builder = protocol();
        let connection = builder.serve_connection_with_upgrades(io, service);
        tokio::pin!(connection);
        let leave = async {
            closing.cancelled().await;
            // What was sent before the stop may not have been read yet.
            if activity.is_new() {
                tokio::time::sleep(FIRST_WORD).await;
            }
        };
        tokio::pin!(leave);
        let mut leaving = false;
        loop {
            tokio::select! {
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        if activity.is_flooded() {
                            self.metrics.closed.add("flood");
                        }
                        tracing::debug!(error, "a connection ended early");
                    }
                    return;
                }
                why = activity.overdue() => {
                    self.metrics.closed.add(why);
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

    fn answer(
        &self,
        request: Request<hyper::body::Incoming>,
        activity: Arc<Activity>,
    ) -> impl Future<Output = Result<axum::http::Response<Metered>, Infallible>> + use<S> {
        let exchange = activity.request(self.permit.shared.nothing());
        let (site, peer) = (self.site.clone(), self.peer);
        let metrics = Arc::clone(&self.metrics);
        async move {
            // When its turn comes, not before: what those before it hold is known by then.
            let coming = request.body().size_hint().upper().unwrap_or(BODY_BYTES);
            let answer = if exchange.admit(REQUEST_BYTES + coming.min(BODY_BYTES)) {
                // On the heap, and only while it is made: a hundred streams that wait to be read hold none of it.
                Box::pin(site.answer(request.map(Body::new), peer)).await
            } else {
                metrics.held.fetch_add(1, Ordering::Relaxed);
                too_much_held()
            };
            Ok(answer.map(|body| Metered::new(body, exchange)))
        }
    }
}

/// An answer without a body, which no window can hold back.
fn too_much_held() -> Response {
    let headers = [(header::RETRY_AFTER, "1")];
    (StatusCode::SERVICE_UNAVAILABLE, headers).into_response()
}

/// HTTP/1.1 and HTTP/2 with their bounds; slowness is watched outside, where both look alike.
fn protocol() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        // At most 100 headers is the default already; to set it would move them from the stack to the heap.
        .max_buf_size(MAX_HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .max_header_list_size(64 * 1024);
    builder
}
