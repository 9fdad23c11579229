//! Results of tools: as trees for the protocol library, as bytes for plain calls.

use super::jsonrpc;
use super::protocol::{Lifecycle, Signature};
use axum::body::Bytes;
use axum::response::Response;
use base64::Engine;
use econoscope_answers::endpoints::{Backend, Reply, forward};
use econoscope_core::error::Error;
use econoscope_core::model::untrusted;
use http::StatusCode;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value, json};

/// Longest text taken over from an upstream, in characters.
const MAX_TEXT: usize = 40_000;

/// JSON of so many bytes is parsed at once.
const SMALL_ANSWER: usize = 16 * 1024;

/// A successful result up to its text.
const HANDSHAKE_START: &[u8] = br#"{"content":[{"type":"text","text":"#;
const INLINE_START: &[u8] = br#"{"resultType":"complete","content":[{"type":"text","text":"#;

/// A failure: `why` for the model, `meta` for programs.
pub(super) fn failure(why: String, meta: Map<String, Value>) -> CallToolResult {
    let result = CallToolResult::error(vec![ContentBlock::text(why)]);
    result.with_meta(Some(MetaObject(meta)))
}

/// An error as a result that a model can act on.
pub(super) fn of_error(error: &Error) -> CallToolResult {
    let mut facts = Map::new();
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
    failure(error.to_string(), meta.into_iter().collect())
}

/// The picture of an answer.
fn picture(reply: &Reply) -> Option<ContentBlock> {
    let png = reply.png.as_ref()?;
    let picture = base64::engine::general_purpose::STANDARD.encode(png);
    Some(ContentBlock::image(picture, "image/png"))
}

/// An answer as the library takes it.
pub(super) async fn tree(backend: &Backend, reply: Reply) -> CallToolResult {
    let mut text = reply.text.to_string();
    if let Some(fetched) = &reply.upstream {
        text = untrusted::clean(&text, MAX_TEXT);
        text.push('\n');
        text.push_str(&forward::sentence(fetched));
    }
    // Every revision of the protocol has both kinds, and every host knows them; a `resource_link` ends the run of some.
    let mut content = vec![ContentBlock::text(text)];
    content.extend(picture(&reply));
    let is_small = reply.json.len() <= SMALL_ANSWER;
    let parse = move || {
        let mut tree = serde_json::from_slice::<Value>(&reply.json).ok();
        if reply.upstream.is_some() {
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
            let mut result = CallToolResult::success(content);
            result.structured_content = tree;
            result
        }
        Err(error) => {
            econoscope_core::error::log(&error, "tools/call");
            of_error(&error)
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

/// The response to a plain call: an answer's own bytes behind the caller's id, member by member what the library writes.
pub(super) fn response(
    id: Option<&str>,
    outcome: Result<Reply, CallToolResult>,
    lifecycle: Lifecycle,
    signature: &Signature,
) -> Response {
    let reply = match outcome {
        Ok(reply) => reply,
        Err(failure) => return failed(id, failure, lifecycle, signature),
    };
    let is_inline = lifecycle == Lifecycle::Inline;
    let result = reply.wrapped(is_inline, || {
        let (start, end) = match lifecycle {
            Lifecycle::Handshake => (HANDSHAKE_START, Bytes::from_static(br#","isError":false}"#)),
            Lifecycle::Inline => (INLINE_START, signature.end()),
        };
        let text = Value::from(&*reply.text).to_string();
        let middle = match picture(&reply) {
            None => r#"}],"structuredContent":"#.to_owned(),
            Some(picture) => format!(r#"}},{}],"structuredContent":"#, json!(picture)),
        };
        let parts = [
            start,
            text.as_bytes(),
            middle.as_bytes(),
            &reply.json,
            &end,
            b"}",
        ];
        parts.concat().into()
    });
    jsonrpc::response(StatusCode::OK, jsonrpc::result(id, result))
}

/// The response to a call that failed.
pub(super) fn failed(
    id: Option<&str>,
    mut failure: CallToolResult,
    lifecycle: Lifecycle,
    signature: &Signature,
) -> Response {
    match lifecycle {
        Lifecycle::Handshake => failure.result_type = None,
        Lifecycle::Inline => signature.sign(&mut failure.meta),
    }
    let result = Bytes::from(format!("{}}}", json!(failure)));
    jsonrpc::response(StatusCode::OK, jsonrpc::result(id, &result))
}
