//! SERVICE_CRAI: risk appetite, 0 to 100 with 50 neutral, daily (docs/COMPOSITES.md#risk-appetite).
//!
//! Each input is compared with its own last two years and scored; the scores are averaged by
//! weight. Two profiles, chosen once for the whole history:
//! - full (`crai-v1`): applies when both funds of a pair (IWM/SPY, HYG/LQD, SPY/TLT) are current on the
//!   reference day;
//! - FRED-only: applies otherwise; needs an equity index (NASDAQCOM or SP500) or VIXCLS and a credit spread.
//!
//! None of the bundled public series measures equities or credit, so without an operator's own figures
//! there is no reading, but a reason.

use super::blend::{DailyIndex, Part};
use super::composite::{Composite, Computation, Indicator};
use super::prose::{describe_missing_inputs, describe_reading};
use super::reading::Reading;
use super::statistics::{normal_cdf, rolling_z};
use std::sync::LazyLock;

/// The risk appetite index.
pub const CRAI: Composite = Composite {
    indicator: Indicator { id: "SERVICE_CRAI" },
    computation: Computation::Blend(index),
    interpret,
};

const WINDOW: usize = 504;
const MIN_DAYS: usize = 252;

fn index() -> &'static DailyIndex {
    static INDEX: LazyLock<DailyIndex> = LazyLock::new(|| DailyIndex {
        full: Part::of("CRAI", "full"),
        fallback: Part::of("CRAI", "fallback"),
        full_requires: &[&["IWM", "SPY"], &["HYG", "LQD"], &["SPY", "TLT"]],
        fallback_basis: "FRED-only profile: equities .30, volatility .20, term structure .10, credit .25, breakevens .05, \
                         financial conditions .10, because no pair of exchange-traded funds is current",
        score: |values| {
            let z = rolling_z(values, WINDOW, MIN_DAYS, 3.0);
            z.into_iter().map(|z| z.map(normal_cdf)).collect()
        },
        base: 50.0,
        min_weight: 0.5,
    });
    &INDEX
}

fn interpret(reading: &Reading) -> String {
    let Some(sentence) = describe_reading(&CRAI, reading) else {
        return describe_missing_inputs(reading);
    };
    format!(
        "{sentence} It is useful against the crowd at the extremes only, and no forecast between them."
    )
}

#[cfg(test)]
mod tests;
