//! Questions put to SQLite; what it reports, said in words a reader can act on, with the original as the cause; and the
//! checksum that every line carries.

use crate::sqlite;
use econoscope_core::error::{Error, Result};
use rusqlite::{Connection, ErrorCode, Params, Row};
use std::path::Path;

/// A question, and what it asks for: the beginning of the message when that is damaged.
pub(super) struct Query<'a> {
    pub(super) what: &'a str,
    pub(super) sql: &'a str,
}

impl<'a> Query<'a> {
    pub(super) const fn new(what: &'a str, sql: &'a str) -> Self {
        Self { what, sql }
    }

    /// Takes row by row; the first error ends it. The outer result is that of reading the columns.
    pub(super) fn each(
        &self,
        db: &Connection,
        given: impl Params,
        mut take: impl FnMut(&Row<'_>) -> rusqlite::Result<Result<()>>,
    ) -> Result<()> {
        let failed = |e| unreadable(self.what, e);
        let mut statement = db.prepare_cached(self.sql).map_err(failed)?;
        let mut rows = statement.query(given).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            take(row).map_err(failed)??;
        }
        Ok(())
    }

    /// Every row.
    pub(super) fn all<T>(
        &self,
        db: &Connection,
        given: impl Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<Result<T>>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        self.each(db, given, |row| Ok(read(row)?.map(|found| all.push(found))))?;
        Ok(all)
    }

    /// The first row, if there is one.
    pub(super) fn first<T>(
        &self,
        db: &Connection,
        given: impl Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<Result<T>>,
    ) -> Result<Option<T>> {
        Ok(self.all(db, given, read)?.into_iter().next())
    }

    /// What is wrong with any row, in words.
    pub(super) fn damages<T>(
        &self,
        db: &Connection,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<Result<T>>,
    ) -> Vec<String> {
        let mut found = Vec::new();
        let all = self.each(db, [], |row| {
            found.extend(read(row)?.err());
            Ok(Ok(()))
        });
        found.extend(all.err());
        found.iter().map(Error::for_operator).collect()
    }
}

/// Whether there is a table of this name.
pub(super) fn has_table(db: &Connection, name: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM sqlite_schema WHERE name = ?1";
    let found = Query::new("The list of tables", sql).first(db, [name], |_| Ok(Ok(())))?;
    Ok(found.is_some())
}

/// Runs a statement that changes something.
pub(super) fn execute(db: &Connection, sql: &str, given: impl Params) -> Result<()> {
    db.prepare_cached(sql)
        .and_then(|mut statement| statement.execute(given))
        .map(|_| ())
        .map_err(|e| failed("write", e))
}

/// CRC-32 of a line. Lengths go in too, so that a letter cannot move from one text to the next; an absent text is no
/// empty one.
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

/// What to do about damage; the end of every such message.
pub(super) const WAY_OUT: &str =
    "Run `econoscope doctor`, restore a backup, or move the file away and sync again.";

/// A call on an open store that did not work.
pub(super) fn failed(action: &str, cause: rusqlite::Error) -> Error {
    Error::store(format!("cannot {action}: {}", explain(&cause)), cause)
}

/// A store that cannot be opened.
pub(super) fn cannot_open(path: &Path, cause: rusqlite::Error) -> Error {
    let what = format!(
        "cannot open {}: {}",
        crate::disk::shown(path),
        explain(&cause)
    );
    Error::store(what, cause)
}

/// Content that does not match its checksum, or cannot be what was written.
pub(super) fn damaged(what: &str, detail: &str) -> Error {
    Error::of_store(format!("{what} is damaged ({detail}). {WAY_OUT}"))
}

/// A failure while the lines of `what` were read: damage, unless SQLite says otherwise.
fn unreadable(what: &str, cause: rusqlite::Error) -> Error {
    if is_damage(&cause) {
        Error::store(format!("{what} is damaged. {WAY_OUT}"), cause)
    } else {
        failed(&format!("read {what}"), cause)
    }
}

/// Whether the file's content is to blame and not its surroundings.
fn is_damage(cause: &rusqlite::Error) -> bool {
    match cause.sqlite_error_code() {
        Some(code) => sqlite::is_damage(cause) || code == ErrorCode::TypeMismatch,
        // No code of SQLite's: a column held another type than was written, or text that is not UTF-8.
        None => true,
    }
}

fn explain(cause: &rusqlite::Error) -> String {
    let Some(code) = cause.sqlite_error_code() else {
        return format!("the file is damaged. {WAY_OUT}");
    };
    let words = if is_damage(cause) {
        return format!("the file is damaged or is no database. {WAY_OUT}");
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
    words.to_owned()
}
