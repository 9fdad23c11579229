//! Both ways over a pair of streams, as a host that starts the program would.

use super::corpus::{self, Dice};
use crate::home::bundled;
use econoscope::endpoints::Backend;
use econoscope::mcp::{Server, transport};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

/// How long a line that may have no answer is waited for.
const SILENCE: Duration = Duration::from_millis(1_000);
const PATIENCE: Duration = Duration::from_secs(60);
const MUTATED: usize = 400;

/// A conversation.
struct Talk {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    asked: usize,
}

impl Talk {
    fn open(server: Server) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(theirs);
        tokio::spawn(transport::lines(server, reader, writer, Default::default()));
        let (reader, writer) = tokio::io::split(ours);
        Self {
            reader: BufReader::new(reader),
            writer,
            asked: 0,
        }
    }

    async fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.reader.read_line(&mut line));
        match read.await.expect("an answer in time").unwrap() {
            0 => None,
            _ => Some(serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))),
        }
    }

    /// Sends a line and a question that is always answered, and gives what came but for the answer to that.
    async fn ask(&mut self, line: &[u8]) -> Vec<Value> {
        let silence = if wants_answer(line) {
            PATIENCE
        } else {
            SILENCE
        };
        self.ask_for(line, silence).await
    }

    async fn ask_for(&mut self, line: &[u8], silence: Duration) -> Vec<Value> {
        self.asked += 1;
        let mark = format!("mark-{}", self.asked);
        self.writer.write_all(line).await.unwrap();
        let ping = format!("\n{{\"jsonrpc\":\"2.0\",\"id\":\"{mark}\",\"method\":\"ping\"}}\n");
        self.writer.write_all(ping.as_bytes()).await.unwrap();
        let (mut came, mut marked) = (Vec::new(), false);
        while !marked || came.is_empty() {
            let next = if marked {
                match tokio::time::timeout(silence, self.line()).await {
                    Ok(next) => next,
                    Err(_) => break,
                }
            } else {
                self.line().await
            };
            let Some(value) = next else { break };
            if value["id"] == mark.as_str() {
                marked = true;
            } else {
                came.push(value);
            }
        }
        came
    }

    async fn handshake(&mut self, version: &str) -> Vec<Value> {
        let opening = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
        let line =
            format!("{opening}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}");
        self.ask(line.as_bytes()).await
    }
}

struct Both {
    fast: Talk,
    slow: Talk,
    server: Server,
}

impl Both {
    fn over(backend: &Arc<Backend>) -> Self {
        let server = Server::new(Arc::clone(backend));
        Self {
            fast: Talk::open(server.clone()),
            slow: Talk::open(Server::new(Arc::clone(backend)).without_fast_lane()),
            server,
        }
    }

    async fn legacy(backend: &Arc<Backend>, version: &str) -> Self {
        let mut both = Self::over(backend);
        let slow = both.slow.handshake(version).await;
        assert_eq!(both.fast.handshake(version).await, slow);
        // What is computed once is computed now, so that silence afterwards means that nothing comes.
        let first = corpus::call("0", "get_regime", &json!({}), None);
        for talk in [&mut both.slow, &mut both.fast] {
            let came = talk.ask_for(first.as_bytes(), PATIENCE).await;
            assert_eq!(came.len(), 1);
        }
        both
    }

    async fn modern(backend: &Arc<Backend>) -> Self {
        let mut both = Self::over(backend);
        let opening = corpus::call("0", "get_regime", &json!({}), Some(&corpus::modern_meta()));
        for talk in [&mut both.slow, &mut both.fast] {
            let came = talk.ask_for(opening.as_bytes(), PATIENCE).await;
            assert_eq!(came.len(), 1);
        }
        both
    }

    async fn same(&mut self, line: &[u8]) {
        let slow = self.slow.ask(line).await;
        for round in ["made", "kept"] {
            let fast = self.fast.ask(line).await;
            assert_eq!(fast, slow, "{round}: {}", String::from_utf8_lossy(line));
            if slow.is_empty() {
                break;
            }
        }
    }
}

/// Whether a line is a request, in any form: those are answered, however late.
fn wants_answer(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|v| {
        v["method"].is_string() && v["id"] != Value::Null && v["result"] == Value::Null
    })
}

/// A line: breaks inside become spaces.
fn one_line(bytes: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .map(|b| if *b == b'\n' { b' ' } else { *b })
        .collect()
}

#[tokio::test]
async fn every_call_is_answered_alike_in_both_lifecycles() {
    let backend = bundled();
    let mut legacy = Both::legacy(&backend, "2025-06-18").await;
    let mut modern = Both::modern(&backend).await;
    let meta = corpus::modern_meta();
    for (tool, arguments) in corpus::calls() {
        let plain = corpus::call("1", tool, &arguments, None);
        let told = corpus::call("\"a\"", tool, &arguments, Some(&meta));
        for both in [&mut legacy, &mut modern] {
            both.same(plain.as_bytes()).await;
            both.same(told.as_bytes()).await;
        }
    }
    assert!(
        legacy.server.fast_answers() > 40,
        "the lane was hardly asked"
    );
    assert!(modern.server.fast_answers() > 20);
}

#[tokio::test]
async fn identifiers_meta_and_odd_lines() {
    let backend = bundled();
    let mut legacy = Both::legacy(&backend, "2025-11-25").await;
    for id in corpus::IDS {
        let call = corpus::call(id, "get_regime", &json!({}), None);
        legacy.same(call.as_bytes()).await;
    }
    for meta in corpus::metas() {
        let call = corpus::call("1", "get_regime", &json!({}), Some(&meta));
        legacy.same(call.as_bytes()).await;
    }
    for body in corpus::odd_bodies() {
        // A second handshake would change the conversation under the other lines.
        if !body.contains("\"initialize\"") {
            legacy.same(&one_line(body.as_bytes())).await;
        }
    }
    let returned = corpus::call("1", "get_regime", &json!({}), None) + "\r";
    legacy.same(returned.as_bytes()).await;
    let large = corpus::call(
        "1",
        "get_metric",
        &json!({ "ticker": "x".repeat(200_000) }),
        None,
    );
    legacy.same(large.as_bytes()).await;
}

#[tokio::test]
async fn lines_changed_at_random() {
    let mut legacy = Both::legacy(&bundled(), "2025-06-18").await;
    let mut dice = Dice::new(7);
    let call = corpus::call("17", "get_metric", &json!({ "ticker": "10y" }), None);
    for _ in 0..MUTATED {
        let line = one_line(&dice.mutate(&call));
        // What is no JSON has no answer, and waiting for none takes long.
        if serde_json::from_slice::<Value>(&line).is_ok() {
            legacy.same(&line).await;
        }
    }
}

#[tokio::test]
async fn nothing_is_answered_before_the_conversation_is_open() {
    let backend = bundled();
    let call = corpus::call("1", "get_regime", &json!({}), None);
    let discover = json!({ "jsonrpc": "2.0", "id": 2, "method": "server/discover",
        "params": { "_meta": serde_json::from_str::<Value>(&corpus::modern_meta()).unwrap() } });
    let mut both = Both::over(&backend);
    both.same(call.as_bytes()).await;
    both.same(discover.to_string().as_bytes()).await;
    both.same(call.as_bytes()).await;
    assert_eq!(both.server.fast_answers(), 0);
}

#[tokio::test]
async fn a_thousand_calls_at_once_are_all_answered_also_when_the_client_then_leaves() {
    let mut talk = Talk::open(Server::new(bundled()));
    talk.handshake("2025-06-18").await;
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
    let mut writer = talk.writer;
    let writing = tokio::spawn(async move {
        writer.write_all(&sent).await.unwrap();
        writer.shutdown().await.unwrap();
    });
    let mut all = String::new();
    talk.reader.read_to_string(&mut all).await.unwrap();
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
