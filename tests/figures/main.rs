//! Figures that users get, held against answers computed without the program, and against what was known on a day.
//!
//! One program, and not one for each file: every program of tests links all of the library.

mod as_of;
mod more_questions;
mod questions;
mod support;
