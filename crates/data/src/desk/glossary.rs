//! The glossary: terms from `data/glossary/`, embedded, and those of our own indicators.

use super::folder;
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::{Indicator, indicators};
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::path::Path;
use std::sync::LazyLock;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/glossary");

/// The subject under which our own indicators stand.
const METHODOLOGY: &str = "methodology";

/// A term and what it means.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Term {
    /// For addresses and links.
    pub slug: String,
    /// The term as written.
    pub term: String,
    /// Other names.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// One to three sentences.
    pub summary: String,
    /// Slugs of terms near it.
    #[serde(default)]
    pub related: Vec<String>,
    /// Series it is about.
    #[serde(default)]
    pub series: Vec<String>,
    /// Who says what its summary says in figures; of our own indicators, who says it of the method.
    #[serde(default)]
    pub source: Option<String>,
    /// Subject: the file it stands in, "methodology" for our own indicators.
    #[serde(skip)]
    pub category: String,
}

impl Term {
    /// What an indicator's own row says of it as a term; `None` of the regime, whose terms stand in the files.
    fn of(about: &Indicator) -> Option<Self> {
        let listing = about.listing?;
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let series = [&[about.id], listing.series].concat();
        Some(Self {
            slug: about.slug(),
            term: listing.term.to_owned(),
            aliases: owned(listing.aliases),
            summary: listing.meaning.to_owned(),
            related: owned(listing.related),
            series: owned(&series),
            source: Some(about.source.to_owned()),
            category: METHODOLOGY.to_owned(),
        })
    }
}

#[derive(Deserialize)]
struct File {
    term: Vec<Term>,
}

/// All terms, by slug.
pub struct Glossary {
    terms: Vec<Term>,
}

impl Glossary {
    /// The embedded glossary.
    pub fn embedded() -> &'static Self {
        static GLOSSARY: LazyLock<Glossary> = LazyLock::new(|| {
            let mut terms = folder::embedded(&FILES, "toml", read).concat();
            terms.extend(indicators().filter_map(Term::of));
            terms.sort_by(|a, b| a.slug.cmp(&b.slug));
            Glossary { terms }
        });
        &GLOSSARY
    }

    /// Every term, by slug.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Term> {
        self.terms.iter()
    }

    /// The term of that slug.
    pub fn get(&self, slug: &str) -> Option<&Term> {
        let at = self.terms.binary_search_by(|t| t.slug.as_str().cmp(slug));
        self.terms.get(at.ok()?)
    }
}

/// The terms of a file, which is named after their subject.
fn read(file: &str, text: &str) -> Result<Vec<Term>> {
    let mut read: File = toml::from_str(text).map_err(|e| Error::bad_file(file, e.to_string()))?;
    let subject = Path::new(file).file_stem().unwrap_or_default();
    for term in &mut read.term {
        term.category = subject.to_string_lossy().into_owned();
    }
    Ok(read.term)
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::catalogue::Catalogue;
    use std::collections::HashSet;

    #[test]
    fn every_term_is_unique_and_every_link_leads_somewhere() {
        let glossary = Glossary::embedded();
        let is_subject = |path: &Path| path.extension().is_some_and(|found| found == "toml");
        for file in FILES.files().filter(|file| is_subject(file.path())) {
            let terms = read("x.toml", file.contents_utf8().unwrap()).unwrap();
            assert!(!terms.is_empty(), "{:?}", file.path());
        }
        assert!(glossary.iter().len() >= 100, "{}", glossary.iter().len());
        let mut names = HashSet::new();
        for term in glossary.iter() {
            assert!(names.insert(term.slug.clone()), "{} twice", term.slug);
            for slug in &term.related {
                assert!(glossary.get(slug).is_some(), "{} -> {slug}", term.slug);
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
    fn every_composite_is_explained_under_its_own_name() {
        let glossary = Glossary::embedded();
        for composite in econoscope_core::indicators::COMPOSITES {
            let ticker = composite.about.ticker().to_lowercase();
            let term = glossary.get(&ticker).unwrap();
            assert!(
                term.series.iter().any(|id| id == composite.about.id),
                "{ticker}"
            );
        }
        assert!(glossary.get("nvi").is_some());
    }
}
