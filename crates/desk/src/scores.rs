//! The real-time record of the indicators, computed by `econoscope-score` from the bundled vintages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

const EMBEDDED: &str = include_str!("../data/scores.json");

/// The name under which the tables stand that validate error bars; the last column says whether a series has one.
pub const ERROR_BARS: &str = "error bars";

/// The record of every indicator.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scores {
    /// Data behind it.
    pub basis: String,
    /// Tables, by indicator.
    pub tables: Vec<ScoreTable>,
}

impl Scores {
    /// Returns the embedded record.
    pub fn embedded() -> &'static Self {
        // Tests parse the file, so that no empty record ships.
        static SCORES: LazyLock<Scores> =
            LazyLock::new(|| serde_json::from_str(EMBEDDED).unwrap_or_default());
        &SCORES
    }

    /// Returns the tables of an indicator: "RNOW", "regime".
    pub fn tables_of(&self, indicator: &str) -> Vec<ScoreTable> {
        let tables = self.tables.iter();
        let own = tables.filter(|t| t.indicator.eq_ignore_ascii_case(indicator));
        own.cloned().collect()
    }

    /// Whether the error bars of a series held the shares that they promise.
    pub fn has_error_bar(&self, id: &str) -> bool {
        let tables = self.tables.iter().filter(|t| t.indicator == ERROR_BARS);
        let mut rows = tables.flat_map(|table| &table.rows);
        rows.any(|row| {
            let name = row.first();
            let is_named = name.is_some_and(|name| name.eq_ignore_ascii_case(id));
            is_named && row.last().is_some_and(|shown| shown == "yes")
        })
    }

    /// Renders a page of Markdown.
    pub fn render_markdown(&self) -> String {
        let mut text = format!("# The record in real time\n\n{}\n", self.basis);
        for table in &self.tables {
            text += &table.in_markdown();
        }
        text
    }
}

/// A table about an indicator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScoreTable {
    /// The indicator: "RNOW", "regime".
    pub indicator: String,
    /// Content: sample, target, rule.
    pub title: String,
    /// Column names.
    pub columns: Vec<String>,
    /// Rows, a cell for each column.
    pub rows: Vec<Vec<String>>,
}

impl ScoreTable {
    /// Creates a table without rows.
    pub fn new(indicator: &str, title: &str, columns: &[&str]) -> Self {
        Self {
            indicator: indicator.to_owned(),
            title: title.to_owned(),
            columns: columns.iter().map(|c| (*c).to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item: Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    fn in_markdown(&self) -> String {
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

    /// Renders the rows as a sentence, after the names of the columns.
    pub fn format_sentence(&self) -> String {
        let row = |cells: &Vec<String>| match cells.split_first() {
            Some((first, rest)) => format!("{first}: {}", rest.join(", ")),
            None => String::new(),
        };
        let columns = match self.columns.as_slice() {
            // Two columns need no names.
            [] | [_] | [_, _] => String::new(),
            [first, rest @ ..] => format!(" ({first}: {})", rest.join(", ")),
        };
        let rows: Vec<String> = self.rows.iter().map(row).collect();
        format!("{}{columns}: {}.", self.title, rows.join("; "))
    }
}
