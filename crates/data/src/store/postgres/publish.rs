//! A write: tried on the local copy, and what it changed put into the database as one transaction.
//!
//! So both kinds of store do the same by the same code. The copy itself changes when the database has committed.

use super::lines::{put, watermark};
use super::replica::ReplicaFile;
use crate::postgres::{AttemptResult, Failure, Session};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::{Changes, DESCRIPTION, Line, SERIES};
use econoscope_core::error::{Error, Result};
use std::future::Future;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::block_in_place;
use tokio::time::timeout;

/// Lines that go over at once.
const AT_ONCE: usize = 256;
/// Longest wait for one answer: a connection that is open on one side only ends there.
const STALL: Duration = Duration::from_secs(20);

/// What came of the work.
#[derive(Debug, Clone)]
pub(super) struct Done<T> {
    pub(super) answer: T,
    /// Number of the change it made, if it made one.
    pub(super) change: Option<i64>,
}

/// Does work that may change anything, in `term` where one is given. The state stays locked until the end, so that
/// changes come one after the other and each is tried on a copy that has all before it.
pub(super) async fn publish<T>(
    tx: Session,
    copy: &ReplicaFile,
    term: Option<i64>,
    work: impl FnOnce(&Sqlite) -> Result<T>,
) -> AttemptResult<Done<T>> {
    tx.execute(
        "SELECT 1 FROM econoscope.state WHERE id = 1 FOR UPDATE",
        &[],
    )
    .await?;
    let now = watermark(&tx).await?;
    copy.reach(&tx, &now)?;
    let (answer, change) = block_in_place(|| {
        let work = |store: &Sqlite| match store.watermark()?.as_ref() == Some(&now) {
            true => work(store),
            false => Err(Error::of_store(
                "the copy of the database was replaced meanwhile. Nothing was written.",
            )),
        };
        let send = |changes: &Changes<'_>| send(&tx, changes, now.change + 1);
        copy.file.rehearse(work, send)
    })?;
    let change = change?;
    // Last, so that the lease is held on to for a moment only.
    if let Some(term) = term.filter(|_| change.is_some()) {
        in_term(&tx, term).await?;
    }
    Ok(Done { answer, change })
}

/// Writes what changed as this change, if anything did.
fn send(tx: &Session, changes: &Changes<'_>, change: i64) -> AttemptResult<Option<i64>> {
    if changes.is_empty() {
        return Ok(None);
    }
    let mut lines: Vec<Line> = Vec::new();
    changes.each(|table, key, line| {
        lines.extend(line.clone());
        if line.is_none() {
            let sql = format!("DELETE FROM econoscope.{} WHERE id = $1", table.name);
            wait(async { Ok(tx.execute(&sql, &[&key]).await?) })?;
        }
        if line.is_none() && table == &SERIES {
            let sql = "INSERT INTO econoscope.gone VALUES ($1, $2)
                 ON CONFLICT (id) DO UPDATE SET changed = EXCLUDED.changed";
            wait(async { Ok(tx.execute(sql, &[&key, &change]).await?) })?;
        }
        if lines.len() >= AT_ONCE {
            wait(put(tx, &std::mem::take(&mut lines), change))?;
        }
        Ok::<_, Failure>(())
    })?;
    wait(put(tx, &lines, change))?;
    // Programs of before number what is new by the last two.
    let last = |table: &str| format!("(SELECT coalesce(max(id), 0) FROM econoscope.{table})");
    let sql = format!(
        "UPDATE econoscope.state SET change = $1, version = version + $2, series = series + $3,
             last_series = greatest(last_series, {}), last_description = greatest(last_description, {}) WHERE id = 1",
        last(SERIES.name),
        last(DESCRIPTION.name)
    );
    let news = i64::from(changes.is_visible);
    wait(async { Ok(tx.execute(&sql, &[&change, &news, &changes.series]).await?) })?;
    Ok(Some(change))
}

/// Waits for the database in the midst of work on the copy.
fn wait<T>(work: impl Future<Output = AttemptResult<T>>) -> AttemptResult<T> {
    let done = Handle::current().block_on(timeout(STALL, work));
    done.unwrap_or(Err(Failure::Silent))
}

/// Refuses a writer whose term is over. Nobody can begin a new one before this transaction ends.
async fn in_term(tx: &Session, term: i64) -> AttemptResult<()> {
    let sql = "SELECT term, holder FROM econoscope.lease WHERE id = 1 FOR SHARE";
    let row = tx.query_one(sql, &[]).await?;
    let (now, holder): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
    if now == term {
        return Ok(());
    }
    Err(Failure::Refused(Error::of_store(format!(
        "this server may not write any more: its term {term} is over, {holder} writes in term {now}. \
         Nothing was written."
    ))))
}
