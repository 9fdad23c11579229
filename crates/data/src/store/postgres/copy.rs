//! A copy of the database in a file of one's own, which all reading is answered from.
//!
//! It follows the database beside all requests: the state is asked for every second, a word of a writer makes that
//! sooner, and then only the lines that changed are fetched. With the database gone everything is answered as before.
//! Writes go to the database, in the term of whoever has the turn, and return when the file has them, too.

use super::fetch::{Progress, bring};
use super::following::ReplicaFile;
use super::handle::Postgres;
use super::thread::wait;
use crate::postgres::Address;
use crate::store::seam::{Leadership, Store};
use crate::store::sqlite::Sqlite;
use econoscope_core::error::{Error, NOTICE, Result};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;

impl Postgres {
    /// Opens a database with its copy at `path`, or makes that: all of it is there before this returns; `told` hears
    /// how many row groups came, of how many. A copy that is there answers also while the database cannot be reached.
    ///
    /// # Errors
    /// [`Error::Store`] when the file is no copy, there is none and the database cannot be reached, or its layout
    /// is not this program's.
    pub fn with_copy(
        address: &Address,
        path: &Path,
        told: impl Fn(Progress) + Send + Sync,
    ) -> Result<Self> {
        let (store, copy) = opened(address, path, told)?;
        copy.follow()?;
        Ok(Self {
            copy: Some(copy),
            ..store
        })
    }

    /// Brings the copy at `path` up to date, or makes it, and closes it.
    ///
    /// # Errors
    /// As [`Self::with_copy`].
    pub fn make_copy(
        address: &Address,
        path: &Path,
        told: impl Fn(Progress) + Send + Sync,
    ) -> Result<()> {
        opened(address, path, told).map(drop)
    }
}

impl Leadership for Postgres {
    fn terms(&self) -> watch::Receiver<Option<i64>> {
        let copy = self.copy.as_ref();
        copy.map_or_else(|| watch::channel(None).1, ReplicaFile::terms)
    }

    fn in_term(&self, term: i64) -> Arc<dyn Store> {
        Arc::new(Self {
            term: Some(term),
            ..self.clone()
        })
    }

    fn resign(&self) {
        if let Some(copy) = &self.copy {
            copy.resign();
        }
    }
}

/// Opens the copy and brings it up to date, or makes it.
///
/// # Errors
/// As [`Postgres::with_copy`].
fn opened(
    address: &Address,
    path: &Path,
    told: impl Fn(Progress) + Send + Sync,
) -> Result<(Postgres, Arc<ReplicaFile>)> {
    let file = file(path)?;
    let mark = file.mark()?;
    if mark.is_none() && file.count()? > 0 {
        let path = crate::disk::shown(path);
        return Err(Error::of_store(format!(
            "{path} is a store of its own and no copy of a database. Choose another file with --replica, or \
             move what it holds by `econoscope copy --from {path} --to {address}`."
        )));
    }
    let store = Postgres::unchecked(address)?;
    let brought = store.begin();
    let brought = brought.and_then(|()| wait(bring(&store.db, &file, mark.clone(), told)));
    let (mark, away) = match brought {
        Ok(now) => (now, false),
        Err(error) if mark.is_some() && may_return(&error) => {
            let error = error.for_operator();
            tracing::warn!(target: NOTICE, "the database is away, answers go on from the copy: {error}");
            (mark, true)
        }
        Err(error) => return Err(error),
    };
    let copy = ReplicaFile::new(file, store.db.clone(), mark, away);
    Ok((store, Arc::new(copy)))
}

/// Whether it is the way to the database, and no refusal.
fn may_return(error: &Error) -> bool {
    matches!(
        error,
        Error::Store {
            source: Some(_),
            ..
        }
    )
}

/// The file, made anew where it is damaged: all in it is in the database.
fn file(path: &Path) -> Result<Sqlite> {
    match Sqlite::open(path) {
        Err(error) if Sqlite::is_damage(&error) => {
            let aside = Sqlite::quarantine(path)?;
            let aside = crate::disk::shown(&aside);
            tracing::error!(target: NOTICE, "the copy was damaged and is now {aside}; it is made anew");
            Sqlite::open(path)
        }
        opened => opened,
    }
}
