//! Macro regime by month: growth above or below trend, inflation above or below target (docs/METHODS.md#regime).
//!
//! Two scores cut the plane into four quadrants. Each axis changes sides only when its score is well past
//! zero, so the label at a month depends on the whole path before it and is computed from the first month
//! that allows it. The regime of a month uses figures of the month before; it is current-vintage history.

mod axes;

pub use axes::{Contributor, GROWTH_INPUTS, INPUTS, MonthlyInputs};

use super::composite::Indicator;
use super::months::Month;
use super::prose::{joined, number, signed};
use super::statistics::normal_cdf;
use crate::model::frequency::days_later;
use crate::model::{Date, SeriesSet};

/// The regime among the indicators.
pub const REGIME: Indicator = Indicator {
    id: "regime",
    title: "Macro regime",
    method: "regime-v1",
    summary: "growth and inflation month by month: GOLDILOCKS, REFLATION, STAGFLATION or DEFLATION",
    formula: "Growth = .3 z(INDPRO, 6 months) + .3 z(PAYEMS, 3 months) + .2 z(fall of UNRATE, 6 months) + .2 z(PERMIT, 12 \
              months), z over 240 months; inflation = .7 (mean of core and headline CPI over 12 months - 2.5) + .3 (core over \
              6 months annualised - core over 12); growth >= 0: REFLATION with inflation >= 0, else GOLDILOCKS; growth < 0: \
              STAGFLATION or DEFLATION; an axis changes sides only past 0.10; figures of the month before",
    source: "Growth and inflation quadrants in common use; scores, weights and hysteresis our own",
    listing: None,
};

/// An axis changes sides only when its score is this far past zero on the other side
/// (docs/METHODS.md#regime: 0.25 froze 2023-2026 in one regime with growth near zero).
const HYSTERESIS: f64 = 0.10;

/// Standard errors that growth and inflation are taken to have, for the probabilities (docs/METHODS.md#regime).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// Of growth, standard deviations.
    pub growth: f64,
    /// Of inflation, percentage points.
    pub inflation: f64,
}

/// Errors of scores from published figures.
pub const PUBLISHED: Errors = Errors {
    growth: 0.20,
    inflation: 0.12,
};

/// A quadrant is named as the likely alternative from this probability on (docs/METHODS.md#regime).
const TARGET_PROBABILITY: f64 = 0.25;

/// Change of `G − ½·max(I, 0)` over three months from which the trajectory is not stable (docs/METHODS.md#regime).
const TRAJECTORY_STEP: f64 = 0.25;

/// Days after the end of the newest figures' month by which the next month's should be there (docs/METHODS.md#regime).
const STALE_DAYS: i64 = 75;

/// Confidence below which a label is contested (docs/METHODS.md#regime).
const CONTESTED: f64 = 40.0;

/// The four quadrants, and the answer when a month cannot be classified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

    /// Its name as a code and in a sentence.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Goldilocks => ("GOLDILOCKS", "Goldilocks"),
            Self::Reflation => ("REFLATION", "Reflation"),
            Self::Stagflation => ("STAGFLATION", "Stagflation"),
            Self::Deflation => ("DEFLATION", "Deflation"),
            Self::Unknown => ("UNKNOWN", "Unknown"),
        }
    }

    /// Upper-case name: "GOLDILOCKS".
    pub const fn name(self) -> &'static str {
        self.names().0
    }

    /// The name for a sentence: "Goldilocks".
    pub fn word(self) -> &'static str {
        self.names().1
    }

    fn quadrant(growth: bool, inflation: bool) -> Self {
        match (growth, inflation) {
            (true, false) => Self::Goldilocks,
            (true, true) => Self::Reflation,
            (false, true) => Self::Stagflation,
            (false, false) => Self::Deflation,
        }
    }

    /// Whether growth and inflation are on their high sides; `None` of an unknown regime.
    fn sides(self) -> Option<(bool, bool)> {
        match self {
            Self::Goldilocks => Some((true, false)),
            Self::Reflation => Some((true, true)),
            Self::Stagflation => Some((false, true)),
            Self::Deflation => Some((false, false)),
            Self::Unknown => None,
        }
    }
}

/// Where the scores have been moving over three months.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
pub struct RegimeMonth {
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

impl RegimeMonth {
    /// Whether the label's probability is under 40 %.
    pub fn is_contested(&self) -> bool {
        self.confidence < CONTESTED
    }

    /// The most likely other quadrant, whatever its probability.
    pub fn runner_up(&self) -> Regime {
        runner_up(self.regime, self.probabilities)
    }

    /// Why the label is not the likeliest quadrant: a score is past zero, but not far enough to change sides. `None`
    /// where the label is the likeliest.
    /// Shape: "GOLDILOCKS is likelier (55 %), but growth and inflation change sides only past 0.10: inflation is at
    /// -0.02".
    pub fn hysteresis(&self) -> Option<String> {
        let (up, hot) = self.regime.sides()?;
        let scores = [
            ("growth", up, self.growth),
            ("inflation", hot, self.inflation),
        ];
        let held = scores
            .into_iter()
            .filter(|(_, side, score)| *side != (*score >= 0.0));
        let held = held.map(|(name, _, score)| format!("{name} is at {}", signed(score, 2)));
        let held = joined(held, " and ");
        let likelier = Regime::quadrant(self.growth >= 0.0, self.inflation >= 0.0);
        let mut shares = Regime::QUADRANTS.iter().zip(self.probabilities);
        let share = shares
            .find(|(r, _)| **r == likelier)
            .map(|(_, share)| 100.0 * share)?;
        (!held.is_empty()).then(|| {
            let (name, share) = (likelier.name(), number(share, 0));
            format!(
                "{name} is likelier ({share} %), but growth and inflation change sides only past {HYSTERESIS:.2}: {held}"
            )
        })
    }

    /// `G − ½·max(I, 0)`: what the trajectory is measured on.
    fn health(&self) -> f64 {
        self.growth - 0.5 * self.inflation.max(0.0)
    }
}

/// The regime at a day.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    /// The label of the newest month that could be classified; `Unknown` with a `reason`.
    pub regime: Regime,
    /// Probability of the label in percent; absent when unknown.
    pub confidence: Option<f64>,
    /// Movement over three months.
    pub trajectory: Trajectory,
    /// Most likely other quadrant.
    pub target: Option<Regime>,
    /// The newest month that could be classified.
    pub state: Option<RegimeMonth>,
    /// Why the regime is unknown.
    pub reason: Option<String>,
    /// Since when a newer month should be there, and what keeps it from being classified.
    pub late: Option<(Date, String)>,
}

/// The regime of every month up to `day` that can be classified, ascending (from 1964 with full history).
/// Uses the figures of the set up to `day`; months long past are thus of that day's vintage.
pub fn history(set: &SeriesSet, day: Date) -> Vec<RegimeMonth> {
    months(MonthlyInputs::read(set, day), Month::of(day), PUBLISHED)
}

/// The regime of every month up to `last` that figures allow, ascending.
pub fn months(figures: MonthlyInputs, last: Month, errors: Errors) -> Vec<RegimeMonth> {
    let axes = axes::Axes::of(figures);
    let mut states: Vec<RegimeMonth> = Vec::new();
    let mut sides: Option<(bool, bool)> = None;
    for (month, growth_parts, inflation_parts) in axes.months(last) {
        let score = |parts: &[Contributor]| parts.iter().map(|p| p.contribution).sum::<f64>();
        let (g, i) = (score(&growth_parts), score(&inflation_parts));
        let first = (g >= 0.0, i >= 0.0);
        let (up, hot) = sides.map_or(first, |(up, hot)| (side(up, g), side(hot, i)));
        sides = Some((up, hot));
        let regime = Regime::quadrant(up, hot);
        let probabilities = probabilities(g, i, errors);
        let (own, target) = own_and_target(regime, probabilities);
        let mut state = RegimeMonth {
            month: month.first_day(),
            regime,
            growth: g,
            inflation: i,
            probabilities,
            confidence: (100.0 * own).round(),
            trajectory: Trajectory::Unknown,
            target,
            basis: axes.basis(month, &growth_parts),
            growth_parts,
            inflation_parts,
        };
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
pub fn outlook(mut history: Vec<RegimeMonth>, set: &SeriesSet, day: Date) -> Outlook {
    let state = history.pop();
    let newest = state.as_ref();
    Outlook {
        regime: newest.map_or(Regime::Unknown, |s| s.regime),
        confidence: newest.map(|s| s.confidence),
        trajectory: newest.map_or(Trajectory::Unknown, |s| s.trajectory),
        target: newest.and_then(|s| s.target),
        reason: newest.is_none().then(|| axes::lacking(set, day)),
        late: newest.and_then(|s| late(s, set, day)),
        state,
    }
}

fn late(newest: &RegimeMonth, set: &SeriesSet, day: Date) -> Option<(Date, String)> {
    let next = Month::of(newest.month);
    let since = days_later(next.plus(-1).last_day(), STALE_DAYS + 1);
    let months = |id: &str| set.up_to(id, day).last().map(|o| Month::of(o.date));
    let lack = INPUTS.iter().copied().filter(|id| months(id) < Some(next));
    (since <= day).then(|| {
        let lack = joined(lack, ", ");
        (
            since,
            format!("figures of {} are missing: {lack}", next.name()),
        )
    })
}

/// The side of an axis, given the side before.
fn side(positive: bool, score: f64) -> bool {
    match positive {
        true => score >= -HYSTERESIS,
        false => score > HYSTERESIS,
    }
}

/// Probability of each quadrant under independent normal measurement errors (docs/METHODS.md#regime).
pub fn probabilities(growth: f64, inflation: f64, errors: Errors) -> [f64; 4] {
    let up = normal_cdf(growth / errors.growth);
    let hot = normal_cdf(inflation / errors.inflation);
    [
        up * (1.0 - hot),
        up * hot,
        (1.0 - up) * hot,
        (1.0 - up) * (1.0 - hot),
    ]
}

/// The most likely quadrant but one, which is named.
pub fn runner_up(regime: Regime, probabilities: [f64; 4]) -> Regime {
    let others = Regime::QUADRANTS.into_iter().zip(probabilities);
    let others = others.filter(|(r, _)| *r != regime);
    let most = others.max_by(|a, b| a.1.total_cmp(&b.1));
    most.map_or(Regime::Unknown, |(r, _)| r)
}

/// The label's probability, and the likely alternative.
fn own_and_target(regime: Regime, probabilities: [f64; 4]) -> (f64, Option<Regime>) {
    let quadrants = Regime::QUADRANTS.into_iter().zip(probabilities);
    let chance = |wanted| quadrants.clone().find(|(r, _)| *r == wanted);
    let other = chance(runner_up(regime, probabilities));
    let likely = other.filter(|(_, p)| *p >= TARGET_PROBABILITY);
    let own = chance(regime).map_or(0.0, |(_, p)| p);
    (own, likely.map(|(r, _)| r))
}

/// Against the state three calendar months earlier, if there is one.
fn trajectory(before: &[RegimeMonth], now: &RegimeMonth) -> Trajectory {
    let then = Month::of(now.month).plus(-3).first_day();
    let Some(earlier) = before.iter().rev().take(3).find(|s| s.month == then) else {
        return Trajectory::Unknown;
    };
    match now.health() - earlier.health() {
        step if step >= TRAJECTORY_STEP => Trajectory::Improving,
        step if step <= -TRAJECTORY_STEP => Trajectory::Deteriorating,
        _ => Trajectory::Stable,
    }
}

#[cfg(test)]
mod tests;
