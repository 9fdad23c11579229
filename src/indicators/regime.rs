//! Macro regime by month: growth above or below trend, inflation above or below target (METHODS 7).
//!
//! Two scores cut the plane into four quadrants. Each axis changes sides only when its score is well past
//! zero, so the label at a month depends on the whole path before it and is computed from the first month
//! that allows it. The regime of a month uses figures of the month before; it is current-vintage history.

use super::months::Month;
use super::statistics::normal_cdf;
use crate::model::{Date, SeriesSet};
use jiff::civil::date;
use serde::{Deserialize, Serialize};

mod axes;
pub use axes::{Contributor, INPUTS};

/// Name and version of the method.
pub const METHOD: &str = "regime-v1";

/// The formula as one line of plain text.
pub const FORMULA: &str = "Growth = .3 z(INDPRO, 6 months) + .3 z(PAYEMS, 3 months) + .2 z(fall of UNRATE, 6 months) + .2 z(PERMIT, 12 \
     months), z over 240 months; inflation = .7 (mean of core and headline CPI over 12 months - 2.5) + .3 (core over \
     6 months annualised - core over 12); growth >= 0: REFLATION with inflation >= 0, else GOLDILOCKS; growth < 0: \
     STAGFLATION or DEFLATION; an axis changes sides only past 0.10; figures of the month before";

/// Where the method comes from.
pub const SOURCE: &str =
    "Growth and inflation quadrants in common use; scores, weights and hysteresis our own";

/// An axis changes sides only when its score is this far past zero on the other side (METHODS 7: 0.25 froze
/// 2023-2026 in one regime with growth near zero).
const HYSTERESIS: f64 = 0.10;

/// Standard error that the scores are taken to have, for the confidence (METHODS 7).
const MEASUREMENT_ERROR: f64 = 0.35;

/// A quadrant is named as the likely alternative from this probability on (METHODS 7).
const TARGET_PROBABILITY: f64 = 0.25;

/// Change of `G − ½·max(I, 0)` over three months from which the trajectory is not stable (METHODS 7).
const TRAJECTORY_STEP: f64 = 0.25;

/// Days after the end of the newest figures' month from which on there is no regime (METHODS 7).
const STALE_DAYS: i64 = 75;

/// Confidence below which a label is contested (METHODS 7).
const CONTESTED: f64 = 40.0;

/// The four quadrants, and the answer when a month cannot be classified.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Regime {
    /// Growth at or above trend, inflation below target.
    Goldilocks,
    /// Growth at or above trend, inflation at or above target.
    Reflation,
    /// Growth below trend, inflation at or above target.
    Stagflation,
    /// Growth below trend, inflation below target.
    Deflation,
    /// Not computable.
    Unknown,
}

impl Regime {
    /// The four quadrants.
    pub const QUADRANTS: [Self; 4] = [
        Self::Goldilocks,
        Self::Reflation,
        Self::Stagflation,
        Self::Deflation,
    ];

    /// Upper-case name: "GOLDILOCKS".
    pub fn name(self) -> &'static str {
        match self {
            Self::Goldilocks => "GOLDILOCKS",
            Self::Reflation => "REFLATION",
            Self::Stagflation => "STAGFLATION",
            Self::Deflation => "DEFLATION",
            Self::Unknown => "UNKNOWN",
        }
    }

    /// The name for a sentence: "Goldilocks".
    pub fn word(self) -> &'static str {
        match self {
            Self::Goldilocks => "Goldilocks",
            Self::Reflation => "Reflation",
            Self::Stagflation => "Stagflation",
            Self::Deflation => "Deflation",
            Self::Unknown => "Unknown",
        }
    }

    fn quadrant(growth: bool, inflation: bool) -> Self {
        match (growth, inflation) {
            (true, false) => Self::Goldilocks,
            (true, true) => Self::Reflation,
            (false, true) => Self::Stagflation,
            (false, false) => Self::Deflation,
        }
    }
}

/// Where the scores have been moving over three months.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Trajectory {
    /// Growth up or inflation down by a clear step.
    Improving,
    /// No clear step.
    Stable,
    /// Growth down or inflation up by a clear step.
    Deteriorating,
    /// Not computable.
    Unknown,
}

impl Trajectory {
    /// Upper-case name: "IMPROVING".
    pub fn name(self) -> &'static str {
        match self {
            Self::Improving => "IMPROVING",
            Self::Stable => "STABLE",
            Self::Deteriorating => "DETERIORATING",
            Self::Unknown => "UNKNOWN",
        }
    }
}

/// The regime of a month.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// First day of the month; its figures are those of the month before.
    pub month: Date,
    /// Quadrant after hysteresis.
    pub regime: Regime,
    /// Growth score G, standard deviations from its 20-year mean.
    pub growth: f64,
    /// Inflation score I, percentage points around target.
    pub inflation: f64,
    /// Probability of each quadrant, in the order of [`Regime::QUADRANTS`].
    pub probabilities: [f64; 4],
    /// Probability of the label in percent, whole.
    pub confidence: f64,
    /// Movement over three months.
    pub trajectory: Trajectory,
    /// Most likely other quadrant, when it has a quarter of the probability.
    pub target: Option<Regime>,
    /// What growth is made of; the contributions add up to `growth`.
    pub growth_parts: Vec<Contributor>,
    /// What inflation is made of; the contributions add up to `inflation`.
    pub inflation_parts: Vec<Contributor>,
    /// What was unusual: months bridged, inputs absent.
    pub basis: Vec<String>,
}

impl State {
    /// Whether the label's probability is under 40 %.
    pub fn is_contested(&self) -> bool {
        self.confidence < CONTESTED
    }

    /// `G − ½·max(I, 0)`: what the trajectory is measured on.
    fn health(&self) -> f64 {
        self.growth - 0.5 * self.inflation.max(0.0)
    }
}

/// The regime at a day.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// The label; `Unknown` with a `reason`.
    pub regime: Regime,
    /// Probability of the label in percent; absent when unknown.
    pub confidence: Option<f64>,
    /// Movement over three months.
    pub trajectory: Trajectory,
    /// Most likely other quadrant.
    pub target: Option<Regime>,
    /// The newest month that could be classified, also when it is too old to be the answer.
    pub state: Option<State>,
    /// Why the regime is unknown.
    pub reason: Option<String>,
}

/// The regime of every month up to `day` that can be classified, ascending (from 1964 with full history).
/// Uses the figures of the set up to `day`; months long past are thus of that day's vintage.
pub fn history(set: &SeriesSet, day: Date) -> Vec<State> {
    let axes = axes::Axes::read(set, day);
    let mut states: Vec<State> = Vec::new();
    let mut sides: Option<(bool, bool)> = None;
    for (month, growth, inflation) in axes.months(Month::of(day)) {
        let (g, i) = (growth.score, inflation.score);
        let now = sides.map_or((g >= 0.0, i >= 0.0), |(up, hot)| {
            (side(up, g), side(hot, i))
        });
        sides = Some(now);
        let mut state = classify(Regime::quadrant(now.0, now.1), g, i);
        state.month = month.first_day();
        state.basis = axes.basis(month, &growth);
        state.growth_parts = growth.parts;
        state.inflation_parts = inflation.parts;
        state.trajectory = trajectory(&states, &state);
        states.push(state);
    }
    states
}

/// The regime at `day`: the newest month that can be classified, unless its figures are too old.
pub fn at(set: &SeriesSet, day: Date) -> Outlook {
    outlook(history(set, day), set, day)
}

/// [`at`] from a history that is already there.
pub fn outlook(mut history: Vec<State>, set: &SeriesSet, day: Date) -> Outlook {
    let state = history.pop();
    let reason = match &state {
        None => Some(axes::lacking(set, day)),
        Some(state) => too_old(state, day),
    };
    let valid = state.as_ref().filter(|_| reason.is_none());
    Outlook {
        regime: valid.map_or(Regime::Unknown, |s| s.regime),
        confidence: valid.map(|s| s.confidence),
        trajectory: valid.map_or(Trajectory::Unknown, |s| s.trajectory),
        target: valid.and_then(|s| s.target),
        state,
        reason,
    }
}

fn too_old(state: &State, day: Date) -> Option<String> {
    let figures = Month::of(state.month).plus(-1);
    let age = crate::model::frequency::days_between(figures.last_day(), day);
    (age > STALE_DAYS).then(|| {
        format!(
            "the newest month with complete figures is {}, which ended {age} days before {day} (limit {STALE_DAYS})",
            figures.name()
        )
    })
}

/// The side of an axis, given the side before.
fn side(positive: bool, score: f64) -> bool {
    if positive {
        score >= -HYSTERESIS
    } else {
        score > HYSTERESIS
    }
}

/// Probabilities under independent normal measurement errors, confidence and alternative (METHODS 7).
fn classify(regime: Regime, growth: f64, inflation: f64) -> State {
    let up = normal_cdf(growth / MEASUREMENT_ERROR);
    let hot = normal_cdf(inflation / MEASUREMENT_ERROR);
    let probabilities = [
        up * (1.0 - hot),
        up * hot,
        (1.0 - up) * hot,
        (1.0 - up) * (1.0 - hot),
    ];
    let quadrants = || Regime::QUADRANTS.into_iter().zip(probabilities);
    let own = quadrants()
        .find(|(r, _)| *r == regime)
        .map_or(0.0, |(_, p)| p);
    let target = quadrants()
        .filter(|(r, p)| *r != regime && *p >= TARGET_PROBABILITY)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(r, _)| r);
    State {
        month: date(1, 1, 1),
        regime,
        growth,
        inflation,
        probabilities,
        confidence: (100.0 * own).round(),
        trajectory: Trajectory::Unknown,
        target,
        growth_parts: Vec::new(),
        inflation_parts: Vec::new(),
        basis: Vec::new(),
    }
}

/// Against the state three calendar months earlier, if there is one.
fn trajectory(before: &[State], now: &State) -> Trajectory {
    let then = Month::of(now.month).plus(-3).first_day();
    let Some(earlier) = before.iter().rev().take(3).find(|s| s.month == then) else {
        return Trajectory::Unknown;
    };
    let step = now.health() - earlier.health();
    if step >= TRAJECTORY_STEP {
        Trajectory::Improving
    } else if step <= -TRAJECTORY_STEP {
        Trajectory::Deteriorating
    } else {
        Trajectory::Stable
    }
}

#[cfg(test)]
mod tests;
