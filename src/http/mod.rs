//! The HTTP edge: MCP at `/mcp`, the REST API, discovery files, health; limits and time-outs around them.
//!
//! From outside to inside: accept loop (connections, slowness) → id, count and log → panics → CORS → limits →
//! handler. `/mcp` is asked for before the router and has a gate of its own, because its limits depend on what the
//! message says.

mod accept;
mod body;
mod discovery;
mod document;
mod error;
mod front;
#[cfg(fuzzing)]
pub mod fuzz;
mod gate;
mod health;
mod lenient;
pub mod limits;
mod metrics;
mod observe;
mod origins;
mod pages;
mod rest;
mod widgets;

use crate::endpoints::Backend;
use crate::rpc::Speaker;
use axum::Router;
use axum::http::{Method, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use front::Front;
use limits::Limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tower_http::cors::{Any, CorsLayer};

pub use accept::{Connections, Shutdown};
pub use metrics::Metrics;
pub use origins::Origins;
pub use rest::query_arguments;

/// How often the day's counts are written down.
const SAVE_EVERY: Duration = Duration::from_secs(30);

/// How a site is to behave towards its clients.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How much one address may ask for.
    pub limits: limits::Settings,
    /// Browser origins that may call `/mcp`.
    pub origins: Vec<String>,
    /// Connections and their end.
    pub connections: Connections,
}

/// What every handler shares.
#[derive(Clone)]
pub struct Shared {
    /// Who answers.
    pub backend: Arc<Backend>,
    limits: Arc<Limits>,
    metrics: Arc<Metrics>,
    origins: Arc<Origins>,
    ready: Arc<AtomicBool>,
}

/// A server before it listens.
pub struct Site {
    shared: Shared,
    connections: Connections,
}

/// All routes of the public listener with the usual limits; `mcp` answers at `/mcp`.
pub fn router(backend: Arc<Backend>, mcp: impl Speaker) -> Router {
    Site::new(backend, Options::default()).router(mcp)
}

impl Site {
    /// A site over a backend; its clock counts the days.
    pub fn new(backend: Arc<Backend>, options: Options) -> Self {
        let desk = Arc::clone(backend.desk());
        let limits = Limits::new(options.limits, Arc::new(move || desk.now()));
        Self {
            shared: Shared {
                backend,
                limits: Arc::new(limits),
                metrics: Arc::default(),
                origins: Arc::new(Origins::new(&options.origins)),
                ready: Arc::new(AtomicBool::new(true)),
            },
            connections: options.connections,
        }
    }

    /// Everything that [`Self::serve`] answers with, as a service: `mcp` answers at `/mcp`.
    pub fn router(&self, mcp: impl Speaker) -> Router {
        Router::new().fallback_service(self.front(mcp))
    }

    fn front<S: Speaker>(&self, mcp: S) -> Front<S> {
        let shared = self.shared.clone();
        let pages = rest::routes()
            .route("/health", get(health::alive))
            .route("/ready", get(health::ready))
            .merge(discovery::routes(shared.backend.base_url()))
            .merge(pages::routes())
            .merge(widgets::routes())
            .method_not_allowed_fallback(error::method_not_allowed)
            .fallback(error::not_found)
            .layer(from_fn_with_state(shared.clone(), limits::layer::charge))
            .layer(cors())
            .layer(from_fn(observe::name_route))
            .with_state(shared.clone());
        Front::new(shared, mcp, pages)
    }

    /// Serves until told to stop, then lets open answers finish; keeps the day's counts on disk.
    pub async fn serve(&self, listener: TcpListener, mcp: impl Speaker, shutdown: Shutdown) {
        let limits = Arc::clone(&self.shared.limits);
        let serving = accept::Loop {
            site: self.front(mcp),
            connections: self.connections.clone(),
            metrics: Arc::clone(&self.shared.metrics),
            ready: Arc::clone(&self.shared.ready),
            counted: Arc::new(move |address| limits.counts_connections_of(address)),
        }
        .run(listener, shutdown);
        tokio::select! {
            () = serving => {}
            () = self.keep_counts() => {}
        }
        self.save_counts();
    }

    /// Serves `/metrics` alone, on a listener that is not for the public.
    pub async fn serve_metrics(&self, listener: TcpListener, shutdown: Shutdown) {
        let shared = self.shared.clone();
        let page = move || {
            let shared = shared.clone();
            async move {
                let ready = shared.ready.load(Ordering::SeqCst);
                let addresses = shared.limits.addresses();
                let page = shared.metrics.page(&shared.backend, addresses, ready);
                (
                    [(
                        header::CONTENT_TYPE,
                        "text/plain; version=0.0.4; charset=utf-8",
                    )],
                    page,
                )
            }
        };
        let router = Router::new()
            .route("/metrics", get(page))
            .fallback(error::not_found);
        accept::Loop {
            site: router,
            connections: Connections::default(),
            metrics: Arc::default(),
            ready: Arc::default(),
            counted: Arc::new(|_| true),
        }
        .run(listener, shutdown)
        .await;
    }

    async fn keep_counts(&self) {
        loop {
            tokio::time::sleep(SAVE_EVERY).await;
            let limits = Arc::clone(&self.shared.limits);
            let saved = tokio::task::spawn_blocking(move || limits.save()).await;
            if let Ok(Err(error)) = saved {
                tracing::warn!(%error, "the day's counts could not be written; a restart would forget them");
            }
        }
    }

    fn save_counts(&self) {
        if let Err(error) = self.shared.limits.save() {
            tracing::warn!(%error, "the day's counts could not be written; a restart forgets them");
        }
    }
}

/// Everything but `/mcp` may be read by any page: it is public, and no cookie or key is looked at.
fn cors() -> CorsLayer {
    let mut exposed = vec![
        header::ETAG,
        header::AGE,
        header::RETRY_AFTER,
        header::CONTENT_DISPOSITION,
        observe::REQUEST_ID,
    ];
    exposed.extend(limits::reply::EXPOSED);
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::OPTIONS])
        .allow_headers(Any)
        .expose_headers(exposed)
        .max_age(Duration::from_secs(7_200))
}
