//! Endpoints as tools: how they are declared and called.

use super::{apps, results};
use econoscope_answers::endpoints::structure::without_prose;
use econoscope_answers::endpoints::{Arguments, Backend, ENDPOINTS, Reply, Route};
use rmcp::model::{CallToolResult, Tool, ToolAnnotations, object};
use serde_json::{Map, Value, json};

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
    let mut schema = without_prose(Value::Object(route.structure_schema().clone()));
    open(&mut schema);
    object(schema)
}

/// Says of every object that it may have more, and of a map that it may be null. Clients that make types of schemas drop
/// the fields that they cannot name (`10y`, `from`) from other objects, and empty other maps.
fn open(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else {
        return;
    };
    let all = fields.get_mut("properties").and_then(Value::as_object_mut);
    all.into_iter().flatten().for_each(|(_, inner)| open(inner));
    let choices = fields.get_mut("anyOf").and_then(Value::as_array_mut);
    choices.into_iter().flatten().for_each(open);
    for word in ["items", "additionalProperties"] {
        fields.get_mut(word).into_iter().for_each(open);
    }
    if fields.contains_key("properties") {
        fields.insert("additionalProperties".into(), true.into());
    } else if fields.get("type") == Some(&"object".into()) {
        let map = schema.take();
        *schema = json!({ "anyOf": [map, { "type": "null" }] });
    }
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
