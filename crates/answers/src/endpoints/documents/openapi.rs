//! OpenAPI 3.0.3 out of the table, as JSON, which is YAML, too.

use crate::endpoints::decode::is_required;
use crate::endpoints::route::Route;
use econoscope_core::indicators::prose::capitalised;
use serde_json::{Map, Value, json};

/// What `info` says: whose version and licence it gives, since the data have neither.
const ABOUT: &str = "Read-only US macroeconomic data. No key; attribution required. The version is that of this program, \
    which answers every path of version 1.1.0 of the contract and adds others; the licence is that of the program and of \
    this document. Figures keep the rights of their sources, named with each series. Parameters with an underscore in \
    front, and `utm_` ones, are ignored; others that are not known are named in the header `Warning`.";

/// Failures: status, name and meaning.
const FAILURES: [(&str, &str); 7] = [
    ("400", "BadArgument"),
    ("403", "NotPermitted"),
    ("404", "NotFound"),
    ("414", "TooLong"),
    ("429", "LimitReached"),
    ("500", "Failure"),
    ("503", "Unavailable"),
];

/// The document for a base address.
pub fn document(routes: &[Route], base: &str) -> String {
    let get = |route: &Route| json!({ "get": operation(route) });
    let path = |route: &Route| (route.spec.path.to_owned(), get(route));
    let csv = routes.iter().filter(|route| route.takes("format"));
    let csv = csv.map(|route| (format!("{}.csv", route.spec.path), csv_operation(route)));
    let paths: Value = routes.iter().map(path).chain(csv).collect();
    // What is the same for every endpoint: the answers that name what failed, and their body. The file is fixed at
    // build time, and a snapshot of the document holds what it says.
    let common = include_str!("../../../templates/openapi.json");
    let common: Value = serde_json::from_str(common).unwrap_or_default();
    let problem = common.get("problem").cloned().unwrap_or_default();
    let answer = |route: &Route| (component(route), translated(route.output_schema()));
    let schemas = routes.iter().map(answer);
    let schemas: Value = schemas.chain([("Problem".to_owned(), problem)]).collect();
    let document = json!({
        "openapi": "3.0.3",
        "info": {
            "title": "Econoscope public macroeconomic data API",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "contact": { "name": "Econoscope", "url": env!("CARGO_PKG_REPOSITORY") },
            "license": { "name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0" },
        },
        "servers": [{ "url": base }],
        "tags": [{ "name": "macro", "description": "US macroeconomic data" }],
        "security": [],
        "paths": paths,
        "components": { "schemas": schemas, "responses": common.get("responses") },
    });
    format!("# Generated from the endpoint table; do not edit.\n{document:#}\n")
}

/// What a generated function is called: the tool's name, save for names that hide what its own code calls.
fn operation_id(route: &Route) -> &'static str {
    match route.spec.tool {
        "fetch" => "fetch_document",
        "search" => "search_documents",
        tool => tool,
    }
}

/// Name of an endpoint's answer: `get_macro_summary` gives `MacroSummary`.
fn component(route: &Route) -> String {
    let name = route.spec.tool.trim_start_matches("get_");
    name.split('_').map(capitalised).collect()
}

fn reference(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}

fn operation(route: &Route) -> Value {
    let spec = &route.spec;
    let parameters = parameters(route);
    let answer = ("application/json", reference("schemas", &component(route)));
    let csv = route.takes("format");
    let csv = csv.then(|| ("text/csv", json!({ "type": "string" })));
    let content = [answer].into_iter().chain(csv);
    let content: Value = content
        .map(|(kind, schema)| (kind, json!({ "schema": schema })))
        .collect();
    json!({
        "operationId": operation_id(route),
        "tags": ["macro"],
        "summary": spec.summary,
        "description": spec.description,
        "parameters": parameters,
        "responses": responses(route, &content),
    })
}

/// The same rows at an address of their own. A generated client reads one kind of content from an operation, JSON where
/// there is JSON.
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

/// The answer with some content, and what can fail.
fn responses(route: &Route, content: &Value) -> Value {
    let found = ("200", json!({ "description": "OK", "content": content }));
    let can_be = |(status, _): &(&str, &str)| match *status {
        "400" => route.properties().next().is_some(),
        "403" => route.path_arguments().next().is_some(),
        _ => true,
    };
    let failures = FAILURES.into_iter().filter(can_be);
    let failures = failures.map(|(status, name)| (status, reference("responses", name)));
    [found].into_iter().chain(failures).collect()
}

fn parameter(route: &Route, name: &str, property: &Value) -> Value {
    let is_in_path = route.path_arguments().any(|argument| argument == name);
    let place = if is_in_path { "path" } else { "query" };
    let is_required = is_required(route.input_schema(), name);
    let mut schema = dialect(property);
    let mut take = |key| schema.as_object_mut()?.remove(key);
    let (mut about, example) = (take("description"), take("example"));
    narrow(name, &mut schema);
    let is_list = schema.get("type") == Some(&json!("array"));
    if let (true, Some(Value::String(about))) = (is_list, &mut about) {
        about.push_str(" Separated by commas, or the parameter repeated.");
    }
    let fields = [
        ("name", Some(name.into())),
        ("in", Some(place.into())),
        ("required", Some(is_required.into())),
        ("description", about),
        ("example", example),
        ("style", is_list.then(|| "form".into())),
        ("explode", is_list.then(|| false.into())),
        ("schema", Some(schema)),
    ];
    let fields = fields.into_iter();
    fields
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// A year, a quarter, a month or a day: how `as_of` and `end` are most often written. They take more.
const DAYS: &str = "[0-9]{4}(-?Q[1-4]|-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?";

/// What the decoder asks of texts beyond their length: days are days, and no text holds control characters. A client made
/// of this document can send every default, and a month or quarter as well as a day.
fn narrow(name: &str, schema: &mut Value) {
    let is_text = schema.get("type") == Some(&json!("string")) && schema.get("enum").is_none();
    let pattern = match name {
        // Several days are for time series.
        "as_of" => format!("^({DAYS}|latest)(,({DAYS}|latest)){{0,4}}$"),
        "end" => format!("^{DAYS}$"),
        "start" => format!("^({DAYS}|[1-9][0-9]{{0,2}}[dwmy]|ytd|max)$"),
        _ => "^[^\\u0000-\\u001F\\u007F-\\u009F]*$".to_owned(),
    };
    if let Some(schema) = schema.as_object_mut().filter(|_| is_text) {
        schema.insert("pattern".into(), pattern.into());
    }
}

/// JSON Schema 2020-12 in OpenAPI 3.0's dialect: `nullable` for null unions, one `example`. What a property is called is
/// no keyword, for its schema is an object.
fn dialect(schema: &Value) -> Value {
    match (schema.as_array(), schema.as_object()) {
        (Some(items), _) => items.iter().map(dialect).collect(),
        (None, Some(keywords)) => translated(keywords),
        (None, None) => schema.clone(),
    }
}

fn translated(keywords: &Map<String, Value>) -> Value {
    let each = keywords.iter().flat_map(|(key, value)| keyword(key, value));
    each.collect()
}

fn keyword<'a>(key: &'a str, value: &Value) -> Vec<(&'a str, Value)> {
    match (key, value) {
        ("type", Value::Array(kinds)) => {
            let kind = |kind: &Value| match kind == "null" {
                true => ("nullable", Value::Bool(true)),
                false => ("type", kind.clone()),
            };
            kinds.iter().map(kind).collect()
        }
        ("examples", Value::Array(all)) => {
            let first = all.first();
            first.map(|e| ("example", e.clone())).into_iter().collect()
        }
        ("const", Value::String(_)) => vec![("enum", json!([value]))],
        (key, value) => vec![(key, dialect(value))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoints::ENDPOINTS;

    #[test]
    fn null_unions_become_nullable() {
        let given = json!({"type": ["number", "null"], "examples": [1]});
        assert_eq!(
            dialect(&given),
            json!({"type": "number", "nullable": true, "example": 1})
        );
    }

    #[test]
    fn every_endpoint_is_described() {
        let text = document(&ENDPOINTS, "https://x.example");
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
