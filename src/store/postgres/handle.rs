//! A database that is open: its connections, the thread they live on, and in whose term is written.

use super::fetch::{self, Progress};
use super::lines::state;
use super::work::{self, Done, Wanted};
use super::{layout, lease, upload};
use crate::error::{Error, Result};
use crate::postgres::{Address, Bounds, Database};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::{Mark, Piece};
use std::future::Future;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::mpsc;

/// Most connections of one process; few writes are under way at once.
const CONNECTIONS: usize = 4;
/// How long a write is tried again: a database that is started anew is back by then.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pieces on their way at once, each of about a megabyte.
const ON_THE_WAY: usize = 4;

/// A store in PostgreSQL.
#[derive(Debug, Clone)]
pub struct Postgres {
    shared: Arc<Shared>,
    /// In whose term is written; `None` writes whoever has the turn.
    term: Option<i64>,
    /// Number of the last change made through this handle; 0 while there is none.
    changed: Arc<AtomicI64>,
}

impl Postgres {
    /// Opens a database whose tables are laid out.
    ///
    /// # Errors
    /// [`Error::Store`] when it cannot be reached, or its layout is not this program's.
    pub(crate) fn open(address: &Address) -> Result<Self> {
        let store = Self::unchecked(address)?;
        let db = store.shared.db.clone();
        let db = db.with_patience(Duration::from_secs(5));
        store.shared.wait(layout::check(&db))?;
        Ok(store)
    }

    /// Opens a database; one that holds no series starts as a copy of the bundled history.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub(crate) fn open_with_history(address: &Address) -> Result<Self> {
        let store = Self::open(address)?;
        if store.mark()?.series == 0 {
            store.fill_from(&Sqlite::bundled()?)?;
        }
        Ok(store)
    }

    /// A database that is not asked for anything yet.
    ///
    /// # Errors
    /// [`Error::Store`] when the certificates to trust cannot be read.
    pub(crate) fn unchecked(address: &Address) -> Result<Self> {
        let shared = Shared::over(Database::at(address, CONNECTIONS, PATIENCE)?)?;
        Ok(Self {
            shared: Arc::new(shared),
            term: None,
            changed: Arc::default(),
        })
    }

    /// Lays out the tables, or brings them up to this version; from which layout to which.
    ///
    /// # Errors
    /// [`Error::Store`] when the layout is newer than this program, or the database cannot be reached.
    pub(crate) fn migrate(&self) -> Result<(i64, i64)> {
        self.shared.wait(layout::migrate(&self.shared.db))
    }

    /// The same, whose writes are refused once another term has begun.
    pub(in crate::store) fn in_term(&self, term: i64) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            term: Some(term),
            changed: Arc::default(),
        }
    }

    /// Number of the last change made through this handle; 0 while there is none.
    pub(in crate::store) fn last_change(&self) -> i64 {
        self.changed.load(Ordering::Relaxed)
    }

    /// What all copies share.
    pub(in crate::store) const fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Takes the turn to write if nobody has it; the term, or who has it.
    ///
    /// # Errors
    /// [`Error::Store`] when the database cannot be reached.
    pub(crate) fn take_turn(&self) -> Result<std::result::Result<i64, String>> {
        let who = lease::own_name();
        self.shared.wait(lease::take(&self.shared.db, &who))
    }

    /// How many series there are, and in words who has the turn to write.
    ///
    /// # Errors
    /// [`Error::Store`] when the database cannot be reached.
    pub(crate) fn standing(&self) -> Result<(i64, String)> {
        let holder = self.shared.wait(lease::holder(&self.shared.db))?;
        Ok((self.mark()?.series, holder))
    }

    /// Gives the turn back.
    ///
    /// # Errors
    /// [`Error::Store`] when the database cannot be reached; the turn ends by itself then.
    pub(crate) fn give_back(&self, term: i64) -> Result<()> {
        self.shared.wait(lease::end(&self.shared.db, term))
    }

    /// Keeps the turn for as long as the guard lives; writes of the store it comes with are of this term.
    pub(crate) fn hold_turn(&self, term: i64) -> Turn {
        let db = self.shared.db.clone();
        let kept = self.shared.handle().map(|runtime| {
            runtime.spawn(async move {
                loop {
                    tokio::time::sleep(lease::BEAT).await;
                    if matches!(lease::renew(&db, term).await, Ok(false)) {
                        return;
                    }
                }
            })
        });
        Turn {
            store: self.in_term(term),
            term,
            kept,
        }
    }

    /// Runs work that only reads.
    pub(super) fn look<T: Send>(
        &self,
        wanted: Wanted<'_>,
        work: impl Fn(&Sqlite) -> Result<T> + Sync,
    ) -> Result<T> {
        let look = |tx| work::look(tx, &wanted, &work);
        let db = &self.shared.db;
        self.shared.wait(db.bounded("read", Bounds::MOMENT, look))
    }

    /// Runs work that writes, and notes the change it made. Of a commit whose answer was lost the second
    /// attempt finds nothing to do, and the first one's answer stands.
    pub(super) fn change<T: Clone + Send>(
        &self,
        wanted: Wanted<'_>,
        work: impl Fn(&Sqlite) -> Result<T> + Sync,
    ) -> Result<T> {
        let (term, earlier) = (self.term, Mutex::new(None::<Done<T>>));
        let (wanted, work, earlier) = (&wanted, &work, &earlier);
        let db = &self.shared.db;
        let done = db.transaction("write to", |tx| async move {
            let done = work::change(&tx, wanted, term, work).await?;
            let mut earlier = earlier.lock().unwrap_or_else(PoisonError::into_inner);
            if done.change.is_none()
                && let Some(earlier) = earlier.take()
            {
                return Ok(earlier);
            }
            *earlier = Some(done.clone());
            Ok(done)
        });
        let done = self.shared.wait(done)?;
        if let (Some(change), Some(runtime)) = (done.change, self.shared.handle()) {
            self.changed.fetch_max(change, Ordering::Relaxed);
            // Whoever hears it looks sooner; whoever does not, looks by himself.
            let db = db.clone();
            runtime.spawn(async move { db.notify(fetch::CHANNEL).await });
        }
        Ok(done.answer)
    }

    /// The state of the database now.
    pub(super) fn mark(&self) -> Result<Mark> {
        self.shared.wait(state(&self.shared.db))
    }

    /// Fills an empty database with what a store in a file holds; `false` when it is not empty.
    ///
    /// # Errors
    /// [`Error::Store`] when either fails. Nothing was written then.
    pub(crate) fn fill_from(&self, store: &Sqlite) -> Result<bool> {
        if self.mark()?.series > 0 {
            return Ok(false);
        }
        let (send, receive) = mpsc::channel(ON_THE_WAY);
        let (read, done) = std::thread::scope(|scope| {
            let read = scope.spawn(move || {
                // Nobody takes it any more: the other side says why.
                let give = |piece| {
                    let given = send.blocking_send(piece);
                    given.map_err(|e| Error::internal("a copy", e.to_string()))
                };
                store.pieces(|piece| give(Piece::Lines(piece)))?;
                give(Piece::End(Mark::default()))
            });
            let done = self.shared.wait(upload::fill(&self.shared.db, receive));
            (read.join(), done)
        });
        let read = read.map_err(|_| Error::internal("reading the store", "it panicked"))?;
        // What stopped the reader comes first, unless it was only that nobody took.
        match read {
            Ok(()) | Err(Error::Internal { .. }) => done,
            Err(error) => Err(error),
        }
    }

    /// Brings a file up to date, or fills it; waits for it. `from` is what it holds.
    ///
    /// # Errors
    /// [`Error::Store`] when either fails. The file is as it was then.
    pub(in crate::store) fn bring_into(
        &self,
        file: &Arc<Sqlite>,
        from: Option<Mark>,
        told: impl Fn(Progress) + Send + Sync,
    ) -> Result<Option<Mark>> {
        let brought = fetch::bring(&self.shared.db, file, from, told);
        self.shared.wait(brought)
    }

    /// Writes what the database holds into a new file.
    ///
    /// # Errors
    /// [`Error::Store`] when there is a file already, or either fails.
    pub(crate) fn copy_to(&self, path: &Path) -> Result<()> {
        if path.exists() {
            let path = crate::disk::shown(path);
            return Err(Error::of_store(format!(
                "there is a file {path} already. Choose another name."
            )));
        }
        let file = Arc::new(Sqlite::open(path)?);
        self.bring_into(&file, None, |_| {})?;
        file.cut_loose()
    }
}

/// What is shared by all who write through one process: the connections, and the thread they live on for as long as
/// anyone holds this.
#[derive(Debug)]
pub(in crate::store) struct Shared {
    pub(in crate::store) db: Database,
    runtime: Option<Runtime>,
}

impl Shared {
    /// Starts the thread.
    fn over(db: Database) -> Result<Self> {
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).thread_name("postgres");
        let runtime = runtime.enable_all().build();
        let runtime = runtime.map_err(|e| Error::store("cannot start a thread.", e))?;
        Ok(Self {
            db,
            runtime: Some(runtime),
        })
    }

    /// For work that goes on beside.
    pub(in crate::store) fn handle(&self) -> Option<Handle> {
        self.runtime
            .as_ref()
            .map(|runtime| runtime.handle().clone())
    }

    /// Has work done on a thread beside that of the connections and waits for it: the caller's own may be one of an
    /// executor, which must not block by itself.
    ///
    /// # Errors
    /// What the work says; [`Error::Internal`] when it panicked.
    pub(in crate::store) fn wait<T: Send>(
        &self,
        work: impl Future<Output = Result<T>> + Send,
    ) -> Result<T> {
        let ended = |why: &'static str| Error::internal("work with the database ended", why);
        let runtime = self.runtime.as_ref().ok_or_else(|| ended("too late"))?;
        let done = std::thread::scope(|scope| scope.spawn(move || runtime.block_on(work)).join());
        done.map_err(|_| ended("it panicked"))?
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // The last holder may be on an executor, which must not wait.
            runtime.shutdown_background();
        }
    }
}

/// The turn to write, kept until it is dropped.
#[derive(Debug)]
pub struct Turn {
    store: Postgres,
    term: i64,
    kept: Option<tokio::task::JoinHandle<()>>,
}

impl Turn {
    /// What writes in this turn.
    pub(crate) fn store(&self) -> Postgres {
        self.store.clone()
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(kept) = self.kept.take() {
            kept.abort();
        }
        if let Err(error) = self.store.give_back(self.term) {
            tracing::debug!(error = error.for_operator(), "the turn ends by itself");
        }
    }
}
