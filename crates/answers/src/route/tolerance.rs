//! Deserialization of the variants that the contract (API.md) allows an upstream: lists or keyed objects, words in any
//! case.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

/// Deserializes a list, or an object of entries by identifier. `complete` gets the identifier of each entry and adds
/// missing fields. An entry that is a bare number is read as its `value`.
///
/// # Errors
/// The error of the first entry that does not fit `T`.
pub(crate) fn list_or_keyed<'de, D, T>(
    deserializer: D,
    complete: fn(&str, &mut Map<String, Value>),
) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let entries: Vec<(String, Value)> = match Value::deserialize(deserializer)? {
        Value::Array(items) => items
            .into_iter()
            .map(|item| (entry_id(&item), item))
            .collect(),
        Value::Object(keyed) => keyed.into_iter().collect(),
        Value::Null => Vec::new(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(D::Error::custom("neither a list nor a keyed object"));
        }
    };
    let deserialize = |(key, entry): (String, Value)| {
        let mut entry = if entry.is_number() || entry.is_null() {
            json!({ "value": entry })
        } else {
            entry
        };
        let object = entry
            .as_object_mut()
            .ok_or_else(|| D::Error::custom(format!("entry {key} is no object")))?;
        complete(&key, object);
        let entry = serde_json::from_value(entry);
        entry.map_err(|e| D::Error::custom(format!("entry {key}: {e}")))
    };
    entries.into_iter().map(deserialize).collect()
}

/// Returns the identifier of a list's entry, whatever the name of its field; empty without one.
fn entry_id(item: &Value) -> String {
    ["seriesId", "ticker", "id", "key"]
        .iter()
        .find_map(|field| item.get(field)?.as_str())
        .unwrap_or_default()
        .to_owned()
}

/// Sets a field that the object does not have.
pub(crate) fn set_if_absent(object: &mut Map<String, Value>, name: &str, value: &str) {
    object.entry(name).or_insert_with(|| Value::from(value));
}

/// Deserializes a word and converts it to upper case.
pub(crate) fn upper<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|word| word.to_uppercase())
}

/// Deserializes a word or null and converts it to upper case.
pub(crate) fn upper_or_null<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    Option::<String>::deserialize(deserializer).map(|word| word.map(|w| w.to_uppercase()))
}
