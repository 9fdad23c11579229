//! How to connect, what the API offers, how to embed: printed from the endpoint table and the base address.

use crate::desk::Desk;
use crate::endpoints::{ENDPOINTS, Route};
use serde_json::Value;

/// Something to copy.
pub(super) struct Snippet {
    pub(super) label: &'static str,
    pub(super) code: String,
}

/// An endpoint as the API section shows it.
pub(super) struct Entry {
    pub(super) tool: &'static str,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) max_age: u32,
    pub(super) example: String,
    pub(super) arguments: Vec<Argument>,
}

/// An argument with what it means.
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) about: String,
    pub(super) required: bool,
}

/// A widget with the code that embeds it.
pub(super) struct Embed {
    pub(super) label: &'static str,
    pub(super) src: &'static str,
    pub(super) width: u16,
    pub(super) height: u16,
    pub(super) code: String,
}

/// Ways to add the server to an assistant.
pub(super) fn connect(desk: &Desk) -> Vec<Snippet> {
    let url = format!("{}/mcp", desk.settings().base_url);
    let snippet = |label, code| Snippet { label, code };
    vec![
        snippet("Address of the MCP server", url.clone()),
        snippet(
            "Claude Code",
            format!("claude mcp add --transport http econoscope {url}"),
        ),
        snippet(
            "VS Code, .vscode/mcp.json",
            format!(
                "{{\"servers\": {{\"econoscope\": {{\"type\": \"http\", \"url\": \"{url}\"}}}}}}"
            ),
        ),
        snippet(
            "Clients with an mcpServers file",
            format!("{{\"mcpServers\": {{\"econoscope\": {{\"url\": \"{url}\"}}}}}}"),
        ),
        snippet(
            "On your own machine, over stdio",
            "{\"mcpServers\": {\"econoscope\": {\"command\": \"econoscope\"}}}".into(),
        ),
        snippet(
            "From a shell",
            format!("curl {}/api/public/macro-summary", desk.settings().base_url),
        ),
    ]
}

/// Every endpoint of the table.
pub(super) fn endpoints() -> Vec<Entry> {
    ENDPOINTS.iter().map(entry).collect()
}

fn entry(route: &'static Route) -> Entry {
    let spec = &route.spec;
    let schema = route.input_schema();
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|list| list.iter().any(|n| n == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    let arguments = properties
        .into_iter()
        .flatten()
        .map(|(name, property)| Argument {
            name: name.clone(),
            kind: kind(property),
            about: property
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            required: is_required(name),
        });
    Entry {
        tool: spec.tool,
        path: spec.path,
        summary: spec.summary,
        max_age: spec.max_age,
        example: route.example_path(),
        arguments: arguments.collect(),
    }
}

/// "integer, 1 to 50", "active or paused", "text".
fn kind(property: &Value) -> String {
    let number = |key: &str| property.get(key).and_then(Value::as_i64);
    if let Some(choices) = property.get("enum").and_then(Value::as_array) {
        return choices
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(", ");
    }
    let word = property
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or("string");
    match (word, number("minimum"), number("maximum")) {
        (word, Some(least), Some(most)) => format!("{word}, {least} to {most}"),
        ("string", ..) => "text".into(),
        (word, ..) => word.into(),
    }
}

/// The three widgets.
pub(super) fn embeds(desk: &Desk) -> Vec<Embed> {
    let base = &desk.settings().base_url;
    [
        ("Regime", "/widget/regime", 300, 120),
        ("Recession probability", "/widget/recession", 300, 140),
        ("Any metric", "/widget/metric/DGS10", 250, 100),
    ]
    .map(|(label, src, width, height)| Embed {
        label,
        src,
        width,
        height,
        code: format!(
            "<iframe src=\"{base}{src}\" title=\"{label}\" width=\"{width}\" height=\"{height}\" \
             style=\"border:0\" loading=\"lazy\"></iframe>"
        ),
    })
    .into()
}
