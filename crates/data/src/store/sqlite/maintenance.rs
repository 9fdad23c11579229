//! Maintenance of the file: integrity check, verified backup, moving a damaged file aside.

use super::connect;
use super::handle::{Sqlite, snapshot};
use super::query::{Query, operation_error};
use super::series_row::SeriesRow;
use super::{descriptions, series, state, texts};
use crate::disk::{self, format_path};
use crate::sqlite::{self, with_suffix};
use econoscope_core::error::{Error, Result};
use econoscope_core::model::SeriesId;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

impl Sqlite {
    /// Reads and verifies everything. Returns descriptions of the damage, none for an intact store.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read at all.
    pub fn check_integrity(&self) -> Result<Vec<String>> {
        self.with_reader(|db| snapshot(db, |db| Ok(damages(db))))
    }

    /// Returns whether an error of [`Self::open`] comes from the content of the file, not from its environment, rights
    /// or version. Such a file can be quarantined.
    pub fn is_damage(error: &Error) -> bool {
        let message = error.operator_message();
        message.contains(super::query::REPAIR_ADVICE) || message.contains(connect::NOT_OURS)
    }

    /// Moves an unusable store aside with its side files: `NAME.corrupt-20261121T150405Z`. No process may have it open.
    /// Returns the new path.
    ///
    /// # Errors
    /// [`Error::Store`] when the file cannot be renamed.
    pub fn quarantine(path: &Path) -> Result<PathBuf> {
        sqlite::move_aside(path)
            .map_err(|e| Error::store(format!("cannot move {} aside.", format_path(path)), e))
    }

    /// Copies the store into a new file, which is verified before it gets its name. Others may read and write meanwhile.
    /// An existing file is never replaced.
    ///
    /// # Errors
    /// [`Error::Store`] when there is a file already, the copy cannot be written, or the store is damaged.
    pub fn backup(&self, to: &Path) -> Result<()> {
        let message = |problem: &str| format!("cannot back up to {}: {problem}", format_path(to));
        if to.exists() {
            let problem = "there is a file already. Choose another name.";
            return Err(Error::store_without_cause(message(problem)));
        }
        let (partial, _) = disk::create_partial(to)
            .map_err(|e| Error::store(message("no file can be made there."), e))?;
        let copied = self
            .with_new_reader(|db| copy(db, &partial))
            .and_then(|()| {
                // A hard link fails where a file is; a rename would replace it.
                std::fs::hard_link(&partial, to)
                    .map_err(|e| Error::store(message("it cannot be named."), e))
            });
        for left in [partial.clone(), with_suffix(&partial, "-journal")] {
            match std::fs::remove_file(&left) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                    tracing::warn!(file = format_path(&left), error = %e, "a partial backup is left");
                }
                Ok(()) | Err(_) => {}
            }
        }
        copied
    }
}

/// Writes a verified copy to disk.
fn copy(db: &Connection, to: &Path) -> Result<()> {
    let fail = |e| operation_error("back up", e);
    let name = to.to_str().ok_or_else(|| {
        Error::store_without_cause("cannot back up to a name that is no Unicode.")
    })?;
    // VACUUM INTO writes one file from one snapshot. SQLite counts it as a write.
    db.execute_batch("PRAGMA query_only = OFF").map_err(fail)?;
    db.execute("VACUUM INTO ?1", [name]).map_err(fail)?;
    let target = Connection::open(to).map_err(fail)?;
    if let Some(damage) = damages(&target).into_iter().next() {
        return Err(Error::store_without_cause(format!(
            "cannot back up: {damage}"
        )));
    }
    target.close().map_err(|(_, e)| fail(e))?;
    std::fs::File::open(to)
        .and_then(|f| f.sync_all())
        .map_err(|e| Error::store("cannot back up: the copy does not reach the disk.", e))
}

/// Checks that one of three series can be read: one in the middle, the first, or the last.
pub(super) fn probe(db: &Connection) -> Result<()> {
    if state::read(db)?.series == 0 {
        return Ok(());
    }
    let read = |sql| {
        let query = Query::new("The list of series", sql);
        let name = query.first(db, [], |row| Ok(row.get::<_, String>(0)?))?;
        name.map(|name| series::read(db, &SeriesId::new(&name)?))
            .transpose()
    };
    read("SELECT name FROM series WHERE id >= (SELECT max(id) / 2 FROM series) ORDER BY id LIMIT 1")
        .or_else(|_| read("SELECT name FROM series ORDER BY id LIMIT 1"))
        .or_else(|_| read("SELECT name FROM series ORDER BY id DESC LIMIT 1"))
        .map(drop)
}

fn damages(db: &Connection) -> Vec<String> {
    // Pages, indices and types.
    let check = Query::new("The file", "PRAGMA integrity_check(100)");
    let mut damages = check
        .all(db, [], |row| Ok(row.get(0)?))
        .unwrap_or_else(|e| vec![e.operator_message()]);
    damages.retain(|line| line != "ok");
    damages.extend(series_damages(db));
    damages.extend(texts::damages(db));
    damages.extend(descriptions::damages(db));
    damages
}

/// Reads and verifies every series, and compares their number with the counts.
fn series_damages(db: &Connection) -> Vec<String> {
    let mut series = 0;
    let mut row_groups = 0;
    let mut damages = series::LIST.damages(db, |row| {
        series += 1;
        let row = SeriesRow::from_row(row)?;
        row_groups += row.segments;
        let missing = || format!("{} is listed but cannot be found.", row.name);
        series::read(db, &SeriesId::new(&row.name)?)?
            .ok_or_else(|| Error::store_without_cause(missing()).into())
    });
    let mismatch = count_mismatch(db, series, row_groups);
    damages.extend(mismatch.unwrap_or_else(|e| Some(e.operator_message())));
    damages
}

/// Describes a difference between the numbers that were read and those that the file records.
fn count_mismatch(db: &Connection, series: i64, row_groups: i64) -> Result<Option<String>> {
    let count = Query::new("The row groups", "SELECT count(*) FROM segment");
    let stored: i64 = count
        .first(db, [], |row| Ok(row.get(0)?))?
        .unwrap_or_default();
    let recorded = state::read(db)?.series;
    let row_groups_differ = (stored != row_groups)
        .then(|| format!("{stored} row groups are stored, but the series name {row_groups}."));
    let series_differ = (recorded != series)
        .then(|| format!("{series} series are stored, but there were {recorded}."));
    Ok(row_groups_differ.or(series_differ))
}
