//! What is new in the database, on its way into a file.

use super::lines::{line, mark, select};
use crate::error::{Error, Result};
use crate::postgres::{Bounds, Database, Failure, Session, Tried};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::{Mark, PIECE, Piece, SEGMENT, TABLES, Table};
use futures_util::{TryStreamExt, pin_mut};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{self, Sender};

/// Where a writer says that there is news.
pub(in crate::store) const CHANNEL: &str = "econoscope";
/// Longest pause between two lines: a connection that is open on one side only ends there.
const STALL: Duration = Duration::from_secs(20);

/// How far a copy is: row groups that came, of how many.
pub(in crate::store) type Progress = (u64, u64);

/// Brings a file up to date; up to where, or `None` when another process was there first.
pub(in crate::store) async fn bring(
    db: &Database,
    file: &Arc<Sqlite>,
    from: Option<Mark>,
    told: impl Fn(Progress) + Send + Sync,
) -> Result<Option<Mark>> {
    // What has gone over does not come again: one attempt.
    let db = db.clone().with_patience(Duration::ZERO);
    let (send, receive) = mpsc::channel(4);
    let file = Arc::clone(file);
    let taken = tokio::task::spawn_blocking(move || file.receive(receive));
    let sent = db.bounded("read", Bounds::LONG, |tx| {
        all(tx, from.clone(), &send, &told)
    });
    let sent = sent.await;
    drop(send);
    let taken = taken
        .await
        .map_err(|e| Error::internal("the copy ended", e))?;
    match (sent, taken) {
        (Ok(mark), Ok(true)) => Ok(Some(mark)),
        (Ok(_), Ok(false)) => Ok(None),
        // A file that cannot be written breaks the sending off, too.
        (Err(Error::Internal { .. }) | Ok(_), Err(error)) | (Err(error), _) => Err(error),
    }
}

async fn all(
    tx: Session,
    from: Option<Mark>,
    to: &Sender<Piece>,
    told: &(impl Fn(Progress) + Sync),
) -> Tried<Mark> {
    tx.batch_execute("SET LOCAL statement_timeout = 0").await?;
    let mark = mark(&tx).await?;
    let is_same = |from: &Mark| from.incarnation == mark.incarnation && from.change <= mark.change;
    let from = from.filter(is_same);
    let since = from.as_ref().map_or(-1, |from| from.change);
    give(to, Piece::Onto(from)).await?;
    if since >= 0 {
        let sql = "SELECT id FROM econoscope.gone WHERE changed > $1";
        let rows = tx.query(sql, &[&since]).await?;
        let ids = rows.iter().map(|row| row.try_get(0));
        let ids = ids.collect::<std::result::Result<_, _>>()?;
        give(to, Piece::Gone(ids)).await?;
    }
    let mut groups = 0;
    if since < 0 {
        let sql = "SELECT coalesce(sum(segments), 0)::int8 FROM econoscope.series";
        let row = tx.query_one(sql, &[]).await?;
        groups = row.try_get::<_, i64>(0)?.unsigned_abs();
    }
    for table in TABLES {
        let counted = |came| {
            if table == &SEGMENT {
                told((came, groups));
            }
        };
        lines(&tx, table, since, to, counted).await?;
    }
    give(to, Piece::End(mark.clone())).await?;
    Ok(mark)
}

async fn lines(
    tx: &Session,
    table: &'static Table,
    since: i64,
    to: &Sender<Piece>,
    told: impl Fn(u64),
) -> Tried<()> {
    let statement = tx
        .prepare_cached(&select(table, "WHERE changed > $1"))
        .await?;
    let rows = tx.query_raw(&statement, [since]).await?;
    pin_mut!(rows);
    let (mut lines, mut held, mut came) = (Vec::new(), 0, 0);
    loop {
        let next = tokio::time::timeout(STALL, rows.try_next()).await;
        let next = next.map_err(|_| Failure::Silent)??;
        if let Some(row) = &next {
            let line = line(row, table)?;
            held += line.weight();
            lines.push(line);
            came += 1;
        }
        if held >= PIECE || (next.is_none() && !lines.is_empty()) {
            let lines = std::mem::take(&mut lines);
            give(to, Piece::Lines(lines)).await?;
            held = 0;
            told(came);
        }
        if next.is_none() {
            return Ok(());
        }
    }
}

async fn give(to: &Sender<Piece>, piece: Piece) -> Tried<()> {
    let given = to.send(piece).await;
    // Nobody takes it any more: that side says why.
    given.map_err(|_| Error::internal("a copy", "nobody takes it").into())
}
