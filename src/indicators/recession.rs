//! Recession probability CRPI (also CVRP), method crpi-v1: METHODS 1.
//!
//! The mean of two probits: the New York Fed's term-spread model with its published coefficients, and one
//! of ours with financial conditions and building permits. The target is "an NBER recession month occurs
//! within the next 12 months". The month of the reference day is computed from its days so far.

use super::composite::{Band, Composite, Input, Reading, Trend, band};
use super::months::Month;
use super::prose;
use super::statistics::normal_cdf;
use crate::model::{Date, Observation, SeriesSet};

mod companions;
mod inputs;
pub use companions::{Companion, INPUTS as COMPANION_INPUTS, companions};
use inputs::{Part, Sources};

/// Recession probability, 0 to 100, monthly.
pub const CRPI: Composite = Composite {
    id: "SERVICE_CRPI",
    method: "crpi-v1",
    name: "Recession probability (CVRP)",
    formula: "100 * (Phi(-0.5333 - 0.6330 S) + Phi(-0.4101 - 0.4916 S + 0.8150 F - 0.0268 B)) / 2; S = 10-year less \
              3-month Treasury yield, monthly mean, percentage points; F = NFCI, monthly mean; B = 100 ln of the \
              3-month mean of building permits over that of a year before, one month lagged",
    source: "First term: Estrella and Mishkin 1996, Trubin 2006 (New York Fed). Second term: own probit on any NBER \
             recession in the 12 months ahead, 1971-01 to 2024-07, 643 months, pseudo-R2 0.512",
    inputs: &["T10Y3M", "GS10", "TB3MS", "NFCI", "PERMIT"],
    bands: BANDS,
    since,
    profile: |_, _| "",
    reading,
    interpret,
};

const BANDS: &[Band] = &[
    Band {
        from: 0.0,
        name: "low",
    },
    Band {
        from: 15.0,
        name: "elevated",
    },
    Band {
        from: 30.0,
        name: "high",
    },
    Band {
        from: 50.0,
        name: "very high",
    },
];

/// The three inputs of a month: term spread, financial conditions, permits; any may be absent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Drivers {
    /// Ten-year less three-month yield, percentage points.
    pub spread: Option<f64>,
    /// NFCI, index.
    pub conditions: Option<f64>,
    /// Log change of permits over a year, percent.
    pub permits: Option<f64>,
}

/// Means of S, F and B over the months of the fit, 1971-01 to 2024-07: the reference of the contributions.
const USUAL: [f64; 3] = [1.423, 0.019, 0.338];

impl Drivers {
    fn array(self) -> [Option<f64>; 3] {
        [self.spread, self.conditions, self.permits]
    }

    fn of([spread, conditions, permits]: [Option<f64>; 3]) -> Self {
        Self {
            spread,
            conditions,
            permits,
        }
    }

    /// The probability, 0 to 100; `None` when all three are absent.
    ///
    /// Each combination of absent inputs has a probit of its own for the second term, fitted to the same
    /// target (METHODS 1); without the spread the first term is dropped.
    /// Golden values to the printed digit come out of the printed (rounded) inputs: 75.45 for May 2023;
    /// unrounded inputs give 75.44.
    pub fn probability(self) -> Option<f64> {
        let second = match self.array() {
            [Some(s), Some(f), Some(b)] => -0.4101 - 0.4916 * s + 0.8150 * f - 0.0268 * b,
            [Some(s), Some(f), None] => -0.2726 - 0.5104 * s + 0.9871 * f,
            [Some(s), None, Some(b)] => -0.4821 - 0.4456 * s - 0.0333 * b,
            [Some(s), None, None] => -0.2057 - 0.4567 * s,
            [None, Some(f), Some(b)] => -0.9149 + 0.8068 * f - 0.0259 * b,
            // METHODS fits no probit to a single input other than the spread.
            [None, _, _] => return None,
        };
        let second = normal_cdf(second);
        let mean = self.spread.map_or(second, |s| {
            (normal_cdf(-0.5333 - 0.6330 * s) + second) / 2.0
        });
        Some(100.0 * mean).filter(|p| p.is_finite())
    }

    /// The probability with each input at its usual value, and the points each input adds to that.
    ///
    /// Attribution: Shapley values (1953), the mean effect of moving one input from its usual to its actual
    /// value over all orders of moving; they add up to the probability exactly. Absent inputs have none.
    fn attribution(self) -> Option<(f64, [Option<f64>; 3])> {
        let actual = self.array();
        let at = |moved: usize| {
            let pick = |i: usize| {
                let (now, usual) = (actual.get(i)?, USUAL.get(i)?);
                now.map(|v| if moved >> i & 1 == 1 { v } else { *usual })
            };
            Self::of([pick(0), pick(1), pick(2)]).probability()
        };
        let worth: Option<Vec<f64>> = (0..8).map(at).collect();
        let worth = worth?;
        let gain = |i: usize, others: usize| {
            let with = worth.get(others | 1 << i).copied().unwrap_or_default();
            with - worth.get(others).copied().unwrap_or_default()
        };
        // Of the six orders of three inputs, one comes first in two, second after each other one in one.
        let share = |i: usize| {
            let (j, k) = (1 << ((i + 1) % 3), 1 << ((i + 2) % 3));
            (2.0 * gain(i, 0) + gain(i, j) + gain(i, k) + 2.0 * gain(i, j | k)) / 6.0
        };
        let present = |i: usize| actual.get(i).copied().flatten().map(|_| share(i));
        Some((*worth.first()?, [present(0), present(1), present(2)]))
    }
}

/// The probability of every month up to `day` whose first day is not before `from`, stamped with that day.
///
/// A month uses its own days; its last weekly figures appear up to five days after its end, so its value
/// settles then. The month of `day` is computed from what is known so far.
fn since(set: &SeriesSet, day: Date, from: Date) -> Vec<Observation> {
    let sources = Sources::read(set, day, from);
    let Some(first) = sources.first() else {
        return Vec::new();
    };
    let asked = Month::of(from);
    let first = first.max(if from == asked.first_day() {
        asked
    } else {
        asked.plus(1)
    });
    let months = (0..)
        .map(|k| first.plus(k))
        .take_while(|m| *m <= Month::of(day));
    months
        .filter_map(|m| {
            let value = drivers(&sources.month(m)).probability()?;
            Some(Observation::new(m.first_day(), value))
        })
        .collect()
}

fn drivers(parts: &[Part; 3]) -> Drivers {
    let [s, f, b] = parts;
    Drivers {
        spread: s.value,
        conditions: f.value,
        permits: b.value,
    }
}

fn reading(set: &SeriesSet, day: Date) -> Reading {
    let sources = Sources::read(set, day, Date::MIN);
    let month = Month::of(day);
    let parts = sources.month(month);
    let drivers_now = drivers(&parts);
    let split = drivers_now.attribution();
    let points = split.map_or([None; 3], |(_, points)| points);
    let basis = basis(&parts, drivers_now, month.last_day() > day);
    let inputs: Vec<Input> = parts
        .into_iter()
        .zip(points)
        .map(|(part, points)| part.input(points))
        .collect();
    let Some(value) = drivers_now.probability() else {
        let reason = inputs
            .iter()
            .filter_map(|i| i.missing.as_deref())
            .collect::<Vec<_>>()
            .join("; ");
        return Reading::none(month.first_day(), reason, inputs);
    };
    let before = drivers(&sources.month(month.plus(-3))).probability();
    Reading {
        date: month.first_day(),
        value: Some(value),
        reason: None,
        base: split.map_or(0.0, |(base, _)| base),
        weight_present: super::composite::present(&inputs),
        inputs,
        trend: before.map(|v| Trend {
            change: value - v,
            over: "3 months",
        }),
        basis,
    }
}

/// What was unusual about the inputs.
fn basis(parts: &[Part; 3], drivers: Drivers, to_date: bool) -> Vec<String> {
    let mut basis = Vec::new();
    if to_date {
        basis.push("month to date".to_owned());
    }
    for (value, name) in [
        (drivers.spread, "without the term spread"),
        (drivers.conditions, "without NFCI"),
        (drivers.permits, "without building permits"),
    ] {
        if value.is_none() {
            basis.push(format!("fallback {name}"));
        }
    }
    basis.extend(parts.iter().filter_map(|p| p.basis.clone()));
    basis
}

/// The band and the evidence, in sentences.
fn interpret(reading: &Reading) -> String {
    let Some(value) = reading.value else {
        return prose::unavailable("Recession probability", reading);
    };
    let band = band(BANDS, value).unwrap_or_default();
    format!(
        "{}: a {value:.1} % chance that an NBER recession month falls within the next 12 months{}. Out of sample, \
         1985-2024, it ranked months better (AUC 0.865, Brier 0.117) than a term-spread model refitted to the same \
         months (0.692, 0.147; significant at 90 %) and than the New York Fed's published one (0.719, 0.138; not \
         significant). It gave a false alarm of about 75 in 2023.",
        prose::capitalised(band),
        prose::moved(reading.trend.as_ref(), "points", 1),
    )
}

#[cfg(test)]
mod tests;
