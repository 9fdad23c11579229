//! Edits the text of a settings file: adds or removes one entry and leaves everything else as it is, comments,
//! indentation, line ends and byte order mark included.

use super::hosts::Entry;
use anyhow::{Context, Result, bail};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde::Deserialize;
use serde_json::Value;
use toml_edit::{DocumentMut, Item};

/// Format of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    /// JSON with comments and trailing commas.
    Json,
    Toml,
}

/// Name of our entry.
const NAME: &str = "econoscope";

/// Fields with the connection to a server. Those that a new entry does not have are removed from the old one.
const CONNECTION_FIELDS: [&str; 6] = ["command", "args", "type", "url", "serverUrl", "httpUrl"];

/// Returns the text with our entry in the table of servers at `key`, or without our entry if `entry` is `None`.
///
/// Other fields of an entry of ours, such as environment variables, stay.
///
/// # Errors
/// When the text is not valid, or the value at `key` is no table.
pub(super) fn with_entry(
    format: Format,
    text: &str,
    key: &str,
    entry: Option<&Entry>,
) -> Result<String> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.strip_suffix(body).unwrap_or_default();
    let lines = body.matches('\n').count();
    let is_crlf = lines > 0 && body.matches("\r\n").count() == lines;
    let line_end = if is_crlf { "\r\n" } else { "\n" };
    let plain = body.replace(line_end, "\n");
    let edited = match format {
        Format::Json => edit_json(&plain, key, entry)?,
        Format::Toml => edit_toml(&plain, key, entry)?,
    };
    Ok(mark.to_owned() + &edited.replace('\n', line_end))
}

/// Returns the connection fields that an entry does not have.
fn stale_fields(entry: &Entry) -> impl Iterator<Item = &'static str> {
    let fields = CONNECTION_FIELDS.into_iter();
    fields.filter(|name| !entry.contains_key(*name))
}

fn edit_json(text: &str, key: &str, entry: Option<&Entry>) -> Result<String> {
    let text = match (text.trim().is_empty(), entry) {
        (true, None) => return Ok(text.to_owned()),
        (true, Some(_)) => "{}\n",
        (false, _) => text,
    };
    let options = ParseOptions {
        allow_missing_commas: false,
        allow_loose_object_property_names: false,
        allow_single_quoted_strings: false,
        ..ParseOptions::default()
    };
    let root = CstRootNode::parse(text, &options).context("it is not JSON")?;
    let top = root
        .object_value()
        .context("its top level is not an object")?;
    if entry.is_none() && top.get(key).is_none() {
        return Ok(text.to_owned());
    }
    let servers = top
        .object_value_or_create(key)
        .with_context(|| format!("{key} in it is not an object"))?;
    let Some(entry) = entry else {
        if let Some(ours) = servers.get(NAME) {
            ours.remove();
        }
        return Ok(root.to_string());
    };
    let Some(ours) = servers.object_value(NAME) else {
        let value = to_cst(&Value::Object(entry.clone()));
        match servers.get(NAME) {
            Some(other) => other.set_value(value),
            None => drop(servers.append(NAME, value)),
        }
        return Ok(root.to_string());
    };
    for name in stale_fields(entry) {
        if let Some(old) = ours.get(name) {
            old.remove();
        }
    }
    for (name, value) in entry {
        let Some(old) = ours.get(name) else {
            ours.append(name, to_cst(value));
            continue;
        };
        if old.value().and_then(|old| old.to_serde_value()).as_ref() != Some(value) {
            old.set_value(to_cst(value));
        }
    }
    Ok(root.to_string())
}

fn to_cst(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(to_cst).collect()),
        Value::Object(fields) => {
            let nodes = fields
                .iter()
                .map(|(name, value)| (name.clone(), to_cst(value)));
            CstInputValue::Object(nodes.collect())
        }
    }
}

fn edit_toml(text: &str, key: &str, entry: Option<&Entry>) -> Result<String> {
    let mut document: DocumentMut = text.parse().context("it is not TOML")?;
    if entry.is_none() && document.get(key).is_none() {
        return Ok(text.to_owned());
    }
    let mut implicit = toml_edit::Table::new();
    implicit.set_implicit(true);
    let item = document.entry(key).or_insert(Item::Table(implicit));
    let is_inline = item.is_inline_table();
    let servers = item
        .as_table_like_mut()
        .with_context(|| format!("{key} in it is not a table"))?;
    let Some(entry) = entry else {
        return Ok(match servers.remove(NAME) {
            Some(_) => document.to_string(),
            // Formatting the document could change its last line end.
            None => text.to_owned(),
        });
    };
    let ours = servers
        .entry(NAME)
        .or_insert_with(|| {
            if is_inline {
                toml_edit::InlineTable::new().into()
            } else {
                toml_edit::Table::new().into()
            }
        })
        .as_table_like_mut()
        .with_context(|| format!("{key}.{NAME} in it is not a table"))?;
    for name in stale_fields(entry) {
        ours.remove(name);
    }
    for (name, value) in entry {
        let new = match value {
            Value::String(text) => toml_edit::Value::from(text.as_str()),
            Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                bail!("{name} is neither text nor a list of texts")
            }
        };
        let old = ours.get(name).and_then(Item::as_value);
        let is_same = old.is_some_and(|old| old.to_string().trim() == new.to_string().trim());
        if !is_same {
            ours.insert(name, Item::Value(new));
        }
    }
    Ok(document.to_string())
}
