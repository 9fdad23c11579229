//! The store in a PostgreSQL database that many servers share.
//!
//! The tables and checksums are those of SQLite; each row also has the number of the change that wrote it, so that
//! replicas can fetch new rows. All reads use a local replica: a server's follows the database by itself (`replica.rs`),
//! a command's is updated before each read. A write runs on the replica first, and its changes go to the database in one
//! transaction (`publish.rs`).

mod handle;
mod layout;
mod lease;
mod publish;
mod replica;
mod rows;
mod runtime;
#[cfg(all(test, feature = "cluster"))]
pub(super) mod testing;
mod transfer;

pub use handle::{LeaseGuard, Postgres};
pub(super) use lease::{HEARTBEAT, LEASE, has_ended, process_name};
