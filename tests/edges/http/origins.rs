//! Tests of a loopback listener against pages in a browser of the same machine, through a real socket.

use super::support::{
    backend, backend_with, options, router, start_server, tool_call, unlimited_router_over,
};
use econoscope::server::{HttpServer, Options, Shutdown};
use econoscope_desk::{Desk, Settings};
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// One path of each kind.
const PATHS: [&str; 9] = [
    "/api/public/regime",
    "/api/public/data/DGS10",
    "/",
    "/series/DGS10",
    "/widget/regime",
    "/chart/DGS10.svg",
    "/llms.txt",
    "/health",
    "/nowhere",
];

const FOREIGN_ORIGIN: &str = "https://evil.example";

/// Sends a head as it is and reads the whole response: status, head in lower case, body.
async fn send_head(address: SocketAddr, head: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("{}\r\nconnection: close\r\n\r\n", head.trim_end());
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let answer = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_ascii_lowercase(), body.to_owned())
}

fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\n{headers}")
}

#[tokio::test]
async fn loopback_refuses_foreign_hosts_and_origins() {
    let server = start_server(options()).await;
    for path in PATHS {
        let rebound = get(path, "host: evil.example:8080");
        let (status, head, body) = send_head(server.address, &rebound).await;
        assert_eq!(status, 403, "{path}");
        assert!(body.contains("--allowed-host evil.example"), "{body}");
        assert!(!head.contains("access-control-allow-origin"), "{head}");
        for origin in [FOREIGN_ORIGIN, "null", "http://localhost:80.evil.example"] {
            let page = get(path, &format!("host: localhost\r\norigin: {origin}"));
            let (status, head, body) = send_head(server.address, &page).await;
            assert_eq!(status, 403, "{path} {origin}");
            assert!(body.contains("--allowed-origin"), "{body}");
            assert!(!head.contains("access-control-allow-origin"), "{head}");
        }
        let part = "host: localhost\r\nsec-fetch-site: cross-site\r\nsec-fetch-mode: no-cors\r\nsec-fetch-dest: image";
        let (status, _, body) = send_head(server.address, &get(path, part)).await;
        assert_eq!(status, 403, "{path}");
        assert!(body.contains("--base-url"), "{body}");
        let link = "host: localhost\r\nsec-fetch-site: cross-site\r\nsec-fetch-mode: navigate\r\nsec-fetch-dest: document";
        let (status, _, _) = send_head(server.address, &get(path, link)).await;
        assert_ne!(status, 403, "{path}: a link that a person follows");
    }
    server.shutdown.stop.cancel();
}

#[tokio::test]
async fn loopback_sends_cors_headers_to_allowed_origins_only() {
    let server = start_server(options()).await;
    for path in PATHS {
        let (_, head, _) = send_head(server.address, &get(path, "host: localhost")).await;
        assert!(
            !head.contains("access-control-allow-origin"),
            "{path} {head}"
        );
        let policy = "cross-origin-resource-policy: same-site\r\n";
        assert!(
            head.contains(policy) && !head.contains("policy: cross-origin\r"),
            "{path} {head}"
        );
        let page = "host: localhost\r\norigin: http://localhost:3000";
        let (status, head, _) = send_head(server.address, &get(path, page)).await;
        assert_ne!(status, 403, "{path}");
        let named = "access-control-allow-origin: http://localhost:3000\r\n";
        assert!(
            head.contains(named) && head.contains("vary: origin"),
            "{path} {head}"
        );
    }
    let ask = "OPTIONS /api/public/regime HTTP/1.1\r\nhost: localhost\r\naccess-control-request-method: GET\r\norigin: ";
    let (status, head, _) = send_head(server.address, &format!("{ask}http://localhost:3000")).await;
    assert_eq!(status, 200, "{head}");
    assert!(
        head.contains("access-control-allow-origin: http://localhost:3000\r\n"),
        "{head}"
    );
    assert_eq!(
        send_head(server.address, &format!("{ask}{FOREIGN_ORIGIN}"))
            .await
            .0,
        403
    );
    server.shutdown.stop.cancel();
}

#[tokio::test]
async fn requests_with_two_hosts_or_none_are_refused() {
    let server = start_server(options()).await;
    for path in PATHS.into_iter().chain(["/mcp"]) {
        for head in [
            get(path, "host: localhost\r\nhost: localhost"),
            get(path, "host: localhost\r\nhost: evil.example"),
            get(path, "accept: */*"),
            get(path, "host: local host"),
            get(path, "host: a@localhost"),
        ] {
            let (status, _, body) = send_head(server.address, &head).await;
            assert_eq!(status, 400, "{head} {body}");
            let body: Value = serde_json::from_str(&body).unwrap();
            assert!(
                body["error"].is_string() || body["error"]["code"] == -32600,
                "{body}"
            );
        }
        // The address has precedence over the header (RFC 9112, 3.2.2).
        for header in ["host: evil.example", "host: localhost"] {
            let foreign = get(&format!("http://evil.example{path}"), header);
            assert_eq!(
                send_head(server.address, &foreign).await.0,
                403,
                "{path} {header}"
            );
        }
    }
    server.shutdown.stop.cancel();
}

#[tokio::test]
async fn requests_for_the_public_host_are_open() {
    // The base address of these tests is https://macro.example.
    let server = start_server(options()).await;
    let page =
        format!("host: macro.example\r\norigin: {FOREIGN_ORIGIN}\r\nsec-fetch-site: cross-site");
    for path in PATHS {
        let (status, head, body) = send_head(server.address, &get(path, &page)).await;
        assert_ne!(status, 403, "{path} {body}");
        assert!(
            head.contains("access-control-allow-origin: *\r\n"),
            "{path} {head}"
        );
    }
    let named = Options {
        hosts: vec!["macro.lan".into()],
        ..options()
    };
    let named = super::support::start_server(named).await;
    assert_eq!(
        send_head(named.address, &get("/health", "host: macro.lan:80"))
            .await
            .0,
        200
    );
    let page = get(
        "/health",
        &format!("host: macro.lan\r\norigin: {FOREIGN_ORIGIN}"),
    );
    assert_eq!(
        send_head(named.address, &page).await.0,
        403,
        "a name is not an invitation"
    );
    server.shutdown.stop.cancel();
    named.shutdown.stop.cancel();
}

#[tokio::test]
async fn loopback_metrics_refuse_foreign_hosts() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = Shutdown::default();
    let stop = shutdown.stop.clone();
    let site = HttpServer::new(backend(true), options());
    let task = tokio::spawn(async move { site.serve_metrics(listener, shutdown.stop).await });
    let (status, head, _) = send_head(address, &get("/metrics", "host: localhost")).await;
    assert_eq!(status, 200);
    assert!(
        head.contains("cross-origin-resource-policy: same-site"),
        "{head}"
    );
    for (headers, expected) in [
        ("host: evil.example", 403),
        ("host: localhost\r\norigin: https://evil.example", 403),
        ("host: localhost\r\nsec-fetch-site: cross-site", 403),
        ("host: localhost\r\nhost: localhost", 400),
        ("accept: */*", 400),
    ] {
        let (status, _, body) = send_head(address, &get("/metrics", headers)).await;
        assert_eq!(status, expected, "{headers} {body}");
    }
    stop.cancel();
    task.await.unwrap();
}

#[tokio::test]
async fn origins_with_an_allowed_prefix_are_refused() {
    let options = Options {
        origins: vec!["https://app.example.com".into()],
        ..options()
    };
    let router = super::support::router_with(options, true);
    for origin in [
        "https://app.example.com:443.evil.com",
        "https://app.example.com:444",
    ] {
        let call = tool_call("get_regime", &json!({}), &[("origin", origin)]);
        let reply = super::support::send(&router, call).await;
        assert_eq!(reply.status, 403, "{origin}");
        assert_eq!(reply.header("access-control-allow-origin"), "");
        let why = reply.json()["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(why.contains("--allowed-origin"), "{why}");
    }
    let preflight = super::support::request(
        "OPTIONS",
        "/mcp",
        &[
            ("origin", "https://app.example.com:443.evil.com"),
            ("access-control-request-method", "POST"),
        ],
        "",
    );
    assert_eq!(super::support::send(&router, preflight).await.status, 403);
}

#[tokio::test]
async fn a_public_listener_serves_any_origin() {
    let router = router();
    for path in PATHS {
        let headers = [
            ("host", "whatever.example"),
            ("origin", FOREIGN_ORIGIN),
            ("sec-fetch-site", "cross-site"),
        ];
        let reply = super::support::get_with(&router, path, &headers).await;
        assert_ne!(reply.status, 403, "{path}");
        assert_eq!(reply.header("access-control-allow-origin"), "*", "{path}");
    }
}

#[tokio::test]
async fn a_server_of_its_own_machine_refuses_what_a_proxy_passes_on() {
    let own = backend_with(Settings::default(), Desk::system_clock());
    let public = backend(true);
    let call = |headers: &[(&str, &str)]| tool_call("get_regime", &json!({}), headers);
    let page =
        |headers: &[(&str, &str)]| super::support::request("GET", "/series/UNRATE", headers, "");
    for (backend, proxied) in [(own, 403), (public, 200)] {
        let router = unlimited_router_over(backend);
        for name in [
            "x-forwarded-for",
            "forwarded",
            "via",
            "x-real-ip",
            "true-client-ip",
            "cf-connecting-ip",
        ] {
            let headers = [(name, "203.0.113.9")];
            for request in [page(&headers), call(&headers)] {
                let reply = super::support::send(&router, request).await;
                assert_eq!(reply.status, proxied, "{name}");
                let text = reply.text();
                let names_settings =
                    text.contains("--base-url") && text.contains("--trusted-proxy");
                assert_eq!(names_settings, proxied == 403, "{text}");
            }
        }
        for request in [page(&[]), call(&[])] {
            assert_eq!(super::support::send(&router, request).await.status, 200);
        }
        let mut old = page(&[]);
        *old.version_mut() = axum::http::Version::HTTP_10;
        assert_eq!(super::support::send(&router, old).await.status, proxied);
        let probe = super::support::request("GET", "/ready", &[("via", "1.0 proxy")], "");
        assert_eq!(super::support::send(&router, probe).await.status, 200);
    }
}
