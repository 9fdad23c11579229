//! The limits around REST: data endpoints are charged here; a page, widget or picture where it must be made.

use super::gate::Admission;
use super::policy::Policy;
use super::{address, reply};
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;

/// What is charged to the day, held or not; documents are free.
const CHARGED: &str = "/api/public/";
/// What a supervisor asks every few seconds.
const PROBES: [&str; 2] = ["/health", "/ready"];

/// Charges a request, answers 429 when nothing is left, tells the standing otherwise. Whoever makes something later
/// finds the caller in the request's extensions.
pub(crate) async fn charge(
    State(admission): State<Arc<Admission>>,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    if PROBES.contains(&path) {
        return next.run(request).await;
    }
    let peer = address::peer(request.extensions());
    let caller = admission.caller(peer, request.headers());
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let is_charged = is_read && path.starts_with(CHARGED);
    let policy = is_charged.then(|| Policy::of_path(path));
    let standing = match admission.charge(caller, policy).await {
        Ok(standing) => standing,
        Err(refusal) => return reply::too_many(&refusal),
    };
    let Some(policy) = policy else {
        request.extensions_mut().insert(caller);
        return caller.scope(next.run(request)).await;
    };
    let mut response = caller.scope(next.run(request)).await;
    if response.status().is_server_error() {
        admission.refund(caller, policy);
    } else if let Some(standing) = standing {
        reply::tell(&mut response, &standing);
    }
    response
}
