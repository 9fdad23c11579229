//! MCP Apps: self-contained pages under `ui://` that a host shows beside a tool's answer.
//!
//! A page is a template of `templates/apps/`, which share their frame, colours and bridge to the host, and the drawing of all charts; for
//! another one, write it there and add its row to [`APPS`].

use super::protocol::object;
use askama::Template;
use rmcp::model::{JsonObject, MetaObject, Resource, ResourceContents, Tool};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// The extension's identifier.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/ui";

const MIME: &str = "text/html;profile=mcp-app";
const SCHEME: &str = "ui://econoscope/";

#[derive(Template)]
#[template(path = "apps/regime.html")]
struct Regime;

#[derive(Template)]
#[template(path = "apps/recession.html")]
struct Recession;

#[derive(Template)]
#[template(path = "apps/chart.html")]
struct Chart;

/// A page and the tool whose answer it shows.
struct App {
    tool: &'static str,
    name: &'static str,
    title: &'static str,
    html: LazyLock<String>,
}

static APPS: [App; 3] = [
    App {
        tool: "get_regime",
        name: "regime",
        title: "Macro regime",
        html: LazyLock::new(|| Regime.to_string()),
    },
    App {
        tool: "get_signals",
        name: "recession",
        title: "Recession probability",
        html: LazyLock::new(|| Recession.to_string()),
    },
    App {
        tool: "get_time_series",
        name: "chart",
        title: "Chart of a series",
        html: LazyLock::new(|| Chart.to_string()),
    },
];

/// What the server says of itself under the extension.
pub(super) fn settings() -> JsonObject {
    object(json!({ "mimeTypes": [MIME] }))
}

fn uri(app: &App) -> String {
    format!("{SCHEME}{}.html", app.name)
}

/// Points a tool to its page, under the name the extension gives and the two that hosts read besides it.
pub(super) fn attach(tool: Tool) -> Tool {
    let Some(app) = APPS.iter().find(|app| app.tool == tool.name) else {
        return tool;
    };
    let uri = Value::from(uri(app));
    let mut meta = MetaObject::default();
    meta.insert("ui".into(), json!({ "resourceUri": uri }));
    meta.insert("ui/resourceUri".into(), uri.clone());
    meta.insert("openai/outputTemplate".into(), uri);
    tool.with_meta(meta)
}

/// The pages as resources.
pub(super) fn list() -> Vec<Resource> {
    APPS.iter()
        .map(|app| {
            Resource::new(uri(app), format!("{}-app", app.name))
                .with_title(app.title)
                .with_mime_type(MIME)
                .with_size(app.html.len() as u64)
                .with_meta(policy())
        })
        .collect()
}

/// A page.
pub(super) fn read(wanted: &str) -> Option<ResourceContents> {
    let app = APPS.iter().find(|app| uri(app) == wanted)?;
    let contents = ResourceContents::text(app.html.as_str(), wanted);
    Some(contents.with_mime_type(MIME).with_meta(policy()))
}

/// A page brings everything along: it reaches nowhere and asks for nothing.
fn policy() -> MetaObject {
    let mut meta = MetaObject::default();
    meta.insert(
        "ui".into(),
        json!({
            "csp": { "connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": [] },
            "permissions": {},
            "prefersBorder": false,
        }),
    );
    meta
}
