//! A `tools/call` read strictly and without a copy, or not at all.
//!
//! Only what every reader understands in one way is taken: no escapes, no unknown or repeated members, an id that
//! reads back as it was written. Everything else is left to the protocol library, which knows what is wrong with it.

use crate::endpoints::{Arguments, Route};
use crate::rpc::{self, Message, Reading};
use serde_json::Value;
use serde_json::value::RawValue;

/// Longest id, arguments and `_meta`, in bytes; a longer one is left to the library.
const MOST_TEXT: usize = 4_096;
/// Digits of an id that fit an `i64` whatever they are.
const SAFE_DIGITS: usize = 18;

/// A call of a tool of the table.
#[derive(Debug)]
pub(in crate::mcp) struct Call<'a> {
    /// As it came, to be put into the answer.
    pub(super) id: &'a str,
    /// The endpoint that was named.
    pub(super) route: &'static Route,
    /// `_meta` as it came.
    pub(super) meta: Option<&'a str>,
    arguments: Option<&'a str>,
}

impl<'a> Call<'a> {
    /// Reads a line; `None` when it is no call that can be answered from here.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        match rpc::read(line) {
            Reading::One(message) => Self::of(&message, line),
            Reading::Other | Reading::Refused(_) => None,
        }
    }

    /// The call that a message is; `bytes` are what it was read from.
    pub(super) fn of(message: &Message<'a>, bytes: &'a [u8]) -> Option<Self> {
        let is_call = message.is_plain
            && message.jsonrpc.as_deref() == Some("2.0")
            && message.method == "tools/call";
        // With a backslash the same name can be written in many ways, and half a surrogate pair can hide in a
        // value that nobody looks at.
        if !is_call || bytes.first() != Some(&b'{') || bytes.contains(&b'\\') {
            return None;
        }
        let params = &message.params;
        let text = |raw: Option<&'a RawValue>| match raw {
            None => Some(None),
            Some(raw) => object(raw).filter(|t| t.len() <= MOST_TEXT).map(Some),
        };
        Some(Self {
            id: message.id.map(RawValue::get).filter(|id| is_plain_id(id))?,
            route: Route::find(params.name.as_deref()?)?,
            meta: text(params.meta)?,
            arguments: text(params.arguments)?,
        })
    }

    /// The arguments as they came, for a key.
    pub(super) fn arguments_text(&self) -> &'a str {
        self.arguments.unwrap_or_default()
    }

    /// The arguments by name; `None` when they nest deeper than any endpoint wants, where readers may differ.
    pub(super) fn arguments(&self) -> Option<Arguments> {
        let Some(text) = self.arguments else {
            return Some(Arguments::new());
        };
        let read: Arguments = serde_json::from_str(text).ok()?;
        let is_scalar = |v: &Value| !v.is_array() && !v.is_object();
        let is_flat = |v: &Value| match v.as_array() {
            Some(items) => items.iter().all(is_scalar),
            None => is_scalar(v),
        };
        read.values().all(is_flat).then_some(read)
    }
}

/// The text of an object. A derived reader would take a list for one, too.
fn object(raw: &RawValue) -> Option<&str> {
    Some(raw.get()).filter(|text| text.starts_with('{'))
}

/// Whether an id is written back as it was read: a short text, or a whole number in its only form.
fn is_plain_id(id: &str) -> bool {
    if id.starts_with('"') {
        return id.len() <= MOST_TEXT;
    }
    let digits = id.strip_prefix('-').unwrap_or(id);
    let is_number = (1..=SAFE_DIGITS).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
        && !digits.starts_with('0');
    is_number || id == "0"
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with_id(id: &str) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"get_regime"}}}}"#
        )
    }

    #[test]
    fn a_plain_call_is_read_whatever_the_order() {
        let body = r#"{"params":{"_meta":{"a":1},"arguments":{"ticker":"10y"},"name":"get_metric"},
            "method":"tools/call","id":"a1","jsonrpc":"2.0"}"#;
        let call = Call::read(body.as_bytes()).unwrap();
        assert_eq!(call.id, r#""a1""#);
        assert_eq!(call.route.spec.tool, "get_metric");
        assert_eq!(call.meta, Some(r#"{"a":1}"#));
        assert_eq!(call.arguments_text(), r#"{"ticker":"10y"}"#);
        assert_eq!(call.arguments().unwrap()["ticker"], "10y");
        assert!(
            Call::read(with_id("7").as_bytes())
                .unwrap()
                .arguments()
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn ids_that_are_written_back_otherwise_are_left() {
        for id in ["0", "7", "-7", "999999999999999999", r#""""#, r#""x y""#] {
            assert!(Call::read(with_id(id).as_bytes()).is_some(), "{id}");
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
            assert!(Call::read(with_id(id).as_bytes()).is_none(), "{id}");
        }
    }

    #[test]
    fn what_has_two_readings_is_left() {
        for body in [
            r#"["2.0",1,"tools/call",{"name":"get_regime"}]"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["get_regime"]}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_regime","task":{}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_regime","arguments":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_regime","name":"get_metric"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"get_regime"}}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"get_regime"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_regime"},"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such_tool"}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"get_regime"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            "",
            "{",
        ] {
            assert!(Call::read(body.as_bytes()).is_none(), "{body}");
        }
        let deep = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_metric","arguments":{"a":[[1]]}}}"#;
        assert!(Call::read(deep.as_bytes()).unwrap().arguments().is_none());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Call::read(&body);
        }

        #[test]
        fn any_id_that_is_taken_is_json_that_reads_back(id in "[-\"0-9a-z ]{1,24}") {
            if let Some(call) = Call::read(with_id(&id).as_bytes()) {
                let back: Value = serde_json::from_str(call.id).unwrap();
                prop_assert_eq!(back.to_string(), call.id);
            }
        }
    }
}
