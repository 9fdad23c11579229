//! Tests of the size of answers, in tokens of a common encoding.

use super::client::Client;
use super::server;
use crate::home::backends;
use econoscope::mcp::Server;
use econoscope_answers::ENDPOINTS;
use serde_json::{Value, json};

/// Maximum tokens of the text of a call with its defaults, and of any call.
const MAX_DEFAULT_TOKENS: usize = 2_000;
const MAX_TOKENS: usize = 10_000;

fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}

#[tokio::test]
async fn default_answers_have_at_most_2000_tokens() {
    for (name, backend) in backends() {
        let mut client = Client::open(Server::new(backend));
        for route in ENDPOINTS.iter() {
            let arguments: serde_json::Map<String, Value> = route
                .spec
                .example
                .iter()
                .map(|(k, v)| ((*k).to_owned(), json!(v)))
                .collect();
            let call = json!({ "name": route.spec.tool, "arguments": arguments });
            let result = client.result("tools/call", call).await;
            let text = result["content"][0]["text"].as_str().unwrap();
            let cost = tokens(text);
            println!("{name} {}: {cost} tokens", route.spec.tool);
            assert!(
                cost <= MAX_DEFAULT_TOKENS,
                "{name}: {}: {cost}",
                route.spec.tool
            );
        }
    }
}

#[tokio::test]
async fn answers_have_at_most_10000_tokens() {
    for (name, backend) in backends() {
        let mut client = Client::open(Server::new(backend));
        for (tool, arguments) in [
            (
                "get_time_series",
                json!({ "seriesId": "DGS10", "start": "max" }),
            ),
            (
                "get_time_series",
                json!({ "seriesId": "DGS10", "start": "max", "format": "csv" }),
            ),
            (
                "get_time_series",
                json!({ "seriesId": "UNRATE", "start": "max", "format": "csv" }),
            ),
            ("search_glossary", json!({ "q": "rate", "limit": 50 })),
            ("list_scenarios", json!({ "limit": 50 })),
            ("fetch", json!({ "id": "article:regime" })),
            ("get_metric", json!({ "ticker": "x".repeat(80) })),
        ] {
            let call = json!({ "name": tool, "arguments": arguments });
            let result = client.result("tools/call", call).await;
            let text = result["content"][0]["text"].as_str().unwrap();
            let cost = tokens(text);
            println!("{name} {tool} {arguments}: {cost} tokens");
            assert!(cost <= MAX_TOKENS, "{name}: {tool} {arguments}: {cost}");
            if result["isError"] == true {
                assert!(text.chars().count() <= 1_000, "{tool}: {text}");
            }
        }
    }
}

/// Bytes that a tool may take in the list on average, and without the schema of its output, which hosts do not show to
/// models.
const BYTES_PER_TOOL: usize = 4_750;
const SHOWN_BYTES_PER_TOOL: usize = 1_160;

#[tokio::test]
async fn the_tool_list_is_within_its_budget() {
    let mut client = Client::open(server());
    let list = client.result("tools/list", json!({})).await;
    let tools = list["tools"].as_array().unwrap();
    let mut shown_tools = tools.clone();
    for tool in &mut shown_tools {
        tool.as_object_mut().unwrap().remove("outputSchema");
    }
    for (what, tools, budget) in [
        ("with output schemas", tools, BYTES_PER_TOOL),
        ("as models see it", &shown_tools, SHOWN_BYTES_PER_TOOL),
    ] {
        let mut sizes: Vec<(usize, &Value)> = tools
            .iter()
            .map(|tool| (tool.to_string().len(), &tool["name"]))
            .collect();
        sizes.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
        let total: usize = sizes.iter().map(|(bytes, _)| bytes).sum();
        println!("{what}: {total} bytes: {sizes:?}");
        let allowed = budget * tools.len();
        assert!(
            total <= allowed,
            "{what}: {total} bytes of {allowed}; shorten one of {sizes:?}"
        );
    }
}

#[tokio::test]
async fn argument_descriptions_are_brief_and_defaults_declared() {
    let mut client = Client::open(server());
    let list = client.result("tools/list", json!({})).await;
    for tool in list["tools"].as_array().unwrap() {
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        for (name, property) in properties {
            let name = format!("{}.{name}", tool["name"]);
            let about = property["description"].as_str().unwrap();
            assert!(about.chars().count() <= 200, "{name}: {about}");
            let words = about.to_lowercase();
            // The value that replaces an omitted argument is declared as its default, or described in other words.
            assert!(
                !words.contains("default") || property.get("default").is_some(),
                "{name}: {about}"
            );
        }
    }
}
