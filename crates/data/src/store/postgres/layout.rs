//! The tables of the database: numbered steps from one layout to the next.

use crate::postgres::{AttemptResult, Database, Session};
use econoscope_core::error::{Error, Result};

/// Each step once, in this order.
const STEPS: [&str; 1] = [include_str!("1.sql")];
const BEGINNING: &str = "CREATE SCHEMA IF NOT EXISTS econoscope;
    CREATE TABLE IF NOT EXISTS econoscope.layout (id int8 PRIMARY KEY CHECK (id = 1), version int8 NOT NULL);
    INSERT INTO econoscope.layout VALUES (1, 0) ON CONFLICT DO NOTHING";

/// Brings the tables up to this program's layout; from which one to which. As many as like may do so at once.
///
/// # Errors
/// [`Error::Store`] when the layout is newer than this program, a right is missing, or the database is gone.
pub(super) async fn migrate(db: &Database) -> Result<(i64, i64)> {
    db.transaction("lay out the tables of", |tx| async move {
        if held(&tx, "").await?.is_none() {
            tx.batch_execute(BEGINNING).await?;
        }
        // Whoever comes at the same time waits here, and then finds it done.
        let from = held(&tx, "FOR UPDATE").await?.unwrap_or_default();
        let done = must_be_known(from)?;
        for step in STEPS.iter().skip(done) {
            tx.batch_execute(step).await?;
        }
        let to = newest();
        let sql = "UPDATE econoscope.layout SET version = $1 WHERE id = 1";
        tx.execute(sql, &[&to]).await?;
        Ok((from, to))
    })
    .await
}

/// Refuses a database whose tables this program does not know.
///
/// # Errors
/// [`Error::Store`] that says what to do.
pub(super) async fn check(db: &Database) -> Result<()> {
    let held = db.transaction("read", |tx| async move { held(&tx, "").await });
    let held = held.await?.unwrap_or_default();
    must_be_known(held)?;
    if held < newest() {
        return Err(Error::of_store(format!(
            "the tables of {} have layout {held}, this version of econoscope needs {}. \
             Run `econoscope migrate --store ADDRESS`, or start once with --migrate.",
            db.address(),
            newest()
        )));
    }
    Ok(())
}

fn newest() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

fn must_be_known(held: i64) -> Result<usize> {
    if held > newest() {
        return Err(Error::of_store(format!(
            "the database was laid out by a newer version of econoscope (layout {held}, this version knows {}). \
             Update econoscope. Nothing was touched.",
            newest()
        )));
    }
    Ok(usize::try_from(held).unwrap_or_default())
}

/// The number of the layout; `None` where there is none of ours.
async fn held(tx: &Session, lock: &str) -> AttemptResult<Option<i64>> {
    let sql = "SELECT 1 FROM information_schema.tables WHERE table_schema = 'econoscope' AND table_name = 'layout'";
    if tx.query_opt(sql, &[]).await?.is_none() {
        return Ok(None);
    }
    let sql = format!("SELECT version FROM econoscope.layout WHERE id = 1 {lock}");
    Ok(tx.query_opt(&sql, &[]).await?.map(|row| row.get(0)))
}
