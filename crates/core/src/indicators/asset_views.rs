//! What past months of each regime say about six assets (docs/METHODS.md#asset-views): a view with the figures it
//! rests on.
//!
//! The evidence is the return of a month in a regime known the month before, against all other months. Few
//! of the differences are large, and some are chance; so a view is never more than of medium conviction and
//! its thesis cites the figures, not the textbook. An operator's own price series, where long enough, take
//! the place of the documented figures ([`measured`]).

mod asset;
mod evidence;

pub use asset::Asset;
pub use evidence::{Evidence, Sample, documented, measured};

use super::prose::{number, signed};
use super::regime::Regime;

/// Which way the evidence points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Better than in other months.
    Bullish,
    /// Worse than in other months.
    Bearish,
    /// No difference that stands out.
    Neutral,
}

/// How much the evidence carries; the scale of the contract, of which the rule uses the lower two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Conviction {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

/// A view of one asset.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// What it is about.
    pub asset: Asset,
    /// Which way the evidence points.
    pub direction: Direction,
    /// How much it carries.
    pub conviction: Conviction,
    /// The figures behind it, in sentences.
    pub thesis: String,
    /// The figures behind it; `None` while the regime is unknown.
    pub evidence: Option<Evidence>,
}

/// |t| from which a difference has a direction, and from which it would be of high conviction.
const SOME_T: f64 = 1.0;
const CLEAR_T: f64 = 2.0;
/// Regime confidence, in percent, below which conviction falls one notch.
const UNSURE_BELOW: f64 = 50.0;

/// What is said of every asset while the regime is unknown.
const UNKNOWN: &str = "The regime is unknown, so no past months can be compared with the present.";

/// A view of every asset in `regime`, held with `confidence` percent.
///
/// `own` answers with an operator's measured evidence where there is some; elsewhere the documented stands.
pub fn views(
    regime: Regime,
    confidence: Option<f64>,
    own: impl Fn(Asset) -> Option<Evidence>,
) -> Vec<View> {
    let view = |asset| match own(asset).or_else(|| documented(regime, asset)) {
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

/// The view that evidence supports.
///
/// Direction from |t| ≥ 1 on. Conviction: low under |t| 1, else medium (|t| ≥ 2 would be high, which one
/// of 48 such tests does not earn); low where the record is about one cycle; a notch lower when the
/// regime itself is less likely than not.
fn view(asset: Asset, regime: Regime, confidence: Option<f64>, evidence: Evidence) -> View {
    let t = evidence.t;
    let direction = match t {
        _ if t.abs() < SOME_T => Direction::Neutral,
        _ if t > 0.0 => Direction::Bullish,
        _ => Direction::Bearish,
    };
    let highest = match confidence {
        Some(c) if c >= UNSURE_BELOW && !evidence.one_cycle => Conviction::Medium,
        _ => Conviction::Low,
    };
    View {
        asset,
        direction,
        conviction: table_conviction(t).min(highest),
        thesis: thesis(asset, regime, confidence, &evidence),
        evidence: Some(evidence),
    }
}

/// Conviction by the size of the difference alone.
fn table_conviction(t: f64) -> Conviction {
    match t.abs() {
        t if t >= CLEAR_T => Conviction::High,
        t if t >= SOME_T => Conviction::Medium,
        _ => Conviction::Low,
    }
}

fn thesis(asset: Asset, regime: Regime, confidence: Option<f64>, evidence: &Evidence) -> String {
    let t = evidence.t;
    let verdict = match table_conviction(t) {
        Conviction::Low => "no difference that stands out",
        Conviction::Medium => "a difference of some weight",
        Conviction::High => {
            "a clear difference, though of 48 such tests about two come out clear by chance"
        }
    };
    let decimals =
        usize::from(evidence.in_regime.fract() != 0.0 || evidence.elsewhere.fract() != 0.0);
    let mut text = format!(
        "{} returned {} % a year in {} months against {} % in others (t {}): {verdict}. {}.",
        asset.name(),
        number(evidence.in_regime, decimals),
        regime.word(),
        number(evidence.elsewhere, decimals),
        signed(t, 1),
        evidence.basis
    );
    if evidence.one_cycle {
        text += " The record is about one cycle, so conviction is low.";
    }
    let could_fall = !evidence.one_cycle && t.abs() >= SOME_T;
    if let Some(c) = confidence.filter(|c| could_fall && *c < UNSURE_BELOW) {
        text += &format!(" The regime itself is held with {c:.0} % only, which lowers conviction.");
    }
    text
}

#[cfg(test)]
mod tests;
