//! A table of the record, and how its figures are written.

use econoscope_core::indicators::statistics::average;
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

/// The share of those that are so.
pub(super) fn rate(are: impl Iterator<Item = bool>) -> String {
    share(average(are.map(|is| f64::from(u8::from(is)))))
}
