//! Tests of MCP Apps: they are self-contained and share colours, bridge and recessions.

use super::client::Client;
use super::server;
use econoscope_core::indicators::nber::RECESSIONS;
use econoscope_core::indicators::{Composite, recession};
use serde_json::json;

/// Returns the pages as a host reads them.
async fn pages() -> [(&'static str, String); 3] {
    let mut client = Client::open(server());
    let mut page = async |name| {
        let uri = format!("ui://econoscope/{name}.html");
        let read = client.result("resources/read", json!({ "uri": uri })).await;
        let html = read["contents"][0]["text"].as_str().unwrap().to_owned();
        (name, html)
    };
    [
        page("regime").await,
        page("recession").await,
        page("chart").await,
    ]
}

#[tokio::test]
async fn apps_are_self_contained_and_share_the_colours() {
    let tokens = include_str!("../../../crates/core/templates/tokens.css");
    let base = include_str!("../../../templates/base.css");
    for (name, html) in pages().await {
        assert!(
            html.contains(tokens) && html.contains(base),
            "{name}: other colours"
        );
        assert!(html.starts_with("<!doctype html>\n"), "{name}");
        assert!(html.ends_with("</script>\n</body>\n</html>\n"), "{name}");
        assert_eq!(html.matches("// <bridge>").count(), 1, "{name}");
        let is_drawn = usize::from(name != "regime");
        assert_eq!(html.matches("// <chart>").count(), is_drawn, "{name}");
    }
}

#[tokio::test]
async fn apps_shade_nber_recessions() {
    let spans: Vec<String> = RECESSIONS
        .iter()
        .map(|r| format!("[\"{}\", \"{}\"]", r.start(), r.end()))
        .collect();
    let [_, _, (_, chart)] = pages().await;
    let (_, draw) = chart.split_once("const RECESSIONS = [").unwrap();
    let (draw, _) = draw.split_once("];").unwrap();
    assert_eq!(draw.matches("[\"").count(), spans.len());
    for span in spans {
        assert!(draw.contains(&span), "{span} is not shaded");
    }
}

#[tokio::test]
async fn the_gauge_has_the_bands_of_the_method() {
    const CRPI: Composite = recession::CRPI;
    let bands: Vec<String> = (CRPI.indicator.definition().bands.iter())
        .map(|(from, name)| format!("[{from}, \"{name}\"]"))
        .collect();
    let expected = format!("const BANDS = [{}];", bands.join(", "));
    let [_, (_, recession), _] = pages().await;
    assert!(recession.contains(&expected), "{expected}");
}

#[tokio::test]
async fn apps_load_nothing_and_escape_text() {
    for (name, html) in pages().await {
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "fetch(",
            "XMLHttpRequest",
            "import(",
            "src=\"",
            "@import",
            "url(",
        ] {
            assert!(!html.contains(word), "{name} has {word}");
        }
        // The line of a library that names its origin.
        let own = html.replace("/*! https://github.com/leeoniya/uPlot (v1.6.32) */", "");
        assert!(!own.contains("https://"), "{name} names another site");
        assert!(html.len() < 100_000, "{name}: {} bytes", html.len());
        assert!(
            html.contains("event.source !== window.parent"),
            "{name} listens to everyone"
        );
    }
}
