//! Queries on SQLite, error messages that say what to do, and the checksum that every row has.

use crate::sqlite;
use econoscope_core::error::{Error, Result};
use rusqlite::{Connection, ErrorCode, Params, Row};
use std::path::Path;

/// An error of reading a row.
#[derive(Debug, thiserror::Error)]
pub(super) enum RowError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Store(#[from] Error),
}

/// The result of reading a row.
pub(super) type RowResult<T> = std::result::Result<T, RowError>;

/// A query.
pub(super) struct Query<'a> {
    /// What the query reads: the beginning of the error message when that is damaged.
    pub(super) subject: &'a str,
    sql: &'a str,
}

impl<'a> Query<'a> {
    pub(super) const fn new(subject: &'a str, sql: &'a str) -> Self {
        Self { subject, sql }
    }

    /// Passes row by row to `take` until the first error.
    pub(super) fn for_each(
        &self,
        db: &Connection,
        params: impl Params,
        mut take: impl FnMut(&Row<'_>) -> RowResult<()>,
    ) -> Result<()> {
        let fail = |e| read_error(self.subject, e);
        let mut statement = db.prepare_cached(self.sql).map_err(fail)?;
        let mut rows = statement.query(params).map_err(fail)?;
        while let Some(row) = rows.next().map_err(fail)? {
            take(row).map_err(|e| match e {
                RowError::Sqlite(e) => fail(e),
                RowError::Store(e) => e,
            })?;
        }
        Ok(())
    }

    /// Returns every row.
    pub(super) fn all<T>(
        &self,
        db: &Connection,
        params: impl Params,
        read: impl Fn(&Row<'_>) -> RowResult<T>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        self.for_each(db, params, |row| {
            all.push(read(row)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// Returns the first row, if there is one.
    pub(super) fn first<T>(
        &self,
        db: &Connection,
        params: impl Params,
        read: impl Fn(&Row<'_>) -> RowResult<T>,
    ) -> Result<Option<T>> {
        Ok(self.all(db, params, read)?.into_iter().next())
    }

    /// Describes the damage of every damaged row.
    pub(super) fn damages<T>(
        &self,
        db: &Connection,
        mut read: impl FnMut(&Row<'_>) -> RowResult<T>,
    ) -> Vec<String> {
        let mut errors = Vec::new();
        let result = self.for_each(db, [], |row| {
            match read(row) {
                Err(RowError::Store(damage)) => errors.push(damage),
                result => drop(result?),
            }
            Ok(())
        });
        errors.extend(result.err());
        errors.iter().map(Error::operator_message).collect()
    }
}

/// Returns whether there is a table of this name.
pub(super) fn has_table(db: &Connection, name: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM sqlite_schema WHERE name = ?1";
    let row = Query::new("The list of tables", sql).first(db, [name], |_| Ok(()))?;
    Ok(row.is_some())
}

/// Runs a statement that writes.
pub(super) fn execute(db: &Connection, sql: &str, params: impl Params) -> Result<()> {
    db.prepare_cached(sql)
        .and_then(|mut statement| statement.execute(params))
        .map(drop)
        .map_err(write_error)
}

/// Returns the CRC-32 of a row. It includes lengths, so that a letter cannot move from one text to the next, and a
/// missing text differs from an empty one.
pub(super) fn checksum(texts: &[Option<&str>], numbers: &[i64]) -> i64 {
    let mut crc = crc32fast::Hasher::new();
    for text in texts {
        let length = text.map_or(u64::MAX, |text| text.len() as u64);
        crc.update(&length.to_le_bytes());
        crc.update(text.unwrap_or_default().as_bytes());
    }
    for number in numbers {
        crc.update(&number.to_le_bytes());
    }
    crc.finalize().into()
}

/// Advice on damage, the end of every such message.
pub(super) const REPAIR_ADVICE: &str =
    "Run `econoscope doctor`, restore a backup, or move the file away and sync again.";

/// Builds the error of a failed call on an open store.
pub(super) fn operation_error(action: &str, cause: rusqlite::Error) -> Error {
    Error::store(format!("cannot {action}: {}", explain(&cause)), cause)
}

/// Builds the error of a failed write.
pub(super) fn write_error(cause: rusqlite::Error) -> Error {
    operation_error("write", cause)
}

/// Builds the error for a store that cannot be opened.
pub(super) fn open_error(path: &Path, cause: rusqlite::Error) -> Error {
    operation_error(&format!("open {}", crate::disk::format_path(path)), cause)
}

/// Builds the error for content that fails its checksum or cannot have been written.
pub(super) fn damage_error(subject: &str, detail: &str) -> Error {
    Error::store_without_cause(format!("{subject} is damaged ({detail}). {REPAIR_ADVICE}"))
}

/// Builds the error for a failed query.
fn read_error(subject: &str, cause: rusqlite::Error) -> Error {
    if is_damage(&cause) {
        Error::store(format!("{subject} is damaged. {REPAIR_ADVICE}"), cause)
    } else {
        operation_error(&format!("read {subject}"), cause)
    }
}

/// Returns whether an error comes from the content of the file and not from its environment.
fn is_damage(cause: &rusqlite::Error) -> bool {
    match cause.sqlite_error_code() {
        Some(code) => sqlite::is_damage(cause) || code == ErrorCode::TypeMismatch,
        // Not from SQLite: a column of another type than was written, or text that is not UTF-8.
        None => true,
    }
}

fn explain(cause: &rusqlite::Error) -> String {
    let Some(code) = cause.sqlite_error_code() else {
        return format!("the file is damaged. {REPAIR_ADVICE}");
    };
    let message = if is_damage(cause) {
        return format!("the file is damaged or is no database. {REPAIR_ADVICE}");
    } else if code == ErrorCode::DiskFull {
        "the disk is full. Nothing was written; free some space and try again."
    } else if matches!(code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) {
        "another process has been writing to it for more than 10 seconds. Nothing was written; try again later."
    } else if matches!(
        code,
        ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied
    ) {
        "file and folder must be writable for this user. Change their rights or choose another path."
    } else if code == ErrorCode::SystemIoFailure {
        "the disk reported an error. Check the disk; nothing was written."
    } else {
        "the database refused. Nothing was written; see the log for its reason."
    };
    message.to_owned()
}
