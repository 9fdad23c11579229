use super::*;
use proptest::prelude::*;

fn read(body: &str) -> Message {
    Message::read(Bytes::copy_from_slice(body.as_bytes())).unwrap()
}

fn is_refused(body: &str) -> bool {
    Message::read(Bytes::copy_from_slice(body.as_bytes())).is_err()
}

#[test]
fn members_are_found_in_any_order() {
    let body = r#" {"params":{"_meta":{"name":"no"},"arguments":{"place":"here"},"name":"now"},
        "id":"a\"1","jsonrpc":"2.0","method":"tools\/call"}"#;
    let message = read(body);
    assert_eq!(message.method.as_deref(), Some("tools/call"));
    assert_eq!(message.target.as_deref(), Some("now"));
    assert_eq!(message.id, Some(RequestId::String("a\"1".into())));
    let message = read(r#"{"method":"resources/read","params":{"uri":"file://a"}}"#);
    assert_eq!(message.target.as_deref(), Some("file://a"));
    assert!(message.id.is_none());
    // The resource is charged, even if another name is present.
    for params in [
        r#"{"uri":"macro://series/UNRATE","name":"get_regime"}"#,
        r#"{"name":"get_regime","uri":"macro://series/UNRATE"}"#,
    ] {
        let message = read(&format!(
            r#"{{"method":"resources/read","params":{params}}}"#
        ));
        assert_eq!(message.target.as_deref(), Some("macro://series/UNRATE"));
    }
}

#[test]
fn ambiguous_messages_are_refused() {
    for body in [
        r#"{"method":"ping","method":"tools/call"}"#,
        r#"{"method":"ping","params":{},"params":{}}"#,
        r#"{"method":"ping","id":1,"id":null}"#,
        r#"{"method":"tools/call","params":{"name":"a","name":"b"}}"#,
        r#"[{"method":"tools/call"}]"#,
        r#"{"method":"tools/call","params":{"uri":"a","uri":null}}"#,
        r#"{"method":"tools/call","params":{"name":7}}"#,
        r#"{"method":"tools/call","params":["a"]}"#,
        r#"{"method":"tools/call","params":"a"}"#,
        r#"{"method":7}"#,
    ] {
        assert!(is_refused(body), "{body}");
    }
    for body in [
        "",
        "nonsense",
        "7",
        "null",
        r#"{"result":{},"id":1}"#,
        "{\"a\":",
    ] {
        assert_eq!(read(body).method.as_deref(), None, "{body}");
    }
}

#[test]
fn empty_lists_of_php_are_objects() {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_regime","arguments":[]}}"#;
    assert!(read(call).call.unwrap().arguments.is_empty());
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":
        {"experimental":[],"roots":[]},"clientInfo":{"name":"t","version":"1"},"_meta":[]}}"#;
    let value: Value = serde_json::from_slice(&read(hello).bytes).unwrap();
    assert_eq!(
        value["params"]["capabilities"]["experimental"],
        serde_json::json!({})
    );
    assert_eq!(value["params"]["_meta"], serde_json::json!({}));
    let silent = read(r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}"#);
    assert!(silent.id.is_none() && silent.method.is_some());
}

#[test]
fn a_readable_id_survives_a_refusal() {
    let id = |body: &str| {
        Message::read(Bytes::copy_from_slice(body.as_bytes()))
            .unwrap_err()
            .id
    };
    let many = format!(
        r#"{{"method":"ping","params":{{"a":[{}1]}},"id":7}}"#,
        "1,".repeat(5_000)
    );
    for body in [
        r#"{"jsonrpc":"2.0","id":7,"method":"ping","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":1}"#,
        r#"{"id":7,"method":"tools/list","params":"a"}"#,
        r#"{"method":"tools/call","params":{},"id":7.0}"#,
        &many,
    ] {
        assert_eq!(id(body), Some(RequestId::Number(7)), "{body}");
    }
    for body in [
        r#"{"id":7,"id":8,"method":"ping"}"#,
        r#"{"id":1.5,"method":"ping"}"#,
        r#"[{"id":7,"method":"ping"}]"#,
        "[7]",
    ] {
        assert_eq!(id(body), None, "{body}");
    }
}

#[test]
fn deep_nesting_uses_no_stack() {
    let deep = |depth| {
        let open = "[".repeat(depth);
        let close = "]".repeat(depth);
        format!(r#"{{"method":"tools/call","params":{{"arguments":{open}1{close}}}}}"#)
    };
    assert!(!is_refused(&deep(4_000)));
    assert!(is_refused(&deep(100_000)));
}

/// Checks that a body is refused, or kept whole with the method that any reader of JSON finds.
fn check_any_body(body: &[u8]) {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    if let Ok(message) = Message::read(Bytes::copy_from_slice(body)) {
        assert_eq!(message.bytes, body);
        assert_eq!(message.method.as_deref(), value["method"].as_str());
    }
}

proptest! {
    #[test]
    fn any_bytes_parse_without_a_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        check_any_body(&body);
    }

    #[test]
    fn near_json_parses_without_a_panic(body in "[\\[\\]{}:,\"a-z0-9 .\\\\]{0,80}") {
        check_any_body(body.as_bytes());
    }
}

fn with_id(id: &str) -> Message {
    let text = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"get_metric"}}}}"#
    );
    Message::read(text.into()).unwrap_or_default()
}

#[test]
fn plain_calls_parse_in_any_member_order() {
    let body = r#"{"params":{"_meta":{"a":1},"arguments":{"place":"here"},"name":"get_metric"},
        "method":"tools/call","id":"a1","jsonrpc":"2.0"}"#;
    let message = read(body);
    let call = message.call.as_ref().unwrap();
    assert_eq!(call.route.spec.tool, "get_metric");
    assert_eq!(call.lifecycle, Lifecycle::Handshake);
    assert_eq!(call.arguments["place"], "here");
    let without_arguments = with_id("7");
    assert!(
        without_arguments
            .call
            .as_ref()
            .unwrap()
            .arguments
            .is_empty()
    );
}

#[test]
fn ids_are_written_as_the_sdk_writes_them() {
    for (id, written) in [
        ("0", "0"),
        ("-7", "-7"),
        ("999999999999999999", "999999999999999999"),
        ("1.0", "1"),
        (r#""x y""#, r#""x y""#),
        (r#""\u0041""#, r#""A""#),
    ] {
        let message = with_id(id);
        assert!(message.call.is_some(), "{id}");
        assert_eq!(serde_json::to_string(&message.id).unwrap(), written);
    }
    for id in ["1.5", "9999999999999999999", "null", "true", "[]", "{}"] {
        assert!(with_id(id).call.is_none(), "{id}");
    }
}

#[test]
fn ambiguous_calls_are_not_plain() {
    for body in [
        r#"["2.0",1,"tools/call",{"name":"get_metric"}]"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["now"]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_metric","arguments":[1]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_metric","name":"then"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"get_metric"}}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"get_metric"}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"get_metric"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"uri":"now"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such_tool"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["get_metric",{},null]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        "",
        "{",
    ] {
        let message = Message::read(Bytes::from(body)).unwrap_or_default();
        assert!(message.call.is_none(), "{body}");
    }
}
