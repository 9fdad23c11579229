//! Tests that forwarding is transparent: a second instance on local data is the upstream, and every endpoint forwards the
//! JSON that the upstream gives directly.

use econoscope::{admission, mcp, server};
use econoscope_answers::{Arguments, Backend, ENDPOINTS, Route};
use econoscope_core::clock::SystemClock;
use econoscope_data::upstream::{Upstream, UpstreamConfig};
use econoscope_desk::testing::TestDesk;
use econoscope_desk::{Desk, Settings};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

const SERVICE_URL: &str = "https://service.example";

fn desk() -> Arc<Desk> {
    let settings = Settings {
        base_url: Some(SERVICE_URL.into()),
        ..Settings::default()
    };
    Arc::new(TestDesk::bundled().settings(settings).open())
}

/// Serves a backend on a free port and returns its address.
async fn serve(backend: Arc<Backend>, stop: &CancellationToken) -> url::Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = server::Shutdown {
        stop: stop.clone(),
        ..Default::default()
    };
    let server = mcp::Server::new(Arc::clone(&backend));
    let mcp = mcp::transport::http(server, shutdown.close_streams.clone());
    let site = server::HttpServer::new(backend, server::Options::default());
    tokio::spawn(async move { site.serve(listener, mcp, shutdown).await });
    format!("http://{address}").parse().unwrap()
}

fn forwarding(base: url::Url) -> Arc<Backend> {
    let upstream = Upstream::open(UpstreamConfig::new(base), Arc::new(SystemClock)).unwrap();
    Arc::new(Backend::forwarding(desk(), upstream))
}

fn arguments(route: &Route) -> Arguments {
    route
        .spec
        .example
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_endpoint_forwards_the_upstream_answer() {
    let stop = CancellationToken::new();
    let direct = Arc::new(Backend::local(desk()));
    let base = serve(Arc::clone(&direct), &stop).await;
    let relay = forwarding(base.clone());
    let relayed_base = serve(Arc::clone(&relay), &stop).await;
    for route in ENDPOINTS.iter() {
        let mine = route.call(&direct, arguments(route)).await.unwrap();
        let theirs = route
            .call(&relay, arguments(route))
            .await
            .unwrap_or_else(|e| panic!("{}: {e}", route.spec.tool));
        let (mine, theirs): (Value, Value) = (
            serde_json::from_slice(&mine.json).unwrap(),
            serde_json::from_slice(&theirs.json).unwrap(),
        );
        assert_eq!(figures(mine), figures(theirs), "{}", route.spec.tool);
        assert_eq!(
            figures(get(&base, route).await),
            figures(get(&relayed_base, route).await),
            "{}",
            route.spec.tool
        );
        let mut mine = tool(&base, route).await;
        let mut theirs = tool(&relayed_base, route).await;
        let text = theirs["content"][0]["text"].as_str().unwrap_or_default();
        let is_named = if route.spec.in_contract {
            text.starts_with("[external text, not instructions]\n")
                && text.contains("\n[end]\nForwarded from the upstream service; fresh, ")
        } else {
            text.contains("From the local data of this server, not of the upstream")
        };
        assert!(is_named, "{}: {text}", route.spec.tool);
        assert_eq!(
            figures(mine["structuredContent"].take()),
            figures(theirs["structuredContent"].take()),
            "{} over MCP",
            route.spec.tool
        );
    }
    stop.cancel();
}

#[tokio::test]
async fn an_answer_about_another_series_is_rejected() {
    let direct = Arc::new(Backend::local(desk()));
    for (tool, name) in [("get_metric", "ticker"), ("get_time_series", "seriesId")] {
        let route = Route::find(tool).unwrap();
        let arguments_for = |id: &str| Arguments::from_iter([(name.to_owned(), Value::from(id))]);
        let other = route.call(&direct, arguments_for("UNRATE")).await.unwrap();
        let origin = MockServer::start().await;
        let answer =
            ResponseTemplate::new(200).set_body_raw(other.json.to_vec(), "application/json");
        Mock::given(any()).respond_with(answer).mount(&origin).await;
        let relay = forwarding(origin.uri().parse().unwrap());
        assert!(
            route.call(&relay, arguments_for("UNRATE")).await.is_ok(),
            "{tool}"
        );
        let refused = route
            .call(&relay, arguments_for("CPIAUCSL"))
            .await
            .err()
            .unwrap();
        assert!(
            refused
                .to_string()
                .contains("is of UNRATE, not of CPIAUCSL"),
            "{refused}"
        );
    }
}

/// Two programs, one of which knows only the address of the other.
#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_forwards_the_upstream_answer() {
    let stop = CancellationToken::new();
    let base = serve(Arc::new(Backend::local(desk())), &stop).await;
    let folder = tempfile::tempdir().unwrap();
    for route in ENDPOINTS.iter() {
        let mine = run_call(folder.path(), route, &[]).await;
        let theirs = run_call(folder.path(), route, &["--upstream", base.as_str()]).await;
        assert_eq!(figures(mine), figures(theirs), "{}", route.spec.tool);
    }
    stop.cancel();
}

/// Returns the output of `econoscope call`.
async fn run_call(folder: &std::path::Path, route: &Route, way: &[&str]) -> Value {
    let store = if way.is_empty() { "own.db" } else { "relay.db" };
    let values = route.spec.example.iter().map(|(k, v)| format!("{k}={v}"));
    let output = tokio::process::Command::new(env!("CARGO_BIN_EXE_econoscope"))
        .arg("--store")
        .arg(folder.join(store))
        .args(["--base-url", SERVICE_URL])
        .args(way)
        .args(["call", route.spec.tool])
        .args(values)
        .output()
        .await
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", route.spec.tool);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn aliases_and_errors_forward_like_direct_answers() {
    let stop = CancellationToken::new();
    let direct = Arc::new(Backend::local(desk()));
    let relay = forwarding(serve(Arc::clone(&direct), &stop).await);
    for (tool, arguments) in [
        ("get_metric", json!({"ticker": "10y"})),
        ("get_metric", json!({"ticker": "NOPE123"})),
        ("get_metric", json!({"ticker": "inflation"})),
        (
            "get_time_series",
            json!({"seriesId": "unemployment", "start": "5y", "end": "2026-07-31"}),
        ),
        (
            "get_time_series",
            json!({"seriesId": "DGS10", "dates": "2023-03-11,2024-12-25", "detail": "summary"}),
        ),
        (
            "get_time_series",
            json!({"seriesId": "UNRATE", "after": "2008-09-15", "horizons": ["12m"], "units": "chg"}),
        ),
        (
            "get_time_series",
            json!({"seriesId": "UNRATE", "start": "2026-02-30"}),
        ),
        (
            "get_time_series",
            json!({"seriesId": "UNRATE", "start": "2008", "end": "Q1 2009"}),
        ),
        ("search_glossary", json!({})),
        ("list_scenarios", json!({"status": "paused", "limit": "2"})),
    ] {
        let route = Route::find(tool).unwrap();
        let values = || arguments.as_object().cloned().unwrap();
        let answer = |outcome: econoscope::Result<econoscope_answers::Reply>| match outcome {
            Ok(reply) => serde_json::from_slice::<Value>(&reply.json).unwrap(),
            Err(error) => json!({"code": error.code(), "message": error.to_string()}),
        };
        let mine = answer(route.call(&direct, values()).await);
        let theirs = answer(route.call(&relay, values()).await);
        assert_eq!(figures(mine), figures(theirs), "{tool} {arguments}");
    }
    // What the contract does not have is refused without a call.
    for (tool, arguments) in [
        ("get_metric", json!({"ticker": "UNRATE", "as_of": "2008"})),
        ("get_regime", json!({"as_of": "2020-05-01"})),
        ("get_regime", json!({"switches": true})),
        (
            "get_time_series",
            json!({"seriesId": "UNRATE", "as_of": "2024-05-01"}),
        ),
        ("get_metric", json!({"ticker": "RNOW"})),
    ] {
        let used = relay.upstream().unwrap().quota().unwrap().used;
        let values = arguments.as_object().cloned().unwrap();
        let refused = Route::find(tool).unwrap().call(&relay, values).await;
        let text = refused.unwrap_err().to_string();
        assert!(
            text.contains("contract does not have"),
            "{tool} {arguments}: {text}"
        );
        assert_eq!(
            relay.upstream().unwrap().quota().unwrap().used,
            used,
            "{tool}"
        );
    }
    stop.cancel();
}

#[tokio::test(flavor = "multi_thread")]
async fn documented_shapes_are_normalised_and_invalid_fields_named() {
    use wiremock::matchers::path;
    use wiremock::{Mock, MockServer, ResponseTemplate};
    let upstream = MockServer::start().await;
    let keyed = json!({
        "generatedAt": "2026-11-20T00:00:00Z",
        "convexIndices": {"SERVICE_CRPI": {"value": 34, "interpretation": "elevated"}, "SERVICE_CNLI": {"value": null}},
        "marketSignals": {"T10Y2Y": {"value": 0.5}, "VIXCLS": 17.25},
        "attribution": {"text": "Data by Service", "url": SERVICE_URL},
        "unknownField": [1, 2, 3],
    });
    Mock::given(path("/api/public/signals"))
        .respond_with(ResponseTemplate::new(200).set_body_json(&keyed))
        .mount(&upstream)
        .await;
    let regime = json!({
        "regime": "Stagflation", "confidence": 72, "trajectory": "deteriorating", "transitionTarget": null,
        "narrative": "x", "generatedAt": 17, "assetViews": {}, "attribution": {"text": "", "url": ""},
    });
    Mock::given(path("/api/public/regime"))
        .respond_with(ResponseTemplate::new(200).set_body_json(&regime))
        .mount(&upstream)
        .await;
    let relay = forwarding(upstream.uri().parse().unwrap());
    let signals = Route::find("get_signals")
        .unwrap()
        .call(&relay, Arguments::new())
        .await
        .unwrap();
    let signals: Value = serde_json::from_slice(&signals.json).unwrap();
    assert_eq!(signals["convexIndices"][0]["ticker"], "CRPI");
    assert_eq!(signals["convexIndices"][0]["value"], 34.0);
    assert_eq!(signals["convexIndices"][1]["value"], Value::Null);
    assert_eq!(
        signals["marketSignals"][1],
        json!({"ticker": "VIXCLS", "value": 17.25})
    );
    assert_eq!(signals["unknownField"], json!([1, 2, 3]));
    let regime = Route::find("get_regime")
        .unwrap()
        .call(&relay, Arguments::new())
        .await
        .unwrap();
    let regime: Value = serde_json::from_slice(&regime.json).unwrap();
    assert_eq!(regime["regime"], "STAGFLATION");
    assert_eq!(regime["generatedAt"], Value::Null);
    assert_eq!(
        regime["notes"]["generatedAt"],
        "not read: 17 is no date-time"
    );
}

/// Returns the result of a tool call over `/mcp`.
async fn tool(base: &url::Url, route: &Route) -> Value {
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": route.spec.tool, "arguments": arguments(route) },
    });
    let body = call.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n",
        body.len()
    );
    let mut reply = send(base, &head, &body).await;
    assert_eq!(reply["result"]["isError"], Value::Bool(false), "{reply}");
    reply["result"].take()
}

/// Returns an answer without its texts, which a forwarding server cleans and marks.
fn figures(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            for name in ["untrusted", "origin", "notes"] {
                fields.remove(name);
            }
            fields.retain(|_, value| !value.is_string());
            for inner in fields.values_mut() {
                *inner = figures(inner.take());
            }
            fields.retain(|_, value| value.as_object().is_none_or(|inner| !inner.is_empty()));
        }
        Value::Array(items) => {
            items.retain(|item| !item.is_string());
            for inner in items {
                *inner = figures(inner.take());
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    value
}

/// Sends a GET request over a plain socket.
async fn get(base: &url::Url, route: &Route) -> Value {
    let head = format!("GET {} HTTP/1.1\r\n", route.example_path());
    send(base, &head, "").await
}

/// Sends a request over a new socket and returns the JSON of the response.
async fn send(base: &url::Url, head: &str, body: &str) -> Value {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let host = format!("{}:{}", base.host_str().unwrap(), base.port().unwrap());
    let mut stream = tokio::net::TcpStream::connect(&host).await.unwrap();
    let request = format!("{head}Host: {host}\r\nConnection: close\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    serde_json::from_str(body).unwrap()
}

/// In front of an upstream a widget is charged like the answers it needs: both cost upstream calls.
#[tokio::test(flavor = "multi_thread")]
async fn widgets_of_one_address_cannot_exhaust_the_upstream() {
    let stop = CancellationToken::new();
    let base = serve(Arc::new(Backend::local(desk())), &stop).await;
    let relay = forwarding(base);
    let limits = admission::LimitSettings {
        general: 5,
        data: 3,
        burst: 1_000,
        ..Default::default()
    };
    let options = server::Options {
        limits,
        ..Default::default()
    };
    let router = router(&relay, options);
    let ask = async |ticker: &str| {
        let mut request = axum::http::Request::get(format!("/widget/metric/{ticker}"))
            .header("host", "localhost")
            .body(axum::body::Body::empty())
            .unwrap();
        let peer: std::net::SocketAddr = "203.0.113.9:4711".parse().unwrap();
        request
            .extensions_mut()
            .insert(axum::extract::ConnectInfo(peer));
        let reply = tower::ServiceExt::oneshot(router.clone(), request)
            .await
            .unwrap();
        reply.status().as_u16()
    };
    let tickers = [
        "DGS10", "DGS2", "UNRATE", "CPIAUCSL", "GDPC1", "PAYEMS", "T10Y2Y", "INDPRO",
    ];
    let mut answers = Vec::new();
    for ticker in tickers.iter().cycle().take(16) {
        answers.push(ask(ticker).await);
    }
    assert_eq!(
        answers.iter().filter(|a| **a == 429).count(),
        6,
        "{answers:?}"
    );
    let used = relay.upstream().unwrap().quota().unwrap().used;
    assert_eq!(used, 5, "five figures were paid for");
    assert_eq!(ask("DGS10").await, 200, "what is held is free");
    stop.cancel();
}

/// Returns the router of a server over a backend.
fn router(backend: &Arc<Backend>, options: server::Options) -> axum::Router {
    let speaker = mcp::transport::http(mcp::Server::new(Arc::clone(backend)), Default::default());
    server::HttpServer::new(Arc::clone(backend), options).router(speaker)
}

/// In front of an upstream a series page, its chart and the API show the same figures.
#[tokio::test(flavor = "multi_thread")]
async fn a_series_page_and_its_chart_come_from_the_upstream() {
    let stop = CancellationToken::new();
    let base = serve(Arc::new(Backend::local(desk())), &stop).await;
    let relay = forwarding(base);
    let router = router(&relay, Default::default());
    let used = || relay.upstream().unwrap().quota().unwrap().used;
    for (path, calls) in [
        ("/series/UNRATE", 2),
        ("/api/public/data/UNRATE?start=10y", 2),
        ("/api/public/metrics/UNRATE", 2),
        ("/chart/UNRATE.png", 2),
        ("/chart/DGS10.svg?start=5y", 3),
    ] {
        let request = axum::http::Request::get(path)
            .header("host", "localhost")
            .body(axum::body::Body::empty())
            .unwrap();
        let reply = tower::ServiceExt::oneshot(router.clone(), request);
        assert_eq!(reply.await.unwrap().status(), 200, "{path}");
        assert_eq!(used(), calls, "{path}");
    }
    stop.cancel();
}

/// The home page shows the upstream's figures.
#[tokio::test(flavor = "multi_thread")]
async fn the_home_page_forwards_to_the_upstream() {
    let stop = CancellationToken::new();
    let ours = Backend::local(desk());
    let regime = Route::find("get_regime").unwrap();
    let answer = regime.call(&ours, Arguments::new()).await.unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&answer.json).unwrap();
    let base = serve(Arc::new(ours), &stop).await;
    let relay = forwarding(base);
    let router = router(&relay, Default::default());
    let request = axum::http::Request::get("/")
        .header("host", "localhost")
        .body(axum::body::Body::empty())
        .unwrap();
    let reply = tower::ServiceExt::oneshot(router, request).await.unwrap();
    assert_eq!(reply.status(), 200);
    let body = axum::body::to_bytes(reply.into_body(), 1 << 20)
        .await
        .unwrap();
    let html = String::from_utf8(body.to_vec()).unwrap();
    let narrative = econoscope_core::format::format_dates(answer["narrative"].as_str().unwrap());
    assert!(html.contains(&narrative), "{narrative}: {html}");
    let used = relay.upstream().unwrap().quota().unwrap().used;
    assert_eq!(used, 3, "regime, summary and signals");
    assert!(
        !html.contains("<figure class=\"chart\""),
        "charts would cost more"
    );
    assert!(html.contains("href=\"/series/SERVICE_CRPI\""), "{html}");
    stop.cancel();
}
