//! An argument of an endpoint in words, for those who type.

use super::{days, decode};
use serde_json::Value;

/// An argument of an endpoint in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Name as it is written before the `=`.
    pub name: String,
    /// What it may be, with an example where the schema has one: "a whole number from 1 to 50".
    pub allowed: String,
    /// What it means.
    pub meaning: String,
    /// Whether no call goes without it.
    pub is_required: bool,
    /// What is taken where it is left out and the schema says so.
    pub default: Option<String>,
}

impl Argument {
    /// Reads a property of a schema.
    pub(super) fn of(name: &str, property: &Value, is_required: bool) -> Self {
        let meaning = property.get("description").and_then(Value::as_str);
        Self {
            name: name.to_owned(),
            allowed: match days::NAMES.contains(&name) {
                true => days::FORMS.to_owned(),
                false => decode::allowed(property),
            },
            meaning: meaning.unwrap_or_default().to_owned(),
            is_required,
            default: property.get("default").map(decode::shown),
        }
    }
}
