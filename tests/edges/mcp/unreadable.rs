//! Tests that a line that cannot be read gets one error, and that the session goes on.

use super::lines::Session;
use super::server;
use crate::direct::corpus;
use crate::direct::http::{BothSites, headers};
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
        (r#"{"jsonrpc":"2.0","id":1}"#, json!(1)),
        (r#"{"id":5,"method":"ping"}"#, json!(5)),
        (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, json!("a")),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, Value::Null),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Value::Null),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, json!(1)),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}"#,
            json!(1),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
            json!(1),
        ),
    ];
    let parse_errors = broken.into_iter().map(|b| (b, PARSE_ERROR, Value::Null));
    let invalid = no_request
        .into_iter()
        .map(|(text, id)| (text.as_bytes().to_vec(), INVALID_REQUEST, id));
    // The id is in the part of the line that was read.
    let long = call(&format!("\"{}\"", "x".repeat(300_000))).into_bytes();
    let too_long = (long, PARSE_ERROR, json!(5));
    parse_errors.chain(invalid).chain([too_long]).collect()
}

/// Checks that every line gets one error, before the response to the next request.
async fn check_each(session: &mut Session, meta: Option<&str>) {
    for (line, code, id) in unreadable() {
        let excerpt = String::from_utf8_lossy(&line)
            .chars()
            .take(120)
            .collect::<String>();
        let call = corpus::call("\"next\"", "get_metric", &json!({ "ticker": "10y" }), meta);
        session.send(&line).await;
        session.send(call.as_bytes()).await;
        let error = session.read_line().await.unwrap();
        assert_eq!(error["error"]["code"], code, "{excerpt}: {error}");
        assert_eq!(error["jsonrpc"], "2.0");
        assert_eq!(error.get("id"), Some(&id), "{excerpt}: {error}");
        let next = session.read_line().await.unwrap();
        assert_eq!(next["id"], "next", "{excerpt}: {next}");
    }
}

#[tokio::test]
async fn unreadable_lines_get_one_error_with_a_handshake() {
    let mut session = Session::open(server());
    check_each(&mut session, None).await;
    session.handshake("2025-11-25").await;
    check_each(&mut session, None).await;
}

#[tokio::test]
async fn unreadable_lines_get_one_error_without_a_handshake() {
    let mut session = Session::open(server());
    let meta = corpus::modern_meta();
    check_each(&mut session, Some(&meta)).await;
}

#[tokio::test]
async fn blank_lines_and_notifications_are_not_answered() {
    let mut session = Session::open(server());
    session.handshake("2025-11-25").await;
    let silent: [&[u8]; 6] = [
        b"",
        b"\r",
        b"  \t ",
        b"\xEF\xBB\xBF",
        br#"{"jsonrpc":"2.0","method":"notifications/unheard-of"}"#,
        br#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"a":1}}"#,
    ];
    for line in silent {
        session.send(line).await;
    }
    session
        .send(br#"{"jsonrpc":"2.0","id":"next","method":"ping"}"#)
        .await;
    assert_eq!(session.read_line().await.unwrap()["id"], "next");
}

#[tokio::test]
async fn a_last_line_without_a_newline_is_answered() {
    let call = corpus::call("9", "get_metric", &json!({ "ticker": "10y" }), None);
    let lines = [
        (call.as_bytes(), json!(9), Value::Null),
        (&b"{\"jsonrpc\":"[..], Value::Null, json!(PARSE_ERROR)),
    ];
    for (line, id, code) in lines {
        let mut session = Session::open(server());
        session.handshake("2025-11-25").await;
        let mut all = String::new();
        session.close_with(line).await;
        session.reader.read_to_string(&mut all).await.unwrap();
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
    let sites = BothSites::new(&bundled());
    for (body, code, id) in unreadable() {
        let excerpt = String::from_utf8_lossy(&body)
            .chars()
            .take(120)
            .collect::<String>();
        let view = sites.send_both(&headers(None), &body).await;
        let error = view.body.expect(&excerpt);
        // HTTP rejects a body that is too large by its length, with a status of its own.
        let (status, code) = match body.len() {
            ..=262_144 => (StatusCode::BAD_REQUEST, code),
            _ => (StatusCode::PAYLOAD_TOO_LARGE, -32_600),
        };
        assert_eq!(view.status, status, "{excerpt}: {error}");
        assert_eq!(error["error"]["code"], code, "{excerpt}: {error}");
        assert_eq!(error["jsonrpc"], "2.0");
        assert_eq!(error.get("id"), Some(&id), "{excerpt}: {error}");
    }
    // A blank line is an empty body here.
    let view = sites.send_both(&headers(None), b"").await;
    assert_eq!(view.body.unwrap()["error"]["code"], -32_700);
}
