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
    assert_eq!(found.method.as_deref(), Some("tools/call"));
    assert_eq!(found.target.as_deref(), Some("now"));
    assert_eq!(found.id.as_deref(), Some(r#""a\"1""#));
    let read = read(r#"{"method":"resources/read","params":{"uri":"file://a"}}"#);
    assert_eq!(read.target.as_deref(), Some("file://a"));
    assert!(read.id.as_deref().is_none());
    // What pays is the resource, whatever else is named.
    for params in [
        r#"{"uri":"macro://series/UNRATE","name":"get_regime"}"#,
        r#"{"name":"get_regime","uri":"macro://series/UNRATE"}"#,
    ] {
        let stray = self::read(&format!(
            r#"{{"method":"resources/read","params":{params}}}"#
        ));
        assert_eq!(stray.target.as_deref(), Some("macro://series/UNRATE"));
    }
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
        assert_eq!(read(body).method.as_deref(), None, "{body}");
    }
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
        assert_eq!(message.bytes, body);
        assert_eq!(message.method.as_deref(), value["method"].as_str());
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

fn with_id(id: &str) -> Message {
    let text = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"get_metric"}}}}"#
    );
    Message::read(text.into()).unwrap_or_default()
}

#[test]
fn a_plain_call_is_read_whatever_the_order() {
    let body = r#"{"params":{"_meta":{"a":1},"arguments":{"place":"here"},"name":"get_metric"},
        "method":"tools/call","id":"a1","jsonrpc":"2.0"}"#;
    let message = read(body);
    let call = message.call.as_ref().unwrap();
    assert_eq!(call.route.spec.tool, "get_metric");
    assert_eq!(call.lifecycle, Lifecycle::Handshake);
    assert_eq!(call.arguments["place"], "here");
    let bare = with_id("7");
    assert!(bare.call.as_ref().unwrap().arguments.is_empty());
}

#[test]
fn ids_that_are_written_back_otherwise_are_left() {
    for id in ["0", "7", "-7", "999999999999999999", r#""""#, r#""x y""#] {
        assert!(with_id(id).call.is_some(), "{id}");
    }
    for id in [
        "-0",
        "1.0",
        "1e2",
        "9999999999999999999",
        "null",
        "true",
        "[]",
        "{}",
        r#""\u0041""#,
    ] {
        assert!(with_id(id).call.is_none(), "{id}");
    }
}

#[test]
fn what_has_two_readings_is_left() {
    for body in [
        r#"["2.0",1,"tools/call",{"name":"get_metric"}]"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["now"]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_metric","task":{}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_metric","arguments":[]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_metric","name":"then"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"get_metric"}}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"get_metric"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_metric"},"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_metric","uri":"a"}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"get_metric"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"uri":"now"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such_tool"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["get_metric",{},null]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_metric","arguments":{"a":[[1]]}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        "",
        "{",
    ] {
        let message = Message::read(Bytes::from(body)).unwrap_or_default();
        assert!(message.call.is_none(), "{body}");
    }
}

proptest! {
    #[test]
    fn any_id_that_is_taken_is_json_that_reads_back(id in "[-\"0-9a-z ]{1,24}") {
        let message = with_id(&id);
        if message.call.is_some() {
            let id = message.id.as_deref().unwrap();
            let back: Value = serde_json::from_str(id).unwrap();
            prop_assert_eq!(back.to_string(), id);
        }
    }
}
