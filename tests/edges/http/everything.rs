//! Tests of every address: HEAD, 304, compression and the sitemap.

use super::support::{
    BASE, Reply, backend_at, get_with, request, send, tool_call, unlimited_router,
    unlimited_router_over,
};
use axum::http::StatusCode;
use econoscope_answers::ENDPOINTS;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Arc;

/// The generated list of addresses, with a sample of each.
#[derive(Deserialize)]
struct Addresses {
    endpoints: Vec<String>,
    documents: Vec<String>,
    pages: Vec<Page>,
}

#[derive(Deserialize)]
struct Page {
    path: String,
    sample: String,
    listing: String,
}

impl Addresses {
    fn read() -> Self {
        serde_json::from_str(include_str!("../../addresses.json")).unwrap()
    }
}

/// Returns a sample of every endpoint, document and page, and the other formats of two of them.
pub(super) fn addresses() -> Vec<String> {
    let Addresses {
        endpoints,
        documents,
        pages,
    } = Addresses::read();
    let samples = pages.iter().map(|page| page.sample.replace("{base}", BASE));
    let formats = [
        "/chart/DGS10.svg",
        "/api/public/data/UNRATE?start=max&format=csv",
    ];
    [endpoints, documents]
        .concat()
        .into_iter()
        .chain(samples)
        .chain(formats.map(str::to_owned))
        .collect()
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
        for path in addresses().into_iter().chain(far.map(str::to_owned)) {
            let status = get_with(&router, &path, &[]).await.status;
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
    for path in &addresses() {
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
    for path in &addresses() {
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
    for path in &addresses() {
        let whole = get_with(&router, path, &[]).await;
        let mut tags = BTreeSet::from([whole.header("etag").to_owned()]);
        for encoding in ["gzip", "zstd"] {
            let reply = get_with(&router, path, &[("accept-encoding", encoding)]).await;
            assert_eq!(uncompressed(&reply), whole.body, "{path} {encoding}");
            let is_bitmap = ["image/png", "image/x-icon"].contains(&whole.header("content-type"));
            let packed = is_bitmap || whole.body.len() < 1_024;
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
    let Addresses {
        documents, pages, ..
    } = Addresses::read();
    let home = get_with(&router, "/", &[]).await;
    for page in &pages {
        let Page {
            path,
            sample,
            listing,
        } = page;
        let address = if listing == "items" { sample } else { path };
        let is_listed = unique.contains(address.as_str());
        assert_eq!(is_listed, listing != "unlisted", "{path} in the sitemap");
        let link = format!("<a href=\"{path}\"");
        if listing == "navigation" {
            assert!(home.text().contains(&link), "{path} in the navigation");
        }
    }
    let listed_documents: Vec<&String> = documents
        .iter()
        .filter(|path| unique.contains(path.as_str()))
        .collect();
    let expected = ["/.well-known/openapi.yaml", "/llms.txt", "/llms-full.txt"];
    assert_eq!(listed_documents, expected);
    for route in ENDPOINTS.iter() {
        let path = route.spec.path;
        assert_eq!(unique.contains(path), route.spec.in_sitemap, "{path}");
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
        let is_item = path.starts_with("/series/") || path.starts_with("/glossary/");
        if !is_item || n % 7 == 0 {
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
