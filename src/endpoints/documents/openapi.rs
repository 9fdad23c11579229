//! OpenAPI 3.0.3 out of the table, as JSON, which is YAML, too.

use crate::endpoints::decode::is_required;
use crate::endpoints::route::Route;
use crate::indicators::prose::capitalised;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What `info` says: whose version and licence it gives, since the data have neither.
const ABOUT: &str = "Read-only US macroeconomic data. No key; attribution required. The version is that of this program, \
    which answers every path of version 1.1.0 of the contract and adds others; the licence is that of the program and of \
    this document. Figures keep the rights of their sources, named with each series. Parameters with an underscore in \
    front, and `utm_` ones, are ignored; others that are not known are named in the header `Warning`.";

/// Failures: status, name and meaning.
const FAILURES: [(&str, &str); 6] = [
    ("400", "BadArgument"),
    ("403", "NotPermitted"),
    ("404", "NotFound"),
    ("429", "LimitReached"),
    ("500", "Failure"),
    ("503", "Unavailable"),
];

/// What is the same for every endpoint: the answers that name what failed, and their body.
#[derive(Default, Deserialize)]
struct Common {
    responses: Map<String, Value>,
    problem: Value,
}

/// The document for a base address.
pub fn document(routes: &[Route], base: &str) -> String {
    let path = |route: &Route| {
        (
            route.spec.path.to_owned(),
            json!({ "get": operation(route) }),
        )
    };
    let paths: Map<String, Value> = routes.iter().map(path).collect();
    let answer = |route: &Route| {
        let schema = Value::Object((**route.output_schema()).clone());
        (component(route), dialect(&schema))
    };
    let mut schemas: Map<String, Value> = routes.iter().map(answer).collect();
    // The file is fixed at build time, and a snapshot of the document holds what it says.
    let common = include_str!("../../../templates/openapi.json");
    let common: Common = serde_json::from_str(common).unwrap_or_default();
    schemas.insert("Problem".into(), common.problem);
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
        "components": { "schemas": schemas, "responses": common.responses },
    });
    format!("# Generated from the endpoint table; do not edit.\n{document:#}\n")
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
    let schema = route.input_schema();
    let properties = schema.get("properties").and_then(Value::as_object);
    let in_path: Vec<&str> = route.path_arguments().collect();
    let parameter = |(name, property): (&String, &Value)| {
        let in_path = in_path.contains(&name.as_str());
        parameter(
            name,
            property,
            in_path,
            in_path || is_required(schema, name),
        )
    };
    let parameters: Vec<Value> = properties.into_iter().flatten().map(parameter).collect();
    let mut content = Map::new();
    let answer = reference("schemas", &component(route));
    content.insert("application/json".into(), json!({ "schema": answer }));
    if route.takes("format") {
        content.insert("text/csv".into(), json!({ "schema": { "type": "string" } }));
    }
    let mut responses = Map::new();
    let found = json!({ "description": "OK", "content": content });
    responses.insert("200".into(), found);
    for (status, name) in FAILURES {
        let can_be = match status {
            "400" => !parameters.is_empty(),
            "403" => !in_path.is_empty(),
            _ => true,
        };
        if can_be {
            responses.insert(status.into(), reference("responses", name));
        }
    }
    json!({
        "operationId": spec.tool,
        "tags": ["macro"],
        "summary": spec.summary,
        "description": spec.description,
        "parameters": parameters,
        "responses": responses,
    })
}

fn parameter(name: &str, property: &Value, in_path: bool, required: bool) -> Value {
    let place = if in_path { "path" } else { "query" };
    let mut out = Map::new();
    out.insert("name".into(), name.into());
    out.insert("in".into(), place.into());
    out.insert("required".into(), required.into());
    let mut schema = dialect(property);
    if let Some(schema) = schema.as_object_mut() {
        for key in ["description", "example"] {
            out.extend(schema.remove(key).map(|value| (key.to_owned(), value)));
        }
        narrow(name, schema);
        if schema.get("type") == Some(&json!("array")) {
            out.insert("style".into(), "form".into());
            out.insert("explode".into(), false.into());
            if let Some(Value::String(about)) = out.get_mut("description") {
                about.push_str(" Separated by commas, or the parameter repeated.");
            }
        }
    }
    out.insert("schema".into(), schema);
    Value::Object(out)
}

/// What the decoder asks of texts beyond their length: days are days, and no text holds control characters.
fn narrow(name: &str, schema: &mut Map<String, Value>) {
    if schema.get("type") != Some(&json!("string")) || schema.contains_key("enum") {
        return;
    }
    match name {
        "as_of" | "end" => {
            schema.remove("maxLength");
            schema.insert("format".into(), "date".into());
        }
        "start" => {
            let days = "^([0-9]{4}-[0-9]{2}-[0-9]{2}|[1-9][0-9]?[dmy]|ytd|max)$";
            schema.insert("pattern".into(), days.into());
        }
        _ => {
            let plain = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$";
            schema.insert("pattern".into(), plain.into());
        }
    }
}

/// JSON Schema 2020-12 in OpenAPI 3.0's dialect: `nullable` for null unions, one `example`.
fn dialect(schema: &Value) -> Value {
    if let Some(items) = schema.as_array() {
        return items.iter().map(dialect).collect();
    }
    let Some(object) = schema.as_object() else {
        return schema.clone();
    };
    let mut out = Map::new();
    for (key, value) in object {
        match (key.as_str(), value) {
            ("type", Value::Array(types)) => {
                let mut kinds = types.iter().filter(|t| **t != "null");
                out.extend(kinds.next().map(|kind| ("type".to_owned(), kind.clone())));
                if types.iter().any(|t| t == "null") {
                    out.insert("nullable".into(), Value::Bool(true));
                }
            }
            ("anyOf", Value::Array(choices)) => any_of(&mut out, choices),
            ("examples", Value::Array(examples)) => {
                let first = examples.first();
                out.extend(first.map(|example| ("example".to_owned(), example.clone())));
            }
            ("const", value) => {
                out.insert("enum".into(), json!([value]));
            }
            ("enum", values) => {
                out.insert("enum".into(), values.clone());
            }
            ("properties", Value::Object(properties)) => {
                let each = properties.iter();
                let each = each.map(|(name, p)| (name.clone(), dialect(p))).collect();
                out.insert("properties".into(), Value::Object(each));
            }
            ("$schema" | "unevaluatedProperties", _) => {}
            (_, value) => {
                out.insert(key.clone(), dialect(value));
            }
        }
    }
    Value::Object(out)
}

/// `anyOf: [X, null]` is a nullable X.
fn any_of(out: &mut Map<String, Value>, choices: &[Value]) {
    let null = json!("null");
    let kept = choices.iter().filter(|c| c.get("type") != Some(&null));
    match kept.map(dialect).collect::<Vec<_>>().as_slice() {
        [Value::Object(inner)] if choices.len() > 1 => {
            out.extend(inner.clone());
            out.insert("nullable".into(), Value::Bool(true));
        }
        _ => {
            out.insert("anyOf".into(), choices.iter().map(dialect).collect());
        }
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
        let given = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
        assert_eq!(dialect(&given), json!({"type": "string", "nullable": true}));
    }

    #[test]
    fn every_endpoint_is_described() {
        let text = document(&ENDPOINTS, "https://x.example");
        let (comment, json) = text.split_once('\n').unwrap();
        assert!(comment.starts_with("# "));
        let document: Value = serde_json::from_str(json).unwrap();
        for route in ENDPOINTS.iter() {
            let operation = &document["paths"][route.spec.path]["get"];
            assert_eq!(operation["operationId"], route.spec.tool);
        }
        assert!(!text.contains("\"null\""), "no 2020-12 null unions");
    }
}
