//! The history that ships in the program: a compressed store file.
//!
//! `data/history/build.py` builds it with `econoscope import`; docs/DATA.md lists its content and sources. A new store
//! starts as a copy of it, so that the program has figures before its first sync.

use super::handle::Sqlite;
use super::query::operation_error;
use crate::store::Store;
use econoscope_core::error::{Error, Result};
use std::path::Path;

const HISTORY: &[u8] = include_bytes!("../../../data/history/history.db.zst");

impl Sqlite {
    /// Opens the bundled history in memory, for where nothing can be written.
    ///
    /// # Errors
    /// [`Error::Store`] when there is not enough memory; [`Error::Internal`] when the bundled file is damaged.
    pub fn bundled() -> Result<Self> {
        let file = zstd::decode_all(HISTORY)
            .map_err(|e| Error::internal("the bundled history is damaged", e))?;
        let store = Self::in_memory()?;
        store.with_writer(|db| {
            db.deserialize_read_exact("main", &*file, file.len(), false)
                .map_err(|e| operation_error("open the bundled history", e))
        })?;
        Ok(store)
    }

    /// Opens a store. One without series starts as a copy of the bundled history.
    ///
    /// # Errors
    /// As [`Self::open`] and [`Self::start_from_bundle`].
    pub fn open_with_history(path: &Path) -> Result<Self> {
        let store = Self::open(path)?;
        store.start_from_bundle()?;
        Ok(store)
    }

    /// Copies the bundled history into a store without series. Each row has its own checksum, verified when it is read.
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
