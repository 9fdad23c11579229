//! The glossary: terms from `data/glossary/`, embedded, and a search that forgives a typo.

use crate::error::{Error, Result};
use crate::model::resolve::fold;
use crate::model::word_index::{WordIndex, content_words as words};
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use std::sync::OnceLock;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/glossary");

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
    /// Subject: the file it stands in.
    #[serde(skip)]
    pub category: String,
}

#[derive(Deserialize)]
struct File {
    term: Vec<Term>,
}

/// A term with its spellings folded once.
struct Indexed {
    term: Term,
    names: Vec<String>,
    cores: Vec<String>,
    words: Vec<String>,
    summary_words: Vec<String>,
}

/// All terms, by slug, ready to be searched.
pub struct Glossary {
    terms: Vec<Indexed>,
    index: WordIndex,
}

impl Glossary {
    /// The embedded glossary.
    ///
    /// # Errors
    /// [`Error::BadFile`] for a file that cannot be read, which a test rules out.
    pub fn embedded() -> Result<&'static Self> {
        static GLOSSARY: OnceLock<Glossary> = OnceLock::new();
        if let Some(ready) = GLOSSARY.get() {
            return Ok(ready);
        }
        let mut terms = Vec::new();
        for file in FILES
            .files()
            .filter(|f| f.path().extension().is_some_and(|e| e == "toml"))
        {
            let category = file
                .path()
                .file_stem()
                .map(|s| s.to_string_lossy().into_owned())
                .unwrap_or_default();
            let parsed: File =
                toml::from_str(file.contents_utf8().unwrap_or_default()).map_err(|e| {
                    Error::BadFile {
                        file: file.path().display().to_string(),
                        line: None,
                        problem: e.to_string(),
                    }
                })?;
            terms.extend(parsed.term.into_iter().map(|t| {
                Indexed::new(Term {
                    category: category.clone(),
                    ..t
                })
            }));
        }
        terms.sort_by(|a, b| a.term.slug.cmp(&b.term.slug));
        let index = WordIndex::new(terms.iter().map(Indexed::spellings));
        Ok(GLOSSARY.get_or_init(|| Self { terms, index }))
    }

    /// Every term, by slug.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Term> {
        self.terms.iter().map(|t| &t.term)
    }

    /// The term of that slug.
    pub fn get(&self, slug: &str) -> Option<&Term> {
        let at = self
            .terms
            .binary_search_by(|t| t.term.slug.as_str().cmp(slug))
            .ok()?;
        self.terms.get(at).map(|t| &t.term)
    }

    /// Terms that match a query in term, alias, slug or summary, best first.
    pub fn search(&self, query: &str) -> Vec<&Term> {
        let wanted = Query {
            folded: fold(query),
            words: words(query),
            core: words(query).concat(),
        };
        // Only terms near a word of the query, or near all of it written as one, can score.
        let mut spellings = wanted.words.clone();
        spellings.extend([wanted.folded.clone(), wanted.core.clone()]);
        let mut hits: Vec<(u32, &Term)> = self
            .index
            .search(&spellings)
            .into_iter()
            .filter_map(|hit| self.terms.get(hit.document))
            .filter_map(|t| Some((t.score(&wanted)?, &t.term)))
            .collect();
        hits.sort_by(|a, b| {
            b.0.cmp(&a.0)
                .then_with(|| a.1.slug.len().cmp(&b.1.slug.len()))
                .then_with(|| a.1.slug.cmp(&b.1.slug))
        });
        // A near spelling matters only while nothing is spelled right.
        let exact = hits.first().is_some_and(|(score, _)| *score >= 300);
        hits.into_iter()
            .filter(|(score, _)| !exact || *score >= 100)
            .map(|(_, term)| term)
            .collect()
    }
}

struct Query {
    folded: String,
    words: Vec<String>,
    /// The words without small ones, run together.
    core: String,
}

impl Indexed {
    fn new(term: Term) -> Self {
        let spelled = || {
            std::iter::once(&term.term)
                .chain(&term.aliases)
                .chain(std::iter::once(&term.slug))
        };
        Self {
            names: spelled().map(|n| fold(n)).collect(),
            cores: spelled().map(|n| words(n).concat()).collect(),
            words: spelled().flat_map(|n| words(n)).collect(),
            summary_words: words(&term.summary),
            term,
        }
    }

    /// Everything by which the term may be found.
    fn spellings(&self) -> Vec<String> {
        [&self.names, &self.cores, &self.words, &self.summary_words]
            .into_iter()
            .flatten()
            .cloned()
            .collect()
    }

    /// How well the term matches: whole name, then beginning, then words of names, then words of the
    /// summary, then a spelling one or two edits away; `None` when it does not.
    fn score(&self, q: &Query) -> Option<u32> {
        if q.folded.is_empty() {
            return None;
        }
        if let Some(at) = self.names.iter().position(|n| *n == q.folded) {
            return Some(if at == 0 { 1000 } else { 950 });
        }
        if !q.core.is_empty() && self.cores.contains(&q.core) {
            return Some(940);
        }
        let in_names = share(&q.words, &self.words);
        let all = share(
            &q.words,
            &self
                .words
                .iter()
                .chain(&self.summary_words)
                .cloned()
                .collect::<Vec<_>>(),
        );
        if self.names.iter().any(|n| n.starts_with(&q.folded)) {
            return Some(800);
        }
        if in_names == 100 {
            // The fewer other words a name has, the nearer it is.
            return Some(
                700_u32.saturating_sub(u32::try_from(self.words.len()).unwrap_or(100).min(100)),
            );
        }
        if all == 100 {
            return Some(400 + in_names);
        }
        let edits = self
            .names
            .iter()
            .map(|n| strsim::damerau_levenshtein(n, &q.folded))
            .min()?;
        let allowed = if q.folded.len() <= 4 {
            1
        } else {
            2 + q.folded.len() / 12
        };
        if edits <= allowed {
            return Some(290 - 10 * u32::try_from(edits).unwrap_or(9).min(9));
        }
        let loose = near_share(&q.words, &self.words);
        (all >= 50 || loose >= 50).then_some(100.max(all).max(loose) / 2 + 60)
    }
}

/// Share of query words found among `have`, 0 to 100; a longer word may continue a query word.
fn share(query: &[String], have: &[String]) -> u32 {
    percent(query, |w| {
        have.iter()
            .any(|h| h == w || (w.len() >= 4 && h.starts_with(w.as_str())))
    })
}

fn near_share(query: &[String], have: &[String]) -> u32 {
    percent(query, |w| {
        have.iter()
            .any(|h| strsim::damerau_levenshtein(h, w) <= if w.len() <= 4 { 1 } else { 2 })
    })
}

fn percent(query: &[String], found: impl Fn(&String) -> bool) -> u32 {
    let hits = query.iter().filter(|w| found(w)).count();
    u32::try_from(hits * 100 / query.len().max(1)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Catalogue;
    use std::collections::HashSet;

    #[test]
    fn every_term_is_unique_and_every_link_leads_somewhere() -> Result<()> {
        let glossary = Glossary::embedded()?;
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
        Ok(())
    }

    #[test]
    fn sample_queries_find_their_term_first() -> Result<()> {
        let glossary = Glossary::embedded()?;
        let mut wrong = Vec::new();
        for line in include_str!("../../data/glossary/queries.csv")
            .lines()
            .skip(1)
        {
            let (query, want) = line.rsplit_once(',').unwrap();
            let query = query.trim_matches('"');
            let got = glossary.search(query).first().map(|t| t.slug.clone());
            if got.as_deref() != Some(want) {
                wrong.push(format!("{query}: {got:?}, not {want}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        Ok(())
    }
}
