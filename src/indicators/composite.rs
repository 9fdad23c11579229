//! What every composite has in common: what it is, how it is read at a day, and what it is made of.
//!
//! A composite is one row of the table in the folder's `mod.rs`. A reading always adds up:
//! `value = base + sum of contributions`, so that a user can see where a figure comes from.

use crate::model::{Date, Observation, SeriesSet};

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
    /// Weight in the composite; the weights of all inputs add up to 1.
    pub weight: f64,
    /// Points of the result that this input adds to or takes from `base`.
    pub contribution: Option<f64>,
    /// Why the value is absent.
    pub missing: Option<String>,
}

impl Input {
    /// An input that is not there, with the reason.
    pub fn absent(
        name: &'static str,
        series: &[&'static str],
        unit: &'static str,
        weight: f64,
        reason: String,
    ) -> Self {
        Self {
            name,
            series: series.to_vec(),
            value: None,
            unit,
            date: None,
            weight,
            contribution: None,
            missing: Some(reason),
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

/// A computed figure at a day, with what it was made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Date the figure is stamped with: the day, the week's Wednesday, or the month's first day.
    pub date: Date,
    /// The figure; absent with a `reason`.
    pub value: Option<f64>,
    /// Why there is no figure.
    pub reason: Option<String>,
    /// The figure with every input at its reference: `value = base + sum of contributions`, to 1e-9.
    pub base: f64,
    /// All inputs of the method, present or not.
    pub inputs: Vec<Input>,
    /// Share of the weights that was present, 0 to 1.
    pub weight_present: f64,
    /// Movement over the composite's usual horizon, where it can be computed.
    pub trend: Option<Trend>,
    /// How the figure came about where that is not the usual way: "fallback without NFCI".
    pub basis: Vec<String>,
}

impl Reading {
    /// A reading without a figure: the reason and the inputs that were looked for.
    pub fn none(date: Date, reason: String, inputs: Vec<Input>) -> Self {
        Self {
            date,
            value: None,
            reason: Some(reason),
            base: 0.0,
            weight_present: present(&inputs),
            inputs,
            trend: None,
            basis: Vec::new(),
        }
    }
}

/// Share of the weight of inputs that have a value.
pub fn present(inputs: &[Input]) -> f64 {
    let weigh = |i: &Input| i.value.map_or(0.0, |_| i.weight);
    inputs.iter().map(weigh).sum()
}

/// A range of a figure that has a name; it reaches up to the next band's `from`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// Lower end, included.
    pub from: f64,
    /// Its name, lower case: "elevated".
    pub name: &'static str,
}

/// A composite indicator: one row of [`super::COMPOSITES`].
#[derive(Debug, Clone, Copy)]
pub struct Composite {
    /// Series identifier, `SERVICE_CRPI`.
    pub id: &'static str,
    /// Name and version of the method; stored figures carry it and are never recomputed under another.
    pub method: &'static str,
    /// Full name.
    pub name: &'static str,
    /// The formula as one line of plain text.
    pub formula: &'static str,
    /// Where the method comes from.
    pub source: &'static str,
    /// Every series it may read.
    pub inputs: &'static [&'static str],
    /// Named ranges of the value, ascending; empty when the level alone says nothing.
    pub bands: &'static [Band],
    /// The history up to a day, ascending, as far as it is dated on or after another: `since(set, day, from)`.
    /// Each value uses only what was available on its own date; the last one equals the reading's value at
    /// that day, when there is one. To be computed for what is asked, not for what lies before.
    pub since: fn(&SeriesSet, Date, Date) -> Vec<Observation>,
    /// Under which of its definitions the history up to a day is computed; empty where there is but one.
    /// Another definition is another history, from its beginning.
    pub profile: fn(&SeriesSet, Date) -> &'static str,
    /// The figure at a day and what it is made of.
    pub reading: fn(&SeriesSet, Date) -> Reading,
    /// What a reading means, in sentences, with the evidence.
    pub interpret: fn(&Reading) -> String,
}

impl Composite {
    /// The whole history up to a day, ascending.
    pub fn history(&self, set: &SeriesSet, day: Date) -> Vec<Observation> {
        (self.since)(set, day, Date::MIN)
    }

    /// The name of the band that holds `value`; `None` without bands.
    pub fn band(&self, value: f64) -> Option<&'static str> {
        band(self.bands, value)
    }
}

/// The name of the band that holds `value`; below the first band it is the first.
pub fn band(bands: &[Band], value: f64) -> Option<&'static str> {
    let above = bands.partition_point(|b| b.from <= value);
    bands.get(above.saturating_sub(1)).map(|b| b.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_band_reaches_up_to_the_next_one() {
        let bands = [
            Band {
                from: 0.0,
                name: "low",
            },
            Band {
                from: 15.0,
                name: "high",
            },
        ];
        assert_eq!(band(&bands, -1.0), Some("low"));
        assert_eq!(band(&bands, 14.999), Some("low"));
        assert_eq!(band(&bands, 15.0), Some("high"));
        assert_eq!(band(&[], 15.0), None);
    }
}
