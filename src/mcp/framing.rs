//! Framing over stdio: one message a line.
//!
//! The library's own reader drops a line that is no JSON without an answer, and a client that waits for one hangs.
//! Here every line is a message or gets an error: -32700 for a line that is no JSON or too long, -32600 for JSON that is
//! no request. Blank lines are skipped.

use super::jsonrpc;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
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

/// Requests that may wait for their answer, or their answer for its reader. Beyond them no line is read: a client that
/// does not read is not listened to.
const MOST_UNANSWERED: usize = 64;

/// How long the end of a conversation waits for a client that does not read.
const CLOSE_TIME: Duration = Duration::from_secs(1);

/// Some editors write it before a text; it belongs to no message.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Two streams that carry a message a line.
pub(super) struct Lines<R, W> {
    lines: FramedRead<R, AnyDelimiterCodec>,
    /// Longest line, in bytes without its end.
    max_length: usize,
    writer: Arc<Mutex<W>>,
    /// An answer to a line that could not be read, until it is written; a read that is given up loses nothing.
    refusal: Option<BoxFuture<'static, io::Result<()>>>,
    /// Room for further requests.
    room: Arc<Semaphore>,
    /// The requests whose answers have not been written, each with the room it takes.
    unanswered: Arc<parking_lot::Mutex<HashMap<RequestId, OwnedSemaphorePermit>>>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin + Send + 'static> Lines<R, W> {
    /// Lines of at most so many bytes each.
    pub(super) fn new(reader: R, writer: W, max_length: usize) -> Self {
        let codec = AnyDelimiterCodec::new_with_max_length(b"\n".into(), b"\n".into(), max_length);
        Self {
            lines: FramedRead::new(reader, codec),
            max_length,
            writer: Arc::new(Mutex::new(writer)),
            refusal: None,
            room: Arc::new(Semaphore::new(MOST_UNANSWERED)),
            unanswered: Arc::default(),
        }
    }

    /// Answers a line that is no message, before the next one is read.
    fn refuse(&mut self, answer: Bytes) {
        let writer = Arc::clone(&self.writer);
        self.refusal = Some(Box::pin(write(writer, answer.into())));
    }
}

/// The message that a line is; `None` for a blank one.
///
/// # Errors
/// The answer to a line that is no message.
fn parse(line: &Bytes) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Bytes> {
    let marked = line.strip_prefix(BYTE_ORDER_MARK);
    let line = marked.map_or(line.clone(), |rest| line.slice_ref(rest));
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    match serde_json::from_slice(&line) {
        Ok(message) => Ok(Some(message)),
        Err(_) => Err(jsonrpc::unreadable(&line)),
    }
}

/// Writes one whole line.
async fn write<W: AsyncWrite + Unpin>(writer: Arc<Mutex<W>>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut writer = writer.lock().await;
    writer.write_all(&line).await?;
    writer.flush().await
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (writer, unanswered) = (Arc::clone(&self.writer), Arc::clone(&self.unanswered));
        async move {
            let answered = match &message {
                JsonRpcMessage::Response(response) => Some(response.id.clone()),
                JsonRpcMessage::Error(error) => error.id.clone(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            let written = write(writer, serde_json::to_vec(&message)?).await;
            if let Some(id) = answered {
                unanswered.lock().remove(&id);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusal) = &mut self.refusal {
                let written = refusal.await;
                self.refusal = None;
                if let Err(error) = written {
                    tracing::debug!(%error, "nobody reads the answers");
                    return None;
                }
            }
            let room = Arc::clone(&self.room).acquire_owned().await.ok()?;
            let line = match self.lines.next().await? {
                Ok(line) => line,
                Err(AnyDelimiterCodecError::Io(error)) => {
                    tracing::error!(%error, "reading a message");
                    return None;
                }
                Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => {
                    // The stream ends once behind an error, and goes on.
                    self.lines.next().await;
                    let max = self.max_length.div_ceil(1_024);
                    let why = format!("Parse error: a line is at most {max} KiB long");
                    self.refuse(jsonrpc::error(None, jsonrpc::PARSE_ERROR, &why, None));
                    continue;
                }
            };
            match parse(&line) {
                Ok(Some(message)) => {
                    let mut unanswered = self.unanswered.lock();
                    match &message {
                        JsonRpcMessage::Request(request) => {
                            unanswered.insert(request.id.clone(), room);
                        }
                        JsonRpcMessage::Notification(note) => {
                            if let ClientNotification::CancelledNotification(off) =
                                &note.notification
                                && let Some(id) = &off.params.request_id
                            {
                                unanswered.remove(id);
                            }
                        }
                        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
                    }
                    drop(unanswered);
                    return Some(message);
                }
                Ok(None) => {}
                Err(answer) => self.refuse(answer),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        let closed = async { self.writer.lock().await.shutdown().await };
        let closed = tokio::time::timeout(CLOSE_TIME, closed).await;
        closed.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn a_client_that_reads_no_answer_is_not_listened_to() {
        let ping = |id: usize| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        let sent: String = (0..200).map(ping).collect();
        let (writer, _kept) = tokio::io::duplex(64);
        let mut lines = Lines::new(std::io::Cursor::new(sent.into_bytes()), writer, 1_000);
        for n in 0..MOST_UNANSWERED {
            assert!(lines.receive().await.is_some(), "{n}");
        }
        assert!(lines.receive().now_or_never().is_none());
        // An answer that is written, or a request that is called off, makes room for another.
        lines.unanswered.lock().remove(&RequestId::Number(3));
        assert!(lines.receive().await.is_some());
        assert!(lines.receive().now_or_never().is_none());
    }
}
