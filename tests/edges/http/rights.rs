//! Tests that restricted series are not passed on by any route.

use super::support::{get, options, public_router, request, router_with, send, tool_call};
use axum::Router;
use axum::http::StatusCode;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::model::{Observation, Rights, SeriesId};
use econoscope_data::store::{Sqlite, Store, Write};
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

fn restricted_ids() -> Vec<String> {
    let all = Catalogue::embedded().iter();
    let ids: Vec<_> = all
        .filter(|info| info.rights == Rights::FetchOnly)
        .map(|info| info.id.to_string())
        .collect();
    assert!(ids.len() > 3, "the catalogue has restricted series");
    ids
}

#[tokio::test]
async fn a_restricted_series_is_refused_with_the_reason() {
    let router = router_with(options(), false);
    let all = restricted_ids();
    for id in &all {
        for path in ["/api/public/metrics/", "/api/public/data/"] {
            let reply = get(&router, &format!("{path}{id}")).await;
            assert_eq!(
                reply.status,
                StatusCode::FORBIDDEN,
                "{path}{id}: {}",
                reply.text()
            );
            let message = reply.json()["error"].as_str().unwrap().to_owned();
            assert!(message.contains("--serve-restricted"), "{message}");
        }
        for (tool, argument) in [("get_metric", "ticker"), ("get_time_series", "seriesId")] {
            let reply = send(&router, tool_call(tool, &json!({argument: id}), &[])).await;
            let result = reply.json()["result"].clone();
            assert_eq!(result["isError"], true, "{tool} {id}");
            let message = result["content"][0]["text"].as_str().unwrap();
            assert!(message.contains("--serve-restricted"), "{message}");
        }
    }
}

#[tokio::test]
async fn a_restricted_resource_is_an_invalid_parameter() {
    let router = router_with(options(), false);
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    for uri in [
        "macro://metric/VIXCLS",
        "macro://series/VIXCLS",
        "macro://series/VIXCLS.csv",
    ] {
        let body =
            json!({"jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": {"uri": uri}});
        let reply = send(
            &router,
            request("POST", "/mcp", &headers, &body.to_string()),
        )
        .await;
        let error = reply.json()["error"].clone();
        assert_eq!(error["code"], -32602, "{uri}: {error}");
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("not served here"),
            "{error}"
        );
    }
}

/// Whether an object that names the series has a figure of it.
fn has_figure(value: &Value, id: &str) -> bool {
    match value {
        Value::Object(object) => {
            let named = object.values().any(|v| v == id);
            let figure = object.get("value").is_some_and(Value::is_number);
            let keyed = object
                .get(id)
                .is_some_and(|entry| entry.is_number() || entry["value"].is_number());
            (named && figure) || keyed || object.values().any(|v| has_figure(v, id))
        }
        Value::Array(items) => items.iter().any(|v| has_figure(v, id)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[tokio::test]
async fn signals_and_summary_have_no_restricted_figures() {
    let router = router_with(options(), false);
    let signals = get(&router, "/api/public/signals").await.json();
    let summary = get(&router, "/api/public/macro-summary").await.json();
    for id in restricted_ids() {
        assert!(!has_figure(&signals, &id), "{id} in {signals:#}");
        assert!(!has_figure(&summary, &id), "{id} in {summary:#}");
    }
    for (id, field) in [
        ("VIXCLS", &summary["volatility"]["vix"]),
        ("BAMLH0A0HYM2", &summary["credit"]["hy_spread_bps"]),
    ] {
        if restricted_ids().iter().any(|r| r == id) {
            assert!(field.is_null(), "{id}: {field}");
        }
    }
}

/// A unique figure, which every restricted series has on every day.
const SECRET: f64 = 73_135.79;

/// Creates a public service over a store with the bundled history and all restricted series.
fn service_with_secrets() -> Router {
    service_with_restricted(|_| SECRET)
}

/// Creates one with other figures, by the number of the day.
fn service_with_restricted(figure: impl Fn(u32) -> f64) -> Router {
    let store = Sqlite::bundled().unwrap();
    let today = now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let row = |n: u32| Observation::new(today.checked_sub(i64::from(n).days()).unwrap(), figure(n));
    let rows: Vec<Observation> = (0..4_000).rev().map(row).collect();
    for id in restricted_ids() {
        store
            .write(Write {
                id: &SeriesId::new(&id).unwrap(),
                observations: &rows,
                known_from: None,
                fetched_at: now(),
                origin: "import",
            })
            .unwrap();
    }
    public_router(Arc::new(store), Arc::new(now))
}

/// Points, ranks and contributions would reveal a figure, so public answers have none of them.
#[tokio::test]
async fn restricted_figures_do_not_influence_public_answers() {
    let calm = service_with_restricted(|n| 20.0 + f64::from(n % 7));
    let wild = service_with_restricted(|n| 20.0 + f64::from(n * n % 61));
    for path in [
        "/api/public/explain/cmsi",
        "/api/public/explain/cmsi?as_of=2026-03-31",
        "/api/public/explain/crai",
        "/api/public/explain/crpi",
        "/api/public/metrics/SERVICE_CMSI",
        "/api/public/metrics/SERVICE_CRAI",
        "/api/public/data/SERVICE_CMSI?start=2020-01-01",
        "/api/public/data/SERVICE_CRAI?start=2020-01-01",
        "/api/public/compare?series=SERVICE_CMSI,DGS10",
        "/api/public/regime",
        "/api/public/signals",
        "/api/public/macro-summary",
        "/api/public/what-changed",
        "/api/public/scenarios",
        "/api/public/data/DGS10?condition=%3E%20VIXCLS",
        "/api/public/compare?series=SERVICE_CMSI,SERVICE_CRAI,DGS10&correlations=true",
        "/api/public/compare?series=VIXCLS,DGS10&correlations=true",
        "/api/public/data/UNRATE?condition=VIXCLS%20%3E%2021",
        "/api/public/series/search?query=volatility",
        "/api/public/search?query=is%20stress%20high",
        "/api/public/search?query=VIXCLS",
        "/api/public/fetch?id=series:SERVICE_CMSI",
        "/api/public/revisions/PAYEMS?date=2008-01..2008-12",
        "/api/public/revisions/UNRATE?date=2008-01,2008-02&levels=true",
        "/api/public/revisions/VIXCLS?date=2026-01..2026-03",
        "/api/public/revisions/SERVICE_CMSI",
        "/api/public/calendar",
        "/search?q=is+stress+high",
        "/search?q=vix",
        "/suggest?q=vix",
        "/series",
        "/series/SERVICE_CMSI",
        "/series/VIXCLS",
        "/compare?series=SERVICE_CMSI,SERVICE_CRAI,DGS10",
        "/widget/metric/SERVICE_CMSI",
        "/chart/SERVICE_CRAI.svg",
        "/chart/SERVICE_CMSI.png",
        "/chart/scenario/vix-40.svg",
        "/chart/release/ICSA.svg",
    ] {
        let one = get(&calm, path).await;
        let other = get(&wild, path).await;
        assert_eq!(one.status, other.status, "{path}");
        // Some are refused, and none is missing but the picture of a series without any public figure.
        let is_empty = path == "/chart/SERVICE_CRAI.svg";
        assert_eq!(one.status == StatusCode::NOT_FOUND, is_empty, "{path}");
        assert!(one.body == other.body, "{path}");
    }
    // The same over MCP: text, and tables of columns and rows.
    for (tool, arguments) in [
        ("get_macro_summary", json!({})),
        ("get_regime", json!({})),
        ("get_signals", json!({})),
        ("list_scenarios", json!({})),
        ("what_changed", json!({"since": "1y"})),
        ("explain_indicator", json!({"indicator": "cmsi"})),
        ("get_metric", json!({"ticker": "SERVICE_CMSI"})),
        (
            "get_time_series",
            json!({"seriesId": "SERVICE_CRAI", "start": "2y"}),
        ),
        (
            "compare_series",
            json!({"series": "SERVICE_CMSI,DGS10", "correlations": true}),
        ),
        ("search_series", json!({"query": "volatility"})),
        ("search", json!({"query": "is stress high"})),
        ("fetch", json!({"id": "series:SERVICE_CMSI"})),
        (
            "get_revisions",
            json!({"seriesId": "PAYEMS", "date": "2008-01..2008-12", "levels": true}),
        ),
        ("get_release_calendar", json!({})),
    ] {
        let [mut one, mut other] = [Value::Null, Value::Null];
        for (router, response) in [(&calm, &mut one), (&wild, &mut other)] {
            *response = send(router, tool_call(tool, &arguments, &[])).await.json();
            assert_eq!(response["result"]["isError"], false, "{tool}: {response}");
            assert!(
                response["result"]["structuredContent"].is_object(),
                "{tool}"
            );
        }
        assert!(one == other, "{tool}: {one}\n{other}");
    }
}

/// One time for the whole run, so that two services report the same time.
fn now() -> Timestamp {
    static NOW: LazyLock<Timestamp> = LazyLock::new(econoscope_core::clock::wall_time);
    *NOW
}

/// Whether a text has the secret figure in any of its formats.
fn has_secret(text: &str) -> bool {
    ["73135", "73,135", "73 135", "731357"]
        .iter()
        .any(|form| text.contains(form))
}

#[tokio::test]
async fn stored_restricted_figures_appear_on_no_surface() {
    let router = service_with_secrets();
    for id in restricted_ids() {
        for (path, expected) in [
            (format!("/api/public/metrics/{id}"), StatusCode::FORBIDDEN),
            (
                format!("/api/public/data/{id}?start=max"),
                StatusCode::FORBIDDEN,
            ),
            (
                format!("/api/public/data/{id}?start=max&format=csv"),
                StatusCode::FORBIDDEN,
            ),
            (
                format!("/api/public/compare?series={id},UNRATE"),
                StatusCode::FORBIDDEN,
            ),
            (
                format!("/api/public/compare?series={id}*2-UNRATE"),
                StatusCode::FORBIDDEN,
            ),
            (format!("/widget/metric/{id}"), StatusCode::FORBIDDEN),
            (format!("/chart/{id}.svg"), StatusCode::FORBIDDEN),
            (format!("/chart/{id}.png"), StatusCode::FORBIDDEN),
            (format!("/api/public/revisions/{id}"), StatusCode::FORBIDDEN),
            (format!("/series/{id}"), StatusCode::OK),
            (
                format!("/api/public/series/search?query={id}"),
                StatusCode::OK,
            ),
            (format!("/api/public/search?query={id}"), StatusCode::OK),
            (
                format!("/api/public/fetch?id=series:{id}"),
                StatusCode::FORBIDDEN,
            ),
        ] {
            let reply = get(&router, &path).await;
            let message = String::from_utf8_lossy(&reply.body).into_owned();
            assert_eq!(reply.status, expected, "{path}: {message}");
            assert!(!has_secret(&message), "{path}: {message}");
        }
        for (tool, arguments) in [
            ("compare_series", json!({"series": format!("{id},UNRATE")})),
            ("fetch", json!({"id": format!("series:{id}")})),
            ("get_time_series", json!({"seriesId": id, "detail": "csv"})),
            ("get_revisions", json!({"seriesId": id})),
        ] {
            let reply = send(&router, tool_call(tool, &arguments, &[])).await;
            assert!(!has_secret(reply.text()), "{tool} {id}: {}", reply.text());
        }
        let read = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read",
            "params": {"uri": format!("macro://series/{id}")}});
        let headers = [
            ("host", "localhost"),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        let reply = send(
            &router,
            request("POST", "/mcp", &headers, &read.to_string()),
        )
        .await;
        assert!(!has_secret(reply.text()), "{id}: {}", reply.text());
    }
}

#[tokio::test]
async fn collections_of_series_omit_restricted_ones() {
    let router = service_with_secrets();
    for path in [
        "/",
        "/series",
        "/methods",
        "/rights",
        "/scenarios",
        "/articles",
        "/widget/regime",
        "/widget/recession",
        "/api/public/macro-summary",
        "/api/public/signals",
        "/api/public/regime",
        "/api/public/what-changed?since=1y",
        "/api/public/explain/CRPI",
        "/api/public/explain/CNLI",
        "/api/public/explain/CMSI",
        "/api/public/explain/CRAI",
        "/api/public/explain/regime",
        "/api/public/fetch?id=method:CMSI",
        "/api/public/fetch?id=method:CRAI",
        "/api/public/scenarios",
        "/api/public/content/latest",
        "/api/public/search?query=volatility",
        "/llms.txt",
        "/llms-full.txt",
    ] {
        let reply = get(&router, path).await;
        assert_eq!(reply.status, StatusCode::OK, "{path}: {}", reply.text());
        assert!(!has_secret(reply.text()), "{path}: {}", reply.text());
    }
}

/// Writes a figure for some days of November 2026 with an origin.
fn write_rows(store: &Sqlite, id: &str, days: std::ops::RangeInclusive<i8>, origin: &str) {
    let day = |d| Observation::new(jiff::civil::date(2026, 11, d), SECRET);
    store
        .write(Write {
            id: &SeriesId::new(id).unwrap(),
            observations: &days.map(day).collect::<Vec<_>>(),
            known_from: None,
            fetched_at: econoscope_core::clock::wall_time(),
            origin,
        })
        .unwrap();
}

#[tokio::test]
async fn rows_of_a_personal_source_are_withheld() {
    let store = Sqlite::in_memory().unwrap();
    write_rows(&store, "DGS10", 2..=6, "cboe");
    write_rows(&store, "DGS10", 9..=13, "treasury");
    write_rows(&store, "DGS2", 2..=6, "cboe");
    write_rows(&store, "DGS2", 2..=13, "treasury");
    write_rows(&store, "DGS5", 2..=6, "cboe");
    let first = jiff::civil::date(2026, 11, 1);
    let last = jiff::civil::date(2026, 11, 8);
    for id in ["DGS2", "DGS5"] {
        let id = SeriesId::new(id).unwrap();
        store.attribute(&id, "treasury", first, last).unwrap();
    }
    write_rows(&store, "DGS30", 2..=6, "tiingo");
    let router = public_router(Arc::new(store), Arc::new(now));
    for (id, owner) in [("DGS10", "Cboe"), ("DGS30", "Tiingo")] {
        for path in [
            format!("/api/public/metrics/{id}"),
            format!("/api/public/data/{id}?format=csv"),
            format!("/chart/{id}.svg"),
        ] {
            let reply = get(&router, &path).await;
            assert_eq!(reply.status, StatusCode::FORBIDDEN, "{path}");
            assert!(!has_secret(reply.text()), "{path}");
            assert!(path.starts_with("/chart") || reply.text().contains(owner));
        }
    }
    for id in ["DGS2", "DGS5"] {
        let reply = get(&router, &format!("/api/public/metrics/{id}")).await;
        assert_eq!(reply.status, StatusCode::OK, "all of {id} is open by now");
    }
}

#[tokio::test]
async fn notices_of_the_source_accompany_the_figures() {
    let store = Sqlite::in_memory().unwrap();
    write_rows(&store, "UNRATE", 1..=1, "bls");
    write_rows(&store, "ICSA", 2..=6, "dol");
    write_rows(&store, "ICSA", 9..=13, "fred");
    let router = public_router(Arc::new(store), Arc::new(now));
    let reply = get(&router, "/api/public/metrics/UNRATE").await.json();
    let cited = &reply["sources"][0];
    assert_eq!(cited["series"], json!(["UNRATE"]));
    let notice = cited["notice"].as_str().unwrap();
    assert!(notice.contains("BLS.gov cannot vouch"), "{notice}");
    let call = tool_call("get_metric", &json!({"ticker": "UNRATE"}), &[]);
    let result = send(&router, call).await.json()["result"].clone();
    let message = &result["content"][0]["text"];
    let named = "Source: Bureau of Labor Statistics. ";
    assert!(message.as_str().unwrap().contains(named), "{message}");
    assert_eq!(result["_meta"]["econoscope/notices"], json!([notice]));
    assert!(
        get(&router, "/rights")
            .await
            .text()
            .contains("BLS.gov cannot vouch")
    );
    let page = get(&router, "/series/UNRATE").await;
    assert!(page.text().contains("BLS.gov cannot vouch"));
    let from = |start: &str| format!("/api/public/data/ICSA?start={start}&end=2026-11-20");
    let both = get(&router, &from("2026-11-01")).await.json()["sources"].clone();
    assert_eq!(both[0]["source"], "Department of Labor");
    assert_eq!(both[0].get("from"), None);
    assert_eq!(both[1]["from"], "2026-11-09");
    assert!(both[1]["notice"].as_str().unwrap().contains("FRED"));
    let newest = get(&router, &from("2026-11-10")).await.json()["sources"].clone();
    assert_eq!(newest.as_array().unwrap().len(), 1, "{newest}");
}
