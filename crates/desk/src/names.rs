//! What a name or a question means: series by their names, and everything else by its words.

mod find;
mod index;
mod phrase;
pub mod resolve;
pub mod search;

pub use find::{IMPORTED, unmatched_words};
