//! Recession probability CRPI (also CVRP), method crpi-v1: docs/COMPOSITES.md#recession-probability.
//!
//! The mean of two probits: the New York Fed's term-spread model with its published coefficients, and our own
//! with financial conditions and building permits. The target is "an NBER recession month occurs
//! within the next 12 months". The month of the reference day is computed from its days so far.

mod inputs;
mod second;

pub use inputs::second_term;
pub use second::CRPI2;

use super::composite::{Composite, Computation, Indicator};
use super::months::Month;
use super::prose::{self, join};
use super::reading::{Input, Reading, Trend};
use super::record::{LAST_SCORED, counted, sentence};
use super::shapley::attributed_reading;
use super::statistics::normal_cdf;
use crate::model::{Date, Observation, SeriesSet};
use inputs::Sources;

/// Recession probability, 0 to 100, monthly.
pub const CRPI: Composite = Composite {
    indicator: Indicator { id: "SERVICE_CRPI" },
    computation: Computation::Formula { reading, history },
    interpret,
};

/// Means of S, F and B over the months of the fit, 1971-01 to 2024-07: the reference of the contributions.
const USUAL: [f64; 3] = [1.423, 0.019, 0.338];

/// Returns the probability, 0 to 100; `None` without the second term. Without the spread the first term is dropped.
///
/// Golden values to the printed digit come out of the printed (rounded) inputs: 75.45 for May 2023;
/// unrounded inputs give 75.44.
fn probability(drivers: [Option<f64>; 3]) -> Option<f64> {
    let second = second_term(drivers)?;
    let [spread, ..] = drivers;
    let mean = spread.map_or(second, |s| f64::midpoint(first_term(s), second));
    Some(100.0 * mean).filter(|p| p.is_finite())
}

/// Returns the probits whose mean is the probability, in percent, named by their inputs.
///
/// The first is on the term spread alone and absent without it, the second on all present inputs. Empty without a value.
pub fn probits(reading: &Reading) -> Vec<(String, f64)> {
    let [spread, conditions, permits] = reading.inputs.as_slice() else {
        return Vec::new();
    };
    let inputs = [spread, conditions, permits];
    let Some(second) = second_term(inputs.map(|input| input.value)) else {
        return Vec::new();
    };
    let names = |inputs: &[&Input]| {
        let present = inputs.iter().filter(|input| input.value.is_some());
        let names = present.map(|input| prose::lowercase_first(input.name));
        join(names, ", ")
    };
    let first = spread
        .value
        .map(|s| (names(&[spread]), 100.0 * first_term(s)));
    let second = (names(&inputs), 100.0 * second);
    first.into_iter().chain([second]).collect()
}

/// Returns the New York Fed's probit on the term spread, with its published constants, 0 to 1.
pub fn first_term(spread: f64) -> f64 {
    normal_cdf(-0.5333 - 0.6330 * spread)
}

/// Returns the probability of every month up to `day`, under its first day.
///
/// A month uses its own days; its last weekly figures appear up to five days after its end, so its value
/// settles then, or with the permits of the month before where a shutdown holds them up. The month of `day`
/// is computed from the figures known so far.
fn history(set: &SeriesSet, day: Date) -> Vec<Observation> {
    let sources = Sources::read(set, day);
    sources.path(|m| probability(inputs::values(&sources.drivers(m))))
}

fn reading(set: &SeriesSet, day: Date) -> Reading {
    let sources = Sources::read(set, day);
    let month = Month::from_date(day);
    let drivers = sources.drivers(month);
    let inputs = sources.inputs(&drivers);
    let mut reading = attributed_reading(month.first_day(), inputs, USUAL, probability);
    if let Some(value) = reading.value {
        let before = sources.drivers(month.plus(-3));
        let before = probability(inputs::values(&before));
        reading.trend = Trend::between(before, value, "3 months");
        let to_date = (month.last_day() > day).then(|| "month to date".to_owned());
        reading.basis = to_date.into_iter().chain(inputs::basis(&drivers)).collect();
    }
    reading
}

/// Describes the band and the evidence.
fn interpret(reading: &Reading) -> String {
    let Some(value) = reading.value else {
        return prose::describe_unavailable("Recession probability", reading);
    };
    // The months counted are those of the band in which the value lies.
    let band = CRPI.band(value).unwrap_or_default();
    format!(
        "{}{}; not odds. {}",
        prose::capitalize(band),
        prose::format_trend(reading.trend.as_ref(), "points", 1),
        counted(sentence(&format!("CRPI {band}")), reading.date, LAST_SCORED),
    )
}

#[cfg(test)]
mod tests;
