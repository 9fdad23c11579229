//! One JSON-RPC message with the bytes of its body.
//!
//! Rate limits need the method and the tool's name before a message is answered, and a plain call is answered from what
//! is parsed here.

use super::protocol::Lifecycle;
use axum::body::Bytes;
use econoscope_answers::{Arguments, Route};
use rmcp::model::RequestId;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::borrow::Cow;

/// Maximum number of values in a message: arguments are few, and each value costs more than its bytes.
const MAX_VALUES: usize = 4_096;
/// Maximum number of brackets in a plain call. Readers differ in the depth they allow.
const MAX_BRACKETS: usize = 32;

/// A body and the members that were read from it.
#[derive(Debug, Clone, Default)]
pub struct Message {
    /// The whole body.
    pub bytes: Bytes,
    /// The method, such as `tools/call`; `None` for what is neither a request nor a notification.
    pub method: Option<Cow<'static, str>>,
    /// The id; `None` for a notification.
    pub id: Option<RequestId>,
    /// Name of the tool or prompt, or address of the resource.
    pub target: Option<Cow<'static, str>>,
    /// The call, if the message is a plain one.
    pub(super) call: Option<PlainCall>,
}

/// A `tools/call` of a known tool with an id, and with arguments that the SDK would read in the same way.
#[derive(Debug, Clone)]
pub(super) struct PlainCall {
    pub(super) route: &'static Route,
    pub(super) arguments: Arguments,
    /// The lifecycle that `_meta` declares.
    pub(super) lifecycle: Lifecycle,
}

/// Why a body is refused: readers could understand it differently, or it is larger than any use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidMessage(pub &'static str);

impl Message {
    /// Parses a body. A body that is not JSON, or that is a client's response, becomes a message without a method; the
    /// SDK reports what is wrong with it.
    ///
    /// # Errors
    /// [`InvalidMessage`] for JSON that has a member twice or of the wrong type, several messages, or too many values.
    pub fn read(bytes: Bytes) -> Result<Self, InvalidMessage> {
        let opens = |b: &&u8| matches!(b, b',' | b'[' | b'{');
        if bytes.len() > MAX_VALUES && bytes.iter().filter(opens).count() > MAX_VALUES {
            return Err(InvalidMessage("A message has at most 4,096 values"));
        }
        // Validates UTF-8 once for all members.
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let message = match serde_json::from_str::<Envelope<'_>>(text) {
            // Serde also reads a list as a struct.
            Ok(envelope) if !text.trim_start().starts_with('[') => envelope.into_message(),
            _ => check_unreadable(&bytes)?,
        };
        let is_bracket = |b: &&u8| matches!(b, b'[' | b'{');
        let is_shallow = bytes.iter().filter(is_bracket).count() <= MAX_BRACKETS;
        Ok(Self {
            bytes,
            call: message.call.filter(|_| is_shallow),
            ..message
        })
    }
}

/// The members that any message may have. A repeated member is an error.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Option<Cow<'a, str>>,
    id: Option<RequestId>,
    method: Option<String>,
    params: Option<Params>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
struct Params {
    name: Option<String>,
    uri: Option<String>,
    arguments: Option<Value>,
    #[serde(rename = "_meta")]
    meta: Option<Value>,
}

impl Envelope<'_> {
    fn into_message(self) -> Message {
        let Some(method) = self.method else {
            return Message::default();
        };
        let mut params = self.params.unwrap_or_default();
        // The SDK refuses a request that is a response as well.
        let is_request = self.result.is_none() && self.error.is_none();
        let is_call = method == "tools/call" && self.jsonrpc.as_deref() == Some("2.0");
        let call = params.plain_call();
        // The SDK reads a resource by its address, even if `name` is present.
        let target = if method == "resources/read" {
            params.uri.or(params.name)
        } else {
            params.name.or(params.uri)
        };
        Message {
            call: call.filter(|_| is_call && is_request && self.id.is_some()),
            method: Some(method.into()),
            id: self.id,
            target: target.map(Cow::Owned),
            bytes: Bytes::new(),
        }
    }
}

impl Params {
    fn plain_call(&mut self) -> Option<PlainCall> {
        Some(PlainCall {
            route: Route::find(self.name.as_deref()?)?,
            lifecycle: Lifecycle::of_meta(self.meta.take())?,
            arguments: match self.arguments.take() {
                None => Arguments::new(),
                Some(Value::Object(arguments)) => arguments,
                Some(_) => return None,
            },
        })
    }
}

/// Returns the error for JSON that is not an [`Envelope`], and an empty message for what the SDK reports.
fn check_unreadable(body: &[u8]) -> Result<Message, InvalidMessage> {
    // As a tree, since raw text accepts invalid numbers and escapes.
    match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(_)) => Err(InvalidMessage(
            "A member occurs twice, the id is neither a string nor a whole number, a name (of the method, the tool, the resource) is not a string, or params is not an object",
        )),
        Ok(Value::Array(_)) => Err(InvalidMessage(
            "Batches are not supported; send one message per POST",
        )),
        Ok(_) | Err(_) => Ok(Message::default()),
    }
}

#[cfg(test)]
mod tests;
