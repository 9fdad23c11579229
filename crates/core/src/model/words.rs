//! How texts are compared: folded names, words that carry a meaning, and how far two spellings are apart.

/// Longest name that is looked at, in characters.
const MAX_NAME: usize = 80;

/// Words that stand in every question and say nothing about what is asked.
const SMALL: [&str; 24] = [
    "a", "an", "and", "are", "by", "do", "does", "for", "how", "in", "is", "it", "of", "on", "or",
    "s", "the", "to", "was", "what", "which", "who", "with", "i",
];

/// Lower case, letters and digits alone: "10-Year " and "10 year" are one.
pub fn fold(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).take(MAX_NAME).collect()
}

/// A text with what stands after each mark read: something in place of both, and what follows it. The mark stays where
/// nothing is read.
pub fn rewritten<'a>(
    text: &'a str,
    mark: &str,
    read: impl Fn(&'a str) -> Option<(String, &'a str)>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(mark) {
        let (instead, tail) = read(after).unwrap_or_else(|| (mark.to_owned(), after));
        out.push_str(before);
        out.push_str(&instead);
        rest = tail;
    }
    out + rest
}

/// The words that carry a text's meaning, as they are spelled but in lower case, in the text's order.
pub fn spelled_words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !SMALL.contains(&word.as_str()))
}

/// The same without a plural's end.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    spelled_words(text).map(singular)
}

fn singular(mut word: String) -> String {
    if let Some(stem) = word.strip_suffix('s')
        && stem.len() >= 3
        && !stem.ends_with(['s', 'u', 'i'])
    {
        word.pop();
    }
    word
}

/// A name by its words alone: "what is the Sahm rule" and "Sahm rules" are one.
pub fn key(name: &str) -> String {
    words(name)
        .collect::<String>()
        .chars()
        .take(MAX_NAME)
        .collect()
}

/// A word, with what tells at once that another is many edits apart, which nearly all are: counting the edits
/// costs a thousand times as much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    text: String,
    length: usize,
    /// A bit for each letter in it; letters that are far apart in the alphabet may share one.
    letters: u64,
}

impl Spelling {
    /// Of a word.
    pub fn of(text: String) -> Self {
        let bits = text.chars().map(|c| 1 << (u32::from(c) % 64));
        Self {
            length: text.chars().count(),
            letters: bits.fold(0, |all, bit: u64| all | bit),
            text,
        }
    }

    /// The word.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Edits that make `other` of it (letters added, left out, changed, or exchanged with their neighbour);
    /// `None` when they are more than a word of its length is forgiven.
    pub fn edits(&self, other: &Self) -> Option<usize> {
        let forgiven = match self.length {
            0..=1 => 0,
            2..=4 => 1,
            5..=11 => 2,
            _ => 3,
        };
        if !self.may_be_within(other, forgiven) {
            return None;
        }
        let edits = strsim::osa_distance(&self.text, &other.text);
        (edits <= forgiven).then_some(edits)
    }

    /// Whether so many edits could make one of the other: each changes the length by one at most, and takes at
    /// most one letter out and one in.
    fn may_be_within(&self, other: &Self, edits: usize) -> bool {
        let differ = (self.letters ^ other.letters).count_ones() as usize;
        self.length.abs_diff(other.length) <= edits && differ <= 2 * edits
    }
}

/// The name that is most like a word, where any is like enough to have been meant.
pub fn nearest<'a>(names: impl Iterator<Item = &'a str>, word: &str) -> Option<&'a str> {
    let alike = names.map(|name| (strsim::jaro_winkler(name, word), name));
    let (likeness, name) = alike.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness > 0.8).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_by_the_words_that_mean_something() {
        assert_eq!(fold(" 10-Year Öl"), "10yearöl");
        let found: Vec<String> = words("What is the ratio of Starts, U.S. & S&P?").collect();
        assert_eq!(found, ["ratio", "start", "u", "p"]);
        assert_eq!(key("what is the Sahm rule"), key("Sahm Rules"));
        assert_eq!(fold(&"x".repeat(500)).len(), MAX_NAME);
    }

    proptest::proptest! {
        #[test]
        fn what_may_not_be_near_is_not(a in "[a-eé]{0,8}", b in "[a-eé]{0,8}", edits in 0usize..4) {
            if strsim::osa_distance(&a, &b) <= edits {
                let (a, b) = (Spelling::of(a), Spelling::of(b));
                assert!(a.may_be_within(&b, edits), "{a:?} {b:?}");
            }
        }
    }
}
