//! The router of `/mcp`: preflights, the size and time of a body, and rate limits.
//!
//! `tools/call`, `resources/read` and `subscriptions/listen` are charged like a REST request; other methods are free.
//! A listener holds one of few permits while its stream is open. A used-up day is answered inside the protocol, where a
//! model reads it; a burst is a plain 429.

use super::jsonrpc;
use super::message::{Message, Refused};
use super::protocol::BOTH;
use super::transport::{Http, MAX_MESSAGE_BYTES};
use crate::admission::{
    Admission, Full, MAX_LISTENERS_PER_ADDRESS, Permit, Policy, Refusal, rejected, reply,
};
use crate::rest::set;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use econoscope_answers::endpoints::Route;
use http_body_util::BodyExt;
use serde_json::{Map, json};
use std::net::SocketAddr;
use std::time::Duration;

/// The method that opens a stream.
const LISTEN: &str = "subscriptions/listen";

/// A body must have come by then.
const BODY_TIME: Duration = Duration::from_secs(30);

/// A piece of a body under so many bytes is a small one, and this many of them are enough for anybody who writes by hand.
const SMALL_PIECE: usize = 256;
const MOST_SMALL_PIECES: usize = 512;

/// Why a body is no message: the status, JSON-RPC's code, and in words.
type Unread = (StatusCode, i32, &'static str);

const TOO_LARGE: Unread = (
    StatusCode::PAYLOAD_TOO_LARGE,
    jsonrpc::INVALID_REQUEST,
    "The body is larger than 256 KiB",
);

const EXPOSED_HEADERS: &str = "mcp-session-id, mcp-protocol-version, retry-after, ratelimit, ratelimit-policy, \
    x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-request-id, www-authenticate";

/// Answers a request to `/mcp`; `peer` is the connection's other end, where there is one.
pub(crate) async fn pass(
    admission: &Admission,
    http: &Http,
    request: Request,
    peer: Option<SocketAddr>,
) -> Response {
    let is_page = request.headers().contains_key(header::ORIGIN);
    let is_preflight = is_page
        && request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if is_preflight {
        preflight(request.headers())
    } else {
        admit(admission, http, request, peer).await
    };
    if is_page {
        let exposed = HeaderValue::from_static(EXPOSED_HEADERS);
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    }
    response
}

/// What a browser asks before it sends a page's request. Its origin is an allowed one: it may send any header.
fn preflight(request: &HeaderMap) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(names) = request.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    let methods = "POST, GET, DELETE, OPTIONS";
    set(&mut response, header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    set(&mut response, header::ACCESS_CONTROL_MAX_AGE, "7200");
    response
}

async fn admit(
    admission: &Admission,
    http: &Http,
    request: Request,
    peer: Option<SocketAddr>,
) -> Response {
    let caller = admission.caller(peer, request.headers());
    // Before the body, which somebody who floods us is not listened to for.
    if let Err(refusal) = admission.charge(caller, None).await {
        return burst(&refusal);
    }
    let (mut parts, body) = request.into_parts();
    lenient(&mut parts.headers);
    // Whatever a body says elsewhere, nobody listens.
    let body = match parts.method == Method::POST {
        true => body,
        false => Body::empty(),
    };
    let message = match read(body).await {
        Ok(message) => message,
        Err((status, code, why)) => return rejected(status, code, why),
    };
    let is_listener = message.method.as_deref() == Some(LISTEN);
    let permit = is_listener.then(|| admission.listen(caller));
    let permit = match permit.transpose() {
        Ok(permit) => permit,
        Err(full) => return refuse_listener(full, &message),
    };
    let policy = policy(admission, &message);
    let spent = match policy {
        Some(policy) => admission.spend(caller, policy).await,
        None => Ok(None),
    };
    let standing = match spent {
        Ok(standing) => standing,
        Err(refusal) => return quota(http, &message, &refusal, &parts.headers),
    };
    let request = Request::from_parts(parts, message);
    let mut response = caller.scope(http.answer(request)).await;
    if let Some((policy, standing)) = policy.zip(standing) {
        if response.status().is_server_error() {
            admission.refund(caller, policy);
        } else {
            reply::tell(&mut response, &standing);
        }
    }
    match permit {
        Some(permit) => hold(permit, response),
        None => response,
    }
}

/// Counts a message; what pays for it.
fn policy(admission: &Admission, message: &Message) -> Option<Policy> {
    let target = message.target.as_deref().unwrap_or_default();
    let method = message.method.as_deref().unwrap_or_default();
    let is_call = method == "tools/call";
    let route = is_call.then(|| Route::find(target)).flatten();
    if is_call {
        // A name out of the table, or labels would have no bound.
        let called = route.map_or("other", |r| r.spec.tool);
        admission.called.add(called);
    }
    match method {
        // Chatter and notifications cost nothing.
        _ if message.id.is_none() => None,
        "tools/call" => Some(route.map_or(Policy::General, |r| Policy::of_path(r.spec.path))),
        "resources/read" if target.contains("://series/") => Some(Policy::Data),
        "resources/read" | LISTEN => Some(Policy::General),
        _ => None,
    }
}

/// The message in a body, if it is small and comes in time.
async fn read(body: Body) -> Result<Message, Unread> {
    if body.size_hint().lower() > MAX_MESSAGE_BYTES as u64 {
        return Err(TOO_LARGE);
    }
    let why = "The body did not come within 30 s";
    let late = (StatusCode::REQUEST_TIMEOUT, jsonrpc::INVALID_REQUEST, why);
    let bytes = tokio::time::timeout(BODY_TIME, whole(body)).await;
    let message = Message::read(bytes.map_err(|_| late)??);
    message.map_err(|Refused(why)| (StatusCode::BAD_REQUEST, jsonrpc::INVALID_REQUEST, why))
}

/// The bytes of a body. Each piece costs more to take than its bytes do: one of many small ones is refused.
async fn whole(mut body: Body) -> Result<Bytes, Unread> {
    let bad = |code, why| (StatusCode::BAD_REQUEST, code, why);
    let (mut all, mut small) = (BytesMut::new(), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| bad(jsonrpc::PARSE_ERROR, "The body broke off"))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        small += usize::from(data.len() < SMALL_PIECE);
        if small > MOST_SMALL_PIECES {
            let why = "The body comes in too many small pieces";
            return Err(bad(jsonrpc::INVALID_REQUEST, why));
        }
        if all.len() + data.len() > MAX_MESSAGE_BYTES {
            return Err(TOO_LARGE);
        }
        all.extend_from_slice(&data);
    }
    Ok(all.freeze())
}

/// A used-up day inside the protocol: a failed tool result that a model reads, or an error of the resource.
fn quota(http: &Http, message: &Message, refusal: &Refusal, headers: &HeaderMap) -> Response {
    let text = format!(
        "{} Do not retry before; answer from data you already have.",
        reply::sentence(refusal)
    );
    let facts = reply::facts(refusal);
    if message.method.as_deref() != Some("tools/call") {
        let data = Some(facts.into());
        let error = jsonrpc::error(Some(message), jsonrpc::SERVER_ERROR, &text, data);
        return reply::with_headers(jsonrpc::response(StatusCode::OK, error), refusal);
    }
    let meta = Map::from_iter([
        ("econoscope/error".to_owned(), facts.into()),
        ("retry_after_seconds".to_owned(), refusal.seconds().into()),
    ]);
    reply::with_headers(http.refuse(headers, message, text, meta), refusal)
}

/// Abuse: 429 with a JSON-RPC error.
fn burst(refusal: &Refusal) -> Response {
    let (why, facts) = (reply::sentence(refusal), reply::facts(refusal));
    let error = jsonrpc::error(None, jsonrpc::SERVER_ERROR, &why, Some(facts.into()));
    let response = jsonrpc::response(StatusCode::TOO_MANY_REQUESTS, error);
    reply::with_headers(response, refusal)
}

/// Lets clients in that send no `Accept`, `*/*` or JSON alone: the protocol wants both types listed.
fn lenient(headers: &mut HeaderMap) {
    let accept = headers.get(header::ACCEPT).and_then(|v| v.to_str().ok());
    let accept = accept.unwrap_or("*/*");
    if accept == BOTH {
        return;
    }
    let is_loose = accept
        .split(',')
        .map(|part| part.split(';').next().unwrap_or("").trim())
        .any(|t| matches!(t, "*/*" | "application/*" | "application/json"));
    if is_loose {
        headers.insert(header::ACCEPT, HeaderValue::from_static(BOTH));
    }
}

/// The refusal of a stream.
fn refuse_listener(full: Full, message: &Message) -> Response {
    let (status, wait, why) = match full {
        Full::Caller => (
            StatusCode::TOO_MANY_REQUESTS,
            60,
            format!(
                "{MAX_LISTENERS_PER_ADDRESS} subscriptions are open from your address, which is the most. Close one, or watch more addresses in one."
            ),
        ),
        Full::All => (
            StatusCode::SERVICE_UNAVAILABLE,
            30,
            "All subscriptions are taken. Ask for the resource itself, or try again later."
                .to_owned(),
        ),
    };
    let data = json!({ "code": "rate_limited", "retryable": true, "retry_after_seconds": wait });
    let error = jsonrpc::error(Some(message), jsonrpc::SERVER_ERROR, &why, Some(data));
    let mut response = jsonrpc::response(status, error);
    set(&mut response, header::RETRY_AFTER, &wait.to_string());
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// A stream keeps its permit until it ends; any other answer is no stream and needs none.
fn hold(permit: Permit, response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE);
    if !kind.is_some_and(|k| k.as_bytes().starts_with(b"text/event-stream")) {
        return response;
    }
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _kept = &permit;
            frame
        }))
    })
}
