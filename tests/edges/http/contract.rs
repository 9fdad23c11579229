//! Tests of the REST contract: paths, parameters, errors, methods, CORS and caching headers.

use super::support::{get, get_with, request, router, send};
use axum::http::StatusCode;

const PATHS: [(&str, u32); 8] = [
    ("/api/public/regime", 300),
    ("/api/public/metrics/dgs10", 300),
    ("/api/public/signals", 300),
    ("/api/public/macro-summary", 300),
    ("/api/public/scenarios", 300),
    ("/api/public/glossary/search?q=sahm", 3600),
    ("/api/public/content/latest", 300),
    ("/api/public/data/UNRATE?start=2015-01-01", 1800),
];

#[tokio::test]
async fn every_endpoint_returns_cacheable_json_for_any_origin() {
    let router = router();
    for (path, max_age) in PATHS {
        let reply = get_with(&router, path, &[("origin", "https://page.example")]).await;
        assert_eq!(reply.status, StatusCode::OK, "{path}: {}", reply.text());
        assert!(reply.json().is_object());
        assert_eq!(reply.header("content-type"), "application/json", "{path}");
        assert_eq!(
            reply.header("cache-control"),
            format!("public, max-age={max_age}"),
            "{path}"
        );
        assert_eq!(reply.header("access-control-allow-origin"), "*");
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert!(
            reply
                .header("content-security-policy")
                .contains("frame-ancestors 'none'")
        );
        assert!(!reply.header("x-request-id").is_empty());
        assert!(reply.header("etag").starts_with('"'), "strong");
    }
}

#[tokio::test]
async fn csv_downloads_have_a_safe_file_name() {
    let router = router();
    let reply = get(
        &router,
        "/api/public/data/unrate?start=2020-01-01&end=2020-12-31&format=csv",
    )
    .await;
    assert_eq!(reply.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(
        reply.header("content-disposition"),
        "attachment; filename=\"UNRATE.csv\""
    );
    let lines: Vec<&str> = reply.text().lines().collect();
    assert_eq!(lines[0], "observation_date,UNRATE");
    assert_eq!(lines.len(), 13);
    assert_eq!(lines[4], "2020-04-01,14.8");
    let json = get(
        &router,
        "/api/public/data/unrate?start=2020-01-01&end=2020-12-31",
    )
    .await
    .json();
    let data = json["data"].as_array().unwrap();
    assert_eq!((lines.len() - 1, data.len()), (12, 12));
    for (line, row) in lines[1..].iter().zip(data) {
        let (date, value) = line.split_once(',').unwrap();
        assert_eq!(row["date"], date);
        assert_eq!(
            row["value"].as_f64().unwrap(),
            value.parse::<f64>().unwrap()
        );
    }
}

#[tokio::test]
async fn csv_cells_cannot_be_spreadsheet_formulas() {
    let router = router();
    for id in ["T10Y2Y", "NFCI", "SERVICE_CRPI", "DGS10"] {
        let path = format!("/api/public/data/{id}?start=max&format=csv");
        let reply = get(&router, &path).await;
        for (number, line) in reply.text().lines().enumerate() {
            for cell in line.split(',') {
                let is_number = cell.parse::<f64>().is_ok();
                assert!(
                    is_number || !cell.starts_with(['=', '+', '-', '@', '\t', '\r']),
                    "{id} line {number}: {cell}"
                );
            }
        }
    }
}

#[tokio::test]
async fn rows_are_capped_at_5000_and_the_cut_is_reported() {
    let reply = get(&router(), "/api/public/data/DGS10?start=max")
        .await
        .json();
    assert_eq!(reply["rowCount"], 5_000);
    assert_eq!(reply["truncated"], true);
    assert_eq!(reply["data"].as_array().unwrap().len(), 5_000);
    // A CSV file has every row, like the chart.
    let csv = get(&router(), "/api/public/data/DGS10?start=max&format=csv").await;
    let rows = csv.text().lines().count() - 1;
    assert!(rows > 10_000, "{rows}");
    assert!(
        csv.text().contains("\n1962-01-02,"),
        "not from the first day on"
    );
    assert!(!csv.header("warning").contains("5,000"));
}

#[tokio::test]
async fn errors_name_the_problem_and_the_valid_values() {
    let router = router();
    for (path, status, words) in [
        ("/api/public/glossary/search", 400, "q is required"),
        ("/api/public/scenarios?status=dead", 400, "active"),
        ("/api/public/scenarios?limit=101", 400, "too large"),
        ("/api/public/scenarios?limit=1&limit=2", 400, "given twice"),
        ("/api/public/data/DGS10?start=2026-02-30", 400, "start"),
        (
            "/api/public/data/DGS10?start=2020-01-02&end=2020-01-01",
            400,
            "after end",
        ),
        ("/api/public/data/DGS10?seriesId=DGS2", 400, "given twice"),
        ("/api/public/data/NOSUCHSERIES", 404, "No series"),
        ("/api/public/metrics/NOSUCH", 404, "No series"),
        ("/api/public/metrics/%ff%fe", 400, "UTF-8"),
        ("/api/public/glossary/search?q=%ff", 400, "UTF-8"),
        ("/nowhere", 404, "No such path"),
        ("/api/public/", 404, "No such path"),
    ] {
        let reply = get(&router, path).await;
        assert_eq!(reply.status.as_u16(), status, "{path}: {}", reply.text());
        let body = reply.json();
        let message = body["error"].as_str().unwrap();
        assert!(message.contains(words), "{path}: {message}");
        assert!(body["code"].is_string(), "{path}");
        assert_eq!(reply.header("content-type"), "application/json");
        assert_eq!(reply.header("access-control-allow-origin"), "*");
        if path.starts_with("/api/public/metrics/NO") {
            assert_eq!(body["ticker"], "NOSUCH");
        }
    }
}

#[tokio::test]
async fn unknown_and_escaping_paths_are_not_found() {
    let router = router();
    for id in [
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e",
        "%2e%2e%2f%2e%2e",
        "..%5c..%5cx",
        "%2f%2fevil.example",
        "@evil.example",
        "DGS10%0d%0aSet-Cookie:%20a=b",
        "DGS10%00",
        "%E2%80%A6%E2%80%A6",
        "a%2fb",
    ] {
        for path in ["/api/public/data/", "/api/public/metrics/"] {
            let reply = get(&router, &format!("{path}{id}")).await;
            assert!(
                matches!(reply.status.as_u16(), 400 | 404),
                "{id}: {}",
                reply.status
            );
            assert!(reply.json()["error"].is_string(), "{id}");
            assert!(reply.headers.get("set-cookie").is_none());
        }
    }
}

#[tokio::test]
async fn other_methods_get_405_with_allow() {
    let router = router();
    for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE"] {
        for path in [
            "/api/public/regime",
            "/api/public/data/DGS10",
            "/health",
            "/llms.txt",
        ] {
            let reply = send(&router, request(method, path, &[], "")).await;
            assert_eq!(
                reply.status,
                StatusCode::METHOD_NOT_ALLOWED,
                "{method} {path}"
            );
            assert_eq!(reply.header("allow"), "GET,HEAD", "{method} {path}");
            assert_eq!(reply.json()["code"], "method_not_allowed");
        }
    }
}

#[tokio::test]
async fn preflights_are_open_except_on_mcp() {
    let router = router();
    let preflight = |path: &'static str, origin: &'static str| {
        let headers = [
            ("origin", origin),
            ("access-control-request-method", "POST"),
            (
                "access-control-request-headers",
                "content-type, authorization, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, \
                 last-event-id, mcp-param-ticker",
            ),
            ("host", "localhost"),
        ];
        request("OPTIONS", path, &headers, "")
    };
    for path in [
        "/api/public/regime",
        "/api/public/data/DGS10",
        "/llms.txt",
        "/mcp/server-card",
        "/nowhere",
    ] {
        let reply = send(&router, preflight(path, "https://page.example")).await;
        assert!(reply.status.is_success(), "{path}");
        assert_eq!(reply.header("access-control-allow-origin"), "*");
        assert!(reply.header("access-control-allow-methods").contains("GET"));
    }
    let reply = send(&router, preflight("/mcp", "http://localhost:3000")).await;
    assert_eq!(reply.status, StatusCode::NO_CONTENT);
    assert_eq!(
        reply.header("access-control-allow-origin"),
        "http://localhost:3000"
    );
    for name in [
        "content-type",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "mcp-session-id",
        "mcp-param-ticker",
        "last-event-id",
        "authorization",
    ] {
        assert!(
            reply.header("access-control-allow-headers").contains(name),
            "{name}"
        );
    }
    for name in [
        "mcp-session-id",
        "retry-after",
        "ratelimit",
        "ratelimit-policy",
    ] {
        assert!(
            reply.header("access-control-expose-headers").contains(name),
            "{name}"
        );
    }
    for origin in [
        "https://evil.example",
        "null",
        "http://localhost.evil.example",
    ] {
        let reply = send(&router, preflight("/mcp", origin)).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{origin}");
        assert!(reply.headers.get("access-control-allow-origin").is_none());
    }
}

#[tokio::test]
async fn health_and_readiness_are_not_cached() {
    let router = router();
    let alive = get(&router, "/health").await;
    assert_eq!(alive.json()["status"], "ok");
    let ready = get(&router, "/ready").await;
    assert_eq!(
        (ready.status, ready.json()["status"].as_str()),
        (StatusCode::OK, Some("ok"))
    );
    assert!(ready.json()["series"].as_u64().unwrap() > 10);
    assert_eq!(ready.header("cache-control"), "no-store");
}

#[tokio::test]
async fn a_long_url_is_refused() {
    let path = format!("/api/public/glossary/search?q={}", "a".repeat(9_000));
    let reply = get(&router(), &path).await;
    assert_eq!(reply.status, StatusCode::URI_TOO_LONG);
    assert!(reply.json()["error"].is_string());
}

#[tokio::test]
async fn the_clients_request_id_is_echoed() {
    let reply = get_with(&router(), "/health", &[("x-request-id", "abc-123")]).await;
    assert_eq!(reply.header("x-request-id"), "abc-123");
}
