//! How MCP travels: lines on stdin and stdout, or POSTs to `/mcp`.

use super::framing::Lines;
use super::message::{Message, PlainCall};
use super::protocol::Lifecycle;
use super::server::Server;
use super::{jsonrpc, results, tools};
use anyhow::Context as _;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use econoscope_data::pool::Caller;
use futures_util::future::BoxFuture;
use http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Full};
use rmcp::transport::io::stdio_pipes;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt as _};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// Largest message, as a body on `/mcp` or as a line; arguments are short.
pub(super) const MAX_MESSAGE_BYTES: usize = 256 * 1024;

/// What answers at `/mcp`: stateless, JSON replies, every error as JSON.
///
/// A plain `tools/call` is answered with the bytes of the rendered answer, which REST sends, too. Everything else goes to
/// the protocol library, which builds a tree of every message and of every answer. Hosts and origins are checked by the
/// server before it ([`crate::admission::Callers`]).
pub struct Http {
    server: Server,
    library: Box<dyn Fn(Request<Full<Bytes>>) -> BoxFuture<'static, Response> + Send + Sync>,
}

/// Builds what answers at `/mcp`, until `stop` ends its streams.
pub fn http(server: Server, stop: CancellationToken) -> Http {
    http_with(server.clone(), server, stop)
}

/// The same with another handler for what is no plain call.
pub fn http_with<H: ServerHandler + Clone>(
    handler: H,
    server: Server,
    stop: CancellationToken,
) -> Http {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
        .with_cancellation_token(stop);
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(handler.clone()), sessions, config);
    let service = Arc::new(service);
    let library = move |request| -> BoxFuture<'static, Response> {
        let service = Arc::clone(&service);
        Box::pin(async move { service.handle(request).await.map(Body::new) })
    };
    Http {
        server,
        library: Box::new(library),
    }
}

impl Http {
    /// Answers a message.
    pub(super) async fn answer(&self, request: Request<Message>) -> Response {
        match self.direct(&request) {
            Some((call, lifecycle)) => self.call(call, &request.body().id, lifecycle).await,
            None => self.handle(request).await,
        }
    }

    /// A plain call of a tool whose answers depend on nothing but arguments and the local data.
    fn direct<'r>(&self, request: &'r Request<Message>) -> Option<(&'r PlainCall, Lifecycle)> {
        let call = request.body().call.as_ref()?;
        let is_direct = self.server.is_direct
            && request.method() == Method::POST
            && self.server.shared.backend.is_local(&call.route.spec);
        let lifecycle = Lifecycle::of_call(request.headers(), call)?;
        is_direct.then_some((call, lifecycle))
    }

    /// Answers a plain call.
    async fn call(&self, call: &PlainCall, id: &Option<String>, lifecycle: Lifecycle) -> Response {
        let shared = &self.server.shared;
        shared.direct_calls.fetch_add(1, Ordering::Relaxed);
        let outcome = tools::call(&shared.backend, call.route, call.arguments.clone()).await;
        results::response(
            &shared.backend,
            id.as_deref(),
            outcome,
            lifecycle,
            &shared.signature,
        )
        .await
    }

    /// Lets the protocol library answer.
    async fn handle(&self, mut request: Request<Message>) -> Response {
        let method = request.body().method.as_deref().unwrap_or_default();
        // The library refuses these for want of `Mcp-Name`, which the revision asks of calls and reads alone.
        if REPLACED.contains(&method)
            && Lifecycle::of_headers(request.headers()) == Lifecycle::Inline
        {
            let why = format!("{method} is no method of 2026-07-28: use subscriptions/listen");
            let error = jsonrpc::METHOD_NOT_FOUND;
            let error = jsonrpc::error(Some(request.body()), error, &why, None);
            return jsonrpc::response(StatusCode::NOT_FOUND, error);
        }
        if method == "subscriptions/listen" {
            self.read_holdings().await;
        }
        // The library answers from tasks of its own, which find the caller again by this.
        request.extensions_mut().insert(Caller::current());
        let sent = request.body().bytes.clone();
        let request = request.map(|message| Full::new(message.bytes));
        to_json((self.library)(request).await, &sent).await
    }

    /// Reads what a subscription is looked up in: the library asks for that where it must not wait.
    async fn read_holdings(&self) {
        let backend = &self.server.shared.backend;
        let desk = Arc::clone(backend.desk());
        if let Err(error) = backend.pool().run(move || desk.holdings()).await {
            econoscope_core::error::log(&error, "subscriptions");
        }
    }

    /// The answer to a call that is refused before it is made, in the form that the request's headers ask for: `why`
    /// for the model, `meta` for programs.
    pub(super) fn refuse(
        &self,
        headers: &HeaderMap,
        message: &Message,
        why: String,
        meta: Map<String, Value>,
    ) -> Response {
        let (id, failure) = (message.id.as_deref(), results::failure(why, meta));
        let lifecycle = Lifecycle::of_headers(headers);
        results::failed(id, failure, lifecycle, &self.server.shared.signature)
    }
}

/// Serves one client over stdin and stdout until it closes them or `stop` is given.
///
/// # Errors
/// When the client's opening is not MCP, or the streams fail.
pub async fn stdio(server: Server, stop: CancellationToken) -> anyhow::Result<()> {
    let (reader, writer) = stdio_pipes();
    lines(server, reader, writer, stop).await
}

/// Serves one client over two streams that carry a message a line.
///
/// # Errors
/// When the client's opening is not MCP, or the streams fail.
pub async fn lines<R, W>(
    server: Server,
    reader: R,
    writer: W,
    stop: CancellationToken,
) -> anyhow::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let lines = Lines::new(reader, writer, MAX_MESSAGE_BYTES - 1);
    let running = match server.serve_with_ct(lines, stop).await {
        Ok(running) => running,
        // A client that goes away before it says anything is not a fault.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error).context("the client did not open an MCP conversation"),
    };
    running
        .waiting()
        .await
        .context("the stdio conversation ended badly")?;
    Ok(())
}

/// Methods that 2026-07-28 replaced by `subscriptions/listen`.
const REPLACED: [&str; 2] = ["resources/subscribe", "resources/unsubscribe"];

/// How the library begins when it cannot read a body.
const UNREAD: &str = "fail to deserialize request body ";

/// Turns a refusal in plain text into a JSON-RPC error; everything else passes as it is. A body that could not be
/// read is the client's mistake in what it sent (400), not in the media type it named, and told like a line.
async fn to_json(response: Response, sent: &Bytes) -> Response {
    let is_json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok())
        .is_some_and(|kind| kind.contains("json") || kind.contains("event-stream"));
    if !response.status().is_client_error() || is_json {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let text = body.collect().await.map(|body| body.to_bytes());
    let text = text.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    if text.starts_with(UNREAD) {
        return jsonrpc::response(StatusCode::BAD_REQUEST, jsonrpc::unreadable(sent));
    }
    let reason = parts.status.canonical_reason().unwrap_or("refused");
    let why = if text.is_empty() { reason } else { &text };
    let error = jsonrpc::error(None, jsonrpc::INVALID_REQUEST, why, None);
    let response = jsonrpc::response(parts.status, error);
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.extend(response.headers().clone());
    Response::from_parts(parts, response.into_body())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn refusals_become_json_and_answers_pass() {
        let plain = |status: StatusCode, text: &'static str| {
            let mut response = Response::new(Body::from(text));
            *response.status_mut() = status;
            response
        };
        let unread = "fail to deserialize request body of some type";
        for (sent, code) in [("{", -32_700), ("{}", -32_600)] {
            let refused = plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, unread);
            let out = to_json(refused, &Bytes::from(sent)).await;
            assert_eq!(out.status(), 400);
            let body = out.into_body().collect().await.unwrap().to_bytes();
            let value: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(value["error"]["code"], code);
        }
        let out = to_json(
            plain(
                StatusCode::FORBIDDEN,
                "Forbidden: Host header is not allowed",
            ),
            &Bytes::from("{}"),
        )
        .await;
        assert_eq!(out.status(), 403);
        let passed = to_json(plain(StatusCode::OK, "x"), &Bytes::from("{}")).await;
        assert!(passed.headers().get(header::CONTENT_TYPE).is_none());
    }
}
