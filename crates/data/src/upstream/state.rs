//! The file that outlives the process: what was paid for and what came back.
//!
//! One SQLite file, shared by ledger and cache; every commit reaches the disk before it returns. A file that is
//! damaged is put aside, never deleted, and one that is not ours is not touched. Where it cannot be used for now (the
//! disk is full, or read-only), it is read as it lies there and no call is paid for: an allowance that is not written
//! down would be spent twice after a restart.

use crate::disk;
use crate::sqlite::{self, Layout, Owner};
use econoscope_core::clock::wall;
use econoscope_core::error::{Cause, Error, Result};
use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LAYOUT: Layout = Layout {
    // `eUPS`
    application: 0x6555_5053,
    version: 1,
    make: |db| db.execute_batch(TABLES),
};

const TABLES: &str = "
CREATE TABLE calls (origin TEXT NOT NULL, at INTEGER NOT NULL, pool INTEGER NOT NULL);
CREATE INDEX calls_by_time ON calls (origin, at);
CREATE INDEX calls_by_pool ON calls (origin, pool, at);
CREATE TABLE anchor (
    origin TEXT PRIMARY KEY, at INTEGER NOT NULL, held_until INTEGER NOT NULL,
    wall INTEGER NOT NULL, uptime INTEGER NOT NULL, boot INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE answers (
    origin TEXT NOT NULL, key TEXT NOT NULL, found INTEGER NOT NULL, body BLOB NOT NULL, sum INTEGER NOT NULL,
    wall INTEGER NOT NULL, uptime INTEGER NOT NULL, boot INTEGER NOT NULL,
    lifetime INTEGER NOT NULL, born INTEGER NOT NULL, strict INTEGER NOT NULL, etag TEXT, modified TEXT,
    PRIMARY KEY (origin, key)
);
CREATE INDEX answers_by_age ON answers (wall);
";

/// The opened file, or what stands in for it in memory.
#[derive(Debug)]
pub(super) struct StateFile {
    /// `None` = in memory.
    path: Option<PathBuf>,
    open: Mutex<Open>,
    /// The file was damaged and put aside: what it had counted is unknown.
    pub(super) was_lost: bool,
}

#[derive(Debug)]
struct Open {
    db: Connection,
    is_writable: bool,
}

impl StateFile {
    /// Opens or makes the file; `None` keeps everything in memory.
    ///
    /// # Errors
    /// [`Error::Store`] when the file cannot be opened, is not ours or is of a newer version.
    pub(super) fn open(path: Option<&Path>) -> Result<Self> {
        let refused = |cause: Cause| {
            let path = path.map_or("in memory".to_owned(), disk::shown);
            let what = format!(
                "cannot open the upstream state {path}; name another file or remove this one"
            );
            Error::store(what, cause)
        };
        let fault = |cause: &Cause| fault(cause, path);
        let mut was_lost = false;
        let (db, is_writable) = match connect(path) {
            Err(cause) if fault(&cause) == Fault::Damaged => {
                let aside = path.map(put_aside).transpose()?;
                tracing::warn!(%cause, aside, "the upstream state file is damaged and was put aside");
                was_lost = true;
                (connect(path).map_err(refused)?, true)
            }
            Err(cause) if fault(&cause) == Fault::Passing => {
                tracing::warn!(
                    %cause,
                    file = path.map(disk::shown),
                    "the upstream state file cannot be used: answers come from what is held, and nothing is forwarded until it can"
                );
                (untouched(path).map_err(refused)?, false)
            }
            opened => (opened.map_err(refused)?, true),
        };
        Ok(Self {
            path: path.map(Path::to_owned),
            open: Mutex::new(Open { db, is_writable }),
            was_lost,
        })
    }

    /// Reads what is there.
    ///
    /// # Errors
    /// Those of SQLite.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        work(&self.open.lock().db)
    }

    /// Writes; a file that could not be used is tried again first.
    ///
    /// # Errors
    /// Those of SQLite, and why the file still cannot be used.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> std::result::Result<T, Cause> {
        let mut open = self.open.lock();
        if !open.is_writable {
            open.db = connect(self.path.as_deref())?;
            open.is_writable = true;
            tracing::warn!("the upstream state file can be used again");
        }
        Ok(work(&mut open.db)?)
    }

    /// Whether payments can be written now.
    pub(super) fn is_writable(&self) -> bool {
        self.open.lock().is_writable
    }
}

/// Why a file could not be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Its content is broken; another file may take its place.
    Damaged,
    /// Not the file is to blame but what is around it, and that may pass.
    Passing,
    /// Anything else; the file stays as it is.
    Other,
}

fn fault(cause: &Cause, path: Option<&Path>) -> Fault {
    use ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, ReadOnly, SystemIoFailure,
    };
    use ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let Some(error) = cause.downcast_ref::<rusqlite::Error>() else {
        return Fault::Other;
    };
    // Whether it lacks room, or is not there to be had.
    let tried = || Some(File::options().append(true).create(true).open(path?));
    match error.sqlite_error_code() {
        _ if sqlite::is_damage(error) => Fault::Damaged,
        Some(DiskFull | SystemIoFailure | ReadOnly | DatabaseBusy | DatabaseLocked) => {
            Fault::Passing
        }
        Some(CannotOpen) => match tried() {
            Some(Err(e))
                if !matches!(e.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem) =>
            {
                Fault::Other
            }
            Some(_) | None => Fault::Passing,
        },
        Some(_) | None => Fault::Other,
    }
}

fn connect(path: Option<&Path>) -> std::result::Result<Connection, Cause> {
    if let Some(Err(cause)) = path.map(disk::must_be_regular)
        && cause.kind() == ErrorKind::InvalidInput
    {
        return Err(cause.into());
    }
    let mut db = sqlite::connect(path, OpenFlags::SQLITE_OPEN_CREATE)?;
    db.busy_timeout(Duration::from_secs(5))?;
    // Where nothing can be written now, it shows here and not with the first payment.
    db.execute_batch("BEGIN IMMEDIATE; ROLLBACK")?;
    let known = LAYOUT.version;
    match LAYOUT.lay_out(&mut db)? {
        Owner::Ours => {}
        Owner::Newer(version) => {
            let what = format!("it is of version {version}, this program knows {known}");
            return Err(what.into());
        }
        Owner::Nobody | Owner::Foreign => {
            return Err("it is a database of another program".into());
        }
    }
    db.pragma_update(None, "journal_mode", "wal")?;
    db.pragma_update(None, "journal_size_limit", 8 << 20)?;
    db.pragma_update(None, "synchronous", "full")?;
    check_ledger(&db)?;
    Ok(db)
}

/// A file that can be read at least, as it lies there; nothing when not even that.
fn untouched(path: Option<&Path>) -> std::result::Result<Connection, Cause> {
    let address = path.filter(|path| path.exists()).map(std::path::absolute);
    let address = address.and_then(|path| url::Url::from_file_path(path.ok()?).ok());
    if let Some(mut address) = address {
        address.set_query(Some("immutable=1"));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let opened = Connection::open_with_flags(address.as_str(), flags);
        match opened.and_then(|db| db.prepare("SELECT 1 FROM answers").map(drop).map(|()| db)) {
            Ok(db) => return Ok(db),
            Err(error) => {
                tracing::warn!(%error, "what the upstream state file holds could not be read");
            }
        }
    }
    connect(None)
}

/// Moves a damaged file out of the way; its new name.
fn put_aside(path: &Path) -> Result<String> {
    let mark = wall().strftime(".corrupt-%Y%m%dT%H%M%SZ").to_string();
    let aside = sqlite::put_aside(path, &mark);
    let what = || format!("cannot move the damaged {} aside", disk::shown(path));
    aside
        .map(|path| disk::shown(&path))
        .map_err(|cause| Error::store(what(), cause))
}

/// Proves that the counts can be trusted. Answers are proved one by one when they are read, so that a
/// large cache does not slow the start.
fn check_ledger(db: &Connection) -> rusqlite::Result<()> {
    for table in ["calls", "anchor"] {
        let check = format!("PRAGMA quick_check('{table}')");
        let verdict: String = db.query_row(&check, [], |row| row.get(0))?;
        if verdict != "ok" {
            let corrupt = ffi::Error::new(ffi::SQLITE_CORRUPT);
            return Err(rusqlite::Error::SqliteFailure(corrupt, Some(verdict)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
