//! Results of tools, built once for both ways: as a tree for the library, as bytes for the lane before it.

use super::protocol::Signature;
use bytes::Bytes;
use econoscope_answers::endpoints::Backend;
use econoscope_core::error::Error;
use econoscope_core::model::untrusted;
use mcp_lane::{Lifecycle, Rendered};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, ResultType};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// Longest text taken over from an upstream, in characters.
pub(super) const MAX_TEXT: usize = 40_000;

/// JSON of so many bytes is taken apart at once.
const SMALL_ANSWER: usize = 16 * 1024;

/// What a call gives; its structured part is kept apart, as it was rendered.
pub(super) struct ToolResult {
    /// All but the structured part.
    pub(super) shape: CallToolResult,
    /// The structured part of a success.
    pub(super) json: Option<Bytes>,
    /// Whether another server said it, with its age, which is another text every second.
    pub(super) is_forwarded: bool,
}

/// A result as the protocol has it, member by member what the library writes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<ResultType>,
    content: &'a [ContentBlock],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<MetaObject>,
}

impl ToolResult {
    /// A failure: `why` for the model, and facts for programs.
    pub(super) fn failure(why: String, meta: serde_json::Map<String, Value>) -> Self {
        let shape = CallToolResult::error(vec![ContentBlock::text(why)]);
        Self {
            shape: shape.with_meta(Some(MetaObject(meta))),
            json: None,
            is_forwarded: false,
        }
    }

    /// An error as a result that a model can act on.
    pub(super) fn of_error(error: &Error) -> Self {
        let mut facts = serde_json::Map::new();
        facts.insert("code".into(), error.code().into());
        facts.insert("retryable".into(), error.retryable().into());
        if let Some(wait) = error.retry_after() {
            facts.insert("retry_after_seconds".into(), wait.as_secs().into());
        }
        if !error.suggestions().is_empty() {
            let ids = error.suggestions().iter();
            let ids = ids.map(|s| Value::from(s.id.as_str()));
            facts.insert("suggestions".into(), ids.collect());
        }
        let meta = [("econoscope/error".into(), facts.into())];
        Self::failure(error.to_string(), meta.into_iter().collect())
    }

    /// As bytes, signed where the lifecycle wants it.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub(super) fn render(
        mut self,
        signature: &Signature,
        lifecycle: Lifecycle,
    ) -> serde_json::Result<Rendered> {
        let result_type = match lifecycle {
            Lifecycle::Handshake => None,
            Lifecycle::Inline => {
                signature.sign(&mut self.shape.meta);
                self.shape.result_type
            }
        };
        let json = self.json.as_deref().map(serde_json::from_slice);
        Rendered::of(&Wire {
            result_type,
            content: &self.shape.content,
            structured_content: json.transpose()?,
            is_error: self.shape.is_error,
            meta: self.shape.meta,
        })
    }

    /// As the library takes it; unsigned.
    pub(super) async fn into_tree(self, backend: &Backend) -> CallToolResult {
        let Some(json) = self.json else {
            return self.shape;
        };
        let is_small = json.len() <= SMALL_ANSWER;
        let parse = move || {
            let mut tree = serde_json::from_slice::<Value>(&json).ok();
            if self.is_forwarded {
                // What another server says is text by others, down to the last string.
                tree.iter_mut().for_each(clean);
            }
            Ok(tree)
        };
        // A tree of thousands of rows is work like their making.
        let parsed = if is_small {
            parse()
        } else {
            backend.pool().run(parse).await
        };
        match parsed {
            Ok(tree) => {
                let mut whole = self.shape;
                whole.structured_content = tree;
                whole
            }
            Err(error) => {
                econoscope_core::error::log(&error, "tools/call");
                Self::of_error(&error).shape
            }
        }
    }
}

/// Cleans every text inside a value.
fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = untrusted::clean(text, MAX_TEXT),
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(fields) => fields.values_mut().for_each(clean),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
