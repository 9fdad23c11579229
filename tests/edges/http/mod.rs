//! The HTTP edge through its public door: a real router, and a real socket where time and bytes matter.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says so"
)]

mod apps;
mod contract;
mod discovery;
mod everything;
mod forms;
mod limits;
mod logs;
mod metrics;
mod pages;
mod rights;
mod slow;
mod support;
