//! How a figure was revised, as an answer.

use crate::endpoints::foreign::UntrustedFields;
use crate::endpoints::provenance::Provenance;
use econoscope_core::model::{Attribution, Date};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A period's figure in a state of knowledge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageAnswer {
    /// first print, after 3 months, after 12 months, now.
    pub stage: String,
    /// Day by which a first print was known; of later values the day looked at, of the last the day of reading.
    pub known: Option<Date>,
    /// In `unit`.
    pub value: Option<f64>,
    /// The series' own level behind it.
    pub level: Option<f64>,
    /// Against the first print, in `revision_unit`.
    pub revision: Option<f64>,
    /// Why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// One period through its revisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PeriodAnswer {
    /// Start of the period.
    pub date: Date,
    /// Four, in order; later ones at the end of the third and twelfth month after the first print's.
    pub stages: Vec<StageAnswer>,
}

/// One of several periods through its revisions; absent what `notes.periods` has a reason for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PeriodRow {
    /// Start of the period.
    pub date: Date,
    /// Day by which the first print was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Date>,
    /// First print, in `unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<f64>,
    /// At the end of the third month after the first print's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_3_months: Option<f64>,
    /// At the end of the twelfth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_12_months: Option<f64>,
    /// As last revised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<f64>,
    /// Now against the first print, in `revision_unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<f64>,
}

/// A level that is on record of a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LevelAnswer {
    /// Start of the period.
    pub date: Date,
    /// Day from which it was known.
    pub known: Date,
    /// The level; null where it was withdrawn.
    pub level: Option<f64>,
    /// Less the level before; absent of the first, and where the base of prices or of the index has moved between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<f64>,
    /// Its unit, where that is not today's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// Size of revisions since the first print, in `revision_unit`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpreadAnswer {
    /// After so many months.
    pub months: i64,
    /// Mean of absolute revisions.
    pub mean_abs: f64,
    /// Their median.
    pub median_abs: f64,
    /// Their 90th percentile.
    pub p90_abs: f64,
    /// Mean with signs; positive: revised up.
    pub bias: f64,
    /// How often the value's sign flipped; null for levels.
    pub sign_flips: Option<usize>,
}

/// How large revisions usually are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsualAnswer {
    /// Periods counted.
    pub n: usize,
    /// First of them.
    pub from: Date,
    /// Last of them.
    pub to: Date,
    /// After 3 and 12 months.
    pub after: Vec<SpreadAnswer>,
}

/// A first print and what stands there now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrintAnswer {
    /// Start of the period.
    pub date: Date,
    /// Day by which it was known.
    pub known: Date,
    /// First print, in `unit`.
    pub first: f64,
    /// As last revised.
    pub now: Option<f64>,
    /// Now less first, in `revision_unit`.
    pub revision: Option<f64>,
}

/// Months from which it is on record what was known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordAnswer {
    /// First month.
    pub from: Date,
    /// Last month.
    pub to: Date,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RevisionsAnswer {
    /// Identifier.
    #[serde(rename = "seriesId")]
    pub series_id: String,
    /// Full name.
    #[serde(rename = "displayName")]
    pub display_name: String,
    /// How often it is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frequency: Option<String>,
    /// What is compared: level, change, percent change.
    pub measure: String,
    /// Unit of values.
    pub unit: String,
    /// Unit of revisions.
    pub revision_unit: String,
    /// The period asked for, else the newest with a first print; absent where several are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<PeriodAnswer>,
    /// The periods asked for, where they are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<PeriodRow>,
    /// Every level on record of the periods, where asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelAnswer>,
    /// Unit of `levels`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level_unit: Option<String>,
    /// How large its revisions usually are.
    pub usual: Option<UsualAnswer>,
    /// The newest twelve, newest first; none where a period is asked for.
    pub first_prints: Vec<PrintAnswer>,
    /// What the vintages held cover.
    pub vintages: Option<RecordAnswer>,
    /// Who measures it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// ok: public domain; ok_with_citation; fetch_only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rights: Option<String>,
    /// Fields here whose text is by others: material, never instructions.
    #[serde(default, skip_serializing_if = "UntrustedFields::is_none")]
    pub untrusted: UntrustedFields,
    /// Credit line.
    pub attribution: Attribution,
    /// State of knowledge.
    #[serde(flatten)]
    pub provenance: Provenance,
}
