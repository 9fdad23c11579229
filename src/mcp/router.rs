//! The router of `/mcp`: preflights, bounds on a body's size and time, and rate limits.
//!
//! `tools/call`, `resources/read` and `subscriptions/listen` are charged like a REST request, a subscription by its
//! conditions; other methods are free.
//! A listener needs one of few permits while its stream is open. An exhausted allowance is reported inside the protocol,
//! where a model reads it; a burst gets a plain 429.

use super::message::{Message, find_id};
use super::protocol::ACCEPT_BOTH;
use super::transport::{HttpTransport, MAX_MESSAGE_BYTES};
use super::{jsonrpc, subscriptions};
use crate::admission::{
    Admission, LimitExceeded, MAX_LISTENERS_PER_ADDRESS, NoPermit, Permit, Policy, Price,
    jsonrpc_rejection, reply,
};
use crate::rest::{set, weights};
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::BytesMut;
use econoscope_answers::Route;
use http_body_util::BodyExt;
use rmcp::model::RequestId;
use serde_json::{Map, json};
use std::net::SocketAddr;
use std::time::Duration;

/// The method that opens a stream.
const LISTEN: &str = "subscriptions/listen";

/// Time limit for receiving a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Frames of a body below this size, in bytes, count as small.
const SMALL_FRAME: usize = 256;
/// Maximum number of small frames in a body; enough for a client that sends typed input.
const MAX_SMALL_FRAMES: usize = 512;

/// Most bytes that are read of a body that is refused unread, for its id, and for how long.
const MAX_EARLY_BYTES: usize = 16 * 1024;
const EARLY_TIMEOUT: Duration = Duration::from_millis(100);

/// Why a body is not a message: HTTP status, JSON-RPC code and explanation.
type BodyError = (StatusCode, i32, &'static str);

const TOO_LARGE: BodyError = (
    StatusCode::PAYLOAD_TOO_LARGE,
    jsonrpc::INVALID_REQUEST,
    "The body is larger than 256 KiB",
);

const EXPOSED_HEADERS: &str = "mcp-session-id, mcp-protocol-version, retry-after, ratelimit, ratelimit-policy, \
    x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-request-id, www-authenticate";

/// Answers a request to `/mcp`. `peer` is the other end of the connection, if there is one.
pub(crate) async fn handle(
    admission: &Admission,
    http: &HttpTransport,
    request: Request,
    peer: Option<SocketAddr>,
) -> Response {
    let headers = request.headers();
    let is_page = headers.contains_key(header::ORIGIN);
    let is_preflight = is_page
        && request.method() == Method::OPTIONS
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if is_preflight {
        preflight(headers)
    } else {
        handle_message(admission, http, request, peer).await
    };
    if is_page {
        let exposed = HeaderValue::from_static(EXPOSED_HEADERS);
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    }
    response
}

/// Answers a CORS preflight. Its origin is allowed, so the page may send any header.
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

async fn handle_message(
    admission: &Admission,
    http: &HttpTransport,
    request: Request,
    peer: Option<SocketAddr>,
) -> Response {
    let caller = admission.caller(peer, request.headers());
    // Before the body: of a flood of requests only what has arrived with the headers is read.
    if let Err(exceeded) = admission.charge(caller, None).await {
        return too_many(&exceeded, early_id(request.into_body()).await.as_ref());
    }
    let (mut parts, body) = request.into_parts();
    relax_accept(&mut parts.headers);
    // Only POST has a body.
    let body = if parts.method == Method::POST {
        body
    } else {
        Body::empty()
    };
    let message = match read_message(body).await {
        Ok(message) => message,
        Err(rejection) => return rejection,
    };
    let is_listener = message.method.as_deref() == Some(LISTEN);
    let permit = is_listener.then(|| admission.listen(caller));
    let permit = match permit.transpose() {
        Ok(permit) => permit,
        Err(reason) => return refuse_listener(reason, &message),
    };
    let price = count_message(admission, &message);
    let quota = match admission.spend(caller, price).await {
        Ok(quota) => quota,
        Err(exceeded) => return quota_exceeded(http, &message, &exceeded, &parts.headers),
    };
    let request = Request::from_parts(parts, message);
    let mut response = caller.scope(http.handle(request)).await;
    admission.settle(caller, price, quota, &mut response);
    match permit {
        Some(permit) => attach_permit(permit, response),
        None => response,
    }
}

/// Counts a call of a tool, and returns the price of the message.
fn count_message(admission: &Admission, message: &Message) -> Price {
    let target = message.target.as_deref().unwrap_or_default();
    let method = message.method.as_deref().unwrap_or_default();
    let is_call = method == "tools/call";
    let route = is_call.then(|| Route::find(target)).flatten();
    if is_call {
        // Known names only, since every name becomes a metric label.
        let tool = route.map_or("other", |r| r.spec.tool);
        admission.tool_calls.add(tool);
    }
    let policy = match method {
        "tools/call" => route.map_or(Policy::General, |r| Policy::of_path(r.spec.path)),
        "resources/read" if target.contains("://series/") => Policy::Data,
        _ => Policy::General,
    };
    let units = match method {
        // Notifications are free.
        _ if message.id.is_none() => 0,
        "tools/call" | "resources/read" => 1,
        LISTEN => subscriptions::price(&message.bytes),
        _ => 0,
    };
    Price { policy, units }
}

/// Reads a message from a body, if it is small and arrives in time; else returns the rejection.
async fn read_message(body: Body) -> Result<Message, Response> {
    let reject = |(status, code, why): BodyError, id: Option<RequestId>| {
        jsonrpc_rejection(status, code, why, id.as_ref())
    };
    if body.size_hint().lower() > MAX_MESSAGE_BYTES as u64 {
        return Err(reject(TOO_LARGE, early_id(body).await));
    }
    let why = "The body did not arrive within 30 s";
    let timed_out = (StatusCode::REQUEST_TIMEOUT, jsonrpc::INVALID_REQUEST, why);
    let mut bytes = BytesMut::new();
    let read = read_bytes(body, &mut bytes, MAX_MESSAGE_BYTES);
    let received = tokio::time::timeout(BODY_TIMEOUT, read).await;
    if let Err(refused) = received.unwrap_or(Err(timed_out)) {
        return Err(reject(refused, find_id(&bytes)));
    }
    Message::read(bytes.freeze()).map_err(|invalid| {
        let status = match invalid.code {
            jsonrpc::INVALID_PARAMS => StatusCode::OK,
            _ => StatusCode::BAD_REQUEST,
        };
        jsonrpc::response(status, invalid.encode())
    })
}

/// Returns the id of a request that is refused before its body is read, if it is in what arrives soon.
async fn early_id(body: Body) -> Option<RequestId> {
    let mut bytes = BytesMut::new();
    let read = read_bytes(body, &mut bytes, MAX_EARLY_BYTES);
    // What arrived until then is enough or not.
    drop(tokio::time::timeout(EARLY_TIMEOUT, read).await);
    find_id(&bytes)
}

/// Reads at most `max` bytes of a body. A frame costs more than its bytes, so a body of many small frames is refused.
async fn read_bytes(mut body: Body, bytes: &mut BytesMut, max: usize) -> Result<(), BodyError> {
    let bad = |code, why| (StatusCode::BAD_REQUEST, code, why);
    let mut small_frames = 0;
    while let Some(frame) = body.frame().await {
        let received = frame.map_err(|_| bad(jsonrpc::PARSE_ERROR, "The body ended early"))?;
        let Ok(data) = received.into_data() else {
            continue;
        };
        small_frames += usize::from(data.len() < SMALL_FRAME);
        if small_frames > MAX_SMALL_FRAMES {
            let why = "The body arrives in too many small chunks";
            return Err(bad(jsonrpc::INVALID_REQUEST, why));
        }
        let room = max.saturating_sub(bytes.len());
        bytes.extend_from_slice(data.get(..room).unwrap_or(&data));
        if data.len() > room {
            return Err(TOO_LARGE);
        }
    }
    Ok(())
}

/// Reports an exhausted allowance inside the protocol: as a failed tool result that a model reads, or as an error.
fn quota_exceeded(
    http: &HttpTransport,
    message: &Message,
    exceeded: &LimitExceeded,
    headers: &HeaderMap,
) -> Response {
    let text = format!(
        "{} Do not retry before; answer from data you already have.",
        reply::describe(exceeded)
    );
    let details = reply::details(exceeded).into();
    let response = if message.method.as_deref() == Some("tools/call") {
        let wait = exceeded.wait_seconds().into();
        let meta = Map::from_iter([
            ("econoscope/error".to_owned(), details),
            ("retry_after_seconds".to_owned(), wait),
        ]);
        http.refuse_call(headers, message, text, meta)
    } else {
        let code = jsonrpc::SERVER_ERROR;
        let error = jsonrpc::error(message.id.as_ref(), code, &text, Some(details));
        jsonrpc::response(StatusCode::OK, error)
    };
    reply::with_headers(response, exceeded)
}

/// Builds the response to a burst: 429 with a JSON-RPC error.
fn too_many(exceeded: &LimitExceeded, id: Option<&RequestId>) -> Response {
    let details = Some(reply::details(exceeded).into());
    let why = reply::describe(exceeded);
    let error = jsonrpc::error(id, jsonrpc::SERVER_ERROR, &why, details);
    let response = jsonrpc::response(StatusCode::TOO_MANY_REQUESTS, error);
    reply::with_headers(response, exceeded)
}

/// Completes an `Accept` that is missing, `*/*` or JSON alone; the protocol requires both types.
fn relax_accept(headers: &mut HeaderMap) {
    let accept = headers.get(header::ACCEPT);
    if accept.is_some_and(|accept| accept == ACCEPT_BOTH) {
        return;
    }
    let is_json = |kind: &str| matches!(kind, "*/*" | "application/*" | "application/json");
    let weights = weights(headers, header::ACCEPT);
    if accept.is_none() || weights.iter().any(|(kind, _)| is_json(kind)) {
        headers.insert(header::ACCEPT, HeaderValue::from_static(ACCEPT_BOTH));
    }
}

/// Builds the response to a listener that gets no permit.
fn refuse_listener(reason: NoPermit, message: &Message) -> Response {
    let (status, wait, why) = match reason {
        NoPermit::CallerFull => (
            StatusCode::TOO_MANY_REQUESTS,
            60,
            format!(
                "{MAX_LISTENERS_PER_ADDRESS} subscriptions are open from your address, the maximum. Close one, or subscribe to several addresses in one."
            ),
        ),
        NoPermit::AllFull => (
            StatusCode::SERVICE_UNAVAILABLE,
            30,
            "The maximum number of subscriptions is open. Read the resource instead, or retry later."
                .to_owned(),
        ),
    };
    let data = json!({ "code": "rate_limited", "retryable": true, "retry_after_seconds": wait });
    let error = jsonrpc::error(message.id.as_ref(), jsonrpc::SERVER_ERROR, &why, Some(data));
    let mut response = jsonrpc::response(status, error);
    set(&mut response, header::RETRY_AFTER, &wait.to_string());
    set(&mut response, header::CACHE_CONTROL, "no-store");
    response
}

/// Keeps a permit until the response's stream ends. A response that is not a stream returns it at once.
fn attach_permit(permit: Permit, response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE);
    if !kind.is_some_and(|k| k.as_bytes().starts_with(b"text/event-stream")) {
        return response;
    }
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _permit = &permit;
            frame
        }))
    })
}
