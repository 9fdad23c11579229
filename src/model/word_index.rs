//! Words to documents: an inverted index that finds whole words, beginnings and near spellings.
//!
//! A query touches the words it is near to and their documents, never all documents, so that it stays quick
//! when the documents are many. Near spellings are found by shared pairs of letters. Pure and in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How a word of a query was found, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Found {
    /// Spelled alike.
    Whole,
    /// The query's word begins it; from three letters on.
    Beginning,
    /// So many letters apart.
    Near(usize),
}

/// Documents by the words in them.
#[derive(Debug, Default)]
pub struct WordIndex {
    /// Ascending, with the documents of each word, ascending.
    words: Vec<(Box<str>, Vec<usize>)>,
    /// Positions of words by a pair of letters in them; a word's ends count as letters.
    pairs: HashMap<[char; 2], Vec<usize>>,
}

/// A document with the best find for each word of the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Number of the document.
    pub document: usize,
    /// By word of the query.
    pub found: Vec<Option<Found>>,
}

impl Hit {
    /// How many of the query's words were found at least as well as `limit`.
    pub fn count(&self, limit: Found) -> usize {
        self.found
            .iter()
            .flatten()
            .filter(|found| **found <= limit)
            .count()
    }
}

impl WordIndex {
    /// Indexes documents, numbered from 0, by their words (lower case).
    pub fn new<W>(documents: impl IntoIterator<Item = W>) -> Self
    where
        W: IntoIterator<Item = String>,
    {
        let mut sorted: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (number, words) in documents.into_iter().enumerate() {
            for word in words {
                sorted.entry(word).or_default().insert(number);
            }
        }
        let mut pairs: HashMap<[char; 2], Vec<usize>> = HashMap::new();
        for (at, word) in sorted.keys().enumerate() {
            let unique: BTreeSet<[char; 2]> = pairs_of(word).collect();
            for pair in unique {
                pairs.entry(pair).or_default().push(at);
            }
        }
        let words = sorted
            .into_iter()
            .map(|(word, documents)| (word.into_boxed_str(), documents.into_iter().collect()))
            .collect();
        Self { words, pairs }
    }

    /// Every document in which a word of the query is found, in order of number.
    pub fn search(&self, query: &[String]) -> Vec<Hit> {
        let mut hits: BTreeMap<usize, Vec<Option<Found>>> = BTreeMap::new();
        for (position, word) in query.iter().enumerate() {
            for (at, found) in self.matches(word) {
                for document in self.words.get(at).into_iter().flat_map(|(_, d)| d) {
                    let best = hits
                        .entry(*document)
                        .or_insert_with(|| vec![None; query.len()]);
                    if let Some(slot) = best.get_mut(position) {
                        *slot = Some(slot.map_or(found, |old| old.min(found)));
                    }
                }
            }
        }
        hits.into_iter()
            .map(|(document, found)| Hit { document, found })
            .collect()
    }

    /// Positions of the words that `word` may mean.
    fn matches(&self, word: &str) -> BTreeMap<usize, Found> {
        let mut found = BTreeMap::new();
        let from = self.words.partition_point(|(w, _)| w.as_ref() < word);
        let rest = self.words.get(from..).unwrap_or(&[]);
        for (offset, (candidate, _)) in rest.iter().enumerate() {
            if candidate.as_ref() == word {
                found.insert(from + offset, Found::Whole);
            } else if word.chars().count() >= 3 && candidate.starts_with(word) {
                found.insert(from + offset, Found::Beginning);
            } else {
                break;
            }
        }
        let length = word.chars().count();
        let allowed = allowed_edits(length);
        // An edit spoils two pairs, an exchange of neighbours three.
        let shared = (length + 1).saturating_sub(3 * allowed).max(1);
        for (at, common) in self.sharing(word) {
            let Some((candidate, _)) = self.words.get(at) else {
                continue;
            };
            let gap = candidate.chars().count().abs_diff(length);
            if common < shared || gap > allowed || found.contains_key(&at) {
                continue;
            }
            let edits = strsim::damerau_levenshtein(candidate, word);
            if edits <= allowed && edits < length {
                found.insert(at, Found::Near(edits));
            }
        }
        found
    }

    /// Positions of words with how many pairs of letters they share with `word`.
    fn sharing(&self, word: &str) -> HashMap<usize, usize> {
        let mut common: HashMap<usize, usize> = HashMap::new();
        let unique: BTreeSet<[char; 2]> = pairs_of(word).collect();
        for at in unique.iter().filter_map(|p| self.pairs.get(p)).flatten() {
            *common.entry(*at).or_default() += 1;
        }
        common
    }
}

/// Edits that a word of so many letters is forgiven.
pub fn allowed_edits(length: usize) -> usize {
    match length {
        0..=2 => 0,
        3..=4 => 1,
        _ => 2 + length / 12,
    }
}

fn pairs_of(word: &str) -> impl Iterator<Item = [char; 2]> {
    let before = std::iter::once(' ').chain(word.chars());
    let after = word.chars().chain(std::iter::once(' '));
    before.zip(after).map(|(a, b)| [a, b])
}

/// The words of a text that carry its meaning, in lower case: small words and signs are left out.
pub fn content_words(text: &str) -> Vec<String> {
    const SMALL: [&str; 16] = [
        "a", "an", "and", "are", "the", "of", "in", "on", "is", "what", "for", "to", "how", "does",
        "do", "s",
    ];
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .filter(|w| !SMALL.contains(&w.as_str()))
        .take(200)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> WordIndex {
        let documents = [
            "term premium",
            "breakeven inflation",
            "core inflation rate",
            "vix",
        ];
        WordIndex::new(documents.map(content_words))
    }

    fn documents(query: &str) -> Vec<(usize, usize)> {
        index()
            .search(&content_words(query))
            .into_iter()
            .map(|h| (h.document, h.count(Found::Near(2))))
            .collect()
    }

    #[test]
    fn whole_words_beginnings_and_near_spellings_are_found() {
        assert_eq!(documents("what is core inflation"), [(1, 1), (2, 2)]);
        assert_eq!(documents("infla"), [(1, 1), (2, 1)]);
        assert_eq!(documents("inflaton premuim"), [(0, 1), (1, 1), (2, 1)]);
        assert_eq!(documents("vxi"), [(3, 1)]);
        assert_eq!(documents("housing"), []);
        assert_eq!(documents(""), []);
    }

    #[test]
    fn the_best_find_counts() {
        let hits = index().search(&["inflation".into(), "ter".into()]);
        assert_eq!(hits[0].found, [None, Some(Found::Beginning)]);
        assert_eq!(hits[1].found, [Some(Found::Whole), None]);
        assert!(Found::Whole < Found::Beginning && Found::Beginning < Found::Near(1));
    }
}
