//! Examples of the documents, in files as a reader would write them.

use super::{run, said, text};
use std::fs;

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
    let articles = put("articles", "rates.md", &block("OPERATIONS.md", "---\nid:"));
    let scenarios = put(
        "scenarios",
        "own-unemployment-5.toml",
        &block("OPERATIONS.md", "slug = "),
    );
    let sources = put("sources", "example.toml", &block("SOURCES.md", "[source]"));
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
