//! Tests of the tokens of a call: hosts pass the structure, the text, or both.

use super::client::Client;
use super::server;
use serde_json::{Value, json};

/// Typical calls of assistants, one or two per tool.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("get_macro_summary", json!({})),
        ("get_macro_summary", json!({ "as_of": "2020-03" })),
        ("get_regime", json!({})),
        ("get_regime", json!({ "as_of": "2008-12" })),
        ("get_regime", json!({ "start": "2020-01" })),
        ("get_metric", json!({ "ticker": "DGS10" })),
        ("get_metric", json!({ "ticker": "CRPI" })),
        ("get_metric", json!({ "ticker": "unemployment" })),
        ("get_signals", json!({})),
        (
            "get_time_series",
            json!({ "seriesId": "DGS10", "start": "1y" }),
        ),
        (
            "get_time_series",
            json!({ "seriesId": "UNRATE", "start": "2019-01", "end": "2021-01" }),
        ),
        (
            "get_time_series",
            json!({ "seriesId": "CPIAUCSL", "start": "5y" }),
        ),
        (
            "get_time_series",
            json!({ "seriesId": "T10Y2Y", "after": "FOMC 2022" }),
        ),
        ("compare_series", json!({ "series": ["DGS10", "DGS2"] })),
        (
            "compare_series",
            json!({ "series": ["UNRATE", "FEDFUNDS", "yoy(CPIAUCSL)"], "start": "5y" }),
        ),
        ("search_series", json!({ "query": "inflation" })),
        ("list_scenarios", json!({})),
        ("search_glossary", json!({ "q": "sahm rule" })),
        ("get_latest_articles", json!({})),
        ("search", json!({ "query": "net liquidity" })),
        ("fetch", json!({ "id": "series:DGS10" })),
        ("explain_indicator", json!({ "indicator": "CRPI" })),
        ("what_changed", json!({})),
        ("get_revisions", json!({ "seriesId": "PAYEMS" })),
        ("get_release_calendar", json!({ "days": 60 })),
    ]
}

#[tokio::test]
async fn texts_and_structures_keep_to_their_budgets() {
    let mut client = Client::open(server());
    let mut texts = 0;
    let mut structures = 0;
    for (tool, arguments) in calls() {
        let call = json!({ "name": tool, "arguments": &arguments });
        let result = client.result("tools/call", call).await;
        assert_ne!(result["isError"], true, "{tool} {arguments}: {result}");
        let text = result["content"][0]["text"]
            .as_str()
            .unwrap()
            .chars()
            .count();
        let structure = result["structuredContent"].to_string().chars().count();
        println!("{text:6} {structure:6}  {tool} {arguments}");
        texts += text;
        structures += structure;
    }
    println!("{texts} characters of text, {structures} of structure");
    assert!(structures <= 59_000, "{structures} characters of structure");
    assert!(texts <= 40_000, "{texts} characters of text");
}
