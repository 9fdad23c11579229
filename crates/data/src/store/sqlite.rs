//! The store in one SQLite file: many readers, one writer at a time, safe against kill and power loss.
//!
//! ```text
//! series   one line per series: what is held, and a checksum over its segments
//! segment  the rows of a series as bytes (`segment.rs`), written anew by each write that changes something
//! state    one line: the version that every visible change raises, and how many series there are
//! article, note
//! description, description_words   titles and their words, made when the first title comes
//! ```
//! Every line carries a CRC-32 of its content and every series one over all of its segments, so that a
//! flipped bit, a lost page or a mixed-up row is an error and never a wrong number.

mod answers;
mod bundle;
mod connect;
mod descriptions;
mod file;
mod home;
mod line;
pub(super) mod lines;
mod query;
mod series;
mod state;
mod texts;
mod upkeep;

#[cfg(test)]
mod tests;

pub use file::Sqlite;
pub use upkeep::Damage;
