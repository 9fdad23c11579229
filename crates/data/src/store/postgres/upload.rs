//! A whole store into an empty database, in one transaction.

use super::lines::{mark, put};
use crate::postgres::{Bounds, Database};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::{DESCRIPTION, SERIES};
use econoscope_core::error::Result;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::block_in_place;

/// Takes all that a store in a file holds; `false` when the database holds something already.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the file cannot be read, or the database not be written. Nothing was written then.
pub(super) async fn fill(db: &Database, from: &Sqlite) -> Result<bool> {
    // One attempt: it may take long.
    let db = &db.clone().with_patience(Duration::ZERO);
    db.bounded("copy into", Bounds::WHOLE, |tx| async move {
        // Of several that come at once the others wait here, and then find it filled.
        tx.batch_execute(
            "SET LOCAL lock_timeout = 0; SELECT 1 FROM econoscope.state WHERE id = 1 FOR UPDATE",
        )
        .await?;
        let held = mark(&tx).await?;
        if held.series > 0 {
            return Ok(false);
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
        Ok(true)
    })
    .await
}
