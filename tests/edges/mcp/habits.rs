//! Tests of requests as hosts send them: parameters of another type or missing, empty lists for objects, arguments of the
//! host, and the address with a slash.

use super::lines::Session;
use super::server;
use crate::direct::http::{BothSites, headers};
use crate::home::bundled;
use serde_json::{Value, json};

const VERSION: &str = "2025-06-18";

/// A valid request of every method with parameters.
fn requests() -> Vec<(&'static str, Value)> {
    let client = json!({ "name": "t", "version": "1" });
    let reference = json!({ "type": "ref/prompt", "name": "compare_two" });
    vec![
        (
            "initialize",
            json!({ "protocolVersion": VERSION, "capabilities": {}, "clientInfo": client }),
        ),
        ("tools/list", json!({ "cursor": "x" })),
        (
            "tools/call",
            json!({ "name": "get_metric", "arguments": { "ticker": "10y" } }),
        ),
        ("resources/list", json!({ "cursor": "x" })),
        ("resources/templates/list", json!({ "cursor": "x" })),
        ("resources/read", json!({ "uri": "macro://formulas" })),
        ("prompts/list", json!({ "cursor": "x" })),
        (
            "prompts/get",
            json!({ "name": "compare_two", "arguments": { "first": "10y", "second": "vix" } }),
        ),
        (
            "completion/complete",
            json!({ "ref": reference, "argument": { "name": "first", "value": "v" } }),
        ),
        ("skills/list", json!({ "cursor": "x" })),
        ("skills/get", json!({ "uri": "skill://x" })),
        ("resources/directory/read", json!({ "uri": "skill://x" })),
    ]
}

/// The parameters with each member, and each member of members, replaced by values of other types, and without it.
fn variants(params: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for (name, value) in params.as_object().unwrap() {
        let mut others = vec![
            json!(7),
            json!(true),
            json!([1]),
            json!([]),
            json!({}),
            Value::Null,
        ];
        if value.is_object() {
            others.extend(variants(value));
        }
        for other in others {
            let mut changed = params.clone();
            changed[name] = other;
            all.push(changed);
        }
        let mut without = params.clone();
        without.as_object_mut().unwrap().remove(name);
        all.push(without);
    }
    all
}

/// Every variant of every request, as a body with its id.
fn bodies() -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (method, params) in requests() {
        let whole = [json!(7), json!("a"), json!([1]), json!([]), Value::Null];
        for params in variants(&params).into_iter().chain(whole) {
            let id = json!(format!("id-{}", all.len()));
            let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            all.push((body.to_string(), id));
        }
    }
    all
}

/// Checks that a response is a result, or an error that speaks of the parameters.
fn check(body: &str, id: &Value, answer: &Value) {
    assert_eq!(&answer["id"], id, "{body}: {answer}");
    let error = &answer["error"];
    let is_known = error.is_null() || [-32_602, -32_002].iter().any(|code| error["code"] == *code);
    assert!(is_known, "{body}: {answer}");
}

#[tokio::test]
async fn known_methods_never_count_as_unknown_over_http() {
    let sites = BothSites::new(&bundled());
    for (body, id) in bodies() {
        let answer = sites
            .send_both(&headers(Some(VERSION)), body.as_bytes())
            .await;
        check(&body, &id, &answer.body.unwrap());
    }
    let unknown = br#"{"jsonrpc":"2.0","id":1,"method":"no/such","params":{}}"#;
    let answer = sites.send_both(&headers(Some(VERSION)), unknown).await;
    assert_eq!(answer.body.unwrap()["error"]["code"], -32_601);
}

#[tokio::test]
async fn known_methods_never_count_as_unknown_over_stdio() {
    let mut session = Session::open(server());
    session.handshake(VERSION).await;
    for (body, id) in bodies() {
        if !body.contains("\"initialize\"") {
            session.send(body.as_bytes()).await;
            let answer = session.read_line().await.unwrap();
            check(&body, &id, &answer);
        }
    }
}

#[tokio::test]
async fn the_error_names_the_member() {
    let mut session = Session::open(server());
    session.handshake(VERSION).await;
    for (method, params, needle) in [
        ("tools/call", json!({}), "params.name is missing"),
        ("tools/call", json!({ "name": 7 }), "params.name must be"),
        (
            "tools/call",
            json!({ "name": "get_regime", "arguments": "a" }),
            "params.arguments must be an object",
        ),
        ("tools/list", json!([1]), "params must be an object"),
        (
            "tools/list",
            json!({ "_meta": 7 }),
            "params._meta must be an object",
        ),
        (
            "completion/complete",
            json!({ "ref": { "type": "ref/prompt", "name": "x" }, "argument": { "name": "a" } }),
            "params.argument.value is missing",
        ),
    ] {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        session.send(request.to_string().as_bytes()).await;
        let answer = session.read_line().await.unwrap();
        assert_eq!(answer["error"]["code"], -32_602, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(needle), "{params}: {message}");
    }
}

#[tokio::test]
async fn empty_lists_are_empty_objects() {
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": VERSION, "capabilities": { "experimental": [] }, "clientInfo": { "name": "t", "version": "1" } } });
    let mut session = Session::open(server());
    session.send(hello.to_string().as_bytes()).await;
    let answer = session.read_line().await.unwrap();
    assert_eq!(answer["result"]["protocolVersion"], VERSION, "{answer}");
    session
        .send(br#"{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}"#)
        .await;
    session
        .send(br#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[]}"#)
        .await;
    let answer = session.read_line().await.unwrap();
    assert!(
        answer["id"] == 7 && answer["result"]["tools"].is_array(),
        "{answer}"
    );
    let call = json!({ "jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": { "name": "get_regime", "arguments": [] } });
    session.send(call.to_string().as_bytes()).await;
    assert_eq!(
        session.read_line().await.unwrap()["result"]["isError"],
        false
    );
    let sites = BothSites::new(&bundled());
    let called = sites
        .send_both(&headers(None), call.to_string().as_bytes())
        .await;
    assert_eq!(called.body.unwrap()["result"]["isError"], false);
}

#[tokio::test]
async fn arguments_of_hosts_are_ignored_and_misspelt_ones_refused() {
    let sites = BothSites::new(&bundled());
    let call = async |tool: &str, arguments: Value| {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } });
        let view = sites
            .send_both(&headers(None), call.to_string().as_bytes())
            .await;
        view.body.unwrap()["result"].take()
    };
    let plain = call("get_macro_summary", json!({})).await;
    let added = json!({ "toolCallId": "call_abc", "sessionId": "s", "chatInput": "hi", "action": "sendMessage", "tool": "x",
        "__user__": { "id": 1 } });
    assert_eq!(call("get_macro_summary", added).await, plain);
    for (name, value) in [
        ("series_id", "UNRATE"),
        ("toolcallid", "a"),
        ("observation_start", "2020"),
    ] {
        let refused = call("get_macro_summary", json!({ name: value })).await;
        assert_eq!(refused["isError"], true, "{name}");
    }
    let days = |as_of: Value| json!({ "seriesId": "UNRATE", "as_of": as_of, "start": "2009-01", "end": "2009-03" });
    let by_comma = call("get_time_series", days(json!("2010-01-15,2012-01-15"))).await;
    assert_eq!(by_comma["isError"], false, "{by_comma}");
    let by_list = call("get_time_series", days(json!(["2010-01-15", "2012-01-15"]))).await;
    assert_eq!(
        by_list["structuredContent"]["data"],
        by_comma["structuredContent"]["data"]
    );
}
