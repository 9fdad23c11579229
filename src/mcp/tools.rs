//! Endpoints as tools: how they are declared and called.

use super::{apps, results};
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
    .with_raw_output_schema(std::sync::Arc::new(brief_output(route.output_schema())))
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

// Schemas as the tool list carries them. A host reads the whole list at the start of every conversation, so it names what
// every answer has and its types; prose, rare fields, the inside of objects, examples and the lengths of texts stand in
// `tool-schemas/` and the OpenAPI document, and arguments are checked against the whole schema. An answer says that it has
// more, and of its objects nothing is said: clients that make types of schemas lose what a schema of an object leaves out.

/// Fields that every answer has beside its own: each tells what it is when it comes.
const COMMON: [&str; 7] = [
    "attribution",
    "as_of",
    "age_days",
    "freshness",
    "knowledge",
    "sources",
    "notes",
];

/// An answer's schema in brief; whatever the whole one accepts, it accepts too.
fn brief_output(whole: &Map<String, Value>) -> Map<String, Value> {
    let required = whole.get("required").and_then(Value::as_array);
    let is_told = |name: &str| {
        !COMMON.contains(&name) && required.is_some_and(|all| all.iter().any(|n| n == name))
    };
    let fields = whole.get("properties").and_then(Value::as_object);
    let fields = fields.into_iter().flatten();
    let fields = fields
        .filter(|(name, _)| is_told(name))
        .filter_map(|(name, field)| Some((name.clone(), brief_field(field.as_object()?))));
    object(json!({
        "type": "object",
        "properties": fields.collect::<Map<_, _>>(),
        "additionalProperties": true,
    }))
}

/// The arguments' schema without the lengths of texts and without examples, which the descriptions give.
fn brief_input(whole: &Map<String, Value>) -> Map<String, Value> {
    let mut out = whole.clone();
    if let Some(Value::Object(properties)) = out.get_mut("properties") {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            for word in ["minLength", "maxLength", "examples"] {
                property.remove(word);
            }
        }
    }
    out
}

/// A field's schema in brief. Of an object nothing is said: it would have to be said whole.
fn brief_field(whole: &Map<String, Value>) -> Value {
    let mut out = Map::new();
    let may_be_object = match whole.get("type") {
        Some(Value::Array(types)) => types.iter().any(|kind| kind == "object"),
        kind => kind.is_some_and(|kind| kind == "object"),
    };
    for (key, value) in whole.iter().filter(|_| !may_be_object) {
        match (key.as_str(), value) {
            ("items" | "additionalProperties", Value::Object(inner)) => {
                out.insert(key.clone(), brief_field(inner));
            }
            // A union in one `type` is legal and not portable: some hosts know one type alone.
            ("type", Value::Array(types)) => {
                let split = types.iter().map(|t| json!({ "type": t })).collect();
                out.insert("anyOf".into(), Value::Array(split));
            }
            ("type" | "enum" | "const", _) => {
                out.insert(key.clone(), value.clone());
            }
            _ => {}
        }
    }
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_types_stay_and_prose_goes() {
        let whole = json!({
            "type": "object",
            "properties": {
                "value": { "type": ["number", "null"], "description": "Latest." },
                "rows": { "type": "array", "items": {
                    "type": "object", "properties": { "date": { "type": "string" } } } },
                "rare": { "type": "string" },
                "nested": { "type": ["object", "null"], "properties": { "date": { "type": "string" } } },
                "attribution": { "type": "object", "properties": { "text": { "type": "string" } } },
                "notes": { "type": "object" },
            },
            "required": ["value", "rows", "attribution", "nested"],
        });
        assert_eq!(
            Value::Object(brief_output(whole.as_object().unwrap())),
            json!({
                "type": "object",
                "properties": {
                    "value": { "anyOf": [{ "type": "number" }, { "type": "null" }] },
                    "rows": { "type": "array", "items": {} },
                    "nested": {},
                },
                "additionalProperties": true,
            })
        );
    }
}
