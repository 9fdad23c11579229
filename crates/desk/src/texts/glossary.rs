//! The glossary: the embedded terms of `data/glossary/`.

use super::folder;
use crate::names::search::{Kind, SearchIndex};
use econoscope_core::error::{Error, Result};
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::path::Path;
use std::sync::LazyLock;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/glossary");

/// A term and its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Term {
    /// Last part of its address.
    pub slug: String,
    /// Term as written.
    pub term: String,
    /// Other names.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// One to three sentences.
    pub summary: String,
    /// Slugs of related terms.
    #[serde(default)]
    pub related: Vec<String>,
    /// Series it is about.
    #[serde(default)]
    pub series: Vec<String>,
    /// Source of the figures in the summary; for this project's indicators, of the method.
    pub source: Option<String>,
    /// Subject: the name of its file.
    #[serde(skip)]
    pub category: String,
}

#[derive(Deserialize)]
struct File {
    term: Vec<Term>,
}

/// Returns the embedded terms, ordered by slug.
pub fn embedded() -> &'static [Term] {
    static TERMS: LazyLock<Vec<Term>> = LazyLock::new(|| {
        let mut terms = folder::embedded(&FILES, "toml", parse).concat();
        terms.sort_by(|a, b| a.slug.cmp(&b.slug));
        terms
    });
    &TERMS
}

/// Returns the term with a slug.
pub fn get(slug: &str) -> Option<&'static Term> {
    let index = embedded().binary_search_by(|t| t.slug.as_str().cmp(slug));
    embedded().get(index.ok()?)
}

/// Returns terms that match a query by term, alias, slug or summary, best first.
pub fn search(query: &str) -> Vec<&'static Term> {
    let documents = SearchIndex::embedded().find(query, Some(Kind::Term));
    documents.into_iter().filter_map(|d| get(&d.name)).collect()
}

/// Parses the terms of a file, whose name is their subject.
fn parse(file: &str, text: &str) -> Result<Vec<Term>> {
    let parsed: File = toml::from_str(text).map_err(|e| Error::bad_file(file, e.to_string()))?;
    let mut terms = parsed.term;
    let subject = Path::new(file).file_stem().unwrap_or_default();
    for term in &mut terms {
        term.category = subject.to_string_lossy().into_owned();
    }
    Ok(terms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::catalogue::Catalogue;
    use econoscope_core::indicators::indicators;
    use std::collections::HashSet;

    #[test]
    fn terms_are_unique_and_links_resolve() {
        let is_subject = |path: &Path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        };
        for file in FILES.files().filter(|file| is_subject(file.path())) {
            let terms = parse("x.toml", file.contents_utf8().unwrap()).unwrap();
            assert!(!terms.is_empty(), "{:?}", file.path());
        }
        assert!(embedded().len() >= 100, "{}", embedded().len());
        let mut names = HashSet::new();
        for term in embedded() {
            assert!(names.insert(term.slug.clone()), "{} twice", term.slug);
            for slug in &term.related {
                assert!(get(slug).is_some(), "{} -> {slug}", term.slug);
            }
            for id in &term.series {
                assert!(
                    Catalogue::embedded().get(&id.to_uppercase()).is_some(),
                    "{} -> {id}",
                    term.slug
                );
            }
        }
    }

    #[test]
    fn every_indicator_has_a_term_with_its_source() {
        for indicator in indicators().filter(|indicator| indicator.id != "regime") {
            let slug = indicator.slug();
            let term = get(&slug).unwrap_or_else(|| panic!("the glossary has no term {slug}"));
            assert_eq!(term.series[0], indicator.id);
            assert_eq!(
                term.source.as_deref(),
                Some(indicator.definition().source.as_str())
            );
            assert_eq!(term.category, "methodology");
        }
    }
}
