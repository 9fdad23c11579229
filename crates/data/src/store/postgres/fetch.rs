//! What is new in the database, on its way into a file.

use super::lines::{line, mark, select, state};
use crate::postgres::{AttemptResult, Bounds, Database, Failure, Session};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::{Mark, Receiving, SEGMENT, TABLES};
use econoscope_core::error::Result;
use futures_util::{TryStreamExt, pin_mut};
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
    held: Option<Mark>,
    told: impl Fn(Progress) + Send + Sync,
) -> Result<Option<Mark>> {
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
        brought.map_or_else(|| file.mark(), |mark| Ok(Some(mark)))
    })
}

/// Hands over what is new since a state, or all; `None` when the file holds another one.
async fn all(
    tx: Session,
    from: Option<Mark>,
    into: &Receiving<'_>,
    told: &impl Fn(Progress),
) -> AttemptResult<Option<Mark>> {
    // The session is idle while the file is cleared or takes lines, and holds no lock that anybody waits for.
    let patient =
        "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = '60s'";
    tx.batch_execute(patient).await?;
    let mark = mark(&tx).await?;
    let is_same = |from: &Mark| from.incarnation == mark.incarnation && from.change <= mark.change;
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
    into.end(&mark, from.is_none())?;
    Ok(Some(mark))
}
