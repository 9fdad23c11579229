//! One JSON-RPC message with the bytes of its body.
//!
//! Rate limits need the method and the tool's name before a message is answered, and a plain call is answered from what
//! is parsed here. Skipped members may nest deeply without using stack.

use super::protocol::Lifecycle;
use axum::body::Bytes;
use econoscope_answers::endpoints::{Arguments, Route};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Maximum number of values in a message: arguments are few, and each value costs more than its bytes.
const MAX_VALUES: usize = 4_096;
/// Number of digits that always fit an `i64`.
const SAFE_DIGITS: usize = 18;

/// A body and the members that were read from it.
#[derive(Debug, Clone, Default)]
pub struct Message {
    /// The whole body.
    pub bytes: Bytes,
    /// The method, such as `tools/call`; `None` for what is neither a request nor a notification.
    pub method: Option<Cow<'static, str>>,
    /// The id as JSON text; `None` for a notification.
    pub id: Option<String>,
    /// Name of the tool or prompt, or address of the resource.
    pub target: Option<Cow<'static, str>>,
    /// The call, if the message is a plain one.
    pub(super) call: Option<PlainCall>,
}

/// A `tools/call` that every reader of JSON understands in the same way: it has no escapes, no unknown or repeated
/// members, a known tool, and an id that is written back as it was read.
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
        let message = match parse_plain_call(text) {
            Some(message) => message,
            None => match serde_json::from_str::<Envelope<'_>>(text) {
                Ok(envelope) => envelope.into_message(),
                Err(_) => check_unreadable(&bytes)?,
            },
        };
        Ok(Self { bytes, ..message })
    }
}

/// The members of a plain call. A further or repeated member is an error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainEnvelope<'a> {
    jsonrpc: &'a str,
    #[serde(borrow)]
    id: &'a RawValue,
    method: &'a str,
    #[serde(borrow)]
    params: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainParams<'a> {
    name: &'a str,
    arguments: Option<JsonObject>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

/// Parses a plain call; `None` for any other body.
fn parse_plain_call(body: &str) -> Option<Message> {
    // With escapes one name has many spellings. Serde also reads a list as a struct.
    let is_object = |text: &str| text.starts_with('{');
    if !is_object(body) || body.contains('\\') {
        return None;
    }
    let envelope: PlainEnvelope<'_> = serde_json::from_str(body).ok()?;
    let (id, params) = (envelope.id.get(), envelope.params.get());
    let is_call = envelope.jsonrpc == "2.0" && envelope.method == "tools/call";
    if !is_call || !is_plain_id(id) || !is_object(params) {
        return None;
    }
    let params: PlainParams<'_> = serde_json::from_str(params).ok()?;
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

/// Whether a value is a scalar or a list of scalars. Readers differ in the depth they allow.
fn is_flat(value: &Value) -> bool {
    let is_scalar = |v: &Value| !v.is_array() && !v.is_object();
    match value.as_array() {
        Some(items) => items.iter().all(is_scalar),
        None => is_scalar(value),
    }
}

/// Whether an id is written back as it was read: a string, or an integer in its canonical form.
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

/// The members that any message may have. A repeated member is an error.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(rename = "jsonrpc")]
    _jsonrpc: Option<String>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    params: Option<Params>,
}

/// The parameters that name the target.
#[derive(Deserialize)]
struct Params {
    name: Option<String>,
    uri: Option<String>,
    #[serde(rename = "arguments")]
    _arguments: Option<IgnoredAny>,
    #[serde(rename = "_meta")]
    _meta: Option<IgnoredAny>,
}

impl Envelope<'_> {
    fn into_message(self) -> Message {
        let Some(method) = self.method else {
            return Message::default();
        };
        // The SDK reads a resource by its address, even if `name` is present.
        let is_read = method == "resources/read";
        let target = self.params.and_then(|p| match is_read {
            true => p.uri.or(p.name),
            false => p.name.or(p.uri),
        });
        Message {
            method: Some(method.into()),
            id: self.id.map(|id| id.get().to_owned()),
            target: target.map(Cow::Owned),
            ..Message::default()
        }
    }
}

/// Returns the error for JSON that is not an [`Envelope`], and an empty message for what the SDK reports.
fn check_unreadable(body: &[u8]) -> Result<Message, InvalidMessage> {
    // As a tree, since raw text accepts invalid numbers and escapes.
    match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(_)) => Err(InvalidMessage(
            "A member occurs twice, a name (of the method, the tool, the resource) is not a string, or params is not an object",
        )),
        Ok(Value::Array(_)) => Err(InvalidMessage(
            "Batches are not supported; send one message per POST",
        )),
        Ok(_) | Err(_) => Ok(Message::default()),
    }
}

#[cfg(test)]
mod tests;
