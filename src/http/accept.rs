//! The accept loop, and leniency towards clients that state their wishes loosely.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Request, header};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::{Service, ServiceExt};

/// A client must have sent its request headers by then.
const HEADER_TIME: Duration = Duration::from_secs(10);
/// Open answers are given this long to finish after a stop.
const DRAIN_TIME: Duration = Duration::from_secs(10);

/// Serves connections until `stop`, then lets open answers finish.
pub async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) {
    let open = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                open.spawn(converse(stream, router.clone(), stop.clone()));
            }
            Err(error) => {
                // Out of descriptors or a client that left: breathe, then go on.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(listener);
    open.close();
    if tokio::time::timeout(DRAIN_TIME, open.wait()).await.is_err() {
        tracing::warn!(connections = open.len(), "stopped with answers still open");
    }
}

async fn converse(stream: TcpStream, router: Router, stop: CancellationToken) {
    // Small answers must not wait for a delayed acknowledgement.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY was refused");
    }
    let service = TowerToHyperService::new(
        router.map_request(|r: Request<hyper::body::Incoming>| r.map(Body::new)),
    );
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_headers(100);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Some(Duration::from_secs(20)));
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error, "a connection ended early");
    }
}

/// Lets clients in that send no `Accept`, `*/*` or JSON alone: the protocol wants both types listed.
pub(super) fn lenient<S>(
    inner: S,
) -> impl Service<Request<Body>, Response = S::Response, Error = S::Error, Future: Send>
+ Clone
+ Send
+ Sync
where
    S: Service<Request<Body>, Future: Send> + Clone + Send + Sync + 'static,
{
    inner.map_request(|mut request: Request<Body>| {
        let accept = request
            .headers()
            .get(header::ACCEPT)
            .and_then(|v| v.to_str().ok())
            .unwrap_or("*/*");
        let loose = accept
            .split(',')
            .map(|part| part.split(';').next().unwrap_or("").trim());
        if loose
            .clone()
            .any(|t| matches!(t, "*/*" | "application/*" | "application/json"))
        {
            let both = HeaderValue::from_static("application/json, text/event-stream");
            request.headers_mut().insert(header::ACCEPT, both);
        }
        request
    })
}
