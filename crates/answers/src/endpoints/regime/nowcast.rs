//! The nowcast of the regime, apart from the published one.

use super::months::Probabilities;
use crate::prelude::*;
use econoscope_core::format;
use econoscope_core::indicators::nowcast::{Fill, LIMITS, Nowcast};

/// An unpublished figure that was filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FilledFigure {
    /// Series.
    pub series: String,
    /// Month.
    pub month: Date,
    /// The assumed value, in the series' own unit.
    pub value: f64,
    /// Method.
    pub how: String,
}

/// The regime with unpublished figures filled in; never the regime of record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NowcastAnswer {
    /// GOLDILOCKS, STAGFLATION, REFLATION or DEFLATION.
    pub regime: String,
    /// Probability of the label, percent.
    pub confidence: f64,
    /// Probability of each regime, percent.
    pub probabilities: Probabilities,
    /// Most likely other regime.
    pub runner_up: String,
    /// Month of the regime; its figures are those of the month before.
    pub month: Date,
    /// Growth score, standard deviations from its 20-year mean.
    pub growth_score: f64,
    /// Inflation score, percentage points around target.
    pub inflation_score: f64,
    /// Always "nowcast".
    pub basis: String,
    /// Saturday of the newest week of claims.
    pub claims_week: Date,
    /// Filled figures.
    pub filled: Vec<FilledFigure>,
    /// Series that were missing and replaced.
    pub inputs_missing: Vec<String>,
    /// Known limits.
    pub limits: String,
}

impl NowcastAnswer {
    pub(super) fn new(nowcast: &Nowcast) -> Self {
        let state = &nowcast.state;
        let filled = |fill: &Fill| FilledFigure {
            series: fill.series.to_owned(),
            month: fill.month.first_day(),
            value: round_to(fill.value, 4),
            how: fill.basis.to_owned(),
        };
        let missing = nowcast.inputs_missing.iter().map(|id| (*id).to_owned());
        Self {
            regime: state.regime.name().to_owned(),
            confidence: state.confidence,
            probabilities: Probabilities::from_shares(state.probabilities),
            runner_up: state.runner_up().name().to_owned(),
            month: state.month,
            growth_score: round_to(state.growth, 2),
            inflation_score: round_to(state.inflation, 2),
            basis: "nowcast".to_owned(),
            claims_week: nowcast.claims_week,
            filled: nowcast.fills.iter().map(filled).collect(),
            inputs_missing: missing.collect(),
            limits: LIMITS.to_owned(),
        }
    }

    /// Describes the nowcast beside the regime of record; what was filled and its limits are in the structure.
    pub(super) fn describe(&self, of_record: &str) -> String {
        let says = if self.regime == of_record {
            "says the same".to_owned()
        } else {
            format!("says {}", super::title_case(&self.regime))
        };
        format!(
            "\nThe nowcast for {}, with claims to {}, {says} with {} %; it is not the regime of record.",
            format::month(self.month),
            format::day(self.claims_week),
            self.confidence
        )
    }
}
