//! Figures computed from series: transforms, composites, the regime, and the sentences about them.
//!
//! Everything here is pure: the same series and the same day give the same figure. No I/O, no clock, no
//! async. Series that are missing are simply absent from the [`crate::model::SeriesSet`]; every figure
//! that cannot be computed is `None` with a reason, never zero.
//!
//! [`months`], [`transform`], [`resample`], [`statistics`], [`window`] are the arithmetic; [`recession`],
//! [`recession_now`], [`liquidity`], [`stress`] and [`appetite`] the composites, one row each in [`COMPOSITES`];
//! [`regime`], [`sahm`], [`summary`] and [`nber`] stand beside them; [`prose`] and [`narrative`] put figures into words.
//!
//! # To add a composite
//! Write `src/indicators/<name>.rs` with its [`Composite`] and add it to [`COMPOSITES`] here. Every list of composites,
//! in answers, documents and pages, its line in the catalogue and its term in the glossary follow.
//!
//! A set is what was known on the reference day: whoever hands it over has cut it, by recorded vintages or by
//! publication lags. At the reference day nothing more is cut, so a figure that came earlier than usual
//! counts; in a daily index each past day sees coarser figures from their typical publication day on.

pub mod alarm;
pub mod appetite;
pub mod asset_views;
pub mod base_rates;
pub mod blend;
pub mod composite;
pub mod condition;
pub mod expectation;
pub mod explain;
pub mod expression;
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

/// The composites that are not on trial, in the order in which they are shown.
pub fn established() -> impl Iterator<Item = &'static Composite> + Clone {
    COMPOSITES.iter().copied().filter(|c| !c.experimental)
}

/// The composite of that series identifier (upper case).
pub fn composite(id: &str) -> Option<&'static Composite> {
    COMPOSITES.iter().copied().find(|c| c.about.id == id)
}

/// Every indicator: the composites, the index of texts and the regime.
pub fn indicators() -> impl Iterator<Item = &'static Indicator> {
    let composites = COMPOSITES.iter().map(|c| &c.about);
    composites.chain([&narrative_velocity::NVI, &regime::REGIME])
}

#[cfg(test)]
mod testdata;
#[cfg(test)]
mod tests;
