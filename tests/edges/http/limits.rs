//! Tests of the rate limits over REST and MCP.

use super::support::{
    backend, options, request, router, router_with, send, tool_call, unlimited_router,
    unlimited_router_over, with_peer,
};
use axum::Router;
use axum::http::StatusCode;
use econoscope::server::Options;
use econoscope_answers::Backend;
use econoscope_core::clock::SystemClock;
use econoscope_data::upstream::{Upstream, UpstreamConfig};
use serde_json::json;
use std::sync::Arc;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

const PEER: &str = "203.0.113.9:4711";

fn router_with_limits(general: u32, data: u32) -> Router {
    let mut options = options();
    options.limits.general = general;
    options.limits.data = data;
    options.limits.burst = 10_000;
    router_with(options, true)
}

fn get(path: &str) -> axum::http::Request<axum::body::Body> {
    with_peer(request("GET", path, &[], ""), PEER)
}

#[tokio::test]
async fn an_exhausted_day_is_429_with_full_details() {
    let router = router_with_limits(3, 2);
    for left in ["2", "1", "0"] {
        let reply = send(&router, get("/api/public/regime")).await;
        assert_eq!(reply.status, StatusCode::OK);
        assert_eq!(reply.header("x-ratelimit-remaining"), left);
        assert_eq!(reply.header("ratelimit-policy"), "\"daily\";q=3;w=86400");
        assert!(
            reply
                .header("ratelimit")
                .starts_with(&format!("\"daily\";r={left};t="))
        );
    }
    let reply = send(&router, get("/api/public/regime")).await;
    assert_eq!(reply.status, StatusCode::TOO_MANY_REQUESTS);
    let body = reply.json();
    assert!(
        body["error"]
            .as_str()
            .unwrap()
            .starts_with("Daily limit reached: 3 requests for your address. Resets at ")
    );
    let wait: u64 = reply.header("retry-after").parse().unwrap();
    assert_eq!(body["retry_after_seconds"], wait);
    let reset: u64 = reply
        .header("ratelimit")
        .rsplit('=')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(
        (reset..=reset + 60).contains(&wait),
        "not before the reset, spread over a minute"
    );
    assert_eq!(reply.header("cache-control"), "no-store");
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    assert_eq!(body["violated-policies"], json!(["daily"]));
    let series = send(&router, get("/api/public/data/DGS10")).await;
    assert_eq!(series.header("ratelimit-policy"), "\"data\";q=2;w=86400");
}

#[tokio::test]
async fn requests_without_data_are_free() {
    let router = router_with_limits(1, 1);
    for path in [
        "/health",
        "/ready",
        "/llms.txt",
        "/.well-known/openapi.yaml",
        "/nowhere",
    ] {
        for _ in 0..5 {
            assert_ne!(
                send(&router, get(path)).await.status,
                StatusCode::TOO_MANY_REQUESTS,
                "{path}"
            );
        }
    }
}

#[tokio::test]
async fn over_mcp_an_exhausted_day_is_a_failed_result() {
    let router = router_with_limits(1, 1);
    let chatter = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let headers = [
        ("host", "localhost"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    for _ in 0..5 {
        let list = with_peer(request("POST", "/mcp", &headers, &chatter), PEER);
        assert_eq!(
            send(&router, list).await.status,
            StatusCode::OK,
            "lists are free"
        );
    }
    let call = || with_peer(tool_call("get_regime", &json!({}), &[]), PEER);
    let first = send(&router, call()).await;
    assert_eq!(first.status, StatusCode::OK, "{}", first.text());
    assert_ne!(first.json()["result"]["isError"], true);
    assert_eq!(first.header("x-ratelimit-remaining"), "0");
    let second = send(&router, call()).await;
    assert_eq!(second.status, StatusCode::OK, "told inside the protocol");
    let body = second.json();
    assert_eq!(body["id"], 7);
    assert_eq!(body["result"]["isError"], true);
    let text = body["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("Resets at") && text.contains("Do not retry before"),
        "{text}"
    );
    assert!(
        body["result"]["_meta"]["retry_after_seconds"]
            .as_u64()
            .unwrap()
            > 0
    );
    assert!(body["result"].get("resultType").is_none());
    let modern = with_peer(
        tool_call(
            "get_regime",
            &json!({}),
            &[("mcp-protocol-version", "2026-07-28")],
        ),
        PEER,
    );
    let (mut parts, body) = modern.into_parts();
    parts
        .headers
        .insert("mcp-protocol-version", "2026-07-28".parse().unwrap());
    let modern = send(&router, axum::http::Request::from_parts(parts, body)).await;
    assert_eq!(modern.json()["result"]["resultType"], "complete");
    let series = send(
        &router,
        with_peer(
            tool_call("get_time_series", &json!({"seriesId": "UNRATE"}), &[]),
            PEER,
        ),
    )
    .await;
    assert_ne!(
        series.json()["result"]["isError"],
        true,
        "series have an allowance of their own"
    );
    let read = json!({"jsonrpc": "2.0", "id": 9, "method": "resources/read", "params": {"uri": "macro://catalog"}});
    let read = send(
        &router,
        with_peer(request("POST", "/mcp", &headers, &read.to_string()), PEER),
    )
    .await;
    assert_eq!(read.status, StatusCode::OK);
    assert!(
        read.json()["error"]["data"]["retry_after_seconds"]
            .as_u64()
            .unwrap()
            > 0
    );
}

#[tokio::test]
async fn rest_and_mcp_share_one_allowance() {
    let router = router_with_limits(2, 2);
    assert_eq!(
        send(&router, get("/api/public/regime")).await.status,
        StatusCode::OK
    );
    let call = || with_peer(tool_call("get_regime", &json!({}), &[]), PEER);
    assert_ne!(
        send(&router, call()).await.json()["result"]["isError"],
        true
    );
    assert_eq!(
        send(&router, call()).await.json()["result"]["isError"],
        true
    );
    assert_eq!(
        send(&router, get("/api/public/regime")).await.status,
        StatusCode::TOO_MANY_REQUESTS
    );
}

#[tokio::test]
async fn bursts_get_429_over_rest_and_mcp() {
    let router = router_with(Options { ..options() }, true);
    let mut refused = None;
    for _ in 0..40 {
        let reply = send(&router, get("/llms.txt")).await;
        if reply.status == StatusCode::TOO_MANY_REQUESTS {
            refused = Some(reply);
            break;
        }
    }
    let reply = refused.expect("40 at once are too many");
    assert_eq!(reply.header("retry-after"), "1");
    assert_eq!(reply.json()["violated-policies"], json!(["burst"]));
    let call = send(
        &router,
        with_peer(tool_call("get_regime", &json!({}), &[]), PEER),
    )
    .await;
    assert_eq!(call.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(!call.json()["id"].is_null(), "its sender waits for its id");
    assert!(
        call.json()["error"]["data"]["retry_after_seconds"]
            .as_u64()
            .unwrap()
            > 0
    );
}

#[tokio::test]
async fn loopback_is_not_counted() {
    let router = router_with_limits(1, 1);
    for _ in 0..50 {
        let reply = send(
            &router,
            with_peer(request("GET", "/api/public/regime", &[], ""), "127.0.0.1:5"),
        )
        .await;
        assert_eq!(reply.status, StatusCode::OK);
        assert!(reply.headers.get("ratelimit").is_none());
    }
}

#[tokio::test]
async fn ambiguous_messages_are_refused() {
    let router = router();
    let headers = [
        ("host", "localhost"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"get_regime"}}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_regime"}}]"#,
    ] {
        let reply = send(&router, request("POST", "/mcp", &headers, body)).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{body}");
        assert_eq!(reply.json()["error"]["code"], -32600);
    }
    let padding = "a".repeat(300_000);
    for (start, id) in [
        (
            r#"{"jsonrpc":"2.0","id":"seven","method":"ping","x":""#,
            json!("seven"),
        ),
        (
            r#"{"id":7,"jsonrpc":"2.0","method":"tools/call","params":{"x":""#,
            json!(7),
        ),
        (r#"{"jsonrpc":"2.0","params":{"id":7},"x":""#, json!(null)),
        (r#"{"id":7,"id":8,"x":""#, json!(null)),
        (r#"[{"id":7,"x":""#, json!(null)),
    ] {
        let large = format!("{start}{padding}\"}}}}");
        let reply = send(&router, request("POST", "/mcp", &headers, &large)).await;
        assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(reply.json()["id"], id, "{start}");
    }
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}1{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let reply = send(&router, request("POST", "/mcp", &headers, &deep)).await;
    assert!(reply.status.is_client_error(), "{}", reply.status);
}

#[tokio::test]
async fn mcp_refuses_unknown_hosts_and_origins() {
    let router = router();
    for (header, value) in [
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("origin", "http://localhost.evil.example"),
        ("host", "evil.example"),
        ("host", "localhost.evil.example"),
    ] {
        let mut request = tool_call("get_regime", &json!({}), &[]);
        request.headers_mut().insert(header, value.parse().unwrap());
        let reply = send(&router, request).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{header}: {value}");
        assert!(reply.headers.get("access-control-allow-origin").is_none());
    }
    let allowed = tool_call(
        "get_regime",
        &json!({}),
        &[("origin", "http://localhost:3000")],
    );
    let reply = send(&router, allowed).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text());
    assert_eq!(
        reply.header("access-control-allow-origin"),
        "http://localhost:3000"
    );
}

/// One address could use up an upstream's calls with names that nobody else requests.
#[tokio::test(flavor = "multi_thread")]
async fn one_address_gets_at_most_half_of_the_upstream_budget() {
    let metric = super::support::get(&unlimited_router(), "/api/public/metrics/UNRATE").await;
    let origin = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_raw(metric.body, "application/json");
    Mock::given(any()).respond_with(answer).mount(&origin).await;
    let config = UpstreamConfig::new(origin.uri().parse().unwrap());
    let upstream = Upstream::open(config, Arc::new(SystemClock)).unwrap();
    let desk = Arc::clone(backend(true).desk());
    let router = unlimited_router_over(Arc::new(Backend::forwarding(desk, upstream)));
    let mut answered = [0, 0];
    for (host, answered) in (1..).zip(&mut answered) {
        for n in 0..40 {
            let path = format!("/api/public/metrics/OTHER{host}X{n}");
            let message = with_peer(
                request("GET", &path, &[], ""),
                &format!("203.0.113.{host}:4711"),
            );
            let reply = send(&router, message).await;
            match reply.status {
                StatusCode::OK => *answered += 1,
                status => {
                    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS, "{}", reply.text());
                    assert!(reply.header("retry-after").parse::<u64>().unwrap() > 0);
                }
            }
        }
    }
    assert_eq!(answered, [38, 10]);
}
