//! Sentences on the skill of the indicators, with figures from the tables of the record.

use econoscope_core::error::{Error, Result};
use econoscope_core::model::table;
use econoscope_core::model::words::replace_markers;
use econoscope_desk::scores::Scores;

/// The templates: name, indicator and text. In a text `{row|column}` stands for a cell in the tables of the indicator, and
/// `{recessions followed, FIT|30}` for a count of [`recession_count`].
const TEMPLATES: &str = include_str!("../data/sentences.csv");

/// The row of a placeholder for a count; the fit follows.
const COUNTS: &str = "recessions followed, ";

/// Renders the sentences as the embedded file: CSV of name and text.
///
/// # Errors
/// [`Error::Internal`] if the tables lack a figure, [`Error::BadFile`] if a template is malformed.
pub fn sentences(scores: &Scores) -> Result<String> {
    let mut file = "name,text\n".to_owned();
    for (line, row) in table::rows(TEMPLATES) {
        let [name, indicator, template] = row
            .map_err(|problem| Error::bad_line("crates/score/data/sentences.csv", line, problem))?;
        let text = replace_markers(template, "{", |after| {
            let (placeholder, rest) = after.split_once('}')?;
            let (row, column) = placeholder.split_once('|')?;
            let figure = match row.strip_prefix(COUNTS) {
                Some(fit) => recession_count(scores, fit, column)?,
                None => cell(scores, indicator, row, column)?.to_owned(),
            };
            Some((figure, rest))
        });
        // A placeholder without a figure stays in the text.
        if text.contains('{') {
            return Err(Error::internal("filling a sentence of the record", text));
        }
        file += &format!("{name},\"{text}\"\n");
    }
    Ok(file)
}

/// Returns the cell of an indicator's first row of this name that has the column.
fn cell<'a>(scores: &'a Scores, indicator: &str, row: &str, column: &str) -> Option<&'a str> {
    let tables = scores.tables.iter().filter(|t| t.indicator == indicator);
    let mut cells = tables.filter_map(|table| {
        let index = table.columns.iter().position(|c| c == column)?;
        let mut rows = table.rows.iter();
        rows.find(|cells| cells.first().is_some_and(|name| name == row))?
            .get(index)
    });
    cells.next().map(String::as_str)
}

/// Returns in how many months a recession followed, by the probability of CRPI with a fit of the tables: `from` 0, 15, 30 or
/// 50 %, up to the next of these bounds.
fn recession_count(scores: &Scores, fit: &str, from: &str) -> Option<String> {
    let title = format!("what it said, {fit}, and what share came, the same months");
    let mut tables = scores.tables.iter();
    let table = tables.find(|t| t.indicator == "CRPI" && t.title == title)?;
    let to = match from {
        "0" => 15.0,
        "15" => 30.0,
        "30" => 50.0,
        _ => 100.0,
    };
    let range = from.parse().ok()?..to;
    let mut months = 0.0;
    let mut recessions = 0.0;
    for row in &table.rows {
        let [edge, months_at_edge, _, share] = row.as_slice() else {
            return None;
        };
        if range.contains(&edge.trim_end_matches(" %").parse::<f64>().ok()?) {
            let count: f64 = months_at_edge.parse().ok()?;
            months += count;
            recessions += count * format!("0{share}").parse::<f64>().ok()?;
        }
    }
    Some(format!("{recessions:.0} of {months:.0}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_of_the_embedded_record_are_the_embedded_ones() {
        let embedded = include_str!("../../core/data/record.csv");
        assert_eq!(sentences(Scores::embedded()).unwrap(), embedded);
        assert!(sentences(&Scores::default()).is_err());
    }

    #[test]
    fn sentence_of_a_refit_counts_the_months_of_that_refit() {
        // As an independent program counts them, both equations refitted.
        let count = |from| recession_count(Scores::embedded(), "both equations refitted", from);
        assert_eq!(count("30").unwrap(), "34 of 42");
        assert_eq!(count("50").unwrap(), "7 of 31");
        let crpi = TEMPLATES
            .lines()
            .find(|line| line.starts_with("CRPI,"))
            .unwrap();
        assert!(crpi.contains("both equations refitted|30}"), "{crpi}");
        assert!(!crpi.contains("followed, these constants"), "{crpi}");
    }
}
