//! The words of a name: one tokenizer, and the table of words with a meaning of their own (`data/words.csv`).

use econoscope_core::model::table;
use econoscope_core::model::words::Spelling;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Most words that are read; a long question has some fifteen.
const MAX_WORDS: usize = 24;
/// Most characters that are read.
const MAX_TEXT: usize = 160;
/// The years that a number of four digits may be.
const YEARS: std::ops::RangeInclusive<u32> = 1776..=2099;

/// What a word does in a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Part of an item's name.
    Word,
    /// Binds words; no name is told from another by it.
    Stop,
    /// A courtesy.
    Filler,
    /// What is measured: a rate, a price, an index.
    Head,
    /// A change, an average, an adjustment.
    Transform,
    /// An operator between two names.
    Operator,
    /// What follows is left out.
    Except,
    /// A day or period.
    Time,
    /// A duration: `10y`.
    Tenor,
    /// A part of the people.
    Group,
    /// A place other than the United States.
    Place,
}

impl Kind {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "same" => Self::Word,
            "stop" => Self::Stop,
            "filler" => Self::Filler,
            "head" => Self::Head,
            "transform" => Self::Transform,
            "minus" | "plus" | "over" | "share" | "and" | "difference" | "ratio" | "pair" => {
                Self::Operator
            }
            "except" => Self::Except,
            "time" => Self::Time,
            "group" => Self::Group,
            "place" => Self::Place,
            _ => return None,
        })
    }
}

/// A word with its role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// In one spelling: what the table says instead of it.
    pub(super) text: String,
    /// As typed.
    pub(super) typed: String,
    pub(super) kind: Kind,
}

/// A row of the table: words, and what they are read as.
struct Rule {
    words: Vec<String>,
    tokens: Vec<Token>,
}

/// The rules by their first word, the longest first.
static RULES: LazyLock<HashMap<String, Vec<Rule>>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../../data/words.csv"));
    // Tests check every row of both tables.
    let words = rows.filter_map(|(_, row): (_, Result<[&str; 3], String>)| row.ok());
    // A city is its own name; a state or country has one for all its words.
    let place = |[name, _, words, _]: [&'static str; 4]| {
        let own = move |word| if name.starts_with("a ") { word } else { name };
        words.split('|').map(move |word| [word, "place", own(word)])
    };
    let places = table::rows(include_str!("../../data/places.csv"));
    let places = places.filter_map(|(_, row)| row.ok()).flat_map(place);
    let all: Vec<[&str; 3]> = words.chain(places).collect();
    let mut rules = HashMap::new();
    // What another word is the same as may have a role of its own.
    for is_same in [false, true] {
        let rows = all.iter().filter(|row| (row[1] == "same") == is_same);
        let read: Vec<Rule> = rows.filter_map(|row| rule(&rules, *row)).collect();
        for rule in read {
            let first = rule.words.first().cloned().unwrap_or_default();
            let same: &mut Vec<Rule> = rules.entry(first).or_default();
            same.push(rule);
            same.sort_by_key(|rule| std::cmp::Reverse(rule.words.len()));
        }
    }
    rules
});

fn rule(rules: &HashMap<String, Vec<Rule>>, row: [&'static str; 3]) -> Option<Rule> {
    let [phrase, word, instead] = row;
    let words = split(phrase);
    let kind = Kind::parse(word)?;
    let tokens = if word == "same" {
        apply(rules, &split(instead))
    } else {
        let text = if instead.is_empty() { word } else { instead };
        vec![Token {
            text: if matches!(kind, Kind::Filler | Kind::Stop | Kind::Time) {
                phrase
            } else {
                text
            }
            .to_owned(),
            typed: phrase.to_owned(),
            kind,
        }]
    };
    (!words.is_empty()).then_some(Rule { words, tokens })
}

/// Splits a text into words with their roles.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = apply(&RULES, &split(text));
    tokens.truncate(MAX_WORDS);
    tokens
}

/// Reads words by the rules, the longest phrase first.
fn apply(rules: &HashMap<String, Vec<Rule>>, words: &[String]) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(words.len());
    let mut rest = words;
    while let Some((first, others)) = rest.split_first() {
        let rule = rules
            .get(first)
            .and_then(|rules| rules.iter().find(|rule| rest.starts_with(&rule.words)));
        match rule {
            Some(rule) => {
                let typed = rest.get(..rule.words.len()).unwrap_or(&[]).join(" ");
                tokens.extend(rule.tokens.iter().map(|token| Token {
                    typed: typed.clone(),
                    ..token.clone()
                }));
                rest = rest.get(rule.words.len()..).unwrap_or(&[]);
            }
            None => {
                let is_last = tokens
                    .last()
                    .is_some_and(|t| ["last", "past", "previous"].contains(&t.text.as_str()));
                let is_history = others
                    .first()
                    .is_some_and(|w| ["of", "history", "ago"].contains(&w.as_str()));
                tokens.push(Token {
                    kind: match unit(first) {
                        Some(_) if is_last || is_history => Kind::Time,
                        Some(_) => Kind::Tenor,
                        None if is_year(first) || first.starts_with('@') => Kind::Time,
                        None => Kind::Word,
                    },
                    text: first.clone(),
                    typed: first.trim_start_matches('@').to_owned(),
                });
                rest = others;
            }
        }
    }
    tokens
}

fn is_year(word: &str) -> bool {
    word.parse()
        .is_ok_and(|year: u32| word.len() == 4 && YEARS.contains(&year))
}

/// Returns the number and the unit of a duration such as `10y`.
pub(super) fn unit(word: &str) -> Option<(u32, char)> {
    let unit = word.chars().last().filter(|c| "ymwdq".contains(*c))?;
    Some((word.strip_suffix(unit)?.parse().ok()?, unit))
}

/// Splits a text into words in the singular: letters and digits apart, durations joined (`10-Year` is `10y`), single
/// letters joined with their number (`U-3` is `u3`), dates as one word after `@`.
fn split(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in text.split_whitespace().scan(0, |length, part| {
        *length += part.len() + 1;
        (*length <= MAX_TEXT).then_some(part)
    }) {
        if part == "-" {
            words.push("minus".into());
            continue;
        }
        if part
            .split(['-', '/', '.'])
            .filter(|n| n.len() <= 4 && n.parse::<u16>().is_ok())
            .count()
            == 3
        {
            words.push(format!("@{part}"));
            continue;
        }
        let folded: Vec<char> = part
            .chars()
            .flat_map(char::to_lowercase)
            .filter_map(fold)
            .collect();
        let class = |c: &char| (c.is_alphabetic(), c.is_ascii_digit());
        for run in folded.chunk_by(|a, b| class(a) == class(b)) {
            let word: String = run.iter().collect();
            if run.iter().all(|c| c.is_alphanumeric()) {
                push(&mut words, word);
            } else if let Some(mark) = [",", "/", "+"].into_iter().find(|mark| word.contains(mark))
            {
                words.push(if mark == "+" {
                    "plus".into()
                } else {
                    mark.into()
                });
            }
        }
    }
    if words.len() > 1 && words.last().is_some_and(|word| word == ",") {
        words.pop();
    }
    words
}

/// Lower-case letters without accents; apostrophes and ampersands separate nothing.
fn fold(c: char) -> Option<char> {
    Some(match c {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' | 'ø' => 'o',
        'ù'..='ü' => 'u',
        '\'' | '’' | '&' => return None,
        c => c,
    })
}

/// Adds a word, joined with the number before or the letter before it.
fn push(words: &mut Vec<String>, word: String) {
    let number = |word: &str| {
        let spelled = [
            "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        ];
        let small = spelled
            .iter()
            .zip(1u32..)
            .find(|(name, _)| **name == word)
            .map(|(_, n)| n);
        let large = [
            ("twelve", 12),
            ("fifteen", 15),
            ("twenty", 20),
            ("thirty", 30),
        ];
        small.or_else(|| {
            large
                .iter()
                .find(|(name, _)| *name == word)
                .map(|(_, n)| *n)
        })
    };
    let word = number(&word).map_or(word, |n| n.to_string());
    let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    let unit = match word.as_str() {
        "y" | "yr" | "yrs" | "year" | "years" | "s" => "y",
        "m" | "mo" | "mos" | "mth" | "month" | "months" => "m",
        "w" | "wk" | "wks" | "week" | "weeks" => "w",
        "d" | "day" | "days" => "d",
        "quarter" | "quarters" => "q",
        _ => "",
    };
    let previous = words.last_mut();
    match previous {
        Some(last) if is_number(last) && !unit.is_empty() && last.len() <= 3 => *last += unit,
        Some(last)
            if is_number(&word)
                && last.len() == 1
                && last.starts_with(|c: char| c.is_ascii_lowercase()) =>
        {
            *last += &word
        }
        _ => words.push(singular(word)),
    }
}

fn singular(word: String) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() >= 3) {
        return format!("{stem}y");
    }
    match word.strip_suffix('s') {
        Some(stem) if stem.len() >= 3 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => word,
    }
}

/// Returns the words of `known` that a misspelled word may mean: with one edit, from eight letters on with two, and the
/// same first letter. An English word is none.
pub(super) fn readings<'a>(word: &str, known: impl Iterator<Item = &'a Spelling>) -> Vec<&'a str> {
    static ENGLISH: LazyLock<HashSet<&str>> =
        LazyLock::new(|| include_str!("../../data/english.txt").lines().collect());
    let letters = word.chars().count();
    let is_word = |text: &str| text.chars().all(char::is_alphabetic);
    if letters < 3 || !is_word(word) || ENGLISH.contains(word) {
        return Vec::new();
    }
    let typed = Spelling::new(word.to_owned());
    let near = known.filter_map(|other| {
        let is_alike = other.text().chars().next() == word.chars().next() && is_word(other.text());
        let [edits, different, gap] = typed.distance(other).filter(|_| is_alike)?;
        // Of a short word only letters may be swapped.
        let is_swap = different == 0 && gap == 0;
        let most = if letters >= 8 { 2 } else { 1 };
        (edits <= most && (letters >= 4 || is_swap)).then_some((edits, other.text()))
    });
    let mut near: Vec<_> = near.collect();
    near.sort_unstable();
    let least = near.first().map_or(0, |(edits, _)| *edits);
    near.into_iter()
        .filter(|(edits, _)| *edits == least)
        .map(|(_, text)| text)
        .collect()
}
