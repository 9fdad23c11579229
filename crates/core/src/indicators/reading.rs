//! What a composite says at a day, and what it is made of.
//!
//! A reading always adds up: `value = base + sum of contributions`, so that a user can see where a figure
//! comes from.

use super::alarm::Alarm;
use crate::model::Date;

/// One input of a computed figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What it measures: "Credit spread".
    pub name: &'static str,
    /// Series it was read from; the first is the preferred one.
    pub series: Vec<&'static str>,
    /// The input after its transform, in `unit`; absent when it could not be had.
    pub value: Option<f64>,
    /// Unit of `value`.
    pub unit: &'static str,
    /// Date of the newest observation used.
    pub date: Option<Date>,
    /// Weight in the composite; the weights of all inputs add up to 1. `None` where nothing is weighted.
    pub weight: Option<f64>,
    /// Points of the result that this input adds to or takes from `base`.
    pub contribution: Option<f64>,
    /// Why the value is absent.
    pub missing: Option<String>,
}

impl Input {
    /// One without a weight, and without a contribution as yet: its value with its date, or why there is none.
    pub fn of(
        (name, series, unit): (&'static str, &[&'static str], &'static str),
        found: Option<(f64, Date)>,
        missing: Option<String>,
    ) -> Self {
        Self {
            name,
            series: series.to_vec(),
            value: found.map(|(value, _)| value),
            unit,
            date: found.map(|(_, date)| date),
            weight: None,
            contribution: None,
            missing: missing.filter(|_| found.is_none()),
        }
    }
}

/// How far a figure has moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Absolute change in the figure's own unit.
    pub change: f64,
    /// Over which time, in words: "13 weeks".
    pub over: &'static str,
}

impl Trend {
    /// From a figure of before, where there was one, to the present one.
    pub fn since(before: Option<f64>, now: f64, over: &'static str) -> Option<Self> {
        before.map(|before| Self {
            change: now - before,
            over,
        })
    }
}

/// A computed figure at a day, with what it was made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Date the figure is stamped with: the day, the week's Wednesday, or the month's first day.
    pub date: Date,
    /// The figure; absent with a `reason`.
    pub value: Option<f64>,
    /// Why there is no figure.
    pub reason: Option<String>,
    /// Why there is none of the day asked for: then this is the last one that its inputs allow.
    pub late: Option<String>,
    /// The figure with every input at its reference: `value = base + sum of contributions`, to 1e-9.
    pub base: f64,
    /// All inputs of the method, present or not.
    pub inputs: Vec<Input>,
    /// Share of the weights that was present, 0 to 1; 0 where nothing is weighted.
    pub weight_present: f64,
    /// Movement over the composite's usual horizon, where it can be computed.
    pub trend: Option<Trend>,
    /// How the figure came about where that is not the usual way: "fallback without NFCI".
    pub basis: Vec<String>,
    /// The alarm of composites that have one, where their history is at hand.
    pub alarm: Option<Alarm>,
}

impl Reading {
    /// A figure made of these inputs around the base 0, without a trend.
    pub fn of(date: Date, value: f64, inputs: Vec<Input>) -> Self {
        Self {
            date,
            value: Some(value),
            reason: None,
            late: None,
            base: 0.0,
            weight_present: present(&inputs),
            inputs,
            trend: None,
            basis: Vec::new(),
            alarm: None,
        }
    }

    /// A reading without a figure: the reason and the inputs that were looked for.
    pub fn none(date: Date, reason: String, inputs: Vec<Input>) -> Self {
        Self {
            value: None,
            reason: Some(reason),
            ..Self::of(date, 0.0, inputs)
        }
    }

    /// A reading without a figure because of what its inputs lack.
    pub fn lacking(date: Date, inputs: Vec<Input>) -> Self {
        let reasons: Vec<&str> = inputs.iter().filter_map(|i| i.missing.as_deref()).collect();
        Self::none(date, reasons.join("; "), inputs)
    }
}

/// Share of the weight of inputs that have a value.
pub fn present(inputs: &[Input]) -> f64 {
    let weigh = |i: &Input| i.value.and(i.weight);
    inputs.iter().filter_map(weigh).sum()
}

/// Why a series has no figure that is still current.
pub fn not_current(id: &str, newest: Option<Date>) -> String {
    match newest {
        Some(newest) => format!("{id} has no current figure (newest: {newest})"),
        None => format!("{id} is not loaded"),
    }
}

/// Why a figure is absent while too little of its weight is there (docs/METHODS.md#missing-inputs).
pub fn too_little(present: f64, needed: f64) -> String {
    format!(
        "only {:.0} % of its weight is present, {:.0} % are needed",
        100.0 * present,
        100.0 * needed
    )
}
