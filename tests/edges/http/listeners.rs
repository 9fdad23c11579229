//! Tests of the limits of listeners: charges, permits and the size of a subscription.

use super::cite::TestServer;
use super::support::{options, request, router_with, send, with_peer};
use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::response::Response;
use econoscope::server::Options;
use econoscope_core::model::{SeriesId, VintageObservation};
use http_body_util::BodyExt;
use jiff::civil::date;
use serde_json::{Value, json};
use tower::ServiceExt;

fn router_with_options(change: impl Fn(&mut Options)) -> Router {
    let mut options = options();
    options.limits.burst = 10_000;
    change(&mut options);
    router_with(options, true)
}

fn listen_request(uris: &[String], peer: &str) -> axum::http::Request<Body> {
    let params = json!({ "notifications": { "resourceSubscriptions": uris } });
    modern_request("subscriptions/listen", params, peer)
}

/// A request of 2026-07-28 without `Mcp-Name`.
fn modern_request(
    method: &'static str,
    mut params: Value,
    peer: &str,
) -> axum::http::Request<Body> {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let headers = [
        ("host", "localhost"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
    ];
    with_peer(request("POST", "/mcp", &headers, &body.to_string()), peer)
}

fn regime_uri() -> Vec<String> {
    vec!["macro://regime".to_owned()]
}

/// Opens a stream from an address.
async fn open_stream(router: &Router, host: u8) -> Response {
    let peer = format!("203.0.113.{host}:4711");
    let request = listen_request(&regime_uri(), &peer);
    router.clone().oneshot(request).await.unwrap()
}

/// Returns the first event of a stream.
async fn first_event(response: Response) -> Value {
    next_event(&mut response.into_body()).await
}

/// Returns the next event of a stream.
async fn next_event(body: &mut Body) -> Value {
    loop {
        let frame = body.frame().await.expect("an event").unwrap();
        let data = frame.into_data().unwrap_or_default();
        let text = String::from_utf8(data.to_vec()).unwrap();
        let event = text.lines().find_map(|l| l.strip_prefix("data: {"));
        if let Some(event) = event {
            return serde_json::from_str(&format!("{{{event}")).unwrap();
        }
    }
}

#[tokio::test]
async fn an_address_may_have_sixteen_listeners() {
    let router = router_with_options(|_| {});
    let mut open_streams = Vec::new();
    for n in 0..16 {
        let response = open_stream(&router, 1).await;
        assert_eq!(response.status(), StatusCode::OK, "{n}");
        open_streams.push(response);
    }
    let refused = send(&router, listen_request(&regime_uri(), "203.0.113.1:4711")).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.header("retry-after"), "60");
    assert_eq!(refused.json()["id"], 7);
    assert_eq!(refused.json()["error"]["code"], -32_000);
    // Others are not affected, and closing a stream frees its permit.
    assert_eq!(open_stream(&router, 2).await.status(), StatusCode::OK);
    open_streams.pop();
    assert_eq!(open_stream(&router, 1).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn listeners_leave_most_connections_to_requests() {
    let router = router_with_options(|o| o.connections.max = 64);
    let mut open_streams = Vec::new();
    for host in 0..16 {
        open_streams.push(open_stream(&router, host).await);
    }
    assert!(open_streams.iter().all(|s| s.status() == StatusCode::OK));
    let refused = send(&router, listen_request(&regime_uri(), "203.0.113.99:4711")).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.header("retry-after"), "30");
    assert_eq!(refused.json()["error"]["code"], -32_000);
    let health = with_peer(request("GET", "/health", &[], ""), "203.0.113.99:4711");
    assert_eq!(send(&router, health).await.status, StatusCode::OK);
}

#[tokio::test]
async fn replaced_subscription_methods_are_not_found() {
    let router = router_with_options(|_| {});
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let params = json!({ "uri": "macro://regime" });
        let reply = send(&router, modern_request(method, params, "203.0.113.1:4711")).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{method}");
        let refused = reply.json();
        assert_eq!(
            (&refused["id"], &refused["error"]["code"]),
            (&json!(7), &json!(-32601))
        );
        let why = refused["error"]["message"].as_str().unwrap();
        assert!(why.contains("subscriptions/listen"), "{why}");
    }
}

#[tokio::test]
async fn listening_is_charged_like_reading() {
    let router = router_with_options(|o| o.limits.general = 2);
    for left in ["1", "0"] {
        let response = open_stream(&router, 1).await;
        assert_eq!(response.headers()["x-ratelimit-remaining"], left);
    }
    let refused = send(&router, listen_request(&regime_uri(), "203.0.113.1:4711")).await;
    assert_eq!(refused.json()["error"]["data"]["code"], "rate_limited");
    assert_eq!(refused.json()["id"], 7);
}

#[tokio::test]
async fn a_subscription_is_limited_to_64_addresses() {
    let unknown = |n: usize| format!("macro://metric/no such series {n}");
    let mut uris: Vec<String> = (0..2_000).map(unknown).collect();
    uris[63] = "macro://metric/DGS10".to_owned();
    uris[64] = "macro://metric/UNRATE".to_owned();
    let router = router_with_options(|_| {});
    let response = router
        .clone()
        .oneshot(listen_request(&uris, "203.0.113.1:4711"));
    let ack = first_event(response.await.unwrap()).await;
    let granted = &ack["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(granted, &json!(["macro://metric/DGS10"]));
    // A repeated address counts once.
    let same = vec!["macro://metric/DGS10".to_owned(); 2_000];
    let response = router
        .clone()
        .oneshot(listen_request(&same, "203.0.113.1:4711"));
    assert_eq!(response.await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn a_message_with_too_many_values_is_refused() {
    let uris: Vec<String> = (0..7_400).map(|n| format!("macro://metric/X{n}")).collect();
    let refused = send(
        &router_with_options(|_| {}),
        listen_request(&uris, "203.0.113.1:4711"),
    )
    .await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert_eq!(refused.json()["error"]["code"], -32_600);
    let why = refused.json()["error"]["message"].to_string();
    assert!(why.contains("4,096 values"), "{why}");
}

#[tokio::test]
async fn a_crossed_condition_is_announced_over_http() {
    let server = TestServer::new();
    server.set_time(date(2026, 8, 22), 12);
    let id = SeriesId::new("UNRATE").unwrap();
    let write = |month: i8, value: f64| {
        let row = VintageObservation {
            date: date(2026, month, 1),
            known_from: None,
            value: Some(value),
        };
        server.write(&id, &[row]);
    };
    write(1, 4.0);
    let alert = "macro://alert/UNRATE%20%3E%204.5";
    let uris = [alert, "macro://calendar"].map(str::to_owned);
    let response = server
        .router
        .clone()
        .oneshot(listen_request(&uris, "127.0.0.1:4711"))
        .await;
    let mut body = response.unwrap().into_body();
    let ack = next_event(&mut body).await;
    assert_eq!(
        ack["params"]["notifications"]["resourceSubscriptions"],
        json!(uris)
    );
    let mut crossings = 0;
    // The calendar changes at every write, the condition at the first and the third.
    for (month, value, is_crossing) in [
        (2, 4.6, true),
        (3, 4.7, false),
        (4, 4.5, true),
        (5, 4.4, false),
    ] {
        write(month, value);
        let mut calendar = 0;
        let mut alerts = 0;
        while calendar == 0 || (is_crossing && alerts == 0) {
            match next_event(&mut body).await["params"]["uri"].as_str() {
                Some("macro://calendar") => calendar += 1,
                uri => {
                    assert_eq!(uri, Some(alert));
                    alerts += 1;
                }
            }
        }
        crossings += alerts;
    }
    assert_eq!(crossings, 2);
}
