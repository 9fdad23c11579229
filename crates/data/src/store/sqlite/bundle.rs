//! The history that ships in the program: a store file, compressed.
//!
//! `data/history/build.py` makes it by `econoscope import`, docs/DATA.md says what is in it and where it came from. A
//! new store starts as a copy of it, so that the program answers something true before its first sync.

use super::connect;
use super::file::{Sqlite, transaction};
use super::query::failed;
use super::state;
use crate::store::Store;
use econoscope_core::error::{Error, Result};
use rusqlite::Connection;
use std::path::Path;

const HISTORY: &[u8] = include_bytes!("../../../data/history/history.db.zst");
/// The lines as they are: each carries its own checksum and is verified when it is read.
const COPY: &str = "INSERT INTO main.series SELECT * FROM bundle.series;
     INSERT INTO main.segment SELECT * FROM bundle.segment;";

impl Sqlite {
    /// A store in memory that holds the bundled history: where no place can be written to.
    ///
    /// # Errors
    /// [`Error::Store`] when there is not enough memory.
    pub fn bundled() -> Result<Self> {
        let store = Self::in_memory()?;
        store.start_from_bundle()?;
        Ok(store)
    }

    /// Opens a store; one that holds no series starts as a copy of the bundled history. Where there is no file the
    /// copy is laid there whole, which costs one write and not one for each page.
    ///
    /// # Errors
    /// As [`Self::open`] and [`Self::start_from_bundle`].
    pub fn open_with_history(path: &Path) -> Result<Self> {
        if !path.exists() {
            connect::make_folder(path)?;
            let placed = connect::place(path, &logged(history()?));
            if let Err(error) = placed {
                // Some disks know no hard links. What else may be wrong, opening it says.
                let error = error.for_operator();
                tracing::debug!(error, "the history is copied row by row");
            }
        }
        let store = Self::open(path)?;
        store.start_from_bundle()?;
        Ok(store)
    }

    /// Copies the bundled history into a store that holds no series.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read or written; [`Error::Internal`] when what ships in the program
    /// is damaged.
    pub fn start_from_bundle(&self) -> Result<()> {
        if self.count()? > 0 {
            return Ok(());
        }
        let history = history()?;
        self.with_writer(|writer| {
            attach(writer, &history).map_err(|e| failed("open the bundled history", e))?;
            let copied = transaction(writer, copy);
            let detached = writer.execute_batch("DETACH bundle");
            copied.and(detached.map_err(|e| failed("close the bundled history", e)))
        })
    }
}

/// The file of the history, as a backup is: without a log.
fn history() -> Result<Vec<u8>> {
    zstd::decode_all(HISTORY).map_err(|e| Error::internal("the bundled history is damaged", e))
}

/// A store file that says in its header (bytes 18 and 19, https://sqlite.org/fileformat.html) that it is kept with a
/// log, as every store is, so that its first opening has nothing to write.
fn logged(mut file: Vec<u8>) -> Vec<u8> {
    if let Some(versions) = file.get_mut(18..20) {
        versions.fill(2);
    }
    file
}

/// Opens a store file that lies in memory beside the one that is open, as `bundle`.
fn attach(db: &mut Connection, file: &[u8]) -> rusqlite::Result<()> {
    db.execute_batch("ATTACH ':memory:' AS bundle")?;
    // Not for reading only: a writing transaction asks for the right to write to all that is attached.
    db.deserialize_read_exact("bundle", file, file.len(), false)
}

/// Copies what is attached, unless another process was first.
fn copy(db: &Connection) -> Result<()> {
    if state::state(db)?.series > 0 {
        return Ok(());
    }
    let count = db
        .execute_batch(COPY)
        .and_then(|()| db.query_row("SELECT count(*) FROM series", [], |row| row.get(0)))
        .map_err(|e| failed("write", e))?;
    state::changed(db, count)
}
