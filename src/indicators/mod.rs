//! Figures computed from series: transforms, composites, the regime, and the sentences about them.
//!
//! Everything here is pure: the same series and the same day give the same figure. No I/O, no clock, no
//! async. Series that are missing are simply absent from the [`crate::model::SeriesSet`]; every figure
//! that cannot be computed is `None` with a reason, never zero.
//!
//! [`months`], [`transform`], [`resample`], [`statistics`] are the arithmetic; `recession`, `liquidity`,
//! `stress` and `appetite` the composites, one row each in [`COMPOSITES`]; [`regime`], [`sahm`], [`summary`]
//! and [`nber`] stand beside them; [`prose`] and [`narrative`] put figures into words.
//!
//! A set is what was known on the reference day: whoever hands it over has cut it, by recorded vintages or by
//! publication lags. At the reference day nothing more is cut, so a figure that came earlier than usual
//! counts; in a daily index each past day sees coarser figures from their typical publication day on.

pub mod appetite;
pub mod asset_views;
pub mod base_rates;
pub mod blend;
pub mod composite;
pub mod explain;
pub mod expression;
pub mod liquidity;
pub mod measure;
pub mod months;
pub mod narrative;
pub mod narrative_velocity;
pub mod nber;
pub mod prose;
pub mod recession;
pub mod regime;
pub mod resample;
pub mod sahm;
pub mod statistics;
pub mod stress;
pub mod summary;
pub mod transform;

pub use composite::{Band, Composite, Input, Reading, Trend};

/// Every composite, in the order in which they are shown. The narrative index reads texts and stands apart.
pub const COMPOSITES: &[&Composite] = &[
    &recession::CRPI,
    &liquidity::CNLI,
    &stress::CMSI,
    &appetite::CRAI,
];

/// The composite of that series identifier (upper case).
pub fn composite(id: &str) -> Option<&'static Composite> {
    COMPOSITES.iter().copied().find(|c| c.id == id)
}

#[cfg(test)]
mod testdata;
#[cfg(test)]
mod tests;
