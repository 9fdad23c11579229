//! One JSON-RPC message with the bytes it came in.
//!
//! Rate limits need the method and the tool's name before a message is answered, and a plain call is answered from what
//! is read here. The depth of what is skipped costs no stack.

use super::protocol::Lifecycle;
use axum::body::Bytes;
use econoscope_answers::endpoints::{Arguments, Route};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Most values in a message: arguments are few, and each value costs more than its bytes.
const MAX_VALUES: usize = 4_096;
/// Digits of an id that fit an `i64` whatever they are.
const SAFE_DIGITS: usize = 18;

/// A body and what was read of it.
#[derive(Debug, Clone, Default)]
pub struct Message {
    /// All of the body.
    pub bytes: Bytes,
    /// `tools/call` and so on; none for what is neither a request nor a notification.
    pub method: Option<Cow<'static, str>>,
    /// The id as it came; none for a notification.
    pub id: Option<String>,
    /// Name of the tool or prompt, else the address of the resource.
    pub target: Option<Cow<'static, str>>,
    /// The call, when it is a plain one.
    pub(super) call: Option<PlainCall>,
}

/// A `tools/call` that every reader understands in one way: no escapes, no unknown or repeated members, a known tool, and
/// an id that is written back as it was read.
#[derive(Debug, Clone)]
pub(super) struct PlainCall {
    pub(super) route: &'static Route,
    pub(super) arguments: Arguments,
    /// What `_meta` says.
    pub(super) lifecycle: Lifecycle,
}

/// Why a body is refused: readers could understand it differently, or it is larger than any use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused(pub &'static str);

impl Message {
    /// Reads a body. What is not JSON, or a client's response, is a message without a method: the protocol library says
    /// what is wrong with it.
    ///
    /// # Errors
    /// [`Refused`] for JSON that has a member twice or of the wrong kind, several messages, or too many values.
    pub fn read(bytes: Bytes) -> Result<Self, Refused> {
        let opens = |b: &&u8| matches!(b, b',' | b'[' | b'{');
        if bytes.len() > MAX_VALUES && bytes.iter().filter(opens).count() > MAX_VALUES {
            return Err(Refused("A message has at most 4,096 values"));
        }
        // Checked as UTF-8 once, and not again for each member.
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let read = match plain(text) {
            Some(call) => call,
            None => match serde_json::from_str::<Members<'_>>(text) {
                Ok(members) => members.into_message(),
                Err(_) => unread(&bytes)?,
            },
        };
        Ok(Self { bytes, ..read })
    }
}

/// The members of a plain call; with any other, or one given twice, it is none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallMembers<'a> {
    jsonrpc: &'a str,
    #[serde(borrow)]
    id: &'a RawValue,
    method: &'a str,
    #[serde(borrow)]
    params: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallParams<'a> {
    name: &'a str,
    arguments: Option<JsonObject>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

/// A plain call, where a body is one.
fn plain(body: &str) -> Option<Message> {
    // With a backslash the same name can be written in many ways. A list can stand for an object.
    let is_object = |text: &str| text.starts_with('{');
    if !is_object(body) || body.contains('\\') {
        return None;
    }
    let members: CallMembers<'_> = serde_json::from_str(body).ok()?;
    let (id, params) = (members.id.get(), members.params.get());
    let is_call = members.jsonrpc == "2.0" && members.method == "tools/call";
    if !is_call || !is_plain_id(id) || !is_object(params) {
        return None;
    }
    let params: CallParams<'_> = serde_json::from_str(params).ok()?;
    let call = PlainCall {
        route: Route::find(params.name)?,
        lifecycle: Lifecycle::of_meta(params.meta.map(RawValue::get))?,
        arguments: params.arguments.unwrap_or_default(),
    };
    call.arguments.values().all(is_flat).then(|| Message {
        method: Some("tools/call".into()),
        id: Some(id.to_owned()),
        target: Some(call.route.spec.tool.into()),
        call: Some(call),
        ..Message::default()
    })
}

/// Whether a value nests no deeper than a list of plain values: readers differ in how deep they go.
fn is_flat(value: &Value) -> bool {
    let is_scalar = |v: &Value| !v.is_array() && !v.is_object();
    match value.as_array() {
        Some(items) => items.iter().all(is_scalar),
        None => is_scalar(value),
    }
}

/// Whether an id is written back as it was read: a text, or a whole number in its only form.
fn is_plain_id(id: &str) -> bool {
    if id.starts_with('"') {
        return true;
    }
    let digits = id.strip_prefix('-').unwrap_or(id);
    let is_number = (1..=SAFE_DIGITS).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
        && !digits.starts_with('0');
    is_number || id == "0"
}

/// What any message may have; a member that stands there twice is an error.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow, rename = "jsonrpc")]
    _jsonrpc: Option<Text<'a>>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Text<'a>>,
    #[serde(borrow)]
    params: Option<Params<'a>>,
}

/// What is looked at of the parameters.
#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    uri: Option<Text<'a>>,
    #[serde(rename = "arguments")]
    _arguments: Option<IgnoredAny>,
    #[serde(rename = "_meta")]
    _meta: Option<IgnoredAny>,
}

/// A text, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Members<'_> {
    fn into_message(self) -> Message {
        let Some(method) = self.method else {
            return Message::default();
        };
        let owned = |text: Text<'_>| Cow::Owned(text.0.into_owned());
        // A resource is read by its address, whatever else is named.
        let is_read = method.0 == "resources/read";
        let target = self.params.and_then(|p| match is_read {
            true => p.uri.or(p.name),
            false => p.name.or(p.uri),
        });
        Message {
            method: Some(owned(method)),
            id: self.id.map(|id| id.get().to_owned()),
            target: target.map(owned),
            ..Message::default()
        }
    }
}

/// What is wrong with a body that is not one object with each member once; nothing for what the library explains.
fn unread(body: &[u8]) -> Result<Message, Refused> {
    // As a tree: raw text would let numbers and letters pass that do not exist.
    match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(_)) => Err(Refused(
            "A member is given twice, a name (of the method, the tool, the resource) is not text, or params is no object",
        )),
        Ok(Value::Array(_)) => Err(Refused("Batches are not spoken here: one message per POST")),
        Ok(_) | Err(_) => Ok(Message::default()),
    }
}

#[cfg(test)]
mod tests;
