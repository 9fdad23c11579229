//! The shapes in which an upstream may send one thing (API.md): lists or keyed objects, words in any case.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

/// Reads a list, or an object whose keys become the field `key` of each entry.
/// Shape: as sent; an entry that is a bare number becomes its `value`.
///
/// # Errors
/// What the entries' type says of the first that does not fit.
pub(super) fn list_or_keyed<'de, D, T>(
    deserializer: D,
    complete: fn(&str, &mut Map<String, Value>),
) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let entries: Vec<(String, Value)> = match Value::deserialize(deserializer)? {
        Value::Array(items) => items.into_iter().map(|i| (name_of(&i), i)).collect(),
        Value::Object(keyed) => keyed.into_iter().collect(),
        Value::Null => Vec::new(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(D::Error::custom("neither a list nor a keyed object"));
        }
    };
    let read = |(key, entry): (String, Value)| {
        let mut entry = match entry.is_number() || entry.is_null() {
            true => json!({ "value": entry }),
            false => entry,
        };
        let object = entry.as_object_mut();
        let object = object.ok_or_else(|| D::Error::custom(format!("entry {key} is no object")))?;
        complete(&key, object);
        let entry = serde_json::from_value(entry);
        entry.map_err(|e| D::Error::custom(format!("entry {key}: {e}")))
    };
    entries.into_iter().map(read).collect()
}

/// The identifier of a list's entry, under whichever name it goes.
fn name_of(item: &Value) -> String {
    ["seriesId", "ticker", "id", "key"]
        .iter()
        .find_map(|field| item.get(field)?.as_str())
        .unwrap_or_default()
        .to_owned()
}

/// Puts a value under a name that is not there.
pub(super) fn fill(object: &mut Map<String, Value>, name: &str, value: &str) {
    object.entry(name).or_insert_with(|| Value::from(value));
}

/// A word in upper case, however it is sent.
pub(super) fn upper<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|word| word.to_uppercase())
}

/// A word in upper case or null.
pub(super) fn upper_or_null<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    Option::<String>::deserialize(deserializer).map(|word| word.map(|w| w.to_uppercase()))
}
