//! The transports of MCP: lines on stdin and stdout, and POST requests to `/mcp`.

use super::framing::LineTransport;
use super::message::{Message, PlainCall, find_id};
use super::protocol::Lifecycle;
use super::server::Server;
use super::{jsonrpc, results, tools};
use crate::lock;
use anyhow::Context as _;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use econoscope_data::pool::Caller;
use futures_util::future::BoxFuture;
use http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Full};
use jiff::civil::Date;
use rmcp::transport::io::stdio_pipes;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt as _};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio_util::sync::CancellationToken;

/// Size limit of a message, as a body on `/mcp` or as a line. Arguments are short.
pub(super) const MAX_MESSAGE_BYTES: usize = 256 * 1024;

/// The service behind `/mcp`: stateless, with JSON replies, and with every error as JSON.
///
/// It answers a plain `tools/call` itself, with the bytes of the rendered answer that REST sends, too. The SDK answers
/// everything else; it builds a tree of every message and every answer. The server checks host and origin before
/// ([`crate::admission::AccessRules`]).
pub struct HttpTransport {
    server: Server,
    sdk: Box<dyn Fn(Request<Full<Bytes>>) -> BoxFuture<'static, Response> + Send + Sync>,
}

/// Builds the service behind `/mcp`. Cancelling `stop` ends its streams.
pub fn http(server: Server, stop: CancellationToken) -> HttpTransport {
    let handler = server.clone();
    // The SDK takes one handler for each request, in the task of that request.
    let handler_of_caller = move || handler.clone().for_caller(Caller::current());
    http_with(handler_of_caller, server, stop)
}

/// Builds the service with other handlers for what is not a plain call, of which each request gets one.
pub fn http_with<H: ServerHandler>(
    make_handler: impl Fn() -> H + Send + Sync + 'static,
    server: Server,
    stop: CancellationToken,
) -> HttpTransport {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
        .with_cancellation_token(stop);
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(make_handler()), sessions, config);
    let service = Arc::new(service);
    let sdk = move |request| -> BoxFuture<'static, Response> {
        let service = Arc::clone(&service);
        Box::pin(async move { service.handle(request).await.map(Body::new) })
    };
    HttpTransport {
        server,
        sdk: Box::new(sdk),
    }
}

impl HttpTransport {
    /// Answers a message.
    pub(super) async fn handle(&self, request: Request<Message>) -> Response {
        let Some((call, lifecycle)) = self.plain_call(&request) else {
            return self.forward_to_sdk(request).await;
        };
        let shared = &self.server.shared;
        shared.direct_calls.fetch_add(1, Ordering::Relaxed);
        let outcome = tools::call(&shared.backend, call.route, call.arguments.clone()).await;
        let id = request.body().id.as_ref();
        results::response(shared, id, outcome, lifecycle).await
    }

    /// Returns the plain call in a request, if its answer depends on its arguments and the local data alone.
    fn plain_call<'r>(&self, request: &'r Request<Message>) -> Option<(&'r PlainCall, Lifecycle)> {
        let call = request.body().call.as_ref()?;
        let is_direct = self.server.is_direct
            && request.method() == Method::POST
            && self.server.shared.backend.is_local(&call.route.spec);
        let lifecycle = Lifecycle::of_call(request.headers(), call)?;
        is_direct.then_some((call, lifecycle))
    }

    async fn forward_to_sdk(&self, mut request: Request<Message>) -> Response {
        let method = request.body().method.as_deref().unwrap_or_default();
        // The SDK refuses these because `Mcp-Name` is missing, which the revision requires of calls and reads alone.
        if REPLACED_METHODS.contains(&method)
            && Lifecycle::of_headers(request.headers()) == Lifecycle::PerRequest
        {
            let why = format!("{method} is not a method of 2026-07-28; use subscriptions/listen");
            let error = jsonrpc::METHOD_NOT_FOUND;
            let error = jsonrpc::error(request.body().id.as_ref(), error, &why, None);
            return jsonrpc::response(StatusCode::NOT_FOUND, error);
        }
        if method == "subscriptions/listen" {
            self.warm_holdings().await;
        }
        // The SDK answers in tasks of its own, which read the caller from here.
        request.extensions_mut().insert(Caller::current());
        let body = request.body().bytes.clone();
        let sdk_request = request.map(|message| Full::new(message.bytes));
        errors_to_json((self.sdk)(sdk_request).await, &body).await
    }

    /// Reads the holdings into their cache. A subscription looks series up in them on a thread that must not block.
    async fn warm_holdings(&self) {
        let backend = &self.server.shared.backend;
        let desk = Arc::clone(backend.desk());
        if let Err(error) = backend.pool().run(move || desk.store_summary()).await {
            econoscope_core::error::log(&error, "subscriptions");
        }
    }

    /// Builds the failed result of a call that is refused before it runs, in the lifecycle of the request's headers.
    /// `why` is for the model, `meta` for programs.
    pub(super) fn refuse_call(
        &self,
        headers: &HeaderMap,
        message: &Message,
        why: String,
        meta: Map<String, Value>,
    ) -> Response {
        let result = results::failure(why, meta);
        let lifecycle = Lifecycle::of_headers(headers);
        results::failed_response(&self.server.shared, message.id.as_ref(), result, lifecycle)
    }
}

/// Serves one client over stdin and stdout until it closes them or `stop` is cancelled, without what was known after the day
/// that the server is locked to.
///
/// # Errors
/// When the client's first message is not MCP, or the streams fail.
pub(crate) async fn serve_stdio(
    server: Server,
    locked_to: Option<Date>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let (reader, writer) = stdio_pipes();
    let Some(day) = locked_to else {
        return serve_lines(server, reader, writer, stop).await;
    };
    let (sent, received) = tokio::io::duplex(MAX_MESSAGE_BYTES);
    let serving = serve_lines(server, reader, sent, stop);
    let ends = tokio::join!(serving, write_filtered(received, writer, day));
    ends.0.and(ends.1)
}

/// Writes messages, one per line, without what was known after a day.
async fn write_filtered(
    messages: impl AsyncRead + Unpin,
    mut writer: impl AsyncWrite + Unpin,
    day: Date,
) -> anyhow::Result<()> {
    let mut lines = BufReader::new(messages).lines();
    while let Some(line) = lines.next_line().await? {
        let mut message: Value = serde_json::from_str(&line).context("a message is not JSON")?;
        lock::filter_json(&mut message, day);
        writer.write_all(format!("{message}\n").as_bytes()).await?;
        writer.flush().await?;
    }
    Ok(())
}

/// Serves one client over two streams with one message per line.
///
/// # Errors
/// When the client's first message is not MCP, or the streams fail.
pub async fn serve_lines(
    server: Server,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let transport = LineTransport::new(reader, writer, MAX_MESSAGE_BYTES - 1);
    let handler = server.until(transport.end_of_input());
    let running = match handler.serve_with_ct(transport, stop).await {
        Ok(running) => running,
        // A client may leave before its first message.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error).context("the client did not initialize an MCP session"),
    };
    let ended = running.waiting().await;
    ended.context("the stdio session failed")?;
    Ok(())
}

/// Methods that 2026-07-28 replaced by `subscriptions/listen`.
const REPLACED_METHODS: [&str; 2] = ["resources/subscribe", "resources/unsubscribe"];

/// Start of the SDK's message about a body that it cannot read.
const SDK_UNREADABLE: &str = "fail to deserialize request body ";

/// Converts a plain-text client error of the SDK into a JSON-RPC error; other responses pass unchanged. An unreadable
/// body becomes 400, since the client named the right media type, with the same error that a line gets.
async fn errors_to_json(response: Response, request_body: &Bytes) -> Response {
    let kind = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok());
    let is_json = kind.is_some_and(|kind| kind.contains("json") || kind.contains("event-stream"));
    if !response.status().is_client_error() || is_json {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap_or_default().to_bytes();
    let text = String::from_utf8_lossy(&bytes);
    if text.starts_with(SDK_UNREADABLE) {
        return jsonrpc::response(StatusCode::BAD_REQUEST, jsonrpc::unreadable(request_body));
    }
    let reason = parts.status.canonical_reason().unwrap_or("refused");
    let why = if text.is_empty() { reason } else { &text };
    let id = find_id(request_body);
    let error = jsonrpc::error(id.as_ref(), jsonrpc::INVALID_REQUEST, why, None);
    let response = jsonrpc::response(parts.status, error);
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.extend(response.headers().clone());
    Response::from_parts(parts, response.into_body())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn plain_text_errors_become_json() {
        let plain = |status: StatusCode, text: &'static str| {
            let mut response = Response::new(Body::from(text));
            *response.status_mut() = status;
            response
        };
        let unreadable = "fail to deserialize request body of some type";
        for (body, code) in [("{", -32_700), ("{}", -32_600)] {
            let error = plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, unreadable);
            let out = errors_to_json(error, &Bytes::from(body)).await;
            assert_eq!(out.status(), 400);
            let body = out.into_body().collect().await.unwrap().to_bytes();
            let value: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(value["error"]["code"], code);
        }
        let out = errors_to_json(
            plain(
                StatusCode::FORBIDDEN,
                "Forbidden: Host header is not allowed",
            ),
            &Bytes::from("{}"),
        )
        .await;
        assert_eq!(out.status(), 403);
        let passed = errors_to_json(plain(StatusCode::OK, "x"), &Bytes::from("{}")).await;
        assert!(passed.headers().get(header::CONTENT_TYPE).is_none());
    }
}
