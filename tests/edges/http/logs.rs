//! Tests that logs have no addresses, queries or keys.

use super::support::{request, router, send, tool_call, with_peer};
use serde_json::json;
use std::io::Write;
use std::sync::{Arc, Mutex};
use tracing_subscriber::fmt::MakeWriter;

#[derive(Clone, Default)]
struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogBuffer {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn logs_have_no_addresses_queries_or_keys() {
    let page = LogBuffer::default();
    let log = tracing_subscriber::fmt()
        .json()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(page.clone())
        .finish();
    // With a single subscriber, a callsite that another test's thread reaches first would be disabled for all.
    let log = tracing::Dispatch::new(log);
    let _second = tracing::Dispatch::new(
        tracing_subscriber::fmt()
            .with_writer(std::io::sink)
            .finish(),
    );
    let _guard = tracing::dispatcher::set_default(&log);
    let router = router();
    let headers = [
        ("authorization", "Bearer canary-token"),
        ("cookie", "canary-cookie"),
        ("x-forwarded-for", "198.51.100.77"),
        (
            "traceparent",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ),
    ];
    for path in [
        "/api/public/glossary/search?q=canary-query",
        "/api/public/metrics/DGS10",
        "/api/public/data/DGS10?start=nonsense",
        "/nowhere?api_key=canary-key",
        "/api/public/regime?api_key=canary-key",
    ] {
        send(
            &router,
            with_peer(request("GET", path, &headers, ""), "203.0.113.99:4711"),
        )
        .await;
    }
    let call = with_peer(
        tool_call("get_metric", &json!({"ticker": "DGS10"}), &headers),
        "[2001:db8:aaaa:bbbb::1]:1",
    );
    send(&router, call).await;
    let bytes = page.0.lock().unwrap().clone();
    let log = String::from_utf8(bytes).unwrap();
    for line in log.lines().filter(|line| line.contains("econoscope")) {
        for secret in [
            "203.0.113.99",
            "198.51.100.77",
            "2001:db8:aaaa",
            "canary-token",
            "canary-cookie",
            "canary-query",
            "canary-key",
        ] {
            assert!(!line.contains(secret), "{secret} in {line}");
        }
    }
    let entries = log
        .lines()
        .filter(|line| line.contains("\"answered\""))
        .count();
    assert_eq!(entries, 6, "{log}");
    assert!(
        log.contains("4bf92f3577b34da6a3ce929d0e0e4736"),
        "the caller's trace is taken up"
    );
}
