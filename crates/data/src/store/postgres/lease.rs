//! The lease on writing: one row with the holder, the term and the time of expiry by the database's clock.

use super::runtime::block_on;
use crate::postgres::Database;
use econoscope_core::error::Result;
use std::time::Duration;

/// How long a lease lasts without renewal, in seconds.
const SECONDS: i64 = 15;
/// The same as a duration.
pub(in crate::store) const LEASE: Duration = Duration::from_secs(SECONDS.unsigned_abs());
/// How often a lease is renewed, and how often others try to take it.
pub(in crate::store) const HEARTBEAT: Duration = Duration::from_secs(3);

/// Acquires the lease if it is free. Returns the new term, or the holder.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the database cannot be reached.
pub(super) async fn acquire(db: &Database, name: &str) -> Result<std::result::Result<i64, String>> {
    db.transaction("take the write lease in", |tx| async move {
        // An expiry beyond the length of a lease was set before the database's clock was set back. A lease of this name
        // was taken by an earlier attempt whose response was lost.
        let sql = "UPDATE econoscope.lease SET holder = $1, term = term + 1,
                 expires = clock_timestamp() + $2::int8 * interval '1 second'
                 WHERE id = 1 AND (holder = $1 OR expires < clock_timestamp()
                     OR expires > clock_timestamp() + $2::int8 * interval '1 second') RETURNING term";
        if let Some(term) = tx.query_opt_scalar(sql, &[&name, &SECONDS]).await? {
            return Ok(Ok(term));
        }
        let sql = "SELECT holder FROM econoscope.lease WHERE id = 1";
        Ok(Err(tx.query_one_scalar(sql, &[]).await?))
    })
    .await
}

/// Renews the lease. Returns `false` when another term has begun.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the database cannot be reached.
pub(super) async fn renew(db: &Database, term: i64) -> Result<bool> {
    set_expiry(db, term, SECONDS).await
}

/// Ends the lease at once. If the database cannot be reached, it expires by itself.
pub(super) fn release(db: &Database, term: i64) {
    let impatient_db = db.clone().with_patience(Duration::from_secs(2));
    if let Err(error) = block_on(set_expiry(&impatient_db, term, -1)) {
        tracing::debug!(
            error = error.operator_message(),
            "the write lease was not released and expires by itself"
        );
    }
}

async fn set_expiry(db: &Database, term: i64, seconds: i64) -> Result<bool> {
    db.transaction("update the write lease in", |tx| async move {
        let sql = "UPDATE econoscope.lease
                 SET expires = clock_timestamp() + $2::int8 * interval '1 second'
                 WHERE id = 1 AND term = $1";
        Ok(tx.execute(sql, &[&term, &seconds]).await? > 0)
    })
    .await
}

/// Returns a phrase on who holds the lease.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the database cannot be reached.
pub(super) async fn describe_holder(db: &Database) -> Result<String> {
    db.transaction("read", |tx| async move {
        let sql =
            "SELECT holder, term, expires >= clock_timestamp() FROM econoscope.lease WHERE id = 1";
        let row = tx.query_one(sql, &[]).await?;
        let holder: String = row.try_get(0)?;
        let term: i64 = row.try_get(1)?;
        Ok(if row.try_get(2)? {
            format!("{holder} writes, in term {term}")
        } else {
            format!("nobody writes; {term} terms are over")
        })
    })
    .await
}

/// Returns a unique name for this process: host, process id and a random suffix.
pub(in crate::store) fn process_name() -> String {
    let suffix = econoscope_core::clock::random() & 0xffff;
    format!("{}/{}-{suffix:04x}", host_name(), std::process::id())
}

/// Whether the process of a name ran on this host and has ended. Of other hosts, and where processes cannot be listed,
/// nothing is known.
pub(in crate::store) fn has_ended(process: &str) -> bool {
    let Some((host, rest)) = process.rsplit_once('/') else {
        return false;
    };
    let id = rest.split('-').next().unwrap_or_default();
    let is_number = !id.is_empty() && id.bytes().all(|digit| digit.is_ascii_digit());
    let processes = std::path::Path::new("/proc");
    host == host_name()
        && is_number
        && processes.join("self").exists()
        && !processes.join(id).exists()
}

fn host_name() -> String {
    let name = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    name.trim().to_owned()
}
