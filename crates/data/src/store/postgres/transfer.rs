//! Rows from the database into a file: what is new into a replica.

use super::lines::{line, select, watermark};
use crate::postgres::{AttemptResult, Bounds, Database, Failure, Session};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::{Receiving, TABLES, Watermark};
use econoscope_core::error::Result;
use futures_util::{TryStreamExt, pin_mut};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::block_in_place;

/// Longest pause between two lines: a connection that is open on one side only ends there.
const STALL: Duration = Duration::from_secs(20);

/// Brings a file up to date.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the database cannot be reached, or the file cannot be written; it is as it was then.
pub(super) async fn bring(db: &Database, file: &Sqlite) -> Result<()> {
    let read = |tx| async move { watermark(&tx).await };
    let held = file.watermark()?;
    let held = held.as_ref();
    if held == Some(&db.transaction("read", read).await?) {
        return Ok(());
    }
    db.bounded("read", Bounds::LONG, |tx| async move {
        let now = watermark(&tx).await?;
        receive(&tx, file, held, &now)
    })
    .await
}

/// Brings a file that holds a state to the one that a transaction sees. Another process may be there first.
pub(super) fn receive(
    tx: &Session,
    file: &Sqlite,
    held: Option<&Watermark>,
    now: &Watermark,
) -> AttemptResult<()> {
    let is_same =
        |held: &Watermark| held.incarnation == now.incarnation && held.change <= now.change;
    let since = held.filter(|held| is_same(held)).map(|held| held.change);
    block_in_place(|| {
        file.receive(|into| {
            if into.held.as_ref() == held {
                Handle::current().block_on(rows(tx, since, into))?;
                into.end(now, since.is_none())?;
            }
            Ok(())
        })
    })
}

/// Hands over the rows that are new since a change, or all.
async fn rows(tx: &Session, since: Option<i64>, into: &Receiving<'_>) -> AttemptResult<()> {
    if let Some(since) = since {
        let sql = "SELECT id FROM econoscope.gone WHERE changed > $1";
        for row in tx.query(sql, &[&since]).await? {
            into.drop_series(row.try_get(0)?)?;
        }
    } else {
        into.clear()?;
    }
    for table in TABLES {
        let sql = select(table, "WHERE changed > $1");
        let statement = tx.prepare_cached(&sql).await?;
        let rows = tx.query_raw(&statement, [since.unwrap_or(-1)]).await?;
        pin_mut!(rows);
        while let Some(row) = tokio::time::timeout(STALL, rows.try_next())
            .await
            .map_err(|_| Failure::Silent)??
        {
            into.put(&line(&row, table)?)?;
        }
    }
    Ok(())
}
