//! The store in a PostgreSQL database that many servers share.
//!
//! The tables and checksums are those of SQLite; each row also has the number of the change that wrote it, so that
//! replicas can fetch new rows. A process reads from a replica, which is a SQLite store with a [`Primary`]: a write runs on
//! the replica first, and its changes go to the database in one transaction.

mod layout;
mod lease;
mod open;
mod primary;
mod rows;
mod runtime;
#[cfg(all(test, feature = "cluster"))]
pub(super) mod testing;
mod transfer;

pub use open::{
    LeaseGuard, copy_to, lease_status, migrate, open, open_replica, open_with_history,
    update_replica,
};
pub(super) use primary::Primary;
