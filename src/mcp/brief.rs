//! Output schemas as the tool list carries them: names and types, without the prose. A host reads the list
//! at the start of every conversation; the whole schemas stand in `tool-schemas/` and the OpenAPI document.

use serde_json::{Map, Value, json};

/// Fields that every answer has beside its own: each tells what it is when it comes.
const COMMON: [&str; 4] = ["as_of", "age_days", "freshness", "notes"];

/// Below this depth an object is only called an object.
const DEPTH: usize = 3;

/// The schema in brief; whatever the whole one accepts, it accepts too.
pub(super) fn schema(whole: &Map<String, Value>) -> Map<String, Value> {
    let mut out = object(whole, DEPTH);
    if let Some(Value::Object(properties)) = out.get_mut("properties") {
        properties.retain(|name, _| !COMMON.contains(&name.as_str()));
        if let Some(credit) = properties.get_mut("attribution")
            && let Some(kind) = credit.get("type").cloned()
        {
            *credit = json!({ "type": kind });
        }
    }
    out
}

fn object(whole: &Map<String, Value>, depth: usize) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, value) in whole {
        match (key.as_str(), value) {
            ("properties", Value::Object(fields)) if depth > 0 => {
                let fields: Map<String, Value> = fields
                    .iter()
                    .map(|(name, field)| (name.clone(), part(field, depth - 1)))
                    .collect();
                out.insert(key.clone(), Value::Object(fields));
            }
            ("items" | "additionalProperties", Value::Object(inner)) if depth > 0 => {
                out.insert(key.clone(), Value::Object(object(inner, depth - 1)));
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

fn part(value: &Value, depth: usize) -> Value {
    match value {
        Value::Object(inner) => Value::Object(object(inner, depth)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            value.clone()
        }
    }
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
                    "type": "object", "properties": { "date": { "type": "string", "format": "date" } } } },
                "attribution": { "type": "object", "properties": { "text": { "type": "string" } } },
                "notes": { "type": "object" },
            },
            "required": ["value"],
        });
        let brief = schema(whole.as_object().unwrap());
        assert_eq!(
            Value::Object(brief),
            json!({
                "type": "object",
                "properties": {
                    "value": { "anyOf": [{ "type": "number" }, { "type": "null" }] },
                    "rows": { "type": "array", "items": {
                        "type": "object", "properties": { "date": { "type": "string" } } } },
                    "attribution": { "type": "object" },
                },
            })
        );
    }
}
