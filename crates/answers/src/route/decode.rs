//! One decoder for MCP, REST and the command line. It checks arguments against the endpoint's own schema.
//!
//! Text is accepted for a number, a boolean or a list (`"limit":"3"`, `series=DGS10,DGS2`), since a query string has
//! only text; so are `5.0` for a whole number and a list that a model wrote as text (`"[\"UNRATE\"]"`). Anything else is
//! an error that names the field, the value and what is allowed. Nothing is clamped or dropped.

use crate::dates;
use crate::render::provenance::look_up;
use crate::route::Route;
use crate::route::endpoint::Endpoint;
use crate::route::schema::listed;
use econoscope_core::error::{Error, Result, quote, single_line};
use econoscope_core::indicators::prose::join;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Arguments by name, as received.
pub type Arguments = Map<String, Value>;

/// Checks arguments against an input schema and returns their canonical form: in the order of the schema, with its types,
/// without those that only repeat a default.
///
/// # Errors
/// [`Error::InvalidParam`] for an unknown, missing, malformed or out-of-range argument.
pub fn check(schema: &Map<String, Value>, mut arguments: Arguments) -> Result<Arguments> {
    let none = Map::new();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    let mut names = arguments.keys();
    if let Some(name) = names.find(|name| !properties.contains_key(*name)) {
        return Err(unknown_argument(name, properties));
    }
    let mut checked = Map::new();
    for (name, property) in properties {
        let value = arguments.remove(name).map(|value| join_days(name, value));
        match value.filter(|value| !is_default(property, value)) {
            Some(value) => {
                checked.insert(name.clone(), coerce(name, property, value)?);
            }
            None if is_required(schema, name) => {
                let allowed = describe_allowed(property);
                return Err(Error::invalid(name, "", "is required", &allowed));
            }
            None => {}
        }
    }
    Ok(checked)
}

/// Whether an argument is required.
pub(crate) fn is_required(schema: &Map<String, Value>, name: &str) -> bool {
    listed(schema, "required").any(|required| required == name)
}

/// Whether a value is null, an empty list or the default of the schema. Hosts that fill in a schema send such values for
/// every argument.
fn is_default(property: &Value, value: &Value) -> bool {
    let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    is_empty || property.get("default") == Some(value)
}

/// Whether an assistant's value counts as absent: a default, or a blank text. A blank for a required or unknown argument
/// stays an error, and so does any blank over REST.
pub(crate) fn is_omitted(schema: &Map<String, Value>, name: &str, value: &Value) -> bool {
    let property = schema.get("properties").and_then(|all| all.get(name));
    let Some(property) = property else {
        return value.is_null();
    };
    let is_blank = value.as_str().is_some_and(|text| text.trim().is_empty());
    is_default(property, value) || is_blank && !is_required(schema, name)
}

/// Arguments that hosts add to every call for their own records (n8n, Letta). They are no arguments of an endpoint.
const HOST_ARGUMENTS: [&str; 8] = [
    "toolCallId",
    "tool_call_id",
    "sessionId",
    "session_id",
    "chatInput",
    "action",
    "tool",
    "request_heartbeat",
];

/// Whether an argument is one that hosts add; those of Open WebUI begin with two underscores.
pub(crate) fn is_from_host(name: &str) -> bool {
    HOST_ARGUMENTS.contains(&name) || name.starts_with("__")
}

/// Deserializes checked arguments into an endpoint's parameters.
///
/// # Errors
/// [`Error::InvalidParam`] when the type demands more than its schema.
pub fn params<T: DeserializeOwned>(checked: &Arguments) -> Result<T> {
    let params = serde_json::from_value(Value::Object(checked.clone()));
    let allowed = "see the tool's input schema";
    params.map_err(|e| Error::invalid("arguments", "", &e.to_string(), allowed))
}

/// Checks the arguments of an endpoint and deserializes them.
///
/// # Errors
/// Those of [`check`] and [`params`].
pub fn params_of<E: Endpoint>(arguments: Arguments) -> Result<E> {
    params(&check(&Route::of_tool(E::TOOL)?.input_schema, arguments)?)
}

/// Adds an argument as text; a repeated argument becomes a list.
pub fn add_argument(arguments: &mut Arguments, name: &str, text: &str) {
    let value = Value::from(text);
    match arguments.get_mut(name) {
        None => drop(arguments.insert(name.to_owned(), value)),
        Some(Value::Array(values)) => values.push(value),
        Some(first) => *first = Value::Array(vec![first.take(), value]),
    }
}

/// The default number of rows, as a function for serde.
pub(crate) fn default_limit<const N: usize>() -> usize {
    N
}

/// Arguments of one value, and what takes or replaces several.
pub(crate) const SINGLE: &str = include_str!("../../data/single.csv");

/// Joins a list for an argument of several days to the text that is read: `["2010-01-15", "2012-01-15"]`, also as text.
fn join_days(name: &str, value: Value) -> Value {
    if !dates::LISTS.contains(&name) {
        return value;
    }
    let list = match value.as_str() {
        Some(text) if text.trim_start().starts_with('[') => serde_json::from_str(text).ok(),
        _ => value.as_array().cloned(),
    };
    let days = list.filter(|days: &Vec<Value>| !days.is_empty());
    days.map_or(value, |days| {
        join(days.iter().map(format_value), ", ").into()
    })
}

/// Returns the JSON type of a property; text by default.
fn json_type(property: &Value) -> &str {
    let name = property.get("type").and_then(Value::as_str);
    name.unwrap_or("string")
}

fn unknown_argument(name: &str, properties: &Map<String, Value>) -> Error {
    let allowed = if properties.is_empty() {
        "no arguments".to_owned()
    } else {
        join(properties.keys(), ", ")
    };
    // The name is what is wrong; its value may be anything.
    Error::invalid(&quote(name), "", "is no argument here", &allowed)
}

/// Converts a value to the type of its property and checks it.
fn coerce(name: &str, property: &Value, value: Value) -> Result<Value> {
    let received = format_value(&value);
    let is_several = value.is_array() || property.get("enum").is_some() && received.contains(',');
    // Read for an error alone: every request comes by here.
    let instead = || look_up(SINGLE, name).filter(|_| is_several);
    let fail = |problem: &str| {
        let allowed = describe_allowed(property);
        let with_instead = instead().map(|instead| format!("{allowed}; {instead}"));
        Error::invalid(name, &received, problem, &with_instead.unwrap_or(allowed))
    };
    match json_type(property) {
        "array" => coerce_list(name, property, value),
        _ if let Some([only]) = value.as_array().map(Vec::as_slice) => {
            coerce(name, property, only.clone())
        }
        _ if value.is_array() => Err(fail("is a list, or given twice, where one value is wanted")),
        "integer" => {
            let number = integer(&value).ok_or_else(|| fail("is not a whole number"))?;
            check_bounds(property, "minimum", "maximum", number).map_err(fail)?;
            Ok(Value::from(number))
        }
        "boolean" => {
            let flag = boolean(&value).ok_or_else(|| fail("is neither true nor false"))?;
            Ok(Value::Bool(flag))
        }
        _ => {
            let text = text(&value).ok_or_else(|| fail("is not text"))?;
            let text = check_text(property, text.trim());
            text.map_err(|problem| fail(&problem)).map(Value::from)
        }
    }
}

/// Returns a text, or the choice that it spells in another case; else what is wrong with it.
fn check_text(property: &Value, text: &str) -> std::result::Result<String, String> {
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
        // It is printed in answers.
        return Ok(single_line(text));
    };
    let mut words = choices.iter().filter_map(Value::as_str);
    let choice = words.find(|word| word.eq_ignore_ascii_case(text));
    choice
        .map(str::to_owned)
        .ok_or("is not one of the choices".into())
}

fn coerce_list(name: &str, property: &Value, value: Value) -> Result<Value> {
    let values = if let Value::Array(values) = value {
        values
    } else {
        vec![value]
    };
    let parsed = values.into_iter().flat_map(|item| match item.as_str() {
        Some(text) => parse_list(text),
        None => vec![item],
    });
    let items: Vec<Value> = parsed.collect();
    let length = count(items.iter());
    if check_bounds(property, "minItems", "maxItems", length).is_err() {
        let given = format!("{length} items");
        let problem = "is not a list of the right length";
        let allowed = describe_allowed(property);
        return Err(Error::invalid(name, &given, problem, &allowed));
    }
    let item = property.get("items").unwrap_or(&Value::Null);
    let coerced = items.into_iter().map(|value| coerce(name, item, value));
    coerced.collect::<Result<Vec<Value>>>().map(Value::Array)
}

fn bound(property: &Value, key: &str) -> Option<i64> {
    property.get(key).and_then(Value::as_i64)
}

fn count(items: impl Iterator) -> i64 {
    i64::try_from(items.count()).unwrap_or(i64::MAX)
}

/// Parses a list written as text: JSON, or parts between commas.
fn parse_list(text: &str) -> Vec<Value> {
    let is_json = text.trim_start().starts_with('[');
    let json = is_json.then(|| serde_json::from_str(text).ok()).flatten();
    json.unwrap_or_else(|| parts(text).map(Value::from).collect())
}

/// Splits a text at its commas, except those inside the parentheses of a formula.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    let parts = text.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim)
}

/// Returns a whole number, also of `5.0`, which is an integer in JSON Schema.
fn integer(value: &Value) -> Option<i64> {
    let text = text(value)?;
    let number = text.trim();
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_whole = !fraction.is_empty() && fraction.bytes().all(|digit| digit == b'0');
    is_whole.then(|| whole.parse().ok()).flatten()
}

fn boolean(value: &Value) -> Option<bool> {
    let from_text = || match value.as_str()?.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" => Some(true),
        "false" | "0" | "no" => Some(false),
        _ => None,
    };
    value.as_bool().or_else(from_text)
}

fn text(value: &Value) -> Option<String> {
    let number = || Some(value.as_number()?.to_string());
    value.as_str().map(str::to_owned).or_else(number)
}

fn check_bounds(
    property: &Value,
    min: &str,
    max: &str,
    number: i64,
) -> std::result::Result<(), &'static str> {
    match (bound(property, min), bound(property, max)) {
        (Some(min), _) if number < min => Err("is too small"),
        (_, Some(max)) if number > max => Err("is too large"),
        _ => Ok(()),
    }
}

/// Describes what a property allows: its choices, or type, bounds and an example.
pub(crate) fn describe_allowed(property: &Value) -> String {
    if let Some(choices) = property.get("enum").and_then(Value::as_array) {
        return join(choices.iter().filter_map(Value::as_str), ", ");
    }
    let range = bound(property, "minimum").zip(bound(property, "maximum"));
    let base = match (json_type(property), range, bound(property, "maxItems")) {
        ("integer", Some((min, max)), _) => format!("a whole number from {min} to {max}"),
        ("integer", ..) => "a whole number".to_owned(),
        ("boolean", ..) => "true or false".to_owned(),
        ("array", _, Some(max)) => format!("a list of 1 to {max} texts"),
        ("array", ..) => "a list of texts".to_owned(),
        _ => "text".to_owned(),
    };
    match property.get("examples").and_then(|all| all.get(0)) {
        Some(example) => format!("{base}, for example {}", format_value(example)),
        None => base,
    }
}

/// Formats a value as a person types it: text without quotes.
pub(crate) fn format_value(value: &Value) -> String {
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
            "as_of": {"type": "string"},
            "chart": {"type": "boolean"}},
            "required": ["q"]});
        value.as_object().cloned().unwrap()
    }

    fn outcome(given: Value) -> String {
        match check(&schema(), given.as_object().cloned().unwrap()) {
            Ok(checked) => Value::Object(checked).to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn text_is_converted_to_numbers_lists_and_booleans() {
        let out = outcome(
            json!({"q": "x", "limit": "3", "series": "A, B", "chart": "yes", "status": "ACTIVE"}),
        );
        assert_eq!(
            out,
            r#"{"q":"x","limit":3,"status":"active","series":["A","B"],"chart":true}"#
        );
    }

    #[test]
    fn defaults_and_empty_values_count_as_absent() {
        let given = json!({"q": "x", "series": [], "chart": null, "limit": 10});
        assert_eq!(outcome(given), r#"{"q":"x"}"#);
        assert!(outcome(json!({"q": "x", "status": ""})).contains("is not one of the choices"));
        assert!(outcome(json!({"q": "x", "other": ""})).contains("is no argument"));
    }

    #[test]
    fn blanks_of_an_assistant_count_as_absent() {
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
            assert_eq!(is_omitted(&schema(), name, &value), expected, "{name}");
        }
    }

    #[test]
    fn numbers_without_a_fraction_are_whole() {
        for five in [
            json!(5),
            json!(5.0),
            json!("5"),
            json!("5.0"),
            json!(" 5.000 "),
        ] {
            let given = json!({"q": "x", "limit": five});
            assert_eq!(outcome(given), r#"{"q":"x","limit":5}"#);
        }
        for other in [json!(5.5), json!("5."), json!("1e1"), json!("five")] {
            let error = outcome(json!({"q": "x", "limit": other}));
            assert!(error.contains("is not a whole number"), "{other}: {error}");
        }
    }

    #[test]
    fn lists_are_repeated_separated_or_json() {
        for list in [
            json!(["A", "B"]),
            json!(["A,B"]),
            json!("A,B"),
            json!(" [\"A\", \"B\"]"),
            json!(["[\"A\",\"B\"]"]),
        ] {
            let given = json!({"q": "x", "series": list});
            assert_eq!(outcome(given), r#"{"q":"x","series":["A","B"]}"#);
        }
        let twice = outcome(json!({"q": ["x", "y"]}));
        assert!(twice.contains("given twice"), "{twice}");
        assert_eq!(outcome(json!({"q": ["x"]})), r#"{"q":"x"}"#);
    }

    #[test]
    fn several_values_for_one_name_what_takes_them() {
        let refused = |tool: &str, name: &str, value: Value| {
            let route = crate::ENDPOINTS
                .iter()
                .find(|route| route.spec.tool == tool)
                .unwrap();
            let given = json!({ name: value }).as_object().cloned().unwrap();
            check(&route.input_schema, given).unwrap_err().to_string()
        };
        for (tool, name, value, instead) in [
            (
                "get_metric",
                "ticker",
                json!(["CPI", "UNRATE"]),
                "compare_series takes up to eight",
            ),
            (
                "get_time_series",
                "seriesId",
                json!(["CPI", "UNRATE"]),
                "compare_series",
            ),
            (
                "get_release_calendar",
                "series",
                json!(["cpi", "fomc"]),
                "a call for each",
            ),
            (
                "explain_indicator",
                "indicator",
                json!(["CRPI", "CMSI"]),
                "get_signals",
            ),
            (
                "fetch",
                "id",
                json!(["series:DGS10", "term:sahm-rule"]),
                "a call for each",
            ),
            (
                "search_series",
                "category",
                json!(["rates", "labor"]),
                "a call for each",
            ),
        ] {
            let error = refused(tool, name, value);
            assert!(error.contains(instead), "{tool} {name}: {error}");
        }
    }

    #[test]
    fn lists_of_days_are_read_as_days_between_commas() {
        for days in [
            json!(["2010-01-15", "2012-01-15"]),
            json!("[\"2010-01-15\", \"2012-01-15\"]"),
            json!("2010-01-15, 2012-01-15"),
        ] {
            let given = json!({"q": "x", "as_of": days});
            let expected = r#"{"q":"x","as_of":"2010-01-15, 2012-01-15"}"#;
            assert_eq!(outcome(given), expected);
        }
        assert_eq!(outcome(json!({"q": "x", "as_of": []})), r#"{"q":"x"}"#);
    }

    #[test]
    fn no_endpoint_has_an_argument_that_hosts_add() {
        for route in crate::ENDPOINTS.iter() {
            let mut names = route.properties().map(|(name, _)| name);
            assert!(!names.any(|name| is_from_host(name)), "{}", route.spec.tool);
        }
    }

    #[test]
    fn comma_inside_parentheses_does_not_split_a_list() {
        let out = outcome(json!({"q": "x", "series": "ma(ICSA, 4), DGS2"}));
        assert_eq!(out, r#"{"q":"x","series":["ma(ICSA, 4)","DGS2"]}"#);
    }

    #[test]
    fn errors_name_field_value_and_allowed_values() {
        assert_eq!(
            outcome(json!({})),
            "q is required. Allowed: text, for example sahm."
        );
        assert_eq!(
            outcome(json!({"q": "x", "limit": 99})),
            "limit=\"99\" is too large. Allowed: a whole number from 1 to 50."
        );
        assert_eq!(
            outcome(json!({"q": "x", "status": "dead"})),
            "status=\"dead\" is not one of the choices. Allowed: active, paused."
        );
        assert!(
            outcome(json!({"q": "x", "lim": 1}))
                .starts_with("lim is no argument here. Allowed: q,")
        );
        assert!(outcome(json!({"q": "x", "series": ["a", "b", "c"]})).contains("right length"));
        assert!(outcome(json!({"q": {"a": 1}})).contains("is not text"));
    }
}
