//! Title lists: CSV files that describe series, without figures.
//!
//! The header contains at least `series_id`, `title` and `frequency`, and neither `date` nor `value`; `units`,
//! `seasonal_adjustment` (`SA`, `SAAR`, `NSA`) and `source` are optional. FRED's own lists of series have this form.

use super::table::{self, LineError};
use crate::store::Description;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::quote;
use econoscope_core::model::untrusted;
use serde::Deserialize;

/// Most letters of a title.
const MAX_TITLE: usize = 300;
/// Most letters of a unit, a source or an error.
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

/// Whether a file has the header of a title list.
pub(super) fn is_title_list(bytes: &[u8]) -> bool {
    let names = table::header(bytes);
    let has = |name: &str| names.iter().any(|n| n == name);
    has("series_id") && has("title") && !has("date") && !has("value")
}

/// Parses a title list, without the series of the built-in catalogue.
///
/// # Errors
/// [`LineError`] with the first line that cannot be parsed; then no line is used.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Description>, LineError> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(bytes);
    reader.set_headers(csv::StringRecord::from(table::header(bytes)));
    let mut all = Vec::new();
    // The line counts rows, because a quoted title may contain line breaks.
    for (row, line) in reader.deserialize::<Row>().skip(1).zip(2..) {
        let description = row.map_err(|e| csv_problem(&e)).and_then(to_description);
        all.push(description.map_err(|problem| LineError { line, problem })?);
    }
    all.retain(|d| Catalogue::embedded().get(d.id.as_str()).is_none());
    Ok(all)
}

fn csv_problem(error: &csv::Error) -> String {
    let text = if let csv::ErrorKind::Deserialize { err, .. } = error.kind() {
        err.to_string()
    } else {
        error.to_string()
    };
    untrusted::clean_line(&text, MAX_WORDS)
}

fn to_description(row: Row) -> Result<Description, String> {
    let id = table::parse_id(row.series_id.as_bytes())?;
    let frequency = row.frequency.parse().map_err(|()| {
        let frequency = quote(&row.frequency);
        format!("\"{frequency}\" is not a frequency like M or monthly")
    })?;
    Ok(clean(Description {
        id,
        title: row.title,
        units: row.units,
        frequency,
        seasonally_adjusted: is_adjusted(&row.seasonal_adjustment),
        source: row.source,
    }))
}

/// Sanitises the untrusted text of a description.
pub(super) fn clean(description: Description) -> Description {
    Description {
        title: untrusted::clean_line(&description.title, MAX_TITLE),
        units: untrusted::clean_line(&description.units, MAX_WORDS),
        source: untrusted::clean_line(&description.source, MAX_WORDS),
        ..description
    }
}

/// Whether FRED's abbreviation means seasonally adjusted: `SA`, `SAAR`, `SSA`.
pub(super) fn is_adjusted(abbreviation: &str) -> bool {
    let text = abbreviation.trim().to_ascii_uppercase();
    text.contains("SA") && !text.starts_with('N')
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::model::Frequency;

    #[test]
    fn title_list_is_recognised_by_its_header() {
        let text = "\u{feff}Series_ID,Title,Frequency,Units,Seasonal_Adjustment\r\n\
            zztx,\"Unemployment Rate, Texas\",M,Percent,SA\r\nDGS10,x,D,%,NSA\r\n\
            ZZCA,Unemployment\u{202e} Rate,monthly,,NSA\r\n";
        assert!(is_title_list(text.as_bytes()));
        let list = parse(text.as_bytes()).unwrap();
        let fields: Vec<_> = list
            .iter()
            .map(|d| (d.id.as_str(), d.title.as_str(), d.seasonally_adjusted))
            .collect();
        assert_eq!(
            fields,
            [
                ("ZZTX", "Unemployment Rate, Texas", true),
                ("ZZCA", "Unemployment Rate", false)
            ]
        );
        assert_eq!(list[1].frequency, Frequency::Monthly);
        assert!(!is_title_list(b"series_id,date,value\n") && !is_title_list(b"DATE,DGS10\n"));
        assert!(!is_title_list(b"series_id,title,date,value\n") && !is_title_list(b""));
    }

    #[test]
    fn error_names_the_bad_line() {
        let error_of = |text: &str| {
            let error = parse(text.as_bytes()).unwrap_err();
            format!("{}: {}", error.line, error.problem)
        };
        let bad = "series_id,title,frequency\nA,a,M\nB,b,sometimes\n";
        assert_eq!(
            error_of(bad),
            "3: \"sometimes\" is not a frequency like M or monthly"
        );
        let bad = "series_id,title,frequency\n../x,a,M\n";
        assert!(error_of(bad).starts_with("2: \"../x\" is not a series id"));
        assert!(error_of("series_id,title\nA,a\n").contains("frequency"));
    }
}
