//! Tests of the discovery documents: type, address, CORS and validators.

use super::support::{BASE, get, get_with, router};
use axum::http::StatusCode;

#[tokio::test]
async fn discovery_documents_name_the_base_url_and_have_validators() {
    let router = router();
    for (path, kind) in [
        ("/mcp/server-card", "application/mcp-server-card+json"),
        (
            "/.well-known/ai-catalog.json",
            "application/ai-catalog+json",
        ),
        ("/.well-known/mcp.json", "application/json"),
        ("/.well-known/mcp/server-card.json", "application/json"),
        ("/.well-known/mcp-server-card.json", "application/json"),
        ("/.well-known/openapi.yaml", "application/yaml"),
        ("/llms.txt", "text/plain; charset=utf-8"),
        ("/llms-full.txt", "text/plain; charset=utf-8"),
        ("/robots.txt", "text/plain; charset=utf-8"),
        ("/sitemap.xml", "application/xml"),
    ] {
        let reply = get_with(&router, path, &[("origin", "https://page.example")]).await;
        assert_eq!(reply.status, StatusCode::OK, "{path}");
        assert_eq!(reply.header("content-type"), kind, "{path}");
        assert!(reply.text().contains(BASE), "{path}");
        assert_eq!(reply.header("cache-control"), "public, max-age=3600");
        assert_eq!(reply.header("access-control-allow-origin"), "*");
        assert!(
            reply
                .header("access-control-expose-headers")
                .to_ascii_lowercase()
                .contains("etag")
        );
        let again = get_with(&router, path, &[("if-none-match", reply.header("etag"))]).await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{path}");
    }
}

#[tokio::test]
async fn the_server_card_is_linked_and_links_to_mcp() {
    let router = router();
    let catalog = get(&router, "/.well-known/ai-catalog.json").await.json();
    let card = catalog["entries"][0]["url"]
        .as_str()
        .unwrap()
        .strip_prefix(BASE)
        .unwrap()
        .to_owned();
    let card = get(&router, &card).await.json();
    assert_eq!(card["remotes"][0]["url"], format!("{BASE}/mcp"));
    for alias in [
        "/.well-known/mcp.json",
        "/.well-known/mcp/server-card.json",
        "/.well-known/mcp-server-card.json",
    ] {
        assert_eq!(get(&router, alias).await.json(), card);
    }
    assert!(card.get("tools").is_none(), "cards list no tools");
}

/// The structure of llms.txt by its reference parser: title, quote, prose before the first section, then only links.
#[tokio::test]
async fn all_links_of_llms_txt_resolve() {
    let router = router();
    let text = get(&router, "/llms.txt").await.text().to_owned();
    let (_, sections) = text.split_once("\n## ").unwrap();
    let mut links = 0;
    for section in sections.split("\n## ") {
        let (_, lines) = section.split_once("\n").unwrap();
        for line in lines.lines().filter(|line| !line.is_empty()) {
            let link = line
                .strip_prefix("- [")
                .and_then(|l| l.split_once("](")?.1.split_once("): "));
            let (url, _) = link.unwrap_or_else(|| panic!("no link with a note: {line}"));
            let path = url.strip_prefix(BASE).unwrap();
            let reply = get(&router, if path.is_empty() { "/" } else { path }).await;
            assert_eq!(reply.status, StatusCode::OK, "{url}");
            links += 1;
        }
    }
    assert!(links > 18, "{links}");
}
