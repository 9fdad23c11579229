//! The limits around REST: data endpoints are charged, everything else only guarded against bursts.

use super::{Policy, reply};
use crate::http::Shared;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;

/// What is charged to the day; widgets and documents are not.
const CHARGED: &str = "/api/public/";
/// What a supervisor asks every few seconds.
const PROBES: [&str; 2] = ["/health", "/ready"];

/// Charges a request, answers 429 when nothing is left, tells the standing otherwise.
pub(in crate::http) async fn charge(
    State(shared): State<Shared>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    if PROBES.contains(&path) {
        return next.run(request).await;
    }
    let client = shared
        .limits
        .client(super::peer(request.extensions()), request.headers());
    if let Err(refusal) = shared.limits.burst(client) {
        shared.metrics.limited("burst");
        return reply::too_many(&refusal);
    }
    if request.method() != Method::GET || !path.starts_with(CHARGED) {
        return next.run(request).await;
    }
    let policy = Policy::of_path(path);
    let standing = match shared.limits.spend(client, policy) {
        Ok(standing) => standing,
        Err(refusal) => {
            shared.metrics.limited(policy.name());
            return reply::too_many(&refusal);
        }
    };
    let mut response = next.run(request).await;
    if response.status().is_server_error() {
        shared.limits.refund(client, policy);
    } else if let Some(standing) = standing {
        reply::tell(&mut response, &standing);
    }
    response
}
