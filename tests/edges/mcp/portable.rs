//! Tests that schemas use only keywords that three families of models support, as of November 2026: OpenAI's list for
//! strict function schemas, the fields of `JSONSchema` in google-genai 3.6.1, and `transform_schema` of anthropic 2.14.0,
//! which rejects a schema without a type.

use super::client::Client;
use super::server;
use serde_json::{Value, json};

/// Keywords of OpenAI's strict schemas, and `default`, which its SDKs remove before sending.
const OPENAI: &[&str] = &[
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "const",
    "anyOf",
    "description",
    "default",
    "format",
    "pattern",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "additionalProperties",
];

/// Fields of google-genai's `JSONSchema`.
const GEMINI: &[&str] = &[
    "type",
    "format",
    "title",
    "description",
    "default",
    "items",
    "minItems",
    "maxItems",
    "enum",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "anyOf",
];

/// Anthropic's SDK requires one of these in every schema.
const KINDS: &[&str] = &["type", "anyOf", "oneOf", "allOf", "enum", "const"];

/// Calls `visit` with every nested schema and its path.
fn visit_schemas(place: &str, schema: &Value, visit: &mut impl FnMut(&str, &Value)) {
    visit(place, schema);
    for (word, inner) in schema.as_object().into_iter().flatten() {
        let place = format!("{place}/{word}");
        match (word.as_str(), inner) {
            ("properties", Value::Object(all)) => {
                for (name, inner) in all {
                    visit_schemas(&format!("{place}/{name}"), inner, visit);
                }
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(all)) => {
                for (n, inner) in all.iter().enumerate() {
                    visit_schemas(&format!("{place}/{n}"), inner, visit);
                }
            }
            ("items" | "additionalProperties", Value::Object(_)) => {
                visit_schemas(&place, inner, visit)
            }
            _ => {}
        }
    }
}

/// Calls `visit` with every schema in one member of the listed tools. Returns their number.
async fn visit_listed(member: &str, mut visit: impl FnMut(&str, &Value)) -> usize {
    let mut client = Client::open(server());
    let list = client.result("tools/list", json!({})).await;
    let mut seen = 0;
    for tool in list["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        visit_schemas(name, &tool[member], &mut |place, schema| {
            seen += 1;
            visit(place, schema);
        });
    }
    seen
}

#[tokio::test]
async fn input_schemas_use_only_widely_supported_keywords() {
    let mut wrong = Vec::new();
    let seen = visit_listed("inputSchema", |place, schema| {
        let words: Vec<&String> = schema.as_object().unwrap().keys().collect();
        let unknown = words.iter().filter(|word| {
            let is_known = |all: &[&str]| all.contains(&word.as_str());
            !is_known(OPENAI) || !is_known(GEMINI)
        });
        wrong.extend(unknown.map(|word| format!("{place}: {word}")));
        if !words.iter().any(|word| KINDS.contains(&word.as_str())) {
            wrong.push(format!("{place}: no type"));
        }
    });
    assert!(seen.await > 60, "too few schemas");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn every_output_schema_has_a_type() {
    let mut wrong = Vec::new();
    let seen = visit_listed("outputSchema", |place, schema| {
        let has_kind = KINDS.iter().any(|word| schema.get(word).is_some());
        let has_many = schema.get("type").is_some_and(Value::is_array);
        if !has_kind || has_many {
            wrong.push(format!("{place}: {schema}"));
        }
    });
    assert!(seen.await > 300, "too few schemas");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
