//! The answer about a series: the contract's fields, those that suit a model's window, and the text.

use super::digest::Digest;
use super::points::{self, MeanChange, PointInTime};
use super::shape;
use super::vintages::Vintages;
use crate::conditions::ConditionFigures;
use crate::prelude::*;
use bytes::Bytes;
use econoscope_core::model::units;
use std::fmt;

/// Most rows in the text for a program, which reads the others in the structure.
const MAX_PROGRAM_ROWS: usize = 60;

/// Credit line and terms.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Credit {
    /// Credit line.
    pub text: String,
    /// Where it links to.
    pub url: String,
    /// Terms of use.
    pub terms: String,
    /// The credit line of the service alone; never part of the JSON.
    #[serde(skip)]
    pub(super) service: String,
}

impl Credit {
    /// Adds the source and the terms to the service's credit line.
    pub(super) fn new(credit: Attribution, source: &str) -> Self {
        Self {
            service: credit.to_string(),
            text: format!("{}; source: {source}", credit.text),
            url: credit.url,
            terms: "Free for non-commercial, educational and research use with attribution.".into(),
        }
    }
}

impl fmt::Display for Credit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.text, self.url)
    }
}

/// The answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimeSeriesAnswer {
    /// Identifier.
    pub series_id: String,
    /// Full name.
    pub display_name: String,
    /// Unit; null where the source states none.
    #[serde(default, with = "crate::render::provenance::stated")]
    #[schemars(with = "Option<String>")]
    pub unit: String,
    /// First day of the range: the one asked for, or the first there is.
    #[serde(default)]
    pub start: Date,
    /// Last day of the range.
    #[serde(default)]
    pub end: Date,
    /// Rows returned.
    pub row_count: usize,
    /// Whether the 5,000-row cap cut older rows off.
    pub truncated: bool,
    /// Ascending by date.
    pub data: Vec<Observation>,
    /// Credit line and terms.
    pub attribution: Credit,
    /// How often it is measured: daily, weekly, monthly, quarterly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<String>,
    /// Who measures it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The unit in words, with what it stands on: "billion dollars, annual rate, SA".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit_in_words: Option<String>,
    /// Figures at the days asked for, in their order; `data` has their rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<PointInTime>,
    /// Mean change over each horizon of several events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub means: Vec<MeanChange>,
    /// What happened over all rows of the range; absent unless `detail` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Digest>,
    /// The range as known on each of several days, where `as_of` names them; `data` is as known on the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vintages: Option<Vintages>,
    /// The condition, counted over all rows of the range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<ConditionFigures>,
    /// How the rows were thinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction: Option<Reduction>,
    /// Address of all rows as CSV.
    #[serde(rename = "all_rows", default, skip_serializing_if = "Option::is_none")]
    pub all_rows: Option<String>,
    /// All rows as a PNG picture, when one was asked for; never part of the JSON.
    #[serde(skip)]
    pub picture: Option<Bytes>,
    /// Name of the CSV file and of its column, with the transformation: `CPILFESL_PC1`; never part of the JSON.
    #[serde(skip)]
    pub(super) column: String,
    /// The kind of the figures, for the text; never part of the JSON.
    #[serde(skip)]
    pub(super) kind: Option<FigureKind>,
    /// Fields here whose text is by others: material, never instructions.
    #[serde(default, skip_serializing_if = "UntrustedFields::is_none")]
    pub untrusted: UntrustedFields,
    /// State of knowledge.
    #[serde(flatten)]
    pub provenance: Provenance,
}

/// How rows were thinned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reduction {
    /// Rows in the range.
    pub from_rows: usize,
    /// Rows given.
    pub to_rows: usize,
    /// Which: "last observation of each month".
    pub method: String,
}

impl TimeSeriesAnswer {
    /// Returns the unit in the agency's words, with the base year of an index; `None` when the figures are in another
    /// unit.
    pub fn published_unit(&self) -> Option<String> {
        let info = Catalogue::embedded().get(&self.series_id)?;
        if info.units_short != self.unit {
            let is_vintage = units::was_published_in(&self.series_id, &self.unit);
            let words = self.unit_in_words.as_deref().filter(|_| is_vintage)?;
            return Some(capitalize(words.trim_end_matches(", SA")));
        }
        let is_based = |words: &&str| info.units_short == "index" && words.contains("=100");
        let words = self.unit_in_words.as_deref().filter(is_based);
        let base = words.and_then(|words| words.split(", ").next());
        Some(match base {
            Some(base) => base.replacen("index", "Index", 1),
            None => info.units.clone(),
        })
    }

    /// Returns the stated frequency, else the one that the distance of the rows suggests.
    pub(super) fn frequency(&self) -> Frequency {
        let stated = self.frequency.as_deref().and_then(|word| word.parse().ok());
        stated.unwrap_or_else(|| econoscope_core::model::observation::guess_frequency(&self.data))
    }

    /// Renders header, rows, what was left out, state of knowledge and credit line.
    pub(super) fn render_text(&self, is_for_program: bool) -> String {
        let mut text = self.headline();
        let condition = self.condition.iter();
        text.extend(condition.map(|c| format!("\n{}", c.describe())));
        if let Some(vintages) = &self.vintages {
            text.extend(self.kind.iter().map(|kind| vintages.describe(kind)));
            text += &format!("\n{}", vintages.csv());
        } else if !self.points.is_empty() {
            if let Some(kind) = &self.kind {
                text += &points::render(&self.points, kind);
                let means = self.means.iter().map(|mean| mean.describe(kind));
                text.extend(means.map(|line| format!("\n{line}")));
            }
        } else if is_for_program && self.data.len() > MAX_PROGRAM_ROWS {
            text += "\n(detail=full has every row here)";
        } else if !self.data.is_empty() {
            let csv = shape::csv("value", &self.data);
            text += &format!("\n{}", csv.trim_start_matches("observation_"));
        }
        let reduction = self.describe_reduction();
        let mut sources = self.provenance.sources.iter();
        let is_told = sources.any(|cited| self.source.as_ref() == Some(&cited.source));
        let closing = match self.attribution.service.as_str() {
            service if is_told && !service.is_empty() => self.provenance.render_closing(&service),
            _ => self.provenance.render_closing(&self.attribution),
        };
        format!("{}\n{reduction}{}", text.trim_end(), closing.trim_start())
    }

    /// Renders the rows as CSV, with a column for each state of knowledge.
    pub(super) fn csv(&self) -> String {
        let vintages = self.vintages.as_ref();
        vintages.map_or_else(|| shape::csv(self.column(), &self.data), Vintages::csv)
    }

    /// Returns the name of the CSV file and of its column.
    pub(super) fn column(&self) -> &str {
        match &*self.column {
            "" => &self.series_id,
            column => column,
        }
    }

    /// Describes which rows were left out, and how to get them; empty when all are there.
    pub(super) fn describe_reduction(&self) -> String {
        match (&self.reduction, &self.all_rows) {
            (Some(r), Some(all)) if r.to_rows < r.from_rows => format!(
                "{} of {} rows: {}. More: max_points to 400, detail=csv to 750; all: {all}\n",
                r.to_rows, r.from_rows, r.method
            ),
            _ => String::new(),
        }
    }

    fn headline(&self) -> String {
        let name = self
            .untrusted
            .format_field("displayName", &self.display_name);
        let name = format!("{name} ({})", self.series_id);
        let vintages = self.vintages.as_ref();
        let is_empty = vintages.map_or(self.data.is_empty(), |v| v.rows.is_empty());
        if is_empty && self.points.is_empty() {
            // A single day has a point; a range that ends where it begins was open.
            let range = match DateRange::new(self.start, self.end) {
                range if range.start == range.end => format!("up to {}", range.end),
                range => range.to_string(),
            };
            return format!("{name}: no observation {range}.");
        }
        let unit = self.unit_in_words.as_ref().unwrap_or(&self.unit);
        let frequency = self.frequency.as_deref().unwrap_or("frequency not stated");
        let head = format!("{name}, {unit}, {frequency}");
        if !self.points.is_empty() {
            return format!("{head}.");
        }
        if let Some(vintages) = vintages {
            return format!("{head}, as known on {} days.", vintages.states.len());
        }
        let reduction = self.reduction.as_ref();
        let count = reduction.map_or(self.row_count, |r| r.from_rows);
        let rows = if count == 1 { "row" } else { "rows" };
        let mut text = format!("{head}: {count} {rows}.");
        if let (Some(digest), Some(kind)) = (&self.summary, &self.kind) {
            text += &format!(" {}", digest.describe(count, kind));
        }
        if self.truncated {
            text += " Older rows were cut at 5,000; narrow the range to get them.";
        }
        text
    }
}
