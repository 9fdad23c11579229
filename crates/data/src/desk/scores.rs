//! How good our indicators were in real time, computed from the vintages at hand and not copied.
//!
//! `econoscope score` computes it and writes `crates/data/data/scores.json`, which the program carries; the gate compares the two.

mod detection;
mod recession;
mod recession_now;
mod regime;
mod revisions;
mod stress;
mod table;
mod target;

pub use table::ScoreTable;

use super::local::Desk;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::table as csv;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Where the record lies below the project's folder.
pub const PATH: &str = "crates/data/data/scores.json";

const EMBEDDED: &str = include_str!("../../data/scores.json");

/// What each indicator claims, how many variants were tried before it was chosen, and what of its record cannot be
/// computed from the bundle.
const CLAIMS: &str = include_str!("../../data/claims.csv");
const QUESTIONS: [&str; 3] = [
    "what it claims",
    "variants tried before this one",
    "not computed from the bundle",
];

/// The record of every indicator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scores {
    /// What it rests on.
    pub basis: String,
    /// By indicator.
    pub tables: Vec<ScoreTable>,
}

impl Scores {
    /// The record that the program carries.
    ///
    /// # Errors
    /// [`Error::Internal`] when it cannot be read.
    pub fn embedded() -> Result<&'static Self> {
        static SCORES: LazyLock<serde_json::Result<Scores>> =
            LazyLock::new(|| serde_json::from_str(EMBEDDED));
        let read = SCORES.as_ref();
        read.map_err(|e| Error::internal("reading the record of the scores", e.to_string()))
    }

    /// The tables of an indicator: "RNOW", "regime".
    pub fn of(&self, indicator: &str) -> Vec<ScoreTable> {
        let own = self
            .tables
            .iter()
            .filter(|t| t.indicator.eq_ignore_ascii_case(indicator));
        own.cloned().collect()
    }

    /// As a page of Markdown.
    pub fn in_markdown(&self) -> String {
        let mut text = format!("# The record in real time\n\n{}\n", self.basis);
        for table in &self.tables {
            text += &table.in_markdown();
        }
        text
    }
}

impl Desk {
    /// Computes the record from everything that is held.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read; [`Error::NoData`] when it holds too little.
    pub fn score(&self) -> Result<Scores> {
        let mut tables = recession_now::tables(self)?;
        tables.extend(recession::tables(self)?);
        tables.extend(regime::tables(self)?);
        tables.extend(stress::tables(self)?);
        tables.push(revisions::table(self)?);
        tables.extend(claims().collect::<Result<Vec<_>>>()?);
        Ok(Scores {
            basis: "Computed by `econoscope score` from the bundled vintages: each figure as it was known on its day. \
                    Claims and financial conditions have no vintages and are as last revised. Recessions are the NBER's \
                    months. Study: measured once outside, not repeated here. Out of sample: constants estimated anew at every month from labels then at least 24 months \
                    old."
                .to_owned(),
            tables,
        })
    }
}

fn claims() -> impl Iterator<Item = Result<ScoreTable>> {
    csv::rows(CLAIMS).map(|(_, row)| {
        let [indicator, answers @ ..]: [&str; 4] =
            row.map_err(|problem| Error::bad_file("crates/data/data/claims.csv", problem))?;
        let title = "what stands behind it";
        let mut table = ScoreTable::new(indicator, title, &["question", "answer"]);
        for said in QUESTIONS.into_iter().zip(answers) {
            table.row(<[&str; 2]>::from(said).map(str::to_owned));
        }
        Ok(table)
    })
}
