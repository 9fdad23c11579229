//! How sources are asked, and FRED, which is asked last, series by series. All others are recipes ([`crate::recipe`]).

mod fred;
mod settings;

pub(super) use fred::Fred;
#[cfg(fuzzing)]
pub(super) use fred::fuzz;
pub use settings::SourceSettings;
