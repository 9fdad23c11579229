//! The store in a PostgreSQL database, which many servers share.
//!
//! The tables are SQLite's, line by line with the same checksums; each line also tells which change wrote it, so that
//! copies can fetch what is new. A write locks its series, hands the lines to a store in memory that does the same
//! work as ever, and puts back what came of it in one transaction. Servers answer from a copy of their own
//! ([`super::replica`]); what reads here directly waits for the database.

mod answers;
mod fetch;
mod handle;
mod layout;
mod lease;
mod lines;
#[cfg(all(test, feature = "cluster"))]
pub(super) mod testing;
mod upload;
mod work;

pub(super) use fetch::{CHANNEL, bring};
pub use handle::{Postgres, Turn};
pub(super) use lease::{BEAT, TERM, own_name, renew, take};
pub(super) use lines::state;
