//! Examples of the documents, in files as a reader would write them.

use super::{run, said, text};
use std::fs;
use std::path::{Path, PathBuf};

/// The block of code in a document that begins with these words.
fn block(document: &str, begins: &str) -> String {
    let path = format!("{}/docs/{document}", env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(path).unwrap();
    let mut blocks = page.split("```").skip(1).step_by(2);
    let found = blocks.find_map(|block| {
        let (_, code) = block.split_once('\n')?;
        code.starts_with(begins).then(|| code.to_owned())
    });
    found.unwrap_or_else(|| panic!("{document} has no block that begins with {begins}"))
}

#[test]
fn examples_in_the_documents_work() {
    let home = tempfile::tempdir().unwrap();
    let put = |folder: &str, file: &str, text: &str| {
        let folder = home.path().join(folder);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(file), text).unwrap();
        folder
    };
    let articles = put("articles", "rates.md", &block("OWN-DATA.md", "---\nid:"));
    let scenarios = put(
        "scenarios",
        "own-unemployment-5.toml",
        &block("OWN-DATA.md", "slug = "),
    );
    let sources = put("sources", "example.toml", &block("OWN-DATA.md", "[source]"));
    let folders = [
        "--articles",
        text(&articles),
        "--scenarios",
        text(&scenarios),
        "--sources",
        text(&sources),
    ];
    for (words, needle) in [
        (
            vec!["call", "fetch", "article:ten-year-yield-2026"],
            "averaged 4.99 percent",
        ),
        (
            vec!["call", "fetch", "scenario:own-unemployment-5"],
            "Unemployment reaches five percent",
        ),
        (
            vec!["call", "search", "unemployment reaches five percent"],
            "own-unemployment-5",
        ),
        (
            vec!["sync", "--plan", "--only", "EXAMPLEPRICE"],
            "1 request to data.example.org",
        ),
    ] {
        let output = run(home.path(), &[&folders[..], &words[..]].concat());
        let shown = said(&output);
        assert!(
            output.status.success() && shown.contains(needle),
            "{words:?}: {shown}"
        );
    }
}

/// Returns the folders and scripts below a folder, with paths from there.
fn folders_and_scripts(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let is_script = ["py", "sh", "mjs"]
            .iter()
            .any(|kind| path.extension() == Some(kind.as_ref()));
        if path.is_dir() && !["src", "__pycache__"].contains(&name.as_str()) {
            let below = folders_and_scripts(&path);
            found.extend(below.iter().map(|inner| format!("{name}/{inner}")));
            found.push(name);
        } else if is_script {
            found.push(name);
        }
    }
    found
}

#[test]
fn every_folder_and_script_of_the_tests_is_described() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let page = fs::read_to_string(tests.join("README.md")).unwrap();
    let mut forgotten = folders_and_scripts(&tests);
    assert!(forgotten.len() > 50, "{forgotten:?}");
    forgotten.retain(|name| !page.contains(&format!("`{name}`")));
    assert!(
        forgotten.is_empty(),
        "not in tests/README.md: {forgotten:?}"
    );
}

/// Returns the Rust files below a folder.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().unwrap() != "target" {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn paths_and_tests_in_where_to_add_what_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/ARCHITECTURE.md")).unwrap();
    let (_, rest) = page.split_once("## Where to add what").unwrap();
    let (section, _) = rest.split_once("\n## ").unwrap();
    let folders = ["src", "crates", "tests"].map(|folder| rust_files(&root.join(folder)));
    let sources: Vec<String> = folders
        .iter()
        .flatten()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let mut tests = 0;
    for word in section.split('`').skip(1).step_by(2) {
        if word.contains('/') && !word.starts_with('/') {
            assert!(root.join(word).exists(), "{word} in docs/ARCHITECTURE.md");
        } else if word.matches('_').count() > 1 {
            let name = format!("fn {word}(");
            let exists = sources.iter().any(|text| text.contains(&name));
            assert!(exists, "the test {word} in docs/ARCHITECTURE.md");
            tests += 1;
        }
    }
    assert!(tests > 15, "{tests} tests are named");
}

#[test]
fn installing_lists_every_host_that_is_asked_without_a_key() {
    let page = std::fs::read_to_string("docs/INSTALL.md").unwrap();
    let recipes = econoscope_core::recipe::Recipes::embedded();
    let sources = recipes.recipes.iter().map(|recipe| &recipe.source);
    let keyless = sources.filter(|source| source.key.as_ref().is_none_or(|key| key.optional));
    for host in keyless.flat_map(|source| &source.hosts) {
        assert!(
            page.contains(&format!("`{host}`")),
            "{host} is asked and not named"
        );
    }
}
