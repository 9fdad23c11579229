//! Rows between the database and a file: what is new into a replica, and a whole store into an empty database.

use super::lines::{line, put, select, state, watermark};
use crate::postgres::{AttemptResult, Bounds, Database, Failure, Session};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::{DESCRIPTION, Receiving, SEGMENT, SERIES, TABLES, Watermark};
use econoscope_core::error::Result;
use futures_util::{TryStreamExt, pin_mut};
use parking_lot::Mutex;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::block_in_place;

/// Where a writer says that there is news.
pub(super) const CHANNEL: &str = "econoscope";
/// Longest pause between two lines: a connection that is open on one side only ends there.
const STALL: Duration = Duration::from_secs(20);

/// How far a copy is: row groups that came, of how many.
pub(super) type Progress = (u64, u64);

/// Brings a file that holds a state of the database up to date; what it holds then. Another process may be there first.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the database cannot be reached, or the file cannot be written; it is as it was then.
pub(super) async fn bring(
    db: &Database,
    file: &Sqlite,
    held: Option<Watermark>,
    told: impl Fn(Progress) + Send + Sync,
) -> Result<Option<Watermark>> {
    // What has gone over does not come again: one attempt.
    let db = db.clone().with_patience(Duration::ZERO);
    if held.as_ref() == Some(&state(&db).await?) {
        return Ok(held);
    }
    block_in_place(|| {
        let brought = file.receive(|into| {
            let all = |tx| all(tx, held.clone(), into, &told);
            Handle::current().block_on(db.bounded("read", Bounds::LONG, all))
        })?;
        brought.map_or_else(|| file.watermark(), |watermark| Ok(Some(watermark)))
    })
}

/// Hands over what is new since a state, or all; `None` when the file holds another one.
async fn all(
    tx: Session,
    from: Option<Watermark>,
    into: &Receiving<'_>,
    told: &impl Fn(Progress),
) -> AttemptResult<Option<Watermark>> {
    // The session is idle while the file is cleared or takes lines, and holds no lock that anybody waits for.
    let patient =
        "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '60s'";
    tx.batch_execute(patient).await?;
    let watermark = watermark(&tx).await?;
    let is_same = |from: &Watermark| {
        from.incarnation == watermark.incarnation && from.change <= watermark.change
    };
    let from = from.filter(is_same);
    let since = from.as_ref().map_or(-1, |from| from.change);
    let mut groups = 0;
    if let Some(from) = &from {
        if into.held.as_ref() != Some(from) {
            return Ok(None);
        }
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
        let rows = tx.query_raw(&statement, [since]).await?;
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
    into.end(&watermark, from.is_none())?;
    Ok(Some(watermark))
}

/// Takes all that a store in a file holds; `false` when the database holds something already.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the file cannot be read, or the database not be written. Nothing was written then.
pub(super) async fn fill(db: &Database, from: &Sqlite) -> Result<bool> {
    let sent = &Mutex::new(None);
    db.bounded("copy into", Bounds::WHOLE, |tx| async move {
        // Of several that come at once the others wait here, and then find it filled.
        tx.batch_execute(
            "SET LOCAL lock_timeout = 0; SELECT 1 FROM econoscope.state WHERE id = 1 FOR UPDATE",
        )
        .await?;
        let held = watermark(&tx).await?;
        if held.series > 0 {
            // Filled by others, or by an earlier attempt whose commit was done and whose answer was lost.
            return Ok(*sent.lock() == Some(held.change));
        }
        block_in_place(|| {
            from.pieces(|lines| {
                let put = Handle::current().block_on(put(&tx, &lines, held.change + 1));
                put.map_err(|failure| db.told("copy into", &failure))
            })
        })?;
        let last = |table: &str| format!("(SELECT coalesce(max(id), 0) FROM econoscope.{table})");
        let sql = format!(
            "UPDATE econoscope.state SET change = change + 1, version = version + 1,
                 series = (SELECT count(*) FROM econoscope.series),
                 last_series = {}, last_description = {} WHERE id = 1",
            last(SERIES.name),
            last(DESCRIPTION.name)
        );
        tx.batch_execute(&sql).await?;
        *sent.lock() = Some(held.change + 1);
        Ok(true)
    })
    .await
}
