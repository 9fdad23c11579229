//! A store file while it is open: its connections and who may use which.

use super::connect;
use super::failure::failed;
use super::watch::{Watch, locked};
use crate::error::Result;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// Readers kept open between calls; more are opened when more threads read at once.
const IDLE_READERS: usize = 8;

/// A store file, open for reading and writing. Other processes may have it open too.
#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    pub(super) writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    pub(super) watch: Watch,
    /// Whether the list of series was compared with its index since opening.
    pub(super) list_checked: AtomicBool,
}

impl Sqlite {
    /// Opens a store; creates file and folders where there are none.
    ///
    /// # Errors
    /// [`crate::Error::Store`] that names the path and the way out: a foreign file, one of a newer version, damage,
    /// missing rights. The file is then as it was.
    pub fn open(path: &Path) -> Result<Self> {
        connect::make_folder(path)?;
        Self::over(path, connect::open(path)?)
    }

    /// Opens a store that must be there already.
    ///
    /// # Errors
    /// [`crate::Error::Store`] as for [`Self::open`], and when there is no file.
    pub fn open_existing(path: &Path) -> Result<Self> {
        connect::must_exist(path)?;
        Self::over(path, connect::open(path)?)
    }

    /// Moves an unusable store aside, with its side files: `NAME.corrupt-20261121T150405Z`.
    /// No process may have it open. Returns the new path.
    ///
    /// # Errors
    /// [`crate::Error::Store`] when the file cannot be renamed.
    pub fn quarantine(path: &Path) -> Result<PathBuf> {
        connect::quarantine(path)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn over(path: &Path, writer: Connection) -> Result<Self> {
        let watch = connect::reader(path)?;
        Ok(Self {
            path: path.to_owned(),
            writer: Mutex::new(writer),
            readers: Mutex::new(Vec::new()),
            watch: Watch::new(watch),
            list_checked: AtomicBool::new(false),
        })
    }

    /// Runs `read` on a connection of its own; one that failed is closed.
    pub(super) fn reading<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let idle = locked(&self.readers).pop();
        let reader = match idle {
            Some(reader) => reader,
            None => connect::reader(&self.path)?,
        };
        let answer = read(&reader)?;
        let mut idle = locked(&self.readers);
        if idle.len() < IDLE_READERS {
            idle.push(reader);
        }
        Ok(answer)
    }

    /// Runs `write` in a transaction: all or nothing.
    pub(super) fn writing<T>(
        &self,
        write: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let mut writer = locked(&self.writer);
        let transaction = writer
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|e| failed("write", e))?;
        let answer = write(&transaction)?;
        transaction.commit().map_err(|e| failed("write", e))?;
        self.watch.forget();
        Ok(answer)
    }
}

/// Runs several statements on one moment of the file, whatever others write meanwhile.
pub(super) fn snapshot<T>(
    db: &Connection,
    read: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    if !db.is_autocommit() {
        return read(db);
    }
    let moment = db.unchecked_transaction().map_err(|e| failed("read", e))?;
    let answer = read(&moment)?;
    moment.finish().map_err(|e| failed("read", e))?;
    Ok(answer)
}
