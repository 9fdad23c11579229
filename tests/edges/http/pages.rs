//! Tests of pages, widgets and images: browser policies, escaping and links.

use super::support::{
    BASE, Reply, backend_with, get, get_with, options, router, router_with, unlimited_router,
    unlimited_router_over,
};
use axum::http::StatusCode;
use econoscope_desk::texts::{articles, scenarios};
use econoscope_desk::{Desk, Settings};
use sha2::Digest;
use std::collections::BTreeSet;

const WIDGETS: [&str; 3] = [
    "/widget/regime",
    "/widget/recession",
    "/widget/metric/DGS10",
];

/// Names that try to inject markup.
const INJECTIONS: [&str; 12] = [
    "<script>alert(1)</script>",
    "\"><svg onload=alert(1)>",
    "'><img src=x onerror=alert(1)>",
    "</title><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "--><script>alert(1)</script>",
    "{{7*7}}",
    "javascript:alert(1)",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "x\" autofocus onfocus=\"alert(1)",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\u{202e}gnp.exe\u{feff}",
];

fn encoded(text: &str) -> String {
    text.bytes().map(|b| format!("%{b:02X}")).collect()
}

/// Returns the text between two marks.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    text.split_once(from)
        .and_then(|(_, rest)| rest.split_once(to))
        .map_or("", |(inner, _)| inner)
}

/// Encodes bytes in base64, as in a content security policy.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|i| u32::from(*chunk.get(i).unwrap_or(&0)));
        let all = a << 16 | b << 8 | c;
        for i in 0..4 {
            if i <= chunk.len() {
                out.push(ALPHABET[(all >> (18 - 6 * i) & 63) as usize] as char);
            } else {
                out.push('=');
            }
        }
    }
    out
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", base64(&sha2::Sha256::digest(text)))
}

#[tokio::test]
async fn widgets_may_be_framed_and_run_only_own_scripts() {
    let router = router();
    for path in WIDGETS {
        let reply = get(&router, path).await;
        assert_eq!(reply.status, StatusCode::OK, "{path}");
        let policy = reply.header("content-security-policy");
        let html = reply.text();
        let style = hash(between(html, "<style>", "</style>"));
        let script = hash(between(html, "<script>", "</script>"));
        let expected = format!(
            "default-src 'none'; style-src {style}; script-src {script} 'self'; connect-src 'self'; img-src 'self' data:; \
             base-uri 'none'; form-action 'none'; frame-ancestors *"
        );
        assert_eq!(policy, expected, "{path}");
        assert!(!reply.headers.contains_key("x-frame-options"), "{path}");
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(
            reply.header("referrer-policy"),
            "strict-origin-when-cross-origin"
        );
        assert_eq!(reply.header("access-control-allow-origin"), "*");
        assert_eq!(reply.header("cache-control"), "public, max-age=300");
        let again = get_with(&router, path, &[("if-none-match", reply.header("etag"))]).await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{path}");
        assert!(
            html.matches("<script").count() == 1 && !html.contains(" style=\""),
            "{path}: {html}"
        );
        assert!(
            html.starts_with("<!doctype html>\n<html lang=\"en\""),
            "{path}"
        );
        assert!(
            html.contains(&format!("<a href=\"{BASE}\"")),
            "{path} has no credit link: {html}"
        );
    }
}

#[tokio::test]
async fn a_widget_explains_unknown_and_restricted_series() {
    let reply = get(&router(), "/widget/metric/dgs1O").await;
    assert_eq!(reply.status, StatusCode::NOT_FOUND);
    assert_eq!(reply.header("cache-control"), "no-store");
    assert!(
        reply
            .header("content-security-policy")
            .contains("frame-ancestors *")
    );
    assert!(
        reply
            .text()
            .contains("<a href=\"/widget/metric/DGS10\">DGS10</a>"),
        "{}",
        reply.text()
    );
    let public = router_with(options(), false);
    for path in ["/widget/metric/VIXCLS", "/chart/VIXCLS.png"] {
        let reply = get(&public, path).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{path}");
        assert!(
            reply.text().contains("does not allow redistribution"),
            "{path}: {}",
            reply.text()
        );
        // Readers are not told what only an operator can do.
        assert!(!reply.text().contains("--serve-restricted"), "{path}");
    }
    let page = get(&public, "/series/VIXCLS").await;
    let text = page.text();
    assert!(text.contains("does not allow redistribution") && !text.contains("<table"));
    assert!(!text.contains("--serve-restricted"));
}

#[tokio::test]
async fn an_empty_series_page_explains_and_links_alternatives() {
    let router = router();
    for id in ["SP500", "TEDRATE", "OBFR"] {
        let page = get(&router, &format!("/series/{id}")).await;
        assert_eq!(page.status, StatusCode::OK, "{id}");
        let text = page.text();
        assert!(
            text.contains("There are no figures of this series here"),
            "{id}"
        );
        for part in ["<figure", "format=csv", "econoscope sync"] {
            assert!(!text.contains(part), "{id}: {part}");
        }
        let list = between(text, "The nearest series with figures", "</ul>");
        let near: Vec<&str> = list
            .split("href=\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert!((1..=3).contains(&near.len()), "{id}: {list}");
        for path in near {
            let other = get(&router, path).await;
            assert!(other.text().contains("<figure"), "{id}: {path}");
        }
    }
}

#[tokio::test]
async fn the_theme_of_a_widget_can_be_set() {
    let router = router();
    let html = |reply: Reply| reply.text().to_owned();
    assert!(html(get(&router, "/widget/regime?theme=dark").await).contains("data-theme=\"dark\""));
    let injected = html(get(&router, "/widget/regime?theme=%22%3E%3Cscript%3E").await);
    assert!(
        !injected.contains("data-theme=")
            || !between(&injected, "<html", ">").contains("data-theme"),
        "{injected}"
    );
}

#[tokio::test]
async fn names_are_escaped_in_html() {
    let router = unlimited_router();
    for name in INJECTIONS {
        let name = encoded(name);
        for path in [
            format!("/widget/metric/{name}"),
            format!("/series/{name}"),
            format!("/series/UNRATE?start={name}"),
            format!("/series/UNRATE?units={name}&as_of={name}"),
            format!("/compare?series={name}"),
            format!("/compare?series=UNRATE&start={name}&range={name}&units={name}"),
            format!("/embed?show={name}&theme={name}&range={name}"),
            format!("/oembed?url={name}"),
            format!("/suggest?q={name}"),
            format!("/search?q={name}"),
            format!("/widget/chart?series={name}"),
            format!("/widget/metric/UNRATE?range={name}&units={name}"),
            format!("/chart/compare.svg?series={name}"),
            format!("/glossary/{name}"),
            format!("/glossary?q={name}"),
            format!("/cite/{name}"),
            format!("/cite/UNRATE?check={name}"),
            format!("/cite/UNRATE?date={name}&units={name}"),
            format!("/release/{name}"),
            format!("/alerts.atom?condition={name}"),
            format!("/alerts.ics?condition={name}"),
            format!("/scenarios/{name}"),
            format!("/articles/{name}"),
            format!("/chart/{name}.svg"),
            format!("/chart/UNRATE.svg?theme={name}"),
        ] {
            let reply = get(&router, &path).await;
            assert!(!reply.status.is_server_error(), "{path}: {}", reply.status);
            if reply.header("content-type") == "application/json" {
                // No browser renders it as a page.
                assert_eq!(reply.header("x-content-type-options"), "nosniff", "{path}");
                continue;
            }
            let own = between(reply.text(), "<script>", "</script>");
            let page = if own.starts_with("const say=") {
                reply.text().replace(&format!("<script>{own}</script>"), "")
            } else {
                reply.text().to_owned()
            };
            let html = page
                .replace("<script type=\"module\" src=\"/assets/", "")
                .replace("<iframe src=\"/widget/", "")
                .replace("<iframe class=\"whole-width\" src=\"/widget/", "")
                .to_lowercase();
            for word in [
                "<script",
                "<img",
                "<svg onload",
                "<iframe",
                "\" onfocus",
                "\" autofocus",
                "49\u{0}",
            ] {
                assert!(!html.contains(word), "{path}: {word} in {html}");
            }
            assert!(
                reply
                    .header("content-security-policy")
                    .starts_with("default-src 'none'"),
                "{path}"
            );
        }
    }
}

#[tokio::test]
async fn pages_cannot_be_framed_and_allow_only_own_code() {
    let router = router();
    for path in [
        "/",
        "/series",
        "/methods",
        "/rights",
        "/glossary",
        "/scenarios",
        "/articles",
        "/series/UNRATE",
        "/compare",
        "/compare?series=UNRATE,FEDFUNDS",
        "/regime",
        "/embed",
        "/nowhere",
    ] {
        let reply = get(&router, path).await;
        let policy = reply.header("content-security-policy");
        assert!(
            policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        if path == "/nowhere" {
            continue;
        }
        let html = reply.text();
        assert_eq!(reply.status, StatusCode::OK, "{path}");
        assert!(
            policy.contains(&hash(between(html, "<style>", "</style>"))),
            "{path}"
        );
        assert!(!html.contains("<script>"), "{path}: a script in the page");
        let script = between(html, "<script type=\"module\" src=\"", "\"");
        // The search box of every page offers series as one types.
        assert!(
            policy.contains(" script-src 'self'; connect-src 'self';"),
            "{path}: {policy}"
        );
        let sent = get(&router, script).await;
        assert_eq!(sent.status, StatusCode::OK, "{path}: {script}");
        let immutable = "public, max-age=31536000, immutable";
        assert_eq!(sent.header("cache-control"), immutable);
        assert!(sent.header("content-type").starts_with("text/javascript"));
        assert!(
            !html.contains(" style=\""),
            "{path} has a style attribute, which the policy forbids"
        );
    }
}

#[tokio::test]
async fn the_home_page_shows_its_age_and_every_endpoint() {
    let reply = get(&router(), "/").await;
    let html = reply.text();
    assert!(html.contains("Data as of "), "{html}");
    for route in econoscope_answers::ENDPOINTS.iter() {
        assert!(
            html.contains(&format!("GET {}</code>", route.spec.path)),
            "{}",
            route.spec.path
        );
    }
    assert!(html.contains(&format!(
        "claude mcp add --transport http econoscope {BASE}/mcp"
    )));
    assert!(html.matches("<figure class=\"chart\"").count() == 6);
}

#[tokio::test]
async fn all_internal_links_resolve() {
    let router = unlimited_router();
    let mut open: Vec<String> = vec!["/".into()];
    let mut seen: BTreeSet<String> = open.iter().cloned().collect();
    let mut series = 0;
    while let Some(path) = open.pop() {
        let reply = get(&router, &path).await;
        assert_eq!(reply.status, StatusCode::OK, "{path}");
        if !reply.header("content-type").starts_with("text/html") {
            continue;
        }
        for part in reply.text().split("href=\"").skip(1) {
            let address = part.split('"').next().unwrap_or_default();
            let unescaped = address.replace("&amp;", "&");
            let link = unescaped.split('#').next().unwrap_or_default();
            // All series pages are alike, so a few dozen are checked.
            let alike = [
                "/series/",
                "/chart/",
                "/api/",
                "/compare?",
                "/embed?",
                "/cite/",
                "/widget/",
            ]
            .iter()
            .any(|p| link.starts_with(p));
            if !link.starts_with('/') || seen.contains(link) || (alike && series > 40) {
                continue;
            }
            // A known series without figures has a page, but no figures page.
            let has_figures = !alike
                || ["/series/", "/compare?"]
                    .iter()
                    .any(|p| link.starts_with(p));
            series += usize::from(alike);
            seen.insert(link.to_owned());
            if has_figures {
                open.push(link.to_owned());
            }
        }
    }
    assert!(seen.len() > 600, "{} pages", seen.len());
}

#[tokio::test]
async fn images_have_the_declared_type_and_size() {
    let router = router();
    let png = get(&router, "/chart/UNRATE.png?start=max").await;
    assert_eq!(
        (png.status, png.header("content-type")),
        (StatusCode::OK, "image/png")
    );
    assert!(
        png.body.starts_with(b"\x89PNG") && png.body.len() < 60_000,
        "{}",
        png.body.len()
    );
    let svg = get(&router, "/chart/UNRATE.svg").await;
    assert_eq!(svg.header("content-type"), "image/svg+xml");
    // Literal colours: programs other than browsers draw unknown ones in black.
    assert!(!svg.text().contains("var(") && svg.text().contains("=\"#"));
    for (query, size) in [
        ("", [1_200_u32, 630]),
        ("?width=600&height=400", [600, 400]),
        ("?width=400", [400, 210]),
        ("?height=840", [1_600, 840]),
    ] {
        for picture in ["UNRATE", "regime"] {
            let png = get(&router, &format!("/chart/{picture}.png{query}")).await;
            let side = |at: usize| u32::from_be_bytes(png.body[at..at + 4].try_into().unwrap());
            assert_eq!([side(16), side(20)], size, "{picture}{query}");
        }
    }
    for odd in ["width=10", "height=99999", "width=wide"] {
        let reply = get(&router, &format!("/chart/UNRATE.png?{odd}")).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{odd}");
    }
    assert_eq!(
        get(&router, "/chart/UNRATE.gif").await.status,
        StatusCode::BAD_REQUEST
    );
    assert_eq!(
        get(&router, "/chart/UNRATE.png?start=3x").await.status,
        StatusCode::BAD_REQUEST
    );
}

/// Articles and scenarios of an operator have pages like the embedded ones.
#[tokio::test]
async fn operator_articles_and_scenarios_have_pages() {
    let article = "---\nid: our-view\ntitle: Our view\npublished: 2026-01-05T12:00:00Z\n---\n\nWhat **we** think.\n";
    let scenario = include_str!("../../../crates/desk/data/scenarios/10y-above-5pct.toml")
        .replace("10y-above-5pct", "our-own")
        .replace("The ten-year", "Our ten-year");
    let settings = Settings {
        articles: vec![articles::parse("our-view.md", article).unwrap()],
        scenarios: vec![scenarios::parse("our-own.toml", &scenario).unwrap()],
        ..Settings::default()
    };
    let router = unlimited_router_over(backend_with(settings, Desk::system_clock()));
    let page = get(&router, "/articles/our-view").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains("What <strong>we</strong> think."));
    let page = get(&router, "/scenarios/our-own").await;
    assert!(page.text().contains("Our ten-year yield averages"));
    let list = get(&router, "/scenarios").await;
    assert!(list.text().contains("href=\"/scenarios/our-own\""));
}

/// Returns the transferred bytes of a response with gzip.
async fn transferred_bytes(router: &axum::Router, path: &str) -> usize {
    let reply = get_with(router, path, &[("accept-encoding", "gzip")]).await;
    assert_eq!(reply.status, StatusCode::OK, "{path}");
    assert_eq!(reply.header("content-encoding"), "gzip", "{path}");
    reply.body.len()
}

#[tokio::test]
async fn first_page_loads_are_below_100_kb() {
    let router = unlimited_router();
    for path in [
        "/",
        "/series/DGS10",
        "/series/DGS10?start=30y",
        "/series/DGS10?start=max",
        "/series/DGS10?start=max&as_of=2015-01-01",
        "/series/DGS10?start=max&units=pch",
        "/series/DFF?start=max",
    ] {
        let page = get(&router, path).await;
        let script = page.text().split("src=\"/assets/").nth(1).unwrap();
        let script = format!("/assets/{}", script.split('"').next().unwrap());
        let mut all =
            transferred_bytes(&router, path).await + transferred_bytes(&router, &script).await;
        // The figures that the script loads at once; a longer history is loaded on demand.
        for figure in page.text().split("<figure ").skip(1) {
            let attributes = figure.split('>').next().unwrap();
            let Some((_, sources)) = attributes.split_once("data-figures=\"") else {
                continue;
            };
            if !attributes.contains("data-eager") {
                continue;
            }
            for source in sources.split('"').next().unwrap().split(' ') {
                let address = source.replace("&#38;", "&");
                assert!(
                    !get(&router, &address)
                        .await
                        .text()
                        .contains("\"truncated\":true")
                );
                all += transferred_bytes(&router, &address).await;
            }
        }
        assert!(all < 100_000, "{path}: {all}");
    }
    let eager = |page: &str| page.contains("<figure class=\"chart\" data-eager");
    assert!(eager(get(&router, "/series/DGS10").await.text()));
    assert!(!eager(get(&router, "/series/DGS10?start=max").await.text()));
}
