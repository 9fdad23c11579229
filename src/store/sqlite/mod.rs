//! The store in one SQLite file: many readers, one writer at a time, safe against kill and power loss.
//!
//! ```text
//! series   one line per series: what is held, and a checksum over its segments
//! segment  groups of rows as bytes (`segment.rs`), up to 32 per series, appended by each write that changes something
//! state    one line: the version that every visible change raises, and how many series there are
//! article, note
//! ```
//! Every line carries a CRC-32 of its content and every series one over all of its segments, so that a
//! flipped bit, a lost page or a mixed-up row is an error and never a wrong number.

mod connect;
mod failure;
mod series;
mod state;
mod texts;
mod upkeep;

#[cfg(test)]
mod tests;

pub use upkeep::Damage;

use super::change::{self, Change, kept};
use super::seam::{Article, Status, Store, Write, Written};
use crate::error::Result;
use crate::model::{SeriesId, Vintages};
use failure::failed;
use jiff::Timestamp;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Readers kept open between calls; more are opened when more threads read at once.
const IDLE_READERS: usize = 8;

/// A store file, open for reading and writing. Other processes may have it open too.
#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    watch: Mutex<state::Watch>,
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
            watch: Mutex::new(state::Watch::new(watch)),
        })
    }

    /// Runs `read` on a connection of its own; one that failed is closed.
    fn reading<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
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
    fn writing<T>(&self, write: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut writer = locked(&self.writer);
        let transaction = writer
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(|e| failed("write", e))?;
        let answer = write(&transaction)?;
        transaction.commit().map_err(|e| failed("write", e))?;
        Ok(answer)
    }
}

/// A thread that panicked while it held the lock left no open transaction: those roll back when dropped.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store for Sqlite {
    fn version(&self) -> Result<u64> {
        locked(&self.watch).version()
    }

    fn read(&self, id: &SeriesId) -> Result<Option<Vintages>> {
        self.reading(|db| Ok(series::read(db, id)?.map(|(_, vintages, _)| vintages)))
    }

    fn write(&self, write: Write<'_>) -> Result<Written> {
        change::check(&write)?;
        let fetched_at = kept(write.fetched_at);
        self.writing(|db| {
            let Some((held, vintages, segments)) = series::read(db, write.id)? else {
                let change = Change::of(&Vintages::default(), &write);
                if !change.rows.is_empty() {
                    series::create(db, &write, &change.rows)?;
                    state::changed(db, 1)?;
                }
                return Ok(change.written);
            };
            let change = Change::of(&vintages, &write);
            if change.rows.is_empty() {
                series::note_reading(db, held, fetched_at)?;
            } else {
                let held = held.written(&write, &change.rows);
                series::append(db, held, &vintages, segments, change.rows)?;
                state::changed(db, 0)?;
            }
            Ok(change.written)
        })
    }

    fn status(&self) -> Result<Vec<Status>> {
        self.reading(series::status)
    }

    fn clear_computed(&self, id: &SeriesId) -> Result<()> {
        self.writing(|db| match series::line(db, id)? {
            None => Ok(()),
            Some(held) if change::is_computed(&held.origin) => {
                series::remove(db, &held)?;
                state::changed(db, -1)
            }
            Some(held) => Err(change::not_computed(id, &held.origin)),
        })
    }

    fn write_articles(&self, articles: &[Article]) -> Result<usize> {
        self.writing(|db| {
            let (added, changed) = texts::write_articles(db, articles)?;
            if changed {
                state::changed(db, 0)?;
            }
            Ok(added)
        })
    }

    fn articles(&self, until: Timestamp, limit: usize) -> Result<Vec<Article>> {
        self.reading(|db| texts::articles(db, kept(until), limit))
    }

    fn note(&self, key: &str) -> Result<Option<String>> {
        self.reading(|db| texts::note(db, key))
    }

    fn set_note(&self, key: &str, value: &str) -> Result<()> {
        self.writing(|db| {
            if texts::set_note(db, key, value)? {
                state::changed(db, 0)?;
            }
            Ok(())
        })
    }
}
