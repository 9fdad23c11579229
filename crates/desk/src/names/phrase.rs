//! Names by their significant words: "average daily gas price in the US" is "gas price".
//!
//! The index has every curated name and title by its words, in one order and one spelling, with and without words of
//! little weight (`data/words.csv`: fillers, words of frequency, soft words such as "rate" and "index"). A phrase is
//! looked up whole first, then with fewer and fewer words. An unknown word is read as a similarly spelled one; if there
//! is none, the whole phrase is unknown.

use econoscope_core::catalogue::names::{Choices, Names};
use econoscope_core::model::words::{Spelling, keywords};
use econoscope_core::model::{Frequency, SeriesInfo, table};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Most words of a phrase.
const MAX_WORDS: usize = 24;
/// Most readings of a misspelled word, and most misspelled words in a phrase.
const MAX_READINGS: usize = 4;
const MAX_MISSPELLED: usize = 2;
/// Fewest letters of the only significant word if it is misspelled, since a shorter one has too many readings.
const MIN_ONLY_WORD: usize = 6;
const MIN_LETTERS: usize = 4;
/// Distance of a title from a name, in words.
const TITLE_DISTANCE: usize = 3;

/// How significant a word is, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Filler,
    Frequency,
    Soft,
    Significant,
}

const WEIGHTS: [Weight; 4] = [
    Weight::Filler,
    Weight::Frequency,
    Weight::Soft,
    Weight::Significant,
];

/// The weight of a word and its replacement; for a word of frequency its code.
type WordEntry = (Weight, &'static str);

static WORDS: LazyLock<HashMap<&'static str, WordEntry>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../../data/words.csv"));
    // A test checks every row.
    rows.filter_map(|(_, row)| parse_row(row.ok()?)).collect()
});

fn parse_row([word, class, replacement]: [&'static str; 3]) -> Option<(&'static str, WordEntry)> {
    let weight = match class {
        "filler" => Weight::Filler,
        "frequency" => Weight::Frequency,
        "soft" => Weight::Soft,
        "same" => Weight::Significant,
        _ => return None,
    };
    Some((word, (weight, replacement)))
}

/// A word with its weight.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Token {
    text: String,
    weight: Weight,
}

impl Token {
    fn new(text: String) -> Self {
        match WORDS.get(text.as_str()) {
            Some((Weight::Significant, replacement)) => Self::new((*replacement).to_owned()),
            entry => Self {
                weight: entry.map_or(Weight::Significant, |(weight, _)| *weight),
                text,
            },
        }
    }
}

/// Splits a text into words of one spelling, in one order.
fn tokens(text: &str) -> Vec<Token> {
    let text = normalize(text);
    let mut tokens: Vec<Token> = keywords(&text).take(MAX_WORDS).map(Token::new).collect();
    tokens.sort();
    tokens
}

/// Separates letters and digits, and spells out tenors: "10y2y" is "10 year 2 year", "S&P" is "sp".
fn normalize(text: &str) -> String {
    let is_significant = |c: &char| !matches!(c, '.' | '&');
    let letters: Vec<char> = text.to_lowercase().chars().filter(is_significant).collect();
    let kind = |c: &char| (c.is_alphanumeric(), c.is_ascii_digit());
    let mut out = String::with_capacity(text.len() + 16);
    let mut is_after_digit = false;
    for run in letters.chunk_by(|a, b| kind(a) == kind(b)) {
        let word: String = run.iter().collect();
        out += match word.as_str() {
            "y" | "yr" | "yrs" if is_after_digit => "year",
            "m" | "mo" | "mos" | "mth" if is_after_digit => "month",
            "w" | "wk" if is_after_digit => "week",
            word => word,
        };
        out.push(' ');
        is_after_digit = run.iter().all(char::is_ascii_digit);
    }
    out
}

/// Joins the words of at least this weight; also returns how many words were left out.
fn join(tokens: &[Token], least: Weight) -> (String, usize) {
    let included = tokens.iter().filter(|token| token.weight >= least);
    let words: Vec<&str> = included.map(|token| token.text.as_str()).collect();
    (words.join(" "), tokens.len() - words.len())
}

/// The reading of a phrase; empty when one of its words is in no name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PhraseMatch {
    /// The nearest names, each an identifier or an ambiguous name.
    pub(crate) names: Vec<&'static str>,
    /// Its words in the spelling of the names, if all are known but no name has them.
    pub(crate) words: Option<String>,
}

/// Every curated name by its words.
struct PhraseIndex {
    /// Names by joined words, each with its distance: the number of words that were left out.
    by_words: HashMap<String, Vec<(usize, &'static str)>>,
    vocabulary: HashMap<String, Spelling>,
}

impl PhraseIndex {
    fn embedded() -> &'static Self {
        static INDEX: LazyLock<PhraseIndex> = LazyLock::new(|| {
            let names = Names::embedded();
            let mut index = PhraseIndex {
                by_words: HashMap::new(),
                vocabulary: HashMap::new(),
            };
            for (alias, info) in names.aliases() {
                index.add(alias, info.id.as_str(), 0);
            }
            for Choices { name, .. } in names.ambiguous() {
                index.add(name, name, 0);
            }
            for info in names.catalogue().iter() {
                index.add(info.id.as_str(), info.id.as_str(), 0);
                index.add(&info.title, info.id.as_str(), TITLE_DISTANCE);
            }
            index
        });
        &INDEX
    }

    fn add(&mut self, text: &str, name: &'static str, distance: usize) {
        let tokens = tokens(text);
        for token in &tokens {
            let spelling = || Spelling::new(token.text.clone());
            self.vocabulary
                .entry(token.text.clone())
                .or_insert_with(spelling);
        }
        for least in WEIGHTS {
            let (words, omitted) = join(&tokens, least);
            if !words.is_empty() {
                let names = self.by_words.entry(words).or_default();
                names.push((omitted + distance, name));
            }
        }
    }

    /// Returns the names with these words, looked up with as few words left out as possible; only the nearest ones.
    fn lookup(&self, tokens: &[Token]) -> BTreeSet<&'static str> {
        let mut keys = WEIGHTS.into_iter().map(|least| join(tokens, least).0);
        let names = keys
            .find_map(|key| self.by_words.get(&key))
            .into_iter()
            .flatten();
        let least = names.clone().map(|(distance, _)| *distance).min();
        let nearest = names.filter(|(distance, _)| Some(*distance) == least);
        nearest.map(|(_, name)| *name).collect()
    }

    /// Returns the possible readings of a word: itself if it is known, else similarly spelled words.
    fn readings(&self, token: &Token) -> Vec<Token> {
        if token.weight < Weight::Significant || self.vocabulary.contains_key(&token.text) {
            return vec![token.clone()];
        }
        let is_word = |text: &str| text.chars().all(char::is_alphabetic);
        if !is_word(&token.text) || token.text.chars().count() < MIN_LETTERS {
            return Vec::new();
        }
        let typed = Spelling::new(token.text.clone());
        let near = self.vocabulary.values().filter_map(|word| {
            // Typos are rare in the first letter: another one is nearly always another word.
            let is_alike =
                word.text().chars().next() == token.text.chars().next() && is_word(word.text());
            let edits = typed.edits(word).filter(|_| is_alike)?;
            Some((edits, word.text()))
        });
        let mut near: Vec<_> = near.collect();
        near.sort_unstable();
        let least = near.first().map_or(0, |(edits, _)| *edits);
        let near = near.into_iter().filter(|(edits, _)| *edits == least);
        near.take(MAX_READINGS)
            .map(|(_, word)| Token::new(word.to_owned()))
            .collect()
    }
}

/// Looks a phrase up: words in any order, with fillers and typos.
pub(crate) fn find(text: &str) -> PhraseMatch {
    let index = PhraseIndex::embedded();
    let typed = tokens(text);
    let mut readings: Vec<Vec<Token>> = vec![Vec::new()];
    let mut misspelled = 0;
    for token in &typed {
        let words = index.readings(token);
        misspelled += usize::from(words.first() != Some(token));
        if words.is_empty() || misspelled > MAX_MISSPELLED {
            return PhraseMatch::default();
        }
        let extend = |reading: &Vec<Token>| {
            let extended = words
                .iter()
                .map(|word| [reading, &[word.clone()][..]].concat());
            extended.collect::<Vec<_>>()
        };
        readings = readings.iter().flat_map(extend).collect();
    }
    if misspelled > 0 && is_too_short(text, &typed) {
        return PhraseMatch::default();
    }
    let mut names = BTreeSet::new();
    for reading in &mut readings {
        reading.sort();
        names.extend(index.lookup(reading));
    }
    let words = match readings.as_slice() {
        [reading] if names.is_empty() => Some(join(reading, Weight::Frequency).0),
        _ => None,
    };
    PhraseMatch {
        names: Vec::from_iter(names),
        words,
    }
}

/// Returns whether a typo could turn a text into another name: an identifier, or a text with one short significant word.
fn is_too_short(text: &str, typed: &[Token]) -> bool {
    let is_identifier = !text.trim().contains(char::is_whitespace) && !numbers(text).is_empty();
    let is_significant = |token: &&Token| token.weight == Weight::Significant;
    let mut significant = typed.iter().filter(is_significant);
    let only = significant.next().filter(|_| significant.next().is_none());
    is_identifier || only.is_some_and(|word| word.text.chars().count() < MIN_ONLY_WORD)
}

/// Returns the frequency that a word of a text asks for.
pub(crate) fn frequency(text: &str) -> Option<Frequency> {
    let text = normalize(text);
    let mut codes = keywords(&text).filter_map(|word| {
        let (weight, code) = WORDS.get(word.as_str())?;
        (*weight == Weight::Frequency && !code.is_empty()).then_some(*code)
    });
    codes.next()?.parse().ok()
}

/// Returns whether one name of a series (identifier, title or alias) has all of these numbers.
pub(crate) fn has_numbers(info: &SeriesInfo, required: &[String]) -> bool {
    let aliases = Names::embedded().aliases_of(info);
    let mut names = aliases.chain([info.id.as_str(), &info.title]);
    let has_all = |name: &str| {
        let present = numbers(name);
        required.iter().all(|number| present.contains(number))
    };
    required.is_empty() || names.any(has_all)
}

/// Returns the numbers in a text, which tell a tenor of ten years from one of thirty.
pub(crate) fn numbers(text: &str) -> Vec<String> {
    let texts = tokens(text).into_iter().map(|token| token.text);
    texts
        .filter(|text| text.chars().all(|c| c.is_ascii_digit()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_valid() {
        let text = include_str!("../../data/words.csv");
        for (line, row) in table::rows::<3>(text) {
            let row = row.unwrap();
            assert!(parse_row(row).is_some(), "line {line}: {row:?}");
            let [word, class, replacement] = row;
            let loops = class == "same"
                && WORDS
                    .get(replacement)
                    .is_some_and(|s| s.0 == Weight::Significant);
            assert!(!loops, "line {line}: {word}");
            assert_eq!(keywords(word).collect::<Vec<_>>(), [word], "line {line}");
        }
        assert_eq!(WORDS.len(), text.lines().count() - 1, "a word occurs twice");
    }

    #[test]
    fn order_and_spelling_of_words_do_not_matter() {
        let same = |a: &str, b: &str| assert_eq!(tokens(a), tokens(b), "{a}, {b}");
        same("10-yr Treasury yields", "yield treasury ten year");
        same("10y2y", "2 years, 10 years");
        same("S&P 500", "sp500");
        same("Moody's", "moodys");
        assert_eq!(
            frequency("average weekly gas price"),
            Some(Frequency::Weekly)
        );
        assert_eq!(numbers("30-year Treasury"), ["30"]);
        assert_eq!(find("blockchain"), PhraseMatch::default());
        let gas = find("average gas prices in the US");
        assert_eq!((gas.names, gas.words), (vec!["gas price"], None));
    }
}
