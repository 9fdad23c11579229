//! The history that ships in the program: a store file, compressed.
//!
//! `data/history/build.py` makes it by `econoscope import`, docs/DATA.md says what is in it and where it came from. A
//! new store starts as a copy of it, so that the program answers something true before its first sync.

use super::file::Sqlite;
use super::query::failed;
use crate::store::Store;
use econoscope_core::error::{Error, Result};
use std::path::Path;

const HISTORY: &[u8] = include_bytes!("../../../data/history/history.db.zst");

impl Sqlite {
    /// A store in memory that holds the bundled history: where no place can be written to.
    ///
    /// # Errors
    /// [`Error::Store`] when there is not enough memory; [`Error::Internal`] when what ships in the program is damaged.
    pub fn bundled() -> Result<Self> {
        let file = zstd::decode_all(HISTORY);
        let file = file.map_err(|e| Error::internal("the bundled history is damaged", e))?;
        let store = Self::in_memory()?;
        store.with_writer(|db| {
            let read = db.deserialize_read_exact("main", &*file, file.len(), false);
            read.map_err(|e| failed("open the bundled history", e))
        })?;
        Ok(store)
    }

    /// Opens a store; one that holds no series starts as a copy of the bundled history.
    ///
    /// # Errors
    /// As [`Self::open`] and [`Self::start_from_bundle`].
    pub fn open_with_history(path: &Path) -> Result<Self> {
        let store = Self::open(path)?;
        store.start_from_bundle()?;
        Ok(store)
    }

    /// Copies the bundled history into a store that holds no series. Each line carries its own checksum and is verified
    /// when it is read.
    ///
    /// # Errors
    /// [`Error::Store`] when the store cannot be read or written; otherwise as [`Self::bundled`].
    pub fn start_from_bundle(&self) -> Result<()> {
        if self.count()? == 0 {
            self.fill_from(&Self::bundled()?)?;
        }
        Ok(())
    }
}
