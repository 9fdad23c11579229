//! The structure of a tool's result: the facts of the REST answer at the price of its text.
//!
//! REST keeps the contract's shapes. Models are charged for every character of a result, so a tool's structure says each
//! thing once:
//!
//! - What is null or empty is left out; `notes` says why a figure is missing.
//! - A list of objects is a table: `columns` names the fields, `rows` holds their values in that order, null where a row
//!   lacks one. Objects inside a row are columns with a dotted name (`probabilities.REFLATION`). Text that is the same in
//!   three rows or more stands once, in `constant`.
//! - A whole number is written without a fraction.
//! - What the endpoint's text leaves out ([`super::endpoint::Endpoint::omitted`]) is left out, too, and the notices of
//!   sources are returned apart: they belong in a result's `_meta`.
//!
//! [`schema`] describes this form as [`compact`] makes it.

use serde_json::{Map, Number, Value, json};

/// Rows from which text that is the same in all of them stands once.
const REPEATED: usize = 3;

/// End of a path whose list keeps its first item alone.
const FIRST: &str = "[1..]";

/// What only programs need, who ask over REST: the question, when it was answered, its own address, terms that `/rights`
/// has.
const METADATA: [&str; 5] = [
    "query",
    "generatedAt",
    "last_updated",
    "source_url",
    "attribution.terms",
];

/// An answer in its compact form.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// An object.
    pub value: Value,
    /// What the sources ask to be said where their figures are shown, each once.
    pub notices: Vec<String>,
}

impl Structure {
    /// The compact form of an answer without the fields at these dotted paths, which lead through lists.
    pub fn of(mut answer: Value, omitted: &[&str]) -> Self {
        let mut notices = Vec::new();
        if let Some(Value::Array(sources)) = answer.get_mut("sources") {
            // Which of their series is told where they share one.
            let is_shared = sources.iter().any(|source| source.get("from").is_some());
            let objects = sources.iter_mut().filter_map(Value::as_object_mut);
            for source in objects {
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
        for path in METADATA.iter().chain(omitted) {
            remove(&mut answer, path);
        }
        Self {
            value: compact(answer).unwrap_or_else(|| json!({})),
            notices,
        }
    }
}

/// Takes a field out, of every item where the path leads through a list; `name[1..]` leaves the first item of a list.
fn remove(value: &mut Value, path: &str) {
    let parts = path.split_once('.').filter(|_| !path.ends_with(FIRST));
    match (value, parts) {
        (Value::Array(items), _) => items.iter_mut().for_each(|item| remove(item, path)),
        (Value::Object(fields), None) => match path.strip_suffix(FIRST) {
            Some(name) => {
                let list = fields.get_mut(name).and_then(Value::as_array_mut);
                list.into_iter().for_each(|list| list.truncate(1));
            }
            None => drop(fields.shift_remove(path)),
        },
        (Value::Object(fields), Some((first, rest))) => {
            let inner = fields.get_mut(first).into_iter();
            inner.for_each(|inner| remove(inner, rest));
        }
        _ => {}
    }
}

/// A value in its compact form; none of one that says nothing.
fn compact(value: Value) -> Option<Value> {
    let value = match value {
        Value::Number(number) => whole(number).into(),
        Value::Array(items) if items.is_empty() => return None,
        Value::Array(items) if items.iter().all(Value::is_object) => table(items),
        // A list that is no table keeps the places of its items.
        Value::Array(items) => {
            let items = items.into_iter();
            items
                .map(|item| compact(item).unwrap_or_default())
                .collect()
        }
        Value::Object(fields) => without_empty(fields).into(),
        Value::Null | Value::Bool(_) | Value::String(_) => value,
    };
    let is_empty = value.as_object().is_some_and(Map::is_empty);
    let is_empty = is_empty || value.is_null() || value.as_str() == Some("");
    (!is_empty).then_some(value)
}

fn without_empty(fields: Map<String, Value>) -> Map<String, Value> {
    let fields = fields.into_iter();
    fields
        .filter_map(|(name, value)| Some((name, compact(value)?)))
        .collect()
}

/// `75` for `75.0`: the shortest form of the same number.
fn whole(number: Number) -> Number {
    let is_whole = |value: &f64| value.fract() == 0.0 && value.abs() < 9e15;
    let whole = number.as_f64().filter(|_| number.is_f64()).filter(is_whole);
    whole
        .and_then(|value| format!("{:.0}", value + 0.0).parse().ok())
        .unwrap_or(number)
}

/// A list of objects as columns and rows.
fn table(items: Vec<Value>) -> Value {
    let rows = items.into_iter().filter_map(object);
    let mut rows: Vec<Map<String, Value>> = rows.map(without_empty).collect();
    for name in objects_in(&rows) {
        flatten(&mut rows, &name);
    }
    let mut columns: Vec<String> = Vec::new();
    for name in rows.iter().flat_map(Map::keys) {
        if !columns.contains(name) {
            columns.push(name.clone());
        }
    }
    let constant = constant(&rows);
    columns.retain(|name| !constant.contains_key(name));
    let rows = rows.iter_mut().map(|row| {
        let cells = columns
            .iter()
            .map(|name| row.get_mut(name).map_or(Value::Null, Value::take));
        cells.collect::<Value>()
    });
    let mut table = json!({ "columns": columns, "rows": rows.collect::<Value>() });
    if let (Some(table), false) = (table.as_object_mut(), constant.is_empty()) {
        table.insert("constant".into(), constant.into());
    }
    table
}

fn object(value: Value) -> Option<Map<String, Value>> {
    if let Value::Object(fields) = value {
        Some(fields)
    } else {
        None
    }
}

/// The fields that hold an object, with the same keys in every row that has it.
fn objects_in(rows: &[Map<String, Value>]) -> Vec<String> {
    let mut shapes: Vec<(&String, Option<Vec<&String>>)> = Vec::new();
    for (name, value) in rows.iter().flatten() {
        let Some(fields) = value.as_object() else {
            continue;
        };
        let keys = (!is_table(fields)).then(|| fields.keys().collect());
        match shapes.iter_mut().find(|(known, _)| *known == name) {
            Some((_, shape)) if *shape == keys => {}
            Some((_, shape)) => *shape = None,
            None => shapes.push((name, keys)),
        }
    }
    let alike = shapes.into_iter().filter(|(_, shape)| shape.is_some());
    alike.map(|(name, _)| name.clone()).collect()
}

fn is_table(fields: &Map<String, Value>) -> bool {
    fields.contains_key("columns") && fields.contains_key("rows")
}

/// Puts the fields of an object where the object stands, each under a dotted name.
fn flatten(rows: &mut [Map<String, Value>], name: &str) {
    for row in rows {
        for (key, value) in std::mem::take(row) {
            if key == name
                && let Value::Object(inner) = value
            {
                let inner = inner.into_iter();
                row.extend(inner.map(|(field, value)| (format!("{name}.{field}"), value)));
            } else {
                row.insert(key, value);
            }
        }
    }
}

/// The columns with the same text, truth value, list or table in every row.
fn constant(rows: &[Map<String, Value>]) -> Map<String, Value> {
    let Some((first, rest)) = rows.split_first().filter(|_| rows.len() >= REPEATED) else {
        return Map::new();
    };
    let is_same = |(name, value): &(&String, &Value)| {
        !value.is_number() && rest.iter().all(|row| row.get(*name) == Some(*value))
    };
    let same = first.iter().filter(is_same);
    same.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The schema of the compact form out of that of the answer. No field is required, for what is empty is left out.
pub fn schema(answer: &Map<String, Value>) -> Map<String, Value> {
    let mut out = object(node(&Value::Object(answer.clone()))).unwrap_or_default();
    out.entry("type").or_insert_with(|| "object".into());
    let all = out.get_mut("properties");
    if let Some(Value::Object(sources)) = all.and_then(|all| all.get_mut("sources")) {
        let about = "Who brought the figures; their notices are in `_meta`.";
        sources.insert("description".into(), about.into());
    }
    out
}

fn node(schema: &Value) -> Value {
    let Some(fields) = schema.as_object() else {
        return json!({});
    };
    let kinds: Vec<&Value> = match fields.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().filter(|kind| *kind != "null").collect(),
        kind => kind.into_iter().collect(),
    };
    let choices = fields.get("anyOf").or_else(|| fields.get("oneOf"));
    let choices: Option<Vec<Value>> = match (choices, kinds.as_slice()) {
        (Some(Value::Array(choices)), _) => {
            let is_value = |choice: &&Value| choice.get("type") != Some(&"null".into());
            Some(choices.iter().filter(is_value).map(node).collect())
        }
        (_, [_, _, ..]) => Some(kinds.iter().map(|kind| json!({ "type": kind })).collect()),
        _ => None,
    };
    if let Some(choices) = choices {
        return described(union(choices), fields);
    }
    let item = fields.get("items").and_then(Value::as_object);
    if let Some(item) = item.filter(|item| is_object(item)) {
        return described(of_table(item), fields);
    }
    let mut out = Map::new();
    if let [kind] = kinds.as_slice() {
        out.insert("type".into(), Value::clone(kind));
    }
    for (key, value) in fields {
        let kept = match (key.as_str(), value) {
            ("enum", Value::Array(values)) => {
                values.iter().filter(|v| !v.is_null()).cloned().collect()
            }
            ("const" | "format" | "minItems" | "maxItems", _) => value.clone(),
            ("properties", Value::Object(all)) => {
                let all = all.iter().map(|(name, inner)| (name.clone(), node(inner)));
                all.collect()
            }
            // A list that is no table may hold null, to keep the places of the others.
            ("items", _) => union(vec![node(value), json!({ "type": "null" })]),
            ("additionalProperties", Value::Object(_)) => node(value),
            _ => continue,
        };
        out.insert(key.clone(), kept);
    }
    described(out.into(), fields)
}

fn is_object(schema: &Map<String, Value>) -> bool {
    schema.contains_key("properties") || schema.get("type") == Some(&"object".into())
}

/// One of several schemas, each once.
fn union(choices: Vec<Value>) -> Value {
    let mut different: Vec<Value> = Vec::new();
    for choice in choices {
        if !different.contains(&choice) {
            different.push(choice);
        }
    }
    match <[Value; 1]>::try_from(different) {
        Ok([only]) => only,
        Err(different) => json!({ "anyOf": different }),
    }
}

fn described(mut schema: Value, of: &Map<String, Value>) -> Value {
    if let (Some(out), Some(text)) = (schema.as_object_mut(), of.get("description")) {
        out.insert("description".into(), text.clone());
    }
    schema
}

/// The schema of a table whose rows were objects of this schema.
fn of_table(item: &Map<String, Value>) -> Value {
    let (mut cells, mut meanings) = (Vec::new(), Vec::new());
    collect(item, "", &mut cells, &mut meanings);
    let mut cells: Vec<Value> = cells.into_iter().map(without_prose).collect();
    let constant = union(cells.clone());
    cells.push(json!({ "type": "null" }));
    json!({
        "type": "object",
        "properties": {
            "columns": { "type": "array", "items": { "type": "string" }, "description": meanings.join(" ") },
            "rows": { "type": "array", "items": { "type": "array", "items": union(cells) } },
            "constant": { "type": "object", "additionalProperties": constant },
        },
        "required": ["columns", "rows"],
    })
}

/// What cells can be, and what the columns mean.
fn collect(
    item: &Map<String, Value>,
    before: &str,
    cells: &mut Vec<Value>,
    meanings: &mut Vec<String>,
) {
    let properties = item.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let (name, cell) = (format!("{before}{name}"), node(property));
        if let Some(Value::String(meaning)) = cell.get("description") {
            meanings.push(format!("{name}: {meaning}"));
        }
        let inner = cell.as_object().filter(|inner| {
            let properties = inner.get("properties").and_then(Value::as_object);
            is_object(inner) && !properties.is_some_and(is_table)
        });
        if let Some(inner) = inner {
            collect(inner, &format!("{name}."), cells, meanings);
            let values = inner.get("additionalProperties");
            cells.extend(values.filter(|values| values.is_object()).cloned());
        }
        cells.push(cell);
    }
}

/// A schema without descriptions: types, names and values alone.
pub fn without_prose(mut schema: Value) -> Value {
    if let Some(fields) = schema.as_object_mut() {
        if fields.get("description").is_some_and(Value::is_string) {
            fields.shift_remove("description");
        }
        let fields = fields.values_mut();
        fields.for_each(|inner| *inner = without_prose(inner.take()));
    } else if let Some(items) = schema.as_array_mut() {
        let items = items.iter_mut();
        items.for_each(|inner| *inner = without_prose(inner.take()));
    }
    schema
}

#[cfg(test)]
mod tests;
