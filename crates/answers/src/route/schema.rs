//! JSON Schemas from the types of endpoints, in a portable form: one object, no references, no Rust number formats.

use crate::render::structure::Fields;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

/// Returns the schema of an endpoint's arguments: an object without additional properties and without null.
pub fn input<T: JsonSchema>() -> Fields {
    let settings = SchemaSettings::draft2020_12();
    let mut object = inline::<T>(settings.with_transform(RecursiveTransform(remove_null)));
    object.entry("properties").or_insert_with(|| json!({}));
    object.insert("additionalProperties".into(), Value::Bool(false));
    object
}

/// Returns the schema of an endpoint's serialised answer. What is sent has no defaults.
pub fn output<T: JsonSchema>() -> Fields {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    inline::<T>(settings.with_transform(RecursiveTransform(remove_default)))
}

/// Returns the schema of an answer as it is deserialised: what has a default is not required.
pub(crate) fn received<T: JsonSchema>() -> Fields {
    inline::<T>(SchemaSettings::draft2020_12())
}

/// The items of a list in a schema; none where there is no such list.
pub(crate) fn listed<'a>(schema: &'a Fields, key: &str) -> impl Iterator<Item = &'a Value> {
    let list = schema.get(key).and_then(Value::as_array);
    list.into_iter().flatten()
}

/// Returns the first choice that is not null, else the schema itself.
pub(crate) fn without_null(schema: &Fields) -> &Fields {
    let mut choices = listed(schema, "anyOf").filter_map(Value::as_object);
    let value = choices.find(|choice| choice.get("type") != Some(&"null".into()));
    value.unwrap_or(schema)
}

fn inline<T: JsonSchema>(base: SchemaSettings) -> Fields {
    let mut settings = base.with_transform(RecursiveTransform(remove_number_format));
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut object = schema.as_object().cloned().unwrap_or_default();
    object.remove("title");
    object.remove("description");
    object
}

/// Removes `uint32`, `double` and other formats of Rust, about which validators warn.
fn remove_number_format(schema: &mut Schema) {
    let format = schema.get("format").and_then(Value::as_str);
    if format.is_some_and(|f| !matches!(f, "date" | "date-time")) {
        schema.remove("format");
    }
}

/// Removes defaults, which say what a reader fills in: the day of year 0 is none to generators of clients.
fn remove_default(schema: &mut Schema) {
    schema.remove("default");
}

/// Removes null from types and enums: an optional argument is left out.
fn remove_null(schema: &mut Schema) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [kind] = types.as_slice() {
            let only = kind.clone();
            schema.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|v| !v.is_null());
    }
}
