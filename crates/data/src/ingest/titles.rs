//! Lists of titles: a CSV file that says what series are called, not what they were.
//!
//! The first line names at least `series_id`, `title` and `frequency`, and no `date` and no `value`; `units`,
//! `seasonal_adjustment` (`SA`, `SAAR`, `NSA`) and `source` may follow. FRED's own lists of series fit.

use super::table::{Broken, first_line};
use crate::store::Description;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::quote;
use econoscope_core::model::{SeriesId, untrusted};
use serde::Deserialize;

/// Most letters of a title, and of a unit or source.
const MAX_TITLE: usize = 300;
const MAX_WORDS: usize = 120;

#[derive(Deserialize)]
struct Row {
    series_id: String,
    title: String,
    frequency: String,
    #[serde(default)]
    units: String,
    #[serde(default)]
    seasonal_adjustment: String,
    #[serde(default)]
    source: String,
}

/// Whether the first line is that of a list of titles.
pub(super) fn is_list(bytes: &[u8]) -> bool {
    let names = first_line(bytes);
    let has = |name: &str| names.iter().any(|n| n == name);
    has("series_id") && has("title") && !has("date") && !has("value")
}

/// Reads a list; series of the built-in catalogue keep the title they have there.
///
/// # Errors
/// [`Broken`] with the first line that cannot be read; then none of the list is to be used.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Description>, Broken> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .from_reader(bytes);
    let names = csv::StringRecord::from(first_line(bytes));
    let mut all = Vec::new();
    for row in reader.records().skip(1) {
        // The header is the first line; a title may hold a line break, then the count is of rows.
        let line = u32::try_from(all.len() + 2).unwrap_or(u32::MAX);
        let row = row.and_then(|row| row.deserialize::<Row>(Some(&names)));
        let read = row.map_err(|e| problem(&e)).and_then(described);
        all.push(read.map_err(|problem| Broken { line, problem })?);
    }
    all.retain(|d| Catalogue::embedded().get(d.id.as_str()).is_none());
    Ok(all)
}

fn problem(error: &csv::Error) -> String {
    let words = if let csv::ErrorKind::Deserialize { err, .. } = error.kind() {
        err.to_string()
    } else {
        error.to_string()
    };
    untrusted::line(&words, MAX_WORDS)
}

fn described(row: Row) -> Result<Description, String> {
    let id = SeriesId::new(&row.series_id)
        .map_err(|_| format!("\"{}\" is not a series identifier", quote(&row.series_id)))?;
    let frequency = row.frequency.parse().map_err(|()| {
        let frequency = quote(&row.frequency);
        format!("\"{frequency}\" is not a frequency like M or monthly")
    })?;
    Ok(cleaned(Description {
        id,
        title: row.title,
        units: row.units,
        frequency,
        seasonally_adjusted: is_adjusted(&row.seasonal_adjustment),
        source: row.source,
    }))
}

/// A description by others, fit to be shown.
pub(super) fn cleaned(given: Description) -> Description {
    Description {
        title: untrusted::line(&given.title, MAX_TITLE),
        units: untrusted::line(&given.units, MAX_WORDS),
        source: untrusted::line(&given.source, MAX_WORDS),
        ..given
    }
}

/// Whether FRED's short form says that the figures are seasonally adjusted: `SA`, `SAAR`, `SSA`.
pub(super) fn is_adjusted(short: &str) -> bool {
    let short = short.trim().to_ascii_uppercase();
    short.contains("SA") && !short.starts_with('N')
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::model::Frequency;

    #[test]
    fn a_list_is_told_by_its_first_line_and_read() {
        let text = "\u{feff}Series_ID,Title,Frequency,Units,Seasonal_Adjustment\r\n\
            txur,\"Unemployment Rate, Texas\",M,Percent,SA\r\nDGS10,x,D,%,NSA\r\n\
            CAUR,Unemployment\u{202e} Rate,monthly,,NSA\r\n";
        assert!(is_list(text.as_bytes()));
        let read = read(text.as_bytes()).unwrap();
        let told: Vec<_> = read
            .iter()
            .map(|d| (d.id.as_str(), d.title.as_str(), d.seasonally_adjusted))
            .collect();
        assert_eq!(
            told,
            [
                ("TXUR", "Unemployment Rate, Texas", true),
                ("CAUR", "Unemployment Rate", false)
            ]
        );
        assert_eq!(read[1].frequency, Frequency::Monthly);
        assert!(!is_list(b"series_id,date,value\n") && !is_list(b"DATE,DGS10\n"));
        assert!(!is_list(b"series_id,title,date,value\n") && !is_list(b""));
    }

    #[test]
    fn a_bad_line_is_named() {
        let said = |text: &str| {
            let broken = read(text.as_bytes()).unwrap_err();
            format!("{}: {}", broken.line, broken.problem)
        };
        let bad = "series_id,title,frequency\nA,a,M\nB,b,sometimes\n";
        assert_eq!(
            said(bad),
            "3: \"sometimes\" is not a frequency like M or monthly"
        );
        let bad = "series_id,title,frequency\n../x,a,M\n";
        assert!(said(bad).starts_with("2: \"../x\" is not a series id"));
        assert!(said("series_id,title\nA,a\n").contains("frequency"));
    }
}
