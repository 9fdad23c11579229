//! Declares and calls endpoints as tools.

use super::{apps, results};
use econoscope_answers::render::structure::brief;
use econoscope_answers::{Arguments, Backend, ENDPOINTS, Reply, Route};
use rmcp::model::{CallToolResult, Tool, ToolAnnotations, object};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Returns every endpoint as a tool, in table order.
pub(super) fn all() -> Vec<Tool> {
    let tools = ENDPOINTS.iter().map(|route| apps::attach(tool(route)));
    tools.collect()
}

fn tool(route: &Route) -> Tool {
    let spec = &route.spec;
    let schema = Value::Object(route.structure_schema.clone());
    // Of a tool that only reads the other hints have no meaning.
    let hints = ToolAnnotations::new().read_only(true).open_world(false);
    let arguments = Arc::new(input_schema(route));
    Tool::new(spec.tool, spec.description.as_str(), arguments)
        .with_title(spec.title)
        .with_raw_output_schema(Arc::new(object(brief(&schema))))
        .with_annotations(hints)
}

/// Calls an endpoint.
///
/// # Errors
/// A failed result that the model can act on.
pub(super) async fn call(
    backend: &Backend,
    route: &'static Route,
    arguments: Arguments,
) -> Result<Reply, CallToolResult> {
    let outcome = route
        .call(backend, route.with_assistant_defaults(arguments))
        .await;
    outcome.map_err(|error| {
        econoscope_core::error::log(&error, route.spec.tool);
        results::from_error(&error)
    })
}

// A host reads the tool list at the start of every conversation, so its schemas have names and types only. The full schemas
// are in `tool-schemas/` and the OpenAPI document. Arguments are checked against the full schema.

/// Returns the schema of a tool's arguments without string lengths and examples, which the descriptions give.
fn input_schema(route: &Route) -> Map<String, Value> {
    let mut schema = route.assistant_schema();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut() {
            shorten(property);
            property.get_mut("items").into_iter().for_each(shorten);
        }
    }
    schema
}

fn shorten(schema: &mut Value) {
    if let Some(schema) = schema.as_object_mut() {
        for keyword in ["minLength", "maxLength", "examples"] {
            schema.remove(keyword);
        }
    }
}
