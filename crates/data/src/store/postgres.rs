//! The store in a PostgreSQL database, which many servers share.
//!
//! The tables are SQLite's, line by line with the same checksums; each line also tells which change wrote it, so that
//! copies can fetch what is new. A write locks its series, hands the lines to a store in memory that does the same
//! work as ever, and puts back what came of it in one transaction. Servers answer from a copy of their own
//! (`replica.rs`); what reads here directly waits for the database.

mod answers;
mod handle;
mod layout;
mod lease;
mod lines;
mod replica;
#[cfg(all(test, feature = "cluster"))]
pub(super) mod testing;
mod thread;
mod transfer;
mod work;

pub use handle::{LeaseGuard, Postgres};
