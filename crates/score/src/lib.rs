//! Computes the real-time record of the indicators from the bundled vintages.
//!
//! `cargo run -p econoscope-score` writes it to `crates/desk/data/scores.json`, which is embedded in the program.

mod detection;
mod error_bars;
mod evidence;
mod expectations;
mod recession;
mod recession_now;
mod regime;
mod revisions;
mod sentences;
mod stress;
mod target;

pub use sentences::sentences;

use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::statistics::{DieboldMariano, average};
use econoscope_core::model::table as csv;
use econoscope_desk::Desk;
use econoscope_desk::scores::{ScoreTable, Scores};

/// The claim of each indicator, the number of variants tried before it was chosen, and the parts of its record that cannot be
/// computed from the bundle.
const CLAIMS: &str = include_str!("../data/claims.csv");

/// The tables: name, title and, separated by bars, columns.
const TABLES: &str = include_str!("../data/tables.csv");

/// Computes the record.
///
/// # Errors
/// [`Error::Store`] if the store cannot be read, [`Error::NoData`] if it has too little data.
pub fn score(desk: &Desk) -> Result<Scores> {
    let mut tables = recession_now::tables(desk)?;
    tables.extend(recession::tables(desk)?);
    tables.extend(regime::tables(desk)?);
    tables.extend(stress::tables(desk)?);
    tables.push(revisions::table(desk)?);
    tables.push(error_bars::table(desk)?);
    tables.push(expectations::table(desk)?);
    tables.extend(claims()?);
    Ok(Scores {
        basis: include_str!("../data/basis.txt").trim_end().to_owned(),
        tables,
    })
}

/// Returns a table of the claim of each indicator; the questions are the columns of the file.
fn claims() -> Result<Vec<ScoreTable>> {
    let questions = CLAIMS.lines().next().unwrap_or_default().split(',').skip(1);
    let table = |(line, row): (u64, std::result::Result<[&str; 4], String>)| {
        let [indicator, answers @ ..] =
            row.map_err(|problem| Error::bad_line("crates/score/data/claims.csv", line, problem))?;
        let mut table = new_table("claims", indicator)?;
        for (question, answer) in questions.clone().zip(answers) {
            table.row([question, answer]);
        }
        Ok(table)
    };
    csv::rows(CLAIMS).map(table).collect()
}

/// Creates the table of an indicator that has this name in the file of tables.
pub(crate) fn new_table(name: &str, indicator: &str) -> Result<ScoreTable> {
    for (line, row) in csv::rows(TABLES) {
        let [known, title, names] =
            row.map_err(|problem| Error::bad_line("crates/score/data/tables.csv", line, problem))?;
        if known == name {
            let columns: Vec<&str> = names.split('|').collect();
            return Ok(ScoreTable::new(indicator, title, &columns));
        }
    }
    Err(Error::internal("looking up a table of the record", name))
}

/// Formats a share: ".962", or a dash for `None`.
pub(crate) fn format_share(value: Option<f64>) -> String {
    let text = value.map_or("-".to_owned(), |v| format!("{v:.3}"));
    text.strip_prefix('0').unwrap_or(&text).to_owned()
}

/// Returns the share of values that are true.
pub(crate) fn rate(values: impl Iterator<Item = bool>) -> Option<f64> {
    average(values.map(|value| f64::from(u8::from(value))))
}

/// Formats the share of values that are true.
pub(crate) fn format_rate(values: impl Iterator<Item = bool>) -> String {
    format_share(rate(values))
}

/// Formats the statistic and the p-value of a test: "t -1.36, p .174", "t -5.92, p < .001".
pub(crate) fn format_test(test: Option<DieboldMariano>) -> String {
    test.map_or("-".to_owned(), |test| {
        let p = match test.p {
            p if p < 0.000_5 => "< .001".to_owned(),
            p => format_share(Some(p)),
        };
        format!("t {:.2}, p {p}", test.statistic)
    })
}
