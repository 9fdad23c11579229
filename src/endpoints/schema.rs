//! JSON Schemas out of the types, made portable: one flat object, no references, no Rust number formats.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// Schema of an endpoint's arguments.
/// Shape: an object with every property described, nothing else allowed, no nulls.
pub fn input<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = SchemaSettings::draft2020_12()
        .with(|s| {
            s.inline_subschemas = true;
            s.meta_schema = None;
        })
        .into_generator()
        .into_root_schema_for::<T>();
    RecursiveTransform(without_null).transform(&mut schema);
    let mut object = portable(schema);
    object.entry("properties").or_insert_with(|| json!({}));
    object.insert("additionalProperties".into(), Value::Bool(false));
    object
}

/// Schema of an endpoint's answer, as it is serialised.
pub fn output<T: JsonSchema>() -> Map<String, Value> {
    let schema = SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|s| {
            s.inline_subschemas = true;
            s.meta_schema = None;
        })
        .into_generator()
        .into_root_schema_for::<T>();
    portable(schema)
}

fn portable(mut schema: Schema) -> Map<String, Value> {
    RecursiveTransform(plain_numbers).transform(&mut schema);
    let mut object = match schema.to_value() {
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    };
    object.remove("title");
    object.remove("description");
    object
}

/// `uint32`, `double` and their like are Rust's words; validators elsewhere warn about them.
fn plain_numbers(schema: &mut Schema) {
    let strip = schema
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|f| !matches!(f, "date" | "date-time"));
    if strip {
        schema.remove("format");
    }
}

/// An optional argument is left out, not sent as null.
fn without_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get("type").cloned() {
        let kept: Vec<Value> = types.into_iter().filter(|t| t != "null").collect();
        if let [one] = kept.as_slice() {
            schema.insert("type".into(), one.clone());
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|v| !v.is_null());
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    let alternatives = schema
        .get("anyOf")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let kept: Vec<&Value> = alternatives
        .iter()
        .filter(|a| a.get("type") != Some(&json!("null")))
        .collect();
    if let [Value::Object(one)] = kept.as_slice() {
        schema.remove("anyOf");
        for (key, value) in one {
            if schema.get(key).is_none() {
                schema.insert(key.clone(), value.clone());
            }
        }
    }
}
