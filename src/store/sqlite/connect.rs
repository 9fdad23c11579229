//! Opening, creating and setting aside the file. Nothing that is not ours is ever written to.

use super::failure::cannot_open;
use super::state::{self, State};
use crate::error::{Error, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `ECON` in the file header: this SQLite file is ours.
const APPLICATION: i32 = 0x4543_4F4E;
/// Layout of the tables. A file with a higher number is of a newer version of this program.
const LAYOUT: i32 = 1;
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
        let folder = folder.display();
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
        Ok(false) => Err(refused(format!(
            "there is no store at {}. Import or sync first, or choose another path.",
            path.display()
        ))),
        Err(e) => Err(not_readable(path, e)),
    }
}

/// The writing connection; creates the tables in a file that is absent or empty.
pub(super) fn open(path: &Path) -> Result<Connection> {
    look(path)?;
    let mut db = connect(path, OpenFlags::SQLITE_OPEN_CREATE).map_err(|e| cannot_open(path, e))?;
    create_tables(&mut db).map_err(|e| cannot_open(path, e))?;
    if layout(&db).map_err(|e| cannot_open(path, e))? != (APPLICATION, LAYOUT) {
        return Err(foreign(path));
    }
    let mode: String = retried(|| db.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)))
        .map_err(|e| cannot_open(path, e))?;
    if mode != "wal" {
        return Err(refused(format!(
            "{} does not lie on a local disk, where several processes can share it. Choose another path.",
            path.display()
        )));
    }
    db.execute_batch("PRAGMA cache_size = -16000; PRAGMA journal_size_limit = 16777216;")
        .map_err(|e| cannot_open(path, e))?;
    state::state(&db)?;
    Ok(db)
}

/// A connection that cannot write.
pub(super) fn reader(path: &Path) -> Result<Connection> {
    connect(path, OpenFlags::empty())
        .and_then(|db| db.execute_batch("PRAGMA query_only = ON").map(|()| db))
        .map_err(|e| cannot_open(path, e))
}

/// A reader that leaves the file byte for byte as it is, even when it is the last to close it.
pub(super) fn untouching(path: &Path) -> Result<Connection> {
    let db = reader(path)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map_err(|e| cannot_open(path, e))?;
    Ok(db)
}

/// Nothing here writes to the file.
fn connect(path: &Path, more: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(BUSY)?;
    db.set_prepared_statement_cache_capacity(32);
    // Plans do not depend on bound values here; without this SQLite plans the main query anew for each name.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    db.execute_batch(
        "PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;",
    )?;
    Ok(db)
}

/// Reads the header without SQLite, so that a foreign file is not even locked.
fn look(path: &Path) -> Result<()> {
    let mut header = Vec::new();
    match File::open(path) {
        Ok(file) => file
            .take(100)
            .read_to_end(&mut header)
            .map_err(|e| not_readable(path, e))?,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(not_readable(path, e)),
    };
    if header.is_empty() {
        return Ok(());
    }
    let number = |at: usize| {
        let bytes = header.get(at..)?.first_chunk()?;
        Some(i32::from_be_bytes(*bytes))
    };
    let ours = header.starts_with(b"SQLite format 3\0") && number(68) == Some(APPLICATION);
    match number(60) {
        Some(layout) if ours && layout > LAYOUT => Err(refused(format!(
            "{} was written by a newer version of econoscope (layout {layout}, this version knows {LAYOUT}). \
             Update econoscope, or choose another path. The file was not touched.",
            path.display()
        ))),
        Some(_) if ours => Ok(()),
        Some(_) | None => Err(foreign(path)),
    }
}

/// A file that does not begin as ours does.
pub(super) const NOT_OURS: &str = "is not an econoscope store, or its beginning is damaged.";

fn foreign(path: &Path) -> Error {
    refused(format!(
        "{} {NOT_OURS} The file was not touched. \
         Choose another path, or move the file away and sync again.",
        path.display()
    ))
}

/// Tables and identity in one transaction, unless another process was first.
fn create_tables(db: &mut Connection) -> rusqlite::Result<()> {
    if layout(db)? != (0, 0) {
        return Ok(());
    }
    let transaction = db.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", LAYOUT)?;
        let empty = State {
            version: 0,
            series: 0,
        };
        state::insert(&transaction, empty)?;
    }
    transaction.commit()
}

fn layout(db: &Connection) -> rusqlite::Result<(i32, i32)> {
    let number = |name| db.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    Ok((number("application_id")?, number("user_version")?))
}

/// The change to WAL does not wait for other processes by itself; they are done in a moment.
fn retried<T>(mut attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    for _ in 0..50 {
        match attempt() {
            Err(e) if e.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            done => return done,
        }
    }
    attempt()
}

/// Renames the file and what SQLite keeps beside it.
pub(super) fn quarantine(path: &Path) -> Result<PathBuf> {
    let now = jiff::Timestamp::now()
        .strftime("%Y%m%dT%H%M%SZ")
        .to_string();
    let mut aside = beside(path, &format!(".corrupt-{now}"));
    let mut number = 2;
    while aside.exists() {
        aside = beside(path, &format!(".corrupt-{now}-{number}"));
        number += 1;
    }
    let rename = |from: PathBuf, to: PathBuf| {
        std::fs::rename(&from, &to).map_err(|e| {
            let what = format!("cannot rename {} to {}.", from.display(), to.display());
            Error::store(what, e)
        })
    };
    rename(path.to_owned(), aside.clone())?;
    for side in ["-wal", "-shm", "-journal"] {
        let from = beside(path, side);
        if from.exists() {
            rename(from, beside(&aside, side))?;
        }
    }
    Ok(aside)
}

/// `path` with something added to its name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn not_readable(path: &Path, cause: std::io::Error) -> Error {
    let path = path.display();
    Error::store(
        format!("cannot read {path}. Change its rights or choose another path."),
        cause,
    )
}

fn refused(what: String) -> Error {
    Error::Store { what, source: None }
}
