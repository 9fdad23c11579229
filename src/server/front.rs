//! The front of the house: every request passes here, and `/mcp` parts from the rest.
//!
//! It stands before the router and not in it, for the router clones what a route is made of once or twice a request,
//! and keeps what it found in a map: that, and what stood around the gate, were a fifth of a small call's instructions.

use super::observe::RequestTrace;
use super::shared::Shared;
use crate::admission::is_mcp;
use crate::mcp::router;
use crate::mcp::transport::Http;
use crate::rest;
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::FutureExt;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use tower::ServiceExt;
use tracing::Instrument;

/// Everything a listener answers with.
pub(super) struct EntryService {
    pub(super) shared: Shared,
    pub(super) mcp: Http,
    pub(super) pages: Router,
    /// Whether only the machine itself can ask.
    pub(super) is_local: bool,
}

impl EntryService {
    /// One request: watched, let in or not, and its panics caught.
    pub(super) async fn pass(&self, request: Request, peer: Option<SocketAddr>) -> Response {
        let watch = RequestTrace::begin(&self.shared, &request, peer);
        if watch.is_too_long {
            let why = "The address is longer than 8 KiB.";
            return watch.end(rest::problem(
                StatusCode::URI_TOO_LONG,
                "invalid_param",
                why,
            ));
        }
        self.shared.admission.watch(&request, peer);
        let admitted = match self.shared.callers.admit(&request, self.is_local) {
            Ok(admitted) => admitted,
            Err(refusal) => {
                let response = refusal.into_response(watch.is_mcp);
                return watch.end(response);
            }
        };
        let handled = self.handle(request, peer).instrument(watch.span.clone());
        // A panic drops the work half done, and nobody sees it again.
        let mut response = match AssertUnwindSafe(handled).catch_unwind().await {
            Ok(response) => response,
            Err(cause) => {
                self.shared.metrics.panics.fetch_add(1, Ordering::Relaxed);
                rest::panicked(cause)
            }
        };
        admitted.mark(&mut response);
        watch.end(response)
    }

    async fn handle(&self, mut request: Request, peer: Option<SocketAddr>) -> Response {
        if is_mcp(&request) {
            return router::pass(&self.shared.admission, &self.mcp, request, peer).await;
        }
        if let Some(peer) = peer {
            request.extensions_mut().insert(ConnectInfo(peer));
        }
        let Ok(response) = self.pages.clone().oneshot(request).await;
        response
    }
}
