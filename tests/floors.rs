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
    ("pool", 1),
    ("net", 1),
    ("indicators", 2),
    ("chart", 2),
    ("recipe", 2),
    ("sqlite", 2),
    ("postgres", 2),
    ("catalogue", 3),
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
    ("main", WIRING),
];

/// The floor whose rooms may use each other.
const WIRING: u8 = 10;

/// Library and the rooms that may name it.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("quick_cache", &["cache"]),
    ("rmcp", &["mcp"]),
    ("mcp_lane", &["mcp", "admission"]),
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
        let shipped = match is_test_file(&file) {
            true => Vec::new(),
            false => imports(&body(&text)),
        };
        for other in imports(&text) {
            // Tests of the rooms below it, and they alone, take their series from the catalogue.
            if other == "catalogue" && !shipped.contains(&other) {
                continue;
            }
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
        for path in paths(&body(text), &["super", "crate"]) {
            let found = resolve(&own, &path, &modules);
            if !found.is_empty() && found.len() < own.len() && own.starts_with(&found) {
                let word = format!("{}: {}", file.display(), path.join("::"));
                wrong.entry(own[0].clone()).or_default().push(word);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Of two files one knows the other, never both each other, over however many in between: what they share has a file
/// of its own below both.
#[test]
fn no_files_import_each_other_in_a_circle() {
    let wrong = circles(&sources());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_circle_is_found_over_siblings_parents_and_groups() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let told = |files: &[(&str, &str)]| {
        let files = files.iter().map(|(f, t)| (src.join(f), (*t).to_owned()));
        let found = circles(&files.collect::<Vec<_>>());
        found.into_iter().collect::<Vec<_>>().join(", ")
    };
    let one = ("a/one.rs", "use super::two::Two;\nfn f() {}");
    let back = ("a/two.rs", "use super::{one, three::Three};");
    assert_eq!(told(&[one, back]), "a::one a::two");
    let parent = ("a.rs", "#[cfg(test)]\nmod tests;\npub use one::One;");
    let inline = ("a/two.rs", "fn f() { crate::a::one::f() }");
    assert_eq!(told(&[("a.rs", ""), one, inline]), "a::one a::two");
    let above = ("a/two.rs", "use crate::a::One;");
    assert_eq!(told(&[parent, one, above]), "a a::one a::two");
    for right in [
        "use super::three::Three;",
        "// use super::one;",
        "#[cfg(test)]\nmod tests { use super::one; }",
    ] {
        assert_eq!(
            told(&[parent, one, ("a/two.rs", right), ("a/three.rs", "")]),
            "",
            "{right}"
        );
    }
}

/// Modules that import each other in a circle, a line for each circle.
fn circles(sources: &[(PathBuf, String)]) -> BTreeSet<String> {
    let modules: BTreeSet<Vec<String>> = sources.iter().map(|(file, _)| module(file)).collect();
    let mut imports: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> = BTreeMap::new();
    for (file, text) in sources.iter().filter(|(file, _)| !is_test_file(file)) {
        let own = module(file);
        // A parent names its children without a word in front.
        let children = modules
            .iter()
            .filter(|m| m.len() == own.len() + 1 && m.starts_with(&own));
        let mut starts: Vec<&str> = children
            .filter_map(|m| m.last().map(String::as_str))
            .collect();
        starts.extend(["super", "crate", "self"]);
        let found = paths(&body(text), &starts).into_iter();
        let found = found.map(|path| resolve(&own, &path, &modules));
        let found = found.filter(|other| !other.is_empty() && *other != own);
        imports.insert(own.clone(), found.collect());
    }
    let reached: BTreeMap<_, _> = imports.keys().map(|m| (m, reach(m, &imports))).collect();
    let circles = reached.iter().filter(|(own, all)| all.contains(**own));
    let circles = circles.map(|(own, all)| {
        let back = all
            .iter()
            .filter(|m| reached.get(m).is_some_and(|r| r.contains(*own)));
        back.map(|m| m.join("::")).collect::<Vec<_>>().join(" ")
    });
    circles.collect()
}

/// Every module that is imported from there, over however many in between.
fn reach(
    from: &Vec<String>,
    imports: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
) -> BTreeSet<Vec<String>> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(next) = open.pop() {
        for other in imports.get(next).into_iter().flatten() {
            if found.insert(other.clone()) {
                open.push(other);
            }
        }
    }
    found
}

/// A file without comments and tests, in one line.
fn body(text: &str) -> String {
    // Tests in a file of their own are only listed, and more may follow.
    let mut parts = text.split("#[cfg(test)]\nmod ");
    let mut body = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some(rest) = part[first_word(part).len()..].strip_prefix(';') else {
            break;
        };
        body.push_str(rest);
    }
    let joined = code(&body).collect::<Vec<_>>().join(" ");
    joined.replace("pub(in crate::", "pub(in ")
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

/// Every path that begins with one of these words, groups taken apart.
fn paths(text: &str, starts: &[&str]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for start in starts {
        for (at, _) in text.match_indices(&format!("{start}::")) {
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
    let (mut at, rest) = match path[0].as_str() {
        "crate" => (Vec::new(), &path[1..]),
        "super" => (own[..own.len() - 1].to_vec(), &path[1..]),
        _ => (own.to_vec(), path),
    };
    for name in rest {
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
