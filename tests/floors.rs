//! The house stands: a module uses only floors below its own, siblings stay apart, and libraries keep to
//! the rooms that were built for them.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read the sources has failed"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const FLOORS: [(&str, u8); 19] = [
    ("error", 0),
    ("cache", 0),
    ("model", 1),
    ("rpc", 1),
    ("indicators", 2),
    ("chart", 2),
    ("store", 3),
    ("upstream", 4),
    ("desk", 4),
    ("endpoints", 5),
    ("ingest", 5),
    ("mcp", 6),
    ("http", 6),
    ("generate", 6),
    ("app", 7),
    ("cli", 7),
    ("config", 7),
    ("live", 7),
    ("main", 7),
];

/// Library and the rooms that may name it.
const LIBRARIES: [(&str, &[&str]); 10] = [
    ("quick_cache", &["cache"]),
    ("rmcp", &["mcp"]),
    ("axum", &["http", "app"]),
    ("hyper", &["http"]),
    ("reqwest", &["upstream", "ingest"]),
    ("rusqlite", &["store", "upstream"]),
    ("clap", &["config", "cli", "main"]),
    ("resvg", &["chart"]),
    ("askama", &["http"]),
    ("pulldown_cmark", &["http"]),
];

#[test]
fn modules_use_only_the_floors_below_them() {
    let floors: BTreeMap<&str, u8> = FLOORS.into_iter().collect();
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let Some(room) = room(&file) else { continue };
        let Some(&own) = floors.get(room.as_str()) else {
            panic!("{} is in no room of the house", file.display());
        };
        for other in imports(&text) {
            let Some(&floor) = floors.get(other.as_str()) else {
                continue;
            };
            let wiring = own == 7 && floor == 7;
            if other != room && floor >= own && !wiring {
                wrong.push(format!(
                    "{} ({room}, floor {own}) uses {other} (floor {floor})",
                    file.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn libraries_stay_in_their_rooms() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let Some(room) = room(&file) else { continue };
        for (library, rooms) in LIBRARIES {
            let used = code(&text).any(|line| {
                line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
                    .any(|word| {
                        word.starts_with(&format!("{library}::"))
                            || word == library && line.trim_start().starts_with("use ")
                    })
            });
            if used && !rooms.contains(&room.as_str()) {
                wrong.push(format!("{} ({room}) names {library}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_pure_floors_have_no_clock_no_files_and_no_async() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        if !matches!(
            room(&file).as_deref(),
            Some("model" | "indicators" | "chart")
        ) || is_test_file(&file)
        {
            continue;
        }
        for word in [
            "std::fs",
            "std::net",
            "async fn",
            ".await",
            "Timestamp::now",
            "SystemTime::now",
            "Zoned::now",
            "Instant::now",
        ] {
            let body = text.split("#[cfg(test)]").next().unwrap_or_default();
            if code(body).any(|line| line.contains(word)) {
                wrong.push(format!("{} has {word}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    walk(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    assert!(files.len() > 20, "the sources were not found");
    files.sort();
    files
        .into_iter()
        .map(|f| (f.clone(), fs::read_to_string(f).unwrap()))
        .collect()
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// The room a file stands in: its folder below `src`, or its own name. The lobby, `lib.rs`, has none.
fn room(file: &Path) -> Option<String> {
    let below = file
        .strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
        .unwrap();
    let first = below.components().next()?.as_os_str().to_str()?;
    let name = first.trim_end_matches(".rs");
    (name != "lib").then(|| name.to_owned())
}

fn is_test_file(file: &Path) -> bool {
    let name = file
        .file_name()
        .and_then(|n| n.to_str())
        .unwrap_or_default();
    matches!(name, "tests.rs" | "testdata.rs")
        || file.components().any(|c| c.as_os_str() == "tests")
}

/// Rooms named as `crate::room` or `econoscope::room`, also inside `use crate::{a, b}`.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let joined: String = code(text).collect::<Vec<_>>().join(" ");
    for marker in ["crate::", "econoscope::"] {
        for rest in joined.split(marker).skip(1) {
            let rest = rest.trim_start();
            if let Some(list) = rest.strip_prefix('{') {
                let list = list.split('}').next().unwrap_or_default();
                found.extend(list.split(',').map(first_word));
            } else {
                found.push(first_word(rest));
            }
        }
    }
    found
}

fn first_word(text: &str) -> String {
    text.trim()
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// Lines without comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
}
