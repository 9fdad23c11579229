//! The house stands: a module uses only floors below its own, siblings stay apart, and libraries keep to
//! the rooms that were built for them.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot read the sources has failed"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const FLOORS: &[(&str, u8)] = &[
    ("error", 0),
    ("cache", 0),
    ("clock", 0),
    ("disk", 1),
    ("model", 1),
    ("rpc", 1),
    ("pool", 1),
    ("net", 1),
    ("indicators", 2),
    ("chart", 2),
    ("recipe", 2),
    ("sqlite", 2),
    ("postgres", 2),
    ("store", 3),
    ("upstream", 4),
    ("desk", 4),
    ("endpoints", 5),
    ("ingest", 5),
    ("rest", 6),
    ("generate", 6),
    ("admission", 7),
    ("mcp", 8),
    ("site", 8),
    ("server", 9),
    ("app", WIRING),
    ("cli", WIRING),
    ("config", WIRING),
    ("live", WIRING),
    ("main", WIRING),
];

/// The floor whose rooms may use each other.
const WIRING: u8 = 10;

/// Library and the rooms that may name it.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("quick_cache", &["cache"]),
    ("rmcp", &["mcp"]),
    ("mcp_lane", &["rpc", "mcp", "admission"]),
    (
        "axum",
        &["rest", "admission", "mcp", "site", "server", "app"],
    ),
    ("hyper", &["server"]),
    ("redis", &["admission"]),
    ("reqwest", &["net", "upstream", "ingest"]),
    ("rusqlite", &["sqlite", "store", "upstream"]),
    ("tokio_postgres", &["postgres", "store", "upstream"]),
    ("deadpool_postgres", &["postgres", "store", "upstream"]),
    ("clap", &["config", "cli", "main"]),
    ("clap_complete", &["config", "cli"]),
    ("clap_mangen", &["cli"]),
    ("resvg", &["chart"]),
    ("askama", &["mcp", "site", "server"]),
    ("pulldown_cmark", &["site"]),
    ("zip", &["recipe"]),
    ("quick_xml", &["recipe"]),
];

#[test]
fn modules_use_only_the_floors_below_them() {
    let floors: BTreeMap<&str, u8> = FLOORS.iter().copied().collect();
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
            let wiring = own == WIRING && floor == WIRING;
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

/// Whatever a child shares with its parent has a file of its own: the parent lists and imports its children, and a
/// child never imports from any of the modules it stands in.
#[test]
fn no_child_imports_from_its_parent() {
    let sources = sources();
    let modules: BTreeSet<Vec<String>> = sources.iter().map(|(file, _)| module(file)).collect();
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in &sources {
        let own = module(file);
        if is_test_file(file) || own.len() < 2 {
            continue;
        }
        let body = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let joined = code(body).collect::<Vec<_>>().join(" ");
        let joined = joined.replace("pub(in crate::", "pub(in ");
        for path in paths(&joined) {
            let found = resolve(&own, &path, &modules);
            if !found.is_empty() && found.len() < own.len() && own.starts_with(&found) {
                let word = format!("{}: {}", file.display(), path.join("::"));
                wrong.entry(own[0].clone()).or_default().push(word);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The module a file holds: `["server", "activity"]`.
fn module(file: &Path) -> Vec<String> {
    let below = file
        .strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
        .unwrap();
    let names = below.with_extension("");
    let names = names
        .iter()
        .map(|name| name.to_str().unwrap().to_owned())
        .filter(|name| name != "mod" && name != "lib");
    names.collect()
}

/// Every path that begins with `super` or `crate`, groups taken apart.
fn paths(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for start in ["super::", "crate::"] {
        for (at, _) in text.match_indices(start) {
            let before = text[..at].chars().next_back();
            if !before.is_some_and(|c| c == ':' || c.is_alphanumeric() || c == '_') {
                expand(&text[at..], &mut Vec::new(), &mut found);
            }
        }
    }
    found
}

/// Reads one path, or each of a group, and gives what follows it.
fn expand<'a>(
    mut rest: &'a str,
    before: &mut Vec<String>,
    found: &mut Vec<Vec<String>>,
) -> &'a str {
    let depth = before.len();
    loop {
        let word = first_word(rest);
        rest = rest.trim_start();
        rest = &rest[word.len()..];
        before.push(word);
        let Some(next) = rest.strip_prefix("::") else {
            found.push(before.clone());
            break;
        };
        let Some(mut group) = next.trim_start().strip_prefix('{') else {
            rest = next;
            continue;
        };
        while !group.trim_start().starts_with('}') {
            group = expand(group, before, found).trim_start();
            group = group.strip_prefix('*').unwrap_or(group).trim_start();
            if let Some(("", renamed)) = group.split_once("as ") {
                group = renamed[first_word(renamed).len()..].trim_start();
            }
            group = group.strip_prefix(',').unwrap_or(group);
        }
        rest = &group.trim_start()[1..];
        break;
    }
    before.truncate(depth);
    rest
}

/// The module in which the last name of a path is looked up; the module itself where the path ends in one.
fn resolve(own: &[String], path: &[String], modules: &BTreeSet<Vec<String>>) -> Vec<String> {
    let mut at = match path[0].as_str() {
        "crate" => Vec::new(),
        _ => own[..own.len() - 1].to_vec(),
    };
    for name in &path[1..] {
        if name == "super" {
            at.pop();
            continue;
        }
        let mut next = at.clone();
        next.push(name.clone());
        if name != "self" && !modules.contains(&next) {
            break;
        }
        if name != "self" {
            at = next;
        }
    }
    at
}

#[test]
fn libraries_stay_in_their_rooms() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let Some(room) = room(&file) else { continue };
        for (library, rooms) in LIBRARIES.iter().copied() {
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

/// A part that others could use knows nothing of the house it was built in.
#[test]
fn members_of_the_workspace_do_not_name_the_house() {
    let mut files = Vec::new();
    let member = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/mcp-lane/src");
    walk(&member, &mut files);
    assert!(files.len() > 5, "the member's sources were not found");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("econoscope"), "{}", file.display());
    }
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
