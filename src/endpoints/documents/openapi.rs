//! OpenAPI 3.0.3 out of the table, as YAML.

use crate::endpoints::{ENDPOINTS, Route};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The document for a base address.
pub fn document(base: &str) -> String {
    let mut paths = Map::new();
    for route in &ENDPOINTS {
        paths.insert(
            route.spec.path.to_owned(),
            json!({ "get": operation(route) }),
        );
    }
    let document = json!({
        "openapi": "3.0.3",
        "info": {
            "title": "Econoscope public macroeconomic data API",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Read-only US macroeconomic data. No key; attribution required.",
            "license": { "name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0" },
        },
        "servers": [{ "url": base }],
        "paths": paths,
    });
    let mut text = String::from("# Generated from the endpoint table; do not edit.\n");
    yaml(&mut text, &document, 0);
    text
}

fn operation(route: &Route) -> Value {
    let spec = &route.spec;
    let schema = route.input_schema();
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let path: Vec<&str> = route.path_arguments().collect();
    let parameters: Vec<Value> = schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, property)| {
            parameter(
                name,
                property,
                path.contains(&name.as_str()),
                required.contains(&name.as_str()),
            )
        })
        .collect();
    let answer = dialect(&Value::Object((**route.output_schema()).clone()));
    let mut content = Map::new();
    content.insert("application/json".into(), json!({ "schema": answer }));
    let has_csv = schema
        .get("properties")
        .and_then(|p| p.get("format"))
        .is_some();
    if has_csv {
        content.insert("text/csv".into(), json!({ "schema": { "type": "string" } }));
    }
    let mut responses = Map::new();
    responses.insert(
        "200".into(),
        json!({ "description": "OK", "content": content }),
    );
    for (status, meaning) in failures(&path, !parameters.is_empty()) {
        let body = json!({ "application/json": { "schema": failure_schema() } });
        responses.insert(
            status.into(),
            json!({ "description": meaning, "content": body }),
        );
    }
    json!({
        "operationId": spec.tool,
        "summary": spec.summary,
        "description": spec.description,
        "parameters": parameters,
        "responses": responses,
    })
}

/// Statuses an endpoint may answer with besides 200.
fn failures(path: &[&str], has_parameters: bool) -> Vec<(&'static str, &'static str)> {
    let mut list = vec![
        (
            "403",
            "The rights to the data do not allow it to be passed on",
        ),
        ("404", "Unknown ticker or series, or nothing is held of it"),
        ("429", "Daily limit reached; see Retry-After"),
        ("500", "Unexpected server failure"),
        (
            "503",
            "The upstream service gives no answer; see Retry-After",
        ),
    ];
    if path.is_empty() {
        list.retain(|(status, _)| *status != "403");
    }
    if has_parameters {
        list.insert(0, ("400", "Missing or malformed argument"));
    } else {
        list.insert(0, ("400", "Unknown argument"));
    }
    list
}

fn failure_schema() -> Value {
    json!({
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": { "type": "string" },
            "code": { "type": "string" },
            "ticker": { "type": "string" },
            "suggestions": { "type": "array", "items": { "type": "string" } },
        },
    })
}

fn parameter(name: &str, property: &Value, in_path: bool, required: bool) -> Value {
    let mut schema = dialect(property);
    let mut out = Map::new();
    out.insert("name".into(), name.into());
    out.insert("in".into(), if in_path { "path" } else { "query" }.into());
    out.insert("required".into(), (in_path || required).into());
    if let Some(object) = schema.as_object_mut() {
        for key in ["description", "example"] {
            if let Some(value) = object.remove(key) {
                out.insert(key.into(), value);
            }
        }
        narrow(name, object);
        if object.get("type") == Some(&json!("array")) {
            out.insert("style".into(), "form".into());
            out.insert("explode".into(), false.into());
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
    match schema {
        Value::Object(object) => {
            let mut out = Map::new();
            for (key, value) in object {
                match (key.as_str(), value) {
                    ("type", Value::Array(types)) => {
                        let kinds: Vec<&Value> = types.iter().filter(|t| **t != "null").collect();
                        if let [one] = kinds.as_slice() {
                            out.insert("type".into(), (*one).clone());
                        }
                        if types.iter().any(|t| t == "null") {
                            out.insert("nullable".into(), Value::Bool(true));
                        }
                    }
                    ("anyOf", Value::Array(choices)) => any_of(&mut out, choices),
                    ("examples", Value::Array(examples)) => {
                        if let Some(first) = examples.first() {
                            out.insert("example".into(), first.clone());
                        }
                    }
                    ("const", value) => {
                        out.insert("enum".into(), json!([value]));
                    }
                    ("enum", Value::Array(values)) => {
                        out.insert("enum".into(), Value::Array(values.clone()));
                    }
                    ("properties", Value::Object(properties)) => {
                        let each = properties
                            .iter()
                            .map(|(name, p)| (name.clone(), dialect(p)))
                            .collect();
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
        Value::Array(items) => items.iter().map(dialect).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

/// `anyOf: [X, null]` is a nullable X.
fn any_of(out: &mut Map<String, Value>, choices: &[Value]) {
    let kept: Vec<&Value> = choices
        .iter()
        .filter(|c| c.get("type") != Some(&json!("null")))
        .collect();
    if let ([one], true) = (kept.as_slice(), kept.len() < choices.len()) {
        if let Value::Object(inner) = dialect(one) {
            out.extend(inner);
        }
        out.insert("nullable".into(), Value::Bool(true));
    } else {
        out.insert("anyOf".into(), choices.iter().map(dialect).collect());
    }
}

/// Writes a value as block YAML; texts are quoted as JSON, which YAML reads alike.
fn yaml(out: &mut String, value: &Value, indent: usize) {
    let pad = "  ".repeat(indent);
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (key, value) in object {
                let _ = write!(out, "{pad}{}:", yaml_key(key));
                yaml_below(out, value, indent);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let _ = write!(out, "{pad}-");
                yaml_below(out, item, indent);
            }
        }
        scalar @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_)) => {
            let _ = writeln!(out, "{pad}{scalar}");
        }
    }
}

fn yaml_below(out: &mut String, value: &Value, indent: usize) {
    let nested = match value {
        Value::Object(o) => !o.is_empty(),
        Value::Array(a) => !a.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    };
    if nested {
        out.push('\n');
        yaml(out, value, indent + 1);
    } else {
        let _ = writeln!(out, " {value}");
    }
}

fn yaml_key(key: &str) -> String {
    let plain = key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && key.starts_with(|c: char| c.is_ascii_alphabetic());
    if plain {
        key.to_owned()
    } else {
        Value::from(key).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let text = document("https://x.example");
        for route in &ENDPOINTS {
            assert!(
                text.contains(&format!("operationId: \"{}\"", route.spec.tool)),
                "{}",
                route.spec.tool
            );
        }
        assert!(!text.contains("\"null\""), "no 2020-12 null unions");
    }
}
