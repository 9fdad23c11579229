//! A database that is open: asked and written to directly, or with a copy that answers for it.

use super::lines::watermark;
use super::publish::{Done, publish};
use super::replica::ReplicaFile;
use super::thread::{beside, wait};
use super::transfer::bring;
use super::{layout, lease};
use crate::postgres::{Address, Bounds, Database};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::Watermark;
use econoscope_core::error::{Error, Result};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Most connections of one process; few writes are under way at once.
const CONNECTIONS: usize = 4;
/// How long a write is tried again: a database that is started anew is back by then.
const PATIENCE: Duration = Duration::from_secs(60);

/// A store in PostgreSQL, and the copy that answers for it.
#[derive(Debug, Clone)]
pub struct Postgres {
    pub(super) db: Database,
    /// In whose term is written; `None` writes whoever has the turn, and with a copy that follows nobody.
    pub(super) term: Option<i64>,
    pub(super) copy: Arc<ReplicaFile>,
    /// Whether the copy follows by itself; else it is brought up to date before each read.
    pub(super) is_followed: bool,
}

impl Postgres {
    /// Opens a database whose tables are laid out.
    ///
    /// # Errors
    /// [`Error::Store`] when it cannot be reached, or its layout is not this program's.
    pub fn open(address: &Address) -> Result<Self> {
        let store = Self::unchecked(address)?;
        store.check()?;
        Ok(store)
    }

    /// Opens a database; one that holds no series starts as a copy of the bundled history.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with_history(address: &Address) -> Result<Self> {
        let store = Self::unchecked(address)?;
        store.begin()?;
        Ok(store)
    }

    /// A database that is not asked for anything yet.
    ///
    /// # Errors
    /// [`Error::Store`] when the certificates to trust cannot be read, or there is no room for a copy.
    pub fn unchecked(address: &Address) -> Result<Self> {
        Self::over(address, Sqlite::temporary()?)
    }

    /// A database that is not asked for anything yet, and the file that is its copy.
    pub(super) fn over(address: &Address, file: Sqlite) -> Result<Self> {
        let db = Database::at(address, CONNECTIONS, PATIENCE)?;
        Ok(Self {
            copy: Arc::new(ReplicaFile::new(file, db.clone())),
            db,
            term: None,
            is_followed: false,
        })
    }

    /// Refuses a database that has another layout.
    fn check(&self) -> Result<()> {
        let db = self.db.clone().with_patience(Duration::from_secs(5));
        wait(layout::check(&db))
    }

    /// The same; one that holds no series starts as a copy of the bundled history.
    pub(super) fn begin(&self) -> Result<()> {
        self.check()?;
        if self.watermark()?.series == 0 {
            self.fill_from(&Sqlite::bundled()?)?;
        }
        Ok(())
    }

    /// Lays out the tables, or brings them up to this version; from which layout to which.
    ///
    /// # Errors
    /// [`Error::Store`] when the layout is newer than this program, or the database cannot be reached.
    pub fn migrate(&self) -> Result<(i64, i64)> {
        wait(layout::migrate(&self.db))
    }

    /// Takes the turn to write if nobody has it, and keeps it for as long as the guard lives; or who has it.
    ///
    /// # Errors
    /// [`Error::Store`] when the database cannot be reached.
    pub fn take_lease(&self) -> Result<std::result::Result<LeaseGuard, String>> {
        let term = match wait(lease::take(&self.db, &lease::own_name()))? {
            Ok(term) => term,
            Err(holder) => return Ok(Err(holder)),
        };
        let db = self.db.clone();
        let kept = beside(async move {
            loop {
                tokio::time::sleep(lease::HEARTBEAT).await;
                if matches!(lease::renew(&db, term).await, Ok(false)) {
                    return;
                }
            }
        })?;
        let store = Self {
            term: Some(term),
            ..self.clone()
        };
        Ok(Ok(LeaseGuard { store, term, kept }))
    }

    /// How many series there are, and in words who has the turn to write.
    ///
    /// # Errors
    /// [`Error::Store`] when the database cannot be reached.
    pub fn standing(&self) -> Result<(i64, String)> {
        let holder = wait(lease::holder(&self.db))?;
        Ok((self.watermark()?.series, holder))
    }

    /// What all reading is answered from.
    pub(super) fn file(&self) -> Result<&Sqlite> {
        if !self.is_followed {
            wait(bring(&self.db, &self.copy.file))?;
        }
        Ok(&self.copy.file)
    }

    /// Runs work that writes, and brings the copy the change it made. Of a commit whose answer was lost the second
    /// attempt finds nothing to do, and the first one's answer stands.
    pub(super) fn change<T: Clone + Send>(
        &self,
        bounds: Bounds,
        work: impl Fn(&Sqlite) -> Result<T> + Sync,
    ) -> Result<T> {
        if self.is_followed && self.term.is_none() {
            return Err(Error::of_store(
                "this server answers from its copy of the database; only the one whose turn it is writes. \
                 Nothing was written.",
            ));
        }
        // What a new copy lacks comes before the database is locked.
        self.file()?;
        let (work, earlier) = (&work, &Mutex::new(None::<Done<T>>));
        let done = self.db.bounded("write to", bounds, |tx| async move {
            let done = publish(tx, &self.copy, self.term, work).await?;
            let mut earlier = earlier.lock();
            if done.change.is_none()
                && let Some(earlier) = earlier.take()
            {
                return Ok(earlier);
            }
            *earlier = Some(done.clone());
            Ok(done)
        });
        let done = wait(done)?;
        if done.change.is_some()
            && let Err(error) = wait(bring(&self.db, &self.copy.file))
        {
            tracing::debug!(error = error.for_operator(), "the copy follows later");
        }
        Ok(done.answer)
    }

    /// The state of the database now.
    fn watermark(&self) -> Result<Watermark> {
        let read = |tx| async move { watermark(&tx).await };
        wait(self.db.transaction("read", read))
    }

    /// Fills an empty database with what a store in a file holds; `false` when it is not empty.
    ///
    /// # Errors
    /// [`Error::Store`] when either fails. Nothing was written then.
    pub fn fill_from(&self, store: &Sqlite) -> Result<bool> {
        self.change(Bounds::WHOLE, |copy| copy.fill_from(store))
    }

    /// Writes what the database holds into a new file.
    ///
    /// # Errors
    /// [`Error::Store`] when there is a file already, or either fails.
    pub fn copy_to(&self, path: &Path) -> Result<()> {
        if path.exists() {
            let path = crate::disk::shown(path);
            return Err(Error::of_store(format!(
                "there is a file {path} already. Choose another name."
            )));
        }
        let file = Sqlite::open(path)?;
        wait(bring(&self.db, &file))?;
        file.cut_loose()
    }
}

/// The turn to write, kept until it is dropped.
#[derive(Debug)]
pub struct LeaseGuard {
    store: Postgres,
    term: i64,
    kept: tokio::task::JoinHandle<()>,
}

impl LeaseGuard {
    /// What writes in this turn; refused once another term has begun.
    pub fn store(&self) -> Postgres {
        self.store.clone()
    }
}

impl Drop for LeaseGuard {
    fn drop(&mut self) {
        self.kept.abort();
        lease::give_back(&self.store.db, self.term);
    }
}
