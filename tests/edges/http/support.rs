//! A server over the bundled history, in memory or on a socket.

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode};
use econoscope::admission::LimitSettings;
use econoscope::mcp;
use econoscope::server::{HttpServer, Options, Shutdown};
use econoscope_answers::Backend;
use econoscope_data::store::Sqlite;
use econoscope_desk::{Clock, Desk, Settings};
use http_body_util::BodyExt;
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tower::ServiceExt;

pub(crate) const BASE: &str = "https://macro.example";

pub(crate) fn backend(serve_restricted: bool) -> Arc<Backend> {
    backend_at(Desk::system_clock(), serve_restricted)
}

/// Creates a backend with a clock.
pub(crate) fn backend_at(now: Clock, serve_restricted: bool) -> Arc<Backend> {
    let settings = Settings {
        serve_restricted,
        ..Settings::default()
    };
    backend_with(settings, now)
}

/// Creates a backend with settings and a clock.
pub(crate) fn backend_with(settings: Settings, now: Clock) -> Arc<Backend> {
    backend_over(Arc::new(Sqlite::bundled().unwrap()), settings, now)
}

/// Creates a backend over a store.
fn backend_over(store: Arc<Sqlite>, mut settings: Settings, now: Clock) -> Arc<Backend> {
    settings.base_url = Some(BASE.into());
    let desk = Desk::open(store, settings, now);
    Arc::new(Backend::local(Arc::new(desk)))
}

/// Creates a public service without a burst limit over a store and a clock.
pub(crate) fn public_router(store: Arc<Sqlite>, now: Clock) -> Router {
    let settings = Settings {
        serve_restricted: false,
        ..Settings::default()
    };
    unlimited_router_over(backend_over(store, settings, now))
}

pub(crate) fn mcp_service(
    backend: &Arc<Backend>,
    shutdown: &Shutdown,
) -> mcp::transport::HttpTransport {
    let server = mcp::Server::new(Arc::clone(backend));
    mcp::transport::http(server, shutdown.close_streams.clone())
}

pub(crate) fn options() -> Options {
    Options {
        origins: vec!["http://localhost:*".into()],
        ..Options::default()
    }
}

pub(crate) fn router_with(options: Options, serve_restricted: bool) -> Router {
    let backend = backend(serve_restricted);
    let mcp = mcp_service(&backend, &Shutdown::default());
    HttpServer::new(backend, options).router(mcp)
}

pub(crate) fn router() -> Router {
    router_with(options(), true)
}

pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |v| v.to_str().unwrap())
    }
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

pub(crate) async fn send(router: &Router, request: Request<Body>) -> Reply {
    let response = router.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    Reply {
        status: parts.status,
        headers: parts.headers,
        body: body.collect().await.unwrap().to_bytes().to_vec(),
    }
}

pub(crate) async fn get(router: &Router, path: &str) -> Reply {
    get_with(router, path, &[]).await
}

pub(crate) async fn get_with(router: &Router, path: &str, headers: &[(&str, &str)]) -> Reply {
    send(router, request("GET", path, headers, "")).await
}

pub(crate) fn request(
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Request<Body> {
    let mut builder = Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| *name == "host") {
        builder = builder.header("host", "localhost");
    }
    for (name, value) in headers {
        builder = builder.header(*name, *value);
    }
    builder.body(Body::from(body.to_owned())).unwrap()
}

/// Sets the peer of a request.
pub(crate) fn with_peer(mut request: Request<Body>, peer: &str) -> Request<Body> {
    let address: SocketAddr = peer.parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(address));
    request
}

pub(crate) fn tool_call(tool: &str, arguments: &Value, headers: &[(&str, &str)]) -> Request<Body> {
    let body = serde_json::json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}});
    let mut all = vec![
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-06-18"),
    ];
    all.extend_from_slice(headers);
    request("POST", "/mcp", &all, &body.to_string())
}

/// A server on its own socket, stopped when dropped.
pub(crate) struct LiveServer {
    pub(crate) address: SocketAddr,
    pub(crate) shutdown: Shutdown,
    pub(crate) task: tokio::task::JoinHandle<()>,
}

pub(crate) async fn start_server(options: Options) -> LiveServer {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let backend = backend(true);
    let shutdown = Shutdown::default();
    let mcp = mcp_service(&backend, &shutdown);
    let ending = shutdown.clone();
    let task = tokio::spawn(async move {
        HttpServer::new(backend, options)
            .serve(listener, mcp, ending)
            .await;
    });
    LiveServer {
        address,
        shutdown,
        task,
    }
}

/// Creates a router without a burst limit.
pub(crate) fn unlimited_router() -> Router {
    unlimited_router_over(backend(true))
}

/// Creates a router without a burst limit over a backend.
pub(crate) fn unlimited_router_over(backend: Arc<Backend>) -> Router {
    let limits = LimitSettings {
        per_second: 100_000,
        burst: 100_000,
        ..LimitSettings::default()
    };
    let mcp = mcp_service(&backend, &Shutdown::default());
    let options = Options {
        limits,
        ..options()
    };
    HttpServer::new(backend, options).router(mcp)
}
