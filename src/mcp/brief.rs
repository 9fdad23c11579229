//! Schemas as the tool list carries them. A host reads the whole list at the start of every conversation, so
//! it names what every answer has and its types; prose, rare fields, the inside of objects, examples and the
//! lengths of texts stand in `tool-schemas/` and the OpenAPI document, and arguments are checked against the
//! whole schema.

use serde_json::{Map, Value, json};

/// Fields that every answer has beside its own: each tells what it is when it comes.
const COMMON: [&str; 5] = ["attribution", "as_of", "age_days", "freshness", "notes"];

/// Below this depth an object is only called an object.
const DEPTH: usize = 1;

/// An answer's schema in brief; whatever the whole one accepts, it accepts too.
pub(super) fn output(whole: &Map<String, Value>) -> Map<String, Value> {
    let mut out = object(whole, DEPTH);
    if let Some(Value::Object(properties)) = out.get_mut("properties") {
        properties.retain(|name, _| !COMMON.contains(&name.as_str()));
    }
    out
}

/// The arguments' schema without the lengths of texts and without examples, which the descriptions give.
pub(super) fn input(whole: &Map<String, Value>) -> Map<String, Value> {
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

fn object(whole: &Map<String, Value>, depth: usize) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, value) in whole {
        match (key.as_str(), value) {
            ("properties", Value::Object(fields)) if depth > 0 => {
                let always = whole.get("required").and_then(Value::as_array);
                let fields: Map<String, Value> = fields
                    .iter()
                    .filter(|(name, _)| always.is_some_and(|a| a.iter().any(|n| n == *name)))
                    .filter_map(|(name, field)| {
                        let field = object(field.as_object()?, depth - 1);
                        Some((name.clone(), Value::Object(field)))
                    })
                    .collect();
                out.insert(key.clone(), Value::Object(fields));
            }
            ("items" | "additionalProperties", Value::Object(inner)) => {
                let inner = object(inner, depth.saturating_sub(1));
                out.insert(key.clone(), Value::Object(inner));
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
    out
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
                "attribution": { "type": "object", "properties": { "text": { "type": "string" } } },
                "notes": { "type": "object" },
            },
            "required": ["value", "rows", "attribution"],
        });
        assert_eq!(
            Value::Object(output(whole.as_object().unwrap())),
            json!({
                "type": "object",
                "properties": {
                    "value": { "anyOf": [{ "type": "number" }, { "type": "null" }] },
                    "rows": { "type": "array", "items": { "type": "object" } },
                },
            })
        );
    }
}
