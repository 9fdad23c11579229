//! Figures that users get, held against answers computed without the program, and against what was known on a day.
//!
//! One program, and not one for each file: every program of tests links all of the library.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says so"
)]
#![expect(clippy::too_many_lines, reason = "tables of questions")]
#![expect(clippy::cast_precision_loss, reason = "counts of rows")]

mod as_of;
mod claims;
mod dates;
mod drivers;
mod expanded;
mod first_prints;
mod fresh;
mod identities;
mod more_questions;
mod names;
mod one_call;
mod questions;
mod record;
mod regimes;
mod same;
mod sooner;
mod statements;
mod support;
mod vintages;
mod walk;
