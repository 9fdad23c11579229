//! Whose turn it is to write: one line with the holder, the term and when it ends by the database's clock.

use super::thread::wait;
use crate::postgres::Database;
use econoscope_core::error::Result;
use std::time::Duration;

/// How long a turn lasts without being renewed.
pub(super) const LEASE: Duration = Duration::from_secs(15);
/// How often it is renewed, and whoever has none looks for it.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(3);

/// Takes the turn when it is nobody's: the new term, or who has it.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the database cannot be reached.
pub(super) async fn take(db: &Database, who: &str) -> Result<std::result::Result<i64, String>> {
    db.transaction("take the turn in", |tx| async move {
        // One that ends later than a turn lasts was taken before the database's clock was set back. One that is held by
        // this name was taken by an earlier attempt whose commit was done and whose answer was lost.
        let sql = "UPDATE econoscope.lease SET holder = $1, term = term + 1,
                 expires = clock_timestamp() + $2::int8 * interval '1 second'
                 WHERE id = 1 AND (holder = $1 OR expires < clock_timestamp()
                     OR expires > clock_timestamp() + $2::int8 * interval '1 second') RETURNING term";
        let seconds = i64::try_from(LEASE.as_secs()).unwrap_or(i64::MAX);
        if let Some(row) = tx.query_opt(sql, &[&who, &seconds]).await? {
            return Ok(Ok(row.try_get(0)?));
        }
        let sql = "SELECT holder FROM econoscope.lease WHERE id = 1";
        let row = tx.query_opt(sql, &[]).await?;
        Ok(Err(row.map_or(Ok(String::new()), |row| row.try_get(0))?))
    })
    .await
}

/// Makes the turn last longer; `false` when another term has begun.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the database cannot be reached.
pub(super) async fn renew(db: &Database, term: i64) -> Result<bool> {
    until(db, term, i64::try_from(LEASE.as_secs()).unwrap_or(i64::MAX)).await
}

/// Ends the turn at once; where the database cannot be reached it ends by itself.
pub(super) fn give_back(db: &Database, term: i64) {
    let db = db.clone().with_patience(Duration::from_secs(2));
    if let Err(error) = wait(until(&db, term, -1)) {
        tracing::debug!(error = error.for_operator(), "the turn ends by itself");
    }
}

async fn until(db: &Database, term: i64, seconds: i64) -> Result<bool> {
    db.transaction("keep the turn in", |tx| async move {
        let sql = "UPDATE econoscope.lease
                 SET expires = clock_timestamp() + $2::int8 * interval '1 second'
                 WHERE id = 1 AND term = $1";
        Ok(tx.execute(sql, &[&term, &seconds]).await? > 0)
    })
    .await
}

/// Who has the turn, in words.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the database cannot be reached.
pub(super) async fn holder(db: &Database) -> Result<String> {
    db.transaction("read", |tx| async move {
        let sql =
            "SELECT holder, term, expires >= clock_timestamp() FROM econoscope.lease WHERE id = 1";
        let row = tx.query_one(sql, &[]).await?;
        let (holder, term): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
        Ok(match row.try_get(2)? {
            true => format!("{holder} writes, in term {term}"),
            false => format!("nobody writes; {term} terms are over"),
        })
    })
    .await
}

/// What this process is called: its machine and number, and something that no other has.
pub(super) fn own_name() -> String {
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let mark = econoscope_core::clock::random() & 0xffff;
    format!("{}/{}-{mark:04x}", host.trim(), std::process::id())
}
