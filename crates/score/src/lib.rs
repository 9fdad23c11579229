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
const QUESTIONS: [&str; 3] = [
    "what it claims",
    "variants tried before this one",
    "not computed from the bundle",
];

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
    tables.extend(claims().collect::<Result<Vec<_>>>()?);
    Ok(Scores {
        basis: "Computed by `econoscope-score` from the bundled vintages: each figure as it was known on its day. \
                Claims and financial conditions have no vintages and are as last revised. Recessions are the NBER's \
                months. Study: measured once outside, not repeated here. Out of sample: constants estimated anew at every \
                month from labels then at least 24 months old. Intervals: the 5th to the 95th percentile of 2,000 draws of a circular block bootstrap, \
                blocks of 48 months. Test: Diebold and Mariano's of the losses, corrected \
                for small samples (Harvey, Leybourne and Newbold); a negative t speaks for the first. Each cycle left out in turn: constants from all other cycles, later ones too. \
                The best by then: of every set of the inputs, refitted at each month, the one with the lowest Brier score over months whose label was known."
            .to_owned(),
        tables,
    })
}

fn claims() -> impl Iterator<Item = Result<ScoreTable>> {
    csv::rows(CLAIMS).map(|(_, row)| {
        let [indicator, answers @ ..]: [&str; 4] =
            row.map_err(|problem| Error::bad_file("crates/score/data/claims.csv", problem))?;
        let title = "what stands behind it";
        let mut table = ScoreTable::new(indicator, title, &["question", "answer"]);
        for (question, answer) in QUESTIONS.into_iter().zip(answers) {
            table.row([question, answer].map(str::to_owned));
        }
        Ok(table)
    })
}

/// Formats a share: ".962", or a dash for `None`.
pub(crate) fn format_share(value: Option<f64>) -> String {
    let text = value.map_or("-".to_owned(), |v| format!("{v:.3}"));
    text.strip_prefix('0').unwrap_or(&text).to_owned()
}

/// Formats the share of values that are true.
pub(crate) fn format_rate(values: impl Iterator<Item = bool>) -> String {
    format_share(average(values.map(|value| f64::from(u8::from(value)))))
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
