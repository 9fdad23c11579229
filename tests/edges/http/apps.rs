//! The MCP Apps stand alone and look like everything else: same colours, same bridge, same recessions.

use econoscope::indicators::nber::RECESSIONS;
use econoscope::indicators::{Composite, recession};

const APPS: [(&str, &str); 3] = [
    ("regime", include_str!("../../../data/apps/regime.html")),
    (
        "recession",
        include_str!("../../../data/apps/recession.html"),
    ),
    ("chart", include_str!("../../../data/apps/chart.html")),
];

fn block<'a>(html: &'a str, name: &str) -> &'a str {
    let from = html.find(&format!("// <{name}>")).unwrap_or(0);
    let to = html.find(&format!("// </{name}>")).unwrap_or(0);
    &html[from..to]
}

#[test]
fn apps_share_colours_bridge_and_drawing_word_for_word() {
    let tokens = include_str!("../../../templates/tokens.css");
    let base = include_str!("../../../templates/base.css");
    let bridge = block(APPS[0].1, "bridge");
    assert!(bridge.len() > 2_000);
    for (name, html) in APPS {
        assert!(
            html.contains(tokens) && html.contains(base),
            "{name}: other colours"
        );
        assert_eq!(block(html, "bridge"), bridge, "{name}: another bridge");
    }
    let draw = block(APPS[1].1, "draw");
    assert!(draw.len() > 2_000);
    assert_eq!(block(APPS[2].1, "draw"), draw);
}

#[test]
fn apps_shade_the_recessions_that_the_nber_dated() {
    let spans: Vec<String> = RECESSIONS
        .iter()
        .map(|r| format!("[\"{}\", \"{}\"]", r.start(), r.end()))
        .collect();
    let draw = block(APPS[2].1, "draw");
    assert_eq!(draw.matches("[\"").count(), spans.len());
    for span in spans {
        assert!(draw.contains(&span), "{span} is not shaded");
    }
}

#[test]
fn the_gauge_has_the_bands_of_the_method() {
    const CRPI: Composite = recession::CRPI;
    let bands: Vec<String> = CRPI
        .bands
        .iter()
        .map(|b| format!("[{}, \"{}\"]", b.from, b.name))
        .collect();
    let wanted = format!("const BANDS = [{}];", bands.join(", "));
    assert!(APPS[1].1.contains(&wanted), "{wanted}");
}

#[test]
fn apps_reach_nowhere_and_make_no_markup_from_text() {
    for (name, html) in APPS {
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
        let links: Vec<&str> = html.matches("https://").collect();
        assert!(links.is_empty(), "{name} names another site");
        assert!(html.len() < 40_000, "{name}: {} bytes", html.len());
        assert!(
            html.contains("event.source !== window.parent"),
            "{name} listens to everyone"
        );
    }
}
