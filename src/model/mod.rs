//! The words of the field: what a series, an observation and a vintage are.
//!
//! | word | meaning |
//! |---|---|
//! | series, `SeriesId` | one measured quantity over time |
//! | observation | one number for one period, stamped with the period's first day |
//! | frequency | how long a period is |
//! | vintage, `known_from` | the day a figure became known; `as_of` asks for what was known on a day |
//! | catalogue | what we know about each series: title, unit, source, rights, typical publication lag |
//!
//! Pure: no I/O, no clock, no async. Missing values are absent rows, never zero.

pub mod attribution;
pub mod catalogue;
pub mod frequency;
pub mod observation;
pub mod release;
pub mod resolve;
pub mod series;
mod table;
pub mod untrusted;
pub mod word_index;

pub use attribution::Attribution;
pub use catalogue::{Catalogue, Rights, SeriesInfo};
pub use frequency::Frequency;
pub use observation::{AsOf, Known, Observation, Vintages};
pub use series::{Series, SeriesId, SeriesSet};

/// A calendar day; period data carry the period's first day.
pub type Date = jiff::civil::Date;
