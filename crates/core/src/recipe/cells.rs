//! One row of an answer, whatever it is written in: a cell is asked for by name and comes as text.

use crate::model::Date;
use serde_json::Value;
use std::borrow::Cow;

/// What a format of its own gives: the place of the line among those asked for, a date, and the cell.
pub(super) type Found = (usize, Date, String);

/// A row: the text of a cell; `None` where there is no such cell. JSON's null is the empty text.
pub(super) type Cells<'a> = &'a dyn Fn(&str) -> Option<Cow<'a, str>>;

/// The cell of a JSON object, by its key or by a pointer to it.
pub(super) fn cell<'a>(object: &'a Value, field: &str) -> Option<&'a Value> {
    match field.starts_with('/') {
        true => object.pointer(field),
        false => object.get(field),
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
