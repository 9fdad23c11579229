//! How MCP travels: lines on stdin and stdout, or POSTs to `/mcp`.

use super::{Server, plain};
use anyhow::Context;
use http::{Request, Response};
use rmcp::ServiceExt as _;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::convert::Infallible;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tower::{Service, ServiceExt};

/// Largest message, as a body on `/mcp` or as a line; arguments are short.
const MOST_MESSAGE_BYTES: usize = 256 * 1024;

/// Who may call `/mcp`.
#[derive(Debug, Clone)]
pub struct Allowed {
    /// Host header values: names or `name:port`.
    pub hosts: Vec<String>,
    /// Browser origins: `https://app.example.com:443`, `http://localhost:*`.
    pub origins: Vec<String>,
}

/// Builds the `/mcp` service: stateless, JSON replies, Host and Origin checked, every error as JSON.
pub fn http<B>(
    server: Server,
    allowed: Allowed,
    stop: CancellationToken,
) -> impl Service<Request<B>, Response = Response<plain::Body>, Error = Infallible, Future: Send>
+ Clone
+ Send
+ Sync
where
    B: http_body::Body<Data: Send, Error: std::fmt::Display> + Send + 'static,
{
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(allowed.hosts)
        .with_allowed_origins(allowed.origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MOST_MESSAGE_BYTES)
        .with_cancellation_token(stop);
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    ServiceExt::<Request<B>>::map_future(service, |answer| async {
        Ok(plain::to_json(answer.await?).await)
    })
}

/// Serves one client over stdin and stdout until it closes them or `stop` is given.
///
/// # Errors
/// When the client's opening is not MCP, or the streams fail.
pub async fn stdio(server: Server, stop: CancellationToken) -> anyhow::Result<()> {
    let (input, output) = stdio_pipes();
    let lines = AsyncRwTransport::new(input, output).with_max_line_length(MOST_MESSAGE_BYTES);
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
