//! The SQLite file of ledger and cache, which outlives the process.
//!
//! Every commit is synced to disk. A damaged file is renamed, never deleted, and a file of another program is not
//! touched. A file that cannot be written for now (the disk is full, or read-only) is opened read-only, and no call is
//! paid for: a payment that is not recorded would be made twice after a restart. Where there is no file and none can be
//! made (a home that cannot be written), the state is in memory, and calls are counted from the start of the process.

use crate::disk;
use crate::sqlite::{self, Layout, Owner};
use econoscope_core::error::{Cause, Error, Result};
use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LAYOUT: Layout = Layout {
    // `eUPS`
    application_id: 0x6555_5053,
    version: 1,
    tables: include_str!("state.sql"),
};

/// The open file, or a database in memory.
#[derive(Debug)]
pub(super) struct StateFile {
    /// `None` = in memory.
    path: Option<PathBuf>,
    connection: Mutex<StateConnection>,
    /// Whether the file was damaged and replaced, so that its calls are unknown.
    pub(super) was_damaged: bool,
}

#[derive(Debug)]
struct StateConnection {
    db: Connection,
    is_writable: bool,
}

impl StateFile {
    /// Opens or creates the file and its folder; `None`, and a place where neither can be made, use a database in memory.
    ///
    /// # Errors
    /// [`Error::Store`] when the file cannot be opened, is not ours or is of a newer version.
    pub(super) fn open(path: Option<&Path>) -> Result<Self> {
        let path = path.filter(|path| can_exist(path));
        let open_error = |cause: Cause| {
            let place = path.map_or("in memory".to_owned(), disk::format_path);
            let what = format!(
                "cannot open the upstream state {place}; name another file or remove this one"
            );
            Error::store(what, cause)
        };
        let mut was_damaged = false;
        let (db, is_writable) = match connect(path) {
            Err(cause) if is_damage(&cause) => {
                let new_name = path.map(quarantine).transpose()?;
                tracing::warn!(%cause, new_name, "the upstream state file is damaged and was renamed");
                was_damaged = true;
                (connect(path).map_err(open_error)?, true)
            }
            Err(cause) if is_transient(&cause, path) => {
                tracing::warn!(
                    %cause,
                    file = path.map(disk::format_path),
                    "the upstream state file cannot be written: only cached responses are served, and no call is made, until it can be"
                );
                (open_read_only(path).map_err(open_error)?, false)
            }
            result => (result.map_err(open_error)?, true),
        };
        Ok(Self {
            path: path.map(Path::to_owned),
            connection: Mutex::new(StateConnection { db, is_writable }),
            was_damaged,
        })
    }

    /// Runs a read.
    ///
    /// # Errors
    /// Those of SQLite.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        work(&self.connection.lock().db)
    }

    /// Runs a write. Tries first to reopen a file that could not be used.
    ///
    /// # Errors
    /// Those of SQLite, and the reason why the file still cannot be used.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> std::result::Result<T, Cause> {
        let mut connection = self.connection.lock();
        if !connection.is_writable {
            connection.db = connect(self.path.as_deref())?;
            connection.is_writable = true;
            tracing::warn!("the upstream state file can be written again");
        }
        Ok(work(&mut connection.db)?)
    }

    /// Whether it is lost with the process.
    pub(super) fn is_in_memory(&self) -> bool {
        self.path.is_none()
    }

    /// Whether payments can be recorded now.
    pub(super) fn is_writable(&self) -> bool {
        self.connection.lock().is_writable
    }
}

/// Whether there is a file, or one can be made now or when a disk has room. Logs why not.
fn can_exist(path: &Path) -> bool {
    use ErrorKind::{NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    let made = match path.try_exists() {
        Ok(true) => return true,
        Ok(false) => disk::folder(path).map_or(Ok(()), std::fs::create_dir_all),
        Err(error) => Err(error),
    };
    let Err(error) = made.and_then(|()| disk::create_private(path)) else {
        return true;
    };
    let is_lasting = matches!(
        error.kind(),
        NotADirectory | NotFound | PermissionDenied | ReadOnlyFilesystem
    );
    if is_lasting {
        tracing::warn!(
            %error,
            file = disk::format_path(path),
            "the upstream state file cannot be made: calls are counted in memory, from this start on"
        );
    }
    !is_lasting
}

fn is_damage(cause: &Cause) -> bool {
    (cause.downcast_ref::<rusqlite::Error>()).is_some_and(sqlite::is_damage)
}

/// Whether an intact file cannot be used because of its disk or a lock, which may pass.
fn is_transient(cause: &Cause, path: Option<&Path>) -> bool {
    use ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseLocked, DiskFull, ReadOnly, SystemIoFailure,
    };
    use ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let error = cause.downcast_ref::<rusqlite::Error>();
    match error.and_then(rusqlite::Error::sqlite_error_code) {
        Some(DiskFull | SystemIoFailure | ReadOnly | DatabaseBusy | DatabaseLocked) => true,
        // SQLite does not say why it cannot open a file, so open it here.
        Some(CannotOpen) => {
            let open = |path| File::options().append(true).create(true).open(path);
            let error = path.and_then(|path| open(path).err());
            error.is_none_or(|e| {
                matches!(e.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem)
            })
        }
        Some(_) | None => false,
    }
}

fn connect(path: Option<&Path>) -> std::result::Result<Connection, Cause> {
    if let Some(path) = path {
        match disk::must_be_regular(path) {
            Err(cause) if cause.kind() == ErrorKind::InvalidInput => return Err(cause.into()),
            // SQLite would let everybody read it. If this fails, SQLite reports why.
            Ok(()) | Err(_) => disk::create_private(path).unwrap_or_default(),
        }
    }
    let mut db = sqlite::connect(path.unwrap_or(Path::new(sqlite::IN_MEMORY)))?;
    db.busy_timeout(Duration::from_secs(5))?;
    // Fails here, and not at the first payment, when nothing can be written.
    db.execute_batch("BEGIN IMMEDIATE; ROLLBACK")?;
    let known = LAYOUT.version;
    match LAYOUT.initialize(&mut db)? {
        Owner::Ours => {}
        Owner::Newer(version) => {
            let what = format!("it is of version {version}, this program knows {known}");
            return Err(what.into());
        }
        Owner::Nobody | Owner::Foreign => {
            return Err("it is a database of another program".into());
        }
    }
    if !sqlite::has_tables_only(&db)? {
        return Err("it has views or triggers, which no state of this program has".into());
    }
    db.pragma_update(None, "journal_mode", "wal")?;
    db.pragma_update(None, "journal_size_limit", 8 << 20)?;
    db.pragma_update(None, "synchronous", "full")?;
    check_ledger(&db)?;
    Ok(db)
}

/// Opens a file read-only, without locks; an empty database in memory when even that fails.
fn open_read_only(path: Option<&Path>) -> std::result::Result<Connection, Cause> {
    let address = path
        .filter(|path| path.exists())
        .map(std::path::absolute)
        .and_then(|path| url::Url::from_file_path(path.ok()?).ok());
    if let Some(mut address) = address {
        address.set_query(Some("immutable=1"));
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let opened = Connection::open_with_flags(address.as_str(), flags).and_then(|db| {
            db.prepare("SELECT 1 FROM answers").map(drop)?;
            Ok(sqlite::has_tables_only(&db)?.then_some(db))
        });
        match opened {
            Ok(Some(db)) => return Ok(db),
            Ok(None) => {
                tracing::warn!("the upstream state file has views or triggers and is not read")
            }
            Err(error) => {
                tracing::warn!(%error, "the cached responses in the upstream state file cannot be read");
            }
        }
    }
    connect(None)
}

/// Renames a damaged file. Returns its new name.
fn quarantine(path: &Path) -> Result<String> {
    let what = || format!("cannot rename the damaged {}", disk::format_path(path));
    let aside = sqlite::move_aside(path).map_err(|cause| Error::store(what(), cause))?;
    Ok(disk::format_path(&aside))
}

/// Checks the tables of the ledger. Responses are checked when they are read, so that a large cache does not slow the
/// start.
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
