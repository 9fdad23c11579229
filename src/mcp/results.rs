//! Results of tools: as trees for the protocol library, as bytes for plain calls.

use super::jsonrpc;
use super::protocol::{Lifecycle, Signature};
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

/// A successful result up to its text.
const HANDSHAKE_START: &str = r#"{"content":[{"type":"text","text":"#;
const INLINE_START: &str = r#"{"resultType":"complete","content":[{"type":"text","text":"#;

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
    let is_foreign = reply.upstream.is_some();
    match structure(backend, &reply.answer).await {
        Ok(mut made) => {
            if is_foreign {
                // What another server says is text by others, down to the last string.
                clean(&mut made.value);
                for notice in &mut made.notices {
                    *notice = untrusted::clean(notice, MAX_TEXT);
                }
            }
            let meta = meta(&made);
            let mut result = CallToolResult::success(content);
            result.structured_content = Some(made.value);
            match meta.is_empty() {
                true => result,
                false => result.with_meta(Some(MetaObject(meta))),
            }
        }
        Err(error) => {
            econoscope_core::error::log(&error, "tools/call");
            of_error(&error)
        }
    }
}

/// The structure of an answer; a long one is made in the pool, for that is work like the answer's making.
async fn structure(backend: &Backend, answer: &Arc<Answer>) -> Result<Structure, Error> {
    if answer.json.len() <= SMALL_ANSWER {
        return answer.structure();
    }
    let answer = Arc::clone(answer);
    backend.pool().run(move || answer.structure()).await
}

/// What a result tells programs beside its structure: what the sources ask to be said with their figures.
fn meta(structure: &Structure) -> Map<String, Value> {
    let notices = &structure.notices;
    let notices = (!notices.is_empty()).then(|| (NOTICES.to_owned(), json!(notices)));
    notices.into_iter().collect()
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
pub(super) async fn response(
    backend: &Backend,
    id: Option<&str>,
    outcome: Result<Reply, CallToolResult>,
    lifecycle: Lifecycle,
    signature: &Signature,
) -> Response {
    let reply = match outcome {
        Ok(reply) => reply,
        Err(failure) => return failed(id, failure, lifecycle, signature),
    };
    let form = reply.wrapped(lifecycle == Lifecycle::Inline);
    if let Some(result) = form.get() {
        return jsonrpc::response(StatusCode::OK, jsonrpc::result(id, result));
    }
    let structure = match structure(backend, &reply.answer).await {
        Ok(structure) => structure,
        Err(error) => {
            econoscope_core::error::log(&error, "tools/call");
            return failed(id, of_error(&error), lifecycle, signature);
        }
    };
    let result = form.get_or_init(|| wrapped(&reply, &structure, lifecycle, signature));
    jsonrpc::response(StatusCode::OK, jsonrpc::result(id, result))
}

/// A successful result as JSON.
fn wrapped(
    reply: &Reply,
    structure: &Structure,
    lifecycle: Lifecycle,
    signature: &Signature,
) -> Bytes {
    let mut meta = Some(meta(structure))
        .filter(|meta| !meta.is_empty())
        .map(MetaObject);
    let start = match lifecycle {
        Lifecycle::Handshake => HANDSHAKE_START,
        Lifecycle::Inline => {
            signature.sign(&mut meta);
            INLINE_START
        }
    };
    let text = Value::from(&*reply.text);
    let picture = picture(reply).map_or_else(String::new, |picture| format!(",{}", json!(picture)));
    let value = &structure.value;
    let meta = meta.map_or_else(String::new, |meta| format!(r#","_meta":{}"#, json!(meta)));
    format!(r#"{start}{text}}}{picture}],"structuredContent":{value},"isError":false{meta}}}}}"#)
        .into()
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
