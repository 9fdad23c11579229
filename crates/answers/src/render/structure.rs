//! The structure of a tool's result: a compact form of the REST answer.
//!
//! Models pay for every character of a result, so the structure says each thing once:
//!
//! - Null and empty fields are left out; `notes` says why a figure is missing.
//! - A list of objects becomes a table: `columns` names the fields, `rows` holds their values in that order, null for
//!   an absent one. Objects inside a row become columns with a dotted name (`probabilities.REFLATION`). Values other
//!   than numbers that are equal in all of three or more rows are given once, in `constant`.
//! - A whole number is written without a fraction.
//! - A unit in words, a source and a reduction that tell nothing new are left out.
//! - Fields that the endpoint's text leaves out ([`crate::route::endpoint::Spec::omitted`]) are left out. The notices of
//!   sources are returned apart, for a result's `_meta`.
//!
//! [`schema`] describes this form as [`compact`] makes it.

use crate::route::schema::without_null;
use serde_json::{Map, Number, Value, json};

/// Fewest rows of a table with `constant`.
const MIN_ROWS_FOR_CONSTANT: usize = 3;

/// End of a part of a path that stands for the later items of a list.
const AND_MORE: &str = "+]";

/// What the other fields of an own answer tell; an upstream's answer has it alone.
const OWN: &str = "narrative";

/// Fields that only programs need, which call REST.
const METADATA: [&str; 6] = [
    "query",
    "freshness",
    "generatedAt",
    "last_updated",
    "source_url",
    "attribution.terms",
];

/// The fields of a JSON object.
pub type Fields = Map<String, Value>;

/// An answer in its compact form.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// An object.
    pub value: Value,
    /// The notices of the sources, each once.
    pub notices: Vec<String>,
}

impl Structure {
    /// Returns the compact form of an answer without the `omitted` fields: dotted paths, which lead through lists.
    /// `schema` is that of the answer; columns stand in its order.
    pub fn from_answer(mut answer: Value, omitted: &[&str], schema: &Fields) -> Self {
        let mut notices = Vec::new();
        if let Some(Value::Array(sources)) = answer.get_mut("sources") {
            // The series are needed only where sources share one.
            let is_shared = sources.iter().any(|source| source.get("from").is_some());
            for source in sources.iter_mut().filter_map(Value::as_object_mut) {
                if !is_shared {
                    source.shift_remove("series");
                }
                if let Some(Value::String(notice)) = source.shift_remove("notice")
                    && !notices.contains(&notice)
                {
                    notices.push(notice);
                }
            }
        }
        remove_repeated(&mut answer);
        let is_own = answer.get("as_of").is_some();
        let own = is_own.then_some(&OWN);
        for path in METADATA.iter().chain(omitted).chain(own) {
            remove(&mut answer, path);
        }
        Self {
            value: compact(answer, Some(schema)).unwrap_or_else(|| json!({})),
            notices,
        }
    }
}

/// Removes what another field says: a unit in words that is the unit, a source that is the only one of `sources`, and how
/// rows were thinned where all are there.
fn remove_repeated(answer: &mut Value) {
    let is_same = |one: &str, other: &str| {
        let value = answer.pointer(one);
        value.is_some() && value == answer.pointer(other)
    };
    let is_only_source = answer.pointer("/sources/1").is_none();
    let is_whole = is_same("/reduction/from_rows", "/reduction/to_rows");
    let fields = [
        ("unitInWords", is_same("/unitInWords", "/unit")),
        (
            "source",
            is_only_source && is_same("/source", "/sources/0/source"),
        ),
        ("reduction", is_whole),
        ("all_rows", is_whole),
    ];
    for (name, _) in fields.iter().filter(|(_, is_repeated)| *is_repeated) {
        remove(answer, name);
    }
}

/// Removes the field at a dotted path, from every item of a list on the way; `name[3+]` stands for the items of a list
/// after the first three.
fn remove(value: &mut Value, path: &str) {
    if let Value::Array(items) = value {
        return items.iter_mut().for_each(|item| remove(item, path));
    }
    let Value::Object(fields) = value else { return };
    let Some((first, rest)) = path.split_once('.') else {
        return drop(fields.shift_remove(path));
    };
    let part = first
        .strip_suffix(AND_MORE)
        .and_then(|part| part.split_once('['));
    if let Some((name, Ok(count))) = part.map(|(name, count)| (name, count.parse())) {
        let items = fields.get_mut(name).and_then(Value::as_array_mut);
        let later = items.into_iter().flatten().skip(count);
        later.for_each(|item| remove(item, rest));
    } else if let Some(inner) = fields.get_mut(first) {
        remove(inner, rest);
    }
}

/// Returns the compact form of a value; `None` if it is empty.
fn compact(value: Value, schema: Option<&Fields>) -> Option<Value> {
    let value = match value {
        Value::Number(number) => without_fraction(number).into(),
        Value::Array(items) if items.is_empty() => return None,
        Value::Array(items) if items.iter().all(Value::is_object) => {
            table(items, item_schema(schema))
        }
        // Any other list keeps its empty items as null, and so their positions.
        Value::Array(items) => {
            let item = item_schema(schema);
            let cells = items.into_iter().map(|value| compact(value, item));
            cells.map(Option::unwrap_or_default).collect()
        }
        Value::Object(fields) => compact_fields(fields, schema).into(),
        Value::Null | Value::Bool(_) | Value::String(_) => value,
    };
    let has_no_field = value.as_object().is_some_and(Map::is_empty);
    let is_empty = has_no_field || value.is_null() || value.as_str() == Some("");
    (!is_empty).then_some(value)
}

fn compact_fields(fields: Fields, schema: Option<&Fields>) -> Fields {
    let compacted = fields.into_iter().filter_map(|(name, value)| {
        let value = compact(value, field_schema(schema, &name))?;
        Some((name, value))
    });
    compacted.collect()
}

/// Returns the schema of a field; `None` where the schema of its object says nothing of it.
fn field_schema<'a>(schema: Option<&'a Fields>, name: &str) -> Option<&'a Fields> {
    let object = without_null(schema?);
    let property = object.get("properties").and_then(|all| all.get(name));
    let schema = property.or_else(|| object.get("additionalProperties"))?;
    schema.as_object()
}

/// Returns the schema of the items of a list.
fn item_schema(schema: Option<&Fields>) -> Option<&Fields> {
    without_null(schema?).get("items")?.as_object()
}

/// Returns the place of a column among the declared fields, and among those of its object if its name is dotted.
fn declared_position(schema: Option<&Fields>, column: &str) -> (usize, usize) {
    let position = |schema: Option<&Fields>, name: &str| {
        let properties = without_null(schema?).get("properties")?;
        let mut names = properties.as_object()?.keys();
        names.position(|declared| declared == name)
    };
    let (field, inner) = column.split_once('.').unwrap_or((column, ""));
    (
        position(schema, field).unwrap_or(usize::MAX),
        position(field_schema(schema, field), inner).unwrap_or(usize::MAX),
    )
}

/// Converts `75.0` to `75`.
fn without_fraction(number: Number) -> Number {
    let is_whole = |value: &f64| value.fract() == 0.0 && value.abs() < 9e15;
    let whole = number.as_f64().filter(|_| number.is_f64()).filter(is_whole);
    whole
        .and_then(|value| format!("{:.0}", value + 0.0).parse().ok())
        .unwrap_or(number)
}

/// Converts a list of objects to a table. Its columns stand in the order of the schema, whichever fields the first row
/// has; those that are not declared follow in the order in which they come.
fn table(items: Vec<Value>, schema: Option<&Fields>) -> Value {
    let row = |item| {
        let Value::Object(fields) = item else {
            return None;
        };
        Some(compact_fields(fields, schema))
    };
    let mut rows: Vec<Fields> = items.into_iter().filter_map(row).collect();
    for name in uniform_objects(&rows) {
        flatten(&mut rows, &name);
    }
    let mut columns: Vec<String> = Vec::new();
    for name in rows.iter().flat_map(Map::keys) {
        if !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    columns.sort_by_key(|name| declared_position(schema, name));
    let constant = constant_fields(&rows);
    columns.retain(|name| !constant.contains_key(name));
    let taken = rows.iter_mut().map(|row| {
        let cell = |name| row.get_mut(name).map_or(Value::Null, Value::take);
        columns.iter().map(cell).collect()
    });
    let cells: Vec<Value> = taken.collect();
    if constant.is_empty() {
        json!({ "columns": columns, "rows": cells })
    } else {
        json!({ "columns": columns, "rows": cells, "constant": constant })
    }
}

/// Returns the fields that hold an object with the same keys in every row that has the field. Tables do not count.
fn uniform_objects(rows: &[Fields]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, value) in rows.iter().flatten() {
        if value.is_object() && !names.contains(name) {
            names.push(name.clone());
        }
    }
    names.retain(|name| {
        let mut objects = rows.iter().filter_map(|row| row.get(name)?.as_object());
        let first = objects.next().filter(|fields| !is_table(fields));
        first.is_some_and(|first| objects.all(|fields| fields.keys().eq(first.keys())))
    });
    names
}

fn is_table(fields: &Fields) -> bool {
    fields.contains_key("columns") && fields.contains_key("rows")
}

/// Replaces the object in the field `name` by its fields, each under a dotted name.
fn flatten(rows: &mut [Fields], name: &str) {
    for row in rows {
        for (key, value) in std::mem::take(row) {
            if key == name
                && let Value::Object(inner) = value
            {
                let dotted = |(field, value)| (format!("{name}.{field}"), value);
                row.extend(inner.into_iter().map(dotted));
            } else {
                row.insert(key, value);
            }
        }
    }
}

/// Returns the fields that are equal in every row, numbers excepted.
fn constant_fields(rows: &[Fields]) -> Fields {
    let mut fields = match rows.first() {
        Some(first) if rows.len() >= MIN_ROWS_FOR_CONSTANT => first.clone(),
        _ => return Map::new(),
    };
    fields.retain(|name, value| {
        !value.is_number() && rows.iter().all(|row| row.get(name) == Some(&*value))
    });
    fields
}

/// Returns the schema of the compact form, from the schema of the answer. No field is required: empty ones are left
/// out.
pub fn schema(answer: &Fields) -> Fields {
    let mut answer = Value::Object(answer.clone());
    for path in METADATA.iter().chain(&["sources.notice"]) {
        remove_declared(&mut answer, path);
    }
    let Value::Object(mut out) = compact_schema(&answer) else {
        return Map::new();
    };
    out.entry("type").or_insert_with(|| "object".into());
    let properties = out.get_mut("properties");
    if let Some(Value::Object(sources)) = properties.and_then(|all| all.get_mut("sources")) {
        let description = "Sources of the figures; their notices are in `_meta`.";
        sources.insert("description".into(), description.into());
    }
    out
}

/// Removes the declaration of the field at a dotted path.
fn remove_declared(schema: &mut Value, path: &str) {
    let inner = if schema.get("items").is_some() {
        "/items/properties"
    } else {
        "/properties"
    };
    let Some(Value::Object(fields)) = schema.pointer_mut(inner) else {
        return;
    };
    match path.split_once('.') {
        Some((first, rest)) => {
            let field = fields.get_mut(first).into_iter();
            field.for_each(|field| remove_declared(field, rest));
        }
        None => drop(fields.shift_remove(path)),
    }
}

fn compact_schema(schema: &Value) -> Value {
    let Some(fields) = schema.as_object() else {
        return json!({});
    };
    let types: Vec<&Value> = match fields.get("type") {
        Some(Value::Array(types)) => types.iter().filter(|name| *name != "null").collect(),
        name => name.into_iter().collect(),
    };
    let choices = fields.get("anyOf").or_else(|| fields.get("oneOf"));
    let choices: Option<Vec<Value>> = match (choices, types.as_slice()) {
        (Some(Value::Array(choices)), _) => {
            let is_value = |choice: &&Value| choice.get("type") != Some(&"null".into());
            let values = choices.iter().filter(is_value);
            Some(values.map(compact_schema).collect())
        }
        (_, [_, _, ..]) => Some(types.iter().map(|name| json!({ "type": name })).collect()),
        _ => None,
    };
    if let Some(choices) = choices {
        return with_description(any_of(choices), fields);
    }
    let item = fields.get("items").and_then(Value::as_object);
    if let Some(item) = item.filter(|item| is_object(item)) {
        return with_description(table_schema(item), fields);
    }
    let mut out = Map::new();
    if let [name] = types.as_slice() {
        out.insert("type".into(), Value::clone(name));
    }
    for (key, value) in fields {
        let value = match (key.as_str(), value) {
            ("enum", Value::Array(values)) => {
                values.iter().filter(|v| !v.is_null()).cloned().collect()
            }
            ("const" | "format" | "minItems" | "maxItems", _) => value.clone(),
            ("properties", Value::Object(all)) => {
                let inner = all.iter();
                inner
                    .map(|(name, one)| (name.clone(), compact_schema(one)))
                    .collect()
            }
            // A list that is no table may hold null for an empty item.
            ("items", _) => any_of(vec![compact_schema(value), json!({ "type": "null" })]),
            ("additionalProperties", Value::Object(_)) => compact_schema(value),
            _ => continue,
        };
        out.insert(key.clone(), value);
    }
    with_description(out.into(), fields)
}

fn is_object(schema: &Fields) -> bool {
    schema.contains_key("properties") || schema.get("type") == Some(&"object".into())
}

/// Returns `anyOf` the schemas without duplicates, or the schema itself if there is one. Names become one enum.
fn any_of(choices: Vec<Value>) -> Value {
    let mut distinct: Vec<Value> = Vec::new();
    for choice in choices {
        if !distinct.contains(&choice) {
            distinct.push(choice);
        }
    }
    let named = distinct.iter().map(|choice| choice.get("const"));
    if let Some(names) = named.collect::<Option<Vec<_>>>() {
        return json!({ "type": "string", "enum": names });
    }
    match <[Value; 1]>::try_from(distinct) {
        Ok([only]) => only,
        Err(distinct) => json!({ "anyOf": distinct }),
    }
}

/// Copies the description of the schema `original`.
fn with_description(mut schema: Value, original: &Fields) -> Value {
    if let (Some(out), Some(text)) = (schema.as_object_mut(), original.get("description")) {
        out.insert("description".into(), text.clone());
    }
    schema
}

/// Returns the schema of a table, from the schema of the objects in its rows.
fn table_schema(item: &Fields) -> Value {
    let mut columns = Columns::default();
    columns.collect(item, "");
    json!({
        "type": "object",
        "properties": {
            "columns": {
                "type": "array",
                "items": { "type": "string", "examples": columns.names },
                "description": columns.descriptions.join(" "),
            },
            "rows": { "type": "array" },
            "constant": { "type": "object" },
        },
        "required": ["columns", "rows"],
    })
}

/// What a table's schema says of its columns.
#[derive(Default)]
struct Columns {
    names: Vec<String>,
    descriptions: Vec<String>,
}

impl Columns {
    /// Adds the columns of an object; `prefix` is its dotted name.
    fn collect(&mut self, item: &Fields, prefix: &str) {
        let properties = item.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let name = format!("{prefix}{name}");
            let cell = compact_schema(property);
            let named = cell.get("format").or_else(|| cell.get("type"));
            let kind = named.and_then(Value::as_str).unwrap_or("any");
            if let Some(Value::String(description)) = cell.get("description") {
                self.descriptions
                    .push(format!("{name} ({kind}): {description}"));
            }
            let inner = cell.as_object().filter(|inner| {
                let properties = inner.get("properties").and_then(Value::as_object);
                is_object(inner) && !properties.is_some_and(is_table)
            });
            match inner {
                Some(inner) if inner.contains_key("properties") => {
                    self.collect(inner, &format!("{name}."))
                }
                Some(_) => self.names.push(format!("{name}.*")),
                None => self.names.push(name),
            }
        }
    }
}

/// A field that `notes` tells in sentences.
const UNLISTED: &str = "onDemand";

/// Returns a schema with names and types alone. A table has the names of its columns, and says nothing of its cells.
///
/// What is said in `notes`, too, is not listed.
///
/// A client that makes types of schemas drops fields whose names it cannot use (`10y`, `from`) unless their object
/// allows others, and the entries of a map unless null may stand in its place.
pub fn brief(schema: &Value) -> Value {
    let Some(fields) = schema.as_object() else {
        return schema.clone();
    };
    let columns = schema.pointer("/properties/columns/items/examples");
    if let Some(all) = columns.and_then(Value::as_array) {
        let names: Vec<&str> = all.iter().filter_map(Value::as_str).collect();
        return json!({
            "type": "object",
            "properties": { "rows": { "type": "array" } },
            "additionalProperties": true,
            "description": format!("Table of {}.", names.join(", ")),
        });
    }
    let properties = fields.get("properties").and_then(Value::as_object);
    let is_unusable =
        |name: &String| name == "from" || name.starts_with(|c: char| c.is_ascii_digit());
    let mut out = Map::new();
    for (key, value) in fields.iter().filter(|(key, _)| *key != "description") {
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(all)) => {
                let listed = all.iter().filter(|(name, _)| *name != UNLISTED);
                listed
                    .map(|(name, inner)| (name.clone(), brief(inner)))
                    .collect()
            }
            ("additionalProperties", Value::Object(values)) if is_object(values) => true.into(),
            ("additionalProperties", Value::Object(values)) if values.contains_key("type") => {
                json!({ "type": values.get("type") })
            }
            ("anyOf", Value::Array(choices)) => choices.iter().map(brief).collect(),
            _ => brief(value),
        };
        out.insert(key.clone(), value);
    }
    if properties.is_some_and(|all| all.keys().any(is_unusable)) {
        out.insert("additionalProperties".to_owned(), true.into());
    }
    if properties.is_none() && fields.get("type") == Some(&"object".into()) {
        return json!({ "anyOf": [out, { "type": "null" }] });
    }
    out.into()
}

#[cfg(test)]
mod tests;
