//! Opening and creating the file of a store.

use super::query::cannot_open;
use super::state::{self, State};
use crate::disk::{self, shown};
use crate::sqlite::{self, Layout, Owner, SIDES, beside};
use econoscope_core::error::{Error, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

/// A store of ours: `ECON` in the header.
const STORE: Layout = Layout {
    application: 0x4543_4F4E,
    version: 1,
    make: |db| {
        db.execute_batch(TABLES)?;
        state::insert(db, State::default())
    },
};
const BUSY: Duration = Duration::from_secs(10);

const TABLES: &str = "
CREATE TABLE state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL,
    series INTEGER NOT NULL,
    crc INTEGER NOT NULL
) STRICT;
CREATE TABLE series (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    rows INTEGER NOT NULL,
    segments INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    fetched_at INTEGER NOT NULL,
    origin TEXT NOT NULL,
    content INTEGER NOT NULL,
    crc INTEGER NOT NULL
) STRICT;
CREATE TABLE segment (
    id INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;
CREATE TABLE article (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL,
    title TEXT NOT NULL,
    subtitle TEXT,
    topic TEXT,
    summary TEXT,
    tags TEXT NOT NULL,
    published_at INTEGER NOT NULL,
    url TEXT NOT NULL,
    source TEXT NOT NULL,
    crc INTEGER NOT NULL
) STRICT;
CREATE INDEX article_by_time ON article (published_at DESC, id);
CREATE TABLE note (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    crc INTEGER NOT NULL
) STRICT;
";

/// Makes the folders the file is to lie in.
pub(super) fn make_folder(path: &Path) -> Result<()> {
    let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty()) else {
        return Ok(());
    };
    std::fs::create_dir_all(folder).map_err(|e| {
        let folder = shown(folder);
        Error::store(
            format!("cannot create the folder {folder}. Create it, change its rights or choose another path."),
            e,
        )
    })
}

/// Refuses a path where there is no file.
pub(super) fn must_exist(path: &Path) -> Result<()> {
    match path.try_exists() {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::of_store(format!(
            "there is no store at {}. Import or sync first, or choose another path.",
            shown(path)
        ))),
        Err(e) => Err(not_readable(path, e)),
    }
}

/// Held by who makes a store or clears away what is left of one, so that nobody clears away what another has just
/// made. Where folders cannot be locked, it is not.
pub(super) fn alone(path: &Path) -> Option<File> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = File::open(folder.unwrap_or(Path::new("."))).ok()?;
    folder.lock().ok().map(|()| folder)
}

/// Makes an empty file that only its owner may read, for rows may be for its owner alone, where there is none; SQLite
/// gives what lies beside it the same rights. A log that lies there already is of a store that is gone: the new one
/// would take it for its own.
pub(super) fn make(path: &Path) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    let alone = alone(path);
    if alone.is_some() && !path.exists() {
        for side in SIDES.map(|suffix| beside(path, suffix)) {
            match std::fs::remove_file(&side) {
                Err(e) if e.kind() != ErrorKind::NotFound => return Err(not_readable(&side, e)),
                Ok(()) | Err(_) => {}
            }
        }
    }
    disk::make_private(path).map_err(|e| {
        let what = "file and folder must be writable for this user. Change their rights or choose another path.";
        Error::store(format!("cannot create {}: {what}", shown(path)), e)
    })
}

/// The writing connection; creates the tables in a file that is empty.
pub(super) fn open(path: &Path) -> Result<Connection> {
    let fail = |e| cannot_open(path, e);
    match STORE.owner(path) {
        Ok(owner) => must_be_ours(path, owner)?,
        Err(e) if e.kind() == ErrorKind::InvalidInput => {
            return Err(Error::of_store(format!(
                "{} cannot be a store: {e}. Move it away or choose another path.",
                shown(path)
            )));
        }
        Err(e) => return Err(not_readable(path, e)),
    }
    let mut db = connect(Some(path)).map_err(fail)?;
    must_be_ours(path, STORE.lay_out(&mut db).map_err(fail)?)?;
    let mode: String = retried(|| db.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)))
        .map_err(fail)?;
    if mode != "wal" {
        return Err(Error::of_store(format!(
            "{} does not lie on a local disk, where several processes can share it. Choose another path.",
            shown(path)
        )));
    }
    db.execute_batch("PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 16777216;")
        .map_err(fail)?;
    state::state(&db)?;
    Ok(db)
}

/// A connection that cannot write.
pub(super) fn reader(path: &Path) -> Result<Connection> {
    connect(Some(path))
        .and_then(|db| db.execute_batch("PRAGMA query_only = ON").map(|()| db))
        .map_err(|e| cannot_open(path, e))
}

/// The one connection to a new store in memory, or in a file without a name where `path` is empty.
pub(super) fn unnamed(path: Option<&Path>) -> Result<Connection> {
    let fail = |e| super::query::failed("make a store for a while", e);
    let mut db = connect(path).map_err(fail)?;
    STORE.lay_out(&mut db).map_err(fail)?;
    Ok(db)
}

/// Nothing here writes to the file.
fn connect(path: Option<&Path>) -> rusqlite::Result<Connection> {
    let db = sqlite::connect(path, OpenFlags::empty())?;
    db.busy_timeout(BUSY)?;
    db.set_prepared_statement_cache_capacity(32);
    // Plans do not depend on bound values here; without this SQLite plans the main query anew for each name.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.execute_batch("PRAGMA synchronous = NORMAL;")?;
    Ok(db)
}

/// A file that does not begin as ours does.
pub(super) const NOT_OURS: &str = "is not an econoscope store, or its beginning is damaged.";

fn must_be_ours(path: &Path, owner: Owner) -> Result<()> {
    let path = shown(path);
    match owner {
        Owner::Nobody | Owner::Ours => Ok(()),
        Owner::Newer(layout) => Err(Error::of_store(format!(
            "{path} was written by a newer version of econoscope (layout {layout}, this version knows {}). \
             Update econoscope, or choose another path. The file was not touched.",
            STORE.version
        ))),
        Owner::Foreign => Err(Error::of_store(format!(
            "{path} {NOT_OURS} The file was not touched. \
             Choose another path, or move the file away and sync again."
        ))),
    }
}

/// The change to WAL does not wait for other processes by itself; they are done in a moment.
fn retried<T>(mut attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    for _ in 0..50 {
        match attempt() {
            Err(e) if e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            done => return done,
        }
    }
    attempt()
}

fn not_readable(path: &Path, cause: io::Error) -> Error {
    let path = shown(path);
    Error::store(
        format!("cannot read {path}. Change its rights or choose another path."),
        cause,
    )
}
