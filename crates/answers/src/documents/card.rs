//! The MCP server card (SEP-2127) and the catalogue of agents' entry points.

use serde_json::{Value, json};

/// Name in the registry's form.
pub const NAME: &str = "io.github.econoscope/econoscope";
/// At most 100 characters, as the card's schema asks.
pub const DESCRIPTION: &str =
    "US macroeconomic data: regime, recession probability, liquidity, stress, 1,100+ series";
/// Supported protocol versions, newest first.
pub const VERSIONS: [&str; 5] = [
    "2026-07-28",
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
];

/// The icon, as an address that needs no server.
pub const ICON: &str = "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20viewBox='0%200%2016%2016'%3E%3Cpath%20d='M1%2012l4-5%204%203%206-8'%20fill='none'%20stroke='%231d4f80'%20stroke-width='2'/%3E%3C/svg%3E";

/// Returns the card as JSON text.
pub fn server_card(base: &str) -> String {
    pretty(&json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        "name": NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "title": "Econoscope",
        "description": DESCRIPTION,
        "websiteUrl": base,
        "icons": [{"src": format!("{base}/favicon.ico"), "mimeType": "image/svg+xml", "sizes": ["any"]}],
        "remotes": [{
            "type": "streamable-http",
            "url": format!("{base}/mcp"),
            "supportedProtocolVersions": VERSIONS,
        }],
    }))
}

/// Returns the catalogue: one MCP server, named by its host.
pub fn catalog(base: &str) -> String {
    let address = base.split_once("://").map_or(base, |(_, rest)| rest);
    let host = address.split(['/', ':']).next().unwrap_or_default();
    pretty(&json!({
        "specVersion": "1.0",
        "entries": [{
            "identifier": format!("urn:air:{host}:mcp:econoscope"),
            "type": "application/mcp-server-card+json",
            "url": format!("{base}/mcp/server-card"),
        }],
    }))
}

/// Formats JSON with indentation and a final newline.
pub fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn card_and_catalogue_have_description_and_addresses() {
        assert!(DESCRIPTION.chars().count() <= 100);
        assert!(server_card("https://x.example").contains("\"https://x.example/mcp\""));
        let catalog = catalog("https://x.example:8443");
        assert!(catalog.contains("\"urn:air:x.example:mcp:econoscope\""));
        assert!(catalog.contains("\"https://x.example:8443/mcp/server-card\""));
    }
}
