//! What may be said of how good the indicators were: sentences that `econoscope-score` prints from the record.
//!
//! Nobody types such a sentence. In a text of the glossary or an article `{record:CRPI}` stands for one.

use crate::model::table;
use std::borrow::Cow;
use std::sync::LazyLock;

static SENTENCES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let rows = table::rows(include_str!("../../data/record.csv"));
    // The file is fixed at build time and a test reads it, so none is lost here.
    rows.filter_map(|(_, row)| row.ok().map(|[name, text]| (name, text)))
        .collect()
});

/// A sentence of the record, by name: "CRPI", "CRPI AUC"; empty for a name that it does not have.
pub fn sentence(name: &str) -> &'static str {
    let mut all = SENTENCES.iter();
    all.find(|(known, _)| *known == name)
        .map_or("", |(_, text)| *text)
}

/// A text with its sentences of the record in place of their names.
pub fn filled(text: &str) -> Cow<'_, str> {
    if !text.contains("{record:") {
        return Cow::Borrowed(text);
    }
    let mut text = text.to_owned();
    for (name, sentence) in SENTENCES.iter() {
        text = text.replace(&format!("{{record:{name}}}"), sentence);
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_sentence_and_stands_where_it_is_named() {
        let rows = table::rows::<2>(include_str!("../../data/record.csv"));
        assert!(rows.into_iter().all(|(_, row)| row.is_ok()));
        for name in ["RNOW", "CRPI", "CRPI2"] {
            assert!(sentence(name).ends_with('.'), "{name}: {}", sentence(name));
        }
        let said = filled("Before. {record:CRPI} After.");
        assert_eq!(said, format!("Before. {} After.", sentence("CRPI")));
        assert_eq!(sentence("nothing"), "");
    }
}
