//! Assembles the server's routes and serves them on a public listener and on one for metrics.

use super::Shared;
use super::connections::Acceptor;
use super::front::EntryService;
use super::metrics::Metrics;
use super::settings::{ConnectionSettings, Options, Shutdown};
use super::{health, metrics, observe};
use crate::admission::{self, AccessRules, Admission};
use crate::mcp::transport::HttpTransport;
use crate::{rest, site};
use axum::Router;
use axum::extract::Request;
use axum::http::{Method, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use econoscope_answers::Backend;
use econoscope_core::clock;
use econoscope_data::ingest::SyncReport;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tower_http::cors::{Any, CorsLayer};

/// The HTTP server of a backend.
pub struct HttpServer {
    shared: Shared,
    connections: ConnectionSettings,
}

impl HttpServer {
    /// Creates a server over a backend.
    pub fn new(backend: Arc<Backend>, options: Options) -> Self {
        let admission = Admission::new(options.limits.clone(), options.connections.max);
        let metrics = Metrics {
            started: clock::wall_time(),
            ..Metrics::default()
        };
        let settings = backend.desk().settings();
        let mut access_rules = AccessRules::new(&options.hosts, &options.origins, settings.home());
        access_rules.audience = settings.audience;
        Self {
            shared: Shared {
                backend,
                admission: Arc::new(admission),
                access_rules: Arc::new(access_rules),
                metrics: Arc::new(metrics),
                ready: Arc::new(AtomicBool::new(true)),
                probe: Arc::new(Mutex::new((None, Ok(())))),
            },
            connections: options.connections,
        }
    }

    /// Counts a sync in the metrics; `None` is one that failed as a whole.
    pub(crate) fn record_sync(&self, report: Option<SyncReport>) {
        self.shared.metrics.add_sync(report);
    }

    /// Returns everything that [`Self::serve`] answers on a public listener as a router.
    pub fn router(&self, mcp: HttpTransport) -> Router {
        let entry = self.entry(mcp, false);
        Router::new().fallback(move |request: Request| {
            let entry = Arc::clone(&entry);
            let peer = admission::peer(request.extensions());
            async move { entry.handle(request, peer).await }
        })
    }

    fn entry(&self, mcp: HttpTransport, is_local: bool) -> Arc<EntryService> {
        let shared = &self.shared;
        let backend = &shared.backend;
        let admission = &shared.admission;
        let router = Router::new()
            .route("/health", get(health::alive))
            .route("/ready", get(health::ready))
            .with_state(shared.clone())
            .merge(rest::routes(backend))
            .merge(rest::discovery_routes(backend))
            .merge(site::routes(backend, admission))
            .method_not_allowed_fallback(rest::method_not_allowed)
            .layer(from_fn_with_state(Arc::clone(admission), admission::charge))
            .layer(cors())
            .layer(from_fn(observe::name_route));
        Arc::new(EntryService {
            shared: shared.clone(),
            mcp,
            router,
            is_local,
        })
    }

    /// Serves until shutdown, then lets open responses finish.
    pub async fn serve(&self, listener: TcpListener, mcp: HttpTransport, shutdown: Shutdown) {
        Acceptor {
            entry: self.entry(mcp, is_local(&listener)),
            connections: self.connections.clone(),
        }
        .run(listener, shutdown)
        .await;
    }

    /// Serves `/metrics` alone until `stop`, on a private listener, which has no limits.
    pub async fn serve_metrics(&self, listener: TcpListener, stop: CancellationToken) {
        let rules = (Arc::clone(&self.shared.access_rules), is_local(&listener));
        let router = Router::new()
            .route("/metrics", get(metrics::page))
            .with_state(self.shared.clone())
            .fallback(rest::not_found)
            .layer(from_fn_with_state(rules, admission::guard));
        let serving = axum::serve(listener, router).into_future();
        if let Some(Err(error)) = stop.run_until_cancelled(serving).await {
            tracing::error!(%error, "the metrics are no longer served");
        }
    }
}

/// Whether a listener is on loopback, or its address is unknown.
fn is_local(listener: &TcpListener) -> bool {
    let address = listener.local_addr();
    address.map_or(true, |address| address.ip().to_canonical().is_loopback())
}

/// Lets any page read public responses, since there are no cookies or keys. [`AccessRules`] restricts the others.
fn cors() -> CorsLayer {
    let mut exposed = vec![
        header::ETAG,
        header::AGE,
        header::RETRY_AFTER,
        header::CONTENT_DISPOSITION,
        observe::REQUEST_ID,
    ];
    exposed.extend(admission::reply::QUOTA_HEADERS);
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::OPTIONS])
        .allow_headers(Any)
        .expose_headers(exposed)
        .max_age(Duration::from_secs(7_200))
}
