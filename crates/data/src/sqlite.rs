//! SQLite files as this program keeps them: whose a file is, how it is opened and laid out, how it is set aside.
//!
//! Store and upstream state both stand on it. Nothing that is not ours is ever written to.

use crate::disk;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// What SQLite keeps beside a file: the log of commits and its index.
pub const SIDES: [&str; 2] = ["-wal", "-shm"];

/// What tells one kind of file from all others, and what stands in a new one.
pub struct Layout {
    /// Four letters in the file's header.
    pub application: i32,
    /// Number of the tables' layout; a file with a higher one is of a newer version of this program.
    pub version: i32,
    /// Makes the tables of a new file.
    pub make: fn(&Connection) -> rusqlite::Result<()>,
}

/// Whose a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// There is no file, or nothing in it.
    Nobody,
    /// One of this layout, or of an older one.
    Ours,
    /// One of a newer version of this program, with the number of its layout.
    Newer(i32),
    /// Another program's, or no database.
    Foreign,
}

impl Layout {
    /// Reads the header without SQLite, so that a foreign file is not even locked.
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
        let number = |at: usize| {
            let bytes = header.get(at..)?.first_chunk()?;
            Some(i32::from_be_bytes(*bytes))
        };
        Ok(match number(68).zip(number(60)) {
            None if header.is_empty() => Owner::Nobody,
            Some(found) if header.starts_with(b"SQLite format 3\0") => self.judge(found),
            Some(_) | None => Owner::Foreign,
        })
    }

    /// Makes the tables of an empty database, once, also when several processes come at the same time; whose it
    /// is then.
    ///
    /// # Errors
    /// As SQLite says.
    pub fn lay_out(&self, db: &mut Connection) -> rusqlite::Result<Owner> {
        // Of one moment: another process may lay it out between the two numbers.
        let reading = db.transaction()?;
        let mut found = identity(&reading)?;
        drop(reading);
        if found == (0, 0) {
            let transaction = db.transaction_with_behavior(TransactionBehavior::Exclusive)?;
            let sql = "SELECT count(*) FROM sqlite_schema";
            if transaction.query_row(sql, [], |row| row.get::<_, i64>(0))? == 0 {
                (self.make)(&transaction)?;
                transaction.pragma_update(None, "application_id", self.application)?;
                transaction.pragma_update(None, "user_version", self.version)?;
            }
            found = identity(&transaction)?;
            transaction.commit()?;
        }
        Ok(self.judge(found))
    }

    fn judge(&self, (application, version): (i32, i32)) -> Owner {
        match application == self.application {
            true if version > self.version => Owner::Newer(version),
            true => Owner::Ours,
            false => Owner::Foreign,
        }
    }
}

fn identity(db: &Connection) -> rusqlite::Result<(i32, i32)> {
    let number = |name| db.pragma_query_value(None, name, |row| row.get(0));
    Ok((number("application_id")?, number("user_version")?))
}

/// A connection to a file, or to a new database in memory, with what each of ours needs. Writes nothing.
///
/// # Errors
/// As SQLite says.
pub fn connect(path: Option<&Path>, more: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let db = match path {
        Some(path) => {
            if more.contains(OpenFlags::SQLITE_OPEN_CREATE) {
                // SQLite would let everybody read it. Why it cannot be made it says itself.
                disk::make_private(path).unwrap_or_default();
            }
            Connection::open_with_flags(path, flags)?
        }
        None => Connection::open_in_memory_with_flags(flags)?,
    };
    db.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")?;
    Ok(db)
}

/// Whether SQLite found the content of the file broken.
pub fn is_damage(cause: &rusqlite::Error) -> bool {
    matches!(
        cause.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

/// Renames a file and what SQLite keeps beside it, so that another may take its place; `mark` goes to the end of
/// its name. Returns the new path.
///
/// # Errors
/// When it cannot be renamed.
pub fn put_aside(path: &Path, mark: &str) -> io::Result<PathBuf> {
    let mut aside = beside(path, mark);
    let mut number = 2;
    while aside.exists() {
        aside = beside(path, &format!("{mark}-{number}"));
        number += 1;
    }
    std::fs::rename(path, &aside)?;
    for side in SIDES.into_iter().chain(["-journal"]) {
        // A log without its file would be replayed into the new one.
        match std::fs::rename(beside(path, side), beside(&aside, side)) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(aside)
}

/// `path` with something added to its name.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
