//! MCP Apps: self-contained pages under `ui://` that a host shows next to a tool's answer.
//!
//! A page is a template of `templates/apps/`. The templates share their frame, colours, charts and the bridge to the host.
//! To add a page, add a template and a row of [`APPS`].

use askama::Template;
use rmcp::model::{JsonObject, MetaObject, Resource, ResourceContents, Tool, object};
use serde_json::json;
use std::sync::LazyLock;

/// The extension's identifier.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/ui";

const MIME: &str = "text/html;profile=mcp-app";

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
    html: String,
}

impl App {
    fn uri(&self) -> String {
        format!("ui://econoscope/{}.html", self.name)
    }
}

static APPS: LazyLock<[App; 3]> = LazyLock::new(|| {
    [
        ("get_regime", "regime", "Macro regime", Regime.to_string()),
        (
            "get_signals",
            "recession",
            "Recession probability",
            Recession.to_string(),
        ),
        (
            "get_time_series",
            "chart",
            "Chart of a series",
            Chart.to_string(),
        ),
    ]
    .map(|(tool, name, title, html)| App {
        tool,
        name,
        title,
        html,
    })
});

/// Returns the server's capabilities under the extension.
pub(super) fn settings() -> JsonObject {
    object(json!({ "mimeTypes": [MIME] }))
}

/// Adds a tool's page to its `_meta`, under the extension's name and two others that hosts read.
pub(super) fn attach(tool: Tool) -> Tool {
    let Some(app) = APPS.iter().find(|app| app.tool == tool.name) else {
        return tool;
    };
    tool.with_meta(MetaObject(object(json!({
        "ui": { "resourceUri": app.uri() },
        "ui/resourceUri": app.uri(),
        "openai/outputTemplate": app.uri(),
    }))))
}

/// Returns the pages as resources.
pub(super) fn list() -> Vec<Resource> {
    APPS.iter()
        .map(|app| {
            Resource::new(app.uri(), format!("{}-app", app.name))
                .with_title(app.title)
                .with_mime_type(MIME)
                .with_size(app.html.len() as u64)
                .with_meta(policy())
        })
        .collect()
}

/// Returns a page.
pub(super) fn read(address: &str) -> Option<ResourceContents> {
    let app = APPS.iter().find(|app| app.uri() == address)?;
    let contents = ResourceContents::text(app.html.as_str(), address);
    Some(contents.with_mime_type(MIME).with_meta(policy()))
}

/// Returns the policy of a page: it may load nothing and needs no permission.
fn policy() -> MetaObject {
    MetaObject(object(json!({
        "ui": {
            "csp": { "connectDomains": [], "resourceDomains": [], "frameDomains": [], "baseUriDomains": [] },
            "permissions": {},
            "prefersBorder": false,
        },
    })))
}
