//! MCP Apps: self-contained pages under `ui://` that a host shows beside a tool's answer.
//!
//! A page is a file of `data/apps/`; to serve another one, drop it there and add its row to [`APPS`].

use super::object;
use include_dir::{Dir, include_dir};
use rmcp::model::{JsonObject, MetaObject, Resource, ResourceContents, Tool};
use serde_json::{Value, json};

/// The extension's identifier.
pub(super) const EXTENSION: &str = "io.modelcontextprotocol/ui";

const MIME: &str = "text/html;profile=mcp-app";
const SCHEME: &str = "ui://econoscope/";

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/apps");

/// A page and the tool whose answer it shows.
struct App {
    tool: &'static str,
    file: &'static str,
    title: &'static str,
}

/// Rows whose file is not there are not offered.
const APPS: [App; 3] = [
    App {
        tool: "get_regime",
        file: "regime.html",
        title: "Macro regime",
    },
    App {
        tool: "get_signals",
        file: "recession.html",
        title: "Recession probability",
    },
    App {
        tool: "get_time_series",
        file: "chart.html",
        title: "Chart of a series",
    },
];

fn present() -> impl Iterator<Item = (&'static App, &'static str)> {
    APPS.iter()
        .filter_map(|app| Some((app, FILES.get_file(app.file)?.contents_utf8()?)))
}

/// What the server says of itself under the extension.
pub(super) fn settings() -> JsonObject {
    object(json!({ "mimeTypes": [MIME] }))
}

fn uri(app: &App) -> String {
    format!("{SCHEME}{}", app.file)
}

/// Points a tool to its page, under the name the extension gives and the two that hosts read besides it.
pub(super) fn attach(tool: Tool) -> Tool {
    let Some((app, _)) = present().find(|(app, _)| app.tool == tool.name) else {
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
    present()
        .map(|(app, html)| {
            Resource::new(uri(app), app.file.trim_end_matches(".html"))
                .with_title(app.title)
                .with_mime_type(MIME)
                .with_size(html.len() as u64)
                .with_meta(policy())
        })
        .collect()
}

/// A page.
pub(super) fn read(wanted: &str) -> Option<ResourceContents> {
    let (app, html) = present().find(|(app, _)| uri(app) == wanted)?;
    let contents = ResourceContents::text(html, uri(app));
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
