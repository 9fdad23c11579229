//! Search over everything that can be looked up: series, terms, methods, scenarios and articles, by their words.
//!
//! What a query names is read by [`super::resolve`] and comes first; here is only what its words find. A document scores by its
//! share of the query: a rare word counts more than a frequent one, a title more than the text, the word itself more than a
//! prefix or a near spelling. All queries share one scale, so that noise can be told from matches, and their cost is bounded.

#[cfg(test)]
mod tests;

use super::resolve;
use crate::texts::glossary;
use crate::texts::scenarios::Scenario;
use econoscope_core::catalogue::names::Names;
use econoscope_core::indicators::COMPOSITES;
use econoscope_core::indicators::statistics::count;
use econoscope_core::model::words::{Spelling, fold_name, keywords, keywords_as_spelled};
use econoscope_data::store::Article;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::iter::once;
use std::sync::LazyLock;
use strum::{Display, EnumString};

/// Most distinct words of a query; a long question has some fifteen.
const MAX_WORDS: usize = 24;
/// Most words that a prefix stands for, and its fewest letters.
const MAX_PREFIXED: usize = 64;
const MIN_PREFIX: usize = 3;
/// Most words of a document's text.
const MAX_BODY: usize = 2_000;
/// The weight of a word in a name and in the text. In a title it is more, the shorter the title.
const NAME_WEIGHT: f64 = 0.78;
const BODY_WEIGHT: f64 = 0.4;
const CLOSENESS: f64 = 0.22;
/// The score of the first name, above any words, and what a tracked metric gains.
const NAMED: f64 = 2.0;
const TRACKED_BONUS: f64 = 0.04;
/// A document with less than this share of the best score, which counts up to 1, or less than the minimum, is noise.
const NOISE: f64 = 0.4;
const MIN_SCORE: f64 = 0.25;

/// The kind of a document; its word is the first part of the document's identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString)]
#[strum(serialize_all = "snake_case")]
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

/// A searchable document.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Kind.
    pub kind: Kind,
    /// Name within its kind: identifier or slug.
    pub name: String,
    /// Title.
    pub title: String,
    /// Address, for articles, which may be elsewhere.
    pub url: Option<String>,
    /// Names besides the title, the likeliest first.
    names: Vec<String>,
    /// Other text.
    body: String,
    /// Factor of its score, more for a tracked metric.
    weight: f64,
}

impl Document {
    /// Creates a document with only a name and a title.
    pub fn new(kind: Kind, name: &str, title: &str) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            title: title.to_owned(),
            url: None,
            names: vec![name.to_owned()],
            body: String::new(),
            weight: 1.0,
        }
    }

    pub(super) fn scenario(scenario: &Scenario) -> Self {
        Self {
            body: format!("{} {}", scenario.thesis, scenario.tags.join(" ")),
            ..Self::new(Kind::Scenario, &scenario.slug, &scenario.title)
        }
    }

    pub(super) fn article(article: &Article) -> Self {
        let about = [&article.subtitle, &article.summary].into_iter().flatten();
        let about: Vec<&str> = about.chain([&article.source]).map(String::as_str).collect();
        Self {
            url: Some(article.url.clone()),
            body: format!("{} {}", article.tags.join(" "), about.join(" ")),
            ..Self::new(Kind::Article, &article.slug, &article.title)
        }
    }
}

/// Documents by their words and names.
#[derive(Debug)]
pub struct SearchIndex {
    documents: Vec<Document>,
    /// Number of embedded documents, which come first.
    embedded: usize,
    /// The documents with a word, each with the weight of its best part.
    words: BTreeMap<String, HashMap<usize, f64>>,
    /// The documents with a name, folded or by its words, each with the place of the name.
    names: HashMap<String, Vec<(usize, f64)>>,
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

    fn new(documents: Vec<Document>, embedded: usize) -> Self {
        let mut words: BTreeMap<String, HashMap<usize, f64>> = BTreeMap::new();
        let mut names: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        for (index, document) in documents.iter().enumerate() {
            let length = count(keywords(&document.title).count());
            let texts = [
                (&document.title, NAME_WEIGHT + CLOSENESS / length.max(1.0)),
                (&document.names.join(" "), NAME_WEIGHT),
                (&document.body, BODY_WEIGHT),
            ];
            for (text, weight) in texts {
                for word in keywords(text).take(MAX_BODY) {
                    let best = words.entry(word).or_default().entry(index).or_default();
                    *best = weight.max(*best);
                }
            }
            let own = once(&document.title).chain(&document.names);
            for (name, place) in own.zip(0u32..) {
                for spelling in HashSet::from([fold_name(name), keywords(name).collect()]) {
                    let same = names.entry(spelling).or_default();
                    same.push((index, f64::from(place)));
                }
            }
        }
        Self {
            documents,
            embedded,
            words,
            names,
        }
    }

    /// Returns whether these are the operator's documents.
    pub(crate) fn has_own(&self, own: &[Document]) -> bool {
        self.documents.get(self.embedded..) == Some(own)
    }

    /// Returns matching documents of one kind or all, best first, without noise; those of one score in their original
    /// order. What the query names comes first.
    pub fn find(&self, query: &str, kind: Option<Kind>) -> Vec<&Document> {
        let mut scores = self.scores(query);
        if kind.is_none_or(|kind| kind == Kind::Series) {
            for (id, place) in resolve::ids(query).into_iter().zip(0u32..) {
                let is_named = |d: &Document| d.kind == Kind::Series && d.name == id;
                let index = self.documents.iter().position(is_named);
                scores.extend(index.map(|index| (index, 2.0 * NAMED - f64::from(place) / 100.0)));
            }
        }
        let scores = scores.into_iter();
        let scored = scores.filter_map(|(index, score)| Some((score, self.documents.get(index)?)));
        let mut hits: Vec<(f64, &Document)> = scored
            .filter(|(_, document)| kind.is_none_or(|kind| document.kind == kind))
            .collect();
        hits.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let best = hits.first().map_or(0.0, |(score, _)| score.min(1.0));
        hits.retain(|(score, _)| *score >= MIN_SCORE.max(NOISE * best));
        hits.into_iter().map(|(_, document)| document).collect()
    }

    /// Returns the score of each document that has a word of the query, or the query as a name.
    fn scores(&self, query: &str) -> BTreeMap<usize, f64> {
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        let mut total = 0.0;
        let mut name = String::new();
        for word in asked_words(query) {
            let alike = self.alike(&word);
            name += alike.first().map_or(&word, |(text, _)| *text);
            let mut matches = best(&alike);
            // A word that is a whole name tells more than one of a title.
            for (index, _) in self.names.get(&word).into_iter().flatten() {
                matches.insert(*index, 1.0 + CLOSENESS);
            }
            let hits = count(matches.len());
            let rarity = ((count(self.documents.len()) - hits + 0.5) / (hits + 0.5)).ln_1p();
            total += rarity;
            for (index, quality) in matches {
                *scores.entry(index).or_default() += rarity * quality;
            }
        }
        for (index, score) in &mut scores {
            let document = self.documents.get(*index);
            *score *= document.map_or(0.0, |document| document.weight) / total;
        }
        // As written, or with its words corrected and completed.
        for spelling in [fold_name(query), name] {
            for (index, place) in self.names.get(&spelling).into_iter().flatten() {
                let score = scores.entry(*index).or_default();
                *score = score.max(NAMED - place / 100.0);
            }
        }
        scores
    }

    /// Returns the words of a query, as written, that none of these series has, even nearly; none where all are read.
    pub(super) fn unmatched_words(&self, query: &str, ids: &HashSet<&str>) -> Vec<String> {
        if !resolve::ids(query).is_empty() {
            return Vec::new();
        }
        let is_named = |index: &usize| {
            let document = self.documents.get(*index);
            document.is_some_and(|d| d.kind == Kind::Series && ids.contains(d.name.as_str()))
        };
        let mut words: Vec<String> = keywords_as_spelled(query).take(MAX_WORDS).collect();
        words.dedup();
        let has = |word: String| best(&self.alike(&word)).keys().any(is_named);
        words.retain(|word| !keywords(word).any(has));
        words
    }

    /// Returns the words that a word of a query may mean, the likeliest first: itself and words that begin with it, or else
    /// similarly spelled ones.
    fn alike(&self, query: &str) -> Vec<Alike<'_>> {
        let is_long = query.chars().count() >= MIN_PREFIX;
        let from = self.words.range(query.to_owned()..);
        let mut found: Vec<Alike> = from
            .take_while(|(word, _)| *word == query || is_long && word.starts_with(query))
            .take(MAX_PREFIXED)
            .map(|(word, found)| (word, (if word == query { 1.0 } else { 0.8 }, found)))
            .collect();
        if found.is_empty() {
            let typed = Spelling::new(query.to_owned());
            let near = self.words.iter().filter_map(|(word, found)| {
                let edits = typed.edits(&Spelling::new(word.clone()))?;
                Some((word, (if edits == 1 { 0.6 } else { 0.4 }, found)))
            });
            found.extend(near);
            found.sort_by(|(_, (a, _)), (_, (b, _))| b.total_cmp(a));
        }
        found
    }
}

/// A word with its likeness to the asked one, and the documents that have it.
type Alike<'a> = (&'a String, (f64, &'a HashMap<usize, f64>));

/// Returns the documents with one of the words, each with the quality of its best match.
fn best(alike: &[Alike]) -> HashMap<usize, f64> {
    let mut best: HashMap<usize, f64> = HashMap::new();
    for (_, (likeness, documents)) in alike {
        for (index, weight) in *documents {
            let quality = best.entry(*index).or_default();
            *quality = quality.max(likeness * weight);
        }
    }
    best
}

/// Returns the distinct words of a query.
fn asked_words(query: &str) -> impl Iterator<Item = String> {
    let mut seen = HashSet::new();
    let distinct = keywords(query).filter(move |word| seen.insert(word.clone()));
    distinct.take(MAX_WORDS)
}

fn embedded_documents() -> Vec<Document> {
    let names = Names::embedded();
    let series = names.catalogue().iter().map(|info| {
        let mut document = Document::new(Kind::Series, info.id.as_str(), &info.title);
        document
            .names
            .extend(names.aliases_of(info).map(str::to_owned));
        document.body = format!("{} {}", info.category, info.source);
        document.weight += if info.is_metric { TRACKED_BONUS } else { 0.0 };
        document
    });
    let terms = glossary::embedded().iter().map(|term| Document {
        names: once(&term.slug).chain(&term.aliases).cloned().collect(),
        body: term.summary.clone(),
        ..Document::new(Kind::Term, &term.slug, &term.term)
    });
    let method = |(slug, title, about): (&str, &str, String)| Document {
        names: vec![format!("{slug} method")],
        body: format!("how is it computed {about}"),
        ..Document::new(Kind::Method, slug, &format!("Method: {title}"))
    };
    let composites = COMPOSITES.iter().map(|c| {
        let definition = c.indicator.definition();
        let about = format!("{} {}", definition.formula, definition.source);
        method((&c.indicator.slug(), definition.title, about))
    });
    let regime = once(method(("regime", "macro regime", String::new())));
    series
        .chain(terms)
        .chain(composites)
        .chain(regime)
        .collect()
}
