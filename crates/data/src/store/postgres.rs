//! The store in a PostgreSQL database, which many servers share.
//!
//! The tables are SQLite's, line by line with the same checksums; each line also tells which change wrote it, so that
//! copies can fetch what is new. Everything is read from a local copy: a server's follows the database by itself
//! (`replica.rs`), a command's is brought up to date before each read. A write is tried on the copy, and what it changed
//! goes into the database in one transaction (`publish.rs`).

mod answers;
mod handle;
mod layout;
mod lease;
mod lines;
mod publish;
mod replica;
#[cfg(all(test, feature = "cluster"))]
pub(super) mod testing;
mod thread;
mod transfer;

pub use handle::{LeaseGuard, Postgres};
