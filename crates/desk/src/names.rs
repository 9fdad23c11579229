//! What a name or a question means: series by their names, and everything else by its words.

mod find;
mod parts;
mod read;
mod register;
pub mod resolve;
pub mod search;
mod words;

pub use find::{IMPORTED, unmatched_words};
pub use read::Part;
