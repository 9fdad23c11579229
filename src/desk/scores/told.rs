//! What each indicator claims, how many variants were tried before it was chosen, and what of its record cannot be
//! computed from the bundle: `data/claims.csv`.

use super::table::ScoreTable;
use crate::error::{Error, Result};
use crate::model::table;

const CLAIMS: &str = include_str!("../../../data/claims.csv");

const QUESTIONS: [&str; 3] = [
    "what it claims",
    "variants tried before this one",
    "not computed from the bundle",
];

pub(super) fn tables() -> impl Iterator<Item = Result<ScoreTable>> {
    table::rows(CLAIMS).map(|(_, row)| {
        let [indicator, answers @ ..]: [&str; 4] =
            row.map_err(|problem| Error::bad_file("data/claims.csv", problem))?;
        let title = "what stands behind it";
        let mut table = ScoreTable::new(indicator, title, &["question", "answer"]);
        for said in QUESTIONS.into_iter().zip(answers) {
            table.row(<[&str; 2]>::from(said).map(str::to_owned));
        }
        Ok(table)
    })
}
