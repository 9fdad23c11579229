//! Names by the words that tell them apart: "average daily gas price in the US" is "gas price".
//!
//! Every curated name and title is kept by its words, in one order and one spelling, with and without those that add
//! little (`data/words.csv`: fillers, words of frequency, soft words such as "rate" and "index"). What was typed is
//! looked up whole first, then with less and less of it. A word that stands nowhere is read as the one that a slip of
//! the hand makes it; where that is none, the whole means nothing that is known here.

use econoscope_core::catalogue::names::Names;
use econoscope_core::model::words::{Spelling, words};
use econoscope_core::model::{Frequency, SeriesInfo, table};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

/// Words of a phrase that are looked at.
const MAX_WORDS: usize = 24;
/// Words that one misspelled word may be, and misspelled words in one phrase.
const MAX_READINGS: usize = 4;
const MAX_MISSPELLED: usize = 2;
/// Letters of a misspelled word that stands alone; a shorter one may be too many.
const MIN_ALONE: usize = 6;
const MIN_LETTERS: usize = 4;
/// A title counts as so many words farther than a name.
const TITLE: usize = 3;

/// How much a word tells, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Filler,
    Frequency,
    Soft,
    Telling,
}

const WEIGHTS: [Weight; 4] = [
    Weight::Filler,
    Weight::Frequency,
    Weight::Soft,
    Weight::Telling,
];

/// What is said of a word in the table: its weight and the word in its place; for a word of frequency its code.
type WordEntry = (Weight, &'static str);

static SAID: LazyLock<HashMap<&'static str, WordEntry>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../../../data/words.csv"));
    // A test reads every row.
    rows.filter_map(|(_, row)| said(row.ok()?)).collect()
});

fn said([word, class, instead]: [&'static str; 3]) -> Option<(&'static str, WordEntry)> {
    let weight = match class {
        "filler" => Weight::Filler,
        "frequency" => Weight::Frequency,
        "soft" => Weight::Soft,
        "same" => Weight::Telling,
        _ => return None,
    };
    Some((word, (weight, instead)))
}

/// A word and how much it tells.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Token {
    text: String,
    weight: Weight,
}

impl Token {
    fn of(text: String) -> Self {
        match SAID.get(text.as_str()) {
            Some((Weight::Telling, instead)) => Self::of((*instead).to_owned()),
            said => Self {
                weight: said.map_or(Weight::Telling, |(weight, _)| *weight),
                text,
            },
        }
    }
}

/// A text as words of one spelling, in one order.
fn tokens(text: &str) -> Vec<Token> {
    let mut all: Vec<Token> = words(&spaced(text))
        .take(MAX_WORDS)
        .map(Token::of)
        .collect();
    all.sort();
    all
}

/// Letters and digits apart, and a tenor's letter as its word: "10y2y" is "10 year 2 year"; "S&P" is "sp".
fn spaced(text: &str) -> String {
    let kept = |c: &char| !matches!(c, '.' | '&');
    let letters: Vec<char> = text.to_lowercase().chars().filter(kept).collect();
    let is_digit = |c: &char| c.is_ascii_digit();
    let kind = |c: &char| (c.is_alphanumeric(), is_digit(c));
    let runs = letters.chunk_by(|a, b| kind(a) == kind(b));
    let mut out = String::with_capacity(text.len() + 16);
    let mut after_digit = false;
    for run in runs {
        let word: String = run.iter().collect();
        out += match word.as_str() {
            "y" | "yr" | "yrs" if after_digit => "year",
            "m" | "mo" | "mos" | "mth" if after_digit => "month",
            "w" | "wk" if after_digit => "week",
            word => word,
        };
        out.push(' ');
        after_digit = run.iter().all(is_digit);
    }
    out
}

/// The words that tell at least so much, as one text; empty when there is none.
fn bag(tokens: &[Token], least: Weight) -> (String, usize) {
    let (mut out, mut lost) = (String::new(), 0);
    for token in tokens {
        match token.weight >= least {
            true => out = out + &token.text + " ",
            false => lost += 1,
        }
    }
    (out, lost)
}

/// What a phrase means; nothing is there where a word of it stands in no name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The names that it is nearest to, each an identifier or an ambiguous one.
    pub(super) names: Vec<String>,
    /// Where that is none, though its words are known: those words in the spelling of the names.
    pub(super) words: Option<String>,
}

/// Every curated name by its words.
struct Phrases {
    /// With how much was left out of each.
    by_bag: HashMap<String, Vec<(usize, String)>>,
    vocabulary: HashMap<String, Spelling>,
}

impl Phrases {
    fn embedded() -> &'static Self {
        static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
            let names = Names::embedded();
            let mut all = Phrases {
                by_bag: HashMap::new(),
                vocabulary: HashMap::new(),
            };
            for (alias, info) in names.aliases() {
                all.add(alias, info.id.as_str(), 0);
            }
            for name in names.ambiguous_names() {
                all.add(name, name, 0);
            }
            for info in names.catalogue().iter() {
                all.add(info.id.as_str(), info.id.as_str(), 0);
                all.add(&info.title, info.id.as_str(), TITLE);
            }
            all
        });
        &PHRASES
    }

    fn add(&mut self, name: &str, meant: &str, far: usize) {
        let tokens = tokens(name);
        for token in &tokens {
            let spelling = || Spelling::of(token.text.clone());
            self.vocabulary
                .entry(token.text.clone())
                .or_insert_with(spelling);
        }
        for least in WEIGHTS {
            let (bag, lost) = bag(&tokens, least);
            if !bag.is_empty() {
                let slot = self.by_bag.entry(bag).or_default();
                slot.push((lost + far, meant.to_owned()));
            }
        }
    }

    /// The names that these words are, of which the least was left out.
    fn of(&self, tokens: &[Token]) -> BTreeSet<&str> {
        let mut bags = WEIGHTS.into_iter().map(|least| bag(tokens, least).0);
        let found = bags.find_map(|bag| self.by_bag.get(&bag));
        let all = found.into_iter().flatten();
        let nearest = all.clone().map(|(far, _)| *far).min();
        let nearest = all.filter(|(far, _)| Some(*far) == nearest);
        nearest.map(|(_, meant)| meant.as_str()).collect()
    }

    /// The words that one may have been meant to be: itself, or those it is nearly spelled like.
    fn readings(&self, token: &Token) -> Vec<Token> {
        let is_known = token.weight < Weight::Telling || self.vocabulary.contains_key(&token.text);
        if is_known {
            return vec![token.clone()];
        }
        let is_word = token.text.chars().all(char::is_alphabetic);
        if !is_word || token.text.chars().count() < MIN_LETTERS {
            return Vec::new();
        }
        let typed = Spelling::of(token.text.clone());
        let near = self.vocabulary.values().filter_map(|word| {
            // Hands slip late: another first letter is nearly always another word.
            let is_alike = word.text().chars().next() == token.text.chars().next()
                && word.text().chars().all(char::is_alphabetic);
            let edits = typed.edits(word).filter(|_| is_alike)?;
            Some((edits, word.text()))
        });
        let mut near: Vec<_> = near.collect();
        near.sort_unstable();
        let least = near.first().map_or(0, |(edits, _)| *edits);
        let near = near.into_iter().filter(|(edits, _)| *edits == least);
        near.take(MAX_READINGS)
            .map(|(_, word)| Token::of(word.to_owned()))
            .collect()
    }
}

/// What is meant by words, in any order, with fillers between them and slips in them.
pub(super) fn find(text: &str) -> Found {
    let (all, typed) = (Phrases::embedded(), tokens(text));
    let mut readings: Vec<Vec<Token>> = vec![Vec::new()];
    let mut misspelled = 0;
    for token in &typed {
        let words = all.readings(token);
        misspelled += usize::from(words.first() != Some(token));
        if words.is_empty() || misspelled > MAX_MISSPELLED {
            return Found::default();
        }
        let with = |reading: &Vec<Token>| {
            let each = words
                .iter()
                .map(|word| [reading, &[word.clone()][..]].concat());
            each.collect::<Vec<_>>()
        };
        readings = readings.iter().flat_map(with).collect();
    }
    if misspelled > 0 && is_too_short(text, &typed) {
        return Found::default();
    }
    let mut names = BTreeSet::new();
    for reading in &mut readings {
        reading.sort();
        names.extend(all.of(reading));
    }
    let words = match readings.as_slice() {
        [reading] if names.is_empty() => Some(bag(reading, Weight::Frequency).0),
        _ => None,
    };
    let names = names.into_iter().map(str::to_owned).collect();
    Found { names, words }
}

/// Whether a slip in a text may make another name of it: of an identifier, or of the one short word that tells anything.
fn is_too_short(text: &str, typed: &[Token]) -> bool {
    let is_identifier = !text.trim().contains(char::is_whitespace) && !numbers(text).is_empty();
    let mut telling = typed.iter().filter(|t| t.weight == Weight::Telling);
    let only = telling.next().filter(|_| telling.next().is_none());
    is_identifier || only.is_some_and(|word| word.text.chars().count() < MIN_ALONE)
}

/// The frequency that a text asks for in a word.
pub(super) fn frequency(text: &str) -> Option<Frequency> {
    let text = spaced(text);
    let mut codes = words(&text).filter_map(|word| {
        let (weight, code) = SAID.get(word.as_str())?;
        (*weight == Weight::Frequency && !code.is_empty()).then_some(*code)
    });
    codes.next()?.parse().ok()
}

/// Whether all of these numbers stand in the identifier or title of a series, or in another name of it.
pub(super) fn has(info: &SeriesInfo, wanted: &[String]) -> bool {
    let names = Names::embedded().aliases();
    let names = names.filter(|(_, other)| other.id == info.id);
    let mut names = names
        .map(|(name, _)| name)
        .chain([info.id.as_str(), &info.title]);
    wanted.is_empty()
        || names.any(|name| {
            let has = numbers(name);
            wanted.iter().all(|number| has.contains(number))
        })
}

/// The numbers in a text: a tenor of ten years is none of thirty.
pub(super) fn numbers(text: &str) -> Vec<String> {
    let all = tokens(text).into_iter().map(|token| token.text);
    all.filter(|word| word.chars().all(|c| c.is_ascii_digit()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_table_is_read() {
        let text = include_str!("../../../data/words.csv");
        for (line, row) in table::rows::<3>(text) {
            let row = row.unwrap();
            assert!(said(row).is_some(), "line {line}: {row:?}");
            let [word, class, instead] = row;
            let loops =
                class == "same" && SAID.get(instead).is_some_and(|s| s.0 == Weight::Telling);
            assert!(!loops, "line {line}: {word}");
            assert_eq!(words(word).collect::<Vec<_>>(), [word], "line {line}");
        }
        assert_eq!(SAID.len(), text.lines().count() - 1, "a word stands twice");
    }

    #[test]
    fn words_are_one_in_any_order_and_spelling() {
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
        assert_eq!(find("blockchain"), Found::default());
        let gas = find("average gas prices in the US");
        assert_eq!((gas.names, gas.words), (vec!["gas price".into()], None));
    }
}
