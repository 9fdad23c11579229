//! The store in one SQLite file: many readers, one writer at a time, safe against kill and power loss.
//!
//! ```text
//! series   one row per series: its summary, and a checksum over its row groups
//! segment  the rows of a series as a row group (`row_group.rs`), replaced by each write that changes something
//! state    one row: the version that every visible change raises, and the number of series
//! article, note
//! description, description_words   titles and their words, created with the first title
//! ```
//! Every row has a CRC-32 of its content, and every series one over all its row groups. A flipped bit, a lost page
//! or a misplaced row is an error and never a wrong number.

mod bundle;
mod connect;
mod database_file;
mod descriptions;
mod handle;
mod maintenance;
mod query;
mod series;
mod series_row;
mod state;
mod store_impl;
pub(super) mod tables;
mod texts;

#[cfg(test)]
mod tests;

pub use handle::Sqlite;
pub(super) use store_impl::Backing;
