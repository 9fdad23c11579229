//! Rows from the database into a file: what is new into a replica.

use super::lines::{line, select, watermark};
use crate::postgres::{AttemptResult, Bounds, Database, Failure, Session};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::{Receiving, SEGMENT, TABLES, Watermark};
use econoscope_core::error::Result;
use futures_util::{TryStreamExt, pin_mut};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::block_in_place;

/// Longest pause between two lines: a connection that is open on one side only ends there.
const STALL: Duration = Duration::from_secs(20);

/// How far a copy is: row groups that came, of how many.
pub(super) type Progress = (u64, u64);

/// Brings a file up to date.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the database cannot be reached, or the file cannot be written; it is as it was then.
pub(super) async fn bring(
    db: &Database,
    file: &Sqlite,
    told: impl Fn(Progress) + Send + Sync,
) -> Result<()> {
    let read = |tx| async move { watermark(&tx).await };
    let (held, told) = (file.watermark()?, &told);
    let held = held.as_ref();
    if held == Some(&db.transaction("read", read).await?) {
        return Ok(());
    }
    db.bounded("read", Bounds::LONG, |tx| async move {
        let now = watermark(&tx).await?;
        receive(&tx, file, held, &now, told)
    })
    .await
}

/// Brings a file that holds a state to the one that a transaction sees. Another process may be there first.
pub(super) fn receive(
    tx: &Session,
    file: &Sqlite,
    held: Option<&Watermark>,
    now: &Watermark,
    told: &impl Fn(Progress),
) -> AttemptResult<()> {
    let is_same =
        |held: &Watermark| held.incarnation == now.incarnation && held.change <= now.change;
    let since = held.filter(|held| is_same(held)).map(|held| held.change);
    block_in_place(|| {
        file.receive(|into| {
            if into.held.as_ref() == held {
                Handle::current().block_on(rows(tx, since, into, told))?;
                into.end(now, since.is_none())?;
            }
            Ok(())
        })
    })
}

/// Hands over the rows that are new since a change, or all.
async fn rows(
    tx: &Session,
    since: Option<i64>,
    into: &Receiving<'_>,
    told: &impl Fn(Progress),
) -> AttemptResult<()> {
    let mut groups = 0;
    if let Some(since) = since {
        let sql = "SELECT id FROM econoscope.gone WHERE changed > $1";
        for row in tx.query(sql, &[&since]).await? {
            into.drop_series(row.try_get(0)?)?;
        }
    } else {
        into.clear()?;
        let sql = "SELECT coalesce(sum(segments), 0)::int8 FROM econoscope.series";
        let row = tx.query_one(sql, &[]).await?;
        groups = row.try_get::<_, i64>(0)?.unsigned_abs();
    }
    let mut came = 0;
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
            if table == &SEGMENT {
                came += 1;
                told((came, groups));
            }
        }
    }
    Ok(())
}
