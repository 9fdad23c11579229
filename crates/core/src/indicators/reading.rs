//! The value of a composite at a day, and its inputs.
//!
//! A reading always adds up: `value = base + sum of contributions`, so that a user can see where a figure
//! comes from.

use super::alarm::Alarm;
use crate::model::Date;

/// One input of a computed figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Input {
    /// What it measures: "Credit spread".
    pub name: &'static str,
    /// Series it was read from; the first is the preferred one.
    pub series: Vec<&'static str>,
    /// The input after its transform, in `unit`.
    pub value: Option<f64>,
    /// Unit of `value`.
    pub unit: &'static str,
    /// Date of the newest observation used.
    pub date: Option<Date>,
    /// Weight in the composite; the weights of all inputs add up to 1. `None` where nothing is weighted.
    pub weight: Option<f64>,
    /// Points that this input adds to `base`.
    pub contribution: Option<f64>,
    /// Why the value is absent.
    pub missing: Option<String>,
}

impl Input {
    /// Builds an input without weight and contribution: its value with its date, or why there is none.
    pub fn new(
        (name, series, unit): (&'static str, &[&'static str], &'static str),
        dated_value: Result<(f64, Date), String>,
    ) -> Self {
        let (value, date) = dated_value.as_ref().ok().copied().unzip();
        Self {
            name,
            series: series.to_vec(),
            value,
            unit,
            date,
            missing: dated_value.err(),
            ..Self::default()
        }
    }
}

/// Change of a figure over a span of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Absolute change in the figure's own unit.
    pub change: f64,
    /// Span of time: "13 weeks".
    pub over: &'static str,
}

impl Trend {
    /// Returns the change from an earlier figure, where there is one, to the present one.
    pub fn between(before: Option<f64>, now: f64, over: &'static str) -> Option<Self> {
        before.map(|before| Self {
            change: now - before,
            over,
        })
    }
}

/// A computed figure at a day, with its inputs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// Date of the figure: the day, the week's Wednesday, or the month's first day.
    pub date: Date,
    /// The figure; absent with a `reason`.
    pub value: Option<f64>,
    /// Why there is no figure.
    pub reason: Option<String>,
    /// Why there is no figure for the requested day; the reading is then the last one that its inputs allow.
    pub late: Option<String>,
    /// The figure with every input at its reference: `value = base + sum of contributions`, to 1e-9.
    pub base: f64,
    /// All inputs of the method, present or not.
    pub inputs: Vec<Input>,
    /// Share of the weights that was present, 0 to 1; 0 where nothing is weighted.
    pub weight_present: f64,
    /// Movement over the composite's usual horizon, where it can be computed.
    pub trend: Option<Trend>,
    /// Deviations from the usual computation: "fallback without NFCI".
    pub basis: Vec<String>,
    /// The alarm of composites that have one, where their history is available.
    pub alarm: Option<Alarm>,
}

impl Reading {
    /// Builds a figure from its inputs, with base 0 and without a trend.
    pub fn new(date: Date, value: f64, inputs: Vec<Input>) -> Self {
        Self {
            date,
            value: Some(value),
            weight_present: weight_present(&inputs),
            inputs,
            ..Self::default()
        }
    }

    /// Builds a reading without a figure: the reason and the inputs, present or not.
    pub fn without_value(date: Date, reason: String, inputs: Vec<Input>) -> Self {
        Self {
            value: None,
            reason: Some(reason),
            ..Self::new(date, 0.0, inputs)
        }
    }

    /// Builds a reading without a figure, for the reasons why its inputs are missing.
    pub fn with_missing_inputs(date: Date, inputs: Vec<Input>) -> Self {
        let reasons: Vec<&str> = inputs.iter().filter_map(|i| i.missing.as_deref()).collect();
        Self::without_value(date, reasons.join("; "), inputs)
    }
}

/// Returns the share of the weight of inputs that have a value.
pub fn weight_present(inputs: &[Input]) -> f64 {
    let weights = inputs.iter().filter_map(|i| i.value.and(i.weight));
    weights.sum()
}

/// Explains why a figure is absent while too little of its weight is present (docs/METHODS.md#missing-inputs).
pub fn describe_missing_weight(present: f64, needed: f64) -> String {
    format!(
        "only {:.0} % of its weight is present, {:.0} % are needed",
        100.0 * present,
        100.0 * needed
    )
}
