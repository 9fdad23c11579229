//! The history that ships in the program: a compressed store file.
//!
//! `data/history/build.py` builds it with `econoscope import`; docs/DATA.md says what it holds. A new store
//! starts as a copy of it, so that the program has figures before its first sync.

use super::handle::Sqlite;
use super::query::operation_error;
use crate::store::{Status, Store, WriteVintages};
use econoscope_core::error::{Error, Result};
use std::collections::HashSet;
use std::path::Path;

const HISTORY: &[u8] = include_bytes!("../../../data/history/history.db.zst");

/// The number of series in it. A store with fewer may come from an earlier program.
const SERIES: u64 = 681;

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

    /// Opens a store. One without series starts as a copy of the bundled history; one that an earlier program began so
    /// gets the series that it lacks.
    ///
    /// # Errors
    /// As [`Self::open`] and [`Self::start_from_bundle`].
    pub fn open_with_history(path: &Path) -> Result<Self> {
        let store = Self::open(path)?;
        store.start_from_bundle()?;
        if store.count()? < SERIES {
            store.add_from_bundle()?;
        }
        Ok(store)
    }

    /// Adds the bundled series that a store lacks, unless it has none of them. What is stored stays as it is.
    fn add_from_bundle(&self) -> Result<()> {
        let held = self.status()?;
        let is_bundled = |status: &Status| {
            let mut origins = status.earlier_origins.iter().map(|(origin, _)| origin);
            status.is_bundled() || origins.any(|origin| origin.starts_with("bundled"))
        };
        if !held.iter().any(is_bundled) {
            return Ok(());
        }
        let names: HashSet<_> = held.into_iter().map(|status| status.id).collect();
        let bundle = Self::bundled()?;
        let mut lacking = bundle.status()?;
        lacking.retain(|status| !names.contains(&status.id));
        self.write_batch(&|store| {
            for Status {
                id,
                fetched_at,
                origin,
                ..
            } in &lacking
            {
                let vintages = bundle.read(id)?;
                store.write_vintages(WriteVintages::new(
                    id,
                    vintages.as_ref().map_or(&[], |vintages| vintages.rows()),
                    *fetched_at,
                    origin,
                ))?;
            }
            Ok(())
        })
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
