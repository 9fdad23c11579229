//! One entry put into a settings file, or taken out of it, as text: everything else keeps its place, its comments and
//! its indentation, line ends and a mark of byte order included.

use anyhow::{Context, Result, bail};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde::Deserialize;
use serde_json::{Map, Value};
use toml_edit::{DocumentMut, Item, TableLike};

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    /// With comments and final commas, as most hosts take it.
    Json,
    Toml,
}

/// Under which name we stand among the servers.
const NAME: &str = "econoscope";

/// What says how a server is reached: where another way is chosen, the old one has to go.
const WAYS: [&str; 6] = ["command", "args", "type", "url", "serverUrl", "httpUrl"];

/// The text with our entry among the servers at `key`, or without one where none is given.
///
/// What others wrote into our entry, such as variables of the environment, stays.
///
/// # Errors
/// When the text is not of its format, or something else stands where the servers should.
pub(super) fn with_entry(
    format: Format,
    text: &str,
    key: &str,
    entry: Option<&Value>,
) -> Result<String> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let lines = body.matches('\n').count();
    let is_crlf = lines > 0 && body.matches("\r\n").count() == lines;
    let body = match is_crlf {
        true => body.replace("\r\n", "\n"),
        false => body.to_owned(),
    };
    let edited = match format {
        Format::Json => json(&body, key, entry)?,
        Format::Toml => toml(&body, key, entry)?,
    };
    let edited = match is_crlf {
        true => edited.replace('\n', "\r\n"),
        false => edited,
    };
    Ok(format!("{mark}{edited}"))
}

fn json(text: &str, key: &str, entry: Option<&Value>) -> Result<String> {
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
    let top = root.object_value();
    let top = top.context("its top is no object")?;
    if entry.is_none() && top.get(key).is_none() {
        return Ok(text.to_owned());
    }
    let servers = top.object_value_or_create(key);
    let servers = servers.with_context(|| format!("{key} in it is no object"))?;
    let Some(entry) = entry else {
        let Some(ours) = servers.get(NAME) else {
            return Ok(text.to_owned());
        };
        ours.remove();
        return Ok(root.to_string());
    };
    let wanted = entry.as_object().context("an entry is an object")?;
    match servers.object_value(NAME) {
        None => match servers.get(NAME) {
            Some(odd) => odd.set_value(input(entry)),
            None => {
                servers.append(NAME, input(entry));
            }
        },
        Some(ours) => {
            for way in WAYS.iter().filter(|way| !wanted.contains_key(**way)) {
                if let Some(old) = ours.get(way) {
                    old.remove();
                }
            }
            for (name, value) in wanted {
                match ours.get(name) {
                    Some(same) if is_same(&same, value) => {}
                    Some(old) => old.set_value(input(value)),
                    None => {
                        ours.append(name, input(value));
                    }
                }
            }
        }
    }
    Ok(root.to_string())
}

fn is_same(property: &jsonc_parser::cst::CstObjectProp, value: &Value) -> bool {
    let now = property.value().and_then(|now| now.to_serde_value());
    now.as_ref() == Some(value)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(truth) => CstInputValue::Bool(*truth),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| (name.clone(), input(value)));
            CstInputValue::Object(fields.collect())
        }
    }
}

fn toml(text: &str, key: &str, entry: Option<&Value>) -> Result<String> {
    let mut document: DocumentMut = text.parse().context("it is not TOML")?;
    if entry.is_none() && document.get(key).is_none() {
        return Ok(text.to_owned());
    }
    let mut implicit = toml_edit::Table::new();
    implicit.set_implicit(true);
    let servers = document.entry(key).or_insert(Item::Table(implicit));
    let is_inline = servers.is_inline_table();
    let servers = servers.as_table_like_mut();
    let servers = servers.with_context(|| format!("{key} in it is no table"))?;
    let Some(entry) = entry else {
        return Ok(match servers.remove(NAME) {
            Some(_) => document.to_string(),
            // Written again, it could get another line end.
            None => text.to_owned(),
        });
    };
    let wanted = entry.as_object().context("an entry is an object")?;
    let ours = servers.entry(NAME).or_insert_with(|| match is_inline {
        true => toml_edit::InlineTable::new().into(),
        false => toml_edit::Table::new().into(),
    });
    let ours = ours.as_table_like_mut();
    fill(
        ours.with_context(|| format!("{key}.{NAME} in it is no table"))?,
        wanted,
    )?;
    Ok(document.to_string())
}

fn fill(ours: &mut dyn TableLike, wanted: &Map<String, Value>) -> Result<()> {
    for way in WAYS.iter().filter(|way| !wanted.contains_key(**way)) {
        ours.remove(way);
    }
    for (name, value) in wanted {
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
    Ok(())
}
