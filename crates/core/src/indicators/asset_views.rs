//! Views on six assets from past months of each regime (docs/COMPOSITES.md#asset-views), with the figures behind them.
//!
//! The evidence is the return of a month in a regime known the month before, against all other months. Few
//! of the differences are large, and some are chance; so a view is never of more than medium conviction and
//! its thesis cites the figures, not the textbook. An operator's own price series, where long enough,
//! replace the documented figures ([`measured`]).

mod asset;
mod evidence;

pub use asset::Asset;
pub use evidence::{Evidence, Sample, documented, measured};

use super::prose::format_number;
use super::regime::Regime;

/// Direction of the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Better than in other months.
    Bullish,
    /// Worse than in other months.
    Bearish,
    /// No difference that stands out.
    Neutral,
}

/// Strength of the evidence. The API knows a third, high, which this rule never gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conviction {
    /// Little.
    Low,
    /// Some.
    Medium,
}

/// A view of one asset.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The asset.
    pub asset: Asset,
    /// Direction of the evidence.
    pub direction: Direction,
    /// Strength of the evidence.
    pub conviction: Conviction,
    /// The figures behind it, in sentences.
    pub thesis: String,
    /// The figures behind it; `None` while the regime is unknown.
    pub evidence: Option<Evidence>,
}

/// |t| from which a difference has a direction, and from which it would be of high conviction.
const DIRECTION_T: f64 = 1.0;
const CLEAR_T: f64 = 2.0;
/// Regime confidence, in percent, below which conviction falls one notch.
const MIN_CONFIDENCE: f64 = 50.0;

/// The thesis of every asset while the regime is unknown.
const UNKNOWN: &str = "The regime is unknown, so no past months can be compared with the present.";

/// Returns a view of every asset in `regime`, whose probability is `confidence` percent.
///
/// `measured` returns evidence from an operator's own series; the documented evidence is the fallback.
pub fn views(
    regime: Regime,
    confidence: Option<f64>,
    measured: impl Fn(Asset) -> Option<Evidence>,
) -> Vec<View> {
    let view = |asset| match measured(asset).or_else(|| documented(regime, asset)) {
        Some(evidence) => view(asset, regime, confidence, evidence),
        None => View {
            asset,
            direction: Direction::Neutral,
            conviction: Conviction::Low,
            thesis: UNKNOWN.to_owned(),
            evidence: None,
        },
    };
    Asset::ALL.into_iter().map(view).collect()
}

/// Returns the view that evidence supports.
///
/// Direction from |t| ≥ 1. Conviction: low under |t| 1, else medium (|t| ≥ 2 would be high, which one
/// of 48 such tests does not justify); low where the record is about one cycle; a notch lower when the
/// probability of the regime is under a half.
fn view(asset: Asset, regime: Regime, confidence: Option<f64>, evidence: Evidence) -> View {
    let direction = match evidence.t {
        t if t >= DIRECTION_T => Direction::Bullish,
        t if t <= -DIRECTION_T => Direction::Bearish,
        _ => Direction::Neutral,
    };
    let is_certain = confidence.is_some_and(|c| c >= MIN_CONFIDENCE) && !evidence.one_cycle;
    let is_medium = direction != Direction::Neutral && is_certain;
    View {
        asset,
        direction,
        conviction: if is_medium {
            Conviction::Medium
        } else {
            Conviction::Low
        },
        thesis: thesis(asset, regime, confidence, &evidence),
        evidence: Some(evidence),
    }
}

fn thesis(asset: Asset, regime: Regime, confidence: Option<f64>, evidence: &Evidence) -> String {
    let size = evidence.t.abs();
    let verdict = match size {
        t if t >= CLEAR_T => {
            "a clear difference, though of 48 such tests about two come out clear by chance"
        }
        t if t >= DIRECTION_T => "a difference of some weight",
        _ => "no clear difference",
    };
    let decimals =
        usize::from(evidence.in_regime.fract() != 0.0 || evidence.elsewhere.fract() != 0.0);
    let mut text = format!(
        "{} returned {} % a year in {} months against {} % in others: {verdict}. {}.",
        asset.name,
        format_number(evidence.in_regime, decimals),
        regime.title(),
        format_number(evidence.elsewhere, decimals),
        evidence.basis
    );
    let is_uncertain = |c: &f64| *c < MIN_CONFIDENCE && size >= DIRECTION_T;
    if evidence.one_cycle {
        text += " The record is about one cycle, so conviction is low.";
    } else if let Some(c) = confidence.filter(is_uncertain) {
        text += &format!(" The regime itself is held with {c:.0} % only, which lowers conviction.");
    }
    text
}

#[cfg(test)]
mod tests;
