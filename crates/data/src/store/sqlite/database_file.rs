//! The database file that is open: its connections, its identity, and the files beside it.
//!
//! The file may be deleted or replaced under a running server. The files beside it, above all the log, belong to the
//! old file: read with the new one they would mix two stores. So they are removed together with their file.

use super::connect;
use crate::disk::{self, Identity};
use crate::sqlite::{SIDE_SUFFIXES, with_suffix};
use econoscope_core::error::{Error, Result};
use parking_lot::Mutex;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// A database and its connections. An open connection keeps the file's identity from being reused.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    /// Path; `None` for a store that ends with the process.
    pub(super) path: Option<PathBuf>,
    identity: Option<Identity>,
    sides: [Option<Identity>; 2],
    /// A panic while it is locked leaves no open transaction: transactions roll back when dropped.
    pub(super) writer: Mutex<Connection>,
    /// Idle connections.
    pub(super) readers: Mutex<Vec<Connection>>,
}

impl DatabaseFile {
    /// Wraps a connection that writes to the file at a path, or that reads and writes without one.
    pub(super) fn new(writer: Connection, path: Option<&Path>) -> Self {
        Self {
            path: path.map(Path::to_owned),
            identity: path.and_then(disk::identity),
            sides: SIDE_SUFFIXES.map(|suffix| disk::identity(&with_suffix(path?, suffix))),
            writer: Mutex::new(writer),
            readers: Mutex::default(),
        }
    }

    /// Opens the file at a path. Creates it and its folders if there is none.
    pub(super) fn create(path: &Path) -> Result<Self> {
        connect::create(path)?;
        Self::open(path)
    }

    /// Opens a file that must exist.
    pub(super) fn open(path: &Path) -> Result<Self> {
        connect::must_exist(path)?;
        let identity = disk::identity(path);
        let file = Self::new(connect::open(path)?, Some(path));
        if identity.is_none() || file.identity != identity {
            // It is unknown which of the two files was opened.
            return Err(Error::store_without_cause(format!(
                "{} was replaced while it was opened. Try again.",
                disk::format_path(path)
            )));
        }
        Ok(file)
    }

    /// Returns the path if the file there was deleted or replaced.
    pub(super) fn replaced_path(&self) -> Option<&Path> {
        let path = self.path.as_deref()?;
        let current = disk::identity(path);
        (current.is_none() || current != self.identity).then_some(path)
    }

    /// Opens the file that replaced this one. Only a writer creates a deleted file anew: a reader would take an empty
    /// store for the truth.
    pub(super) fn reopen(&self, path: &Path, for_writing: bool) -> Result<Self> {
        if !for_writing {
            connect::must_exist(path)?;
        }
        self.remove_side_files(path);
        if for_writing {
            Self::create(path)
        } else {
            Self::open(path)
        }
    }

    /// Removes the side files of this file at `path`, after merging the log into the file, wherever that is now.
    fn remove_side_files(&self, path: &Path) {
        let writer = self.writer.lock();
        let merged = writer
            .busy_timeout(std::time::Duration::ZERO)
            .and_then(|()| writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        if let Err(error) = merged {
            tracing::debug!(%error, "the log of the file that was replaced was not merged");
        }
        let _lock = connect::lock_folder(path);
        for (suffix, identity) in SIDE_SUFFIXES.iter().zip(&self.sides) {
            let side = with_suffix(path, suffix);
            if identity.is_some()
                && disk::identity(&side) == *identity
                && let Err(error) = std::fs::remove_file(&side)
            {
                tracing::warn!(%error, file = disk::format_path(&side), "a side file of a replaced store could not be removed; delete it");
            }
        }
    }

    /// Closes the idle connections, whose page caches may have caused the error.
    pub(super) fn close_readers(&self) {
        self.readers.lock().clear();
    }
}
