//! One decoder for MCP, REST and the command line: arguments are checked against the endpoint's own schema.
//!
//! Text is accepted where a number, a truth value or a list is wanted (`"limit":"3"`, `series=DGS10,DGS2`),
//! because a query string has nothing but text, and so are `5.0` and a list that a model wrote as text
//! (`"[\"UNRATE\"]"`). Whatever does not fit is an error that names the field, what came and what is allowed;
//! nothing is clamped or dropped in silence.

use econoscope_core::error::{Error, Result, quote};
use econoscope_core::indicators::prose::joined;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Arguments by name, as an edge received them.
pub type Arguments = Map<String, Value>;

/// Checks arguments against an input schema and puts them in canonical form: schema order, right types,
/// absent where what came says nothing.
///
/// # Errors
/// [`Error::InvalidParam`] for an unknown, missing, malformed or out-of-range argument.
pub fn check(schema: &Map<String, Value>, mut given: Arguments) -> Result<Arguments> {
    let none = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.unwrap_or(&none);
    if let Some((name, value)) = given.iter().find(|(n, _)| !properties.contains_key(*n)) {
        return Err(unknown(name, value, properties));
    }
    let mut checked = Map::new();
    for (name, property) in properties {
        let said = given.remove(name);
        match said.filter(|value| !says_nothing(property, value)) {
            Some(value) => {
                checked.insert(name.clone(), fit(name, property, value)?);
            }
            None if is_required(schema, name) => {
                return Err(Error::invalid(name, "", "is required", &allowed(property)));
            }
            None => {}
        }
    }
    Ok(checked)
}

/// Whether an argument must be given.
pub(super) fn is_required(schema: &Map<String, Value>, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|n| n == name))
}

/// Whether a value is no more than what holds without it: null, an empty list, the published default. Hosts that fill in
/// a schema give every argument so.
fn says_nothing(property: &Value, value: &Value) -> bool {
    let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    is_empty || property.get("default") == Some(value)
}

/// Whether an assistant means nothing by an argument: [`says_nothing`], or a blank text. A blank that is required or not
/// known stays and is an error like any other; so it is over REST, whose clients write what they mean.
pub(super) fn is_unsaid(schema: &Map<String, Value>, name: &str, value: &Value) -> bool {
    let property = schema.get("properties").and_then(|all| all.get(name));
    let Some(property) = property else {
        return value.is_null();
    };
    let is_blank = value.as_str().is_some_and(|text| text.trim().is_empty());
    says_nothing(property, value) || is_blank && !is_required(schema, name)
}

/// Turns checked arguments into an endpoint's parameters.
///
/// # Errors
/// [`Error::InvalidParam`] when the type wants more than its schema says.
pub fn params<T: DeserializeOwned>(checked: &Arguments) -> Result<T> {
    let params = serde_json::from_value(Value::Object(checked.clone()));
    let allowed = "see the tool's input schema";
    params.map_err(|e| Error::invalid("arguments", "", &e.to_string(), allowed))
}

/// Adds an argument as text; one that is given more than once becomes a list.
pub fn add(given: &mut Arguments, name: &str, text: &str) {
    let value = Value::from(text);
    match given.get_mut(name) {
        None => {
            given.insert(name.to_owned(), value);
        }
        Some(Value::Array(values)) => values.push(value),
        Some(first) => *first = Value::Array(vec![first.take(), value]),
    }
}

/// A number of rows where nobody says how many.
pub(super) fn usual<const N: usize>() -> usize {
    N
}

/// The type of a property; text where none is named.
fn kind(property: &Value) -> &str {
    let kind = property.get("type").and_then(Value::as_str);
    kind.unwrap_or("string")
}

fn unknown(name: &str, value: &Value, properties: &Map<String, Value>) -> Error {
    let allowed = match properties.is_empty() {
        true => "no arguments".to_owned(),
        false => format!("only {}", joined(properties.keys(), ", ")),
    };
    let problem = "is not an argument of this endpoint";
    Error::invalid(&quote(name), &shown(value), problem, &allowed)
}

fn fit(name: &str, property: &Value, value: Value) -> Result<Value> {
    let fail = |problem: &str| Error::invalid(name, &shown(&value), problem, &allowed(property));
    match kind(property) {
        "array" => list(name, property, value),
        _ if value.is_array() => Err(fail("is a list, or given twice, where one value is wanted")),
        "integer" => {
            let number = integer(&value).ok_or_else(|| fail("is not a whole number"))?;
            within(property, ("minimum", "maximum"), number).map_err(&fail)?;
            Ok(Value::from(number))
        }
        "boolean" => boolean(&value)
            .map(Value::Bool)
            .ok_or_else(|| fail("is neither true nor false")),
        _ => {
            let text = text(&value).ok_or_else(|| fail("is not text"))?;
            let fitting = fit_text(property, text.trim());
            fitting.map_err(|problem| fail(&problem)).map(Value::from)
        }
    }
}

fn fit_text(property: &Value, text: &str) -> std::result::Result<String, String> {
    let max = bound(property, "maxLength").unwrap_or(200);
    if count(text.chars()) > max {
        return Err(format!("is longer than {max} characters"));
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
    let mut choices = choices.iter().filter_map(Value::as_str);
    let found = choices.find(|choice| choice.eq_ignore_ascii_case(text));
    found
        .map(str::to_owned)
        .ok_or_else(|| "is not one of the choices".into())
}

fn list(name: &str, property: &Value, value: Value) -> Result<Value> {
    let given = if let Value::Array(items) = value {
        items
    } else {
        vec![value]
    };
    let each = given.into_iter().map(|item| match item.as_str() {
        Some(text) => written(text),
        None => vec![item],
    });
    let items: Vec<Value> = each.flatten().collect();
    let length = count(items.iter());
    if within(property, ("minItems", "maxItems"), length).is_err() {
        let came = format!("{length} items");
        let problem = "is not a list of the right length";
        return Err(Error::invalid(name, &came, problem, &allowed(property)));
    }
    let item = property.get("items").unwrap_or(&Value::Null);
    let items = items.into_iter().map(|value| fit(name, item, value));
    items.collect::<Result<Vec<Value>>>().map(Value::Array)
}

fn bound(property: &Value, key: &str) -> Option<i64> {
    property.get(key).and_then(Value::as_i64)
}

fn count(items: impl Iterator) -> i64 {
    i64::try_from(items.count()).unwrap_or(i64::MAX)
}

/// A list as text: JSON, or parts between commas.
fn written(text: &str) -> Vec<Value> {
    let json = text.trim_start().starts_with('[');
    let json = json.then(|| serde_json::from_str(text).ok()).flatten();
    json.unwrap_or_else(|| parts(text).map(Value::from).collect())
}

/// Parts between commas; a comma inside parentheses is part of a formula.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
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

/// A whole number, which JSON Schema takes `5.0` for, too.
fn integer(value: &Value) -> Option<i64> {
    let text = text(value)?;
    let text = text.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_whole = !fraction.is_empty() && fraction.bytes().all(|digit| digit == b'0');
    is_whole.then(|| whole.parse().ok()).flatten()
}

fn boolean(value: &Value) -> Option<bool> {
    let said = || match value.as_str()?.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" => Some(true),
        "false" | "0" | "no" => Some(false),
        _ => None,
    };
    value.as_bool().or_else(said)
}

fn text(value: &Value) -> Option<String> {
    let number = || Some(value.as_number()?.to_string());
    value.as_str().map(str::to_owned).or_else(number)
}

fn within(
    property: &Value,
    (min, max): (&str, &str),
    number: i64,
) -> std::result::Result<(), &'static str> {
    match (bound(property, min), bound(property, max)) {
        (Some(min), _) if number < min => Err("is too small"),
        (_, Some(max)) if number > max => Err("is too large"),
        _ => Ok(()),
    }
}

/// What a property allows, in words: bounds, choices, kind and an example.
pub(super) fn allowed(property: &Value) -> String {
    if let Some(choices) = property.get("enum").and_then(Value::as_array) {
        return joined(choices.iter().filter_map(Value::as_str), ", ");
    }
    let range = bound(property, "minimum").zip(bound(property, "maximum"));
    let base = match (kind(property), range, bound(property, "maxItems")) {
        ("integer", Some((min, max)), _) => format!("a whole number from {min} to {max}"),
        ("integer", ..) => "a whole number".to_owned(),
        ("boolean", ..) => "true or false".to_owned(),
        ("array", _, Some(max)) => format!("a list of 1 to {max} texts"),
        ("array", ..) => "a list of texts".to_owned(),
        _ => "text".to_owned(),
    };
    match property.get("examples").and_then(|all| all.get(0)) {
        Some(example) => format!("{base}, for example {}", shown(example)),
        None => base,
    }
}

/// A value as it is typed.
pub(super) fn shown(value: &Value) -> String {
    text(value).unwrap_or_else(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Map<String, Value> {
        let value = json!({"properties": {
            "q": {"type": "string", "minLength": 1, "examples": ["sahm"]},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
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
    fn what_says_nothing_is_as_if_left_out() {
        let given = json!({"q": "x", "series": [], "chart": null, "limit": 10});
        assert_eq!(said(given), r#"{"q":"x"}"#);
        assert!(said(json!({"q": "x", "status": ""})).contains("is not one of the choices"));
        assert!(said(json!({"q": "x", "other": ""})).contains("is not an argument"));
    }

    #[test]
    fn an_assistant_means_nothing_by_a_blank_either() {
        for (name, value, expected) in [
            ("tag", json!(" "), true),
            ("status", json!(""), true),
            ("series", json!([]), true),
            ("chart", json!(null), true),
            ("limit", json!(10), true),
            ("limit", json!(3), false),
            ("q", json!(""), false),
            ("other", json!(""), false),
        ] {
            assert_eq!(is_unsaid(&schema(), name, &value), expected, "{name}");
        }
    }

    #[test]
    fn a_number_without_a_fraction_is_whole_however_it_is_written() {
        for five in [
            json!(5),
            json!(5.0),
            json!("5"),
            json!("5.0"),
            json!(" 5.000 "),
        ] {
            let given = json!({"q": "x", "limit": five});
            assert_eq!(said(given), r#"{"q":"x","limit":5}"#);
        }
        for other in [json!(5.5), json!("5."), json!("1e1"), json!("five")] {
            let said = said(json!({"q": "x", "limit": other}));
            assert!(said.contains("is not a whole number"), "{other}: {said}");
        }
    }

    #[test]
    fn a_list_may_be_repeated_separated_or_written_as_json() {
        for list in [
            json!(["A", "B"]),
            json!(["A,B"]),
            json!("A,B"),
            json!(" [\"A\", \"B\"]"),
            json!(["[\"A\",\"B\"]"]),
        ] {
            let given = json!({"q": "x", "series": list});
            assert_eq!(said(given), r#"{"q":"x","series":["A","B"]}"#);
        }
        let twice = said(json!({"q": ["x", "y"]}));
        assert!(twice.contains("given twice"), "{twice}");
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
            "q is required. Allowed: text, for example sahm."
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
