//! A database that is open: asked and written to directly, or with a copy that answers for it.

use super::lines::state;
use super::replica::ReplicaFile;
use super::thread::{beside, wait};
use super::transfer;
use super::work::{self, Done, WantedRows};
use super::{layout, lease};
use crate::postgres::{Address, AttemptResult, Bounds, Database, Session};
use crate::store::BatchWork;
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::Watermark;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::SeriesId;
use parking_lot::Mutex;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Most connections of one process; few writes are under way at once.
const CONNECTIONS: usize = 4;
/// How long a write is tried again: a database that is started anew is back by then.
const PATIENCE: Duration = Duration::from_secs(60);

/// A store in PostgreSQL.
#[derive(Debug, Clone)]
pub struct Postgres {
    pub(super) db: Database,
    /// In whose term is written; `None` writes whoever has the turn, and with a copy nobody.
    pub(super) term: Option<i64>,
    /// What all reading is answered from, if there is one.
    pub(super) copy: Option<Arc<ReplicaFile>>,
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
    /// [`Error::Store`] when the certificates to trust cannot be read.
    pub fn unchecked(address: &Address) -> Result<Self> {
        Ok(Self {
            db: Database::at(address, CONNECTIONS, PATIENCE)?,
            term: None,
            copy: None,
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

    /// Runs work that only reads.
    pub(super) fn look<T: Send>(
        &self,
        wanted: WantedRows<'_>,
        work: impl Fn(&Sqlite) -> Result<T> + Sync,
    ) -> Result<T> {
        if let Some(copy) = &self.copy {
            return work(&copy.file);
        }
        let look = |tx| work::look(tx, &wanted, &work);
        wait(self.db.bounded("read", Bounds::MOMENT, look))
    }

    /// Runs work that writes, and waits until the copy has the change it made. Of a commit whose answer was lost the
    /// second attempt finds nothing to do, and the first one's answer stands.
    pub(super) fn change<T: Clone + Send>(
        &self,
        wanted: WantedRows<'_>,
        work: impl Fn(&Sqlite) -> Result<T> + Sync,
    ) -> Result<T> {
        let (term, wanted, work) = (self.term, &wanted, &work);
        self.commit(Bounds::SHORT, |tx| async move {
            work::change(&tx, wanted, term, work).await
        })
    }

    /// The same with many series in one transaction, for as long as it takes.
    pub(super) fn change_batch(
        &self,
        ids: &[SeriesId],
        notes: &[&str],
        work: BatchWork<'_>,
    ) -> Result<()> {
        let term = self.term;
        self.commit(Bounds::WHOLE, |tx| async move {
            work::change_batch(&tx, (ids, notes), term, work).await
        })
    }

    fn commit<T: Clone + Send, F: Future<Output = AttemptResult<Done<T>>> + Send>(
        &self,
        bounds: Bounds,
        attempt: impl Fn(Session) -> F + Send + Sync,
    ) -> Result<T> {
        if self.copy.is_some() && self.term.is_none() {
            return Err(Error::of_store(
                "this server answers from its copy of the database; only the one whose turn it is writes. \
                 Nothing was written.",
            ));
        }
        let (attempt, earlier) = (&attempt, &Mutex::new(None::<Done<T>>));
        let done = self.db.bounded("write to", bounds, |tx| async move {
            let done = attempt(tx).await?;
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
        if let Some(change) = done.change {
            // Whoever hears it looks sooner; whoever does not, looks by himself.
            let db = self.db.clone();
            beside(async move { db.notify(transfer::CHANNEL).await })?;
            if let Some(copy) = &self.copy {
                copy.wait_for(change);
            }
        }
        Ok(done.answer)
    }

    /// The state of the database now.
    pub(super) fn watermark(&self) -> Result<Watermark> {
        wait(state(&self.db))
    }

    /// Fills an empty database with what a store in a file holds; `false` when it is not empty.
    ///
    /// # Errors
    /// [`Error::Store`] when either fails. Nothing was written then.
    pub fn fill_from(&self, store: &Sqlite) -> Result<bool> {
        wait(transfer::fill(&self.db, store))
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
        wait(transfer::bring(&self.db, &file, None, |_| {}))?;
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
