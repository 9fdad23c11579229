//! A whole store into an empty database, in one transaction.

use super::lines::{mark, put};
use crate::error::{Error, Result};
use crate::postgres::{Bounds, Database};
use crate::store::sqlite::lines::{DESCRIPTION, Piece, SERIES};
use tokio::sync::Mutex;
use tokio::sync::mpsc::Receiver;

/// Takes what comes; `false` when the database holds something already.
///
/// # Errors
/// [`crate::Error::Store`] when what comes breaks off, or it cannot be written. Nothing was written then.
pub(super) async fn fill(db: &Database, from: Receiver<Piece>) -> Result<bool> {
    // What has come does not come again: one attempt.
    let db = db.clone().with_patience(std::time::Duration::ZERO);
    let from = &Mutex::new(from);
    db.bounded("copy into", Bounds::WHOLE, |tx| async move {
        let mut from = from.lock().await;
        // Of several that come at once the others wait here, and then find it filled.
        tx.batch_execute(
            "SET LOCAL lock_timeout = 0; SELECT 1 FROM econoscope.state WHERE id = 1 FOR UPDATE",
        )
        .await?;
        let held = mark(&tx).await?;
        if held.series > 0 {
            return Ok(false);
        }
        let change = held.change + 1;
        while let Some(piece) = from.recv().await {
            match piece {
                Piece::Lines(lines) => put(&tx, &lines, change).await?,
                Piece::End(_) => {
                    let last = |table: &str| {
                        format!("(SELECT coalesce(max(id), 0) FROM econoscope.{table})")
                    };
                    let sql = format!(
                        "UPDATE econoscope.state SET change = change + 1, version = version + 1,
                             series = (SELECT count(*) FROM econoscope.series),
                             last_series = {}, last_description = {} WHERE id = 1",
                        last(SERIES.name),
                        last(DESCRIPTION.name)
                    );
                    tx.batch_execute(&sql).await?;
                    return Ok(true);
                }
                Piece::Onto(_) | Piece::Gone(_) => {}
            }
        }
        Err(Error::of_store("the copy broke off. Nothing of it was kept.").into())
    })
    .await
}
