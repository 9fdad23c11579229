//! Tests that no address prints a control or invisible character of a request, and that feeds and calendars stay readable.

use super::support::{BASE, Reply, get, unlimited_router};
use econoscope_answers::ENDPOINTS;
use econoscope_core::error::is_invisible;
use serde::Deserialize;
use url::form_urlencoded::byte_serialize;

#[derive(Deserialize)]
struct Addresses {
    documents: Vec<String>,
    pages: Vec<Page>,
}

#[derive(Deserialize)]
struct Page {
    path: String,
    sample: String,
    arguments: Vec<String>,
}

/// Control characters of both sets, and characters that hide or reorder text.
fn hostile() -> Vec<char> {
    let controls = ('\0'..='\u{1f}').chain('\u{7f}'..='\u{9f}');
    controls
        .chain("\u{ad}\u{200b}\u{200e}\u{202a}\u{202e}\u{2028}\u{2029}\u{2066}\u{2069}\u{feff}\u{fff9}\u{e0041}".chars())
        .collect()
}

/// Texts with hostile characters: conditions and names that are understood but for one, and all characters at once.
fn texts() -> Vec<String> {
    let all: String = hostile().into_iter().collect();
    let blanks = "\t\n\u{b}\u{c}\r\u{85}\u{2028}\u{2029}";
    vec![
        format!("UNRATE{blanks}<{blanks}5,;\\<b>&amp;\""),
        format!("UNRATE{blanks}<{blanks}5"),
        format!("UNRATE{blanks}"),
        format!("UNRATE\u{202e}\u{200b}"),
        format!("\u{1b}[31m{all}]]>"),
    ]
}

fn encode(text: &str) -> String {
    let encoded: String = byte_serialize(text.as_bytes()).collect();
    encoded.replace('+', "%20")
}

/// The addresses of pages and endpoints with hostile texts in one argument, and in the path.
fn addresses() -> Vec<String> {
    let list: Addresses = serde_json::from_str(include_str!("../../addresses.json")).unwrap();
    let mut all: Vec<String> = list
        .documents
        .iter()
        .map(|path| format!("{path}?x=%0b"))
        .collect();
    let mut add = |path: &str, sample: &str, names: &[String]| {
        for text in texts().iter().map(|text| encode(text)) {
            let sample = sample.replace("{base}", BASE);
            let (start, query) = sample.split_once('?').unwrap_or((&sample, ""));
            for name in names {
                let others = query
                    .split('&')
                    .filter(|pair| pair.split('=').next() != Some(name));
                let query: Vec<String> = others
                    .map(str::to_owned)
                    .chain([format!("{name}={text}")])
                    .collect();
                all.push(format!("{start}?{}", query.join("&")));
            }
            if let Some((start, rest)) = path.split_once('{') {
                let (_, end) = rest.split_once('}').unwrap();
                all.push(format!("{start}{text}{end}?{query}"));
            }
        }
    };
    for page in &list.pages {
        add(&page.path, &page.sample, &page.arguments);
    }
    for route in ENDPOINTS.iter() {
        let in_path: Vec<_> = route.path_arguments().collect();
        let names = route.arguments().map(|argument| argument.name);
        let names: Vec<String> = names
            .filter(|name| !in_path.contains(&name.as_str()))
            .collect();
        add(route.spec.path, &route.example_path(), &names);
    }
    all
}

fn check(path: &str, reply: &Reply) {
    assert_ne!(reply.status, 500, "{path}");
    let kind = reply.header("content-type");
    if kind.starts_with("image/png") {
        return;
    }
    let text = reply.text();
    let is_hidden = |c: &char| c.is_control() && !matches!(c, '\n' | '\r') || is_invisible(*c);
    let at = text
        .char_indices()
        .find(|(_, c)| is_hidden(c) && *c != '\t');
    assert_eq!(at, None, "{path}");
    for (name, value) in &reply.headers {
        let is_plain = value
            .as_bytes()
            .iter()
            .all(|byte| (0x20..0x7f).contains(byte));
        assert!(is_plain, "{path}: {name}");
    }
    if kind.contains("xml") {
        roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut reader = quick_xml::Reader::from_str(text);
        while !matches!(reader.read_event().unwrap(), quick_xml::events::Event::Eof) {}
    } else if kind.contains("json") {
        reply.json();
    } else if kind.contains("calendar") {
        check_calendar(path, text);
    }
}

/// Checks the lines of a calendar (RFC 5545, 3.1) and the escapes of its texts (3.3.11).
fn check_calendar(path: &str, text: &str) {
    assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "{path}");
    let mut open = Vec::new();
    let unfolded = text.replace("\r\n ", "");
    for line in unfolded.split_terminator("\r\n") {
        let (name, value) = line
            .split_once(':')
            .unwrap_or_else(|| panic!("{path}: {line}"));
        let is_name = |c: char| c.is_ascii_uppercase() || c == '-';
        assert!(
            name.split(';').next().unwrap().chars().all(is_name),
            "{path}: {line}"
        );
        match name {
            "BEGIN" => open.push(value),
            "END" => assert_eq!(open.pop(), Some(value), "{path}"),
            "NAME" | "X-WR-CALNAME" | "SUMMARY" | "DESCRIPTION" => {
                let bare = ["\\\\", "\\,", "\\;", "\\n"]
                    .iter()
                    .fold(value.to_owned(), |v, e| v.replace(e, ""));
                assert!(!bare.contains([',', ';', '\\']), "{path}: {line}");
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "{path}");
}

#[tokio::test]
async fn no_address_prints_a_hidden_character() {
    let router = unlimited_router();
    for path in addresses() {
        check(&path, &get(&router, &path).await);
    }
}

#[tokio::test]
async fn conditions_are_printed_as_they_were_parsed() {
    let router = unlimited_router();
    for c in hostile() {
        let condition = encode(&format!("UNRATE{c}<{c}5"));
        for form in ["atom", "ics"] {
            let path = format!("/alerts.{form}?condition={condition}");
            let reply = get(&router, &path).await;
            check(&path, &reply);
            assert!(
                reply.status == 200 && reply.text().contains("UNRATE"),
                "{path}"
            );
        }
    }
}
