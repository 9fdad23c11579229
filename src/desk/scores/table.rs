//! A table of the record, and how its figures are written.

use crate::indicators::statistics::{Moments, Said, auc, brier, calibration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A table about an indicator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScoreTable {
    /// The indicator: "RNOW", "regime".
    pub indicator: String,
    /// What it shows: sample, target, rule.
    pub title: String,
    /// Heads of the columns.
    pub columns: Vec<String>,
    /// Rows, a cell for each column.
    pub rows: Vec<Vec<String>>,
}

impl ScoreTable {
    /// A table without rows.
    pub(super) fn new(indicator: &str, title: &str, columns: &[&str]) -> Self {
        Self {
            indicator: indicator.to_owned(),
            title: title.to_owned(),
            columns: columns.iter().map(|c| (*c).to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(super) fn in_markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rows: String = self.rows.iter().map(|r| line(r)).collect();
        let rule = "|---".repeat(self.columns.len());
        format!(
            "\n## {}: {}\n\n{}{rule}|\n{rows}",
            self.indicator,
            self.title,
            line(&self.columns)
        )
    }

    /// The rows in a line of prose.
    pub fn in_prose(&self) -> String {
        let row = |cells: &Vec<String>| {
            let named = self.columns.iter().zip(cells).skip(1);
            let named: Vec<String> = match self.columns.len() {
                // A question and its answer.
                2 => named.map(|(_, v)| v.clone()).collect(),
                _ => named.map(|(c, v)| format!("{c} {v}")).collect(),
            };
            format!(
                "{}: {}",
                cells.first().map_or("", String::as_str),
                named.join(", ")
            )
        };
        let rows: Vec<String> = self.rows.iter().map(row).collect();
        format!("{}: {}.", self.title, rows.join("; "))
    }
}

/// ".962"; a dash where there is none.
pub(super) fn share(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), |v| {
        let text = format!("{v:.3}");
        text.strip_prefix('0').map_or(text.clone(), str::to_owned)
    })
}

/// The mean of some values; none where there are none.
pub(super) fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let all: Moments = values.collect();
    (all.count() > 0).then(|| all.mean())
}

/// The share of those that are so.
pub(super) fn rate(are: impl Iterator<Item = bool>) -> String {
    share(average(are.map(|is| f64::from(u8::from(is)))))
}

/// Months, base rate, AUC and Brier score.
pub(super) fn skill(said: &[Said]) -> [String; 4] {
    [
        said.len().to_string(),
        rate(said.iter().map(|s| s.1)),
        share(auc(said)),
        share(brier(said)),
    ]
}

/// A table of rules: how each fared over all months, and over those parts of them.
pub(super) fn rules(indicator: &str, title: &str, parts: &[&str]) -> ScoreTable {
    let mut table = ScoreTable::new(
        indicator,
        title,
        &["rule", "months", "base rate", "AUC", "Brier"],
    );
    let measures = |part: &&str| ["AUC", "Brier"].map(|measure| format!("{measure} {part}"));
    table.columns.extend(parts.iter().flat_map(measures));
    table
}

/// A row of [`rules`].
pub(super) fn fared(name: &str, all: &[Said], parts: &[Vec<Said>]) -> Vec<String> {
    let part = |said: &Vec<Said>| {
        let [_, _, auc, brier] = skill(said);
        [auc, brier]
    };
    let cells = [name.to_owned()].into_iter().chain(skill(all));
    cells.chain(parts.iter().flat_map(part)).collect()
}

/// What was said and what came, by ranges that begin at these shares.
pub(super) fn calibrated(indicator: &str, title: &str, said: &[Said], edges: &[f64]) -> ScoreTable {
    let mut table = ScoreTable::new(indicator, title, &["said from", "months", "said", "came"]);
    for bin in calibration(said, edges) {
        let [said, came] = [bin.said, bin.came].map(|v| share(Some(v)));
        table.row([
            format!("{:.0} %", 100.0 * bin.from),
            bin.months.to_string(),
            said,
            came,
        ]);
    }
    table
}
