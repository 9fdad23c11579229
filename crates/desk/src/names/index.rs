//! The search index: an inverted index over names, titles and texts, with one ranking.
//!
//! A document with the whole query as a name comes first, then one with a similarly spelled name. Any other is scored by
//! its share of the query: a rare word counts more than a frequent one (the inverse document frequency of BM25), a title
//! more than the text, the word itself more than a prefix or a near spelling. All queries share one scale of scores, so
//! that noise can be told from matches.
//!
//! The cost of a query is bounded: only so many of its words count, and near spellings are searched only for words that
//! occur nowhere.

use super::search::{Document, Kind};
use econoscope_core::model::words::{Spelling, fold_name, key, keywords, keywords_as_spelled};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most distinct words of a query; a long question has some fifteen.
const MAX_WORDS: usize = 24;
/// Most words that a prefix stands for.
const MAX_PREFIXED: usize = 64;
/// Fewest letters of a prefix.
const MIN_PREFIX: usize = 3;
/// Most words of a document's text.
const MAX_BODY: usize = 2_000;

/// The score of a document with the query as a name, less the name's rank.
const NAMED: f64 = 1_000.0;
/// The same for a name that differs in small words or a plural.
const SIMILAR: f64 = 900.0;
/// The score of a document with a similarly spelled name, less a cost for each edit.
const NEAR: f64 = 540.0;
const EDIT_COST: f64 = 40.0;
/// Bonus for a word of the query that is itself a name ("UNRATE since 2015") of at most this rank.
const NAME_BONUS: f64 = 60.0;
const MAX_BONUS_RANK: u32 = 2;
/// The score of a document whose title has exactly the words of the query.
const ALL_WORDS: f64 = 600.0;
/// The share of it for having no other words.
const CLOSENESS: f64 = 0.2;

/// A matching document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hit {
    /// Index of the document.
    pub(crate) document: usize,
    /// Score up to 1,000.
    pub(crate) score: f64,
}

/// The part of a document that has a word, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Field {
    Title,
    Name,
    Body,
}

impl Field {
    fn weight(self) -> f64 {
        match self {
            Self::Title => 1.0,
            Self::Name => 0.95,
            Self::Body => 0.5,
        }
    }
}

/// A word, and the documents with it, each with the best field.
type Posting = (Spelling, Vec<(usize, Field)>);

#[derive(Debug)]
struct Name {
    /// Folded.
    spelling: Spelling,
    document: usize,
    rank: u32,
}

/// Documents with an index of their words and names.
#[derive(Debug)]
pub struct SearchIndex {
    pub(crate) documents: Vec<Document>,
    /// Number of embedded documents, which come first.
    pub(crate) embedded: usize,
    /// Number of words in each title.
    title_lengths: Vec<usize>,
    /// Ordered by word.
    postings: Vec<Posting>,
    names: Vec<Name>,
    /// Indices of names by spelling: folded, and as a key of the words alone.
    by_name: HashMap<String, Vec<usize>>,
}

impl SearchIndex {
    /// Indexes documents.
    pub(crate) fn new(documents: Vec<Document>, embedded: usize) -> Self {
        let mut fields: BTreeMap<String, BTreeMap<usize, Field>> = BTreeMap::new();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        let mut names = Vec::new();
        let mut title_lengths = Vec::new();
        for (document, text) in documents.iter().enumerate() {
            let mut add = |word: String, field: Field| {
                let best = fields
                    .entry(word)
                    .or_default()
                    .entry(document)
                    .or_insert(field);
                *best = field.min(*best);
            };
            let title: HashSet<String> = keywords(&text.title).collect();
            title_lengths.push(title.len());
            title.into_iter().for_each(|word| add(word, Field::Title));
            let body = keywords(&text.body).take(MAX_BODY);
            body.for_each(|word| add(word, Field::Body));
            for (name, rank) in &text.names {
                keywords(name).for_each(|word| add(word, Field::Name));
                let folded = fold_name(name);
                for spelling in HashSet::from([key(name), folded.clone()]) {
                    by_name.entry(spelling).or_default().push(names.len());
                }
                names.push(Name {
                    spelling: Spelling::new(folded),
                    document,
                    rank: *rank,
                });
            }
        }
        let postings = fields
            .into_iter()
            .map(|(word, fields)| (Spelling::new(word), Vec::from_iter(fields)));
        Self {
            postings: postings.collect(),
            documents,
            embedded,
            title_lengths,
            names,
            by_name,
        }
    }

    /// Returns matching documents of one kind or all, the best first; those of one score in their original order.
    pub(crate) fn search(&self, query: &str, kind: Option<Kind>) -> Vec<(Hit, &Document)> {
        let mut hits = self.search_words(query);
        for hit in self.search_names(query) {
            let best = hits.entry(hit.document).or_insert(hit);
            best.score = best.score.max(hit.score);
        }
        let mut hits: Vec<_> = hits
            .into_values()
            .filter_map(|hit| Some((hit, self.documents.get(hit.document)?)))
            .filter(|(_, document)| kind.is_none_or(|kind| document.kind == kind))
            .collect();
        hits.sort_by(|(a, _), (b, _)| {
            b.score
                .total_cmp(&a.score)
                .then(a.document.cmp(&b.document))
        });
        hits
    }

    /// Returns the words of a query, as written, that none of the named documents of a kind has, even nearly. Empty when
    /// the whole query is a name.
    pub fn unmatched_words(&self, query: &str, kind: Kind, names: &HashSet<&str>) -> Vec<String> {
        if !self.search_names(query).is_empty() {
            return Vec::new();
        }
        let mut seen = HashSet::new();
        let distinct = keywords_as_spelled(query).filter(|word| seen.insert(word.clone()));
        let is_named = |index: &usize| {
            let document = self.documents.get(*index);
            document.is_some_and(|d| d.kind == kind && names.contains(d.name.as_str()))
        };
        let is_unmatched = |word: &String| {
            let mut matches = keywords(word).map(|word| self.word_matches(&word));
            !matches.any(|documents| documents.keys().any(is_named))
        };
        distinct.take(MAX_WORDS).filter(is_unmatched).collect()
    }

    /// Returns documents with a similarly spelled name, each with its distance ([`Spelling::distance`]).
    pub(crate) fn near_names(&self, name: &str) -> impl Iterator<Item = (usize, [usize; 3])> {
        let typed = Spelling::new(fold_name(name));
        let names = self.names.iter();
        names.filter_map(move |name| Some((name.document, typed.distance(&name.spelling)?)))
    }

    /// Returns documents with the query as a name, or else with a similarly spelled name.
    fn search_names(&self, query: &str) -> Vec<Hit> {
        let folded = fold_name(query);
        let key = key(query);
        let spellings = std::iter::once(&folded).chain((key != folded).then_some(&key));
        let names = spellings
            .filter_map(|name| self.by_name.get(name))
            .flatten()
            .filter_map(|index| self.names.get(*index));
        let named: Vec<Hit> = names
            .map(|name| {
                let is_same = name.spelling.text() == folded;
                Hit {
                    document: name.document,
                    score: if is_same { NAMED } else { SIMILAR } - f64::from(name.rank),
                }
            })
            .collect();
        if !named.is_empty() {
            return named;
        }
        let near = self.near_names(query).map(|(document, [edits, ..])| Hit {
            document,
            score: NEAR - EDIT_COST * to_f64(edits),
        });
        near.collect()
    }

    /// Returns documents by the words of the query that they have.
    fn search_words(&self, query: &str) -> HashMap<usize, Hit> {
        let mut seen = HashSet::new();
        let distinct = keywords(query).filter(|word| seen.insert(word.clone()));
        let query: Vec<String> = distinct.take(MAX_WORDS).collect();
        let (mut sums, mut total): (HashMap<usize, WordSum>, f64) = (HashMap::new(), 0.0);
        for word in &query {
            let matches = self.word_matches(word);
            let all = to_f64(self.documents.len());
            let count = to_f64(matches.len());
            let rarity = ((all - count + 0.5) / (count + 0.5)).ln_1p();
            total += rarity;
            for name in self.by_name.get(word).into_iter().flatten() {
                let name = self.names.get(*name);
                if let Some(name) = name.filter(|name| name.rank <= MAX_BONUS_RANK) {
                    sums.entry(name.document).or_default().is_named = true;
                }
            }
            for (document, word) in matches {
                let sum = sums.entry(document).or_default();
                sum.weight += rarity * word.quality;
                sum.in_title += usize::from(word.field == Field::Title);
            }
        }
        let hit = |(document, sum): (usize, WordSum)| {
            let bonus = self.documents.get(document)?.bonus;
            let title = *self.title_lengths.get(document)?;
            let closeness = to_f64(sum.in_title) / to_f64(title.max(1));
            let max = ALL_WORDS * (1.0 - CLOSENESS + CLOSENESS * closeness) + f64::from(bonus);
            let hit = Hit {
                document,
                score: max * sum.weight / total + if sum.is_named { NAME_BONUS } else { 0.0 },
            };
            Some((document, hit))
        };
        sums.into_iter().filter_map(hit).collect()
    }

    /// Returns the documents with a word of the query, each with its best match.
    fn word_matches(&self, query: &str) -> HashMap<usize, WordMatch> {
        let mut best: HashMap<usize, WordMatch> = HashMap::new();
        for ((_, fields), likeness) in self.similar_words(query) {
            for (document, field) in fields {
                let candidate = WordMatch {
                    quality: likeness * field.weight(),
                    field: *field,
                };
                let slot = best.entry(*document).or_insert(candidate);
                if candidate.quality > slot.quality {
                    *slot = candidate;
                }
            }
        }
        best
    }

    /// Returns the words that a word of the query may mean, each with a likeness up to 1: itself and words with it as a
    /// prefix, or else similarly spelled ones.
    fn similar_words(&self, query: &str) -> Vec<(&Posting, f64)> {
        let is_long = query.chars().count() >= MIN_PREFIX;
        let start = self.postings.partition_point(|p| p.0.text() < query);
        let after = self.postings.get(start..).unwrap_or(&[]).iter();
        let likeness = |word: &Spelling| match word.text() {
            text if text == query => Some(1.0),
            text => (is_long && text.starts_with(query)).then_some(0.8),
        };
        let prefixed: Vec<_> = after
            .map_while(|posting| Some((posting, likeness(&posting.0)?)))
            .take(MAX_PREFIXED)
            .collect();
        if !prefixed.is_empty() {
            return prefixed;
        }
        let typed = Spelling::new(query.to_owned());
        let near = self.postings.iter().filter_map(|posting| {
            let edits = typed.edits(&posting.0)?;
            Some((posting, if edits == 1 { 0.6 } else { 0.4 }))
        });
        near.collect()
    }
}

/// The share of a query that a document has.
#[derive(Default)]
struct WordSum {
    weight: f64,
    /// Whether a word of the query is a name of the document.
    is_named: bool,
    in_title: usize,
}

/// A word of a query in a document.
#[derive(Clone, Copy)]
struct WordMatch {
    /// Likeness of the word times the weight of its field, from 0 to 1.
    quality: f64,
    field: Field,
}

fn to_f64(n: usize) -> f64 {
    u32::try_from(n).map_or(f64::MAX, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> SearchIndex {
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
        SearchIndex::new(documents.map(document).into(), 0)
    }

    fn documents(query: &str) -> Vec<usize> {
        let index = index();
        let hits = index.search(query, None).into_iter();
        hits.map(|(hit, _)| hit.document).collect()
    }

    #[test]
    fn names_rank_before_words_prefixes_and_near_spellings() {
        assert_eq!(documents("what is core inflation"), [2, 1]);
        assert_eq!(documents("infla"), [1, 2]);
        assert_eq!(documents("inflaton premuim"), [0, 1, 2]);
        assert_eq!(documents("vxi"), [3]);
        assert_eq!(documents("bonds"), [0, 1]);
        assert_eq!(documents("housing"), [0; 0]);
        assert_eq!(documents(""), [0; 0]);
        let first = |query: &str| index().search(query, None)[0].0;
        assert_eq!(first("VIX").score, NAMED);
        assert_eq!(first("term premiums").score, SIMILAR);
    }

    #[test]
    fn words_beyond_the_limit_are_ignored() {
        let many: String = (0..MAX_WORDS).map(|n| format!("word{n} ")).collect();
        assert_eq!(documents(&format!("{many} vix")), [0; 0]);
        assert_eq!(documents(&format!("vix {many}")), [3]);
    }
}
