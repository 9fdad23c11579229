//! Writing: work runs on the local replica, and its changes go to the database in one transaction.
//!
//! So both kinds of store run the same code. The replica itself changes after the database has committed.

use super::rows::{BATCH, watermark, write_rows};
use super::transfer::copy_changes;
use crate::postgres::{AttemptResult, Failure, Session};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::tables::{Changes, DESCRIPTION, SERIES};
use econoscope_core::error::{Error, Result};
use std::future::Future;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::block_in_place;
use tokio::time::timeout;
use tokio_postgres::types::ToSql;

/// Longest wait for one response, which detects half-open connections.
pub(super) const STALL_TIMEOUT: Duration = Duration::from_secs(20);

/// The result of published work.
#[derive(Debug, Clone)]
pub(super) struct PublishResult<T> {
    pub(super) value: T,
    /// Whether anything changed.
    pub(super) is_changed: bool,
}

/// Runs work and publishes its changes, in `term` if there is one. The state row stays locked until the end, so that
/// changes are serial and each runs on a replica that has all earlier ones.
pub(super) async fn publish<T>(
    tx: Session,
    replica: &Sqlite,
    term: Option<i64>,
    work: impl FnOnce(&Sqlite) -> Result<T>,
) -> AttemptResult<PublishResult<T>> {
    let lock = "SELECT 1 FROM econoscope.state WHERE id = 1 FOR UPDATE";
    tx.execute(lock, &[]).await?;
    let current = watermark(&tx).await?;
    loop {
        let stored = replica.watermark()?;
        if stored.as_ref() == Some(&current) {
            break;
        }
        copy_changes(&tx, replica, stored.as_ref(), &current)?;
    }
    let (value, written) = block_in_place(|| {
        let checked_work = |store: &Sqlite| {
            if store.watermark()?.as_ref() == Some(&current) {
                work(store)
            } else {
                Err(Error::store_without_cause(
                    "the replica of the database was replaced meanwhile. Nothing was written.",
                ))
            }
        };
        let write = |changes: &Changes<'_>| write_changes(&tx, changes, current.change + 1);
        replica.dry_run(checked_work, write)
    })?;
    let is_changed = written?;
    // Last, so that the lease row is locked only briefly.
    if let Some(term) = term.filter(|_| is_changed) {
        check_term(&tx, term).await?;
    }
    Ok(PublishResult { value, is_changed })
}

/// Writes changes to the database under the number `change`. Returns whether there are any.
fn write_changes(tx: &Session, changes: &Changes<'_>, change: i64) -> AttemptResult<bool> {
    if changes.rows.is_empty() {
        return Ok(false);
    }
    let mut rows = Vec::new();
    changes.for_each(|table, id, row| {
        if row.is_none() {
            let sql = format!("DELETE FROM econoscope.{} WHERE id = $1", table.name);
            wait_for(async { Ok(tx.execute(&sql, &[&id]).await?) })?;
        }
        if row.is_none() && table == &SERIES {
            let sql = "INSERT INTO econoscope.gone VALUES ($1, $2)
                 ON CONFLICT (id) DO UPDATE SET changed = EXCLUDED.changed";
            wait_for(async { Ok(tx.execute(sql, &[&id, &change]).await?) })?;
        }
        rows.extend(row);
        if rows.len() >= BATCH {
            wait_for(write_rows(tx, &std::mem::take(&mut rows), change))?;
        }
        Ok::<_, Failure>(())
    })?;
    wait_for(write_rows(tx, &rows, change))?;
    // Older versions number new rows by the last two columns.
    let max_id = |table: &str| format!("(SELECT coalesce(max(id), 0) FROM econoscope.{table})");
    let sql = format!(
        "UPDATE econoscope.state SET change = $1, version = version + $2, series = series + $3,
             last_series = greatest(last_series, {}), last_description = greatest(last_description, {}) WHERE id = 1",
        max_id(SERIES.name),
        max_id(DESCRIPTION.name)
    );
    let visible = i64::from(changes.is_visible);
    let params: [&(dyn ToSql + Sync); 3] = [&change, &visible, &changes.series];
    wait_for(async { Ok(tx.execute(&sql, &params).await?) })?;
    Ok(true)
}

/// Waits for the database inside of blocking work on the replica.
fn wait_for<T>(work: impl Future<Output = AttemptResult<T>>) -> AttemptResult<T> {
    let result = Handle::current().block_on(timeout(STALL_TIMEOUT, work));
    result.unwrap_or(Err(Failure::Timeout))
}

/// Refuses a writer whose term is over. No new term can begin before this transaction ends.
async fn check_term(tx: &Session, term: i64) -> AttemptResult<()> {
    let sql = "SELECT term, holder FROM econoscope.lease WHERE id = 1 FOR SHARE";
    let row = tx.query_one(sql, &[]).await?;
    let current: i64 = row.try_get(0)?;
    let holder: String = row.try_get(1)?;
    if current == term {
        return Ok(());
    }
    Err(Failure::Refused(Error::store_without_cause(format!(
        "this server may not write any more: its term {term} is over, {holder} writes in term {current}. \
         Nothing was written."
    ))))
}
