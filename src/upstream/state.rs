//! The file that outlives the process: what was paid for and what came back.
//!
//! One SQLite file, two connections: the ledger syncs every commit, the cache need not. A file that is
//! damaged is put aside, never deleted, and one that is not ours is not touched.

use super::clock::Moment;
use crate::error::{Cause, Error, Result};
use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Marks a file as ours: `eUPS`.
const APPLICATION_ID: i64 = 0x6555_5053;
const VERSION: i64 = 1;

const SCHEMA: &str = "
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
    series TEXT, first TEXT, last TEXT, PRIMARY KEY (origin, key)
);
CREATE INDEX answers_by_series ON answers (origin, series) WHERE series IS NOT NULL;
CREATE INDEX answers_by_age ON answers (wall);
";

/// How hard a connection works for durability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// Each commit reaches the disk before it returns.
    Full,
    /// The newest commits may be lost with the power, never with the process.
    Normal,
}

/// The opened state.
pub(super) struct State {
    /// For the ledger.
    pub(super) ledger: Connection,
    /// For the cache.
    pub(super) cache: Connection,
    /// The file was damaged and put aside: what it had counted is unknown.
    pub(super) lost: bool,
}

impl State {
    /// Opens or makes the file; `None` keeps everything in memory.
    ///
    /// # Errors
    /// [`Error::Store`] when the file cannot be opened, is not ours or is of a newer version.
    pub(super) fn open(path: Option<&Path>, now: Timestamp) -> Result<Self> {
        let Some(path) = path else {
            return Ok(Self {
                ledger: connect(None, Durability::Normal).map_err(in_memory)?,
                cache: connect(None, Durability::Normal).map_err(in_memory)?,
                lost: false,
            });
        };
        let lost = match connect(Some(path), Durability::Full) {
            Err(Fault::Damaged(cause)) => {
                let aside = put_aside(path, now)?;
                tracing::warn!(%cause, aside = %aside.display(), "the upstream state file is damaged and was put aside");
                true
            }
            Ok(_) | Err(Fault::Other(_)) => false,
        };
        let open =
            |durability| connect(Some(path), durability).map_err(|fault| fault.into_error(path));
        Ok(Self {
            ledger: open(Durability::Full)?,
            cache: open(Durability::Normal)?,
            lost,
        })
    }
}

/// Why a file could not be opened.
enum Fault {
    /// Its content is broken; another file may take its place.
    Damaged(rusqlite::Error),
    /// Anything else; the file stays as it is.
    Other(Cause),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error_code();
        if matches!(
            code,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        ) {
            Self::Damaged(error)
        } else {
            Self::Other(error.into())
        }
    }
}

impl Fault {
    fn into_error(self, path: &Path) -> Error {
        let what = format!(
            "cannot open the upstream state {}; name another file or remove this one",
            path.display()
        );
        match self {
            Self::Damaged(cause) => Error::store(what, cause),
            Self::Other(cause) => Error::store(what, cause),
        }
    }
}

fn in_memory(fault: Fault) -> Error {
    fault.into_error(Path::new(":memory:"))
}

fn connect(path: Option<&Path>, durability: Durability) -> std::result::Result<Connection, Fault> {
    let mut db = match path {
        Some(path) => Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE
                | OpenFlags::SQLITE_OPEN_CREATE
                | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?,
        None => Connection::open_in_memory()?,
    };
    db.busy_timeout(Duration::from_secs(5))?;
    db.pragma_update(None, "cell_size_check", true)?;
    migrate(&mut db)?;
    db.pragma_update(None, "journal_mode", "wal")?;
    db.pragma_update(None, "journal_size_limit", 8 << 20)?;
    let level = match durability {
        Durability::Full => "full",
        Durability::Normal => "normal",
    };
    db.pragma_update(None, "synchronous", level)?;
    if durability == Durability::Full {
        check_ledger(&db)?;
    }
    Ok(db)
}

/// Proves that the counts can be trusted. Answers are proved one by one when they are read, so that a
/// large cache does not slow the start.
fn check_ledger(db: &Connection) -> std::result::Result<(), Fault> {
    for table in ["calls", "anchor"] {
        let verdict: String =
            db.query_row(&format!("PRAGMA quick_check('{table}')"), [], |row| {
                row.get(0)
            })?;
        if verdict != "ok" {
            let corrupt = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
            return Err(Fault::Damaged(rusqlite::Error::SqliteFailure(
                corrupt,
                Some(verdict),
            )));
        }
    }
    Ok(())
}

/// Lays out an empty file, once, also when several processes come at the same time.
fn migrate(db: &mut Connection) -> std::result::Result<(), Fault> {
    let layout = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let number = |pragma: &str| layout.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let (id, version) = (number("application_id")?, number("user_version")?);
    let tables: i64 =
        layout.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (id, version, tables) {
        (APPLICATION_ID, VERSION, _) => return Ok(()),
        (0, 0, 0) => {}
        (APPLICATION_ID, newer, _) => {
            return Err(Fault::Other(
                format!("it is of version {newer}, this program knows {VERSION}").into(),
            ));
        }
        _ => return Err(Fault::Other("it is a database of another program".into())),
    }
    layout.execute_batch(SCHEMA)?;
    layout.pragma_update(None, "application_id", APPLICATION_ID)?;
    layout.pragma_update(None, "user_version", VERSION)?;
    layout.commit()?;
    Ok(())
}

/// Moves a damaged file and its log out of the way.
fn put_aside(path: &Path, now: Timestamp) -> Result<PathBuf> {
    let with = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let aside = with(&format!(".damaged-{}", now.as_second()));
    std::fs::rename(path, &aside).map_err(|cause| {
        Error::store(
            format!("cannot move the damaged {} aside", path.display()),
            cause,
        )
    })?;
    for log in ["-wal", "-shm"] {
        // A log without its file would be replayed into the new one.
        match std::fs::remove_file(with(log)) {
            Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::store(
                    format!("cannot remove {}{log}", path.display()),
                    cause,
                ));
            }
            _ => {}
        }
    }
    Ok(aside)
}

/// Milliseconds for a column; far more than any clock shows becomes the greatest number.
pub(super) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// A duration out of a column; what is negative there becomes zero.
pub(super) fn duration(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// A moment out of its three columns; `None` when they hold nonsense.
pub(super) fn moment(wall: i64, uptime: i64, boot: i64) -> Option<Moment> {
    Some(Moment {
        wall: Timestamp::from_millisecond(wall).ok()?,
        uptime: duration(uptime),
        boot: boot.cast_unsigned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(path: &Path) -> Result<State> {
        State::open(Some(path), Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn a_file_that_is_no_database_is_put_aside_and_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.db");
        std::fs::write(&path, vec![7; 9000]).unwrap();
        assert!(open(&path).unwrap().lost);
        assert!(!open(&path).unwrap().lost);
        assert_eq!(
            std::fs::read(dir.path().join("state.db.damaged-0")).unwrap(),
            vec![7; 9000]
        );
    }

    #[test]
    fn flipped_bytes_never_panic_and_never_leave_it_shut() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.db");
        drop(open(&path).unwrap());
        let whole = std::fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(whole.len() / 40) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0xff;
            std::fs::write(&path, bytes).unwrap();
            if let Err(error) = open(&path) {
                assert_eq!(error.code(), "store", "byte {at}");
            }
            for suffix in ["-wal", "-shm"] {
                std::fs::remove_file(dir.path().join(format!("state.db{suffix}"))).ok();
            }
        }
    }

    #[test]
    fn the_database_of_another_program_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("theirs.db");
        Connection::open(&path)
            .unwrap()
            .execute_batch("CREATE TABLE t (x)")
            .unwrap();
        let before = std::fs::read(&path).unwrap();
        assert_eq!(open(&path).err().unwrap().code(), "store");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_newer_version_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.db");
        open(&path)
            .unwrap()
            .ledger
            .pragma_update(None, "user_version", 2)
            .unwrap();
        assert_eq!(open(&path).err().unwrap().code(), "store");
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error_that_names_the_file() {
        let error = open(Path::new("/nonexistent/state.db")).err().unwrap();
        assert!(
            error.to_string().contains("/nonexistent/state.db"),
            "{error}"
        );
    }
}
