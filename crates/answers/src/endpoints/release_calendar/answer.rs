//! The calendar as an answer.

use crate::prelude::*;

/// The basis of a day that follows from a release's rule.
pub const EXPECTED: &str = "expected";
/// The basis of a day that an agency announced.
pub const ANNOUNCED: &str = "announced";

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
    /// Time of day, Eastern; empty if unknown.
    pub time: String,
    /// Period of its figures: 2026-10, 2026-Q3, the date of the week; days of a meeting.
    pub period: String,
    /// First and last likely day, by how early and late past releases came outside shutdowns; left out if they never
    /// moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<[Date; 2]>,
    /// `announced` by the agency, or `expected` by rule.
    pub basis: String,
    /// The rule, or when the announcement was read.
    pub rule: String,
    /// Headline series; empty for a release that revises an earlier print.
    pub series: Vec<String>,
    /// For a past day: whether the figures are stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<bool>,
    /// Decision of a meeting, from the target range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// Expected figure of a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedPrint {
    /// Period.
    pub period: String,
    /// In the figure's `unit`.
    pub value: f64,
    /// Standard deviation of errors.
    pub sd: f64,
    /// 90 % of errors were within this.
    pub p90: Option<f64>,
    /// Remarks: inputs absent, weeks still to come.
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
    /// Whether that day is recorded, or estimated by the usual lag.
    pub recorded: bool,
    /// In the figure's `unit`.
    pub value: f64,
    /// Expectation of the day before.
    pub expected: Option<ExpectedPrint>,
    /// Print less expectation.
    pub surprise: Option<f64>,
    /// The surprise in standard deviations.
    pub deviations: Option<f64>,
    /// Why there is no surprise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// Usual size of revisions in the year after the first print.
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

/// A headline figure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduledFigure {
    /// Identifier.
    #[serde(rename = "seriesId")]
    pub series_id: String,
    /// Name.
    pub name: String,
    /// Its release.
    pub release: String,
    /// What is expected; null without a formula.
    pub measure: Option<String>,
    /// Unit of expectation and print.
    pub unit: Option<String>,
    /// Expected next figure.
    pub next: Option<ExpectedPrint>,
    /// Why nothing is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// The newest print.
    pub last: Option<LastPrint>,
    /// Usual revision of first prints; null without vintages.
    pub usual_revision: Option<UsualRevision>,
    /// The formula.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// Its record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// Caveat.
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
    /// Their headline figures.
    pub figures: Vec<ScheduledFigure>,
    /// Credit line.
    pub attribution: Attribution,
    /// Provenance.
    #[serde(flatten)]
    pub provenance: Provenance,
}
