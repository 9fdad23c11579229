//! One file while it lies at the store's path: its connections, and what SQLite keeps beside it.
//!
//! The file may be deleted or replaced under a running server. What lies beside it, the log above all, belongs to
//! the file that was there: read together with another one it would mix two stores. So it goes with its file.

use super::connect;
use crate::disk::{self, Identity};
use crate::sqlite::{SIDES, beside};
use econoscope_core::error::{Error, Result};
use parking_lot::Mutex;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// A file and the connections to it. It is held open, so that its number is nobody else's meanwhile.
#[derive(Debug)]
pub(super) struct Home {
    /// Where it lies; `None` for a store that goes with the process.
    pub(super) path: Option<PathBuf>,
    file: Option<Identity>,
    sides: [Option<Identity>; 2],
    /// A thread that panics while it holds it leaves no open transaction: those roll back when dropped.
    pub(super) writer: Mutex<Connection>,
    /// Those that nobody is using.
    pub(super) readers: Mutex<Vec<Connection>>,
}

impl Home {
    /// A new store in memory, or in a file without a name where `path` is empty: one connection that lives as long as
    /// the store.
    pub(super) fn unnamed(path: Option<&Path>) -> Result<Self> {
        connect::unnamed(path).map(Self::on)
    }

    /// One connection that reads and writes, whatever it is connected to.
    pub(super) fn on(connection: Connection) -> Self {
        Self {
            path: None,
            file: None,
            sides: [None; 2],
            writer: Mutex::new(connection),
            readers: Mutex::default(),
        }
    }

    /// Opens the file, or makes it and its folders.
    pub(super) fn create(path: &Path) -> Result<Self> {
        connect::make_folder(path)?;
        connect::make(path)?;
        Self::open(path)
    }

    /// Opens the file that must be there.
    pub(super) fn open(path: &Path) -> Result<Self> {
        connect::must_exist(path)?;
        let file = disk::identity(path);
        let writer = connect::open(path)?;
        if file.is_none() || disk::identity(path) != file {
            // Which of the two was opened is not known.
            return Err(Error::of_store(format!(
                "{} was replaced while it was opened. Try again.",
                disk::shown(path)
            )));
        }
        Ok(Self {
            path: Some(path.to_owned()),
            file,
            sides: SIDES.map(|suffix| disk::identity(&beside(path, suffix))),
            writer: Mutex::new(writer),
            readers: Mutex::default(),
        })
    }

    /// The path, where another file lies there now or none.
    pub(super) fn lost(&self) -> Option<&Path> {
        let path = self.path.as_deref()?;
        let now = disk::identity(path);
        (now.is_none() || now != self.file).then_some(path)
    }

    /// The file that took this one's place. One that was deleted is made anew only for a writer: a reader would
    /// take an empty store for the truth.
    pub(super) fn successor(&self, path: &Path, make: bool) -> Result<Self> {
        if !make {
            connect::must_exist(path)?;
        }
        self.leave(path);
        if make {
            Self::create(path)
        } else {
            Self::open(path)
        }
    }

    /// Takes what lies beside the path and belongs to this file away; what stood in the log alone goes into the file first,
    /// wherever it is now.
    fn leave(&self, path: &Path) {
        let writer = self.writer.lock();
        let merged = writer
            .busy_timeout(std::time::Duration::ZERO)
            .and_then(|()| writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        if let Err(error) = merged {
            tracing::debug!(%error, "the log of the file that was replaced was not merged");
        }
        let _alone = connect::alone(path);
        for (suffix, mine) in SIDES.iter().zip(&self.sides) {
            let side = beside(path, suffix);
            if mine.is_some()
                && disk::identity(&side) == *mine
                && let Err(error) = std::fs::remove_file(&side)
            {
                tracing::warn!(%error, file = disk::shown(&side), "it belongs to a store that is gone and should be removed");
            }
        }
    }

    /// Closes the idle connections: what they keep in memory may be what was wrong.
    pub(super) fn forget(&self) {
        self.readers.lock().clear();
    }
}
