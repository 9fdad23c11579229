//! The local backend: facts as of a day, out of the store and the indicators.
//!
//! Everything a [`Desk`] reads or computes is kept once per [`State`] of the data and shared.

pub mod articles;
pub mod awaited;
pub mod base_rates;
pub mod basis;
pub mod cited;
pub mod composites;
mod computed;
mod facts;
mod find;
mod folder;
pub mod glossary;
pub mod hindsight;
pub mod holdings;
pub mod identities;
pub mod library;
mod local;
pub mod narrative;
mod places;
pub mod remarks;
pub mod resolve;
pub mod scenarios;
pub mod scores;
pub mod search;
mod settings;

pub use computed::RegimeHistory;
pub use find::{IMPORTED, unmatched_words};
pub use holdings::{DataDate, Holdings};
pub use local::{Desk, Now, State};
pub use settings::{HOME, Settings, address};

use econoscope_core::error::Result;

/// Computes afresh what rests on the store.
///
/// That is composites and the index of texts. To be called after each import or sync; while nothing but the bundled
/// history is held there is nothing to do.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read or written.
pub fn refresh(desk: &Desk) -> Result<()> {
    composites::refresh(desk)?;
    narrative::refresh(desk)
}
