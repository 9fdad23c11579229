//! The answer about a series: the contract's fields, and what a model's window wants beside them; the same in words.

use super::digest::{Digest, ExtremeRow, RangeMove};
use super::points::{MeanChange, PointInTime};
use super::shape;
use super::vintages::Vintages;
use crate::endpoints::condition::ConditionFigures;
use crate::endpoints::foreign::UntrustedFields;
use crate::endpoints::measured::FigureKind;
use crate::endpoints::prelude::*;
use bytes::Bytes;
use econoscope_core::model::{Frequency, Observation};
use std::fmt;

/// Most rows in the text of an answer for a program, which reads the others in the structure.
const FOR_PROGRAMS: usize = 60;

/// Credit line and terms.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Credit {
    /// Credit line.
    pub text: String,
    /// Where it links to.
    pub url: String,
    /// Terms of use.
    pub terms: String,
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
    /// Unit.
    pub unit: String,
    /// First day of the range: the one asked for, or the first there is.
    pub start: Date,
    /// Last day of the range.
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
    /// Where all rows are to be had as CSV.
    #[serde(rename = "all_rows", default, skip_serializing_if = "Option::is_none")]
    pub all_rows: Option<String>,
    /// All rows as a PNG picture, when one was asked for; never part of the JSON.
    #[serde(skip)]
    pub picture: Option<Bytes>,
    /// What the figures are, for the words; never part of the JSON.
    #[serde(skip)]
    pub(super) measured: Option<FigureKind>,
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
    /// Rows there are in the range.
    pub from_rows: usize,
    /// Rows given.
    pub to_rows: usize,
    /// Which: "last observation of each month".
    pub method: String,
}

impl TimeSeriesAnswer {
    /// The unit as the agency words it, an index with the base that its figures stand on; `None` where the figures are
    /// in another unit.
    pub fn published_unit(&self) -> Option<String> {
        let known = Catalogue::embedded().get(&self.series_id)?;
        if known.units_short != self.unit {
            return None;
        }
        let words = self.unit_in_words.as_deref();
        let base = words.filter(|words| known.units_short == "index" && words.contains("=100"));
        let base = base.and_then(|words| words.split(", ").next());
        Some(base.map_or_else(
            || known.units.clone(),
            |base| base.replacen("index", "Index", 1),
        ))
    }

    /// How often it is measured: as stated, else as the distance of the rows suggests.
    pub(super) fn measured(&self) -> Frequency {
        let stated = self.frequency.as_deref().and_then(|word| word.parse().ok());
        stated.unwrap_or_else(|| econoscope_data::desk::holdings::guess_frequency(&self.data))
    }

    /// What an assistant reads: header, rows, what was left out, state of knowledge and credit line.
    pub(super) fn prose(&self, is_for_program: bool) -> String {
        let mut text = self.headline();
        let condition = self.condition.iter();
        text.extend(condition.map(|c| format!("\n{}", c.in_prose())));
        if let Some(vintages) = &self.vintages {
            let lines = self.measured.iter().map(|m| vintages.describe(m));
            text.extend(lines);
            text += &format!("\n{}", vintages.csv());
        } else if !self.points.is_empty() {
            let measured = self.measured.iter();
            let lines = measured.flat_map(|m| self.points.iter().map(|p| p.line(m)));
            let means = self.measured.iter();
            let means = means.flat_map(|m| self.means.iter().map(|mean| mean.line(m)));
            text.extend(lines.chain(means).map(|line| format!("\n{line}")));
        } else if is_for_program && self.data.len() > FOR_PROGRAMS {
            text += "\n(detail=full has every row here)";
        } else if !self.data.is_empty() {
            let csv = shape::csv("value", &self.data);
            text += &format!("\n{}", csv.trim_start_matches("observation_"));
        }
        text.trim_end().to_owned()
            + "\n"
            + &self.rest()
            + self.provenance.closing(&self.attribution).trim_start()
    }

    /// The rows as CSV, of several states of knowledge a column each.
    pub(super) fn csv(&self) -> String {
        let vintages = self.vintages.as_ref();
        vintages.map_or_else(|| shape::csv(&self.series_id, &self.data), Vintages::csv)
    }

    /// Which rows were left out, and how to get them; nothing where all are there.
    pub(super) fn rest(&self) -> String {
        match (&self.reduction, &self.all_rows) {
            (Some(r), Some(all)) if r.to_rows < r.from_rows => format!(
                "{} of {} rows: {}. More: max_points to 400, detail=csv to 750; all: {all}\n",
                r.to_rows, r.from_rows, r.method
            ),
            _ => String::new(),
        }
    }

    fn headline(&self) -> String {
        let name = self.untrusted.told("displayName", &self.display_name);
        let name = format!("{name} ({})", self.series_id);
        let vintages = self.vintages.as_ref();
        let is_empty = vintages.map_or(self.data.is_empty(), |v| v.rows.is_empty());
        if is_empty && self.points.is_empty() {
            let (start, end) = (self.start, self.end);
            return format!("{name}: no observation from {start} to {end}.");
        }
        let unit = self.unit_in_words.as_ref().unwrap_or(&self.unit);
        let frequency = self.frequency.as_deref();
        let frequency = frequency.unwrap_or("frequency not stated");
        let head = format!("{name}, {unit}, {frequency}");
        if !self.points.is_empty() {
            return format!("{head}.");
        }
        if let Some(vintages) = vintages {
            let states = vintages.states.len();
            return format!("{head}, as known on {states} days.");
        }
        let reduction = self.reduction.as_ref();
        let count = reduction.map_or(self.row_count, |r| r.from_rows);
        let figures = self.summary.as_ref().zip(self.measured.as_ref());
        let figures = figures.map(|(d, m)| format!(" {}", figures_in_words(d, count, m)));
        let cut = match self.truncated {
            true => " Older rows were cut at 5,000; narrow the range to get them.",
            false => "",
        };
        let rows = if count == 1 { "row" } else { "rows" };
        format!(
            "{head}: {count} {rows}.{}{cut}",
            figures.unwrap_or_default()
        )
    }
}

fn figures_in_words(d: &Digest, count: usize, measured: &FigureKind) -> String {
    let label = |date| measured.frequency.label(date);
    let at = |row: &Observation| measured.dated(row.value, row.date);
    if count == 1 {
        return format!("{}.", at(&d.last));
    }
    // "14.80 in April 2020", "0.05 on 2011-09-22 (first of 3 days, last 2015-01-02)".
    let extreme = |row: &ExtremeRow| {
        let ties = row.ties.zip(row.last_date);
        let ties = ties.map(|(n, last)| format!(" (first of {n}, last {})", label(last)));
        measured.dated(row.value, row.date) + &ties.unwrap_or_default()
    };
    let yearly = d.yearly_pct.map(|p| format!(", {p} % a year"));
    let mut text = format!(
        "Latest {}; first {}; change {}{}. Lowest {}; highest {}; mean {}.",
        at(&d.last),
        at(&d.first),
        measured.change(d.change, d.change_pct),
        yearly.unwrap_or_default(),
        extreme(&d.min),
        extreme(&d.max),
        d.mean,
    );
    // The change from the first row to the last is told already.
    let is_whole = |way: &&RangeMove| way.from == d.first && way.to == d.last;
    let end = |row: &Observation| format!("{} ({})", measured.figure(row.value), label(row.date));
    for (word, way) in [("fall", &d.fall), ("rise", &d.rise)] {
        if let Some(way) = way.as_ref().filter(|way| !is_whole(way)) {
            let change = measured.change(way.change, way.change_pct);
            let (from, to) = (end(&way.from), end(&way.to));
            text += &format!(" Greatest {word} {change}, {from} to {to}");
            text += &match (word, d.fall_recovered) {
                ("fall", Some(day)) => format!(", recovered {}.", measured.frequency.when(day)),
                ("fall", None) => format!(", not recovered by {}.", label(d.last.date)),
                _ => ".".to_owned(),
            };
        }
    }
    text + &format!(
        " Of the rows {} % lie below the latest, {} % equal it, {} % above.",
        d.below_pct, d.equal_pct, d.above_pct
    )
}
