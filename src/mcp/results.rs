//! Results of tools: as trees for the protocol library, as bytes for plain calls.

use super::jsonrpc;
use super::protocol::{Lifecycle, sign};
use axum::body::Bytes;
use axum::response::Response;
use base64::Engine;
use econoscope_answers::endpoints::structure::Structure;
use econoscope_answers::endpoints::{Answer, Backend, Reply, forward};
use econoscope_core::error::Error;
use econoscope_core::model::untrusted;
use http::StatusCode;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Longest text taken over from an upstream, in characters.
const MAX_TEXT: usize = 40_000;

/// JSON of so many bytes is read back at once.
const SMALL_ANSWER: usize = 16 * 1024;

/// The member of `_meta` with what sources ask to be said.
const NOTICES: &str = "econoscope/notices";

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

/// A successful result.
///
/// # Errors
/// A failure as a result, where the structure cannot be made.
pub(super) async fn tree(
    backend: &Backend,
    reply: &Reply,
) -> Result<CallToolResult, CallToolResult> {
    let mut text = reply.text.to_string();
    let mut made = structure(backend, &reply.answer).await.map_err(|error| {
        econoscope_core::error::log(&error, "tools/call");
        of_error(&error)
    })?;
    if let Some(fetched) = &reply.upstream {
        // What another server says is text by others, down to the last string.
        text = untrusted::clean(&text, MAX_TEXT);
        text.push('\n');
        text.push_str(&forward::sentence(fetched));
        clean(&mut made.value);
        for notice in &mut made.notices {
            *notice = untrusted::clean(notice, MAX_TEXT);
        }
    }
    // Every revision of the protocol has both kinds, and every host knows them; a `resource_link` ends the run of some.
    let mut content = vec![ContentBlock::text(text)];
    content.extend(picture(reply));
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(made.value);
    if !made.notices.is_empty() {
        let notices = (NOTICES.to_owned(), json!(made.notices));
        result.meta = Some(MetaObject(Map::from_iter([notices])));
    }
    Ok(result)
}

/// The structure of an answer; a long one is made in the pool, for that is work like the answer's making.
async fn structure(backend: &Backend, answer: &Arc<Answer>) -> Result<Structure, Error> {
    if answer.json.len() <= SMALL_ANSWER {
        return answer.structure();
    }
    let answer = Arc::clone(answer);
    backend.pool().run(move || answer.structure()).await
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

/// The response to a plain call: a result that is encoded once for each answer, behind the caller's id.
pub(super) async fn response(
    backend: &Backend,
    id: Option<&str>,
    outcome: Result<Reply, CallToolResult>,
    lifecycle: Lifecycle,
    signature: &Value,
) -> Response {
    let reply = match outcome {
        Ok(reply) => reply,
        Err(failure) => return failed(id, failure, lifecycle, signature),
    };
    let form = reply.wrapped(lifecycle == Lifecycle::Inline);
    let result = match form.get() {
        Some(result) => result,
        None => match tree(backend, &reply).await {
            Ok(result) => form.get_or_init(|| encode(result, lifecycle, signature)),
            Err(failure) => return failed(id, failure, lifecycle, signature),
        },
    };
    jsonrpc::response(StatusCode::OK, jsonrpc::result(id, result))
}

/// The response to a call that failed.
pub(super) fn failed(
    id: Option<&str>,
    failure: CallToolResult,
    lifecycle: Lifecycle,
    signature: &Value,
) -> Response {
    let result = encode(failure, lifecycle, signature);
    jsonrpc::response(StatusCode::OK, jsonrpc::result(id, &result))
}

/// A result as the library would write it, and the brace that closes the answer.
fn encode(mut result: CallToolResult, lifecycle: Lifecycle, signature: &Value) -> Bytes {
    match lifecycle {
        Lifecycle::Handshake => result.result_type = None,
        Lifecycle::Inline => sign(&mut result.meta, signature),
    }
    // All keys are texts, and memory takes every byte: neither fails.
    let mut json = serde_json::to_vec(&result).unwrap_or_default();
    json.push(b'}');
    json.into()
}
