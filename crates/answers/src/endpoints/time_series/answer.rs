//! The answer about a series: the contract's fields, and what a model's window wants beside them.

use super::digest::Digest;
use super::points::{MeanChange, PointInTime};
use super::vintages::Vintages;
use crate::endpoints::condition::ConditionFigures;
use crate::endpoints::foreign::UntrustedFields;
use crate::endpoints::measured::FigureKind;
use crate::endpoints::provenance::Provenance;
use bytes::Bytes;
use econoscope_core::catalogue::Catalogue;
use econoscope_core::model::{Date, Frequency, Observation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

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
}
