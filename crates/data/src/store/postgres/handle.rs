//! An open database with its replica: reads from the replica, writes to both.

use super::publish::{PublishResult, publish};
use super::replica::Replica;
use super::rows::watermark;
use super::runtime::{block_on, spawn};
use super::transfer::update_replica;
use super::{layout, lease};
use crate::postgres::{Address, Database, TransactionMode};
use crate::store::sqlite::tables::Watermark;
use crate::store::sqlite::{Backing, Sqlite};
use econoscope_core::error::{Error, Result};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long a write is retried: long enough for a restart of the database.
const PATIENCE: Duration = Duration::from_secs(60);

/// A store in PostgreSQL and its local replica.
#[derive(Debug, Clone)]
pub struct Postgres {
    pub(super) db: Database,
    /// Term in which this handle writes. Without one, a live replica refuses writes and other handles write in any term.
    pub(super) term: Option<i64>,
    pub(in crate::store) replica: Arc<Replica>,
    /// Whether the replica follows the database by itself; otherwise it is updated before each read.
    pub(in crate::store) is_live: bool,
}

impl Postgres {
    /// Opens a database whose tables exist.
    ///
    /// # Errors
    /// [`Error::Store`] when it cannot be reached, or its layout is not this program's.
    pub fn open(address: &Address) -> Result<Self> {
        let store = Self::with_file(address, Sqlite::temporary()?)?;
        store.check_layout()?;
        Ok(store)
    }

    /// Opens a database. One without series starts as a copy of the bundled history.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with_history(address: &Address) -> Result<Self> {
        let store = Self::with_file(address, Sqlite::temporary()?)?;
        store.start_from_bundle()?;
        Ok(store)
    }

    /// Prepares a database with a replica in `file`, without connecting to it.
    pub(super) fn with_file(address: &Address, file: Sqlite) -> Result<Self> {
        let db = Database::new(address, PATIENCE)?;
        Ok(Self {
            replica: Arc::new(Replica::new(file, db.clone())),
            db,
            term: None,
            is_live: false,
        })
    }

    fn check_layout(&self) -> Result<()> {
        let db = self.db.clone().with_patience(Duration::from_secs(5));
        block_on(layout::check(&db))
    }

    /// Checks the layout, and copies the bundled history into a database without series.
    pub(super) fn start_from_bundle(&self) -> Result<()> {
        self.check_layout()?;
        if self.watermark()?.series == 0 {
            self.fill_from(&Sqlite::bundled()?)?;
        }
        Ok(())
    }

    /// Creates or upgrades the tables of a database. Returns the old and the new layout number.
    ///
    /// # Errors
    /// [`Error::Store`] when the layout is newer than this program, or the database cannot be reached.
    pub fn migrate(address: &Address) -> Result<(i64, i64)> {
        block_on(layout::migrate(&Database::new(address, PATIENCE)?))
    }

    /// Acquires the lease on writing if it is free, and renews it while the guard lives. Returns the holder if it is not.
    ///
    /// # Errors
    /// [`Error::Store`] when the database cannot be reached.
    pub fn acquire_lease(&self) -> Result<std::result::Result<LeaseGuard, String>> {
        let term = match block_on(lease::acquire(&self.db, &lease::process_name()))? {
            Ok(term) => term,
            Err(holder) => return Ok(Err(holder)),
        };
        let db = self.db.clone();
        let heartbeat = spawn(async move {
            loop {
                tokio::time::sleep(lease::HEARTBEAT).await;
                if matches!(lease::renew(&db, term).await, Ok(false)) {
                    return;
                }
            }
        })?;
        Ok(Ok(LeaseGuard {
            store: self.in_term(term),
            heartbeat,
        }))
    }

    /// Returns the number of series, and a phrase on who holds the lease.
    ///
    /// # Errors
    /// [`Error::Store`] when the database cannot be reached.
    pub fn lease_status(&self) -> Result<(i64, String)> {
        let holder = block_on(lease::describe_holder(&self.db))?;
        Ok((self.watermark()?.series, holder))
    }

    /// Returns the watermark of the database.
    fn watermark(&self) -> Result<Watermark> {
        let read = |tx| async move { watermark(&tx).await };
        block_on(self.db.transaction("read", read))
    }

    /// Fills an empty database with the content of a store. Returns `false` when it is not empty.
    ///
    /// # Errors
    /// [`Error::Store`] when either fails. Nothing was written then.
    pub fn fill_from(&self, store: &Sqlite) -> Result<bool> {
        self.write_with(true, |replica| replica.fill_from(store))
    }

    /// Copies the database into a new store file.
    ///
    /// # Errors
    /// [`Error::Store`] when there is a file already, or either fails.
    pub fn copy_to(&self, path: &Path) -> Result<()> {
        if path.exists() {
            let path = crate::disk::format_path(path);
            return Err(Error::store_without_cause(format!(
                "there is a file {path} already. Choose another name."
            )));
        }
        let file = Sqlite::open(path)?;
        block_on(update_replica(&self.db, &file))?;
        file.drop_watermark()
    }
}

impl Backing for Postgres {
    fn file(&self) -> &Sqlite {
        &self.replica.file
    }

    fn database(&self) -> Option<&Self> {
        Some(self)
    }

    fn reader(&self) -> Result<&Sqlite> {
        if !self.is_live {
            block_on(update_replica(&self.db, &self.replica.file))?;
        }
        Ok(&self.replica.file)
    }

    /// Runs work that writes, and updates the replica with its changes. If the response to a commit was lost, the second
    /// attempt finds nothing to change, and the value of the first one is returned.
    fn write_with<T: Clone + Send>(
        &self,
        is_batch: bool,
        work: impl Fn(&Sqlite) -> Result<T> + Sync,
    ) -> Result<T> {
        let mode = if is_batch {
            TransactionMode::BULK
        } else {
            TransactionMode::SHORT
        };
        if self.is_live && self.term.is_none() {
            return Err(Error::store_without_cause(
                "this server reads from its replica of the database; only the server with the write lease writes. \
                 Nothing was written.",
            ));
        }
        // Updates the replica before the database is locked.
        self.reader()?;
        let run = &work;
        let first_attempt = &Mutex::new(None::<PublishResult<T>>);
        let transaction = self.db.transaction_with("write to", mode, |tx| async move {
            let published = publish(tx, &self.replica.file, self.term, run).await?;
            let mut earlier = first_attempt.lock();
            if !published.is_changed
                && let Some(first) = earlier.take()
            {
                return Ok(first);
            }
            *earlier = Some(published.clone());
            Ok(published)
        });
        let published = block_on(transaction)?;
        if published.is_changed
            && let Err(error) = block_on(update_replica(&self.db, &self.replica.file))
        {
            tracing::debug!(
                error = error.operator_message(),
                "the replica is updated later"
            );
        }
        Ok(published.value)
    }
}

/// The lease on writing, released when this is dropped.
#[derive(Debug)]
pub struct LeaseGuard {
    store: Postgres,
    heartbeat: tokio::task::JoinHandle<()>,
}

impl LeaseGuard {
    /// Returns the store for writing under this lease. It refuses writes once another term has begun.
    pub fn store(&self) -> Postgres {
        self.store.clone()
    }
}

impl Drop for LeaseGuard {
    fn drop(&mut self) {
        self.heartbeat.abort();
        if let Some(term) = self.store.term {
            lease::release(&self.store.db, term);
        }
    }
}
