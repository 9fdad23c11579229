//! Which terms a text mentions.
//!
//! Whole words only, in any case, with plural and singular taken as one: "rate cuts" mentions "rate cut",
//! "scuttlebutt" does not mention "cut". A term is mentioned once however often it stands there.

use std::collections::{BTreeSet, HashMap};

/// Terms that are looked for, each under several names.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    names: Vec<String>,
    /// Phrases by their first word.
    phrases: HashMap<String, Vec<Phrase>>,
}

#[derive(Debug, Clone)]
struct Phrase {
    words: Vec<String>,
    term: usize,
}

impl Vocabulary {
    /// Takes each term's name with its aliases. Names without a letter or digit are passed over.
    pub fn new<'a, A>(terms: impl IntoIterator<Item = (&'a str, A)>) -> Self
    where
        A: IntoIterator<Item = &'a str>,
    {
        let mut vocabulary = Self::default();
        for (name, aliases) in terms {
            let term = vocabulary.names.len();
            vocabulary.names.push(name.to_owned());
            for phrase in std::iter::once(name).chain(aliases) {
                let words: Vec<String> = words(phrase).collect();
                if let Some(first) = words.first().cloned() {
                    let phrases = vocabulary.phrases.entry(first).or_default();
                    phrases.push(Phrase { words, term });
                }
            }
        }
        vocabulary
    }

    /// How many terms there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of a term by its number.
    pub fn name(&self, term: usize) -> &str {
        self.names.get(term).map_or("", String::as_str)
    }

    /// Numbers of the terms that stand in `text`, ascending.
    pub fn mentioned(&self, text: &str) -> Vec<usize> {
        let words: Vec<String> = words(text).collect();
        let places = words.iter().enumerate();
        let found = places.flat_map(|(i, word)| {
            let here = words.get(i..).unwrap_or(&[]);
            let phrases = self.phrases.get(word).into_iter().flatten();
            let found = phrases.filter(|p| here.starts_with(&p.words));
            found.map(|p| p.term)
        });
        found.collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Words in lower case without the plural's s.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .map(|word| {
            let lower = word.to_lowercase();
            let plural = lower.len() > 3 && !lower.ends_with("ss");
            match lower.strip_suffix('s') {
                Some(singular) if plural => singular.to_owned(),
                _ => lower,
            }
        })
}
