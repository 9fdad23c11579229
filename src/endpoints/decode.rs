//! One decoder for MCP, REST and the command line: arguments are checked against the endpoint's own schema.
//!
//! Text is accepted where a number, a truth value or a list is wanted (`"limit":"3"`, `series=DGS10,DGS2`),
//! because a query string has nothing but text. Whatever does not fit is an error that names the field,
//! what came and what is allowed; nothing is clamped or dropped in silence.

use crate::error::{Error, Result};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Arguments by name, as an edge received them.
pub type Arguments = Map<String, Value>;

/// Checks arguments against an input schema and puts them in canonical form: schema order, right types,
/// absent where null came.
///
/// # Errors
/// [`Error::InvalidParam`] for an unknown, missing, malformed or out-of-range argument.
pub fn check(schema: &Map<String, Value>, mut given: Arguments) -> Result<Arguments> {
    let none = Map::new();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    if let Some((name, value)) = given
        .iter()
        .find(|(name, _)| !properties.contains_key(*name))
    {
        return Err(unknown(name, value, properties));
    }
    let required = schema.get("required").and_then(Value::as_array);
    let mut checked = Map::new();
    for (name, property) in properties {
        match given.remove(name).filter(|v| !v.is_null()) {
            Some(value) => {
                checked.insert(name.clone(), fit(name, property, value)?);
            }
            None if required.is_some_and(|r| r.iter().any(|n| n == name)) => {
                return Err(Error::invalid(name, "", "is required", &allowed(property)));
            }
            None => {}
        }
    }
    Ok(checked)
}

/// Arguments without blank texts that say nothing: assistants fill what they do not need with `""`.
/// Where an argument is required or only certain words are allowed, a blank stays and is an error like any
/// other; so it is over REST, whose clients write what they mean.
pub(super) fn without_blanks(schema: &Map<String, Value>, mut given: Arguments) -> Arguments {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    given.retain(|name, value| {
        let is_blank = value.as_str().is_some_and(|text| text.trim().is_empty());
        let is_required = required.is_some_and(|r| r.iter().any(|n| n == name));
        let is_free = properties
            .and_then(|p| p.get(name))
            .is_some_and(|property| {
                property.get("type").and_then(Value::as_str) == Some("string")
                    && property.get("minLength").is_none()
                    && property.get("enum").is_none()
            });
        !is_blank || is_required || !is_free
    });
    given
}

/// Turns checked arguments into an endpoint's parameters.
///
/// # Errors
/// [`Error::InvalidParam`] when the type wants more than its schema says.
pub fn params<T: DeserializeOwned>(checked: &Arguments) -> Result<T> {
    serde_json::from_value(Value::Object(checked.clone())).map_err(|e| {
        Error::invalid(
            "arguments",
            "",
            &e.to_string(),
            "see the tool's input schema",
        )
    })
}

fn unknown(name: &str, value: &Value, properties: &Map<String, Value>) -> Error {
    let names: Vec<&str> = properties.keys().map(String::as_str).collect();
    let allowed = if names.is_empty() {
        "no arguments".to_owned()
    } else {
        format!("only {}", names.join(", "))
    };
    Error::invalid(
        &crate::error::quote(name),
        &shown(value),
        "is not an argument of this endpoint",
        &allowed,
    )
}

fn fit(name: &str, property: &Value, value: Value) -> Result<Value> {
    let kind = property
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or("string");
    let fail = |problem: &str| Error::invalid(name, &shown(&value), problem, &allowed(property));
    match kind {
        "integer" => {
            let number = integer(&value).ok_or_else(|| fail("is not a whole number"))?;
            within(property, number).map_err(&fail)?;
            Ok(Value::from(number))
        }
        "boolean" => boolean(&value)
            .map(Value::Bool)
            .ok_or_else(|| fail("is neither true nor false")),
        "array" => list(name, property, value),
        _ => {
            let text = text(&value).ok_or_else(|| fail("is not text"))?;
            fit_text(property, &text)
                .map_err(|problem| fail(&problem))
                .map(Value::String)
        }
    }
}

fn fit_text(property: &Value, text: &str) -> std::result::Result<String, String> {
    let text = text.trim();
    let most = property
        .get("maxLength")
        .and_then(Value::as_u64)
        .unwrap_or(200);
    if u64::try_from(text.chars().count()).unwrap_or(u64::MAX) > most {
        return Err(format!("is longer than {most} characters"));
    }
    if text.chars().any(|c| c.is_control() && !c.is_whitespace()) {
        return Err("holds a control character".into());
    }
    if text.is_empty() && property.get("minLength").is_some() {
        return Err("is empty".into());
    }
    let Some(choices) = property.get("enum").and_then(Value::as_array) else {
        return Ok(text.to_owned());
    };
    choices
        .iter()
        .filter_map(Value::as_str)
        .find(|choice| choice.eq_ignore_ascii_case(text))
        .map(str::to_owned)
        .ok_or_else(|| "is not one of the choices".into())
}

fn list(name: &str, property: &Value, value: Value) -> Result<Value> {
    let items = match value {
        Value::Array(items) => items,
        Value::String(text) => parts(&text).map(Value::from).collect(),
        one @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => vec![one],
    };
    let count = u64::try_from(items.len()).unwrap_or(u64::MAX);
    let bound = |key: &str| property.get(key).and_then(Value::as_u64);
    if bound("maxItems").is_some_and(|most| count > most)
        || bound("minItems").is_some_and(|least| count < least)
    {
        let came = format!("{count} items");
        return Err(Error::invalid(
            name,
            &came,
            "is not a list of the right length",
            &allowed(property),
        ));
    }
    let string = Value::Object(Map::new());
    let item = property.get("items").unwrap_or(&string);
    items
        .into_iter()
        .map(|v| fit(name, item, v))
        .collect::<Result<Vec<Value>>>()
        .map(Value::Array)
}

/// Parts between commas; a comma inside parentheses is part of a formula.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    text.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
}

fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(n) => n.as_i64(),
        Value::String(s) => s.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(b) => Some(*b),
        Value::String(s) => match s.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" => Some(true),
            "false" | "0" | "no" => Some(false),
            _ => None,
        },
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(s) => Some(s.clone()),
        Value::Number(n) => Some(n.to_string()),
        Value::Bool(_) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn within(property: &Value, number: i64) -> std::result::Result<(), &'static str> {
    let bound = |key: &str| property.get(key).and_then(Value::as_i64);
    if bound("minimum").is_some_and(|least| number < least) {
        return Err("is too small");
    }
    if bound("maximum").is_some_and(|most| number > most) {
        return Err("is too large");
    }
    Ok(())
}

/// What a property allows, in words: bounds, choices, kind and an example.
fn allowed(property: &Value) -> String {
    let get = |key: &str| property.get(key);
    if let Some(choices) = get("enum").and_then(Value::as_array) {
        let words: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
        return words.join(", ");
    }
    let base = match (
        get("type").and_then(Value::as_str),
        get("minimum"),
        get("maximum"),
    ) {
        (Some("integer"), Some(least), Some(most)) => {
            format!("a whole number from {least} to {most}")
        }
        (Some("integer"), ..) => "a whole number".to_owned(),
        (Some("boolean"), ..) => "true or false".to_owned(),
        (Some("array"), ..) => match get("maxItems") {
            Some(most) => format!("a list of 1 to {most} texts"),
            None => "a list of texts".to_owned(),
        },
        _ => "text".to_owned(),
    };
    let example = get("examples")
        .and_then(Value::as_array)
        .and_then(|e| e.first());
    match example {
        Some(Value::String(example)) => format!("{base}, for example {example}"),
        Some(example) => format!("{base}, for example {example}"),
        None => base,
    }
}

fn shown(value: &Value) -> String {
    text(value).unwrap_or_else(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Map<String, Value> {
        let value = json!({"properties": {
            "q": {"type": "string", "minLength": 1, "examples": ["sahm"]},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            "status": {"type": "string", "enum": ["active", "paused"]},
            "series": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            "tag": {"type": "string"},
            "chart": {"type": "boolean"}},
            "required": ["q"]});
        value.as_object().cloned().unwrap()
    }

    fn said(given: Value) -> String {
        match check(&schema(), given.as_object().cloned().unwrap()) {
            Ok(checked) => Value::Object(checked).to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn text_is_taken_for_numbers_lists_and_truth() {
        let out = said(
            json!({"q": "x", "limit": "3", "series": "A, B", "chart": "yes", "status": "ACTIVE"}),
        );
        assert_eq!(
            out,
            r#"{"q":"x","limit":3,"status":"active","series":["A","B"],"chart":true}"#
        );
    }

    #[test]
    fn an_assistants_blank_text_is_as_if_left_out() {
        let given = json!({"q": "", "tag": " ", "status": "", "other": "", "limit": 3});
        let left = without_blanks(&schema(), given.as_object().cloned().unwrap());
        let names: Vec<&str> = left.keys().map(String::as_str).collect();
        assert_eq!(names, ["q", "status", "other", "limit"]);
    }

    #[test]
    fn a_comma_inside_parentheses_does_not_part_a_list() {
        let out = said(json!({"q": "x", "series": "ma(ICSA, 4), DGS2"}));
        assert_eq!(out, r#"{"q":"x","series":["ma(ICSA, 4)","DGS2"]}"#);
    }

    #[test]
    fn errors_name_field_value_and_what_is_allowed() {
        assert_eq!(
            said(json!({})),
            "Invalid q: is required. Allowed: text, for example sahm."
        );
        assert_eq!(
            said(json!({"q": "x", "limit": 99})),
            "Invalid limit: \"99\" is too large. Allowed: a whole number from 1 to 50."
        );
        assert_eq!(
            said(json!({"q": "x", "status": "dead"})),
            "Invalid status: \"dead\" is not one of the choices. Allowed: active, paused."
        );
        assert!(
            said(json!({"q": "x", "lim": 1})).starts_with("Invalid lim: \"1\" is not an argument")
        );
        assert!(said(json!({"q": "x", "series": ["a", "b", "c"]})).contains("right length"));
        assert!(said(json!({"q": {"a": 1}})).contains("is not text"));
    }
}
