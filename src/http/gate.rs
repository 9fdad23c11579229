//! What stands before `/mcp`: preflights, the size and time of a body, and the limits.
//!
//! Protocol chatter is free; `tools/call` and `resources/read` are charged like a REST request. A used-up day is
//! told inside the protocol, where a model reads it; a burst is a plain 429.

use super::body::set;
use super::limits::reply;
use super::limits::{Client, Policy, Refusal, Standing};
use super::{Shared, lenient};
use crate::endpoints::Route;
use crate::rpc::{self, Message, Reading, Speaker};
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::BytesMut;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;

/// Where MCP is spoken.
pub(super) const MCP: &str = "/mcp";

/// Largest body on `/mcp`; arguments are short.
const MOST_BODY_BYTES: usize = 256 * 1024;
/// A body must have come by then.
const BODY_TIME: Duration = Duration::from_secs(30);

const ALLOWED_HEADERS: &str = "content-type, accept, authorization, mcp-protocol-version, mcp-method, mcp-name, \
    mcp-session-id, last-event-id, x-request-id, traceparent, tracestate";
const EXPOSED_HEADERS: &str = "mcp-session-id, mcp-protocol-version, retry-after, ratelimit, ratelimit-policy, \
    x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-request-id, www-authenticate";

/// Answers a request to `/mcp`; `peer` is the connection's other end, where there is one.
pub(super) async fn pass(
    shared: &Shared,
    speaker: &impl Speaker,
    request: Request,
    peer: Option<SocketAddr>,
) -> Response {
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
        admit(shared, speaker, request, peer).await
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

async fn admit(
    shared: &Shared,
    speaker: &impl Speaker,
    request: Request,
    peer: Option<SocketAddr>,
) -> Response {
    let client = shared.limits.client(peer, request.headers());
    if let Err(refusal) = shared.limits.burst(client) {
        shared.metrics.limited("burst");
        return burst(&refusal);
    }
    let (mut parts, body) = request.into_parts();
    lenient::lenient(&mut parts.headers);
    if parts.method != Method::POST {
        // Whatever a body says here, nobody listens.
        let request = Request::from_parts(parts, Bytes::new());
        return speaker.answer(request, None).await.map(Body::new);
    }
    let body = match collect(&parts.headers, body).await {
        Ok(body) => body,
        Err(response) => return response,
    };
    let reading = rpc::read(&body);
    let message = match &reading {
        Reading::One(message) => Some(message),
        Reading::Other => None,
        Reading::Refused(why) => return rejected(StatusCode::BAD_REQUEST, -32600, why),
    };
    let mut charged = None;
    if let Some(message) = message {
        match spend(shared, client, message) {
            Ok(standing) => charged = standing,
            Err(refusal) => return quota(message, &refusal, &parts.headers),
        }
    }
    let request = Request::from_parts(parts, body.clone());
    let mut response = speaker.answer(request, message).await.map(Body::new);
    if let Some((policy, standing)) = charged {
        if response.status().is_server_error() {
            shared.limits.refund(client, policy);
        } else {
            reply::tell(&mut response, &standing);
        }
    }
    response
}

/// Counts a message and charges it.
///
/// # Errors
/// When the day's allowance is used up.
fn spend(
    shared: &Shared,
    client: Client,
    message: &Message<'_>,
) -> Result<Option<(Policy, Standing)>, Refusal> {
    let target = message.target().unwrap_or_default();
    let is_call = message.method == "tools/call";
    let route = is_call.then(|| Route::find(target)).flatten();
    if is_call {
        // A name out of the table, or labels would have no bound.
        shared
            .metrics
            .called(route.map_or("other", |r| r.spec.tool));
    }
    let policy = match message.method.as_ref() {
        // Chatter and notifications cost nothing.
        _ if message.id.is_none() => return Ok(None),
        "tools/call" => route.map_or(Policy::General, |r| Policy::of_path(r.spec.path)),
        "resources/read" if target.contains("://series/") => Policy::Data,
        "resources/read" => Policy::General,
        _ => return Ok(None),
    };
    match shared.limits.spend(client, policy) {
        Ok(standing) => Ok(standing.map(|standing| (policy, standing))),
        Err(refusal) => {
            shared.metrics.limited(policy.name());
            Err(refusal)
        }
    }
}

/// The whole body, if it is small and comes in time.
async fn collect(headers: &HeaderMap, body: Body) -> Result<Bytes, Response> {
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|v| v.to_str().ok())
        .and_then(|v| v.parse::<u64>().ok());
    if announced.is_some_and(|length| usize::try_from(length).map_or(true, |l| l > MOST_BODY_BYTES))
    {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_TIME, pieces(body)).await {
        Ok(body) => body,
        Err(_) => {
            let why = "The body did not come within 30 s";
            Err(rejected(StatusCode::REQUEST_TIMEOUT, -32600, why))
        }
    }
}

/// All that comes; one piece, which is the usual, is not copied.
async fn pieces(mut body: Body) -> Result<Bytes, Response> {
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            let why = "The body broke off";
            return Err(rejected(StatusCode::BAD_REQUEST, -32700, why));
        };
        // Trailers say nothing here.
        let Ok(piece) = frame.into_data() else {
            continue;
        };
        if first.len() + all.len() + piece.len() > MOST_BODY_BYTES {
            return Err(too_large());
        }
        if first.is_empty() && all.is_empty() {
            first = piece;
            continue;
        }
        all.extend_from_slice(&std::mem::take(&mut first));
        all.extend_from_slice(&piece);
    }
    Ok(if all.is_empty() { first } else { all.freeze() })
}

fn too_large() -> Response {
    let why = "The body is larger than 256 KiB";
    rejected(StatusCode::PAYLOAD_TOO_LARGE, -32600, why)
}

/// A used-up day inside the protocol: a failed tool result that a model reads, or an error of the resource.
fn quota(message: &Message<'_>, refusal: &Refusal, headers: &HeaderMap) -> Response {
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
