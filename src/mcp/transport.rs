//! How MCP travels: lines on stdin and stdout, or POSTs to `/mcp`.

use super::lane::{Door, Lines};
use super::{Server, plain};
use crate::rpc::{Message, Speaker};
use anyhow::Context;
use bytes::Bytes;
use http::header::ORIGIN;
use http::{Request, Response};
use http_body_util::Full;
use rmcp::ServiceExt as _;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

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

/// What answers at `/mcp`: stateless, JSON replies, Host and Origin checked, every error as JSON.
#[derive(Clone)]
pub struct Http {
    inside: Arc<Inside>,
}

struct Inside {
    /// None: everything goes to the library.
    door: Option<Door>,
    library: StreamableHttpService<Server, NeverSessionManager>,
}

/// Builds what answers at `/mcp`, until `stop` ends its streams.
pub fn http(server: Server, allowed: Allowed, stop: CancellationToken) -> Http {
    let lane = server.lane.clone();
    let door = lane.map(|lane| Door::new(lane, &allowed.hosts, stop.clone()));
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts(allowed.hosts)
        .with_allowed_origins(allowed.origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MOST_MESSAGE_BYTES)
        .with_cancellation_token(stop);
    let library = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    Http {
        inside: Arc::new(Inside { door, library }),
    }
}

impl Speaker for Http {
    type Body = plain::Body;

    async fn answer(
        &self,
        request: Request<Bytes>,
        message: Option<&Message<'_>>,
    ) -> Response<plain::Body> {
        if let (Some(door), Some(message)) = (&self.inside.door, message)
            && let Some(answer) = door.answer(&request, message).await
        {
            return answer;
        }
        let origin = request.headers().get(ORIGIN).cloned();
        // On the heap: the library's future is large, and the lane's answers would be moved about with its room.
        let answered = Box::pin(self.inside.library.handle(request.map(Full::new))).await;
        if let (Some(door), Some(origin)) = (&self.inside.door, origin)
            && answered.status().is_success()
        {
            door.trust(&origin);
        }
        plain::to_json(answered).await
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
    let opened = match server.lane.clone() {
        Some(lane) => {
            let lines = Lines::new(lane, reader, writer, MOST_MESSAGE_BYTES);
            server.serve_with_ct(lines, stop).await
        }
        None => {
            let lines = AsyncRwTransport::new(reader, writer);
            let lines = lines.with_max_line_length(MOST_MESSAGE_BYTES);
            server.serve_with_ct(lines, stop).await
        }
    };
    let running = match opened {
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
