//! Both ways over HTTP: one backend and two sites, one of which sends every call to the SDK.

use super::corpus::{self, LEGACY, MODERN, Rng};
use crate::home::{backend, bundled, write};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode};
use econoscope::mcp::{Server, transport};
use econoscope::server::{HttpServer, Options, Shutdown};
use econoscope_answers::Backend;
use econoscope_data::store::{Sqlite, Store};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use tower::ServiceExt;

/// The member of a result's `_meta` that names the server.
const SIGNATURE: &str = "io.modelcontextprotocol/serverInfo";
/// Number of randomly mutated messages.
const MUTATIONS: usize = 3_000;

pub(crate) struct BothSites {
    pub(super) direct: Router,
    pub(super) sdk: Router,
    server: Server,
}

/// The parts of a response that a client sees.
#[derive(Debug, PartialEq)]
pub(crate) struct ClientView {
    pub(crate) status: StatusCode,
    headers: Vec<(String, Vec<u8>)>,
    bytes: Vec<u8>,
    pub(crate) body: Result<Value, Vec<u8>>,
}

/// Headers of a plain call. A test adds, replaces and removes some.
pub(crate) fn headers(version: Option<&str>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut set = |name: &'static str, value: &str| headers.insert(name, value.parse().unwrap());
    set("host", "localhost:8080");
    set("content-type", "application/json");
    set("accept", "application/json, text/event-stream");
    if let Some(version) = version {
        set("mcp-protocol-version", version);
    }
    headers
}

fn modern_headers(tool: &str) -> HeaderMap {
    let mut headers = headers(Some(MODERN));
    headers.insert("mcp-method", HeaderValue::from_static("tools/call"));
    if let Ok(tool) = HeaderValue::from_str(tool) {
        headers.insert("mcp-name", tool);
    }
    headers
}

impl BothSites {
    pub(crate) fn new(backend: &Arc<Backend>) -> Self {
        let mut options = Options {
            hosts: vec!["macro.example:443".into()],
            origins: vec!["http://localhost:*".into()],
            ..Options::default()
        };
        options.limits.burst = 1_000_000;
        options.limits.general = 5;
        options.limits.data = 5;
        let site = |server: Server| {
            let mcp = transport::http(server, Shutdown::default().close_streams);
            HttpServer::new(Arc::clone(backend), options.clone()).router(mcp)
        };
        let server = Server::new(Arc::clone(backend));
        Self {
            direct: site(server.clone()),
            sdk: site(Server::new(Arc::clone(backend)).without_direct_calls()),
            server,
        }
    }

    /// Sends a message both ways. The direct one is sent twice: computed, then cached.
    pub(crate) async fn send_both(&self, headers: &HeaderMap, body: &[u8]) -> ClientView {
        let from_sdk = send(&self.sdk, headers, body, None).await;
        for round in ["computed", "cached"] {
            let direct = send(&self.direct, headers, body, None).await;
            let text = String::from_utf8_lossy(body);
            assert_eq!(direct, from_sdk, "{round}: {headers:?} {text}");
        }
        from_sdk
    }

    /// Whether a call is answered without the SDK.
    async fn is_direct(&self, headers: &HeaderMap, body: &str) -> bool {
        let before = self.server.direct_calls();
        self.send_both(headers, body.as_bytes()).await;
        self.server.direct_calls() > before
    }
}

/// Returns a header's value without the seconds to the reset of a limit, which may pass between two requests.
fn without_reset(value: &HeaderValue) -> Vec<u8> {
    let parts = value.as_bytes().split(|byte| *byte == b';');
    let kept: Vec<&[u8]> = parts.filter(|part| !part.starts_with(b"t=")).collect();
    kept.join(&b';')
}

async fn send(router: &Router, headers: &HeaderMap, body: &[u8], peer: Option<&str>) -> ClientView {
    let mut request = Request::post("/mcp")
        .body(Body::from(body.to_vec()))
        .unwrap();
    *request.headers_mut() = headers.clone();
    if let Some(peer) = peer {
        let address: SocketAddr = peer.parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(address));
    }
    let (parts, body) = router.clone().oneshot(request).await.unwrap().into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    let mut headers: Vec<_> = parts
        .headers
        .iter()
        .filter(|(name, _)| *name != "x-request-id")
        .map(|(name, value)| (name.to_string(), without_reset(value)))
        .collect();
    headers.sort();
    ClientView {
        status: parts.status,
        headers,
        bytes: bytes.to_vec(),
        body: serde_json::from_slice(&bytes).map_err(|_| bytes.to_vec()),
    }
}

#[tokio::test]
async fn direct_and_sdk_responses_agree_in_both_lifecycles() {
    let sites = BothSites::new(&bundled());
    for (tool, arguments) in corpus::calls() {
        for version in [
            None,
            Some("2024-11-05"),
            Some("2025-03-26"),
            Some(LEGACY),
            Some("2025-11-25"),
        ] {
            let body = corpus::call("1", tool, &arguments, None);
            sites.send_both(&headers(version), body.as_bytes()).await;
        }
        let meta = corpus::modern_meta();
        let body = corpus::call("\"a\"", tool, &arguments, Some(&meta));
        sites
            .send_both(&modern_headers(tool), body.as_bytes())
            .await;
    }
}

#[tokio::test]
async fn only_plain_calls_are_answered_directly() {
    let sites = BothSites::new(&bundled());
    let arguments = json!({ "ticker": "10y" });
    let meta = corpus::modern_meta();
    let legacy = corpus::call("1", "get_metric", &arguments, None);
    let modern = corpus::call("1", "get_metric", &arguments, Some(&meta));
    assert!(sites.is_direct(&headers(Some(LEGACY)), &legacy).await);
    assert!(sites.is_direct(&headers(None), &legacy).await);
    assert!(
        sites
            .is_direct(&modern_headers("get_metric"), &modern)
            .await
    );
    let mut loose = headers(Some(LEGACY));
    loose.remove("accept");
    assert!(sites.is_direct(&loose, &legacy).await, "a loose wish");
    for (name, value) in [
        ("mcp-session-id", "abc"),
        ("origin", "http://evil.example"),
        ("host", "evil.example"),
        ("content-type", "text/plain"),
        ("mcp-protocol-version", "1999-01-01"),
    ] {
        let mut changed = headers(Some(LEGACY));
        changed.insert(name, value.parse().unwrap());
        assert!(!sites.is_direct(&changed, &legacy).await, "{name}");
    }
    let mut page = headers(Some(LEGACY));
    page.insert("origin", "http://localhost:3000".parse().unwrap());
    assert!(
        sites.is_direct(&page, &legacy).await,
        "known after the first"
    );
    for (meta, taken) in [
        ("{\"progressToken\":1}", true),
        ("{\"progressToken\":\"a\",\"openai/locale\":\"en\"}", true),
        ("{\"progressToken\":1.5}", false),
        ("{\"progressToken\":null}", false),
        ("{\"io.modelcontextprotocol/x\":1}", false),
    ] {
        let body = corpus::call("1", "get_metric", &arguments, Some(meta));
        let is_direct = sites.is_direct(&headers(Some(LEGACY)), &body).await;
        assert_eq!(is_direct, taken, "{meta}");
    }
}

#[tokio::test]
async fn unusual_ids_are_answered_alike() {
    let sites = BothSites::new(&bundled());
    let arguments = json!({ "ticker": "10y" });
    let meta = corpus::modern_meta();
    for id in corpus::IDS {
        let body = corpus::call(id, "get_metric", &arguments, None);
        sites
            .send_both(&headers(Some(LEGACY)), body.as_bytes())
            .await;
        let body = corpus::call(id, "get_metric", &arguments, Some(&meta));
        sites
            .send_both(&modern_headers("get_metric"), body.as_bytes())
            .await;
    }
    let long = format!("\"{}\"", "x".repeat(10_000));
    let body = corpus::call(&long, "get_metric", &arguments, None);
    sites
        .send_both(&headers(Some(LEGACY)), body.as_bytes())
        .await;
}

#[tokio::test]
async fn unusual_bodies_and_meta_are_answered_alike() {
    let sites = BothSites::new(&bundled());
    for body in corpus::odd_bodies() {
        for headers in [
            headers(None),
            headers(Some(LEGACY)),
            modern_headers("get_regime"),
        ] {
            sites.send_both(&headers, body.as_bytes()).await;
        }
    }
    for meta in corpus::metas() {
        let body = corpus::call("1", "get_regime", &json!({}), Some(&meta));
        for headers in [
            headers(None),
            headers(Some(LEGACY)),
            headers(Some("2025-11-25")),
            headers(Some("2027-01-01")),
            modern_headers("get_regime"),
        ] {
            sites.send_both(&headers, body.as_bytes()).await;
        }
    }
    let large = corpus::call(
        "1",
        "get_metric",
        &json!({ "ticker": "x".repeat(300_000) }),
        None,
    );
    sites.send_both(&headers(None), large.as_bytes()).await;
}

#[tokio::test]
async fn hostile_and_contradictory_headers_are_answered_alike() {
    let sites = BothSites::new(&bundled());
    let arguments = json!({ "ticker": "10y" });
    let legacy = corpus::call("1", "get_metric", &arguments, None);
    let modern = corpus::call("1", "get_metric", &arguments, Some(&corpus::modern_meta()));
    let values: [(&'static str, &[&[u8]]); 9] = [
        (
            "host",
            &[
                b"LOCALHOST",
                b"localhost:1",
                b"127.0.0.1:80",
                b"[::1]:8080",
                b"[::1]",
                b"::1",
                b"localhost:",
                b"localhost:99999",
                b"localhost.evil.example",
                b"evil@localhost",
                b"macro.example:443",
                b"macro.example",
                b"macro.example:80",
                b"local host",
                b"\xff",
                b"",
                b"localhost.",
            ],
        ),
        (
            "origin",
            &[
                b"http://localhost:1",
                b"http://localhost",
                b"https://localhost:1",
                b"null",
                b"evil",
                b"\xff",
                b"",
            ],
        ),
        (
            "accept",
            &[
                b"application/json",
                b"text/event-stream",
                b"*/*",
                b"text/html",
                b"text/event-stream, application/json",
                b"application/json;q=0, text/event-stream",
                b"application/json, text/event-stream;q=0",
                b"\xff",
                b"",
            ],
        ),
        (
            "content-type",
            &[
                b"application/json; charset=utf-8",
                b"APPLICATION/JSON",
                b"application/jsonx",
                b"text/json",
                b" application/json ;x",
                b"\xff",
                b"",
            ],
        ),
        (
            "mcp-protocol-version",
            &[
                b"2024-11-05",
                b"2025-06-18",
                b"2026-07-28",
                b"2026-07-29",
                b"2020-01-01",
                b"x",
                b"\xff",
                b"",
            ],
        ),
        (
            "mcp-method",
            &[b"tools/call", b"tools/list", b"TOOLS/CALL", b"\xff", b""],
        ),
        (
            "mcp-name",
            &[
                b"get_metric",
                b"get_regime",
                b"GET_METRIC",
                b"=?base64?Z2V0X21ldHJpYw==?=",
                b"=?base64?!!?=",
                b"\xff",
                b"",
            ],
        ),
        ("mcp-session-id", &[b"abc", b""]),
        ("mcp-param-ticker", &[b"10y"]),
    ];
    for base in [
        headers(None),
        headers(Some(LEGACY)),
        modern_headers("get_metric"),
    ] {
        for (name, values) in values {
            let mut without = base.clone();
            without.remove(name);
            for body in [&legacy, &modern] {
                sites.send_both(&without, body.as_bytes()).await;
            }
            for value in values {
                let value = HeaderValue::from_bytes(value).unwrap();
                let mut replaced = base.clone();
                replaced.insert(name, value.clone());
                let mut doubled = base.clone();
                doubled.append(name, value.clone());
                let mut first = without.clone();
                first.append(name, value);
                if let Some(own) = base.get(name) {
                    first.append(name, own.clone());
                }
                for headers in [replaced, doubled, first] {
                    for body in [&legacy, &modern] {
                        sites.send_both(&headers, body.as_bytes()).await;
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn randomly_mutated_messages_are_answered_alike() {
    let sites = BothSites::new(&bundled());
    let mut rng = Rng::new(20_261_121);
    let meta = corpus::modern_meta();
    let calls = [
        ("get_metric", json!({ "ticker": "10y" })),
        ("get_regime", json!({})),
    ];
    for round in 0..MUTATIONS {
        let (tool, arguments) = &calls[rng.below(calls.len())];
        let is_modern = rng.below(2) == 0;
        let body = corpus::call("17", tool, arguments, is_modern.then_some(meta.as_str()));
        let headers = if is_modern {
            modern_headers(tool)
        } else {
            headers(Some(LEGACY))
        };
        let body = if round % 20 == 0 {
            body.into_bytes()
        } else {
            rng.mutate(&body)
        };
        sites.send_both(&headers, &body).await;
    }
    assert!(
        sites.server.direct_calls() > 200,
        "few calls were answered without the SDK"
    );
}

#[tokio::test]
async fn direct_and_sdk_calls_are_charged_alike() {
    let sites = BothSites::new(&bundled());
    let peer = Some("203.0.113.9:4711");
    let body = corpus::call("1", "get_metric", &json!({ "ticker": "10y" }), None);
    for left in [4, 3, 2, 1, 0] {
        let from_sdk = send(&sites.sdk, &headers(Some(LEGACY)), body.as_bytes(), peer).await;
        let direct = send(&sites.direct, &headers(Some(LEGACY)), body.as_bytes(), peer).await;
        assert_eq!(direct, from_sdk, "{left} left");
    }
    // The wait is spread over a minute by a hash that differs between sites.
    let modern = corpus::call("1", "get_metric", &json!({}), Some(&corpus::modern_meta()));
    for router in [&sites.sdk, &sites.direct] {
        let refused = send(router, &headers(Some(LEGACY)), body.as_bytes(), peer).await;
        let legacy = &refused.body.unwrap()["result"];
        assert_eq!(legacy["isError"], true);
        assert_eq!(legacy["_meta"]["econoscope/error"]["code"], "rate_limited");
        assert_eq!(legacy.get("resultType"), None);
        assert_eq!(legacy["_meta"].get(SIGNATURE), None);
        let headers = modern_headers("get_metric");
        let refused = send(router, &headers, modern.as_bytes(), peer).await;
        let modern = &refused.body.unwrap()["result"];
        assert_eq!(modern["isError"], true);
        assert_eq!(modern["resultType"], "complete");
        assert_eq!(modern["_meta"][SIGNATURE]["name"], "econoscope");
    }
}

#[tokio::test]
async fn new_data_invalidate_direct_answers() {
    let store: Arc<dyn Store> = Arc::new(Sqlite::in_memory().unwrap());
    write(store.as_ref(), "DGS10", &[4.0, 4.1]);
    let sites = BothSites::new(&backend(Arc::clone(&store)));
    let body = corpus::call("1", "get_metric", &json!({ "ticker": "DGS10" }), None);
    let before = sites
        .send_both(&headers(Some(LEGACY)), body.as_bytes())
        .await;
    write(store.as_ref(), "DGS10", &[4.0, 4.1, 4.2]);
    let after = sites
        .send_both(&headers(Some(LEGACY)), body.as_bytes())
        .await;
    assert_ne!(before, after);
}
