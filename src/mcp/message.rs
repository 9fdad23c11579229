//! One JSON-RPC message with the bytes it came in.
//!
//! Rate limits need the method and the tool's name before a message is answered, and a plain call is answered from what
//! is read here. The depth of what is skipped costs no stack.

use super::lifecycle::Lifecycle;
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
    bytes: Bytes,
    content: Content,
}

#[derive(Debug, Clone, Default)]
enum Content {
    /// Neither a request nor a notification: what is not JSON, or a client's response.
    #[default]
    Unknown,
    Call(PlainCall),
    /// Any other request or notification.
    Other {
        method: String,
        id: Option<String>,
        target: Option<String>,
    },
}

/// A `tools/call` that every reader understands in one way: no escapes, no unknown or repeated members, a known tool, and
/// an id that is written back as it was read.
#[derive(Debug, Clone)]
pub(super) struct PlainCall {
    pub(super) id: String,
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
        let content = match PlainCall::read(text) {
            Some(call) => Content::Call(call),
            None => match serde_json::from_str::<Members<'_>>(text) {
                Ok(members) => members.content(),
                Err(_) => unread(&bytes)?,
            },
        };
        Ok(Self { bytes, content })
    }

    /// All of the body.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// `tools/call` and so on; none for what is neither a request nor a notification.
    pub fn method(&self) -> Option<&str> {
        match &self.content {
            Content::Unknown => None,
            Content::Call(_) => Some("tools/call"),
            Content::Other { method, .. } => Some(method),
        }
    }

    /// The id as it came; none for a notification.
    pub fn id(&self) -> Option<&str> {
        match &self.content {
            Content::Unknown => None,
            Content::Call(call) => Some(&call.id),
            Content::Other { id, .. } => id.as_deref(),
        }
    }

    /// Name of the tool or prompt, else the address of the resource.
    pub fn target(&self) -> Option<&str> {
        match &self.content {
            Content::Unknown => None,
            Content::Call(call) => Some(call.route.spec.tool),
            Content::Other { target, .. } => target.as_deref(),
        }
    }

    /// The call, when it is a plain one.
    pub(super) fn call(&self) -> Option<&PlainCall> {
        match &self.content {
            Content::Call(call) => Some(call),
            Content::Unknown | Content::Other { .. } => None,
        }
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

impl PlainCall {
    fn read(body: &str) -> Option<Self> {
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
        let arguments = params.arguments.unwrap_or_default();
        let lifecycle = Lifecycle::of_meta(params.meta.map(RawValue::get))?;
        let route = Route::find(params.name)?;
        arguments.values().all(is_flat).then(|| Self {
            id: id.to_owned(),
            route,
            arguments,
            lifecycle,
        })
    }
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
    fn content(self) -> Content {
        let Some(method) = self.method else {
            return Content::Unknown;
        };
        let target = self.params.and_then(|p| p.name.or(p.uri));
        Content::Other {
            method: method.0.into_owned(),
            id: self.id.map(|id| id.get().to_owned()),
            target: target.map(|text| text.0.into_owned()),
        }
    }
}

/// What is wrong with a body that is not one object with each member once; nothing for what the library explains.
fn unread(body: &[u8]) -> Result<Content, Refused> {
    // As a tree: raw text would let numbers and letters pass that do not exist.
    match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(_)) => Err(Refused(
            "A member is given twice, a name (of the method, the tool, the resource) is not text, or params is no object",
        )),
        Ok(Value::Array(_)) => Err(Refused("Batches are not spoken here: one message per POST")),
        Ok(_) | Err(_) => Ok(Content::Unknown),
    }
}

#[cfg(test)]
mod tests;
