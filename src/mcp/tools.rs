//! Endpoints as tools: how they are declared, called, and how an error is told to a model.

use super::{apps, brief, resources::SCHEME};
use crate::endpoints::{Arguments, Backend, Csv, ENDPOINTS, Reply, Route};
use crate::error::Error;
use crate::model::untrusted;
use base64::Engine;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Resource, Tool, ToolAnnotations};
use serde_json::Value;

/// Longest text taken over from an upstream, in characters.
const MOST_TEXT: usize = 40_000;

/// Longest text of rows, in bytes: digits cost a model a token for each 1.4 bytes.
const MOST_ROWS_TEXT: usize = 12_000;

/// Every endpoint as a tool, in table order.
pub(super) fn all() -> Vec<Tool> {
    let tools = ENDPOINTS.iter().map(|route| apps::attach(declare(route)));
    #[cfg(feature = "conformance")]
    let tools = tools.chain(super::fixtures::tools());
    tools.collect()
}

fn declare(route: &Route) -> Tool {
    let spec = &route.spec;
    let hints = ToolAnnotations::new()
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    Tool::new(
        spec.tool,
        spec.description,
        std::sync::Arc::new(brief::input(route.input_schema())),
    )
    .with_title(spec.title)
    .with_raw_output_schema(std::sync::Arc::new(brief::output(route.output_schema())))
    .with_annotations(hints)
}

/// Calls an endpoint; whatever goes wrong is a result the model can act on.
pub(super) async fn call(
    backend: &Backend,
    route: &'static Route,
    arguments: Arguments,
) -> CallToolResult {
    let asked = arguments.clone();
    match route.call(backend, route.for_assistant(arguments)).await {
        Ok(answer) => success(&answer, &asked),
        Err(error) => {
            crate::error::log(&error, route.spec.tool);
            failure(&error)
        }
    }
}

fn success(answer: &Reply, asked: &Arguments) -> CallToolResult {
    let mut text = answer.text.to_string();
    let mut structured: Option<Value> = serde_json::from_slice(&answer.json).ok();
    if let Some(state) = &answer.upstream {
        // What another server says is text by others, down to the last string.
        text = untrusted::clean(&text, MOST_TEXT);
        structured.iter_mut().for_each(clean);
        text.push('\n');
        text.push_str(&state.sentence());
    }
    let mut result = CallToolResult::success(content(answer, asked, text));
    result.structured_content = structured;
    result
}

/// What a model sees: the text, a link to the whole file where its rows do not fit, the picture.
pub(super) fn content(answer: &Reply, asked: &Arguments, mut text: String) -> Vec<ContentBlock> {
    let link = answer
        .csv
        .as_ref()
        .filter(|_| text.len() > MOST_ROWS_TEXT)
        .map(|csv| file(csv, asked));
    if let Some(link) = &link {
        text = newest_rows(&text, &link.uri);
    }
    let mut content = vec![ContentBlock::text(text)];
    content.extend(link.map(ContentBlock::resource_link));
    if let Some(png) = &answer.png {
        let picture = base64::engine::general_purpose::STANDARD.encode(png);
        content.push(ContentBlock::image(picture, "image/png"));
    }
    content
}

/// The resource that holds the whole of a file whose rows do not fit.
fn file(csv: &Csv, asked: &Arguments) -> Resource {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for name in ["start", "end", "as_of"] {
        if let Some(value) = asked.get(name).and_then(Value::as_str) {
            query.append_pair(name, value);
        }
    }
    let query = Some(query.finish()).filter(|q| !q.is_empty());
    let query = query.map(|q| format!("?{q}")).unwrap_or_default();
    Resource::new(
        format!("{SCHEME}series/{}{query}", csv.file_name),
        &csv.file_name,
    )
    .with_mime_type("text/csv")
    .with_size(csv.body.len() as u64)
}

/// The header and as many of the newest rows as fit, and where the rest is.
fn newest_rows(text: &str, uri: &str) -> String {
    let (header, rows) = text.split_once('\n').unwrap_or((text, ""));
    let from = rows.len().saturating_sub(MOST_ROWS_TEXT);
    let tail = rows
        .char_indices()
        .map(|(at, _)| at)
        .find(|at| *at >= from)
        .and_then(|at| rows.get(at..))
        .and_then(|cut| cut.split_once('\n'))
        .map_or("", |(_, whole)| whole);
    let (shown, all) = (tail.lines().count(), rows.lines().count());
    format!(
        "{header}\n{tail}(the newest {shown} of {all} rows; the whole file is the resource {uri})"
    )
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
pub(super) fn failure(error: &Error) -> CallToolResult {
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
