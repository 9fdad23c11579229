//! The data model: series, observations, vintages and their calendar.
//!
//! | Term | Meaning |
//! |---|---|
//! | series, `SeriesId` | one measured quantity over time |
//! | observation | one number for one period, dated with the period's first day |
//! | frequency | how long a period is |
//! | vintage, `known_from` | the day on which a figure became known; `as_of` gives what was known on a day |
//! | `SeriesInfo` | the description of a series: title, unit, source, rights, typical publication lag |
//!
//! No I/O, no clock, no async. Missing values are absent rows, never zero.

pub mod calendar;
pub mod frequency;
pub mod knowledge;
pub mod observation;
pub mod quantity;
pub mod release;
pub mod series;
mod series_id;
pub mod series_info;
pub mod table;
mod timeliness;
pub mod units;
pub mod untrusted;
pub mod vintages;
pub mod when;
pub mod words;

pub use frequency::{Date, Frequency};
pub use knowledge::{SeriesVintages, VintageCursor};
pub use observation::{AsOf, Observation, VintageObservation, Vintages};
pub use quantity::Quantity;
pub use series::{Series, SeriesSet};
pub use series_id::SeriesId;
pub use series_info::{Attribution, Rights, SeriesInfo};
pub use timeliness::Timeliness;
pub use when::{CalendarPeriod, DateRange};
