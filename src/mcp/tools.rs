//! Endpoints as tools: how they are declared and called.

use super::{apps, results};
use econoscope_answers::endpoints::structure::without_prose;
use econoscope_answers::endpoints::{Arguments, Backend, ENDPOINTS, Reply, Route};
use rmcp::model::{CallToolResult, Tool, ToolAnnotations, object};
use serde_json::{Map, Value};

/// Every endpoint as a tool, in table order.
pub(super) fn all() -> Vec<Tool> {
    let tools = ENDPOINTS.iter().map(|route| apps::attach(declare(route)));
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
        std::sync::Arc::new(brief_input(&route.assistant_schema())),
    )
    .with_title(spec.title)
    .with_raw_output_schema(std::sync::Arc::new(brief_output(route)))
    .with_annotations(hints)
}

/// Calls an endpoint.
///
/// # Errors
/// Whatever goes wrong, as a result that the model can act on.
pub(super) async fn call(
    backend: &Backend,
    route: &'static Route,
    arguments: Arguments,
) -> Result<Reply, CallToolResult> {
    let answered = route.call(backend, route.for_assistant(arguments)).await;
    answered.map_err(|error| {
        econoscope_core::error::log(&error, route.spec.tool);
        results::of_error(&error)
    })
}

// Schemas as the tool list carries them. A host reads the whole list at the start of every conversation, so they have names
// and types alone; prose, examples and the lengths of texts stand in `tool-schemas/` and the OpenAPI document, and arguments
// are checked against the whole schema.

/// The structure's schema without its prose.
fn brief_output(route: &Route) -> Map<String, Value> {
    object(without_prose(Value::Object(
        route.structure_schema().clone(),
    )))
}

/// The arguments' schema without the lengths of texts and without examples, which the descriptions give.
fn brief_input(whole: &Map<String, Value>) -> Map<String, Value> {
    let mut out = whole.clone();
    if let Some(Value::Object(properties)) = out.get_mut("properties") {
        for property in properties.values_mut() {
            without_lengths(property);
            property
                .get_mut("items")
                .into_iter()
                .for_each(without_lengths);
        }
    }
    out
}

fn without_lengths(schema: &mut Value) {
    if let Some(schema) = schema.as_object_mut() {
        for word in ["minLength", "maxLength", "examples"] {
            schema.remove(word);
        }
    }
}
