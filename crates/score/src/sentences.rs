//! Sentences on the skill of the indicators, with figures from the tables of the record.

use econoscope_core::error::{Error, Result};
use econoscope_data::desk::scores::Scores;

/// Renders the sentences as the embedded file: CSV of name and text.
///
/// # Errors
/// [`Error::Internal`] if the tables lack a figure.
pub fn sentences(scores: &Scores) -> Result<String> {
    let record = Record(scores);
    let rows = [
        ("RNOW", record.recession_now()?),
        ("CRPI", record.recession()?),
        ("CRPI2", record.second()?),
        ("CRPI AUC", record.cell("CRPI", BOTH, "AUC")?.to_owned()),
        ("CRPI comparisons", record.comparisons()?),
        ("CRPI calibration", record.calibration()?),
        ("CRPI recalibrated", record.recalibrated()?),
    ];
    let row = |(name, text): (&str, String)| format!("{name},\"{text}\"\n");
    Ok("name,text\n".to_owned() + &rows.into_iter().map(row).collect::<String>())
}

const BOTH: &str = "both equations refitted, out of sample";
const ALONE: &str = "spread alone, published constants";
const IN_SAMPLE: &str = "these constants, which saw the sample";
const BESIDE_SPREAD: &str = "both refitted, beside spread alone, published";
const BESIDE_SPREAD_IN_EXPANSIONS: &str =
    "both refitted, beside spread alone, published, in expansions";
const BESIDE_FIRST: &str = "refitted, beside CRPI with both refitted";
const BESIDE_CLAIMS: &str = "recession now, beside claims alone";
const RECALIBRATED: &str = "recalibrated, beside both refitted, from 1995 on";

/// Access to the cells of the tables.
struct Record<'a>(&'a Scores);

impl Record<'_> {
    /// Returns the cell of an indicator's first row of this name that has the column.
    fn cell(&self, indicator: &str, row: &str, column: &str) -> Result<&str> {
        let tables = self.0.tables.iter().filter(|t| t.indicator == indicator);
        let mut cells = tables.flat_map(|t| {
            let index = t.columns.iter().position(|c| c == column);
            let is_named = |r: &&Vec<String>| r.first().is_some_and(|name| name == row);
            let rows = t.rows.iter().filter(is_named);
            rows.filter_map(move |r| r.get(index?))
        });
        let cell = cells.next().map(String::as_str);
        cell.ok_or_else(|| missing(&format!("{indicator}, {row}, {column}")))
    }

    fn recession_now(&self) -> Result<String> {
        let pair = |column| self.cell("RNOW", BESIDE_CLAIMS, column);
        let claims = |column| self.cell("RNOW", "claims alone", column);
        Ok(format!(
            "Out of sample over {} month ends of 1979-01 to 2024-12 it has AUC {} and Brier score {} (90 % intervals); claims \
             alone have {} and {}: {}.",
            pair("months")?,
            pair("AUC")?,
            pair("Brier")?,
            claims("AUC")?,
            claims("Brier")?,
            pair("what it shows")?
        ))
    }

    /// Describes the skill of CRPI in short, for answers.
    fn recession(&self) -> Result<String> {
        let pair = |column| self.cell("CRPI", BESIDE_SPREAD, column);
        let rule = |row, column| self.cell("CRPI", row, column);
        let [.., high, very_high] = self.recession_counts()?;
        Ok(format!(
            "Out of sample since 1985, both equations refitted, it has AUC {} and Brier score {} (90 % intervals), the published \
             yield curve alone {} and {}; in expansions {} and {}, the curve alone {} and {}: {}. It is not calibrated: at 30 to \
             50 it came true in {high} months, at 50 or more in {very_high}.",
            pair("AUC")?,
            pair("Brier")?,
            rule(ALONE, "AUC")?,
            rule(ALONE, "Brier")?,
            rule(BOTH, "AUC in expansions")?,
            rule(BOTH, "Brier in expansions")?,
            rule(ALONE, "AUC in expansions")?,
            rule(ALONE, "Brier in expansions")?,
            self.cell("CRPI", BESIDE_SPREAD_IN_EXPANSIONS, "what it shows")?,
        ))
    }

    /// Describes the comparisons in detail.
    fn comparisons(&self) -> Result<String> {
        let pair = |column| self.cell("CRPI", BESIDE_SPREAD, column);
        let calm = |column| self.cell("CRPI", BESIDE_SPREAD_IN_EXPANSIONS, column);
        Ok(format!(
            "Over all {} months the AUC is more than that of the published curve by {}, the Brier score by {}: {}. In expansions \
             alone by {} and {}: {}. The constants in use saw these years and have {} and {} in sample.",
            pair("months")?,
            pair("AUC more by")?,
            pair("Brier more by")?,
            pair("what it shows")?,
            calm("AUC more by")?,
            calm("Brier more by")?,
            calm("what it shows")?,
            self.cell("CRPI", IN_SAMPLE, "AUC")?,
            self.cell("CRPI", IN_SAMPLE, "Brier")?,
        ))
    }

    fn second(&self) -> Result<String> {
        let pair = |column| self.cell("CRPI2", BESIDE_FIRST, column);
        let calm = format!("{BESIDE_FIRST}, in expansions");
        let first = |column| self.cell("CRPI2", "CRPI, both equations refitted", column);
        let chosen = "the best by then of all sets of inputs, from 1995 on";
        let chosen = |column| self.cell("CRPI2", chosen, column);
        Ok(format!(
            "Out of sample over {} month ends of 1985-01 to 2024-07 it has AUC {} and Brier score {} (90 % intervals), CRPI with \
             both equations refitted {} and {}: {}. In expansions alone: {}. Its form was chosen after the fact: the best by \
             then of all 31 sets of its inputs has {} and {} from 1995 on.",
            pair("months")?,
            pair("AUC")?,
            pair("Brier")?,
            first("AUC")?,
            first("Brier")?,
            pair("what it shows")?,
            self.cell("CRPI2", &calm, "what it shows")?,
            chosen("AUC")?,
            chosen("Brier")?,
        ))
    }

    /// Returns in how many months a recession followed, by the probability with the constants in use: under 15 %, from 15, 30
    /// and 50 % on.
    fn recession_counts(&self) -> Result<[String; 4]> {
        let title = "what it said, these constants, and what share came, the same months";
        let mut tables = self.0.tables.iter();
        let table = tables.find(|t| t.indicator == "CRPI" && t.title == title);
        let table = table.ok_or_else(|| missing(title))?;
        let parse_row = |row: &Vec<String>| match row.as_slice() {
            [from, months, _, share] => Some((
                from.trim_end_matches(" %").parse::<f64>().ok()?,
                months.parse::<f64>().ok()?,
                format!("0{share}").parse::<f64>().ok()?,
            )),
            _ => None,
        };
        let rows: Option<Vec<(f64, f64, f64)>> = table.rows.iter().map(parse_row).collect();
        let rows = rows.ok_or_else(|| missing("a cell of the calibration"))?;
        let ranges = [0.0..15.0, 15.0..30.0, 30.0..50.0, 50.0..100.0];
        Ok(ranges.map(|range| {
            let rows = rows.iter().filter(|(edge, ..)| range.contains(edge));
            let (months, recessions) = rows.fold((0.0, 0.0), |sum, (_, n, share)| {
                (sum.0 + n, sum.1 + n * share)
            });
            format!("{recessions:.0} of {months:.0}")
        }))
    }

    fn calibration(&self) -> Result<String> {
        let [low, elevated, high, very_high] = self.recession_counts()?;
        Ok(format!(
            "A recession followed within a year in {low} months that it gave less than 15 %, {elevated} from 15 to 30, {high} from \
             30 to 50, and {very_high} at 50 or more."
        ))
    }

    fn recalibrated(&self) -> Result<String> {
        let pair = |column| self.cell("CRPI", RECALIBRATED, column);
        Ok(format!(
            "Recalibrated on what it had been worth by then, from 1995 on, its Brier score is more by {}: {}, so none is given.",
            pair("Brier more by")?,
            pair("what it shows")?
        ))
    }
}

fn missing(figure: &str) -> Error {
    Error::internal("printing the record", figure)
}
