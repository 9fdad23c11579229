//! Tests that a figure has the same bytes over REST, over both paths of MCP, and on the command line.

use super::corpus;
use super::http::{BothSites, headers};
use crate::expanded::{expanded, untrue};
use crate::home::bundled;
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use econoscope_answers::{ENDPOINTS, Route};
use http_body_util::BodyExt;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tower::ServiceExt;

async fn send(router: &Router, request: Request<Body>) -> Vec<u8> {
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    assert!(
        status.is_success(),
        "{status} {}",
        String::from_utf8_lossy(&bytes)
    );
    bytes.to_vec()
}

/// Returns the structured result of a call as it was sent.
async fn structured_result(router: &Router, tool: &str, arguments: &Value) -> String {
    #[derive(Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow)]
        result: CallResult<'a>,
    }
    #[derive(Deserialize)]
    struct CallResult<'a> {
        #[serde(borrow, rename = "structuredContent")]
        structured: &'a RawValue,
    }
    let body = corpus::call("1", tool, arguments, None);
    let mut request = Request::post("/mcp").body(Body::from(body)).unwrap();
    *request.headers_mut() = headers(None);
    let body = send(router, request).await;
    let read: Envelope<'_> = serde_json::from_slice(&body).unwrap();
    read.result.structured.get().to_owned()
}

fn address(route: &Route, arguments: &Value) -> String {
    let mut path = route.spec.path.to_owned();
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in arguments.as_object().unwrap() {
        let text = value.as_str().unwrap();
        if path.contains(&format!("{{{name}}}")) {
            path = path.replace(&format!("{{{name}}}"), text);
        } else {
            query.append_pair(name, text);
        }
    }
    format!("{path}?{}", query.finish())
}

/// Every endpoint with its example, and derived figures of many series.
fn calls() -> Vec<(&'static str, Value)> {
    let examples = ENDPOINTS.iter().map(|route| {
        let values = route
            .spec
            .example
            .iter()
            .map(|(k, v)| ((*k).to_owned(), Value::from(*v)));
        (route.spec.tool, Value::Object(values.collect()))
    });
    let mut all: Vec<_> = examples.collect();
    let holdings = bundled().desk().store_summary().unwrap();
    for id in holdings.iter().map(|s| s.id.as_str()) {
        all.push(("get_metric", json!({ "ticker": id })));
        let mut rows = |more: Value| {
            let mut arguments = json!({ "seriesId": id, "start": "1960-01-01", "detail": "full" });
            let added = more.as_object().unwrap().clone();
            arguments.as_object_mut().unwrap().extend(added);
            all.push(("get_time_series", arguments));
        };
        rows(json!({ "frequency": "a", "aggregation": "avg" }));
        rows(json!({ "frequency": "a", "aggregation": "sum", "units": "pc1" }));
        rows(json!({ "units": "log" }));
        rows(json!({}));
    }
    all.push((
        "compare_series",
        json!({ "series": "DGS10,UNRATE,ma(CPIAUCSL,7)", "start": "1990-01-01" }),
    ));
    all
}

fn floats(text: &str) -> usize {
    let number = |piece: &&str| piece.contains('.') && piece.parse::<f64>().is_ok();
    text.split([',', ':', '[', ']', '{', '}'])
        .filter(number)
        .count()
}

#[tokio::test]
async fn figures_are_identical_over_rest_and_both_mcp_paths() {
    let sites = BothSites::new(&bundled());
    let mut compared = 0;
    for (tool, arguments) in calls() {
        let route = Route::find(tool).unwrap();
        let values = route.with_assistant_defaults(arguments.as_object().unwrap().clone());
        let values = Value::Object(values);
        let request = Request::get(address(route, &texts(&values)))
            .header("host", "localhost:8080")
            .body(Body::empty())
            .unwrap();
        let rest = String::from_utf8(send(&sites.sdk, request).await).unwrap();
        let direct = structured_result(&sites.direct, tool, &arguments).await;
        let from_sdk = structured_result(&sites.sdk, tool, &arguments).await;
        compared += floats(&rest);
        assert_eq!(direct, from_sdk, "{tool} {arguments}");
        let [direct, rest] =
            [direct, rest].map(|json| serde_json::from_str::<Value>(&json).unwrap());
        assert_eq!(
            untrue(&expanded(&direct), &rest, ""),
            None,
            "{tool} {arguments}"
        );
    }
    assert!(compared > 10_000, "only {compared} figures were compared");
}

/// Values as text of a query.
fn texts(arguments: &Value) -> Value {
    let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let pairs = arguments.as_object().unwrap().iter();
    Value::Object(
        pairs
            .map(|(k, v)| (k.clone(), Value::from(text(v))))
            .collect(),
    )
}

#[tokio::test]
async fn the_command_line_prints_the_same_figures() {
    let folder = tempfile::tempdir().unwrap();
    for id in ["DGS10", "DGS2", "T10Y2Y"] {
        let arguments = json!({ "seriesId": id, "start": "1990-01-01", "end": "2020-01-01", "detail": "full",
            "frequency": "m", "aggregation": "avg" });
        let sites = BothSites::new(&bundled());
        let structured = structured_result(&sites.sdk, "get_time_series", &arguments).await;
        let pairs = arguments.as_object().unwrap().iter();
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_econoscope"))
            .arg("--store")
            .arg(folder.path().join("store.db"))
            .args(["call", "get_time_series"])
            .args(pairs.map(|(k, v)| format!("{k}={}", v.as_str().unwrap())))
            .output()
            .unwrap();
        let printed = String::from_utf8(done.stdout).unwrap();
        let [printed, structured] =
            [printed, structured].map(|json| serde_json::from_str::<Value>(&json).unwrap());
        let printed = &printed["data"];
        let structured = expanded(&structured["data"]);
        assert!(floats(&printed.to_string()) > 100, "{id}");
        assert_eq!(
            printed.as_array().unwrap().len(),
            structured.as_array().unwrap().len()
        );
        assert_eq!(untrue(&structured, printed, ""), None, "{id}");
    }
}
