//! One search over all that can be looked up: series, terms, methods, scenarios and articles.
//!
//! `search`, `search_series`, `search_glossary` and the resolver all ask here. What is in the binary is indexed
//! once; with what operators and feeds bring, for `search`, once per state of the data.

mod index;
#[cfg(test)]
mod tests;

use self::index::{Fit, Index, Scored, Text};
use super::glossary::{Glossary, Term};
use super::scenarios::Scenario;
use crate::store::Article;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::catalogue::names::Names;
use econoscope_core::error::Result;
use econoscope_core::indicators::COMPOSITES;
use econoscope_core::model::SeriesInfo;
use std::collections::HashSet;
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
}

/// Documents with their index.
#[derive(Debug)]
pub struct Library {
    documents: Vec<Document>,
    index: Index,
    /// Those that are not embedded.
    pub(super) own: Vec<(Document, Text)>,
}

impl Library {
    /// Series, terms and methods, which are the same in every state of the data.
    ///
    /// # Errors
    /// [`econoscope_core::Error::BadFile`] for an embedded file that cannot be read, which a test rules out.
    pub fn embedded() -> Result<&'static Self> {
        static LIBRARY: LazyLock<Result<Library>> = LazyLock::new(|| Library::of(Vec::new()));
        LIBRARY.as_ref().map_err(Clone::clone)
    }

    /// What is embedded, and an operator's own.
    pub(super) fn of(own: Vec<(Document, Text)>) -> Result<Self> {
        let all = embedded()?.into_iter().chain(own.iter().cloned());
        let (documents, texts): (Vec<Document>, Vec<Text>) = all.unzip();
        Ok(Self {
            index: Index::new(documents.iter().map(|d| d.title.as_str()).zip(&texts)),
            documents,
            own,
        })
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

    /// Words of a query that no document of that kind and of these names has; none where the query is a name.
    pub fn unmatched(&self, query: &str, kind: Kind, names: &HashSet<&str>) -> Vec<String> {
        let all = self.documents.iter().enumerate();
        let of = all.filter(|(_, d)| d.kind == kind && names.contains(d.name.as_str()));
        self.index.unmatched(query, &of.map(|(at, _)| at).collect())
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
        let near = self.index.near(name);
        let found =
            near.filter_map(|(at, name, edits)| Some((self.documents.get(at)?, name, edits)));
        found.filter(move |(document, ..)| document.kind == kind)
    }

    fn scored(&self, query: &str, kind: Option<Kind>) -> impl Iterator<Item = (Scored, &Document)> {
        let hits = self.index.search(query).into_iter();
        let hits = hits.filter_map(|hit| Some((hit, self.documents.get(hit.document)?)));
        hits.filter(move |(_, document)| kind.is_none_or(|kind| document.kind == kind))
    }
}

fn embedded() -> Result<Vec<(Document, Text)>> {
    let mut all: Vec<_> = Catalogue::embedded().iter().map(series).collect();
    add_names(&mut all);
    all.extend(Glossary::embedded()?.iter().map(term));
    all.extend(COMPOSITES.iter().map(|c| {
        let about = format!("{} {}", c.about.formula, c.about.source);
        method(&c.about.slug(), c.about.title, &about)
    }));
    all.push(method("regime", "macro regime", ""));
    Ok(all)
}

fn series(info: &Arc<SeriesInfo>) -> (Document, Text) {
    let about = format!("{} {}", info.category, info.source);
    let names = vec![(info.id.to_string(), 0)];
    let (document, mut text) =
        Document::new(Kind::Series, info.id.as_str(), &info.title).with(names, about);
    text.bonus = if info.metric { TRACKED } else { 0 };
    (document, text)
}

/// Gives series, which stand in the catalogue's order, their other names.
fn add_names(all: &mut [(Document, Text)]) {
    let names = Names::embedded();
    let ids = Catalogue::embedded().iter().map(|info| info.id.as_str());
    let at: std::collections::HashMap<&str, usize> = ids.zip(0..).collect();
    let mut add = |id: &str, name: &str, rank: u32| {
        if let Some((_, text)) = at.get(id).and_then(|at| all.get_mut(*at)) {
            text.names.push((name.to_owned(), rank));
        }
    };
    for (alias, info) in names.aliases() {
        add(info.id.as_str(), alias, 0);
    }
    for (name, choices) in names.ambiguous() {
        for (choice, rank) in choices.iter().zip(CHOICE..) {
            add(&choice.id, name, rank);
        }
    }
}

fn term(term: &Term) -> (Document, Text) {
    let mut names = vec![(term.term.clone(), 1), (term.slug.clone(), 2)];
    names.extend(term.aliases.iter().map(|alias| (alias.clone(), 2)));
    let document = Document::new(Kind::Term, &term.slug, &term.term);
    document.with(names, term.summary.clone())
}

fn method(slug: &str, name: &str, about: &str) -> (Document, Text) {
    let names = vec![(format!("{slug} method"), 1)];
    let document = Document::new(Kind::Method, slug, &format!("Method: {name}"));
    document.with(names, format!("how is it computed {about}"))
}

pub(super) fn scenario(scenario: &Scenario) -> (Document, Text) {
    let about = format!("{} {}", scenario.thesis, scenario.tags.join(" "));
    let document = Document::new(Kind::Scenario, &scenario.slug, &scenario.title);
    document.with(vec![(scenario.slug.clone(), 2)], about)
}

pub(super) fn article(article: &Article) -> (Document, Text) {
    let about = [&article.subtitle, &article.summary].into_iter().flatten();
    let about: Vec<&str> = about.map(String::as_str).collect();
    let (tags, source) = (article.tags.join(" "), &article.source);
    let about = format!("{tags} {} {source}", about.join(" "));
    let mut document = Document::new(Kind::Article, &article.slug, &article.title);
    document.url = Some(article.url.clone());
    document.with(Vec::new(), about)
}

impl Document {
    fn new(kind: Kind, name: &str, title: &str) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            title: title.to_owned(),
            url: None,
        }
    }

    /// With what is searched of it besides its title.
    fn with(self, names: Vec<(String, u32)>, body: String) -> (Self, Text) {
        let bonus = 0;
        (self, Text { names, body, bonus })
    }
}

impl Glossary {
    /// Terms that match a query in term, alias, slug or summary, best first.
    pub fn search(&self, query: &str) -> Vec<&Term> {
        let found = Library::embedded().map(|all| all.find(query, Some(Kind::Term)));
        let found = found.into_iter().flatten();
        found.filter_map(|term| self.get(&term.name)).collect()
    }
}
