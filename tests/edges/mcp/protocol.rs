//! Tests of both lifecycles: capabilities, signatures and cache times.

use super::client::Client;
use super::server;
use serde_json::{Value, json};

const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

const LISTS: [&str; 5] = [
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "skills/list",
];

#[tokio::test]
async fn older_versions_get_only_supported_capabilities() {
    for version in VERSIONS {
        let (mut client, answer) = Client::legacy(server(), version).await;
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], version);
        let instructions = result["instructions"].as_str().unwrap();
        assert!(
            instructions.chars().count() <= 2_048,
            "{}",
            instructions.chars().count()
        );
        let offered = &result["capabilities"];
        assert_eq!(offered["resources"], json!({}), "{offered}");
        assert_eq!(offered["tools"], json!({}));
        assert_eq!(offered["prompts"], json!({}));
        let list = client.request("tools/list", json!({})).await;
        assert!(list["result"]["tools"].as_array().unwrap().len() >= 8);
        assert!(list["result"].get("resultType").is_none());
        assert!(list["result"].get("_meta").is_none());
        assert_eq!(client.request("ping", json!({})).await["result"], json!({}));
    }
}

#[tokio::test]
async fn an_unknown_version_negotiates_the_newest_handshake_version() {
    let (_, answer) = Client::legacy(server(), "1999-01-01").await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn every_modern_result_is_signed() {
    let mut client = Client::open(server());
    let mut calls: Vec<(&str, Value)> = LISTS.iter().map(|l| (*l, json!({}))).collect();
    calls.extend([
        ("server/discover", json!({})),
        (
            "tools/call",
            json!({ "name": "get_regime", "arguments": {} }),
        ),
        (
            "tools/call",
            json!({ "name": "get_metric", "arguments": { "ticker": "DGS1O" } }),
        ),
        ("resources/read", json!({ "uri": "macro://catalog" })),
        ("prompts/get", json!({ "name": "morning_brief" })),
        (
            "skills/get",
            json!({ "uri": "skill://us-macro-data/SKILL.md" }),
        ),
        (
            "resources/directory/read",
            json!({ "uri": "skill://us-macro-data" }),
        ),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/resource", "uri": "macro://metric/{ticker}" },
                    "argument": { "name": "ticker", "value": "DGS" } }),
        ),
    ]);
    for (method, params) in calls {
        let result = client.result(method, params).await;
        let name = &result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
        assert_eq!(name, "econoscope", "{method}: {result}");
        assert_eq!(result["resultType"], "complete", "{method}");
    }
}

#[tokio::test]
async fn discovery_reports_versions_and_capabilities() {
    let mut client = Client::open(server());
    let discovery = client.result("server/discover", json!({})).await;
    assert_eq!(discovery["supportedVersions"].as_array().unwrap().len(), 5);
    assert_eq!(discovery["capabilities"]["resources"]["subscribe"], true);
    let extensions = &discovery["capabilities"]["extensions"];
    assert_eq!(
        extensions["io.modelcontextprotocol/skills"]["directoryRead"],
        true
    );
    let types = &extensions["io.modelcontextprotocol/ui"]["mimeTypes"];
    assert_eq!(types, &json!(["text/html;profile=mcp-app"]));
    assert!(discovery["instructions"].as_str().unwrap().len() <= 2_048);
    assert!(discovery["ttlMs"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn lists_are_cacheable_and_unknown_cursors_refused() {
    let mut client = Client::open(server());
    for list in LISTS {
        let result = client.result(list, json!({})).await;
        assert_eq!(result["ttlMs"], 3_600_000, "{list}");
        assert_eq!(result["cacheScope"], "public", "{list}");
        assert!(result.get("nextCursor").is_none(), "{list}");
        let refused = client
            .modern(list, json!({ "cursor": "bm90IG91cnM=" }))
            .await;
        assert_eq!(refused["error"]["code"], -32_602, "{list}: {refused}");
    }
}

#[tokio::test]
async fn lists_are_identical_over_a_hundred_requests() {
    for list in LISTS {
        let mut first: Option<String> = None;
        for round in 0..100 {
            let mut client = Client::open(server_for(round % 10 == 0));
            let text = client.result(list, json!({})).await.to_string();
            assert_eq!(first.get_or_insert_with(|| text.clone()), &text, "{list}");
        }
    }
}

/// Returns a shared server, or a fresh one, so that the order cannot come from one instance.
fn server_for(fresh: bool) -> econoscope::mcp::Server {
    use std::sync::OnceLock;
    static SHARED: OnceLock<econoscope::mcp::Server> = OnceLock::new();
    if fresh {
        server()
    } else {
        SHARED.get_or_init(server).clone()
    }
}

#[tokio::test]
async fn tool_errors_are_results_and_protocol_errors_are_not() {
    let mut client = Client::open(server());
    let bad = client
        .result(
            "tools/call",
            json!({ "name": "get_metric", "arguments": { "ticker": "DGS1O" } }),
        )
        .await;
    assert_eq!(bad["isError"], true);
    let facts = &bad["_meta"]["econoscope/error"];
    assert_eq!(facts["code"], "unknown_name");
    assert_eq!(facts["suggestions"][0], "DGS10", "{facts}");
    for arguments in [
        json!({}),
        json!({ "ticker": "DGS10", "months": 99 }),
        json!({ "ticker": "x".repeat(500) }),
    ] {
        let call = json!({ "name": "get_metric", "arguments": arguments });
        assert_eq!(client.result("tools/call", call).await["isError"], true);
    }
    let unknown = client
        .modern("tools/call", json!({ "name": "drop_tables" }))
        .await;
    assert_eq!(unknown["error"]["code"], -32_602);
    let unknown = client.modern("no/such/method", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32_601);
}

#[tokio::test]
async fn search_and_fetch_can_be_unlisted() {
    for (search_tools, expected) in [(true, [true, true, true]), (false, [false, false, true])] {
        let server = server().with_search_tools(search_tools);
        let (mut client, _) = Client::legacy(server, "2025-06-18").await;
        let list = client.request("tools/list", json!({})).await;
        let tools = list["result"]["tools"].as_array().unwrap();
        let has = |name: &str| tools.iter().any(|tool| tool["name"] == name);
        assert_eq!(["search", "fetch", "get_metric"].map(has), expected);
    }
}
