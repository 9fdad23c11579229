//! Search over everything that can be looked up: series, terms, methods, scenarios and articles.
//!
//! `search`, `search_series`, `search_glossary` and the resolver all use it. Embedded documents are indexed once. The
//! index for `search` also has scenarios and articles, and is built once per state of the data.

#[cfg(test)]
mod tests;

pub use super::index::SearchIndex;

use crate::texts::glossary::{self, Term};
use crate::texts::scenarios::Scenario;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::Names;
use econoscope_core::indicators::COMPOSITES;
use econoscope_core::model::SeriesInfo;
use econoscope_core::model::words::{fold_name, key};
use econoscope_data::store::Article;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// Bonus of a tracked metric over other series.
const TRACKED_BONUS: u32 = 25;
/// Rank of the first choice of an ambiguous name, behind series with that name of their own.
const CHOICE_RANK: u32 = 50;

/// A document that scores less than this share of the best one, or less than the minimum, is noise.
const NOISE: f64 = 0.4;
const MIN_SCORE: f64 = 150.0;
/// The best score counts up to this much, so that an exact name does not make the others noise.
const MAX_BEST: f64 = 600.0;

/// The kind of a document, the first part of its identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A series: `series:DGS10`.
    Series,
    /// A term of the glossary: `term:sahm-rule`.
    Term,
    /// The method of an indicator: `method:crpi`.
    Method,
    /// A tracked scenario: `scenario:oil-spike-30`.
    Scenario,
    /// An article: `article:regime`.
    Article,
}

impl Kind {
    const ALL: [Self; 5] = [
        Self::Series,
        Self::Term,
        Self::Method,
        Self::Scenario,
        Self::Article,
    ];

    /// Returns the word in identifiers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Series => "series",
            Self::Term => "term",
            Self::Method => "method",
            Self::Scenario => "scenario",
            Self::Article => "article",
        }
    }

    /// Parses the word in identifiers.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A searchable document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Kind.
    pub kind: Kind,
    /// Name within its kind: identifier or slug.
    pub name: String,
    /// Title.
    pub title: String,
    /// Address, for articles, which may be elsewhere.
    pub url: Option<String>,
    /// Names besides the title, each with its rank among the documents of that name: 0 is the likeliest.
    pub(super) names: Vec<(String, u32)>,
    /// Other text.
    pub(super) body: String,
    /// Bonus for popular documents.
    pub(super) bonus: u32,
}

impl Document {
    /// Creates a document with only a title.
    pub fn new(kind: Kind, name: &str, title: &str) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            title: title.to_owned(),
            url: None,
            names: Vec::new(),
            body: String::new(),
            bonus: 0,
        }
    }
}

impl SearchIndex {
    /// Returns the index of series, terms and methods, which do not depend on the data.
    pub fn embedded() -> &'static Self {
        static INDEX: LazyLock<SearchIndex> = LazyLock::new(|| SearchIndex::with_own(Vec::new()));
        &INDEX
    }

    /// Indexes the embedded documents and an operator's own.
    pub(crate) fn with_own(own: Vec<Document>) -> Self {
        let mut documents = embedded_documents();
        let embedded = documents.len();
        documents.extend(own);
        Self::new(documents, embedded)
    }

    /// Returns whether these are the operator's documents.
    pub(crate) fn has_own(&self, own: &[Document]) -> bool {
        self.documents.get(self.embedded..) == Some(own)
    }

    /// Returns matching documents of one kind or all, best first, without noise.
    pub fn find(&self, query: &str, kind: Option<Kind>) -> impl Iterator<Item = &Document> {
        let hits = self.search(query, kind);
        let best = hits.first().map_or(0.0, |(hit, _)| hit.score);
        let least = (NOISE * best.min(MAX_BEST)).max(MIN_SCORE);
        let hits = hits.into_iter();
        hits.filter(move |(hit, _)| hit.score >= least)
            .map(|(_, document)| document)
    }

    /// Returns documents of a kind with a similarly spelled name, the most similar first.
    pub(crate) fn find_near(&self, name: &str, kind: Kind) -> Vec<&Document> {
        let mut near: Vec<_> = self
            .near_names(name)
            .filter_map(|(index, distance)| {
                let document = self.documents.get(index).filter(|d| d.kind == kind)?;
                Some((distance, Reverse(document.bonus), document))
            })
            .collect();
        near.sort_by_key(|(distance, bonus, document)| (*distance, *bonus, &document.name));
        near.into_iter().map(|(.., document)| document).collect()
    }
}

fn embedded_documents() -> Vec<Document> {
    let mut names = other_names();
    let series = |info: &Arc<SeriesInfo>| series_document(info, names.remove(info.id.as_str()));
    let mut all: Vec<_> = Catalogue::embedded().iter().map(series).collect();
    all.extend(glossary::embedded().iter().map(term_document));
    all.extend(COMPOSITES.iter().map(|c| {
        let about = format!("{} {}", c.indicator.formula, c.indicator.source);
        method_document(&c.indicator.slug(), c.indicator.title, &about)
    }));
    all.push(method_document("regime", "macro regime", ""));
    all
}

/// Returns the names of series besides identifiers and titles.
fn other_names() -> HashMap<&'static str, Vec<(String, u32)>> {
    let names = Names::embedded();
    let mut all: HashMap<_, Vec<_>> = HashMap::new();
    for (alias, info) in names.aliases() {
        let names = all.entry(info.id.as_str()).or_default();
        names.push((alias.to_owned(), 0));
    }
    for choices in names.ambiguous() {
        for (choice, rank) in choices.candidates.iter().zip(CHOICE_RANK..) {
            // As one word: the words of an ambiguous name are no mark of one series.
            let spellings = [fold_name(choices.name), key(choices.name)];
            let names = all.entry(choice.id.as_str()).or_default();
            names.extend(spellings.map(|name| (name, rank)));
        }
    }
    all
}

fn series_document(info: &SeriesInfo, names: Option<Vec<(String, u32)>>) -> Document {
    let mut names = names.unwrap_or_default();
    names.insert(0, (info.id.to_string(), 0));
    Document {
        names,
        body: format!("{} {}", info.category, info.source),
        bonus: if info.is_metric { TRACKED_BONUS } else { 0 },
        ..Document::new(Kind::Series, info.id.as_str(), &info.title)
    }
}

fn term_document(term: &Term) -> Document {
    let mut names = vec![(term.term.clone(), 1), (term.slug.clone(), 2)];
    names.extend(term.aliases.iter().map(|alias| (alias.clone(), 2)));
    Document {
        names,
        body: term.summary.clone(),
        ..Document::new(Kind::Term, &term.slug, &term.term)
    }
}

fn method_document(slug: &str, name: &str, about: &str) -> Document {
    Document {
        names: vec![(format!("{slug} method"), 1)],
        body: format!("how is it computed {about}"),
        ..Document::new(Kind::Method, slug, &format!("Method: {name}"))
    }
}

pub(crate) fn scenario_document(scenario: &Scenario) -> Document {
    Document {
        names: vec![(scenario.slug.clone(), 2)],
        body: format!("{} {}", scenario.thesis, scenario.tags.join(" ")),
        ..Document::new(Kind::Scenario, &scenario.slug, &scenario.title)
    }
}

pub(crate) fn article_document(article: &Article) -> Document {
    let about: Vec<&str> = [&article.subtitle, &article.summary]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    let tags = article.tags.join(" ");
    let source = &article.source;
    Document {
        url: Some(article.url.clone()),
        body: format!("{tags} {} {source}", about.join(" ")),
        ..Document::new(Kind::Article, &article.slug, &article.title)
    }
}
