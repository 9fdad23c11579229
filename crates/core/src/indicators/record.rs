//! Sentences about the track record of the indicators, printed by `econoscope-score`.
//!
//! No such sentence is written by hand. In a text of the glossary or an article `{record:CRPI}` stands for one.

use super::prose::lowercase_first;
use crate::model::words::replace_markers;
use crate::model::{Date, table};
use std::sync::LazyLock;

static SENTENCES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let rows = table::embedded(include_str!("../../data/record.csv"));
    rows.map(<(_, _)>::from).collect()
});

/// Returns a sentence of the record by its name ("CRPI", "CRPI AUC"); empty for an unknown name.
pub fn sentence(name: &str) -> &'static str {
    let mut sentences = SENTENCES.iter();
    sentences
        .find(|(known, _)| *known == name)
        .map_or("", |(_, text)| *text)
}

/// The last whole year in the record of the recession indices.
pub const LAST_SCORED: i16 = 2024;

/// The last whole year in the studies of the other indices (docs/COMPOSITES.md).
pub const LAST_STUDIED: i16 = 2025;

/// Returns a sentence that counts years up to `last_year`, for a reading of `date`: it says so where it counts later years.
pub fn counted(text: &str, date: Date, last_year: i16) -> String {
    if date.year() > last_year {
        return text.to_owned();
    }
    format!("Counted with later years: {}", lowercase_first(text))
}

/// Whether a text has a sentence of the record, or is a part of one.
pub fn contains(text: &str) -> bool {
    let text_alone = text.trim();
    let is_part = |sentence: &str| text_alone.len() > 20 && sentence.contains(text_alone);
    let mut sentences = SENTENCES.iter().filter(|row| row.1.len() > 20);
    sentences.any(|row| text.contains(row.1) || is_part(row.1))
}

/// Replaces the placeholders of a text with sentences of the record; an unknown one stays.
pub fn fill_placeholders(text: &str) -> String {
    replace_markers(text, "{record:", |rest| {
        let (name, tail) = rest.split_once('}')?;
        Some((sentence(name).to_owned(), tail)).filter(|(text, _)| !text.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_replaced_by_sentences() {
        let rows = table::rows::<2>(include_str!("../../data/record.csv"));
        assert!(rows.into_iter().all(|(_, row)| row.is_ok()));
        for name in ["RNOW", "CRPI", "CRPI2"] {
            assert!(sentence(name).ends_with('.'), "{name}: {}", sentence(name));
        }
        let text = fill_placeholders("Before. {record:CRPI} After.");
        assert_eq!(text, format!("Before. {} After.", sentence("CRPI")));
        assert_eq!(sentence("nothing"), "");
    }

    #[test]
    fn sentence_of_a_past_day_says_that_it_counts_later_years() {
        let on = |year| counted("Out of sample.", jiff::civil::date(year, 1, 1), 2024);
        assert_eq!(on(2025), "Out of sample.");
        assert_eq!(on(2024), "Counted with later years: out of sample.");
    }
}
