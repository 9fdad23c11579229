//! One JSON-RPC message with the bytes it came in.
//!
//! Limits need the method and the tool's name before a message is answered, and a plain call can be answered from
//! what is read here. A plain call is read once: arguments stay raw text and nothing is copied. The depth of
//! what is skipped costs no stack.

use crate::call::{Call, PlainCall};
use bytes::Bytes;
use http_body_util::Full;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Most values in a message: arguments are few, and each value costs more than its bytes.
const MAX_VALUES: usize = 4_096;

/// A body and what was read of it. [`Message::into_body`] gives it to the library whole.
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
    /// A call of a tool that is understood completely.
    Call(PlainCall),
    /// Any other request or notification.
    Other {
        method: String,
        id: Option<String>,
        target: Option<String>,
    },
}

/// Why a body is no message: readers could understand it differently, or it is more than any has use for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused(pub &'static str);

impl Message {
    /// Reads a body. What is not JSON, or a client's response, is a message without a method: the library behind
    /// says what is wrong with it.
    ///
    /// # Errors
    /// [`Refused`] for JSON that has a member twice or of the wrong kind, several messages, or too many values.
    pub fn read(bytes: Bytes) -> Result<Self, Refused> {
        if is_crowded(&bytes) {
            return Err(Refused("A message has at most 4,096 values"));
        }
        // Checked as text once and whole, and not again for each member.
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

    /// The body as it came, for a library that reads it again.
    pub fn into_body(self) -> Full<Bytes> {
        Full::new(self.bytes)
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
            Content::Call(call) => call.id(&self.bytes),
            Content::Other { id, .. } => id.as_deref(),
        }
    }

    /// Name of the tool or prompt, else the address of the resource.
    pub fn target(&self) -> Option<&str> {
        match &self.content {
            Content::Unknown => None,
            Content::Call(call) => call.tool(&self.bytes),
            Content::Other { target, .. } => target.as_deref(),
        }
    }

    /// The call, when it is understood completely.
    pub(crate) fn call(&self) -> Option<Call<'_>> {
        match &self.content {
            Content::Call(call) => call.parts(&self.bytes),
            Content::Unknown | Content::Other { .. } => None,
        }
    }
}

/// Whether there may be more values in a message than any has use for.
fn is_crowded(body: &[u8]) -> bool {
    let begins = |b: &&u8| matches!(b, b',' | b'[' | b'{');
    body.len() > MAX_VALUES && body.iter().filter(begins).count() > MAX_VALUES
}

/// What any message may have; a member that stands there twice is an error.
#[derive(serde::Deserialize)]
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
#[derive(serde::Deserialize)]
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
#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Members<'_> {
    fn content(self) -> Content {
        let Some(method) = self.method else {
            return Content::Unknown;
        };
        Content::Other {
            method: method.0.into_owned(),
            id: self.id.map(|id| id.get().to_owned()),
            target: self
                .params
                .and_then(|p| p.name.or(p.uri))
                .map(|text| text.0.into_owned()),
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
