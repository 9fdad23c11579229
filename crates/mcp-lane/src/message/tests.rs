use super::*;
use proptest::prelude::*;

fn read(body: &str) -> Message {
    Message::read(Bytes::copy_from_slice(body.as_bytes())).unwrap()
}

fn refused(body: &str) -> bool {
    Message::read(Bytes::copy_from_slice(body.as_bytes())).is_err()
}

#[test]
fn method_name_and_arguments_are_found_wherever_they_stand() {
    let body = r#" {"params":{"_meta":{"name":"no"},"arguments":{"place":"here"},"name":"now"},
        "id":"a\"1","jsonrpc":"2.0","method":"tools\/call"}"#;
    let found = read(body);
    assert_eq!(found.method(), Some("tools/call"));
    assert_eq!(found.target(), Some("now"));
    assert_eq!(found.id(), Some(r#""a\"1""#));
    let read = read(r#"{"method":"resources/read","params":{"uri":"file://a"}}"#);
    assert_eq!(read.target(), Some("file://a"));
    assert!(read.id().is_none());
}

#[test]
fn what_could_be_read_in_two_ways_is_refused() {
    for body in [
        r#"{"method":"ping","method":"tools/call"}"#,
        r#"{"method":"ping","params":{},"params":{}}"#,
        r#"{"method":"ping","id":1,"id":null}"#,
        r#"{"method":"tools/call","params":{"name":"a","name":"b"}}"#,
        r#"[{"method":"tools/call"}]"#,
        r#"{"method":"tools/call","params":{"uri":"a","uri":null}}"#,
        r#"{"method":"tools/call","params":{"name":7}}"#,
        r#"{"method":"tools/call","params":[]}"#,
        r#"{"method":"tools/call","params":"a"}"#,
        r#"{"method":7}"#,
    ] {
        assert!(refused(body), "{body}");
    }
    for body in [
        "",
        "nonsense",
        "7",
        "null",
        r#"{"result":{},"id":1}"#,
        "{\"a\":",
    ] {
        assert_eq!(read(body).method(), None, "{body}");
    }
}

#[test]
fn a_plain_call_has_no_member_but_its_own() {
    for (params, plain) in [
        (r#"{"name":"a","arguments":{},"_meta":{}}"#, true),
        (r#"{"name":"a","uri":"b"}"#, false),
        (r#"{"name":"a","task":{}}"#, false),
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        assert_eq!(read(&text).call().is_some(), plain, "{params}");
    }
    let more =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"result":{}}"#;
    assert!(read(more).call().is_none());
    let nothing = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#;
    assert_eq!(read(nothing).method(), Some("tools/list"));
}

#[test]
fn depth_costs_no_stack() {
    let deep = |depth| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        format!(r#"{{"method":"tools/call","params":{{"arguments":{open}1{close}}}}}"#)
    };
    assert!(!refused(&deep(4_000)));
    assert!(refused(&deep(100_000)));
}

/// Refused, or whole and with no method but the one that any reader of JSON finds.
fn keeps_what_came(body: &[u8]) {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    if let Ok(message) = Message::read(Bytes::copy_from_slice(body)) {
        assert_eq!(message.bytes(), body);
        assert_eq!(message.method(), value["method"].as_str());
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        keeps_what_came(&body);
    }

    #[test]
    fn any_text_near_json_is_read_without_a_panic(body in "[\\[\\]{}:,\"a-z0-9 .\\\\]{0,80}") {
        keeps_what_came(body.as_bytes());
    }
}
