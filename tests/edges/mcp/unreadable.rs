//! Tests that a line that cannot be read gets one error, and that the session goes on.

use super::lines::Talk;
use super::server;
use crate::direct::corpus;
use crate::direct::http::{Both, headers};
use crate::home::bundled;
use axum::http::StatusCode;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

const PARSE_ERROR: i64 = -32_700;
const INVALID_REQUEST: i64 = -32_600;

/// Lines with the code and id of their errors.
fn unreadable() -> Vec<(Vec<u8>, i64, Value)> {
    let call = |ticker: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"get_metric","arguments":{{"ticker":{ticker}}}}}}}"#
        )
    };
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let broken = [
        call(r#""half \ud83d""#).into_bytes(),
        call(r#""half \ude00""#).into_bytes(),
        call("\"\u{1}\"").into_bytes(),
        [call("\"").as_bytes(), b"\xff\xfe\"}}}"].concat(),
        b"\xc3\x28".to_vec(),
        call("1e400").into_bytes(),
        call("-1e400").into_bytes(),
        call("NaN").into_bytes(),
        call("Infinity").into_bytes(),
        call(&deep).into_bytes(),
        call("\"10y\",").into_bytes(),
        call("\"10y\"").replace("}}}", "}}},").into_bytes(),
        format!("{}{}", call("\"10y\""), call("\"10y\"")).into_bytes(),
        call(&format!("\"{}\"", "x".repeat(300_000))).into_bytes(),
        b"hello, are you there?".to_vec(),
        b"{".to_vec(),
        b"[1e400]".to_vec(),
        br#"{"\udc00":1}"#.to_vec(),
        b"\0".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"".to_vec(),
    ];
    let no_request = [
        ("[]", Value::Null),
        ("[[]]", Value::Null),
        ("[1]", Value::Null),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Value::Null),
        ("null", Value::Null),
        ("7", Value::Null),
        ("\"ping\"", Value::Null),
        ("{}", Value::Null),
        (r#"{"jsonrpc":"2.0","id":1}"#, Value::Null),
        (r#"{"id":5,"method":"ping"}"#, json!(5)),
        (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, json!("a")),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, Value::Null),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Value::Null),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, Value::Null),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}"#,
            Value::Null,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
            json!(1),
        ),
    ];
    let broken = broken.into_iter().map(|b| (b, PARSE_ERROR, Value::Null));
    let no_request = no_request
        .into_iter()
        .map(|(text, id)| (text.as_bytes().to_vec(), INVALID_REQUEST, id));
    broken.chain(no_request).collect()
}

/// Checks that every line gets one error, before the response to the next request.
async fn each_is_told(talk: &mut Talk, meta: Option<&str>) {
    for (line, code, id) in unreadable() {
        let shown = String::from_utf8_lossy(&line)
            .chars()
            .take(120)
            .collect::<String>();
        let call = corpus::call("\"next\"", "get_metric", &json!({ "ticker": "10y" }), meta);
        talk.send(&line).await;
        talk.send(call.as_bytes()).await;
        let told = talk.line().await.unwrap();
        assert_eq!(told["error"]["code"], code, "{shown}: {told}");
        assert_eq!(told["jsonrpc"], "2.0");
        assert_eq!(told.get("id"), Some(&id), "{shown}: {told}");
        let next = talk.line().await.unwrap();
        assert_eq!(next["id"], "next", "{shown}: {next}");
    }
}

#[tokio::test]
async fn unreadable_lines_get_one_error_with_a_handshake() {
    let mut talk = Talk::open(server());
    each_is_told(&mut talk, None).await;
    talk.handshake("2025-11-25").await;
    each_is_told(&mut talk, None).await;
}

#[tokio::test]
async fn unreadable_lines_get_one_error_without_a_handshake() {
    let mut talk = Talk::open(server());
    let meta = corpus::modern_meta();
    each_is_told(&mut talk, Some(&meta)).await;
}

#[tokio::test]
async fn blank_lines_and_notifications_are_not_answered() {
    let mut talk = Talk::open(server());
    talk.handshake("2025-11-25").await;
    let silent: [&[u8]; 6] = [
        b"",
        b"\r",
        b"  \t ",
        b"\xEF\xBB\xBF",
        br#"{"jsonrpc":"2.0","method":"notifications/unheard-of"}"#,
        br#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"a":1}}"#,
    ];
    for line in silent {
        talk.send(line).await;
    }
    talk.send(br#"{"jsonrpc":"2.0","id":"next","method":"ping"}"#)
        .await;
    assert_eq!(talk.line().await.unwrap()["id"], "next");
}

#[tokio::test]
async fn a_last_line_without_a_newline_is_answered() {
    let call = corpus::call("9", "get_metric", &json!({ "ticker": "10y" }), None);
    let lines = [
        (call.as_bytes(), json!(9), Value::Null),
        (&b"{\"jsonrpc\":"[..], Value::Null, json!(PARSE_ERROR)),
    ];
    for (line, id, code) in lines {
        let mut talk = Talk::open(server());
        talk.handshake("2025-11-25").await;
        let mut all = String::new();
        talk.leave_with(line).await;
        talk.reader.read_to_string(&mut all).await.unwrap();
        let answers: Vec<Value> = all
            .lines()
            .map(|l| serde_json::from_str(l).unwrap())
            .collect();
        let [answer] = answers.as_slice() else {
            panic!("one answer, not {answers:?}")
        };
        assert_eq!(answer.get("id"), Some(&id), "{answer}");
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
}

#[tokio::test]
async fn an_unreadable_body_gets_the_same_error_as_a_line() {
    let both = Both::over(&bundled());
    for (body, code, id) in unreadable() {
        let shown = String::from_utf8_lossy(&body)
            .chars()
            .take(120)
            .collect::<String>();
        let seen = both.same(&headers(None), &body).await;
        let told = seen.body.expect(&shown);
        // HTTP rejects a body that is too large by its length, with a status of its own.
        let (status, code) = match body.len() {
            ..=262_144 => (StatusCode::BAD_REQUEST, code),
            _ => (StatusCode::PAYLOAD_TOO_LARGE, -32_600),
        };
        assert_eq!(seen.status, status, "{shown}: {told}");
        assert_eq!(told["error"]["code"], code, "{shown}: {told}");
        assert_eq!(told["jsonrpc"], "2.0");
        assert_eq!(told.get("id"), Some(&id), "{shown}: {told}");
    }
    // A blank line is an empty body here.
    let seen = both.same(&headers(None), b"").await;
    assert_eq!(seen.body.unwrap()["error"]["code"], -32_700);
}
