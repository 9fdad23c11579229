//! Tests of the stdio transport over a pair of streams.

use crate::direct::corpus::{self, Rng};
use crate::home::bundled;
use econoscope::mcp::{Server, transport};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

const TIMEOUT: Duration = Duration::from_secs(60);
const MUTATIONS: usize = 400;

/// A session over a pair of streams.
pub(super) struct Session {
    pub(super) reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    pings: usize,
}

impl Session {
    pub(super) fn open(server: Server) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(theirs);
        tokio::spawn(transport::serve_lines(
            server,
            reader,
            writer,
            Default::default(),
        ));
        let (reader, writer) = tokio::io::split(ours);
        Self {
            reader: BufReader::new(reader),
            writer,
            pings: 0,
        }
    }

    /// Sends a line.
    pub(super) async fn send(&mut self, line: &[u8]) {
        let line = [line, b"\n"].concat();
        self.writer.write_all(&line).await.unwrap();
    }

    /// Sends a line without its newline and closes the stream.
    pub(super) async fn close_with(&mut self, line: &[u8]) {
        self.writer.write_all(line).await.unwrap();
        self.writer.shutdown().await.unwrap();
    }

    pub(super) async fn read_line(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = tokio::time::timeout(TIMEOUT, self.reader.read_line(&mut line));
        match read.await.expect("an answer in time").unwrap() {
            0 => None,
            _ => Some(serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))),
        }
    }

    /// Sends a line and a ping, and returns the response to the line, if it gets one.
    async fn request(&mut self, line: &[u8]) -> Option<Value> {
        self.pings += 1;
        let mark = format!("mark-{}", self.pings);
        self.send(line).await;
        let ping = json!({ "jsonrpc": "2.0", "id": mark, "method": "ping" });
        self.send(ping.to_string().as_bytes()).await;
        let mut response = None;
        let mut is_marked = false;
        while !is_marked || response.is_none() && needs_response(line) {
            let next = self.read_line().await.expect("an answer");
            if next["id"] == mark.as_str() {
                is_marked = true;
            } else {
                assert!(
                    response.is_none(),
                    "{} has two answers",
                    String::from_utf8_lossy(line)
                );
                response = Some(next);
            }
        }
        response
    }

    pub(super) async fn handshake(&mut self, version: &str) {
        let opening = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
        let line =
            format!("{opening}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}");
        let answer = self.request(line.as_bytes()).await.expect("an answer");
        assert_eq!(answer["result"]["protocolVersion"], version);
    }
}

/// Whether a line is a request in any form, or unreadable. These get a response, at any time.
fn needs_response(line: &[u8]) -> bool {
    match serde_json::from_slice::<Value>(line) {
        Ok(v) => v["method"].is_string() && v["id"] != Value::Null && v["result"] == Value::Null,
        Err(_) => !line.trim_ascii().is_empty(),
    }
}

/// Replaces line breaks inside a message by spaces.
fn one_line(bytes: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .map(|b| if *b == b'\n' { b' ' } else { *b })
        .collect()
}

/// Opens a session in either lifecycle.
async fn open(version: &str) -> Session {
    let mut session = Session::open(Server::new(bundled()));
    if version == corpus::MODERN {
        let opening = corpus::call("0", "get_regime", &json!({}), Some(&corpus::modern_meta()));
        session.send(opening.as_bytes()).await;
        assert_eq!(session.read_line().await.unwrap()["id"], 0);
    } else {
        session.handshake(version).await;
    }
    session
}

#[tokio::test]
async fn calls_are_answered_and_signed_in_both_lifecycles() {
    for version in ["2024-11-05", "2025-11-25", corpus::MODERN] {
        let mut session = open(version).await;
        let is_modern = version == corpus::MODERN;
        let meta = corpus::modern_meta();
        for (tool, arguments) in corpus::calls() {
            let call = corpus::call("7", tool, &arguments, is_modern.then_some(meta.as_str()));
            session.send(call.as_bytes()).await;
            let answer = session.read_line().await.unwrap();
            assert_eq!(answer["id"], 7, "{call}");
            let result = &answer["result"];
            if result.is_object() {
                let signature = &result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
                assert_eq!(signature == "econoscope", is_modern, "{call}: {answer}");
                assert_eq!(result["resultType"] == "complete", is_modern, "{call}");
            }
        }
    }
}

#[tokio::test]
async fn every_request_line_gets_one_response() {
    let mut session = open("2025-11-25").await;
    for id in corpus::IDS {
        let call = corpus::call(id, "get_regime", &json!({}), None);
        session.request(call.as_bytes()).await;
    }
    for meta in corpus::metas() {
        let call = corpus::call("1", "get_regime", &json!({}), Some(&meta));
        session.request(call.as_bytes()).await;
    }
    for body in corpus::odd_bodies() {
        // A second handshake would change the session for the other lines.
        if !body.contains("\"initialize\"") {
            session.request(&one_line(body.as_bytes())).await;
        }
    }
    let returned = corpus::call("1", "get_regime", &json!({}), None) + "\r";
    session.request(returned.as_bytes()).await;
    let long = "x".repeat(200_000);
    let large = corpus::call("1", "get_metric", &json!({ "ticker": long }), None);
    session.request(large.as_bytes()).await;
}

#[tokio::test]
async fn randomly_mutated_lines_do_not_end_the_session() {
    let mut session = open("2025-06-18").await;
    let mut rng = Rng::new(7);
    let call = corpus::call("17", "get_metric", &json!({ "ticker": "10y" }), None);
    for _ in 0..MUTATIONS {
        let line = one_line(&rng.mutate(&call));
        session.request(&line).await;
    }
}

#[tokio::test]
async fn a_thousand_concurrent_calls_are_all_answered() {
    let mut session = Session::open(Server::new(bundled()));
    session.handshake("2025-06-18").await;
    let mut sent = Vec::new();
    for id in 0..1_000 {
        let call = corpus::call(
            &id.to_string(),
            "get_metric",
            &json!({ "ticker": "10y" }),
            None,
        );
        sent.extend_from_slice(call.as_bytes());
        sent.push(b'\n');
    }
    let mut writer = session.writer;
    let writing = tokio::spawn(async move {
        writer.write_all(&sent).await.unwrap();
        writer.shutdown().await.unwrap();
    });
    let mut all = String::new();
    session.reader.read_to_string(&mut all).await.unwrap();
    writing.await.unwrap();
    let mut ids: Vec<u64> = all
        .lines()
        .map(|l| {
            serde_json::from_str::<Value>(l).unwrap()["id"]
                .as_u64()
                .unwrap()
        })
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..1_000).collect::<Vec<_>>());
}

#[tokio::test]
async fn any_number_of_subscriptions_leaves_the_server_reading() {
    for count in [1, 64, 300] {
        let mut session = open(corpus::MODERN).await;
        let meta: Value = serde_json::from_str(&corpus::modern_meta()).unwrap();
        let params = json!({ "_meta": meta, "notifications": { "resourceSubscriptions": ["macro://regime"] } });
        for id in 0..count {
            let listen = json!({ "jsonrpc": "2.0", "id": format!("listen-{id}"), "method": "subscriptions/listen", "params": params });
            session.send(listen.to_string().as_bytes()).await;
            let ack = session.read_line().await.unwrap();
            assert_eq!(
                ack["method"], "notifications/subscriptions/acknowledged",
                "{ack}"
            );
        }
        let call = corpus::call("7", "get_regime", &json!({}), Some(&corpus::modern_meta()));
        session.send(call.as_bytes()).await;
        assert_eq!(session.read_line().await.unwrap()["id"], 7);
        // The end of the input ends the session at once, with a result for each subscription.
        let end = std::time::Instant::now();
        session.close_with(b"").await;
        let mut ended = 0;
        while let Some(result) = session.read_line().await {
            ended += usize::from(
                result["id"]
                    .as_str()
                    .is_some_and(|id| id.starts_with("listen-")),
            );
        }
        assert_eq!(ended, count);
        assert!(
            end.elapsed() < Duration::from_secs(3),
            "{:?}",
            end.elapsed()
        );
    }
}
