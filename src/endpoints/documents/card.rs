//! The server card (SEP-2127): who we are and where MCP is spoken.

use serde_json::{Value, json};

/// Name in the registry's form.
pub const NAME: &str = "io.github.econoscope/econoscope";
/// At most 100 characters, as the card's schema asks.
pub const DESCRIPTION: &str =
    "US macroeconomic data: regime, recession probability, liquidity, stress, 400+ series";
/// Protocol versions spoken, newest first.
pub const VERSIONS: [&str; 5] = [
    "2026-07-28",
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
];

/// The card as JSON text.
pub fn server_card(base: &str) -> String {
    let card = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        "name": NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "title": "Econoscope",
        "description": DESCRIPTION,
        "websiteUrl": base,
        "remotes": [{
            "type": "streamable-http",
            "url": format!("{base}/mcp"),
            "supportedProtocolVersions": VERSIONS,
        }],
    });
    pretty(&card)
}

/// Indented JSON with a final newline.
pub fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_fits_the_card() {
        assert!(DESCRIPTION.chars().count() <= 100);
        assert!(server_card("https://x.example").contains("\"https://x.example/mcp\""));
    }
}
