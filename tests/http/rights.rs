//! Series that may not be passed on are not, whichever way they are asked for.

use crate::support::{ask, get, options, router_with, tool_call};
use axum::http::StatusCode;
use econoscope::model::{Catalogue, Rights};
use serde_json::{Value, json};

fn restricted() -> Vec<String> {
    Catalogue::embedded()
        .iter()
        .filter(|info| info.rights == Rights::FetchOnly)
        .map(|info| info.id.to_string())
        .collect()
}

#[tokio::test]
async fn a_restricted_series_is_refused_with_the_reason_over_rest_and_mcp() {
    let router = router_with(options(), false);
    let all = restricted();
    assert!(all.len() > 3, "the catalogue has restricted series");
    for id in &all {
        for path in ["/api/public/metrics/", "/api/public/data/"] {
            let reply = get(&router, &format!("{path}{id}")).await;
            assert_eq!(
                reply.status,
                StatusCode::FORBIDDEN,
                "{path}{id}: {}",
                reply.text()
            );
            let said = reply.json()["error"].as_str().unwrap().to_owned();
            assert!(said.contains("--serve-restricted"), "{said}");
        }
        for (tool, argument) in [("get_metric", "ticker"), ("get_time_series", "seriesId")] {
            let reply = ask(&router, tool_call(tool, &json!({argument: id}), &[])).await;
            let result = reply.json()["result"].clone();
            assert_eq!(result["isError"], true, "{tool} {id}");
            let said = result["content"][0]["text"].as_str().unwrap();
            assert!(said.contains("--serve-restricted"), "{said}");
        }
    }
}

/// Whether an object that names the series carries a figure of it.
fn shows(value: &Value, id: &str) -> bool {
    match value {
        Value::Object(object) => {
            let named = object.values().any(|v| v == id);
            let figure = object.get("value").is_some_and(Value::is_number);
            let keyed = object
                .get(id)
                .is_some_and(|entry| entry.is_number() || entry["value"].is_number());
            (named && figure) || keyed || object.values().any(|v| shows(v, id))
        }
        Value::Array(items) => items.iter().any(|v| shows(v, id)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[tokio::test]
async fn no_restricted_figure_hides_in_signals_or_summary() {
    let router = router_with(options(), false);
    let signals = get(&router, "/api/public/signals").await.json();
    let summary = get(&router, "/api/public/macro-summary").await.json();
    for id in restricted() {
        assert!(!shows(&signals, &id), "{id} in {signals:#}");
        assert!(!shows(&summary, &id), "{id} in {summary:#}");
    }
    for (id, field) in [
        ("VIXCLS", &summary["volatility"]["vix"]),
        ("BAMLH0A0HYM2", &summary["credit"]["hy_spread_bps"]),
    ] {
        if restricted().iter().any(|r| r == id) {
            assert!(field.is_null(), "{id}: {field}");
        }
    }
}
