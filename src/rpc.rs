//! The few words of a JSON-RPC message that the HTTP edge must know, borrowed from the body.
//!
//! Limits need the method and the tool's name before the message is answered. Nothing is copied, arguments
//! stay raw text, and the depth of what is skipped costs no stack.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A request or notification, as far as it was read.
#[derive(Debug)]
pub struct Envelope<'a> {
    /// As it came, to be put into the answer; none for a notification.
    pub id: Option<&'a RawValue>,
    /// `tools/call` and so on.
    pub method: Cow<'a, str>,
    /// Name of the tool or prompt, address of the resource.
    pub target: Option<Cow<'a, str>>,
    /// Arguments of a tool, as they came.
    pub arguments: Option<&'a RawValue>,
}

/// What a body is.
#[derive(Debug)]
pub enum Message<'a> {
    /// One request or notification.
    One(Envelope<'a>),
    /// Not JSON, or a response of a client: the protocol layer says what is wrong with it.
    Other,
    /// JSON that two readers could understand differently, or several messages at once.
    Refused(&'static str),
}

#[derive(Deserialize)]
struct Outer<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    uri: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

/// Reads a body.
pub fn read(body: &[u8]) -> Message<'_> {
    let is_object = body.trim_ascii_start().first() == Some(&b'{');
    let outer = match serde_json::from_slice::<Outer<'_>>(body) {
        // A derived reader would take a list for an object, too.
        Ok(outer) if is_object => outer,
        Ok(_) | Err(_) => return refused(body),
    };
    let Some(method) = outer.method else {
        return Message::Other;
    };
    let mut target = None;
    let mut arguments = None;
    if let Some(raw) = outer.params.filter(|p| p.get().starts_with('{')) {
        let Ok(params) = serde_json::from_str::<Params<'_>>(raw.get()) else {
            return Message::Refused("A member of `params` is given twice, or a name is not text");
        };
        target = params.name.or(params.uri);
        arguments = params.arguments;
    }
    Message::One(Envelope {
        id: outer.id.filter(|id| id.get() != "null"),
        method,
        target,
        arguments,
    })
}

/// What is wrong with a body that is not one object with each member once.
fn refused(body: &[u8]) -> Message<'_> {
    let whole = serde_json::from_slice::<&RawValue>(body);
    match whole.map(|w| w.get().as_bytes().first()) {
        Ok(Some(b'{')) => Message::Refused("A member is given twice, or `method` is not text"),
        Ok(Some(b'[')) => Message::Refused("Batches are not spoken here: one message per POST"),
        Ok(_) | Err(_) => Message::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(body: &str) -> Envelope<'_> {
        match read(body.as_bytes()) {
            Message::One(envelope) => envelope,
            other @ (Message::Other | Message::Refused(_)) => panic!("{other:?}"),
        }
    }

    #[test]
    fn method_name_and_arguments_are_found_wherever_they_stand() {
        let body = r#" {"params":{"_meta":{"name":"no"},"arguments":{"ticker":"10y"},"name":"get_metric"},
            "id":"a\"1","jsonrpc":"2.0","method":"tools\/call"}"#;
        let found = one(body);
        assert_eq!(found.method, "tools/call");
        assert_eq!(found.target.as_deref(), Some("get_metric"));
        assert_eq!(found.id.unwrap().get(), r#""a\"1""#);
        assert_eq!(found.arguments.unwrap().get(), r#"{"ticker":"10y"}"#);
        let read = one(r#"{"method":"resources/read","params":{"uri":"macro://series/DGS10"}}"#);
        assert_eq!(read.target.as_deref(), Some("macro://series/DGS10"));
        assert!(read.id.is_none());
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        for body in [
            r#"{"method":"ping","method":"tools/call"}"#,
            r#"{"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            r#"[{"method":"tools/call"}]"#,
            r#"{"method":7}"#,
        ] {
            assert!(
                matches!(read(body.as_bytes()), Message::Refused(_)),
                "{body}"
            );
        }
        for body in ["", "nonsense", "7", r#"{"result":{},"id":1}"#, "{\"a\":"] {
            assert!(matches!(read(body.as_bytes()), Message::Other), "{body}");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!(
            r#"{{"method":"tools/call","params":{{"arguments":{}1{}}}}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert!(matches!(
            read(deep.as_bytes()),
            Message::One(_) | Message::Other
        ));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&body);
        }

        #[test]
        fn any_text_near_json_is_read_without_a_panic(body in "[\\[\\]{}:,\"a-z0-9 .\\\\]{0,80}") {
            let _ = read(body.as_bytes());
        }
    }
}
