//! A tool's structure as the answer it stands for: tables as lists of objects again.

use serde_json::{Map, Value};

/// The objects of every table of a structure.
pub(crate) fn expanded(structure: &Value) -> Value {
    let Value::Object(fields) = structure else {
        let items = structure
            .as_array()
            .map(|items| items.iter().map(expanded).collect());
        return items.unwrap_or_else(|| structure.clone());
    };
    let (Some(Value::Array(columns)), Some(Value::Array(rows))) =
        (fields.get("columns"), fields.get("rows"))
    else {
        return fields
            .iter()
            .map(|(name, value)| (name.clone(), expanded(value)))
            .collect();
    };
    let constant = fields.get("constant").and_then(Value::as_object);
    let row = |row: &Value| {
        let mut object = Map::new();
        let cells = columns
            .iter()
            .map(|name| name.as_str().unwrap())
            .zip(row.as_array().unwrap());
        let all = cells.chain(
            constant
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.as_str(), value)),
        );
        for (name, value) in all.filter(|(_, value)| !value.is_null()) {
            let mut at = &mut object;
            let mut path: Vec<&str> = name.split('.').collect();
            let last = path.pop().unwrap();
            for part in path {
                let inner = at.entry(part).or_insert_with(|| Value::Object(Map::new()));
                at = inner.as_object_mut().unwrap();
            }
            at.insert(last.to_owned(), expanded(value));
        }
        Value::Object(object)
    };
    rows.iter().map(row).collect()
}

/// What a structure says that the answer does not say in the same place; nothing where it is true.
pub(crate) fn untrue(structure: &Value, answer: &Value, place: &str) -> Option<String> {
    let is_same = match (structure, answer) {
        (Value::Object(said), Value::Object(whole)) => {
            let mut wrong = said.iter().map(|(name, value)| {
                let other = whole.get(name).unwrap_or(&Value::Null);
                untrue(value, other, &format!("{place}/{name}"))
            });
            return wrong.find_map(|wrong| wrong);
        }
        (Value::Array(said), Value::Array(whole)) if said.len() <= whole.len() => {
            let mut pairs = said.iter().zip(whole).enumerate();
            return pairs
                .find_map(|(n, (said, whole))| untrue(said, whole, &format!("{place}/{n}")));
        }
        (Value::Number(said), Value::Number(whole)) => said.as_f64() == whole.as_f64(),
        (said, whole) => said == whole,
    };
    (!is_same).then(|| format!("{place}: {structure}, not {answer}"))
}
