//! SERVICE_CMSI: macro stress, 0 to 100, daily (docs/COMPOSITES.md#macro-stress).
//!
//! Each input is ranked in its own past since 1986; the ranks are averaged by weight. Two profiles:
//! - full (`cmsi-v1`): applies when BAA10Y or VIXCLS, which are copyrighted and present only when an operator
//!   fetches or imports them, is current on the reference day;
//! - public: applies otherwise; made of public figures alone, so that a bundled history suffices.
//!
//! The profile is chosen once for the whole history, so that a history never mixes two definitions.

use super::blend::{DailyIndex, Part};
use super::composite::{Composite, Computation, Indicator};
use super::prose::{describe_missing_inputs, describe_reading};
use super::reading::Reading;
use super::record::{LAST_STUDIED, counted};
use super::statistics::expanding_ecdf;
use crate::model::series_info::round_to;
use std::sync::LazyLock;

/// The macro stress index.
pub const CMSI: Composite = Composite {
    indicator: Indicator { id: "SERVICE_CMSI" },
    computation: Computation::Blend(index),
    interpret,
};

/// Earlier days an input needs before it is ranked.
const MIN_HISTORY: usize = 504;

fn index() -> &'static DailyIndex {
    static INDEX: LazyLock<DailyIndex> = LazyLock::new(|| DailyIndex {
        full: Part::of("CMSI", "full"),
        fallback: Part::of("CMSI", "fallback"),
        full_requires: &[&["BAA10Y"], &["VIXCLS"]],
        fallback_basis: "public profile: NFCI .45, excess bond premium .25, claims .20, rates volatility .10, because \
                         neither BAA10Y nor VIXCLS is current",
        score: |values| {
            // Values that differ only by rounding noise must rank as equal.
            let clean: Vec<f64> = values.iter().map(|v| round_to(*v, 9)).collect();
            expanding_ecdf(&clean, MIN_HISTORY)
        },
        base: 0.0,
        min_weight: 0.6,
    });
    &INDEX
}

fn interpret(reading: &Reading) -> String {
    let Some(sentence) = describe_reading(&CMSI, reading) else {
        return describe_missing_inputs(reading);
    };
    let is_public = reading.basis.iter().any(|b| b == index().fallback_basis);
    let averages = if is_public {
        "81 in recessions and 42"
    } else {
        "82 in recessions and 46"
    };
    let record =
        format!("It averages {averages} otherwise; it ranks the present and is no forecast.");
    format!(
        "{sentence} {}",
        counted(&record, reading.date, LAST_STUDIED)
    )
}

#[cfg(test)]
mod tests;
