//! Calls of every tool, beside the messages that the lane's own tests send.

#[path = "../../../crates/mcp-lane/tests/corpus/mod.rs"]
mod shared;

use serde_json::{Value, json};
pub(crate) use shared::*;

/// Calls of every kind of answer: small, large, a file, a picture, failures of each sort.
pub(crate) fn calls() -> Vec<(&'static str, Value)> {
    let mut all = vec![
        ("get_metric", json!({ "ticker": "10y" })),
        ("get_metric", json!({ "ticker": "DGS10", "months": 3 })),
        ("get_metric", json!({ "ticker": "DGS10", "months": "3" })),
        ("get_metric", json!({ "ticker": "DGS1O" })),
        ("get_metric", json!({ "ticker": null })),
        ("get_metric", json!({ "ticker": 7 })),
        ("get_metric", json!({ "ticker": ["DGS10"] })),
        ("get_metric", json!({ "ticker": "x".repeat(300) })),
        ("get_metric", json!({ "ticker": "DGS10", "nonsense": true })),
        ("get_metric", json!({ "ticker": { "a": [1, { "b": 2 }] } })),
        ("get_metric", json!({ "ticker": "Zürich \u{202e}€" })),
        ("get_metric", json!({ "ticker": "tab\there" })),
        (
            "get_metric",
            json!({ "ticker": "DGS10", "as_of": "2026-01-15" }),
        ),
        ("get_time_series", json!({ "seriesId": "UNRATE" })),
        (
            "get_time_series",
            json!({ "seriesId": "DGS10", "detail": "full", "start": "1990-01-01" }),
        ),
        (
            "get_time_series",
            json!({ "seriesId": "DGS10", "format": "csv", "start": "1990-01-01" }),
        ),
        (
            "get_time_series",
            json!({ "seriesId": "UNRATE", "start": "2030-01-01" }),
        ),
        ("compare_series", json!({ "series": ["DGS10", "DGS2"] })),
        ("compare_series", json!({ "series": "DGS10,DGS2" })),
        ("search_series", json!({ "q": "core cpi", "limit": 3 })),
        ("search_series", json!({ "q": "core cpi", "limit": 9e9 })),
        ("search_glossary", json!({ "q": "sahm" })),
        ("no_such_tool", json!({})),
        ("", json!({})),
    ];
    for name in [
        "get_regime",
        "get_signals",
        "get_macro_summary",
        "list_scenarios",
        "get_latest_articles",
    ] {
        all.push((name, json!({})));
    }
    all
}
