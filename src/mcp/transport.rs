//! How MCP travels: lines on stdin and stdout, or POSTs to `/mcp`.

use super::lines::Lines;
use super::results::ToolResult;
use super::server::Server;
use super::shared::{Origin, Shared};
use anyhow::Context as _;
use bytes::Bytes;
use econoscope_data::pool::Caller;
use futures_util::future::BoxFuture;
use http::{HeaderMap, Request, Response, StatusCode, header};
use http_body_util::BodyExt;
use mcp_lane::{Body, Lane, Lifecycle, Message, Rendered, error};
use rmcp::ServiceExt as _;
use rmcp::transport::io::stdio_pipes;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Map, Value};
use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tower::util::{Either, option_layer};
use tower::{Layer, Service, ServiceExt as _};

/// Largest message, as a body on `/mcp` or as a line; arguments are short.
pub(super) const MAX_MESSAGE_BYTES: usize = 256 * 1024;

/// Who may call `/mcp`.
#[derive(Debug, Clone)]
pub struct Allowed {
    /// Host header values: names or `name:port`.
    pub hosts: Vec<String>,
    /// Browser origins: `https://app.example.com:443`, `http://localhost:*`.
    pub origins: Vec<String>,
}

/// What answers at `/mcp`: stateless, JSON replies, every error as JSON.
///
/// Hosts and origins are judged by the listener before it; the library judges what it is given once more, the fast lane
/// does not.
pub struct Http {
    service: Either<Lane<Origin, Library>, Library>,
    shared: Arc<Shared>,
}

/// The protocol library's own service.
#[derive(Clone)]
struct Library {
    service: Arc<StreamableHttpService<Server, NeverSessionManager>>,
    shared: Arc<Shared>,
}

/// Builds what answers at `/mcp`, until `stop` ends its streams.
pub fn http(server: Server, allowed: Allowed, stop: CancellationToken) -> Http {
    let (shared, lane) = (Arc::clone(&server.shared), server.lane.clone());
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(allowed.hosts)
        .with_allowed_origins(allowed.origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
        .with_cancellation_token(stop);
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let library = Library {
        service: Arc::new(service),
        shared: Arc::clone(&shared),
    };
    Http {
        service: option_layer(lane).layer(library),
        shared,
    }
}

impl Http {
    /// Answers a message.
    pub(super) async fn answer(&self, request: Request<Message>) -> Response<Body> {
        let Ok(answer) = self.service.clone().oneshot(request).await;
        answer
    }

    /// The result of a call that is refused before it is made, in the form that the request's headers ask for: `why`
    /// for the model, `meta` for programs.
    ///
    /// # Errors
    /// When the result cannot be written as JSON.
    pub(super) fn refuse(
        &self,
        headers: &HeaderMap,
        why: &str,
        meta: Map<String, Value>,
    ) -> serde_json::Result<Rendered> {
        let lifecycle = Lifecycle::of_headers(headers);
        ToolResult::failure(why.to_owned(), meta).render(&self.shared.signature, lifecycle)
    }
}

impl Service<Request<Message>> for Library {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Message>) -> Self::Future {
        let library = self.clone();
        Box::pin(async move { Ok(library.answer(request).await) })
    }
}

impl Library {
    async fn answer(&self, mut request: Request<Message>) -> Response<Body> {
        if request.body().method() == Some("subscriptions/listen") {
            self.look_ahead().await;
        }
        // The library answers from tasks of its own, which find the caller again by this.
        request.extensions_mut().insert(Caller::current());
        let sent = request.body().bytes().clone();
        let request = request.map(Message::into_body);
        to_json(self.service.handle(request).await, &sent).await
    }

    /// Has at hand what a grant is looked up in: the library asks for grants where it must not wait.
    async fn look_ahead(&self) {
        let backend = &self.shared.backend;
        let desk = Arc::clone(backend.desk());
        if let Err(error) = backend.pool().run(move || desk.holdings()).await {
            econoscope_core::error::log(&error, "subscriptions");
        }
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

/// How the library begins when it cannot read a body.
const UNREAD: &str = "fail to deserialize request body ";

/// Turns a refusal in plain text into a JSON-RPC error; everything else passes as it is. A body that could not be
/// read is the client's mistake in what it sent (400), not in the media type it named, and told like a line.
async fn to_json(response: Response<Body>, sent: &Bytes) -> Response<Body> {
    let is_json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|v| v.to_str().ok())
        .is_some_and(|kind| kind.contains("json") || kind.contains("event-stream"));
    if !response.status().is_client_error() || is_json {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(said) = body.collect().await;
    let said = String::from_utf8_lossy(&said.to_bytes()).into_owned();
    if said.starts_with(UNREAD) {
        return error::response(StatusCode::BAD_REQUEST, error::unreadable(sent));
    }
    let reason = parts.status.canonical_reason().unwrap_or("refused");
    let why = if said.is_empty() { reason } else { &said };
    let told = error::reply(None, error::INVALID_REQUEST, why, None);
    let response = error::response(parts.status, told);
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.extend(response.headers().clone());
    Response::from_parts(parts, response.into_body())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::Full;

    #[tokio::test]
    async fn refusals_become_json_and_answers_pass() {
        let plain = |status: StatusCode, text: &'static str| {
            let mut response = Response::new(Full::new(Bytes::from(text)).boxed());
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
