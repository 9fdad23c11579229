//! The tables of the database, in numbered migrations.

use crate::postgres::{AttemptResult, Database, Session};
use econoscope_core::error::{Error, Result};

/// The migrations, each to the next layout number.
const MIGRATIONS: [&str; 1] = [include_str!("1.sql")];
const NEWEST: i64 = MIGRATIONS.len() as i64;
const LAYOUT_TABLE: &str = "CREATE SCHEMA IF NOT EXISTS econoscope;
    CREATE TABLE IF NOT EXISTS econoscope.layout (id int8 PRIMARY KEY CHECK (id = 1), version int8 NOT NULL);
    INSERT INTO econoscope.layout VALUES (1, 0) ON CONFLICT DO NOTHING";

/// Migrates the tables to this program's layout. Returns the old and the new layout number. Several processes may do so at
/// once.
///
/// # Errors
/// [`Error::Store`] when the layout is newer than this program, a right is missing, or the database cannot be reached.
pub(super) async fn migrate(db: &Database) -> Result<(i64, i64)> {
    db.transaction("lay out the tables of", |tx| async move {
        if read_version(&tx, "").await?.is_none() {
            tx.batch_execute(LAYOUT_TABLE).await?;
        }
        // A second process waits here until the first one has finished.
        let version = read_version(&tx, "FOR UPDATE").await?.unwrap_or_default();
        let done = check_not_newer(version)?;
        for migration in MIGRATIONS.iter().skip(done) {
            tx.batch_execute(migration).await?;
        }
        let sql = "UPDATE econoscope.layout SET version = $1 WHERE id = 1";
        tx.execute(sql, &[&NEWEST]).await?;
        Ok((version, NEWEST))
    })
    .await
}

/// Checks that the database has this program's layout.
///
/// # Errors
/// [`Error::Store`] with advice.
pub(super) async fn check(db: &Database) -> Result<()> {
    let read = db.transaction("read", |tx| async move { read_version(&tx, "").await });
    let version = read.await?.unwrap_or_default();
    check_not_newer(version)?;
    if version < NEWEST {
        return Err(Error::store_without_cause(format!(
            "the tables of {} have layout {version}, this version of econoscope needs {NEWEST}. \
             Run `econoscope migrate --store ADDRESS`, or start once with --migrate.",
            db.address
        )));
    }
    Ok(())
}

/// Returns the number of migrations that are done.
fn check_not_newer(version: i64) -> Result<usize> {
    if version > NEWEST {
        return Err(Error::store_without_cause(format!(
            "the database was laid out by a newer version of econoscope (layout {version}, this version knows {NEWEST}). \
             Update econoscope. Nothing was touched."
        )));
    }
    Ok(usize::try_from(version).unwrap_or_default())
}

/// Reads the layout number; `None` before the first migration.
async fn read_version(tx: &Session, lock: &str) -> AttemptResult<Option<i64>> {
    let sql = "SELECT 1 FROM information_schema.tables WHERE table_schema = 'econoscope' AND table_name = 'layout'";
    if tx.query_opt(sql, &[]).await?.is_none() {
        return Ok(None);
    }
    let sql = format!("SELECT version FROM econoscope.layout WHERE id = 1 {lock}");
    Ok(tx.query_opt_scalar(&sql, &[]).await?)
}
