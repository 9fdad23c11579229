//! What is known, and since when: one trait, kept by SQLite in a file or in memory, or by PostgreSQL for many servers.
//!
//! The store is bitemporal: every row is `(series, date, value, known_from)`. A write appends a row only
//! when a value is new or differs from the newest one known; nothing is overwritten. All calls are
//! synchronous and safe from several threads; callers keep them off the async executor where they are slow.

mod change;
#[cfg(test)]
mod contract;
mod postgres;
mod seam;
mod segment;
mod sqlite;

pub use postgres::{LeaseGuard, Postgres};
pub use seam::{
    Article, Description, Leadership, ReplicaStatus, Status, Store, Write, WriteOutcome,
    WriteVintages,
};
pub use sqlite::{Damage, Sqlite};
