//! Lists of titles: a CSV file that says what series are called, not what they were.
//!
//! The first line names at least `series_id`, `title` and `frequency`, and no `date` and no `value`; `units`,
//! `seasonal_adjustment` (`SA`, `SAAR`, `NSA`) and `source` may follow. FRED's own lists of series fit.

use super::table::Broken;
use crate::error::quote;
use crate::model::{Catalogue, SeriesId, untrusted};
use crate::store::Description;
use serde::Deserialize;

/// Most letters of a title, and of a unit or source.
const LONGEST_TITLE: usize = 300;
const LONGEST_WORDS: usize = 120;

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
    let first = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first).to_ascii_lowercase();
    let names: Vec<&str> = first
        .trim_start_matches('\u{feff}')
        .split(',')
        .map(|name| name.trim().trim_matches('"'))
        .collect();
    let has = |name: &str| names.contains(&name);
    has("series_id") && has("title") && !has("date") && !has("value")
}

/// Reads a list; series of the built-in catalogue keep the title they have there.
///
/// # Errors
/// [`Broken`] with the first line that cannot be read; then none of the list is to be used.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Description>, Broken> {
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes));
    let at = |line: u64, problem: String| Broken {
        line: u32::try_from(line).unwrap_or(u32::MAX),
        problem,
    };
    let names = reader
        .headers()
        .map_err(|e| at(1, e.to_string()))?
        .iter()
        .map(str::to_ascii_lowercase)
        .collect();
    reader.set_headers(names);
    let mut all = Vec::new();
    for row in reader.deserialize::<Row>() {
        let row = row.map_err(|e| {
            let line = e.position().map_or(0, csv::Position::line);
            let problem = if let csv::ErrorKind::Deserialize { err, .. } = e.kind() {
                err.to_string()
            } else {
                e.to_string()
            };
            at(line, untrusted::line(&problem, LONGEST_WORDS))
        })?;
        // The header is the first line; a title may hold a line break, then the count is of rows.
        let description = described(&row).map_err(|problem| at(all.len() as u64 + 2, problem))?;
        all.push(description);
    }
    all.retain(|d| Catalogue::embedded().get(d.id.as_str()).is_none());
    Ok(all)
}

fn described(row: &Row) -> Result<Description, String> {
    let id = SeriesId::new(&row.series_id)
        .map_err(|_| format!("\"{}\" is not a series identifier", quote(&row.series_id)))?;
    let frequency = row.frequency.parse().map_err(|()| {
        let frequency = quote(&row.frequency);
        format!("\"{frequency}\" is not a frequency like M or monthly")
    })?;
    Ok(Description {
        id,
        title: untrusted::line(&row.title, LONGEST_TITLE),
        units: untrusted::line(&row.units, LONGEST_WORDS),
        frequency,
        seasonally_adjusted: is_adjusted(&row.seasonal_adjustment),
        source: untrusted::line(&row.source, LONGEST_WORDS),
    })
}

/// Whether FRED's short form says that the figures are seasonally adjusted: `SA`, `SAAR`, `SSA`.
pub(super) fn is_adjusted(short: &str) -> bool {
    let short = short.trim().to_ascii_uppercase();
    short.contains("SA") && !short.starts_with('N')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Frequency;

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
