//! Figures computed from series: transforms, composites, the regime, and the sentences about them.
//!
//! All functions are pure: the same series and the same day give the same figure. No I/O, no clock, no
//! async. Missing series are absent from the [`crate::model::SeriesSet`]; a figure
//! that cannot be computed is `None` with a reason, never zero.
//!
//! [`months`], [`transform`], [`resample`], [`statistics`] and [`window`] are the arithmetic; [`recession`],
//! [`recession_now`], [`liquidity`], [`stress`] and [`appetite`] are the composites, one row each in [`COMPOSITES`];
//! [`regime`], [`sahm`], [`summary`] and [`nber`] are other indicators; [`identities`] define series by others; [`drivers`] breaks down changes of published figures; [`prose`] and [`narrative`] format figures as text.
//!
//! # To add a composite
//! Write `src/indicators/<name>.rs` with its [`Composite`] and add it to [`COMPOSITES`] here; the lists of composites
//! in answers, documents and pages read from there. Add its row to `data/catalogue.csv` and its term to the glossary.
//!
//! A set holds what was known on the reference day: the caller selects it by recorded vintages or by
//! publication lags. On the reference day a figure that was published earlier than usual
//! counts; in a daily index each past day uses coarser figures from their typical publication day.

pub mod alarm;
pub mod appetite;
pub mod asset_views;
pub mod base_rates;
pub mod blend;
pub mod composite;
pub mod condition;
pub mod drivers;
pub mod expectation;
pub mod expression;
pub mod identities;
pub mod liquidity;
pub mod measure;
pub mod months;
pub mod narrative;
pub mod narrative_velocity;
pub mod nber;
pub mod nowcast;
pub mod precedents;
pub mod prose;
pub mod reading;
pub mod recession;
pub mod recession_now;
pub mod record;
pub mod regime;
pub mod resample;
pub mod revisions;
pub mod sahm;
pub mod shapley;
pub mod statistics;
pub mod stress;
pub mod summary;
pub mod transform;
pub mod window;

pub use composite::{Composite, Indicator};
pub use reading::Reading;

/// Every composite, in the order in which they are shown.
pub const COMPOSITES: &[&Composite] = &[
    &recession::CRPI,
    &recession_now::RNOW,
    &recession::CRPI2,
    &liquidity::CNLI,
    &stress::CMSI,
    &appetite::CRAI,
];

/// Iterates over the composites that are not experimental, in the order in which they are shown.
pub fn established() -> impl Iterator<Item = &'static Composite> + Clone {
    let all = COMPOSITES.iter().copied();
    all.filter(|c| !c.indicator.definition().experimental)
}

/// Returns the composite with a series identifier (upper case).
pub fn composite(id: &str) -> Option<&'static Composite> {
    COMPOSITES.iter().copied().find(|c| c.indicator.id == id)
}

/// Iterates over every indicator: the composites, the index of texts and the regime.
pub fn indicators() -> impl Iterator<Item = &'static Indicator> {
    let composites = COMPOSITES.iter().map(|c| &c.indicator);
    composites.chain([&narrative_velocity::NVI, &regime::REGIME])
}

#[cfg(test)]
mod testdata;
#[cfg(test)]
mod tests;
