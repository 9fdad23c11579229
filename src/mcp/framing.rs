//! Framing over stdio: one message per line.
//!
//! The SDK's reader drops a line that is not JSON, and a client that waits for a response hangs. Here every line is a
//! message or gets an error: -32700 if it is not JSON or too long, -32600 if it is JSON but not a request. Blank lines
//! are skipped.

use super::{jsonrpc, params};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use rmcp::model::{ClientNotification, ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, FramedRead};

/// Maximum number of requests whose responses have not been written. No further line is read while there are as many.
const MAX_PENDING: usize = 64;

/// How long closing waits for a client that does not read.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Some editors put it before a text. It is not part of a message.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A transport over two streams with one message per line.
pub(super) struct LineTransport<R, W> {
    lines: FramedRead<R, AnyDelimiterCodec>,
    /// Maximum length of a line, in bytes without its end.
    max_length: usize,
    writer: Arc<Mutex<W>>,
    /// The pending write of an error. It survives a cancelled `receive`.
    error_write: Option<BoxFuture<'static, io::Result<()>>>,
    /// One permit for each request that may be pending.
    capacity: Arc<Semaphore>,
    /// The requests whose responses have not been written, with their permits.
    pending: Arc<parking_lot::Mutex<HashMap<RequestId, OwnedSemaphorePermit>>>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin + Send + 'static> LineTransport<R, W> {
    /// Creates a transport for lines of at most `max_length` bytes.
    pub(super) fn new(reader: R, writer: W, max_length: usize) -> Self {
        let codec = AnyDelimiterCodec::new_with_max_length(b"\n".into(), b"\n".into(), max_length);
        Self {
            lines: FramedRead::new(reader, codec),
            max_length,
            writer: Arc::new(Mutex::new(writer)),
            error_write: None,
            capacity: Arc::new(Semaphore::new(MAX_PENDING)),
            pending: Arc::default(),
        }
    }

    /// Schedules the error for an invalid line. It is written before the next line is read.
    fn refuse(&mut self, error: Bytes) {
        let writer = Arc::clone(&self.writer);
        self.error_write = Some(Box::pin(write_line(writer, error.into())));
    }
}

/// Parses a line; `None` if it is blank.
///
/// # Errors
/// The encoded error for an invalid line.
fn parse_line(line: &Bytes) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Bytes> {
    let text = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    if text.trim_ascii().is_empty() {
        return Ok(None);
    }
    let message = serde_json::from_slice(text);
    if let Ok(JsonRpcMessage::Request(request)) = &message
        && !matches!(request.request, ClientRequest::CustomRequest(_))
    {
        return Ok(message.ok());
    }
    // The SDK cannot read it, or takes it for a request of an unknown method.
    let repaired = params::check(text).map_err(|invalid| invalid.encode())?;
    let message = repaired.map_or(message, |repaired| serde_json::from_slice(&repaired));
    message.map(Some).map_err(|_| jsonrpc::unreadable(text))
}

/// Writes one whole line.
async fn write_line<W: AsyncWrite + Unpin>(
    writer: Arc<Mutex<W>>,
    mut line: Vec<u8>,
) -> io::Result<()> {
    line.push(b'\n');
    let mut stream = writer.lock().await;
    stream.write_all(&line).await?;
    stream.flush().await
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        let pending = Arc::clone(&self.pending);
        async move {
            let request_id = match &message {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let result = write_line(writer, serde_json::to_vec(&message)?).await;
            if let Some(id) = request_id {
                pending.lock().remove(&id);
            }
            result
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(write) = &mut self.error_write {
                let result = write.await;
                self.error_write = None;
                if let Err(error) = result {
                    tracing::debug!(%error, "the client does not read responses");
                    return None;
                }
            }
            let permit = Arc::clone(&self.capacity).acquire_owned().await.ok()?;
            let line = match self.lines.next().await? {
                Ok(line) => line,
                Err(AnyDelimiterCodecError::Io(error)) => {
                    tracing::error!(%error, "reading a message");
                    return None;
                }
                Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => {
                    // The codec returns `None` once after an error and then continues.
                    self.lines.next().await;
                    let max = self.max_length.div_ceil(1_024);
                    let why = format!("Parse error: a line is at most {max} KiB long");
                    self.refuse(jsonrpc::error(None, jsonrpc::PARSE_ERROR, &why, None));
                    continue;
                }
            };
            let message = match parse_line(&line) {
                Ok(Some(message)) => message,
                Ok(None) => continue,
                Err(error) => {
                    self.refuse(error);
                    continue;
                }
            };
            if let JsonRpcMessage::Request(request) = &message {
                self.pending.lock().insert(request.id.clone(), permit);
            } else if let JsonRpcMessage::Notification(message) = &message
                && let ClientNotification::CancelledNotification(cancelled) = &message.notification
                && let Some(id) = &cancelled.params.request_id
            {
                self.pending.lock().remove(id);
            }
            return Some(message);
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        let shutdown = async { self.writer.lock().await.shutdown().await };
        tokio::time::timeout(CLOSE_TIMEOUT, shutdown).await?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn a_client_that_does_not_read_is_not_read() {
        let ping = |id: usize| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        let requests: String = (0..200).map(ping).collect();
        let (writer, _unread) = tokio::io::duplex(64);
        let mut transport =
            LineTransport::new(std::io::Cursor::new(requests.into_bytes()), writer, 1_000);
        for n in 0..MAX_PENDING {
            assert!(transport.receive().await.is_some(), "{n}");
        }
        assert!(transport.receive().now_or_never().is_none());
        // A written response or a cancellation frees a permit.
        transport.pending.lock().remove(&RequestId::Number(3));
        assert!(transport.receive().await.is_some());
        assert!(transport.receive().now_or_never().is_none());
    }
}
