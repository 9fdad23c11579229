//! Transfer of rows from the database into a replica.

use super::publish::STALL_TIMEOUT;
use super::rows::{read_row, watermark};
use crate::postgres::{AttemptResult, Database, Failure, Session, TransactionMode};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::tables::{ReplicaTransaction, TABLES, Table, Watermark};
use econoscope_core::error::Result;
use futures_util::{TryStreamExt, pin_mut};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

/// Updates a replica file from the database.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the database cannot be reached or the file cannot be written. The file is not
/// changed then.
pub(super) async fn update_replica(db: &Database, file: &Sqlite) -> Result<()> {
    let read = |tx| async move { watermark(&tx).await };
    let copied = file.watermark()?;
    let stored = copied.as_ref();
    if stored == Some(&db.transaction("read", read).await?) {
        return Ok(());
    }
    db.transaction_with("read", TransactionMode::SNAPSHOT, |tx| async move {
        let current = watermark(&tx).await?;
        copy_changes(&tx, file, stored, &current)
    })
    .await
}

/// Copies the changes between two watermarks, unless another process has updated the file meanwhile.
pub(super) fn copy_changes(
    tx: &Session,
    file: &Sqlite,
    stored: Option<&Watermark>,
    current: &Watermark,
) -> AttemptResult<()> {
    let is_same_database = |stored: &&Watermark| {
        stored.incarnation == current.incarnation && stored.change <= current.change
    };
    let since = stored.filter(is_same_database).map(|stored| stored.change);
    block_in_place(|| {
        file.replica_transaction(|replica| {
            if replica.watermark.as_ref() == stored {
                Handle::current().block_on(copy_rows(tx, since, replica))?;
                replica.finish(current, since.is_none())?;
            }
            Ok(())
        })
    })
}

/// Copies the rows that changed after the change `since`, or all.
async fn copy_rows(
    tx: &Session,
    since: Option<i64>,
    replica: &ReplicaTransaction<'_>,
) -> AttemptResult<()> {
    if let Some(since) = since {
        let sql = "SELECT id FROM econoscope.gone WHERE changed > $1";
        for id in tx.query_scalar(sql, &[&since]).await? {
            replica.delete_series(id)?;
        }
    } else {
        replica.clear()?;
    }
    for table in TABLES {
        let Table { name, columns } = table;
        let sql = format!("SELECT {columns} FROM econoscope.{name} WHERE changed > $1");
        let statement = tx.prepare_cached(&sql).await?;
        let rows = tx.query_raw(&statement, [since.unwrap_or(-1)]).await?;
        pin_mut!(rows);
        while let Some(row) = tokio::time::timeout(STALL_TIMEOUT, rows.try_next())
            .await
            .map_err(|_| Failure::Timeout)??
        {
            replica.write(&read_row(&row, table)?)?;
        }
    }
    Ok(())
}
