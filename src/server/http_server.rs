//! Everything that a server answers with, on a public listener and on one for metrics.

use super::connections::Acceptor;
use super::front::EntryService;
use super::metrics::{Metrics, SyncCounts};
use super::settings::{Connections, Options, Shutdown};
use super::shared::Shared;
use super::{health, observe, scrape};
use crate::admission::{self, Admission, Callers};
use crate::mcp::transport::Http;
use crate::{rest, site};
use axum::Router;
use axum::extract::Request;
use axum::http::{Method, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use econoscope_answers::endpoints::Backend;
use econoscope_core::clock;
use econoscope_data::pool::Caller;
use futures_util::FutureExt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::net::TcpListener;
use tower::ServiceExt;
use tower_http::cors::{Any, CorsLayer};

/// How often the day's counts are written down.
const SAVE_EVERY: Duration = Duration::from_secs(30);
/// Connections to the metrics: a scraper and a few who look. The descriptors are the callers'.
const MAX_METRICS_CONNECTIONS: usize = 64;

/// A server before it listens.
pub struct HttpServer {
    shared: Shared,
    connections: Connections,
}

impl HttpServer {
    /// A server over a backend.
    pub fn new(backend: Arc<Backend>, options: Options) -> Self {
        let admission = Admission::new(options.limits.clone(), options.connections.max);
        let metrics = Metrics {
            started: clock::wall(),
            ..Metrics::default()
        };
        let callers = Callers::new(&options.hosts, &options.origins, backend.base_url());
        Self {
            shared: Shared {
                backend,
                admission: Arc::new(admission),
                callers: Arc::new(callers),
                metrics: Arc::new(metrics),
                ready: Arc::new(AtomicBool::new(true)),
                probe: Arc::default(),
            },
            connections: options.connections,
        }
    }

    /// Counts what a sync did.
    pub fn synced(&self, done: SyncCounts) {
        self.shared.metrics.add(done);
    }

    /// Counts what came of an attempt to deliver an alert to a webhook.
    pub(crate) fn delivered(&self, outcome: &'static str) {
        self.shared.metrics.webhooks.add(outcome);
    }

    /// Everything that [`Self::serve`] answers with on a public listener, as a service: `mcp` answers at `/mcp`.
    pub fn router(&self, mcp: Http) -> Router {
        let front = self.front(mcp, false);
        Router::new().fallback(move |request: Request| {
            let (front, peer) = (Arc::clone(&front), admission::peer(request.extensions()));
            async move { front.pass(request, peer).await }
        })
    }

    fn front(&self, mcp: Http, is_local: bool) -> Arc<EntryService> {
        let shared = &self.shared;
        let (backend, admission) = (&shared.backend, &shared.admission);
        let pages = Router::new()
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
            pages,
            is_local,
        })
    }

    /// Serves until told to stop, then lets open answers finish; keeps the day's counts on disk.
    pub async fn serve(&self, listener: TcpListener, mcp: Http, shutdown: Shutdown) {
        let admission = Arc::clone(&self.shared.admission);
        let front = self.front(mcp, is_local(&listener));
        let serving = Acceptor {
            answer: move |request, peer| {
                let front = Arc::clone(&front);
                async move { front.pass(request, Some(peer)).await }
            },
            connections: self.connections.clone(),
            metrics: Arc::clone(&self.shared.metrics),
            ready: Arc::clone(&self.shared.ready),
            counted: Box::new(move |address| admission.connecting(address)),
        }
        .run(listener, shutdown);
        tokio::select! {
            () = serving => {}
            () = self.keep_counts() => {}
        }
        save_counts(&self.shared.admission);
    }

    /// Serves `/metrics` alone, on a listener that is not for the public.
    pub async fn serve_metrics(&self, listener: TcpListener, shutdown: Shutdown) {
        let callers = Arc::clone(&self.shared.callers);
        let guarded = (callers, is_local(&listener));
        let router = Router::new()
            .route("/metrics", get(scrape::page))
            .with_state(self.shared.clone())
            .fallback(rest::not_found)
            .layer(from_fn_with_state(guarded, admission::guard));
        Acceptor {
            answer: move |request, _| {
                let answered = router.clone().oneshot(request);
                answered.map(|Ok(response)| response)
            },
            connections: Connections {
                max: MAX_METRICS_CONNECTIONS,
                ..Connections::default()
            },
            metrics: Arc::new(Metrics::default()),
            ready: Arc::default(),
            counted: Box::new(Caller::at),
        }
        .run(listener, shutdown)
        .await;
    }

    async fn keep_counts(&self) {
        loop {
            tokio::time::sleep(SAVE_EVERY).await;
            let admission = Arc::clone(&self.shared.admission);
            let saved = tokio::task::spawn_blocking(move || save_counts(&admission));
            saved.await.unwrap_or_default();
        }
    }
}

fn save_counts(admission: &Admission) {
    if let Err(error) = admission.save() {
        tracing::warn!(%error, "the day's counts could not be written; a restart would forget them");
    }
}

/// Whether only the machine itself can reach a listener; one that cannot say so is taken for such.
fn is_local(listener: &TcpListener) -> bool {
    let address = listener.local_addr();
    address.map_or(true, |address| address.ip().to_canonical().is_loopback())
}

/// What is public may be read by any page: no cookie or key is looked at. What is not, [`Callers`] takes back.
fn cors() -> CorsLayer {
    let mut exposed = vec![
        header::ETAG,
        header::AGE,
        header::RETRY_AFTER,
        header::CONTENT_DISPOSITION,
        observe::REQUEST_ID,
    ];
    exposed.extend(admission::reply::EXPOSED);
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::OPTIONS])
        .allow_headers(Any)
        .expose_headers(exposed)
        .max_age(Duration::from_secs(7_200))
}
