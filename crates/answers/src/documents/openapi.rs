//! The OpenAPI 3.0.3 document, generated from the endpoint table as JSON, which is also YAML.

use crate::route::Route;
use crate::route::decode::is_required;
use econoscope_core::indicators::prose::capitalize;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Failures: status, and name of the response.
const FAILURES: [(&str, &str); 7] = [
    ("400", "BadArgument"),
    ("403", "NotPermitted"),
    ("404", "NotFound"),
    ("414", "TooLong"),
    ("429", "LimitReached"),
    ("500", "Failure"),
    ("503", "Unavailable"),
];

/// Returns the document for a base address.
pub fn openapi_document(routes: &[Route], base: &str) -> String {
    let path = |route: &Route| (route.spec.path.to_owned(), operation(route));
    let csv = |route: &Route| (format!("{}.csv", route.spec.path), csv_operation(route));
    let tables = routes.iter().filter(|route| route.has_argument("format"));
    let paths: Value = routes.iter().map(path).chain(tables.map(csv)).collect();
    // The template has all but what follows from the program and its endpoints.
    let template = include_str!("../../templates/openapi.json");
    let mut document: Value = serde_json::from_str(template).unwrap_or_default();
    let body = document.pointer("/components/schemas/Problem").cloned();
    let answer = |route: &Route| {
        let schema = Value::Object(Map::clone(&route.output_schema));
        (answer_name(route), to_openapi(&schema))
    };
    let problem = ("Problem".to_owned(), body.unwrap_or_default());
    let schemas: Value = routes.iter().map(answer).chain([problem]).collect();
    for (place, value) in [
        ("/info/version", env!("CARGO_PKG_VERSION").into()),
        ("/info/contact/url", env!("CARGO_PKG_REPOSITORY").into()),
        ("/servers/0/url", base.into()),
        ("/paths", paths),
        ("/components/schemas", schemas),
    ] {
        if let Some(slot) = document.pointer_mut(place) {
            *slot = value;
        }
    }
    format!("# Generated from the endpoint table; do not edit.\n{document:#}\n")
}

/// Returns the name of generated functions: the tool's, except where a client's own code has a function of that name.
fn operation_id(route: &Route) -> &'static str {
    match route.spec.tool {
        "fetch" => "fetch_document",
        "search" => "search_documents",
        tool => tool,
    }
}

/// Returns the schema name of an endpoint's answer: `MacroSummary` for `get_macro_summary`.
fn answer_name(route: &Route) -> String {
    let name = route.spec.tool.trim_start_matches("get_");
    name.split('_').map(capitalize).collect()
}

fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

fn operation(route: &Route) -> Value {
    let spec = &route.spec;
    let answer = reference("schemas", &answer_name(route));
    let mut content = Map::new();
    content.insert("application/json".into(), json!({ "schema": answer }));
    if route.has_argument("format") {
        content.insert("text/csv".into(), json!({ "schema": { "type": "string" } }));
    }
    json!({ "get": {
        "operationId": operation_id(route),
        "tags": ["macro"],
        "summary": spec.summary,
        "description": spec.description,
        "parameters": parameters(route),
        "responses": responses(route, &content.into()),
    } })
}

/// Returns the operation for CSV at its own address, since generated clients read one content type of an operation, JSON
/// if it has it.
fn csv_operation(route: &Route) -> Value {
    let mut parameters = parameters(route);
    parameters.retain(|parameter| parameter.get("name") != Some(&json!("format")));
    let content = json!({ "text/csv": { "schema": { "type": "string" } } });
    json!({ "get": {
        "operationId": format!("{}_csv", route.spec.tool),
        "tags": ["macro"],
        "summary": format!("{}, as CSV", route.spec.title),
        "parameters": parameters,
        "responses": responses(route, &content),
    } })
}

fn parameters(route: &Route) -> Vec<Value> {
    let parameter = |(name, property): (&String, &Value)| parameter(route, name, property);
    route.properties().map(parameter).collect()
}

/// Returns the success with its content, and the possible failures.
fn responses(route: &Route, content: &Value) -> Value {
    let success = ("200", json!({ "description": "OK", "content": content }));
    let is_possible = |(status, _): &(&str, &str)| match *status {
        "400" => route.properties().next().is_some(),
        "403" => route.path_arguments().next().is_some(),
        _ => true,
    };
    let possible = FAILURES.into_iter().filter(is_possible);
    let failures = possible.map(|(status, name)| (status, reference("responses", name)));
    [success].into_iter().chain(failures).collect()
}

fn parameter(route: &Route, name: &str, property: &Value) -> Value {
    let is_in_path = route.path_arguments().any(|argument| argument == name);
    let is_required = is_in_path || is_required(&route.input_schema, name);
    let mut schema = to_openapi(property);
    let mut take = |key| schema.as_object_mut()?.remove(key);
    let mut description = take("description");
    let example = take("example");
    add_pattern(name, &mut schema);
    let is_list = schema.get("type") == Some(&json!("array"));
    if let (true, Some(Value::String(description))) = (is_list, &mut description) {
        description.push_str(" Separated by commas, or the parameter repeated.");
    }
    let fields = [
        ("name", Some(name.into())),
        ("in", Some(if is_in_path { "path" } else { "query" }.into())),
        ("required", Some(is_required.into())),
        ("description", description),
        ("example", example),
        ("style", is_list.then(|| "form".into())),
        ("explode", is_list.then(|| false.into())),
        ("schema", Some(schema)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)));
    fields.collect()
}

/// A year, quarter, month or day: the common forms of `as_of` and `end`.
const DAYS: &str = "[0-9]{4}(-?Q[1-4]|-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?";

/// Adds the pattern that the decoder demands of a text: dates are dates, and no text has control characters. It allows
/// every default, so that a generated client can send it.
fn add_pattern(name: &str, schema: &mut Value) {
    let is_text = schema.get("type") == Some(&json!("string")) && schema.get("enum").is_none();
    let pattern = match name {
        // Time series take several days.
        "as_of" => format!("^({DAYS}|latest)(,({DAYS}|latest)){{0,4}}$"),
        "end" => format!("^{DAYS}$"),
        "start" => format!("^({DAYS}|[1-9][0-9]{{0,2}}[dwmy]|ytd|max)$"),
        _ => "^[^\\u0000-\\u001F\\u007F-\\u009F]*$".to_owned(),
    };
    if let Some(schema) = schema.as_object_mut().filter(|_| is_text) {
        schema.insert("pattern".into(), pattern.into());
    }
}

/// Converts JSON Schema 2020-12 to OpenAPI 3.0: `nullable` for null unions, one `example`.
fn to_openapi(schema: &Value) -> Value {
    let mut schema = Schema::try_from(schema.clone()).unwrap_or_default();
    for transform in &mut SchemaSettings::openapi3().transforms {
        transform.transform(&mut schema);
    }
    schema.to_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ENDPOINTS;

    #[test]
    fn null_unions_become_nullable() {
        let given = json!({"type": ["number", "null"], "examples": [1]});
        assert_eq!(
            to_openapi(&given),
            json!({"type": "number", "nullable": true, "example": 1})
        );
    }

    #[test]
    fn every_endpoint_is_described() {
        let text = openapi_document(&ENDPOINTS, "https://x.example");
        let (comment, json) = text.split_once('\n').unwrap();
        assert!(comment.starts_with("# "));
        let document: Value = serde_json::from_str(json).unwrap();
        for route in ENDPOINTS.iter() {
            let operation = &document["paths"][route.spec.path]["get"];
            let name = operation["operationId"].as_str().unwrap();
            assert!(name.starts_with(route.spec.tool), "{name}");
            assert_ne!(name, "fetch", "a client's own function of this name");
        }
        assert!(!text.contains("\"null\""), "no 2020-12 null unions");
    }
}
