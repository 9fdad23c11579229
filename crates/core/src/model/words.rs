//! Comparison of texts: folded names, significant words and edit distances.

/// Characters of a name that are compared.
const MAX_NAME: usize = 80;

/// Words without a meaning of their own.
const STOP_WORDS: [&str; 24] = [
    "a", "an", "and", "are", "by", "do", "does", "for", "how", "in", "is", "it", "of", "on", "or",
    "s", "the", "to", "was", "what", "which", "who", "with", "i",
];

/// Reduces a name to lower-case letters and digits: "10-Year " and "10 year" are equal.
pub fn fold_name(name: &str) -> String {
    let chars = name.chars().filter(|c| c.is_alphanumeric());
    chars.flat_map(char::to_lowercase).take(MAX_NAME).collect()
}

/// Replaces each occurrence of a marker. `replace` gets the text after the marker and returns the replacement and the text to
/// continue with; with `None` the marker stays.
pub fn replace_markers<'a>(
    text: &'a str,
    marker: &str,
    replace: impl Fn(&'a str) -> Option<(String, &'a str)>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(marker) {
        let (replacement, tail) = replace(after).unwrap_or_else(|| (marker.to_owned(), after));
        out.push_str(before);
        out.push_str(&replacement);
        rest = tail;
    }
    out + rest
}

/// Iterates over the significant words of a text in lower case, in order.
pub fn keywords_as_spelled(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !STOP_WORDS.contains(&word.as_str()))
}

/// Iterates over the significant words of a text in lower case and singular, in order.
pub fn keywords(text: &str) -> impl Iterator<Item = String> {
    keywords_as_spelled(text).map(singular)
}

/// Returns a word in the singular: "counties" is "county", "claims" is "claim"; "gas" and "basis" stay.
pub fn singular(word: String) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() >= 3) {
        return format!("{stem}y");
    }
    match word.strip_suffix('s') {
        Some(stem) if stem.len() >= 3 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => word,
    }
}

/// A word with features that quickly exclude words at a large edit distance. Computing the distance costs a thousand times as
/// much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    text: String,
    length: usize,
    /// A bit for each letter of the word; letters whose code points differ by a multiple of 64 share one, and
    /// so do `0` and `o`.
    letters: u64,
}

impl Spelling {
    /// Computes the features of a word.
    pub fn new(text: String) -> Self {
        let letters = text.chars().map(|c| if c == '0' { 'o' } else { c });
        let bits = letters.map(|c| 1 << (u32::from(c) % 64));
        Self {
            length: text.chars().count(),
            letters: bits.fold(0, |all, bit: u64| all | bit),
            text,
        }
    }

    /// Returns the word.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the edit distance (letters inserted, deleted, replaced or swapped with their neighbour); `None` if it is larger
    /// than the limit for a word of this length.
    pub fn edits(&self, other: &Self) -> Option<usize> {
        let max = match self.length {
            0..=1 => 0,
            2..=4 => 1,
            5..=11 => 2,
            _ => 3,
        };
        if !self.is_within(other, max) {
            return None;
        }
        let edits = strsim::osa_distance(&self.text, &other.text);
        (edits <= max).then_some(edits)
    }

    /// Returns how unlike the words are, for sorting: the edits, the letters that only one of them has, and the difference in
    /// length. A swapped or doubled letter adds no letter, a missing one one, another one two. `None` as for [`Self::edits`].
    pub fn distance(&self, other: &Self) -> Option<[usize; 3]> {
        let edits = self.edits(other)?;
        let gap = self.length.abs_diff(other.length);
        Some([edits, self.different_letters(other), gap])
    }

    fn different_letters(&self, other: &Self) -> usize {
        (self.letters ^ other.letters).count_ones() as usize
    }

    /// Returns whether the distance can be within `edits`: each edit changes the length by at most one, and removes and adds
    /// at most one letter.
    fn is_within(&self, other: &Self, edits: usize) -> bool {
        self.length.abs_diff(other.length) <= edits && self.different_letters(other) <= 2 * edits
    }
}

/// Returns the name most similar to a word, if it is similar enough.
pub fn nearest_name<'a>(names: impl Iterator<Item = &'a str>, word: &str) -> Option<&'a str> {
    let scores = names.map(|name| (strsim::jaro_winkler(name, word), name));
    let (score, name) = scores.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (score > 0.8).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_by_significant_words() {
        assert_eq!(fold_name(" 10-Year Öl"), "10yearöl");
        let words: Vec<String> = keywords("What is the ratio of Starts, U.S. & S&P?").collect();
        assert_eq!(words, ["ratio", "start", "u", "p"]);
        assert_eq!(singular("counties".into()), "county");
        assert_eq!(fold_name(&"x".repeat(500)).len(), MAX_NAME);
    }

    proptest::proptest! {
        #[test]
        fn words_within_the_distance_are_never_excluded(a in "[a-eé]{0,8}", b in "[a-eé]{0,8}", edits in 0usize..4) {
            if strsim::osa_distance(&a, &b) <= edits {
                let a = Spelling::new(a); let b = Spelling::new(b);
                assert!(a.is_within(&b, edits), "{a:?} {b:?}");
            }
        }
    }
}
