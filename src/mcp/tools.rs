//! Endpoints as tools: how they are declared, called, and how an error is told to a model.

use super::apps;
use crate::endpoints::{Arguments, Backend, ENDPOINTS, Reply, Route, schema};
use crate::error::Error;
use crate::model::untrusted;
use base64::Engine;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Tool, ToolAnnotations};
use serde_json::Value;

/// Longest text taken over from an upstream, in characters.
const MOST_TEXT: usize = 40_000;

/// Every endpoint as a tool, in table order.
pub(super) fn all() -> Vec<Tool> {
    let tools = ENDPOINTS.iter().map(|route| apps::attach(declare(route)));
    #[cfg(feature = "conformance")]
    let tools = tools.chain(super::fixtures::tools());
    tools.collect()
}

fn declare(route: &Route) -> Tool {
    let spec = &route.spec;
    let hints = ToolAnnotations::with_title(spec.title)
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    Tool::new(
        spec.tool,
        spec.description,
        std::sync::Arc::clone(route.input_schema()),
    )
    .with_title(spec.title)
    .with_raw_output_schema(std::sync::Arc::new(schema::terse(route.output_schema())))
    .with_annotations(hints)
}

/// Calls an endpoint; whatever goes wrong is a result the model can act on.
pub(super) async fn call(
    backend: &Backend,
    route: &'static Route,
    arguments: Arguments,
) -> CallToolResult {
    match route.call(backend, route.for_assistant(arguments)).await {
        Ok(answer) => success(&answer),
        Err(error) => {
            crate::error::log(&error, route.spec.tool);
            failure(&error)
        }
    }
}

fn success(answer: &Reply) -> CallToolResult {
    let mut text = answer.text.to_string();
    let mut structured: Option<Value> = serde_json::from_slice(&answer.json).ok();
    if let Some(state) = &answer.upstream {
        // What another server says is text by others, down to the last string.
        text = untrusted::clean(&text, MOST_TEXT);
        structured.iter_mut().for_each(clean);
        text.push('\n');
        text.push_str(&state.sentence());
    }
    let mut content = vec![ContentBlock::text(text)];
    if let Some(png) = &answer.png {
        let picture = base64::engine::general_purpose::STANDARD.encode(png);
        content.push(ContentBlock::image(picture, "image/png"));
    }
    let mut result = CallToolResult::success(content);
    result.structured_content = structured;
    result
}

/// Cleans every text inside a value.
fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = untrusted::clean(text, MOST_TEXT),
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(fields) => fields.values_mut().for_each(clean),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The message for the model, and the same facts for programs in `_meta`.
fn failure(error: &Error) -> CallToolResult {
    let mut facts = serde_json::Map::new();
    facts.insert("code".into(), error.code().into());
    facts.insert("retryable".into(), error.retryable().into());
    if let Some(wait) = error.retry_after() {
        facts.insert("retry_after_seconds".into(), wait.as_secs().into());
    }
    if !error.suggestions().is_empty() {
        let ids = error
            .suggestions()
            .iter()
            .map(|s| Value::from(s.id.as_str()));
        facts.insert("suggestions".into(), ids.collect());
    }
    let mut meta = MetaObject::default();
    meta.insert("econoscope/error".to_owned(), Value::Object(facts));
    CallToolResult::error(vec![ContentBlock::text(error.to_string())]).with_meta(Some(meta))
}
