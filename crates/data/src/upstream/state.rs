//! The SQLite file of ledger and cache, which outlives the process.
//!
//! Every commit is synced to disk. A damaged file is renamed, never deleted, and a file of another program is not
//! touched. A file that cannot be written is an error at the start. Later it allows cached responses only, and no call is
//! paid for: a payment that is not recorded would be made twice after a restart.

use crate::disk;
use crate::sqlite::{self, Layout, Owner};
use econoscope_core::clock::wall_time;
use econoscope_core::error::{Cause, Error, Result};
use parking_lot::{Mutex, MutexGuard};
use rusqlite::{Connection, OpenFlags, ffi};
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

const LAYOUT: Layout = Layout {
    // `eUPS`
    application_id: 0x6555_5053,
    version: 1,
    create_tables: |db| db.execute_batch(TABLES),
};

const TABLES: &str = "
CREATE TABLE calls (origin TEXT NOT NULL, at INTEGER NOT NULL, pool INTEGER NOT NULL);
CREATE INDEX calls_by_time ON calls (origin, at);
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

/// The open file, or a database in memory.
#[derive(Debug)]
pub(super) struct StateFile {
    db: Mutex<Connection>,
    /// Whether the file was damaged and replaced, so that its calls are unknown.
    pub(super) was_damaged: bool,
}

impl StateFile {
    /// Opens or creates the file; `None` uses a database in memory.
    ///
    /// # Errors
    /// [`Error::Store`] when the file cannot be opened or written, is not ours or is of a newer version.
    pub(super) fn open(path: Option<&Path>) -> Result<Self> {
        let mut was_damaged = false;
        let opened = match connect(path) {
            Err(cause) if is_damage(&cause) => {
                let new_name = path.map(quarantine).transpose()?;
                tracing::warn!(%cause, new_name, "the upstream state file is damaged and was renamed");
                was_damaged = true;
                connect(path)
            }
            opened => opened,
        };
        let db = opened.map_err(|cause| {
            let path = path.map_or("in memory".to_owned(), disk::format_path);
            let what = format!(
                "cannot open the upstream state {path}; make room on a full disk, name another file or remove this one"
            );
            Error::store(what, cause)
        })?;
        Ok(Self {
            db: Mutex::new(db),
            was_damaged,
        })
    }

    /// Returns the connection. Blocks while another thread uses it.
    pub(super) fn db(&self) -> MutexGuard<'_, Connection> {
        self.db.lock()
    }
}

fn is_damage(cause: &Cause) -> bool {
    (cause.downcast_ref::<rusqlite::Error>()).is_some_and(sqlite::is_damage)
}

fn connect(path: Option<&Path>) -> std::result::Result<Connection, Cause> {
    if let Some(Err(cause)) = path.map(disk::must_be_regular)
        && cause.kind() == ErrorKind::InvalidInput
    {
        return Err(cause.into());
    }
    let mut db = sqlite::connect(path, OpenFlags::SQLITE_OPEN_CREATE)?;
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
    db.pragma_update(None, "journal_mode", "wal")?;
    db.pragma_update(None, "journal_size_limit", 8 << 20)?;
    db.pragma_update(None, "synchronous", "full")?;
    check_ledger(&db)?;
    Ok(db)
}

/// Renames a damaged file. Returns its new name.
fn quarantine(path: &Path) -> Result<String> {
    let suffix = wall_time().strftime(".corrupt-%Y%m%dT%H%M%SZ").to_string();
    let moved = sqlite::move_aside(path, &suffix);
    let what = || format!("cannot rename the damaged {}", disk::format_path(path));
    moved
        .map(|path| disk::format_path(&path))
        .map_err(|cause| Error::store(what(), cause))
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
