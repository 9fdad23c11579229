//! The words of a name: one tokenizer, and the table of words with a meaning of their own (`data/words.csv`).

use econoscope_core::model::table;
use econoscope_core::model::words::{Spelling, singular};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use strum::EnumString;

/// Most words that are read; a long question has some fifteen.
const MAX_WORDS: usize = 24;
/// Most characters that are read.
const MAX_TEXT: usize = 160;
/// The years that a number of four digits may be.
const YEARS: std::ops::RangeInclusive<u32> = 1776..=2099;

/// What a word does in a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Kind {
    /// Part of an item's name.
    #[strum(serialize = "same")]
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
    #[strum(disabled)]
    Tenor,
    /// A part of the people, or a place other than the United States.
    Part,
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
type Rule = (Vec<String>, Vec<Token>);

/// The rules by their first word, the longest first.
type Rules = HashMap<String, Vec<Rule>>;

const TABLE: &str = include_str!("../../data/words.csv");

/// A place: its name, kind, words, whether titles have it, postal code, and the place that it lies in.
type Place = [&'static str; 6];

/// The places by name (`data/places.csv`).
static PLACES: LazyLock<HashMap<&str, Place>> = LazyLock::new(|| {
    let all = table::embedded(include_str!("../../data/places.csv"));
    all.map(|place: Place| (place[0], place)).collect()
});

/// Returns the place that a place lies in: the state of a city, the region of a state.
pub(super) fn place_around(name: &str) -> Option<&'static str> {
    let [.., around] = PLACES.get(name)?;
    Some(*around).filter(|around| !around.is_empty())
}

/// Returns a text with the state of a postal code in capitals at its start or end: "IN unemployment". Other words may look
/// like codes, so a text all in capitals has none.
pub(super) fn with_state(text: &str) -> Option<String> {
    let name = text.trim().trim_end_matches(['?', '.']);
    let state = |code: &str| {
        let has_code = |place: &&Place| code.len() == 2 && place[4] == code;
        PLACES.values().find(has_code).map(|place| place[0])
    };
    let is_mixed = name.contains(|c: char| c.is_ascii_lowercase());
    let (before, last) = name.rsplit_once(' ').filter(|_| is_mixed)?;
    if let Some(state) = state(last) {
        return Some(format!("{before} {state}"));
    }
    let (first, after) = name.split_once(' ')?;
    Some(format!("{} {after}", state(first)?))
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let places = PLACES.values().flat_map(|[name, _, words, ..]| {
        // A city is its own name; a state or country has one for all its words.
        let text = move |word| if name.starts_with("a ") { word } else { *name };
        words.split('|').map(move |word| [word, "part", text(word)])
    });
    let all: Vec<[&str; 3]> = table::embedded(TABLE).chain(places).collect();
    let mut rules = Rules::new();
    // What another word is the same as may have a role of its own.
    for is_same in [false, true] {
        let chosen = all
            .iter()
            .filter(|[_, kind, _]| (*kind == "same") == is_same);
        let read: Vec<Rule> = chosen.filter_map(|row| rule(&rules, *row)).collect();
        for rule in read {
            let first = rule.0.first().cloned().unwrap_or_default();
            let same = rules.entry(first).or_default();
            same.push(rule);
            same.sort_by_key(|(words, _)| Reverse(words.len()));
        }
    }
    rules
});

fn rule(rules: &Rules, [phrase, word, instead]: [&str; 3]) -> Option<Rule> {
    let kind: Kind = word.parse().ok()?;
    let tokens = if kind == Kind::Word {
        apply(rules, &split(instead))
    } else {
        let text = if instead.is_empty() { phrase } else { instead }.to_owned();
        let typed = phrase.to_owned();
        vec![Token { text, typed, kind }]
    };
    Some((split(phrase), tokens))
}

/// Words that stand for a number or the unit of a duration.
static FORMS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let forms = table::embedded(TABLE).filter(|[_, kind, _]| *kind == "form");
    forms.map(|[word, _, form]| (word, form)).collect()
});

/// Returns the words of the table that a misspelled word may be: no courtesies and no operators.
pub(super) fn known() -> impl Iterator<Item = &'static String> {
    let is_free = |t: &Token| matches!(t.kind, Kind::Word | Kind::Head | Kind::Transform);
    let all = RULES.values().flatten();
    let rules = all.filter(move |(_, tokens)| tokens.iter().all(is_free));
    rules.flat_map(|(words, _)| words)
}

/// Splits a text into words with their roles.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = apply(&RULES, &split(text));
    tokens.truncate(MAX_WORDS);
    tokens
}

/// Reads words by the rules, the longest phrase first.
fn apply(rules: &Rules, words: &[String]) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::with_capacity(words.len());
    let mut rest = words;
    while let Some((first, others)) = rest.split_first() {
        let same = rules.get(first).into_iter().flatten();
        let rule = { same }.find(|(words, _)| rest.starts_with(words));
        if let Some((words, read)) = rule {
            let typed = words.join(" ");
            let read = read.iter().cloned();
            tokens.extend(read.map(|token| Token {
                typed: typed.clone(),
                ..token
            }));
            rest = rest.get(words.len()..).unwrap_or(&[]);
            continue;
        }
        let is_in = |word: &str, list: &[&str]| list.iter().any(|one| word.ends_with(one));
        let after = tokens.last().map_or("", |token| &token.typed);
        let before = others.first().map_or("", String::as_str);
        let is_span =
            is_in(after, &["last", "past", "previous"]) || is_in(before, &["of", "history", "ago"]);
        tokens.push(Token {
            kind: match unit(first) {
                Some(_) if !is_span => Kind::Tenor,
                None if !is_year(first) && !first.starts_with('@') => Kind::Word,
                _ => Kind::Time,
            },
            text: first.clone(),
            typed: first.trim_start_matches('@').to_owned(),
        });
        rest = others;
    }
    tokens
}

fn is_year(word: &str) -> bool {
    word.parse()
        .is_ok_and(|year| word.len() == 4 && YEARS.contains(&year))
}

/// Returns the number and the unit of a duration such as `10y`.
pub(super) fn unit(word: &str) -> Option<(u32, char)> {
    let unit = word.chars().last().filter(|c| "ymwdq".contains(*c))?;
    Some((word.strip_suffix(unit)?.parse().ok()?, unit))
}

/// Splits a text into words in the singular: letters and digits apart, durations joined (`10-Year` is `10y`), single
/// letters joined with their number (`U-3` is `u3`), dates as one word after `@`.
fn split(text: &str) -> Vec<String> {
    let end = text.floor_char_boundary(MAX_TEXT);
    let mut words: Vec<String> = Vec::new();
    for part in text.get(..end).unwrap_or("").split_whitespace() {
        let numbers = part
            .split(['-', '/', '.'])
            .filter(|n| n.parse::<u16>().is_ok());
        if part == "-" {
            words.push("minus".into());
        } else if numbers.count() == 3 {
            words.push(format!("@{part}"));
        } else {
            let letters: Vec<char> = part.to_lowercase().chars().filter_map(fold).collect();
            let class = |c: &char| (c.is_alphabetic(), c.is_ascii_digit());
            for run in letters.chunk_by(|a, b| class(a) == class(b)) {
                push(&mut words, run.iter().collect());
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

/// Adds a word, joined with the number before or the letter before it; of other characters only marks between names.
fn push(words: &mut Vec<String>, word: String) {
    let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    let is_letter = |word: &str| word.len() == 1 && word.bytes().all(|b| b.is_ascii_lowercase());
    let form = FORMS.get(word.as_str()).copied().unwrap_or(&word);
    let is_unit = is_letter(form) && "ymwdq".contains(form);
    match words.last_mut() {
        _ if !word.contains(char::is_alphanumeric) => {
            let marks = [',', '/', '+']
                .into_iter()
                .filter(|mark| word.contains(*mark));
            words.extend(marks.map(String::from));
        }
        Some(last) if is_unit && is_number(last) && last.len() <= 3 => *last += form,
        Some(last) if is_number(form) && is_letter(last) => *last += form,
        _ if is_number(form) => words.push(form.to_owned()),
        _ => words.push(singular(word)),
    }
}

/// Whether a word is an English one that is spelled like one of ours: no typo.
pub(super) fn is_english(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> =
        LazyLock::new(|| include_str!("../../data/english.txt").lines().collect());
    WORDS.contains(word)
}

/// Returns the words of `known` that a misspelled word may mean: with one edit, from eight letters on with two, and the
/// same first letter unless letters are swapped. An English word is none.
pub(super) fn readings<'a>(word: &str, known: &'a [Spelling]) -> Vec<&'a str> {
    let letters = word.chars().count();
    let is_word = |text: &str| text.chars().all(char::is_alphabetic);
    if letters < 3 || !is_word(word) || is_english(word) {
        return Vec::new();
    }
    let typed = Spelling::new(word.to_owned());
    let most = if letters >= 8 { 2 } else { 1 };
    let names = known.iter().filter(|other| is_word(other.text()));
    let close = names.filter_map(|other| {
        let [edits, different, gap] = typed.distance(other)?;
        let is_alike = other.text().chars().next() == word.chars().next();
        let is_swap = different == 0 && gap == 0;
        let is_near = edits <= most && (is_swap || is_alike && letters >= 4);
        is_near.then_some((edits, other.text()))
    });
    let near: Vec<_> = close.collect();
    let least = near.iter().map(|(edits, _)| *edits).min();
    let nearest = near.into_iter().filter(|(edits, _)| Some(*edits) == least);
    nearest.map(|(_, text)| text).collect()
}
