//! Which documents some words mean: an inverted index over names, titles and texts, with one ranking.
//!
//! A document that bears the whole query as a name comes first, then one whose name is spelled nearly so. Any
//! other is scored by how much of the query it has: a rare word counts more than a frequent one (the inverse
//! document frequency of BM25), a title more than the text, a word spelled alike more than a beginning or a
//! near spelling. Scores are on one scale for all queries, so that noise can be told from an answer.
//!
//! What a query costs is bounded: so many of its words are looked at, and edits are counted for words that
//! stand nowhere, against the few that could be near.

use super::{Document, Kind};
use econoscope_core::model::words::{Spelling, fold, key, spelled_words, words};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Distinct words of a query that are looked at; a long question has some fifteen.
const MAX_WORDS: usize = 24;
/// Words that one beginning may stand for.
const MAX_BEGINNINGS: usize = 64;
/// Letters that a beginning has at least.
const MIN_BEGINNING: usize = 3;
/// Words of a document's text that are read.
const MAX_BODY: usize = 2_000;

/// The score of a document that bears the query as a name, less the name's rank.
const NAMED: f64 = 1_000.0;
/// The same where small words and a plural's end are the difference.
const ALIKE: f64 = 900.0;
/// The score of a document whose name is spelled nearly so, less as much for each edit.
const NEAR: f64 = 540.0;
const EDIT: f64 = 40.0;
/// What a word of the query adds that is itself a name ("UNRATE since 2015") of this rank at most.
const SPEAKS: f64 = 60.0;
const OWN: u32 = 2;
/// The score of a document that has all words of the query, and no other, in its title.
const ALL_WORDS: f64 = 600.0;
/// How much of that is for having no other.
const CLOSENESS: f64 = 0.2;

/// A document that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    /// Number of the document.
    pub(super) document: usize,
    /// How well, up to 1,000.
    pub(super) score: f64,
    /// How much of the query its names have.
    pub(super) fit: Fit,
    /// The same as a share of the words' weight, from 0 to 1.
    pub(super) share: f64,
}

/// How much of a query the names of a document have, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// Not all of it.
    Part,
    /// All of its words, which are two at least.
    Words,
    /// It is a name.
    Name,
}

/// Where a word stands, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Title,
    Name,
    Body,
}

/// A word, and the documents in which it stands, each with its best place there.
type Word = (Spelling, Vec<(usize, Place)>);

#[derive(Debug)]
struct Name {
    /// Folded.
    spelling: Spelling,
    document: usize,
    rank: u32,
}

/// Documents with an index by their words and names.
#[derive(Debug)]
pub struct Library {
    pub(super) documents: Vec<Document>,
    /// So many of the documents are embedded, the others are not.
    pub(super) embedded: usize,
    /// Of each document the number of words in its title.
    titles: Vec<usize>,
    /// Ascending.
    words: Vec<Word>,
    names: Vec<Name>,
    /// Positions of names by how they are spelled, folded and by their words alone.
    by_name: HashMap<String, Vec<usize>>,
}

impl Library {
    /// Indexes documents, numbered from 0.
    pub(super) fn new(documents: Vec<Document>, embedded: usize) -> Self {
        let mut places: BTreeMap<String, BTreeMap<usize, Place>> = BTreeMap::new();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        let (mut names, mut titles) = (Vec::new(), Vec::new());
        for (document, text) in documents.iter().enumerate() {
            let mut add = |word: String, place: Place| {
                let best = places.entry(word).or_default().entry(document);
                let best = best.or_insert(place);
                *best = place.min(*best);
            };
            let title: HashSet<String> = words(&text.title).collect();
            titles.push(title.len());
            title.into_iter().for_each(|word| add(word, Place::Title));
            let body = words(&text.body).take(MAX_BODY);
            body.for_each(|word| add(word, Place::Body));
            for (name, rank) in &text.names {
                words(name).for_each(|word| add(word, Place::Name));
                let folded = fold(name);
                for spelled in HashSet::from([key(name), folded.clone()]) {
                    by_name.entry(spelled).or_default().push(names.len());
                }
                names.push(Name {
                    spelling: Spelling::of(folded),
                    document,
                    rank: *rank,
                });
            }
        }
        let words = places.into_iter();
        let words = words.map(|(text, places)| (Spelling::of(text), places.into_iter().collect()));
        Self {
            words: words.collect(),
            documents,
            embedded,
            titles,
            names,
            by_name,
        }
    }

    /// Documents that match, the best first; of one score in the order in which they were given.
    pub(super) fn search(&self, query: &str) -> Vec<Scored> {
        let mut found = self.by_words(query);
        for hit in self.named(query) {
            let best = found.entry(hit.document).or_insert(hit);
            best.score = best.score.max(hit.score);
            best.fit = best.fit.max(hit.fit);
            best.share = best.share.max(hit.share);
        }
        let mut found: Vec<Scored> = found.into_values().collect();
        found.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then(a.document.cmp(&b.document))
        });
        found
    }

    /// Words of a query that no document of that kind and of these names has, not even nearly, as they are written; none
    /// where the query is a name as a whole.
    pub fn unmatched(&self, query: &str, kind: Kind, names: &HashSet<&str>) -> Vec<String> {
        if !self.named(query).is_empty() {
            return Vec::new();
        }
        let mut seen = HashSet::new();
        let distinct = spelled_words(query).filter(|word| seen.insert(word.clone()));
        let is_one = |at: &usize| {
            let document = self.documents.get(*at);
            document.is_some_and(|d| d.kind == kind && names.contains(d.name.as_str()))
        };
        let is_missing = |word: &String| {
            let mut found = words(word).map(|word| self.having(&word));
            !found.any(|found| found.keys().any(is_one))
        };
        distinct.take(MAX_WORDS).filter(is_missing).collect()
    }

    /// Documents by the names that are spelled nearly so, with the name, folded, and the edits between.
    pub(super) fn spelled_nearly(&self, name: &str) -> impl Iterator<Item = (usize, &str, usize)> {
        let wanted = Spelling::of(fold(name));
        self.names.iter().filter_map(move |name| {
            let edits = wanted.edits(&name.spelling)?;
            Some((name.document, name.spelling.text(), edits))
        })
    }

    /// Documents that bear the query as a name, or else nearly.
    fn named(&self, query: &str) -> Vec<Scored> {
        let (folded, key) = (fold(query), key(query));
        let spelled = std::iter::once(&folded).chain((key != folded).then_some(&key));
        let exact = spelled.filter_map(|name| self.by_name.get(name)).flatten();
        let exact = exact.filter_map(|at| self.names.get(*at));
        let found: Vec<Scored> = exact
            .map(|name| {
                let is_same = name.spelling.text() == folded;
                Scored {
                    document: name.document,
                    score: if is_same { NAMED } else { ALIKE } - f64::from(name.rank),
                    fit: Fit::Name,
                    share: 1.0,
                }
            })
            .collect();
        if !found.is_empty() {
            return found;
        }
        let near = self
            .spelled_nearly(query)
            .map(|(document, _, edits)| Scored {
                document,
                score: NEAR - EDIT * count(edits),
                fit: Fit::Part,
                share: 0.0,
            });
        near.collect()
    }

    /// Documents by the words of the query that they have.
    fn by_words(&self, query: &str) -> HashMap<usize, Scored> {
        let mut seen = HashSet::new();
        let distinct = words(query).filter(|word| seen.insert(word.clone()));
        let wanted: Vec<String> = distinct.take(MAX_WORDS).collect();
        let (mut sums, mut whole): (HashMap<usize, Sum>, f64) = (HashMap::new(), 0.0);
        for word in &wanted {
            let found = self.having(word);
            let (all, of) = (count(self.documents.len()), count(found.len()));
            let rarity = ((all - of + 0.5) / (of + 0.5)).ln_1p();
            whole += rarity;
            for name in self.by_name.get(word).into_iter().flatten() {
                if let Some(name) = self.names.get(*name).filter(|name| name.rank <= OWN) {
                    sums.entry(name.document).or_default().is_named = true;
                }
            }
            for (document, found) in found {
                let sum = sums.entry(document).or_default();
                sum.found += rarity * found.quality;
                sum.in_title += usize::from(found.place == Place::Title);
                if found.is_itself && found.place < Place::Body {
                    sum.in_names += 1;
                    sum.named += rarity;
                }
            }
        }
        let scored = |(document, sum): (usize, Sum)| {
            let bonus = self.documents.get(document)?.bonus;
            let title = *self.titles.get(document)?;
            let close = count(sum.in_title) / count(title.max(1));
            let most = ALL_WORDS * (1.0 - CLOSENESS + CLOSENESS * close) + f64::from(bonus);
            let hit = Scored {
                document,
                score: most * sum.found / whole + if sum.is_named { SPEAKS } else { 0.0 },
                fit: match wanted.len() >= 2 && sum.in_names == wanted.len() {
                    true => Fit::Words,
                    false => Fit::Part,
                },
                share: sum.named / whole,
            };
            Some((document, hit))
        };
        sums.into_iter().filter_map(scored).collect()
    }

    /// Documents that have a word, each with the best that it has of it.
    fn having(&self, wanted: &str) -> HashMap<usize, Found> {
        let mut best: HashMap<usize, Found> = HashMap::new();
        for ((word, places), likeness) in self.meant(wanted) {
            for (document, place) in places {
                let found = Found {
                    quality: likeness * place.weight(),
                    place: *place,
                    is_itself: word.text() == wanted,
                };
                let slot = best.entry(*document).or_insert(found);
                if found.quality > slot.quality {
                    *slot = found;
                }
            }
        }
        best
    }

    /// The words that one may mean, with how like they are, up to 1: itself and those that it begins, or else those
    /// spelled nearly so.
    fn meant(&self, wanted: &str) -> Vec<(&Word, f64)> {
        let is_long = wanted.chars().count() >= MIN_BEGINNING;
        let from = self.words.partition_point(|word| word.0.text() < wanted);
        let after = self.words.get(from..).unwrap_or(&[]).iter();
        let likeness = |word: &Spelling| match word.text() {
            text if text == wanted => Some(1.0),
            text => (is_long && text.starts_with(wanted)).then_some(0.8),
        };
        let begun = after.map_while(|word| Some((word, likeness(&word.0)?)));
        let found: Vec<_> = begun.take(MAX_BEGINNINGS).collect();
        if !found.is_empty() {
            return found;
        }
        let wanted = Spelling::of(wanted.to_owned());
        let near = self.words.iter().filter_map(|word| {
            let edits = wanted.edits(&word.0)?;
            Some((word, if edits == 1 { 0.6 } else { 0.4 }))
        });
        near.collect()
    }
}

/// What of a query a document has.
#[derive(Default)]
struct Sum {
    found: f64,
    is_named: bool,
    in_title: usize,
    in_names: usize,
    /// The weight of those.
    named: f64,
}

/// How a word of a query was found in a document.
#[derive(Clone, Copy)]
struct Found {
    /// From 0 to 1: how like the word is, and where it stands.
    quality: f64,
    place: Place,
    is_itself: bool,
}

impl Place {
    fn weight(self) -> f64 {
        match self {
            Self::Title => 1.0,
            Self::Name => 0.95,
            Self::Body => 0.5,
        }
    }
}

fn count(n: usize) -> f64 {
    u32::try_from(n).map_or(f64::MAX, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Library {
        let document = |(name, body): (&str, &str)| Document {
            names: vec![(name.to_owned(), 0)],
            body: body.to_owned(),
            ..Document::new(Kind::Term, name, name)
        };
        let documents = [
            ("Term premium", "what a holder of long bonds asks for"),
            ("Breakeven inflation", "what bonds say of prices"),
            ("Core inflation rate", "without food and energy"),
            ("VIX", "the fear index of stocks"),
        ];
        Library::new(documents.map(document).into(), 0)
    }

    fn found(query: &str) -> Vec<usize> {
        let hits = index().search(query);
        hits.iter().map(|hit| hit.document).collect()
    }

    #[test]
    fn names_come_before_words_and_words_before_beginnings_and_near_spellings() {
        assert_eq!(found("what is core inflation"), [2, 1]);
        assert_eq!(found("infla"), [1, 2]);
        assert_eq!(found("inflaton premuim"), [0, 1, 2]);
        assert_eq!(found("vxi"), [3]);
        assert_eq!(found("bonds"), [0, 1]);
        assert_eq!(found("housing"), [0; 0]);
        assert_eq!(found(""), [0; 0]);
        let first = |query: &str| index().search(query)[0];
        assert_eq!(
            (first("VIX").score, first("the vix").fit),
            (NAMED, Fit::Name)
        );
        assert_eq!(first("term premiums").score, ALIKE);
        assert_eq!(first("inflation core").fit, Fit::Words);
        assert_eq!(first("inflation").fit, Fit::Part);
        assert_eq!(first("breakeven infla").fit, Fit::Part);
    }

    #[test]
    fn as_many_words_are_looked_at_as_are_allowed() {
        let many: String = (0..MAX_WORDS).map(|n| format!("word{n} ")).collect();
        assert_eq!(found(&format!("{many} vix")), [0; 0]);
        assert_eq!(found(&format!("vix {many}")), [3]);
    }
}
