//! The terms that a text mentions.
//!
//! Whole words only, in any case, with plural and singular taken as one: "rate cuts" mentions "rate cut",
//! "scuttlebutt" does not mention "cut". A term counts once per text.

use std::collections::{BTreeSet, HashMap};

/// Searchable terms, each under several names.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    names: Vec<String>,
    /// Phrases with the number of their term, by their first word.
    phrases: HashMap<String, Vec<(Vec<String>, usize)>>,
}

impl Vocabulary {
    /// Builds a vocabulary from each term's name with its aliases. Names without a letter or digit are ignored.
    pub fn new<'a, A>(terms: impl IntoIterator<Item = (&'a str, A)>) -> Self
    where
        A: IntoIterator<Item = &'a str>,
    {
        let mut vocabulary = Self::default();
        for (term, (name, aliases)) in terms.into_iter().enumerate() {
            vocabulary.names.push(name.to_owned());
            for phrase in std::iter::once(name).chain(aliases) {
                let words: Vec<String> = words(phrase).collect();
                if let Some(first) = words.first().cloned() {
                    let phrases = vocabulary.phrases.entry(first).or_default();
                    phrases.push((words, term));
                }
            }
        }
        vocabulary
    }

    /// Returns the number of terms.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the name of a term by its number.
    pub fn name(&self, term: usize) -> &str {
        self.names.get(term).map_or("", String::as_str)
    }

    /// Returns the numbers of the terms that `text` mentions, ascending.
    pub fn mentioned(&self, text: &str) -> Vec<usize> {
        let words: Vec<String> = words(text).collect();
        let mut terms = BTreeSet::new();
        for (i, word) in words.iter().enumerate() {
            let rest = words.get(i..).unwrap_or(&[]);
            let phrases = self.phrases.get(word).into_iter().flatten();
            let matches = phrases.filter(|(phrase, _)| rest.starts_with(phrase));
            terms.extend(matches.map(|(_, term)| *term));
        }
        terms.into_iter().collect()
    }
}

/// Splits a text into words in lower case without the plural's s.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(|word| {
            let lower = word.to_lowercase();
            let is_plural = lower.len() > 3 && !lower.ends_with("ss");
            match lower.strip_suffix('s') {
                Some(singular) if is_plural => singular.to_owned(),
                _ => lower,
            }
        })
}
