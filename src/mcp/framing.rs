//! Framing over stdio: one message per line.
//!
//! The SDK's reader drops a line that is not JSON, and a client that waits for a response hangs. Here every line is a
//! message or gets an error: -32700 if it is not JSON or too long, -32600 if it is JSON but not a request. Blank lines
//! are skipped.

use super::message::find_id;
use super::{jsonrpc, params};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use rmcp::model::{ClientNotification, ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::{HashSet, VecDeque};
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Mutex, Notify};
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, FramedRead};
use tokio_util::sync::CancellationToken;

/// Maximum number of requests whose responses have not been written. Subscriptions, which stay open, do not count. Further
/// requests wait.
const MAX_PENDING: usize = 64;

/// Bytes of waiting requests above which no line is read. Below, cancellations and the end of the input are seen at once.
const MAX_WAITING_BYTES: usize = 1 << 20;

/// How long a client may leave responses unread after the end of its input.
const END_TIMEOUT: Duration = Duration::from_secs(2);

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
    pending: Arc<Pending>,
    /// Requests that wait for room among the pending ones, each with the bytes of its line.
    waiting: VecDeque<(RxJsonRpcMessage<RoleServer>, usize)>,
    waiting_bytes: usize,
    /// Cancelled at the end of the input.
    end_of_input: CancellationToken,
}

/// The requests whose responses have not been written.
#[derive(Default)]
struct Pending {
    requests: parking_lot::Mutex<HashSet<RequestId>>,
    /// Notified when there is room again.
    freed: Notify,
}

impl Pending {
    fn remove(&self, id: &RequestId) {
        self.requests.lock().remove(id);
        self.freed.notify_one();
    }

    /// Adds a request, unless there is no room.
    fn add(&self, id: &RequestId) -> bool {
        let mut requests = self.requests.lock();
        let has_room = requests.len() < MAX_PENDING;
        if has_room {
            requests.insert(id.clone());
        }
        has_room
    }
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
            pending: Arc::default(),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            end_of_input: CancellationToken::new(),
        }
    }

    /// Returns a token that is cancelled at the end of the input.
    pub(super) fn end_of_input(&self) -> CancellationToken {
        self.end_of_input.clone()
    }

    /// Schedules the error for an invalid line. It is written before the next line is read.
    fn refuse(&mut self, error: Bytes) {
        let writer = Arc::clone(&self.writer);
        self.error_write = Some(Box::pin(write_line(writer, error.into())));
    }

    /// Takes the oldest waiting request, if there is room for it.
    fn take_waiting(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if let (JsonRpcMessage::Request(request), _) = self.waiting.front()?
            && !self.pending.add(&request.id)
        {
            return None;
        }
        let (message, length) = self.waiting.pop_front()?;
        self.waiting_bytes = self.waiting_bytes.saturating_sub(length);
        Some(message)
    }

    /// Returns a message that the server may have now. A request without room waits, and a cancelled one that waits is dropped.
    fn admit(
        &mut self,
        message: RxJsonRpcMessage<RoleServer>,
        length: usize,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        if let JsonRpcMessage::Request(request) = &message
            && !matches!(
                request.request,
                ClientRequest::SubscriptionsListenRequest(_)
            )
            && !(self.waiting.is_empty() && self.pending.add(&request.id))
        {
            self.waiting.push_back((message, length));
            self.waiting_bytes += length;
            return None;
        }
        if let JsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            let is_other = |message: &RxJsonRpcMessage<RoleServer>| !matches!(message, JsonRpcMessage::Request(request) if request.id == *id);
            self.waiting.retain(|(message, _)| is_other(message));
            self.waiting_bytes = self.waiting.iter().map(|(_, length)| length).sum();
            self.pending.remove(id);
        }
        Some(message)
    }

    /// Reads the next line; `None` when there is room for a waiting request, or after the end.
    async fn next_line(&mut self) -> Option<Result<Bytes, AnyDelimiterCodecError>> {
        let may_read = !self.end_of_input.is_cancelled() && self.waiting_bytes < MAX_WAITING_BYTES;
        let line = tokio::select! {
            line = self.lines.next(), if may_read => line,
            () = self.pending.freed.notified(), if !self.waiting.is_empty() => return None,
            () = tokio::time::sleep(END_TIMEOUT), if self.end_of_input.is_cancelled() => {
                tracing::debug!("the client does not read responses after the end of its input");
                self.waiting.clear();
                None
            }
        };
        if line.is_none() {
            self.end_of_input.cancel();
        }
        line
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
                pending.remove(&id);
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
            if let Some(message) = self.take_waiting() {
                return Some(message);
            }
            if self.end_of_input.is_cancelled() && self.waiting.is_empty() {
                return None;
            }
            let line = match self.next_line().await {
                Some(Ok(line)) => line,
                None => continue,
                Some(Err(AnyDelimiterCodecError::Io(error))) => {
                    tracing::error!(%error, "reading a message");
                    self.end_of_input.cancel();
                    return None;
                }
                Some(Err(AnyDelimiterCodecError::MaxChunkLengthExceeded)) => {
                    let id = find_id(self.lines.read_buffer());
                    // The codec returns `None` once after an error and then continues.
                    self.lines.next().await;
                    let max = self.max_length.div_ceil(1_024);
                    let why = format!("Parse error: a line is at most {max} KiB long");
                    let code = jsonrpc::PARSE_ERROR;
                    self.refuse(jsonrpc::error(id.as_ref(), code, &why, None));
                    continue;
                }
            };
            let admitted = match parse_line(&line) {
                Ok(message) => message.and_then(|message| self.admit(message, line.len())),
                Err(error) => {
                    self.refuse(error);
                    continue;
                }
            };
            if admitted.is_some() {
                return admitted;
            }
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

    fn request(id: usize, method: &str) -> String {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\"}}\n")
    }

    type TestTransport = LineTransport<std::io::Cursor<Vec<u8>>, tokio::io::DuplexStream>;

    /// Returns what the server receives without waiting for a response.
    async fn receive_soon(
        transport: &mut TestTransport,
    ) -> Option<Option<RxJsonRpcMessage<RoleServer>>> {
        let received = tokio::time::timeout(Duration::from_millis(100), transport.receive());
        received.await.ok()
    }

    fn transport(lines: String) -> TestTransport {
        let (writer, _unread) = tokio::io::duplex(64);
        LineTransport::new(std::io::Cursor::new(lines.into_bytes()), writer, 1_000)
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_gets_a_few_requests_done() {
        let cancel = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":70}}\n";
        let pings: String = (0..200).map(|id| request(id, "ping")).collect();
        let mut transport = transport(pings + cancel);
        let end = transport.end_of_input();
        for n in 0..MAX_PENDING {
            assert!(transport.receive().await.is_some(), "{n}");
        }
        let read = receive_soon(&mut transport).await.flatten();
        assert!(
            matches!(read, Some(JsonRpcMessage::Notification(_))),
            "a cancellation overtakes"
        );
        assert!(receive_soon(&mut transport).await.is_none());
        assert!(
            end.is_cancelled(),
            "the end is seen behind requests that wait"
        );
        assert_eq!(
            transport.waiting.len(),
            200 - MAX_PENDING - 1,
            "a cancelled one does not wait"
        );
        // A written response or a cancellation makes room.
        transport.pending.remove(&RequestId::Number(3));
        assert!(transport.receive().await.is_some());
        assert!(receive_soon(&mut transport).await.is_none());
        assert!(
            transport.receive().await.is_none(),
            "it is not waited for without end"
        );
    }

    #[tokio::test]
    async fn waiting_requests_are_bounded() {
        let pings: String = (0..100_000).map(|id| request(id, "ping")).collect();
        let mut transport = transport(pings);
        for _ in 0..MAX_PENDING {
            transport.receive().await.unwrap();
        }
        assert!(receive_soon(&mut transport).await.is_none());
        assert!(transport.waiting_bytes < MAX_WAITING_BYTES + 1_000);
        assert!(!transport.end_of_input().is_cancelled());
    }
}
