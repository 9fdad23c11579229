//! The database file that is open: its connections and its identity.
//!
//! The file may be deleted or replaced under a running server. Then every call is an error. The files beside it, above
//! all the log, are removed: read with the new file they would mix two stores.

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
    /// Wraps one connection that reads and writes.
    pub(super) fn from_connection(connection: Connection) -> Self {
        Self {
            path: None,
            identity: None,
            sides: [None; 2],
            writer: Mutex::new(connection),
            readers: Mutex::default(),
        }
    }

    /// Opens the file at a path. Creates it and its folders if there is none.
    pub(super) fn create(path: &Path) -> Result<Self> {
        connect::create_folder(path)?;
        connect::create(path)?;
        Self::open(path)
    }

    /// Opens a file that must exist.
    pub(super) fn open(path: &Path) -> Result<Self> {
        connect::must_exist(path)?;
        let identity = disk::identity(path);
        let writer = connect::open(path)?;
        let file = Self {
            path: Some(path.to_owned()),
            identity,
            sides: SIDE_SUFFIXES.map(|suffix| disk::identity(&with_suffix(path, suffix))),
            ..Self::from_connection(writer)
        };
        file.must_be_in_place()?;
        Ok(file)
    }

    /// Checks that the file is still at its path.
    pub(super) fn must_be_in_place(&self) -> Result<()> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let current = disk::identity(path);
        if current.is_some() && current == self.identity {
            return Ok(());
        }
        if current.is_some() {
            self.remove_side_files(path);
        }
        Err(Error::store_without_cause(format!(
            "{} was deleted or replaced while it was open. Put it back, or restart econoscope to open the file that is \
             there.",
            disk::format_path(path)
        )))
    }

    /// Removes the side files of this file at `path`, after merging the log into the file, wherever that is now.
    fn remove_side_files(&self, path: &Path) {
        let sides = SIDE_SUFFIXES.map(|suffix| with_suffix(path, suffix));
        for (side, identity) in sides.iter().zip(&self.sides) {
            if identity.is_none() || disk::identity(side) != *identity {
                continue;
            }
            let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
            let merged = self.writer.lock().query_row(sql, [], |_| Ok(()));
            let removed = std::fs::remove_file(side);
            tracing::debug!(
                file = disk::format_path(side),
                ?merged,
                ?removed,
                "a side file of a replaced store"
            );
        }
    }
}
