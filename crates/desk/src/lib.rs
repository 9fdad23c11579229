//! The desk: facts as of a day, from the store and the indicators.
//!
//! A [`Desk`] caches what it reads and computes once per [`State`] of the data.

pub mod base_rates;
pub mod basis;
pub mod composites;
mod computed;
mod desk;
mod identities;
mod lock;
pub mod names;
pub mod narrative;
pub mod real_time;
pub mod reference;
pub mod release_forecast;
pub mod scores;
mod series;
mod settings;
pub mod store_summary;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod texts;

pub use computed::RegimeHistory;
pub use desk::{Clock, Desk, State};
pub use lock::Lock;
pub use names::{IMPORTED, unmatched_words};
pub use series::no_vintages;
pub use settings::{Audience, Settings, address};
pub use store_summary::{ReferenceDay, StoreSummary};

use econoscope_core::error::Result;

/// Updates the composites and the narrative index in the store.
///
/// Call it after each import or sync. With only the bundled history it does nothing.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read or written.
pub fn refresh(desk: &Desk) -> Result<()> {
    composites::refresh(desk)?;
    narrative::refresh(desk)
}
