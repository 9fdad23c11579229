//! Figures that users get, held against answers computed without the program, and against what was known on a day.
//!
//! One program, and not one for each file: every program of tests links all of the library.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says so"
)]

mod as_of;
mod more_questions;
mod questions;
mod support;
