//! The entry of every request: tracing, access check, and the split between `/mcp` and the router.
//!
//! It is not a layer of the router, since the router clones its route for every request. That, with the layers around it,
//! took a fifth of the instructions of a small call.

use super::Shared;
use super::observe::RequestTrace;
use crate::admission::is_mcp;
use crate::lock;
use crate::mcp::router;
use crate::mcp::transport::HttpTransport;
use crate::rest;
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::http::StatusCode;
use axum::response::Response;
use econoscope_desk::{Audience, Lock};
use futures_util::FutureExt;
use http::header::ACCEPT_ENCODING;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use tower::ServiceExt;
use tracing::Instrument;

/// The service behind a listener.
pub(super) struct EntryService {
    pub(super) shared: Shared,
    pub(super) mcp: HttpTransport,
    /// Everything but `/mcp`.
    pub(super) router: Router,
    /// Whether the listener is on loopback.
    pub(super) is_local: bool,
}

impl EntryService {
    /// Traces a request, checks its access, answers it and catches panics.
    pub(super) async fn handle(&self, request: Request, peer: Option<SocketAddr>) -> Response {
        let trace = RequestTrace::begin(&self.shared, &request, peer);
        if trace.is_url_too_long {
            let status = StatusCode::URI_TOO_LONG;
            let why = "The address is longer than 8 KiB.";
            return trace.end(rest::problem(status, "invalid_param", why));
        }
        let rules = &self.shared.access_rules;
        if rules.audience == Audience::Public {
            self.shared.admission.warn_of_unknown_proxy(&request, peer);
        }
        let access = rules
            .check_direct(&request)
            .and_then(|()| rules.check(&request, self.is_local));
        let access = match access {
            Ok(access) => access,
            Err(denied) => {
                let response = denied.into_response(trace.is_mcp);
                return trace.end(response);
            }
        };
        let handling = self.route(request, peer).instrument(trace.span.clone());
        // Unwind safe: a panic drops the whole future.
        let mut response = match AssertUnwindSafe(handling).catch_unwind().await {
            Ok(response) => response,
            Err(cause) => {
                self.shared.metrics.panics.fetch_add(1, Ordering::Relaxed);
                rest::panic_response(cause)
            }
        };
        access.set_headers(&mut response);
        if let Some(lock) = self.lock() {
            response = lock::filter_response(response, lock.day).await;
        }
        trace.end(response)
    }

    fn lock(&self) -> Option<Lock> {
        self.shared.backend.desk().settings().lock
    }

    async fn route(&self, mut request: Request, peer: Option<SocketAddr>) -> Response {
        if self.lock().is_some() {
            // What is filtered must not be compressed.
            request.headers_mut().remove(ACCEPT_ENCODING);
        }
        if is_mcp(&request) {
            return router::handle(&self.shared.admission, &self.mcp, request, peer).await;
        }
        if let Some(peer) = peer {
            request.extensions_mut().insert(ConnectInfo(peer));
        }
        let Ok(response) = self.router.clone().oneshot(request).await;
        response
    }
}
