//! Results of tools: trees for the SDK, bytes for plain calls.

use super::jsonrpc;
use super::protocol::{Lifecycle, sign};
use super::server::Shared;
use axum::body::Bytes;
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use econoscope_answers::route::forward;
use econoscope_answers::{Backend, Reply};
use econoscope_core::error::Error;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, RequestId, object};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Answers up to this size in bytes get their structure without the pool.
const SMALL_ANSWER: usize = 16 * 1024;

/// The member of `_meta` with the notices that sources require.
const NOTICES: &str = "econoscope/notices";

/// Builds a failed result: `why` for the model, `meta` for programs.
pub(super) fn failure(why: String, meta: Map<String, Value>) -> CallToolResult {
    let result = CallToolResult::error(vec![ContentBlock::text(why)]);
    result.with_meta(Some(MetaObject(meta)))
}

/// Converts an error into a result that a model can act on.
pub(super) fn from_error(error: &Error) -> CallToolResult {
    let mut details = object(json!({ "code": error.code(), "retryable": error.is_retryable() }));
    if let Some(wait) = error.retry_after() {
        details.insert("retry_after_seconds".into(), wait.as_secs().into());
    }
    if !error.suggestions().is_empty() {
        let ids = error.suggestions().iter().map(|s| s.id.as_str());
        details.insert("suggestions".into(), ids.collect());
    }
    let meta = [("econoscope/error".to_owned(), details.into())];
    failure(error.to_string(), Map::from_iter(meta))
}

/// Builds the successful result of a call.
///
/// # Errors
/// A failed result if the structure cannot be computed.
pub(super) async fn success(
    backend: &Backend,
    reply: &Reply,
) -> Result<CallToolResult, CallToolResult> {
    let mut text = reply.text.to_string();
    let answer = &reply.answer;
    // A long structure takes as long as an answer, so the pool computes it.
    let computed = if answer.json.len() <= SMALL_ANSWER {
        answer.structure()
    } else {
        let answer = Arc::clone(answer);
        backend.pool().run(move || answer.structure()).await
    };
    let structure = computed.map_err(|error| {
        econoscope_core::error::log(&error, "tools/call");
        from_error(&error)
    })?;
    if let Some(fetched) = &reply.upstream {
        text.push('\n');
        text.push_str(&forward::describe_origin(fetched));
    }
    // Every host supports text and images. Some hosts abort at a `resource_link`.
    let mut content = vec![ContentBlock::text(text)];
    let chart = reply.png.as_ref().map(|png| STANDARD.encode(png));
    content.extend(chart.map(|data| ContentBlock::image(data, "image/png")));
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(structure.value);
    if !structure.notices.is_empty() {
        let notices = (NOTICES.to_owned(), json!(structure.notices));
        result.meta = Some(MetaObject(Map::from_iter([notices])));
    }
    Ok(result)
}

/// Builds the response to a plain call. Each answer is encoded once; only the id differs between callers.
pub(super) async fn response(
    shared: &Shared,
    id: Option<&RequestId>,
    outcome: Result<Reply, CallToolResult>,
    lifecycle: Lifecycle,
) -> Response {
    let reply = match outcome {
        Ok(reply) => reply,
        Err(failure) => return failed_response(shared, id, failure, lifecycle),
    };
    let cached = reply.protocol_form(lifecycle == Lifecycle::PerRequest);
    let result = match cached.get() {
        Some(result) => result,
        None => match success(&shared.backend, &reply).await {
            Ok(result) => cached.get_or_init(|| encode(result, lifecycle, &shared.signature)),
            Err(failure) => return failed_response(shared, id, failure, lifecycle),
        },
    };
    jsonrpc::result(id, result)
}

/// Builds the response to a call that failed.
pub(super) fn failed_response(
    shared: &Shared,
    id: Option<&RequestId>,
    failure: CallToolResult,
    lifecycle: Lifecycle,
) -> Response {
    jsonrpc::result(id, &encode(failure, lifecycle, &shared.signature))
}

/// Encodes a result as the SDK does, followed by the brace that closes the envelope.
fn encode(mut result: CallToolResult, lifecycle: Lifecycle, signature: &Value) -> Bytes {
    match lifecycle {
        Lifecycle::Handshake => result.result_type = None,
        Lifecycle::PerRequest => sign(&mut result.meta, signature),
    }
    // Cannot fail: all keys are strings.
    let mut json = serde_json::to_vec(&result).unwrap_or_default();
    json.push(b'}');
    json.into()
}
