//! Opening and creating the file of a store.

use super::query::open_error;
use super::state;
use crate::disk::{self, format_path};
use crate::sqlite::{self, Layout, Owner, SIDE_SUFFIXES, with_suffix};
use econoscope_core::error::{Error, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

/// The layout of a store file: `ECON` in the header.
const STORE: Layout = Layout {
    application_id: 0x4543_4F4E,
    version: 1,
    tables: include_str!("store.sql"),
};
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Checks that there is a file at a path.
pub(super) fn must_exist(path: &Path) -> Result<()> {
    match path.try_exists() {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::store_without_cause(format!(
            "there is no store at {}. Import or sync first, or choose another path.",
            format_path(path)
        ))),
        Err(e) => Err(not_readable(path, e)),
    }
}

/// Locks the folder of a store while a store is created or side files are removed, so that no process removes what
/// another has just created. Returns `None` where folders cannot be locked.
pub(super) fn lock_folder(path: &Path) -> Option<File> {
    let folder = File::open(disk::folder(path).unwrap_or(Path::new("."))).ok()?;
    folder.lock().ok().map(|()| folder)
}

/// Creates the folders above a file, and an empty file unless there is one. Only its owner may read it, since rows may be
/// restricted to the owner; SQLite gives the side files the same rights. A log that is already there belongs to a former
/// store and is removed, or SQLite would apply it to the new one.
pub(super) fn create(path: &Path) -> Result<()> {
    if let Some(folder) = disk::folder(path) {
        std::fs::create_dir_all(folder).map_err(|e| {
            let folder = format_path(folder);
            let advice = "Create it, change its rights or choose another path.";
            Error::store(format!("cannot create the folder {folder}. {advice}"), e)
        })?;
    }
    if path.exists() {
        return Ok(());
    }
    let lock = lock_folder(path);
    if lock.is_some() && !path.exists() {
        for side in SIDE_SUFFIXES.map(|suffix| with_suffix(path, suffix)) {
            match std::fs::remove_file(&side) {
                Err(e) if e.kind() != ErrorKind::NotFound => return Err(not_readable(&side, e)),
                Ok(()) | Err(_) => {}
            }
        }
    }
    disk::create_private(path).map_err(|e| {
        let advice = "file and folder must be writable for this user. Change their rights or choose another path.";
        Error::store(format!("cannot create {}: {advice}", format_path(path)), e)
    })
}

/// Opens the writing connection and creates the tables in an empty file.
pub(super) fn open(path: &Path) -> Result<Connection> {
    let fail = |e| open_error(path, e);
    let owner = STORE.owner(path).map_err(|e| {
        if e.kind() != ErrorKind::InvalidInput {
            return not_readable(path, e);
        }
        let path = format_path(path);
        Error::store_without_cause(format!(
            "{path} cannot be a store: {e}. Move it away or choose another path."
        ))
    })?;
    must_be_ours(path, owner)?;
    let mut db = connect(path).map_err(fail)?;
    must_be_ours(path, STORE.initialize(&mut db).map_err(fail)?)?;
    must_have_tables_only(path, &db)?;
    let is_busy = |e: &rusqlite::Error| e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
    let mut pauses = 0..50;
    let mode = loop {
        let change = "PRAGMA journal_mode = WAL";
        match db.query_row(change, [], |row| row.get::<_, String>(0)) {
            // This change does not wait for other processes by itself.
            Err(e) if is_busy(&e) && pauses.next().is_some() => {
                std::thread::sleep(Duration::from_millis(20));
            }
            result => break result.map_err(fail)?,
        }
    };
    if mode != "wal" {
        return Err(Error::store_without_cause(format!(
            "{} does not lie on a local disk, where several processes can share it. Choose another path.",
            format_path(path)
        )));
    }
    db.execute_batch("PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 16777216;")
        .map_err(fail)?;
    state::read(&db)?;
    Ok(db)
}

/// Opens a read-only connection.
pub(super) fn reader(path: &Path) -> Result<Connection> {
    let db = connect(path)
        .and_then(|db| db.execute_batch("PRAGMA query_only = ON").map(|()| db))
        .map_err(|e| open_error(path, e))?;
    must_have_tables_only(path, &db)?;
    Ok(db)
}

/// Opens the one connection to a new store in memory ([`sqlite::IN_MEMORY`]), or in an unnamed temporary file when `path` is
/// empty.
pub(super) fn unnamed(path: &str) -> Result<Connection> {
    let fail = |e| super::query::operation_error("create a temporary store", e);
    let mut db = connect(Path::new(path)).map_err(fail)?;
    STORE.initialize(&mut db).map_err(fail)?;
    Ok(db)
}

/// Opens a connection without writing to the file.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let db = sqlite::connect(path)?;
    db.busy_timeout(BUSY_TIMEOUT)?;
    db.set_prepared_statement_cache_capacity(32);
    // Plans do not depend on bound values here; without this SQLite plans the main query anew for each name.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.execute_batch("PRAGMA synchronous = NORMAL;")?;
    Ok(db)
}

/// The error text for a file with another header.
pub(super) const NOT_OURS: &str = "is not an econoscope store, or its beginning is damaged.";

fn must_be_ours(path: &Path, owner: Owner) -> Result<()> {
    let path = format_path(path);
    match owner {
        Owner::Nobody | Owner::Ours => Ok(()),
        Owner::Newer(layout) => Err(Error::store_without_cause(format!(
            "{path} was written by a newer version of econoscope (layout {layout}, this version knows {}). \
             Update econoscope, or choose another path. The file was not touched.",
            STORE.version
        ))),
        Owner::Foreign => Err(Error::store_without_cause(format!(
            "{path} {NOT_OURS} The file was not touched. \
             Choose another path, or move the file away and sync again."
        ))),
    }
}

/// Checks that the file has no view and no trigger: this program creates none, and a view can be without end.
fn must_have_tables_only(path: &Path, db: &Connection) -> Result<()> {
    if sqlite::has_tables_only(db).map_err(|e| open_error(path, e))? {
        return Ok(());
    }
    let path = format_path(path);
    Err(Error::store_without_cause(format!(
        "{path} has views or triggers, which no econoscope store has. Restore a backup, or choose another path."
    )))
}

fn not_readable(path: &Path, cause: io::Error) -> Error {
    let path = format_path(path);
    Error::store(
        format!("cannot read {path}. Change its rights or choose another path."),
        cause,
    )
}
