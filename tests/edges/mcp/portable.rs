//! Published schemas keep to what three families of models read. Recorded in November 2026: OpenAI's list of what strict
//! function schemas support, the fields of `JSONSchema` in google-genai 3.6.1, and `transform_schema` of anthropic 2.14.0,
//! which refuses a schema without a type.

use super::client::Client;
use super::server;
use serde_json::{Value, json};

/// Keywords of OpenAI's strict schemas, with `default`, which its kits take out before they send.
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

/// One of these stands in every schema that anthropic's kit takes.
const KINDS: &[&str] = &["type", "anyOf", "oneOf", "allOf", "enum", "const"];

/// Calls with every schema inside a schema and its place.
fn each(place: &str, schema: &Value, see: &mut impl FnMut(&str, &Value)) {
    see(place, schema);
    for (word, inner) in schema.as_object().into_iter().flatten() {
        let place = format!("{place}/{word}");
        match (word.as_str(), inner) {
            ("properties", Value::Object(all)) => {
                for (name, inner) in all {
                    each(&format!("{place}/{name}"), inner, see);
                }
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(all)) => {
                for (n, inner) in all.iter().enumerate() {
                    each(&format!("{place}/{n}"), inner, see);
                }
            }
            ("items" | "additionalProperties", Value::Object(_)) => each(&place, inner, see),
            _ => {}
        }
    }
}

/// Calls with every schema in one member of the listed tools; how many there were.
async fn listed(member: &str, mut see: impl FnMut(&str, &Value)) -> usize {
    let mut client = Client::open(server());
    let list = client.result("tools/list", json!({})).await;
    let mut seen = 0;
    for tool in list["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        each(name, &tool[member], &mut |place, schema| {
            seen += 1;
            see(place, schema);
        });
    }
    seen
}

#[tokio::test]
async fn arguments_keep_to_what_every_family_reads() {
    let mut wrong = Vec::new();
    let seen = listed("inputSchema", |place, schema| {
        let words: Vec<&String> = schema.as_object().unwrap().keys().collect();
        let unknown = words.iter().filter(|word| {
            let known = |all: &[&str]| all.contains(&word.as_str());
            !known(OPENAI) || !known(GEMINI)
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
async fn no_schema_of_an_output_is_without_a_type() {
    let mut wrong = Vec::new();
    let seen = listed("outputSchema", |place, schema| {
        let has_kind = KINDS.iter().any(|word| schema.get(word).is_some());
        let has_many = schema.get("type").is_some_and(Value::is_array);
        if !has_kind || has_many {
            wrong.push(format!("{place}: {schema}"));
        }
    });
    assert!(seen.await > 300, "too few schemas");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
