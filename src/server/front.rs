//! The front of the house: every request passes here, and `/mcp` parts from the rest.
//!
//! It stands before the router and not in it, for the router clones what a route is made of once or twice a request,
//! and keeps what it found in a map: that, and what stood around the gate, were a fifth of a small call's instructions.

use super::connection::Answer;
use super::observe::{self, Watch};
use super::shared::Shared;
use crate::admission::{self, MCP};
use crate::mcp::mount;
use crate::rest;
use crate::rpc::Speaker;
use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tower::ServiceExt;
use tracing::Instrument;

/// Everything a listener answers with.
#[derive(Clone)]
pub(super) struct Front<S> {
    inside: Arc<Inside<S>>,
}

struct Inside<S> {
    shared: Shared,
    mcp: S,
    pages: Router,
    /// Whether only the machine itself can ask.
    is_local: bool,
}

impl<S: Speaker> Front<S> {
    /// Answers a request of a program that has its own listener; the peer is where axum puts it.
    pub(super) async fn own(self, request: Request) -> Response {
        let peer = admission::peer(request.extensions());
        self.inside.answer(request, peer).await
    }

    pub(super) fn new(shared: Shared, mcp: S, pages: Router, is_local: bool) -> Self {
        Self {
            inside: Arc::new(Inside {
                shared,
                mcp,
                pages,
                is_local,
            }),
        }
    }
}

impl<S: Speaker> Inside<S> {
    /// One request: watched, let in or not, and its panics caught.
    async fn answer(&self, request: Request, peer: Option<SocketAddr>) -> Response {
        let watch = Watch::begin(&self.shared, &request, peer);
        if watch.is_too_long {
            return watch.end(observe::too_long());
        }
        self.shared.admission.watch(&request, peer);
        let admitted = match self.shared.callers.admit(&request, self.is_local) {
            Ok(admitted) => admitted,
            Err(refusal) => return watch.end(refusal.into_response()),
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
        if request.uri().path() == MCP {
            return mount::pass(&self.shared.admission, &self.mcp, request, peer).await;
        }
        if let Some(peer) = peer {
            request.extensions_mut().insert(ConnectInfo(peer));
        }
        let Ok(response) = self.pages.clone().oneshot(request).await;
        response
    }
}

impl<S: Speaker> Answer for Front<S> {
    async fn answer(self, request: Request, peer: SocketAddr) -> Response {
        self.inside.answer(request, Some(peer)).await
    }
}
