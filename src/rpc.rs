//! One JSON-RPC message, borrowed from the bytes it came in.
//!
//! Limits need the method and the tool's name before a message is answered, and a plain call can be answered from
//! what is read here. A message is read once: nothing is copied, arguments stay raw text, and the depth of what is
//! skipped costs no stack.

use bytes::Bytes;
use http::{Request, Response};
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;

/// Who answers what comes to `/mcp`.
pub trait Speaker: Clone + Send + Sync + 'static {
    /// Body of an answer.
    type Body: http_body::Body<Data = Bytes, Error = Infallible> + Send + 'static;

    /// Answers a request whose body is whole; `message` is what was read of it, when it is one.
    fn answer(
        &self,
        request: Request<Bytes>,
        message: Option<&Message<'_>>,
    ) -> impl Future<Output = Response<Self::Body>> + Send;
}

/// A request or notification.
#[derive(Debug)]
pub struct Message<'a> {
    /// `2.0`.
    pub jsonrpc: Option<Cow<'a, str>>,
    /// As it came, to be put into the answer; none for a notification.
    pub id: Option<&'a RawValue>,
    /// `tools/call` and so on.
    pub method: Cow<'a, str>,
    /// What is said beside the method, as far as it is looked at.
    pub params: Params<'a>,
    /// Whether all members are those of a plain call and of their usual kind.
    pub is_plain: bool,
}

/// The parameters of a tool, a prompt or a resource.
#[derive(Debug, Default)]
pub struct Params<'a> {
    /// Of the tool or prompt.
    pub name: Option<Cow<'a, str>>,
    /// Address of the resource.
    pub uri: Option<Cow<'a, str>>,
    /// Arguments as they came.
    pub arguments: Option<&'a RawValue>,
    /// `_meta` as it came.
    pub meta: Option<&'a RawValue>,
    is_plain: bool,
}

/// What a body is.
#[derive(Debug)]
pub enum Reading<'a> {
    /// One request or notification.
    One(Message<'a>),
    /// Not JSON, or a response of a client: the protocol library says what is wrong with it.
    Other,
    /// JSON that two readers could understand differently, or several messages at once.
    Refused(&'static str),
}

/// Reads a body.
pub fn read(body: &[u8]) -> Reading<'_> {
    let is_object = body.trim_ascii_start().first() == Some(&b'{');
    match serde_json::from_slice::<Outer<'_>>(body) {
        Ok(outer) if is_object => match outer.method {
            Some(Text(method)) => Reading::One(Message {
                jsonrpc: outer.jsonrpc.map(|t| t.0),
                id: outer.id.filter(|id| id.get() != "null"),
                method,
                is_plain: outer.is_plain && outer.params.is_plain,
                params: outer.params,
            }),
            None => Reading::Other,
        },
        Ok(_) | Err(_) => refused(body),
    }
}

impl Message<'_> {
    /// Name of the tool or prompt, else the address of the resource.
    pub fn target(&self) -> Option<&str> {
        let params = &self.params;
        params.name.as_deref().or(params.uri.as_deref())
    }
}

/// What is wrong with a body that is not one object with each member once.
fn refused(body: &[u8]) -> Reading<'_> {
    let whole = serde_json::from_slice::<&RawValue>(body);
    match whole.map(|w| w.get().as_bytes().first()) {
        Ok(Some(b'{')) => Reading::Refused(
            "A member is given twice, or a name (of the method, the tool, the resource) is not text",
        ),
        Ok(Some(b'[')) => Reading::Refused("Batches are not spoken here: one message per POST"),
        Ok(_) | Err(_) => Reading::Other,
    }
}

#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Default)]
struct Outer<'a> {
    jsonrpc: Option<Text<'a>>,
    id: Option<&'a RawValue>,
    method: Option<Text<'a>>,
    params: Params<'a>,
    is_plain: bool,
}

/// Puts a member in its place.
///
/// # Errors
/// When it stands there already: one reader would take the first, another the last.
fn once<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    place: &mut Option<T>,
    seen: &mut u8,
    bit: u8,
    members: &mut A,
) -> Result<(), A::Error> {
    if *seen & bit != 0 {
        return Err(A::Error::custom("a member is given twice"));
    }
    *seen |= bit;
    *place = members.next_value()?;
    Ok(())
}

/// A member's name where it is one that is looked at.
#[derive(serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Member {
    Jsonrpc,
    Id,
    Method,
    Params,
    #[serde(other)]
    Other,
}

impl<'de> Deserialize<'de> for Outer<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Outer<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Outer<'de>, A::Error> {
                let (mut outer, mut seen, mut params) = (Outer::default(), 0, None);
                let members = &mut members;
                outer.is_plain = true;
                while let Some(member) = members.next_key()? {
                    match member {
                        Member::Jsonrpc => once(&mut outer.jsonrpc, &mut seen, 1, members)?,
                        Member::Id => once(&mut outer.id, &mut seen, 2, members)?,
                        Member::Method => once(&mut outer.method, &mut seen, 4, members)?,
                        Member::Params => once(&mut params, &mut seen, 8, members)?,
                        Member::Other => {
                            outer.is_plain = false;
                            members.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                outer.params = params.unwrap_or_default();
                Ok(outer)
            }
        }
        from.deserialize_map(Reader)
    }
}

/// The same for the parameters.
#[derive(serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Parameter {
    Name,
    Uri,
    Arguments,
    #[serde(rename = "_meta")]
    Meta,
    #[serde(other)]
    Other,
}

impl<'de> Deserialize<'de> for Params<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ParamsReader)
    }
}

/// Reads parameters by name. Others (a list, a text) are of no tool, prompt or resource, and let pass.
struct ParamsReader;

impl<'de> Visitor<'de> for ParamsReader {
    type Value = Params<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("parameters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Params<'de>, A::Error> {
        let (mut name, mut uri) = (None::<Text<'de>>, None::<Text<'de>>);
        let (mut params, mut seen) = (Params::default(), 0);
        let members = &mut members;
        params.is_plain = true;
        while let Some(member) = members.next_key()? {
            match member {
                Parameter::Name => once(&mut name, &mut seen, 1, members)?,
                Parameter::Uri => {
                    params.is_plain = false;
                    once(&mut uri, &mut seen, 2, members)?;
                }
                Parameter::Arguments => once(&mut params.arguments, &mut seen, 4, members)?,
                Parameter::Meta => once(&mut params.meta, &mut seen, 8, members)?,
                Parameter::Other => {
                    params.is_plain = false;
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        params.name = name.map(|t| t.0);
        params.uri = uri.map(|t| t.0);
        Ok(params)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Params<'de>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Params::default())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Params<'de>, E> {
        Ok(Params::default())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Params<'de>, E> {
        Ok(Params::default())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Params<'de>, E> {
        Ok(Params::default())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Params<'de>, E> {
        Ok(Params::default())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Params<'de>, E> {
        Ok(Params::default())
    }

    fn visit_unit<E: Error>(self) -> Result<Params<'de>, E> {
        Ok(Params::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(body: &str) -> Message<'_> {
        match read(body.as_bytes()) {
            Reading::One(message) => message,
            other @ (Reading::Other | Reading::Refused(_)) => panic!("{other:?}"),
        }
    }

    #[test]
    fn method_name_and_arguments_are_found_wherever_they_stand() {
        let body = r#" {"params":{"_meta":{"name":"no"},"arguments":{"ticker":"10y"},"name":"get_metric"},
            "id":"a\"1","jsonrpc":"2.0","method":"tools\/call"}"#;
        let found = one(body);
        assert_eq!(found.method, "tools/call");
        assert_eq!(found.target(), Some("get_metric"));
        assert_eq!(found.id.unwrap().get(), r#""a\"1""#);
        assert_eq!(found.params.arguments.unwrap().get(), r#"{"ticker":"10y"}"#);
        let read = one(r#"{"method":"resources/read","params":{"uri":"macro://series/DGS10"}}"#);
        assert_eq!(read.target(), Some("macro://series/DGS10"));
        assert!(read.id.is_none());
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        for body in [
            r#"{"method":"ping","method":"tools/call"}"#,
            r#"{"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            r#"[{"method":"tools/call"}]"#,
            r#"{"method":"tools/call","params":{"uri":"a","uri":null}}"#,
            r#"{"method":"tools/call","params":{"name":7}}"#,
            r#"{"method":7}"#,
        ] {
            assert!(
                matches!(read(body.as_bytes()), Reading::Refused(_)),
                "{body}"
            );
        }
        for body in ["", "nonsense", "7", r#"{"result":{},"id":1}"#, "{\"a\":"] {
            assert!(matches!(read(body.as_bytes()), Reading::Other), "{body}");
        }
    }

    #[test]
    fn a_plain_call_has_no_member_but_its_own() {
        let call = |params: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
        };
        for (params, plain) in [
            (r#"{"name":"a","arguments":{},"_meta":{}}"#, true),
            (r#"{"name":"a","uri":null}"#, false),
            (r#"{"name":"a","task":{}}"#, false),
            ("[]", false),
            ("[[1,{}],2]", false),
            ("null", false),
            ("7", false),
            ("-7", false),
            ("1.5", false),
            ("true", false),
            (r#""a\nb""#, false),
        ] {
            let text = call(params);
            assert_eq!(one(&text).is_plain, plain, "{params}");
        }
        let more =
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"result":{}}"#;
        assert!(!one(more).is_plain);
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
            Reading::One(_) | Reading::Other
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
