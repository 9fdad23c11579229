//! The HTTP edge: MCP at `/mcp`, the REST API, discovery files and health.

mod accept;
mod discovery;
mod document;
mod error;
mod pages;
mod rest;
mod widgets;

use crate::endpoints::Backend;
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Method, Request, header};
use axum::response::IntoResponse;
use axum::routing::get;
use std::convert::Infallible;
use std::sync::Arc;
use tower::Service;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{Any, CorsLayer};

pub use accept::serve;

/// What every handler shares.
#[derive(Clone)]
pub struct Shared {
    /// Who answers.
    pub backend: Arc<Backend>,
}

/// All routes of the public listener; `mcp` is the service behind `/mcp`.
pub fn router<S>(backend: Arc<Backend>, mcp: S) -> Router
where
    S: Service<Request<Body>, Response: IntoResponse, Error = Infallible, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
{
    let shared = Shared { backend };
    let open = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD, Method::OPTIONS])
        .allow_headers(Any)
        .expose_headers([header::ETAG, header::AGE, header::RETRY_AFTER]);
    let public = rest::routes()
        .merge(discovery::routes())
        .merge(pages::routes())
        .merge(widgets::routes())
        .route("/health", get(health))
        .fallback(error::not_found)
        .layer(open)
        .with_state(shared);
    Router::new()
        .route_service("/mcp", accept::lenient(mcp))
        .merge(public)
        .layer(CatchPanicLayer::custom(error::panicked))
}

/// Whether the process can answer: its store is readable.
async fn health(State(shared): State<Shared>) -> axum::response::Response {
    match shared.backend.desk().holdings() {
        Ok(held) => {
            let body = serde_json::json!({
                "status": "ok",
                "data": if held.bundled { "bundled history" } else { "store" },
                "series": held.iter().count(),
                "updated_at": held.updated_at().map(|t| t.to_string()),
            });
            (
                [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
                axum::Json(body),
            )
                .into_response()
        }
        Err(error) => error::respond(&error, "health", None),
    }
}
