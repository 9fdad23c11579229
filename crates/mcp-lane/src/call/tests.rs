use crate::message::Message;
use bytes::Bytes;
use proptest::prelude::*;
use serde_json::Value;

fn read(body: &str) -> Message {
    Message::read(Bytes::copy_from_slice(body.as_bytes())).unwrap_or_default()
}

fn with_id(id: &str) -> Message {
    read(&format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"now"}}}}"#
    ))
}

#[test]
fn a_plain_call_is_read_whatever_the_order() {
    let body = r#"{"params":{"_meta":{"a":1},"arguments":{"place":"here"},"name":"now"},
        "method":"tools/call","id":"a1","jsonrpc":"2.0"}"#;
    let message = read(body);
    let call = message.call().unwrap();
    assert_eq!(call.tool, "now");
    assert_eq!(call.meta, Some(r#"{"a":1}"#));
    assert_eq!(call.arguments, r#"{"place":"here"}"#);
    assert_eq!(call.arguments().unwrap()["place"], "here");
    let bare = with_id("7");
    let bare = bare.call().unwrap();
    assert!(bare.arguments().unwrap().is_empty());
}

#[test]
fn ids_that_are_written_back_otherwise_are_left() {
    for id in ["0", "7", "-7", "999999999999999999", r#""""#, r#""x y""#] {
        assert!(with_id(id).call().is_some(), "{id}");
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
        assert!(with_id(id).call().is_none(), "{id}");
    }
}

#[test]
fn what_has_two_readings_is_left() {
    for body in [
        r#"["2.0",1,"tools/call",{"name":"now"}]"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["now"]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now","task":{}}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now","arguments":[]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now","name":"then"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"now"}}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"now"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"},"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now","uri":"a"}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"now"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"uri":"now"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        "",
        "{",
    ] {
        assert!(read(body).call().is_none(), "{body}");
    }
    let deep = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now","arguments":{"a":[[1]]}}}"#;
    assert!(read(deep).call().unwrap().arguments().is_none());
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(message) = Message::read(Bytes::from(body)) {
            let _ = message.call();
        }
    }

    #[test]
    fn any_id_that_is_taken_is_json_that_reads_back(id in "[-\"0-9a-z ]{1,24}") {
        let message = with_id(&id);
        if message.call().is_some() {
            let id = message.id().unwrap();
            let back: Value = serde_json::from_str(id).unwrap();
            prop_assert_eq!(back.to_string(), id);
        }
    }
}
