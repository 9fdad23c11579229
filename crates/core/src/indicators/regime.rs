//! Macro regime by month: growth above or below trend, inflation above or below target (docs/COMPOSITES.md#regime).
//!
//! The signs of two scores define four quadrants. Each axis changes sides only when its score is well past
//! zero, so the label of a month depends on the whole path before it and is computed from the first month
//! that allows it. The regime of a month uses figures of the month before, in today's vintage.

mod axes;

pub use axes::{Contributor, GROWTH_INPUTS, INPUTS, MonthlyInputs};

use super::composite::Indicator;
use super::months::Month;
use super::prose::{format_number, format_signed, join};
use super::statistics::normal_cdf;
use crate::model::frequency::add_days;
use crate::model::{Date, SeriesSet};
use strum::IntoStaticStr;

/// The regime as an indicator.
pub const REGIME: Indicator = Indicator { id: "regime" };

/// An axis changes sides only when its score is this far past zero on the other side
/// (docs/COMPOSITES.md#regime: 0.25 froze 2023-2026 in one regime with growth near zero).
const HYSTERESIS: f64 = 0.10;

/// Assumed standard errors of growth and inflation, for the probabilities (docs/COMPOSITES.md#regime).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StandardErrors {
    /// Of growth, standard deviations.
    pub growth: f64,
    /// Of inflation, percentage points.
    pub inflation: f64,
}

/// Errors of scores from published figures.
pub const PUBLISHED: StandardErrors = StandardErrors {
    growth: 0.20,
    inflation: 0.12,
};

/// Probability from which a quadrant is named as the likely alternative (docs/COMPOSITES.md#regime).
const TARGET_PROBABILITY: f64 = 0.25;

/// Change of `G − ½·max(I, 0)` over three months from which the trajectory is not stable (docs/COMPOSITES.md#regime).
const TRAJECTORY_STEP: f64 = 0.25;

/// Days after the end of the newest figures' month by which the next month's should be there (docs/COMPOSITES.md#regime).
const STALE_DAYS: i64 = 75;

/// Confidence below which a label is contested (docs/COMPOSITES.md#regime).
const CONTESTED: f64 = 40.0;

/// The four quadrants, and the label of a month that cannot be classified.
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

    /// Its upper-case name, and its name for a sentence.
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
    pub fn title(self) -> &'static str {
        self.names().1
    }

    fn quadrant(is_growth_high: bool, is_inflation_high: bool) -> Self {
        match (is_growth_high, is_inflation_high) {
            (true, false) => Self::Goldilocks,
            (true, true) => Self::Reflation,
            (false, true) => Self::Stagflation,
            (false, false) => Self::Deflation,
        }
    }

    /// Returns its probability, in the order of [`Self::QUADRANTS`]; 0 for an unknown regime.
    fn probability(self, probabilities: [f64; 4]) -> f64 {
        let mut quadrants = Self::QUADRANTS.into_iter().zip(probabilities);
        quadrants.find(|(r, _)| *r == self).map_or(0.0, |(_, p)| p)
    }
}

/// Direction of the scores over three months.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE")]
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
        self.into()
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
    /// Probability of the label in whole percent.
    pub confidence: f64,
    /// Movement over three months.
    pub trajectory: Trajectory,
    /// Most likely other quadrant, when it has a quarter of the probability.
    pub target: Option<Regime>,
    /// Parts of the growth score; the contributions add up to `growth`.
    pub growth_parts: Vec<Contributor>,
    /// Parts of the inflation score; the contributions add up to `inflation`.
    pub inflation_parts: Vec<Contributor>,
    /// What was unusual: months interpolated, inputs absent.
    pub basis: Vec<String>,
}

impl RegimeMonth {
    /// Whether the label's probability is under 40 %.
    pub fn is_contested(&self) -> bool {
        self.confidence < CONTESTED
    }

    /// Returns the most likely other quadrant, whatever its probability.
    pub fn runner_up(&self) -> Regime {
        runner_up(self.regime, self.probabilities)
    }

    /// Explains why the label is not the likeliest quadrant: a score is past zero, but not far enough to change sides.
    ///
    /// `None` where the label is the likeliest. Shape: "GOLDILOCKS is likelier (55 %), but growth and inflation change sides
    /// only past 0.10: inflation is at -0.02".
    pub fn hysteresis(&self) -> Option<String> {
        let likelier = Regime::quadrant(self.growth >= 0.0, self.inflation >= 0.0);
        let is_growth_high = matches!(self.regime, Regime::Goldilocks | Regime::Reflation);
        let is_inflation_high = matches!(self.regime, Regime::Reflation | Regime::Stagflation);
        let scores = [
            ("growth", is_growth_high, self.growth),
            ("inflation", is_inflation_high, self.inflation),
        ];
        let mut opposite = scores.to_vec();
        opposite.retain(|(_, is_high, score)| *is_high != (*score >= 0.0));
        let place = |(name, _, score)| format!("{name} is at {}", format_signed(score, 2));
        let places = join(opposite.into_iter().map(place), " and ");
        (likelier != self.regime).then(|| {
            let share = format_number(100.0 * likelier.probability(self.probabilities), 0);
            format!(
                "{} is likelier ({share} %), but growth and inflation change sides only past {HYSTERESIS:.2}: {places}",
                likelier.name()
            )
        })
    }

    /// `G − ½·max(I, 0)`, the measure of the trajectory.
    fn health(&self) -> f64 {
        self.growth - 0.5 * self.inflation.max(0.0)
    }

    /// Compares with the month three calendar months earlier, if it is among the months before.
    fn trajectory_since(&self, months_before: &[Self]) -> Trajectory {
        let earlier = Month::from_date(self.month).plus(-3).first_day();
        let mut newest_first = months_before.iter().rev().take(3);
        let Some(earlier) = newest_first.find(|s| s.month == earlier) else {
            return Trajectory::Unknown;
        };
        match self.health() - earlier.health() {
            step if step >= TRAJECTORY_STEP => Trajectory::Improving,
            step if step <= -TRAJECTORY_STEP => Trajectory::Deteriorating,
            _ => Trajectory::Stable,
        }
    }
}

/// The regime at a day.
#[derive(Debug, Clone, PartialEq)]
pub struct RegimeReading {
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
    /// The day since which a newer month is late, and the figures that are missing for it.
    pub late: Option<(Date, String)>,
}

/// Returns the regime of every month up to `day` that can be classified, ascending (from 1964 with full history).
///
/// Uses the figures of the set up to `day`; old months are thus of that day's vintage.
pub fn history(set: &SeriesSet, day: Date) -> Vec<RegimeMonth> {
    let figures = MonthlyInputs::read(set, day);
    classify_months(figures, Month::from_date(day), PUBLISHED)
}

/// Classifies every month up to `last` that has figures, ascending.
pub fn classify_months(
    figures: MonthlyInputs,
    last: Month,
    errors: StandardErrors,
) -> Vec<RegimeMonth> {
    let axes = axes::Axes::new(figures);
    let mut months: Vec<RegimeMonth> = Vec::new();
    let mut sides: Option<(bool, bool)> = None;
    for (month, growth_parts, inflation_parts) in axes.months(last) {
        let score = |parts: &[Contributor]| parts.iter().map(|p| p.contribution).sum::<f64>();
        let growth = score(&growth_parts);
        let inflation = score(&inflation_parts);
        let (is_growth_high, is_inflation_high) = match sides {
            None => (growth >= 0.0, inflation >= 0.0),
            Some((g, i)) => (is_high(g, growth), is_high(i, inflation)),
        };
        sides = Some((is_growth_high, is_inflation_high));
        let regime = Regime::quadrant(is_growth_high, is_inflation_high);
        let probabilities = probabilities(growth, inflation, errors);
        let mut state = RegimeMonth {
            month: month.first_day(),
            regime,
            growth,
            inflation,
            probabilities,
            confidence: (100.0 * regime.probability(probabilities)).round(),
            trajectory: Trajectory::Unknown,
            target: target(regime, probabilities),
            basis: axes.basis(month, &growth_parts),
            growth_parts,
            inflation_parts,
        };
        state.trajectory = state.trajectory_since(&months);
        months.push(state);
    }
    months
}

/// Returns the regime at `day`: the newest month that can be classified.
pub fn compute(set: &SeriesSet, day: Date) -> RegimeReading {
    reading_from_history(&history(set, day), set, day)
}

/// Returns the regime at `day` from its history ([`history`]).
pub fn reading_from_history(history: &[RegimeMonth], set: &SeriesSet, day: Date) -> RegimeReading {
    let newest = history.last();
    RegimeReading {
        regime: newest.map_or(Regime::Unknown, |s| s.regime),
        confidence: newest.map(|s| s.confidence),
        trajectory: newest.map_or(Trajectory::Unknown, |s| s.trajectory),
        target: newest.and_then(|s| s.target),
        reason: newest.is_none().then(|| axes::missing_inputs(set, day)),
        late: newest.and_then(|s| lateness(s, set, day)),
        state: newest.cloned(),
    }
}

/// Returns since when the month after the newest is late, and which inputs it lacks.
fn lateness(newest: &RegimeMonth, set: &SeriesSet, day: Date) -> Option<(Date, String)> {
    let month = Month::from_date(newest.month);
    let since = add_days(month.plus(-1).last_day(), STALE_DAYS + 1);
    let last = |id: &str| set.up_to(id, day).last().map(|o| Month::from_date(o.date));
    let missing = INPUTS.iter().filter(|id| last(id) < Some(month));
    let missing = join(missing, ", ");
    (since <= day).then(|| {
        let reason = format!("figures of {} are missing: {missing}", month.name());
        (since, reason)
    })
}

/// Whether an axis is on its high side, given its side in the month before.
fn is_high(was_high: bool, score: f64) -> bool {
    if was_high {
        score >= -HYSTERESIS
    } else {
        score > HYSTERESIS
    }
}

/// Returns the probability of each quadrant under independent normal measurement errors (docs/COMPOSITES.md#regime).
pub fn probabilities(growth: f64, inflation: f64, errors: StandardErrors) -> [f64; 4] {
    let growth_high = normal_cdf(growth / errors.growth);
    let inflation_high = normal_cdf(inflation / errors.inflation);
    [
        growth_high * (1.0 - inflation_high),
        growth_high * inflation_high,
        (1.0 - growth_high) * inflation_high,
        (1.0 - growth_high) * (1.0 - inflation_high),
    ]
}

/// Returns the most likely quadrant other than `regime`.
pub fn runner_up(regime: Regime, probabilities: [f64; 4]) -> Regime {
    let quadrants = Regime::QUADRANTS.into_iter().zip(probabilities);
    let others = quadrants.filter(|(r, _)| *r != regime);
    let likeliest = others.max_by(|a, b| a.1.total_cmp(&b.1));
    likeliest.map_or(Regime::Unknown, |(r, _)| r)
}

/// Returns the most likely other quadrant, where it has a quarter of the probability.
fn target(regime: Regime, probabilities: [f64; 4]) -> Option<Regime> {
    let other = runner_up(regime, probabilities);
    (other.probability(probabilities) >= TARGET_PROBABILITY).then_some(other)
}

#[cfg(test)]
mod tests;
