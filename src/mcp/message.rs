//! One JSON-RPC message with the bytes of its body.
//!
//! Rate limits need the method and the tool's name before a message is answered, and a plain call is answered from what
//! is parsed here.

use super::protocol::Lifecycle;
use super::{jsonrpc, params};
use axum::body::Bytes;
use econoscope_answers::{Arguments, Route};
use rmcp::model::RequestId;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

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

/// Why a body is refused: readers could understand it differently, it is larger than any use, or its parameters do not fit.
#[derive(Debug, Clone, PartialEq)]
pub struct InvalidMessage {
    id: Option<RequestId>,
    /// The code of JSON-RPC.
    pub code: i32,
    /// The explanation.
    pub why: Cow<'static, str>,
}

impl InvalidMessage {
    pub(super) fn new(body: &[u8], code: i32, why: impl Into<Cow<'static, str>>) -> Self {
        let why = why.into();
        let id = find_id(body);
        Self { id, code, why }
    }

    /// Encodes the error response, with the id of the body if it can be read.
    pub(super) fn encode(&self) -> Bytes {
        jsonrpc::error(self.id.as_ref(), self.code, &self.why, None)
    }
}

/// Returns the id of a body, or of its beginning, even if the rest cannot be understood; `None` if the id itself cannot, or
/// occurs twice.
pub(super) fn find_id(body: &[u8]) -> Option<RequestId> {
    let mut ids = Vec::new();
    let mut reader = serde_json::Deserializer::from_slice(body);
    // The error of a body that ends early comes after what was read of it.
    drop(reader.deserialize_map(IdVisitor(&mut ids)));
    match ids.as_slice() {
        [id] => id.clone(),
        _ => None,
    }
}

/// Collects the ids of a message.
struct IdVisitor<'a>(&'a mut Vec<Option<RequestId>>);

impl<'de> Visitor<'de> for IdVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut newest = None;
        while let Some(name) = members.next_key::<Cow<'_, str>>()? {
            // A number at the end of a beginning may go on, so an id counts once the next member is there.
            self.0.extend(newest.take());
            if name == "id" {
                newest = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        self.0.extend(newest);
        Ok(())
    }
}

impl Message {
    /// Parses a body. A body that is not JSON, or that is a client's response, becomes a message without a method; the
    /// SDK reports what is wrong with it.
    ///
    /// # Errors
    /// [`InvalidMessage`] for JSON that has a member twice or of the wrong type, several messages, or too many values.
    pub fn read(bytes: Bytes) -> Result<Self, InvalidMessage> {
        let opens = |b: &&u8| matches!(b, b',' | b'[' | b'{');
        if bytes.len() > MAX_VALUES && bytes.iter().filter(opens).count() > MAX_VALUES {
            let why = "A message has at most 4,096 values";
            return Err(InvalidMessage::new(&bytes, jsonrpc::INVALID_REQUEST, why));
        }
        // Validates UTF-8 once for all members.
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let message = match serde_json::from_str::<Envelope<'_>>(text) {
            // Serde also reads a list as a struct.
            Ok(envelope) if !text.trim_start().starts_with('[') => envelope.into_message(),
            Err(error) if error.to_string().starts_with("duplicate field") => {
                let why = "A member occurs twice";
                return Err(InvalidMessage::new(&bytes, jsonrpc::INVALID_REQUEST, why));
            }
            _ => match params::check(&bytes)? {
                Some(repaired) => return Self::read(repaired),
                None => check_unreadable(&bytes)?,
            },
        };
        let is_bracket = |b: &&u8| matches!(b, b'[' | b'{');
        let is_shallow = bytes.iter().filter(is_bracket).count() <= MAX_BRACKETS;
        let call = message.call.filter(|_| is_shallow);
        if call.is_none()
            && message.method.is_some()
            && let Some(repaired) = params::check(&bytes)?
        {
            return Self::read(repaired);
        }
        Ok(Self {
            bytes,
            call,
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
        Ok(value @ (Value::Object(_) | Value::Array(_))) => {
            let why = describe(&value);
            Err(InvalidMessage::new(body, jsonrpc::INVALID_REQUEST, why))
        }
        Ok(_) | Err(_) => Ok(Message::default()),
    }
}

/// Describes why JSON is no request or notification.
pub(super) fn describe(value: &Value) -> &'static str {
    if value.is_array() {
        return "Batches are not supported; send one message at a time";
    }
    let Value::Object(message) = value else {
        return "A message is an object";
    };
    let is_id = |id: &Value| id.is_string() || id.is_i64();
    let has_version = message
        .get("jsonrpc")
        .is_some_and(|version| version == "2.0");
    match (message.get("method"), message.get("id")) {
        (_, Some(id)) if !is_id(id) => "The id must be a string or a whole number",
        (None, _) => "The method is missing",
        (Some(method), _) if !method.is_string() => "The method must be a string",
        _ if !has_version => "The member jsonrpc must be \"2.0\"",
        _ if message.contains_key("result") || message.contains_key("error") => {
            "A message has a method, or a result or error, but not both"
        }
        _ => "A member occurs twice or has the wrong type",
    }
}

#[cfg(test)]
mod tests;
