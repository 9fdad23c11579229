//! SQLite files: their owner, opening, layout, and moving them aside.
//!
//! The store and the upstream state both build on this. Files of other programs are never written to.

use crate::disk;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Suffixes of the files that SQLite keeps beside a database: the write-ahead log and its index.
pub const SIDE_SUFFIXES: [&str; 2] = ["-wal", "-shm"];

/// The path of a database in memory.
pub const IN_MEMORY: &str = ":memory:";

/// The layout of a kind of file.
pub struct Layout {
    /// `application_id` in the file's header: four letters.
    pub application_id: i32,
    /// `user_version` in the header; a newer version of this program writes a higher one.
    pub version: i32,
    /// Statements that create the tables of a new file.
    pub tables: &'static str,
}

/// The owner of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// There is no file, or it is empty.
    Nobody,
    /// This layout or an older one.
    Ours,
    /// A newer version of this program, with its layout number.
    Newer(i32),
    /// Another program, or it is no database.
    Foreign,
}

impl Layout {
    /// Returns the owner of a file by its header. SQLite is not involved, so that a foreign file is not even locked.
    ///
    /// # Errors
    /// As [`disk::open`], unless there is no file.
    pub fn owner(&self, path: &Path) -> io::Result<Owner> {
        let mut header = Vec::new();
        match disk::open(path) {
            Ok(file) => file.take(100).read_to_end(&mut header)?,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Owner::Nobody),
            Err(e) => return Err(e),
        };
        let number = |offset: usize| {
            let bytes = header.get(offset..)?.first_chunk()?;
            Some(i32::from_be_bytes(*bytes))
        };
        Ok(match number(68).zip(number(60)) {
            None if header.is_empty() => Owner::Nobody,
            Some((application_id, version)) if header.starts_with(b"SQLite format 3\0") => {
                self.owner_of(application_id, version)
            }
            Some(_) | None => Owner::Foreign,
        })
    }

    /// Creates the tables of an empty database and returns the owner. Several processes may do so at the same time.
    ///
    /// # Errors
    /// The error of SQLite.
    pub fn initialize(&self, db: &mut Connection) -> rusqlite::Result<Owner> {
        // Both numbers in one transaction: another process may write them in between.
        let reading = db.transaction()?;
        let (mut application_id, mut version) = read_ids(&reading)?;
        drop(reading);
        if application_id == 0 && version == 0 {
            let transaction = db.transaction_with_behavior(TransactionBehavior::Exclusive)?;
            let sql = "SELECT count(*) FROM sqlite_schema";
            if transaction.query_row(sql, [], |row| row.get::<_, i64>(0))? == 0 {
                transaction.execute_batch(self.tables)?;
                transaction.pragma_update(None, "application_id", self.application_id)?;
                transaction.pragma_update(None, "user_version", self.version)?;
            }
            (application_id, version) = read_ids(&transaction)?;
            transaction.commit()?;
        }
        Ok(self.owner_of(application_id, version))
    }

    fn owner_of(&self, application_id: i32, version: i32) -> Owner {
        if application_id != self.application_id {
            Owner::Foreign
        } else if version > self.version {
            Owner::Newer(version)
        } else {
            Owner::Ours
        }
    }
}

/// Returns `application_id` and `user_version`.
fn read_ids(db: &Connection) -> rusqlite::Result<(i32, i32)> {
    let number = |name| db.pragma_query_value(None, name, |row| row.get(0));
    Ok((number("application_id")?, number("user_version")?))
}

/// Returns whether a database has no view and no trigger.
///
/// # Errors
/// The error of SQLite.
pub fn has_tables_only(db: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')";
    Ok(db.query_row(sql, [], |row| row.get::<_, i64>(0))? == 0)
}

/// Opens a connection to a file, or to a new database in memory ([`IN_MEMORY`]), with this program's settings. Writes
/// nothing.
///
/// # Errors
/// The error of SQLite.
pub fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")?;
    Ok(db)
}

/// Returns whether an error reports damaged content.
pub fn is_damage(cause: &rusqlite::Error) -> bool {
    matches!(
        cause.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

/// Renames a damaged database and the files beside it, which makes room for a new one: `NAME.corrupt-20261121T150405Z`.
/// Returns the new path.
///
/// # Errors
/// When a file cannot be renamed.
pub fn move_aside(path: &Path) -> io::Result<PathBuf> {
    let time = econoscope_core::clock::wall_time().strftime(".corrupt-%Y%m%dT%H%M%SZ");
    let mark = time.to_string();
    let mut aside = with_suffix(path, &mark);
    let mut number = 2;
    while aside.exists() {
        aside = with_suffix(path, &format!("{mark}-{number}"));
        number += 1;
    }
    std::fs::rename(path, &aside)?;
    for side in SIDE_SUFFIXES.into_iter().chain(["-journal"]) {
        // SQLite would replay a log that stays behind into the new file.
        match std::fs::rename(with_suffix(path, side), with_suffix(&aside, side)) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(aside)
}

/// Returns `path` with `suffix` added to its name.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
