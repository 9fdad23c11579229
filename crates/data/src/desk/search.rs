//! One search over all that can be looked up: series, terms, methods, scenarios and articles.
//!
//! `search`, `search_series`, `search_glossary` and the resolver all ask here. What is in the binary is indexed
//! once; with what operators and feeds bring, for `search`, once per state of the data.

mod index;
#[cfg(test)]
mod tests;

pub use self::index::Library;

use self::index::{Fit, Scored};
use super::glossary::{Glossary, Term};
use super::scenarios::Scenario;
use crate::store::Article;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::Names;
use econoscope_core::indicators::COMPOSITES;
use econoscope_core::model::SeriesInfo;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// Points of a tracked metric before other series, and of an ambiguous name's series behind those whose own it is.
const TRACKED: u32 = 25;
const CHOICE: u32 = 50;

/// What scores less than this share of the best is noise, and so is what has next to nothing of the query.
const NOISE: f64 = 0.4;
const MIN_SCORE: f64 = 150.0;
/// What has less of the words' weight in its names is no offer.
const NEARLY_ALL: f64 = 0.7;
/// A document that bears the query as a name makes no noise of the others.
const MAX_BEST: f64 = 600.0;

/// What a document is; the first part of its identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A series: `series:DGS10`.
    Series,
    /// A term of the glossary: `term:sahm-rule`.
    Term,
    /// How an indicator is computed: `method:crpi`.
    Method,
    /// What may happen: `scenario:oil-spike-30`.
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

    /// The word in identifiers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Series => "series",
            Self::Term => "term",
            Self::Method => "method",
            Self::Scenario => "scenario",
            Self::Article => "article",
        }
    }

    /// The kind of that word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// A document that can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// What it is.
    pub kind: Kind,
    /// Its name within its kind: identifier, slug.
    pub name: String,
    /// Title.
    pub title: String,
    /// Where it is to be read, for articles, which may stand elsewhere.
    pub url: Option<String>,
    /// Names besides its title, each with its rank among all documents of that name: the higher, the less this one is meant.
    names: Vec<(String, u32)>,
    /// Whatever else is said about it.
    body: String,
    /// Points for being asked for more often than others like it.
    bonus: u32,
}

impl Library {
    /// Series, terms and methods, which are the same in every state of the data.
    pub fn embedded() -> &'static Self {
        static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::of(Vec::new()));
        &LIBRARY
    }

    /// What is embedded, and an operator's own.
    pub(super) fn of(own: Vec<Document>) -> Self {
        let mut documents = embedded();
        let embedded = documents.len();
        documents.extend(own);
        Self::new(documents, embedded)
    }

    /// Whether these are an operator's own.
    pub(super) fn has_own(&self, own: &[Document]) -> bool {
        self.documents.get(self.embedded..) == Some(own)
    }

    /// Documents that match, of one kind or all, best first. What is noise is left out.
    pub fn find(&self, query: &str, kind: Option<Kind>) -> impl Iterator<Item = &Document> {
        let hits: Vec<_> = self.scored(query, kind).collect();
        let best = hits.first().map_or(0.0, |(hit, _)| hit.score);
        let least = (NOISE * best.min(MAX_BEST)).max(MIN_SCORE);
        let hits = hits.into_iter();
        hits.filter(move |(hit, _)| hit.score >= least)
            .map(|(_, document)| document)
    }

    /// The one document of a kind that the query means without a doubt: it alone bears that name, or else it alone
    /// has all the words in its names.
    pub fn only(&self, query: &str, kind: Kind) -> Option<&Document> {
        let hits: Vec<_> = self.scored(query, Some(kind)).collect();
        let best = hits.iter().map(|(hit, _)| hit.fit).max();
        let best = best.filter(|fit| *fit > Fit::Part)?;
        let mut fitting = hits.iter().filter(|(hit, _)| hit.fit == best);
        let found = fitting.next().map(|(_, document)| *document);
        found.filter(|_| fitting.next().is_none())
    }

    /// Documents of a kind whose names have nearly all the words, best first; none where that is one alone, which would
    /// be taken for what was meant.
    pub fn with_all(&self, query: &str, kind: Kind) -> Vec<&Document> {
        let hits = self.scored(query, Some(kind));
        let hits = hits.filter(|(hit, _)| hit.share >= NEARLY_ALL);
        let hits: Vec<&Document> = hits.map(|(_, document)| document).collect();
        if hits.len() == 1 { Vec::new() } else { hits }
    }

    /// Documents of a kind whose name, given folded, is spelled nearly so, with the edits between.
    pub fn near(&self, name: &str, kind: Kind) -> impl Iterator<Item = (&Document, &str, usize)> {
        let near = self.spelled_nearly(name);
        let found =
            near.filter_map(|(at, name, edits)| Some((self.documents.get(at)?, name, edits)));
        found.filter(move |(document, ..)| document.kind == kind)
    }

    fn scored(&self, query: &str, kind: Option<Kind>) -> impl Iterator<Item = (Scored, &Document)> {
        let hits = self.search(query).into_iter();
        let hits = hits.filter_map(|hit| Some((hit, self.documents.get(hit.document)?)));
        hits.filter(move |(_, document)| kind.is_none_or(|kind| document.kind == kind))
    }
}

fn embedded() -> Vec<Document> {
    let mut names = other_names();
    let own = |info: &Arc<SeriesInfo>| series(info, names.remove(info.id.as_str()));
    let mut all: Vec<_> = Catalogue::embedded().iter().map(own).collect();
    all.extend(Glossary::embedded().iter().map(term));
    all.extend(COMPOSITES.iter().map(|c| {
        let about = format!("{} {}", c.about.formula, c.about.source);
        method(&c.about.slug(), c.about.title, &about)
    }));
    all.push(method("regime", "macro regime", ""));
    all
}

/// What series are called beside their identifiers and titles.
fn other_names() -> HashMap<&'static str, Vec<(String, u32)>> {
    let names = Names::embedded();
    let aliases = names
        .aliases()
        .map(|(alias, info)| (info.id.as_str(), alias, 0));
    let ambiguous = names.ambiguous().flat_map(|(name, choices)| {
        let ranked = choices.iter().zip(CHOICE..);
        ranked.map(move |(choice, rank)| (choice.id.as_str(), name, rank))
    });
    let mut all: HashMap<_, Vec<_>> = HashMap::new();
    for (id, name, rank) in aliases.chain(ambiguous) {
        all.entry(id).or_default().push((name.to_owned(), rank));
    }
    all
}

fn series(info: &SeriesInfo, others: Option<Vec<(String, u32)>>) -> Document {
    let own = (info.id.to_string(), 0);
    Document {
        names: [own]
            .into_iter()
            .chain(others.unwrap_or_default())
            .collect(),
        body: format!("{} {}", info.category, info.source),
        bonus: if info.metric { TRACKED } else { 0 },
        ..Document::new(Kind::Series, info.id.as_str(), &info.title)
    }
}

fn term(term: &Term) -> Document {
    let mut names = vec![(term.term.clone(), 1), (term.slug.clone(), 2)];
    names.extend(term.aliases.iter().map(|alias| (alias.clone(), 2)));
    Document {
        names,
        body: term.summary.clone(),
        ..Document::new(Kind::Term, &term.slug, &term.term)
    }
}

fn method(slug: &str, name: &str, about: &str) -> Document {
    Document {
        names: vec![(format!("{slug} method"), 1)],
        body: format!("how is it computed {about}"),
        ..Document::new(Kind::Method, slug, &format!("Method: {name}"))
    }
}

pub(super) fn scenario(scenario: &Scenario) -> Document {
    Document {
        names: vec![(scenario.slug.clone(), 2)],
        body: format!("{} {}", scenario.thesis, scenario.tags.join(" ")),
        ..Document::new(Kind::Scenario, &scenario.slug, &scenario.title)
    }
}

pub(super) fn article(article: &Article) -> Document {
    let about = [&article.subtitle, &article.summary].into_iter().flatten();
    let about: Vec<&str> = about.map(String::as_str).collect();
    let (tags, source) = (article.tags.join(" "), &article.source);
    Document {
        url: Some(article.url.clone()),
        body: format!("{tags} {} {source}", about.join(" ")),
        ..Document::new(Kind::Article, &article.slug, &article.title)
    }
}

impl Document {
    /// One that has nothing beside its title.
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

impl Glossary {
    /// Terms that match a query in term, alias, slug or summary, best first.
    pub fn search(&self, query: &str) -> Vec<&Term> {
        let found = Library::embedded().find(query, Some(Kind::Term));
        found.filter_map(|term| self.get(&term.name)).collect()
    }
}
