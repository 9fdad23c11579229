//! Tests of every address: HEAD, 304, compression and the sitemap.

use super::support::{
    BASE, Reply, backend_at, get_with, request, send, tool_call, unlimited_router,
    unlimited_router_over,
};
use axum::http::StatusCode;
use econoscope_answers::ENDPOINTS;
use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Arc;

/// One address per endpoint, in table order.
pub(super) const ENDPOINT_PATHS: &[&str] = &[
    "/api/public/macro-summary",
    "/api/public/regime",
    "/api/public/metrics/DGS10",
    "/api/public/signals",
    "/api/public/data/UNRATE?start=2000-01-01",
    "/api/public/compare?series=DGS10,DGS2&start=2020-01-01",
    "/api/public/series/search?query=unemployment",
    "/api/public/scenarios",
    "/api/public/glossary/search?q=spread",
    "/api/public/content/latest",
    "/api/public/search?query=yield%20curve",
    "/api/public/fetch?id=term:yield-curve",
    "/api/public/explain/CRPI",
    "/api/public/what-changed?since=1y",
    "/api/public/revisions/PAYEMS?date=2008-12",
    "/api/public/calendar?series=cpi",
];

pub(super) const PAGES: [&str; 28] = [
    "/",
    "/series",
    "/series/UNRATE",
    "/scenarios",
    "/scenarios/sahm-trigger",
    "/calendar",
    "/calendar.ics",
    "/methods",
    "/rights",
    "/glossary",
    "/glossary/yield-curve",
    "/articles",
    "/articles/regime",
    "/widget/regime",
    "/widget/recession",
    "/widget/metric/DGS10",
    "/chart/DGS10.png",
    "/chart/regime.png",
    "/chart/DGS10.svg",
    "/llms.txt",
    "/llms-full.txt",
    "/robots.txt",
    "/sitemap.xml",
    "/.well-known/openapi.yaml",
    "/.well-known/mcp.json",
    "/.well-known/ai-catalog.json",
    "/mcp/server-card",
    "/api/public/data/UNRATE?start=max&format=csv",
];

fn addresses() -> impl Iterator<Item = &'static str> {
    ENDPOINT_PATHS.iter().copied().chain(PAGES)
}

#[test]
fn the_address_list_covers_every_endpoint() {
    assert_eq!(ENDPOINT_PATHS.len(), ENDPOINTS.len());
    for (path, route) in ENDPOINT_PATHS.iter().zip(ENDPOINTS.iter()) {
        let fixed = route.spec.path.split('{').next().unwrap();
        assert!(
            path.starts_with(fixed),
            "{path} is not of {}",
            route.spec.tool
        );
    }
}

/// Clocks far too early and far too late, up to the limits of `clock::wall`.
const WRONG_CLOCKS: [&str; 6] = [
    "0001-01-01T00:00:00Z",
    "1899-12-31T23:59:59Z",
    "1960-01-01T00:00:00Z",
    "1970-01-01T00:00:00Z",
    "9899-12-31T23:59:59Z",
    "9900-01-01T00:00:00Z",
];

#[tokio::test]
async fn every_address_answers_with_a_wrong_clock() {
    for shown in WRONG_CLOCKS {
        let now: jiff::Timestamp = shown.parse().unwrap();
        let router = unlimited_router_over(backend_at(Arc::new(move || now), true));
        let far = [
            "/api/public/data/UNRATE?start=100y",
            "/api/public/what-changed?since=50y",
            "/ready",
        ];
        for path in addresses().chain(far) {
            let status = get_with(&router, path, &[]).await.status;
            assert!(!status.is_server_error(), "{shown} {path}: {status}");
        }
        for route in ENDPOINTS.iter() {
            let example = route.spec.example.iter();
            let arguments = example.map(|(name, value)| ((*name).to_owned(), (*value).into()));
            let call = tool_call(
                route.spec.tool,
                &serde_json::Value::Object(arguments.collect()),
                &[],
            );
            let reply = send(&router, call).await;
            assert_eq!(reply.status, StatusCode::OK, "{shown} {}", route.spec.tool);
            assert!(
                !reply.text().contains("Internal error"),
                "{shown} {}",
                reply.text()
            );
        }
    }
}

#[tokio::test]
async fn head_matches_get_on_every_address() {
    let router = unlimited_router();
    for path in addresses() {
        let full = get_with(&router, path, &[]).await;
        assert_eq!(full.status, StatusCode::OK, "{path}");
        let head = send(&router, request("HEAD", path, &[], "")).await;
        assert_eq!(head.status, StatusCode::OK, "{path}");
        assert!(head.body.is_empty(), "{path}");
        let length = full.body.len().to_string();
        assert_eq!(head.header("content-length"), length, "{path}");
        for name in ["etag", "content-type", "cache-control"] {
            assert_eq!(head.header(name), full.header(name), "{path} {name}");
        }
    }
}

#[tokio::test]
async fn conditional_requests_get_304_on_every_address() {
    let router = unlimited_router();
    for path in addresses() {
        let full = get_with(&router, path, &[]).await;
        let tag = full.header("etag").to_owned();
        assert!(tag.starts_with('"') && tag.len() > 8, "{path}: {tag}");
        let many = format!("\"other\", W/{tag}");
        for known in [tag.as_str(), "*", &many] {
            let reply = get_with(&router, path, &[("if-none-match", known)]).await;
            assert_eq!(reply.status, StatusCode::NOT_MODIFIED, "{path} {known}");
            assert!(reply.body.is_empty(), "{path}");
            assert_eq!(reply.header("etag"), tag, "{path}");
            assert_eq!(reply.header("cache-control"), full.header("cache-control"));
        }
        let other = get_with(&router, path, &[("if-none-match", "\"other\"")]).await;
        assert_eq!(other.status, StatusCode::OK, "{path}");
    }
}

fn uncompressed(reply: &Reply) -> Vec<u8> {
    let mut out = Vec::new();
    let body = reply.body.as_slice();
    match reply.header("content-encoding") {
        "gzip" => flate2::read::GzDecoder::new(body).read_to_end(&mut out),
        "zstd" => zstd::Decoder::new(body).unwrap().read_to_end(&mut out),
        _ => return body.to_vec(),
    }
    .unwrap();
    out
}

#[tokio::test]
async fn large_bodies_are_offered_as_gzip_and_zstd() {
    let router = unlimited_router();
    let mut compressed = 0;
    for path in addresses() {
        let whole = get_with(&router, path, &[]).await;
        let mut tags = BTreeSet::from([whole.header("etag").to_owned()]);
        for encoding in ["gzip", "zstd"] {
            let reply = get_with(&router, path, &[("accept-encoding", encoding)]).await;
            assert_eq!(uncompressed(&reply), whole.body, "{path} {encoding}");
            let packed = path.ends_with(".png") || whole.body.len() < 1_024;
            let used = reply.header("content-encoding");
            assert_eq!(used, if packed { "" } else { encoding }, "{path}");
            if !packed {
                compressed += 1;
                assert!(reply.body.len() < whole.body.len(), "{path} {encoding}");
                assert!(
                    reply
                        .header("vary")
                        .to_ascii_lowercase()
                        .contains("accept-encoding")
                );
                assert!(
                    tags.insert(reply.header("etag").to_owned()),
                    "{path}: one tag, two forms"
                );
                let length = reply.body.len().to_string();
                assert_eq!(reply.header("content-length"), length, "{path}");
            }
        }
    }
    assert!(compressed > 50, "{compressed} forms");
}

#[tokio::test]
async fn the_sitemap_lists_every_page_once() {
    let router = unlimited_router();
    let map = get_with(&router, "/sitemap.xml", &[]).await;
    let listed: Vec<&str> = map
        .text()
        .split("<loc>")
        .skip(1)
        .map(|part| {
            part.split("</loc>")
                .next()
                .unwrap()
                .strip_prefix(BASE)
                .unwrap()
        })
        .collect();
    let unique: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(unique.len(), listed.len(), "named twice");
    for path in PAGES {
        let file = path.starts_with("/chart") || path.starts_with("/widget/metric");
        let machine = path.contains("well-known/mcp")
            || path.contains("ai-catalog")
            || path.contains("server-card");
        let page = !file && !machine && !path.contains('?');
        let itself = ["/sitemap.xml", "/robots.txt"].contains(&path);
        assert_eq!(unique.contains(path), page && !itself, "{path}");
    }
    for (folder, least) in [
        ("/series/", 400),
        ("/glossary/", 500),
        ("/scenarios/", 20),
        ("/articles/", 8),
    ] {
        let count = listed.iter().filter(|p| p.starts_with(folder)).count();
        assert!(count >= least, "{folder}: {count}");
    }
    for (n, path) in listed.iter().enumerate() {
        // Hundreds of series and terms are alike, so every seventh is checked.
        if n < 40 || n % 7 == 0 {
            let reply = get_with(&router, path, &[]).await;
            assert_eq!(reply.status, StatusCode::OK, "{path}");
        }
    }
}

#[tokio::test]
async fn llms_full_txt_covers_every_tool_term_and_scenario() {
    let reply = get_with(&unlimited_router(), "/llms-full.txt", &[]).await;
    let text = reply.text();
    for route in ENDPOINTS.iter() {
        assert!(text.contains(route.spec.tool), "{}", route.spec.tool);
        assert!(text.contains(route.spec.path), "{}", route.spec.path);
    }
    for word in [
        "100 requests a day",
        "/mcp",
        "as_of",
        "DGS10",
        "CSV",
        "Sahm rule",
    ] {
        assert!(text.contains(word), "{word}");
    }
}
