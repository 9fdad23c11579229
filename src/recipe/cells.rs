//! One row of an answer, whatever it is written in: a cell is asked for by name and comes as text.

use crate::model::Date;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

/// What a format of its own gives: the place of the line among those asked for, a date, and the cell.
pub(super) type Found = (usize, Date, String);

/// A row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cells<'a> {
    /// Of a CSV file.
    Record {
        names: &'a HashMap<String, usize>,
        record: &'a csv::StringRecord,
    },
    /// A JSON object; a part of it may have been made a row of its own, and goes before it.
    Object {
        part: Option<&'a Value>,
        whole: &'a Value,
    },
    /// A JSON list, the cells of which are named by the recipe.
    List {
        columns: &'a [String],
        list: &'a [Value],
    },
}

impl<'a> Cells<'a> {
    /// The text of a cell; `None` where there is no such cell. JSON's null is the empty text.
    pub(super) fn get(self, field: &str) -> Option<Cow<'a, str>> {
        match self {
            Self::Record { names, record } => record.get(*names.get(field)?).map(Cow::Borrowed),
            Self::Object { part, whole } => {
                let find = |value: &'a Value| match field.starts_with('/') {
                    true => value.pointer(field),
                    false => value.get(field),
                };
                part.and_then(find).or_else(|| find(whole)).map(text)
            }
            Self::List { columns, list } => {
                let at = columns.iter().position(|name| name == field)?;
                list.get(at).map(text)
            }
        }
    }
}

/// A JSON value as a cell.
pub(super) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text.trim()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Cow::Owned(value.to_string())
        }
    }
}
