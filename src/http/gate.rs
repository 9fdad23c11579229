//! What stands before `/mcp`: preflights, the size and time of a body, and the limits.
//!
//! Protocol chatter is free; `tools/call` and `resources/read` are charged like a REST request. A used-up day is
//! told inside the protocol, where a model reads it; a burst is a plain 429.

use super::body::set;
use super::limits::reply;
use super::limits::{self, Policy, Refusal};
use super::{McpService, Shared, envelope, lenient};
use crate::endpoints::Route;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use envelope::{Envelope, Message};
use http_body_util::{BodyExt, Limited};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tower::{Service, ServiceExt};

/// Largest body on `/mcp`; arguments are short.
const MOST_BODY_BYTES: usize = 256 * 1024;
/// A body must have come by then.
const BODY_TIME: Duration = Duration::from_secs(30);

const ALLOWED_HEADERS: &str = "content-type, accept, authorization, mcp-protocol-version, mcp-method, mcp-name, \
    mcp-session-id, last-event-id, x-request-id, traceparent, tracestate";
const EXPOSED_HEADERS: &str = "mcp-session-id, mcp-protocol-version, retry-after, ratelimit, ratelimit-policy, \
    x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-request-id, www-authenticate";

/// The MCP service with what stands before it. A service of its own, for the router clones what it calls and all
/// that lies in it several times a request: here that is two counts.
pub(super) struct Gate<S> {
    shared: Arc<Shared>,
    mcp: Arc<S>,
}

impl<S> Gate<S> {
    pub(super) fn new(shared: Shared, mcp: S) -> Self {
        Self {
            shared: Arc::new(shared),
            mcp: Arc::new(mcp),
        }
    }
}

impl<S> Clone for Gate<S> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            mcp: Arc::clone(&self.mcp),
        }
    }
}

impl<S: McpService> Service<Request> for Gate<S> {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // Whether the service behind is ready is asked of the clone that is called.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let this = self.clone();
        Box::pin(async move { Ok(pass(&this.shared, request, &*this.mcp).await) })
    }
}

async fn pass<S: McpService>(shared: &Shared, request: Request, mcp: &S) -> Response {
    let origin = request.headers().get(header::ORIGIN).cloned();
    let allowed = origin
        .as_ref()
        .and_then(|o| o.to_str().ok())
        .is_some_and(|o| shared.origins.allow(o));
    let is_preflight = request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if is_preflight {
        preflight(request.headers(), allowed)
    } else {
        admit(shared, request, mcp).await
    };
    if origin.is_some() {
        set(&mut response, header::VARY, "origin");
    }
    if let (true, Some(origin)) = (allowed, origin) {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        let exposed = HeaderValue::from_static(EXPOSED_HEADERS);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    }
    response
}

/// What a browser asks before it sends a page's request. `mcp-param-*` is a family, so those asked for are named back.
fn preflight(request: &HeaderMap, allowed: bool) -> Response {
    if !allowed {
        let body = json!({ "error": "This origin may not call /mcp; the operator can allow it with --allowed-origin." });
        return (StatusCode::FORBIDDEN, axum::Json(body)).into_response();
    }
    let asked = request
        .get(header::ACCESS_CONTROL_REQUEST_HEADERS)
        .and_then(|v| v.to_str().ok())
        .unwrap_or_default();
    let family = asked
        .split(',')
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| name.starts_with("mcp-param-") && name.len() <= 64);
    let mut names = ALLOWED_HEADERS.to_owned();
    for name in family.take(32) {
        names.push_str(", ");
        names.push_str(&name);
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    set(&mut response, header::ACCESS_CONTROL_ALLOW_HEADERS, &names);
    let methods = "POST, GET, DELETE, OPTIONS";
    set(&mut response, header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    set(&mut response, header::ACCESS_CONTROL_MAX_AGE, "7200");
    response
}

async fn admit<S: McpService>(shared: &Shared, request: Request, mcp: &S) -> Response {
    let client = shared
        .limits
        .client(limits::peer(request.extensions()), request.headers());
    if let Err(refusal) = shared.limits.burst(client) {
        shared.metrics.limited("burst");
        return burst(&refusal);
    }
    if request.method() != Method::POST {
        return ask(mcp, request).await;
    }
    let (parts, body) = request.into_parts();
    let body = match collect(&parts.headers, body).await {
        Ok(body) => body,
        Err(response) => return response,
    };
    let charged = match envelope::read(&body) {
        Message::Other => None,
        Message::Refused(why) => return rejected(StatusCode::BAD_REQUEST, -32600, why),
        Message::One(message) => {
            let policy = charge(&message);
            if let Some(tool) = tool(&message) {
                shared.metrics.called(tool);
            }
            match policy.map(|policy| shared.limits.spend(client, policy)) {
                Some(Err(refusal)) => {
                    shared.metrics.limited(policy.map_or("daily", Policy::name));
                    return quota(&message, &refusal, &parts.headers);
                }
                Some(Ok(standing)) => policy.zip(standing),
                None => None,
            }
        }
    };
    let mut response = ask(mcp, Request::from_parts(parts, Body::from(body))).await;
    if let Some((policy, standing)) = charged {
        if response.status().is_server_error() {
            shared.limits.refund(client, policy);
        } else {
            reply::tell(&mut response, &standing);
        }
    }
    response
}

/// What the service says.
async fn ask<S: McpService>(mcp: &S, request: Request) -> Response {
    let Ok(response) = mcp.clone().oneshot(lenient::lenient(request)).await;
    response.into_response()
}

/// The whole body, if it is small and comes in time.
async fn collect(headers: &HeaderMap, body: Body) -> Result<Bytes, Response> {
    let too_large = || {
        let why = "The body is larger than 256 KiB";
        rejected(StatusCode::PAYLOAD_TOO_LARGE, -32600, why)
    };
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|v| v.to_str().ok())
        .and_then(|v| v.parse::<u64>().ok());
    if announced.is_some_and(|length| usize::try_from(length).map_or(true, |l| l > MOST_BODY_BYTES))
    {
        return Err(too_large());
    }
    let collected = Limited::new(body, MOST_BODY_BYTES).collect();
    match tokio::time::timeout(BODY_TIME, collected).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => {
            let why = "The body broke off";
            Err(rejected(StatusCode::BAD_REQUEST, -32700, why))
        }
        Err(_) => {
            let why = "The body did not come within 30 s";
            Err(rejected(StatusCode::REQUEST_TIMEOUT, -32600, why))
        }
    }
}

/// Which allowance a message is charged to; chatter and notifications cost nothing.
fn charge(message: &Envelope<'_>) -> Option<Policy> {
    message.id?;
    let target = message.target.as_deref().unwrap_or_default();
    match message.method.as_ref() {
        "tools/call" => Some(
            Route::find(target).map_or(Policy::General, |route| Policy::of_path(route.spec.path)),
        ),
        "resources/read" if target.contains("://series/") => Some(Policy::Data),
        "resources/read" => Some(Policy::General),
        _ => None,
    }
}

/// The tool's name out of the table, for a counter with bounded labels.
fn tool(message: &Envelope<'_>) -> Option<&'static str> {
    (message.method == "tools/call").then(|| {
        let name = message.target.as_deref().unwrap_or_default();
        Route::find(name).map_or("other", |route| route.spec.tool)
    })
}

/// A used-up day inside the protocol: a failed tool result that a model reads, or an error of the resource.
fn quota(message: &Envelope<'_>, refusal: &Refusal, headers: &HeaderMap) -> Response {
    let text = format!(
        "{} Do not retry before; answer from data you already have.",
        reply::sentence(refusal)
    );
    let facts = reply::facts(refusal);
    let id = message
        .id
        .and_then(|id| serde_json::from_str::<Value>(id.get()).ok())
        .unwrap_or_default();
    if message.method != "tools/call" {
        let error = json!({ "code": -32000, "message": text, "data": facts });
        let body = json!({ "jsonrpc": "2.0", "id": id, "error": error });
        return reply::with_headers(axum::Json(body).into_response(), refusal);
    }
    let wait = refusal.retry_after().as_secs().max(1);
    let meta = json!({ "econoscope/error": facts, "retry_after_seconds": wait });
    let content = json!([{ "type": "text", "text": text }]);
    let modern = headers
        .get("mcp-protocol-version")
        .and_then(|v| v.to_str().ok())
        .is_some_and(|v| v >= "2026-07-28");
    let result = if modern {
        json!({ "content": content, "isError": true, "resultType": "complete", "_meta": meta })
    } else {
        json!({ "content": content, "isError": true, "_meta": meta })
    };
    let body = json!({ "jsonrpc": "2.0", "id": id, "result": result });
    reply::with_headers(axum::Json(body).into_response(), refusal)
}

/// Abuse is told to the transport: 429 with a JSON-RPC error.
fn burst(refusal: &Refusal) -> Response {
    let error = json!({ "code": -32000, "message": reply::sentence(refusal), "data": reply::facts(refusal) });
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": error });
    let response = (StatusCode::TOO_MANY_REQUESTS, axum::Json(body)).into_response();
    reply::with_headers(response, refusal)
}

fn rejected(status: StatusCode, code: i32, why: &str) -> Response {
    let error = json!({ "code": code, "message": why });
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": error });
    let mut response = (status, axum::Json(body)).into_response();
    if status != StatusCode::BAD_REQUEST {
        // The rest of the body is not read, so the connection has no further use.
        set(&mut response, header::CONNECTION, "close");
    }
    response
}
