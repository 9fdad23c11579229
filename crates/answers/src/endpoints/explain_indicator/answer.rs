//! The answer of `explain_indicator`, and the text of its parts.

use super::alarms::AlarmHistory;
use crate::prelude::*;
use econoscope_desk::scores::ScoreTable;

/// A figure that inputs add up to; composites have one, the regime two.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// What it is.
    pub name: String,
    /// Unit of value and points.
    pub unit: String,
    /// Date of the value.
    pub date: Option<Date>,
    /// `base` plus the points of its inputs.
    pub value: Option<f64>,
    /// Value with every input at its reference.
    pub base: f64,
    /// Value on the day compared with, a month earlier unless `since` names it, as known then.
    pub value_before: Option<f64>,
    /// Base on that day.
    pub base_before: f64,
}

impl Score {
    /// Describes the value now and on the earlier day.
    pub(super) fn describe(&self, earlier: &str) -> String {
        let value = |v: Option<f64>| match v {
            Some(v) => format!("{} {}", format_number(v, 2), spell_out_unit(&self.unit)),
            None => "not available".to_owned(),
        };
        let [now, before] = [self.value, self.value_before].map(value);
        let base = format_number(self.base, 2);
        let base = enclosed(", base ", if self.base == 0.0 { "" } else { &base }, "");
        format!("{} {now}, {earlier} {before}{base}", self.name)
    }
}

/// A score as known at the time and from the last revisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RevisedScore {
    /// Score.
    pub name: String,
    /// As known on the day of the answer.
    pub known_then: Option<f64>,
    /// Of the same date, from the last revisions.
    pub last_revised: Option<f64>,
    /// The first less the second.
    pub difference: Option<f64>,
    /// Mean of the differences over all months compared, without sign.
    pub mean_difference: f64,
    /// The largest of them, with its sign.
    pub largest_difference: f64,
    /// Its date.
    pub largest_date: Date,
}

/// A month whose band or regime was another than the last revisions have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RevisedLabel {
    /// Date of both.
    pub date: Date,
    /// As known at the month's end.
    pub known_then: String,
    /// From the last revisions.
    pub last_revised: String,
}

/// Months as known at their end beside the same from the last revisions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AsRevised {
    /// Day of the first month end of which a vintage of an input is held.
    pub since: Date,
    /// Months compared, up to the day of the answer.
    pub months: usize,
    /// By score.
    pub scores: Vec<RevisedScore>,
    /// Band or regime of the same date, from the last revisions.
    pub label_last_revised: Option<String>,
    /// Months whose band or regime was another.
    pub labels_differ: usize,
    /// The newest of them.
    pub labels: Vec<RevisedLabel>,
}

/// One input.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExplainedInput {
    /// Score it belongs to.
    pub score: String,
    /// What it measures.
    pub name: String,
    /// Series it is read from.
    pub series: String,
    /// Unit of its value.
    pub unit: String,
    /// Weight in the score, 0 to 1; null where nothing is weighted.
    pub weight: Option<f64>,
    /// Date of the newest figure in it.
    pub date: Option<Date>,
    /// The input after its transform.
    pub value: Option<f64>,
    /// Points it adds to the score.
    pub points: Option<f64>,
    /// Value on the day compared with, as known then.
    pub value_before: Option<f64>,
    /// Points on that day.
    pub points_before: Option<f64>,
    /// Why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

impl ExplainedInput {
    /// Formats the input as a row, or says why it is missing.
    pub(super) fn format_row(&self) -> String {
        let head = format!(
            "\n{},{}",
            table_cell(&self.name),
            self.series.replace(", ", " ")
        );
        let (Some(value), Some(date)) = (self.value, self.date) else {
            let reason = self.missing.as_deref().unwrap_or("no value");
            return format!("{head},missing: {}", table_cell(reason));
        };
        let points = |p: Option<f64>| cell(p.map(|p| format_signed(p, 2)));
        let unit = table_cell(&self.unit);
        format!(
            "{head},{},{unit},{date},{},{}",
            format_number(value, 3),
            points(self.points),
            points(self.points_before)
        )
    }
}

/// One of the probits whose mean a probability is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbitAnswer {
    /// Its probability, percent.
    pub value: f64,
    /// Its probability on the day compared with, as known then.
    pub value_before: Option<f64>,
}

/// The answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// CRPI, RNOW, CNLI, CMSI, CRAI, NVI, regime or SAHM.
    pub indicator: String,
    /// Full name.
    pub name: String,
    /// Method and version.
    pub method: String,
    /// One line of plain text.
    pub formula: String,
    /// Where the method comes from.
    pub method_source: String,
    /// Band or regime; null without a value.
    pub label: Option<String>,
    /// Day that is compared with.
    pub before: Date,
    /// Scores.
    pub scores: Vec<Score>,
    /// Inputs.
    pub inputs: Vec<ExplainedInput>,
    /// Of CRPI the probits whose mean the value is, by their inputs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub probits: BTreeMap<String, ProbitAnswer>,
    /// Of an indicator with an alarm when it went on and off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alarm: Option<AlarmHistory>,
    /// What moved it since, in words.
    pub moved: String,
    /// What it means.
    pub interpretation: String,
    /// How good it was in real time, computed from the vintages; empty for indicators without a record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub record: Vec<ScoreTable>,
    /// What was known at the time beside what the last revisions say of the same months; absent while no vintages of
    /// its inputs are held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hindsight: Option<AsRevised>,
    /// Credit line.
    pub attribution: Attribution,
    /// State of knowledge.
    #[serde(flatten)]
    pub provenance: Provenance,
}
