//! The answer of a comparison, and how it is said.

use crate::endpoints::provenance::Provenance;
use crate::model::{Attribution, Date};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A series or formula over the range. Columns stand in the order asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Column {
    /// As asked for.
    pub series: String,
    /// Full name of a plain series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Unit of every figure but zScore and percentile.
    pub unit: String,
    /// Observations in the range.
    pub count: usize,
    /// Newest figure.
    pub latest: f64,
    /// Its date.
    pub date: Date,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub sd: Option<f64>,
    /// Smallest.
    pub min: f64,
    /// When.
    pub min_date: Date,
    /// Largest.
    pub max: f64,
    /// When.
    pub max_date: Date,
    /// (latest − mean) / sd.
    pub z_score: Option<f64>,
    /// Share of the range below latest, percent.
    pub percentile: Option<f64>,
    /// Figures at `dates`.
    pub values: Vec<f64>,
}

/// Correlation of two columns on their common dates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pair {
    /// One column.
    pub a: String,
    /// The other.
    pub b: String,
    /// Common dates.
    pub count: usize,
    /// Of levels.
    pub levels: Option<f64>,
    /// Of period-to-period changes.
    pub changes: Option<f64>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// Of every column.
    pub frequency: String,
    /// First day.
    pub start: Date,
    /// Last day.
    pub end: Date,
    /// Dates that all columns have.
    pub count: usize,
    /// Columns.
    pub columns: Vec<Column>,
    /// Each pair of columns.
    pub correlations: Vec<Pair>,
    /// Common dates, thinned.
    pub dates: Vec<Date>,
    /// Credit line.
    pub attribution: Attribution,
    /// State of knowledge.
    #[serde(flatten)]
    #[schemars(flatten)]
    pub provenance: Provenance,
}

impl Output {
    /// A line a column, a line a pair, then the rows as CSV.
    pub(super) fn in_prose(&self) -> String {
        let mut text = format!(
            "{} figures from {} to {}, {} common dates.",
            self.frequency, self.start, self.end, self.count
        );
        for c in &self.columns {
            text.push('\n');
            text.push_str(&c.in_prose());
        }
        for p in &self.correlations {
            let of = |r: Option<f64>| r.map_or("none".into(), |r| r.to_string());
            let _ = write!(
                text,
                "\nCorrelation {} ~ {}: levels {}, changes {}.",
                p.a,
                p.b,
                of(p.levels),
                of(p.changes)
            );
        }
        self.rows(&mut text);
        let p = &self.provenance;
        for part in [p.sentence(), p.missing()] {
            if !part.is_empty() {
                text.push('\n');
                text.push_str(&part);
            }
        }
        let _ = write!(
            text,
            "\n{}: {}",
            self.attribution.text, self.attribution.url
        );
        text
    }

    fn rows(&self, text: &mut String) {
        if self.columns.len() > 1 && self.count == 0 {
            text.push_str("\nNo date is common to all columns.");
            return;
        }
        text.push_str("\ndate");
        for c in &self.columns {
            let _ = write!(text, ",{}", c.series.replace(',', ";"));
        }
        for (i, date) in self.dates.iter().enumerate() {
            let _ = write!(text, "\n{date}");
            for value in self.columns.iter().filter_map(|c| c.values.get(i)) {
                let _ = write!(text, ",{value}");
            }
        }
        if self.dates.len() < self.count {
            let _ = write!(
                text,
                "\n({} of {} rows, evenly thinned; max_points gives up to 400)",
                self.dates.len(),
                self.count
            );
        }
    }
}

impl Column {
    fn in_prose(&self) -> String {
        let title = self
            .title
            .as_ref()
            .map(|t| format!(" ({t})"))
            .unwrap_or_default();
        let unit = match self.unit.as_str() {
            "" => "unit not stated",
            unit => unit,
        };
        let mut text = format!(
            "{}{title}, {unit}: {} on {}; mean {}, lowest {} on {}, highest {} on {}",
            self.series,
            self.latest,
            self.date,
            self.mean,
            self.min,
            self.min_date,
            self.max,
            self.max_date
        );
        if let (Some(sd), Some(z), Some(rank)) = (self.sd, self.z_score, self.percentile) {
            let _ = write!(
                text,
                "; sd {sd}, z-score {z}, percentile {rank} of {}",
                self.count
            );
        }
        text.push('.');
        text
    }
}
