//! A minimal client: one request per line, one response per line, notifications queued.

use econoscope::mcp::Server;
use econoscope::mcp::transport::serve_lines;
use rmcp::ServiceExt;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio_util::sync::CancellationToken;

/// Time limit for a line.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A client on one end of a pipe.
pub(crate) struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    next: u64,
    news: VecDeque<Value>,
}

impl Client {
    /// Connects to a server.
    pub(crate) fn open(server: Server) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            if let Ok(running) = server.serve(tokio::io::split(theirs)).await {
                let _ = running.waiting().await;
            }
        });
        Self::over(ours)
    }

    fn over(pipe: DuplexStream) -> Self {
        let (reader, writer) = tokio::io::split(pipe);
        Self {
            lines: BufReader::new(reader).lines(),
            writer,
            next: 0,
            news: VecDeque::new(),
        }
    }

    /// Connects and performs `initialize`.
    pub(crate) async fn legacy(server: Server, version: &str) -> (Self, Value) {
        Self::open(server).initialize(version).await
    }

    /// Connects to a server as over stdio and performs `initialize`.
    pub(crate) async fn over_lines(server: Server, version: &str) -> (Self, Value) {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(theirs);
        tokio::spawn(serve_lines(
            server,
            reader,
            writer,
            CancellationToken::new(),
        ));
        Self::over(ours).initialize(version).await
    }

    async fn initialize(self, version: &str) -> (Self, Value) {
        let mut client = self;
        let answer = client
            .request(
                "initialize",
                json!({ "protocolVersion": version, "capabilities": {},
                        "clientInfo": { "name": "test", "version": "1" } }),
            )
            .await;
        client
            .send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        (client, answer)
    }

    async fn send(&mut self, message: Value) {
        let line = format!("{message}\n");
        self.writer.write_all(line.as_bytes()).await.unwrap();
    }

    async fn read_message(&mut self) -> Value {
        let line = tokio::time::timeout(TIMEOUT, self.lines.next_line())
            .await
            .expect("an answer in time")
            .unwrap();
        serde_json::from_str(&line.expect("an open pipe")).unwrap()
    }

    /// Sends a request as it is and returns its id.
    pub(crate) async fn send_request(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        id
    }

    /// Sends a request as it is and returns the whole response.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params).await;
        loop {
            let message = self.read_message().await;
            if message["id"] == id {
                return message;
            }
            self.news.push_back(message);
        }
    }

    /// Sends a request of 2026-07-28 with its metadata.
    pub(crate) async fn modern(&mut self, method: &str, params: Value) -> Value {
        self.request(method, with_meta(params)).await
    }

    /// Returns the result of a request of 2026-07-28 that must succeed.
    pub(crate) async fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.modern(method, params).await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Returns the next notification.
    pub(crate) async fn notification(&mut self) -> Value {
        match self.news.pop_front() {
            Some(news) => news,
            None => self.read_message().await,
        }
    }

    /// Whether nothing arrives for a while.
    pub(crate) async fn is_quiet(&mut self, time: Duration) -> bool {
        self.news.is_empty()
            && tokio::time::timeout(time, self.lines.next_line())
                .await
                .is_err()
    }
}

/// Adds the metadata that 2026-07-28 requires of every request.
pub(crate) fn with_meta(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}
