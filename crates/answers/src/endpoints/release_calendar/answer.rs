//! The calendar as an answer.

use crate::endpoints::prelude::*;

/// A release or meeting to come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReleaseEvent {
    /// For arguments: cpi.
    pub release: String,
    /// Name.
    pub name: String,
    /// Who publishes it.
    pub agency: String,
    /// Expected or announced day.
    pub date: Date,
    /// Time of day, Eastern; empty where none is known.
    pub time: String,
    /// Period of its figures: 2026-10, 2026-Q3, or the day that stamps the week; days of a meeting.
    pub period: String,
    /// First and last day on which it may come, by how early and late such releases have been outside shutdowns; left
    /// out where they have always come on that day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<[Date; 2]>,
    /// `rule`: expected, not announced; or `announced`.
    pub basis: String,
    /// The rule.
    pub rule: String,
    /// Series people wait for; empty for a release that revises an earlier print.
    pub series: Vec<String>,
    /// Of a day that has come: whether the figures are held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<bool>,
    /// What a meeting decided, where the figures of the target range tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// What a release can be expected to say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedPrint {
    /// Period.
    pub period: String,
    /// In the figure's `unit`.
    pub value: f64,
    /// Standard deviation of errors.
    pub sd: f64,
    /// Nine in ten errors were within this.
    pub p90: Option<f64>,
    /// What was unusual: inputs absent, weeks still to come.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The newest figure as printed first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LastPrint {
    /// Period.
    pub period: String,
    /// Day by which it was known.
    pub date: Date,
    /// Whether that day is on record; else the usual lag stands for it.
    pub recorded: bool,
    /// In the figure's `unit`.
    pub value: f64,
    /// What could be expected the day before.
    pub expected: Option<ExpectedPrint>,
    /// Print less expectation.
    pub surprise: Option<f64>,
    /// The surprise in standard deviations.
    pub deviations: Option<f64>,
    /// Why there is no surprise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// How far first prints usually lie from what stands there a year later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsualRevision {
    /// Months after the first print.
    pub months: i64,
    /// Mean of absolute revisions.
    pub mean_abs: f64,
    /// Nine in ten were within this.
    pub p90_abs: f64,
    /// Mean with signs; positive: revised up.
    pub bias: f64,
    /// Unit of all three.
    pub unit: String,
    /// First prints counted.
    pub n: usize,
}

/// A figure that is waited for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduledFigure {
    /// Identifier.
    #[serde(rename = "seriesId")]
    pub series_id: String,
    /// Name.
    pub name: String,
    /// The release that brings it.
    pub release: String,
    /// What is expected; null without a formula.
    pub measure: Option<String>,
    /// Unit of expectation and print.
    pub unit: Option<String>,
    /// What the next release can be expected to say.
    pub next: Option<ExpectedPrint>,
    /// Why nothing is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// The newest print.
    pub last: Option<LastPrint>,
    /// How far first prints are revised; null without vintages.
    pub usual_revision: Option<UsualRevision>,
    /// The formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// Its record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// What must be known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caveat: Option<String>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalendarAnswer {
    /// First day.
    pub from: Date,
    /// Last day.
    pub to: Date,
    /// Zone of times.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub zone: String,
    /// By day and time.
    pub events: Vec<ReleaseEvent>,
    /// What they bring that people wait for.
    pub figures: Vec<ScheduledFigure>,
    /// Credit line.
    pub attribution: Attribution,
    /// State of knowledge.
    #[serde(flatten)]
    pub provenance: Provenance,
}
