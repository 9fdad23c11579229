//! Reads an upstream's body by the schema of the endpoint's answer, as leniently as the contract (API.md) asks.
//!
//! What is missing, null or of a wrong type becomes null, or the empty value of its type, with a note; members that the
//! schema does not name are kept. Every text is one line without brackets, and every address leads to the upstream.

use crate::render::structure::Fields;
use crate::route::decode::is_required;
use crate::route::forward::contract_error;
use crate::route::schema::{listed, without_null};
use econoscope_core::error::Result;
use econoscope_core::indicators::prose;
use econoscope_core::model::{Date, untrusted};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use url::Url;

/// Longest text that is kept, in characters.
const MAX_TEXT: usize = 8_000;
/// Longest name of a member, and longest quoted value.
const MAX_NAME: usize = 60;
/// Members that tell nothing about the economy.
const FRAME: [&str; 4] = ["attribution", "generatedAt", "last_updated", "source_url"];

/// A body that is fitted to the schema.
#[derive(Debug, Default)]
pub(crate) struct Received {
    /// The members, those that the schema does not name included.
    pub(crate) fields: Fields,
    /// What was missing or not read, by dotted path.
    pub(crate) notes: BTreeMap<String, String>,
    /// The members that hold prose of the upstream, as dotted paths through lists.
    pub(crate) untrusted: BTreeSet<String>,
}

/// Reads a body.
///
/// # Errors
/// [`econoscope_core::error::Error::Unavailable`] when nothing of the contract is left.
pub(crate) fn read(body: &[u8], schema: &Fields, base: Option<&Url>) -> Result<Received> {
    let Ok(Value::Object(members)) = serde_json::from_slice(body) else {
        return Err(contract_error("is no JSON object"));
    };
    let is_known = |(name, value): &(&String, &Value)| {
        !value.is_null() && !FRAME.contains(&name.as_str()) && property(schema, name).is_some()
    };
    let of_contract = members.iter().filter(is_known);
    let known: Vec<String> = of_contract.map(|(name, _)| name.clone()).collect();
    let mut reader = Reader {
        base,
        received: Received::default(),
    };
    let fields = reader.object(members, schema, "");
    let received = reader.received;
    let is_left = |name: &String| !received.notes.contains_key(name);
    match fields {
        Some(fields) if known.iter().any(is_left) => Ok(Received { fields, ..received }),
        _ => {
            let broken = prose::join(received.notes.keys(), ", ");
            let names = untrusted::clean_name(&broken, 200);
            let what = format!("has nothing of the contract that can be read: {names}");
            Err(contract_error(&what))
        }
    }
}

/// Adds the members of a received body that an answer does not have, because its type does not name them.
pub(crate) fn keep_unnamed(answer: &mut Value, received: &Value, schema: &Value) {
    let schema = schema.as_object().map(without_null);
    match (answer, received) {
        (Value::Object(answer), Value::Object(received)) => {
            for (name, value) in received {
                let named = schema.and_then(|schema| property(schema, name));
                match (answer.get_mut(name), named) {
                    (Some(own), named) => keep_unnamed(own, value, named.unwrap_or(&Value::Null)),
                    (None, None) => drop(answer.insert(name.clone(), value.clone())),
                    (None, Some(_)) => {}
                }
            }
        }
        (Value::Array(answer), Value::Array(received)) => {
            let item = schema.and_then(|schema| schema.get("items"));
            let item = item.unwrap_or(&Value::Null);
            // A list may have been filtered or thinned: its items are told apart by their first member.
            let properties = item.get("properties").and_then(Value::as_object);
            let key = properties.and_then(|all| all.keys().next());
            let is_whole = answer.len() == received.len();
            let mut others = received.iter();
            for own in answer {
                let is_same = |other: &&Value| {
                    is_whole || key.is_some_and(|key| own.get(key) == other.get(key))
                };
                if let Some(other) = others.find(is_same) {
                    keep_unnamed(own, other, item);
                }
            }
        }
        _ => {}
    }
}

/// A body while it is read.
struct Reader<'a> {
    /// The address of the upstream.
    base: Option<&'a Url>,
    received: Received,
}

impl Reader<'_> {
    /// Fits an object; `None` when a required member has neither a value nor an empty one.
    fn object(&mut self, members: Fields, schema: &Fields, path: &str) -> Option<Fields> {
        let mut fitted = Fields::new();
        for (given, value) in members {
            let name = untrusted::clean_name(&given, MAX_NAME);
            // Which texts are whose is said here, not by the upstream.
            if name.is_empty() || name == "untrusted" {
                continue;
            }
            let inner = join(path, &name);
            let read = match property(schema, &name) {
                Some(_) if value.is_null() && !is_required(schema, &name) => None,
                Some(property) => self.value(value, property, &inner),
                None => match schema.get("additionalProperties") {
                    Some(entry @ Value::Object(_)) => {
                        self.value(bare_entry(value, entry), entry, &inner)
                    }
                    _ => Some(self.unnamed(value, &inner)),
                },
            };
            fitted.extend(read.map(|read| (name, read)));
        }
        for name in listed(schema, "required").filter_map(Value::as_str) {
            if !fitted.contains_key(name) {
                let property = property(schema, name)?;
                let empty = self.value(Value::Null, property, &join(path, name))?;
                fitted.insert(name.to_owned(), empty);
            }
        }
        Some(fitted)
    }

    /// Fits a value; `None` when it does not fit and its type has no empty value.
    fn value(&mut self, value: Value, schema: &Value, path: &str) -> Option<Value> {
        let Some(schema) = schema.as_object() else {
            return Some(self.unnamed(value, path));
        };
        let is_nullable = is_nullable(schema);
        let fields = without_null(schema);
        let kind = kind(fields);
        let wrong = match (kind, value) {
            ("object", Value::Object(members)) => {
                return self.object(members, fields, path).map(Value::Object);
            }
            ("array", Value::Array(items)) => return Some(self.list(items, fields, path)),
            ("array", Value::Object(keyed)) if item_name(fields).is_some() => {
                let item = |(key, entry): (String, Value)| named_entry(&key, entry, fields);
                let items = keyed.into_iter().map(item).collect();
                return Some(self.list(items, fields, path));
            }
            ("string", Value::String(text)) if is_text(fields, &text) => {
                return Some(self.text(&text, fields, path).into());
            }
            ("number", value @ Value::Number(_)) | ("boolean", value @ Value::Bool(_)) => {
                return Some(value);
            }
            ("integer", value) if value.is_u64() || value.is_i64() => return Some(value),
            ("", value) => return Some(self.unnamed(value, path)),
            (_, wrong) => wrong,
        };
        if !wrong.is_null() {
            let quoted = untrusted::clean_name(&wrong.to_string(), MAX_NAME);
            let expected = fields.get("format").and_then(Value::as_str).unwrap_or(kind);
            self.note(path, &format!("not read: {quoted} is no {expected}"));
        } else if !is_nullable {
            self.note(path, "not given by the upstream");
        }
        if is_nullable {
            return Some(Value::Null);
        }
        match kind {
            "object" => self.object(Fields::new(), fields, path).map(Value::Object),
            "array" => Some(json!([])),
            "boolean" => Some(json!(false)),
            "integer" => Some(json!(0)),
            "string" if is_text(fields, "") => Some(self.text("", fields, path).into()),
            _ => None,
        }
    }

    /// Fits the items of a list, without those that have no empty value.
    fn list(&mut self, items: Vec<Value>, schema: &Fields, path: &str) -> Value {
        let item = schema.get("items").unwrap_or(&Value::Null);
        let items = items.into_iter().enumerate();
        items
            .filter_map(|(n, value)| self.value(value, item, &join(path, &n.to_string())))
            .collect()
    }

    /// Cleans a value of which the schema says nothing.
    fn unnamed(&mut self, value: Value, path: &str) -> Value {
        match value {
            Value::String(text) => self.text(&text, &Fields::new(), path).into(),
            Value::Array(items) => self.list(items, &Fields::new(), path),
            Value::Object(members) => {
                let fitted = self.object(members, &Fields::new(), path);
                Value::Object(fitted.unwrap_or_default())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    /// Cleans a text. Prose is listed as untrusted, but for words such as identifiers and dates.
    fn text(&mut self, text: &str, schema: &Fields, path: &str) -> String {
        let name = path.rsplit('.').next().unwrap_or_default();
        let is_address = name == "url" || name.ends_with("_url") || name.ends_with("Url");
        if is_address || text.contains("://") && Url::parse(text).is_ok() {
            return self.address(text, path);
        }
        if schema.contains_key("format") {
            return text.to_owned();
        }
        if path == "attribution.text" && text.is_empty() {
            let host = self.base.and_then(Url::host_str).unwrap_or_default();
            return format!("Data by {host}");
        }
        let clean = untrusted::clean_name(text, MAX_TEXT);
        let is_word = |c: char| c.is_ascii_alphanumeric() || "_.-^=%$".contains(c);
        if clean.len() > 40 || !clean.chars().all(is_word) {
            let is_name = |part: &&str| part.parse::<usize>().is_err();
            let names = prose::join(path.split('.').filter(is_name), ".");
            self.received.untrusted.insert(names);
        }
        clean
    }

    /// Returns an address if it leads to the upstream; the credit line leads there in any case.
    fn address(&mut self, text: &str, path: &str) -> String {
        let host = |url: &Url| url.host_str().map(str::to_owned);
        let safe = untrusted::safe_url(text).and_then(|url| Url::parse(url).ok());
        let own = safe.filter(|url| self.base.is_some_and(|base| host(base) == host(url)));
        if own.is_none() && !text.is_empty() {
            self.note(path, "not an address of the upstream");
        }
        match (own, self.base) {
            (Some(_), _) => text.to_owned(),
            (None, Some(base)) if path == "attribution.url" => base.to_string(),
            (None, _) => String::new(),
        }
    }

    fn note(&mut self, path: &str, text: &str) {
        // The first reason: what was not read is not given, either.
        let note = self.received.notes.entry(path.to_owned());
        note.or_insert_with(|| text.to_owned());
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

fn property<'a>(schema: &'a Fields, name: &str) -> Option<&'a Value> {
    schema.get("properties")?.get(name)
}

fn is_nullable(schema: &Fields) -> bool {
    let choices = listed(schema, "anyOf").filter_map(|choice| choice.get("type"));
    listed(schema, "type")
        .chain(choices)
        .any(|kind| kind == "null")
}

/// The type of a schema other than null; empty if it allows any.
fn kind(schema: &Fields) -> &str {
    let first = listed(schema, "type").next();
    match first.or(schema.get("type")).and_then(Value::as_str) {
        Some(kind) => kind,
        None if schema.contains_key("oneOf") || schema.contains_key("enum") => "string",
        None => "",
    }
}

/// Whether a text is of the format, or one of the choices, that a schema names.
fn is_text(schema: &Fields, text: &str) -> bool {
    let one_of = listed(schema, "oneOf").filter_map(|choice| choice.get("const"));
    let mut choices = one_of.chain(listed(schema, "enum")).peekable();
    match schema.get("format").and_then(Value::as_str) {
        Some("date") => text.parse::<Date>().is_ok(),
        Some("date-time") => text.parse::<Timestamp>().is_ok(),
        _ => choices.peek().is_none() || choices.any(|choice| choice == text),
    }
}

/// The first member that holds a text in the items of a list: their identifier.
fn item_name(list: &Fields) -> Option<&String> {
    let mut properties = list.get("items")?.get("properties")?.as_object()?.iter();
    let is_string = |schema: &Value| schema.as_object().is_some_and(|s| kind(s) == "string");
    let first = properties.find(|(_, schema)| is_string(schema))?;
    Some(first.0)
}

/// Returns an entry as an object: a bare number is its value, a bare word what it says.
fn bare_entry(entry: Value, schema: &Value) -> Value {
    let names: &[&str] = match &entry {
        Value::Number(_) => &["value"],
        Value::String(_) => &["interpretation", "direction"],
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return entry,
    };
    let properties = schema.get("properties");
    let is_member = |name: &&&str| properties.is_some_and(|all| all.get(**name).is_some());
    match names.iter().find(is_member) {
        Some(name) => json!({ *name: entry }),
        None => entry,
    }
}

/// Returns an entry of a keyed object as the item of a list.
fn named_entry(key: &str, entry: Value, list: &Fields) -> Value {
    let item = list.get("items").unwrap_or(&Value::Null);
    let mut object = bare_entry(entry, item);
    if let (Value::Object(members), Some(name)) = (&mut object, item_name(list)) {
        members.entry(name).or_insert_with(|| key.into());
    }
    object
}

#[cfg(test)]
mod tests;
