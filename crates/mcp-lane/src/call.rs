//! A `tools/call` understood strictly, or not at all.
//!
//! Only what every reader understands in one way is taken: no escapes, no unknown or repeated members, an id that
//! reads back as it was written. Everything else is left to the protocol library, which knows what is wrong with it.

use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::ops::Range;

/// Longest id, arguments and `_meta`, in bytes; a longer one is left to the library.
const MAX_TEXT: usize = 4_096;
/// Digits of an id that fit an `i64` whatever they are.
const SAFE_DIGITS: usize = 18;

/// Where the parts of a call stand in the body.
#[derive(Debug, Clone)]
pub(crate) struct PlainCall {
    id: Range<usize>,
    tool: Range<usize>,
    arguments: Option<Range<usize>>,
    meta: Option<Range<usize>>,
}

/// The parts of a call.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    /// The tool that was named.
    pub(crate) tool: &'a str,
    /// The arguments as they came; empty for none.
    pub(crate) arguments: &'a str,
    /// `_meta` as it came.
    pub(crate) meta: Option<&'a str>,
}

/// The members of a plain call; with any other, or one given twice, it is none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members<'a> {
    jsonrpc: &'a str,
    #[serde(borrow)]
    id: &'a RawValue,
    method: &'a str,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params<'a> {
    name: &'a str,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

impl PlainCall {
    /// The call, when a body is one.
    pub(crate) fn read(body: &str) -> Option<Self> {
        // With a backslash the same name can be written in many ways, and half a surrogate pair can hide in a
        // value that nobody looks at.
        if !body.starts_with('{') || body.contains('\\') {
            return None;
        }
        let members: Members<'_> = serde_json::from_str(body).ok()?;
        let (params, id) = (members.params, members.id.get());
        if members.jsonrpc != "2.0" || members.method != "tools/call" || !is_plain_id(id) {
            return None;
        }
        let object = |raw: Option<&RawValue>| match raw.map(RawValue::get) {
            None => Some(None),
            Some(text) if text.starts_with('{') && text.len() <= MAX_TEXT => {
                range(text, body).map(Some)
            }
            Some(_) => None,
        };
        Some(Self {
            id: range(id, body)?,
            tool: range(params.name, body)?,
            arguments: object(params.arguments)?,
            meta: object(params.meta)?,
        })
    }

    /// The id as it came.
    pub(crate) fn id<'a>(&self, body: &'a [u8]) -> Option<&'a str> {
        text(&self.id, body)
    }

    /// The tool that was named.
    pub(crate) fn tool<'a>(&self, body: &'a [u8]) -> Option<&'a str> {
        text(&self.tool, body)
    }

    /// The parts of the call in the body that it was read from.
    pub(crate) fn parts<'a>(&self, body: &'a [u8]) -> Option<Call<'a>> {
        let part = |range: &Option<Range<usize>>| range.as_ref().and_then(|r| text(r, body));
        Some(Call {
            tool: self.tool(body)?,
            arguments: part(&self.arguments).unwrap_or_default(),
            meta: part(&self.meta),
        })
    }
}

impl Call<'_> {
    /// The arguments by name; `None` when they nest deeper than lists of plain values, where readers may differ.
    pub(crate) fn arguments(&self) -> Option<JsonObject> {
        if self.arguments.is_empty() {
            return Some(JsonObject::new());
        }
        let read: JsonObject = serde_json::from_str(self.arguments).ok()?;
        let is_scalar = |v: &Value| !v.is_array() && !v.is_object();
        let is_flat = |v: &Value| match v.as_array() {
            Some(items) => items.iter().all(is_scalar),
            None => is_scalar(v),
        };
        read.values().all(is_flat).then_some(read)
    }
}

/// Where a part of the body stands in it.
fn range(part: &str, body: &str) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(body.as_ptr().addr())?;
    Some(start..start + part.len()).filter(|range| range.end <= body.len())
}

fn text<'a>(range: &Range<usize>, body: &'a [u8]) -> Option<&'a str> {
    std::str::from_utf8(body.get(range.clone())?).ok()
}

/// Whether an id is written back as it was read: a short text, or a whole number in its only form.
fn is_plain_id(id: &str) -> bool {
    if id.starts_with('"') {
        return id.len() <= MAX_TEXT;
    }
    let digits = id.strip_prefix('-').unwrap_or(id);
    let is_number = (1..=SAFE_DIGITS).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
        && !digits.starts_with('0');
    is_number || id == "0"
}

#[cfg(test)]
mod tests;
