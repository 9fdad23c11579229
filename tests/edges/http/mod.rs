//! The HTTP edge through its public door: a real router, and a real socket where time and bytes matter.

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
