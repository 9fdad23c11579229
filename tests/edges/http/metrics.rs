//! Tests of the metrics page: its counts, its bounded labels, and its absence from the public listener.

use super::support::{BASE, backend, get, mcp_service, options, router, tool_call};
use axum::http::StatusCode;
use econoscope::server::{HttpServer, Shutdown};
use serde_json::json;
use std::collections::BTreeSet;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt;

async fn scrape(address: std::net::SocketAddr) -> String {
    let mut socket = TcpStream::connect(address).await.unwrap();
    let ask = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    socket.write_all(ask).await.unwrap();
    let mut text = String::new();
    socket.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    assert!(text.contains("text/plain; version=0.0.4"), "{text}");
    text.split_once("\r\n\r\n").unwrap().1.to_owned()
}

/// Returns names and labels without values.
fn metric_names(page: &str) -> BTreeSet<&str> {
    page.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| line.rsplit_once(' ').unwrap().0)
        .collect()
}

#[tokio::test]
async fn unknown_paths_share_one_metric_label() {
    let backend = backend(true);
    let shutdown = Shutdown::default();
    let site = HttpServer::new(backend.clone(), options());
    let router = site.router(mcp_service(&backend, &shutdown));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let ending = shutdown.clone();
    let serving = tokio::spawn(async move { site.serve_metrics(listener, ending.stop).await });
    let junk = |round: u32| {
        let junk_router = router.clone();
        async move {
            for n in 0..40 {
                let word = format!("junk{round}x{n}");
                for path in [
                    format!("/{word}"),
                    format!("/api/public/metrics/{word}"),
                    format!("/series/{word}"),
                    format!("/chart/{word}.png"),
                    format!("/api/public/{word}/{word}?{word}={word}"),
                ] {
                    get(&junk_router, &path).await;
                }
                let call = tool_call(&word, &json!({}), &[]);
                junk_router.clone().oneshot(call).await.unwrap();
            }
            get(&junk_router, "/api/public/regime").await;
        }
    };
    junk(1).await;
    let first = scrape(address).await;
    junk(2).await;
    let second = scrape(address).await;
    assert!(!second.contains("junk"), "a caller's word is a label");
    assert_eq!(
        metric_names(&first),
        metric_names(&second),
        "junk adds labels"
    );
    let total = |page: &str| -> u64 {
        page.lines()
            .filter(|l| l.starts_with("econoscope_http_requests_total"))
            .map(|l| l.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap())
            .sum()
    };
    assert_eq!(total(&first), 241);
    assert_eq!(total(&second), 482);
    for name in [
        "econoscope_http_request_seconds_bucket",
        "econoscope_connections ",
        "econoscope_panics_total 0",
        "econoscope_resident_memory_bytes",
        "econoscope_data_updated_timestamp_seconds",
        "econoscope_late_series{frequency=\"daily\"}",
        "econoscope_syncs_total{complete=\"true\"} 0",
        "process_start_time_seconds",
        "econoscope_mcp_tool_calls_total{tool=\"other\"} 80",
        "econoscope_ready 1",
    ] {
        assert!(second.contains(name), "{name} in {second}");
    }
    let types: Vec<&str> = second.lines().filter(|l| l.starts_with("# TYPE")).collect();
    assert!(types.len() > 10, "{second}");
    for line in types {
        let kind = line.rsplit_once(' ').unwrap().1;
        assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
    }
    shutdown.stop.cancel();
    serving.await.unwrap();
}

#[tokio::test]
async fn the_public_listener_has_no_metrics() {
    let reply = get(&router(), "/metrics").await;
    assert_eq!(reply.status, StatusCode::NOT_FOUND);
    assert!(!reply.text().contains("econoscope_") && !reply.text().contains(BASE));
}
