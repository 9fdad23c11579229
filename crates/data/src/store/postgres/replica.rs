//! The replica: a file of this process that follows the database and answers all reads.
//!
//! A task asks for the database's watermark every second and fetches the rows that changed. Without the database every read is answered as before. Writes go to the database, in the epoch
//! of the leader, and return when the file has them.

use super::handle::Postgres;
use super::lease::{self, HEARTBEAT, LEASE};
use super::thread::{beside, wait};
use super::transfer::{bring, receive};
use crate::postgres::{Address, AttemptResult, Database, Session};
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::lines::Watermark;
use crate::store::{Leadership, ReplicaStatus, Store};
use econoscope_core::clock::{jitter, wall};
use econoscope_core::error::{Error, NOTICE, Result};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often the state is asked for.
const POLL: Duration = Duration::from_secs(1);

impl Postgres {
    /// Opens a database with its copy at `path`, or makes that: all of it is there before this returns. A copy that is there answers also while the database cannot be reached.
    ///
    /// # Errors
    /// [`Error::Store`] when the file is no copy, there is none and the database cannot be reached, or its layout
    /// is not this program's.
    pub fn with_copy(address: &Address, path: &Path) -> Result<Self> {
        let store = opened(address, path)?;
        store.copy.follow()?;
        Ok(Self {
            is_followed: true,
            ..store
        })
    }

    /// Brings the copy at `path` up to date, or makes it, and closes it.
    ///
    /// # Errors
    /// As [`Self::with_copy`].
    pub fn make_copy(address: &Address, path: &Path) -> Result<()> {
        opened(address, path).map(drop)
    }
}

impl Leadership for Postgres {
    fn terms(&self) -> watch::Receiver<Option<i64>> {
        self.copy.term.subscribe()
    }

    fn in_term(&self, term: i64) -> Arc<dyn Store> {
        Arc::new(Self {
            term: Some(term),
            ..self.clone()
        })
    }

    fn resign(&self) {
        self.copy.resign();
    }
}

/// Opens the copy and brings it up to date, or makes it.
///
/// # Errors
/// As [`Postgres::with_copy`].
fn opened(address: &Address, path: &Path) -> Result<Postgres> {
    let file = file(path)?;
    let watermark = file.watermark()?;
    if watermark.is_none() && file.count()? > 0 {
        let path = crate::disk::shown(path);
        return Err(Error::of_store(format!(
            "{path} is a store of its own and no copy of a database. Choose another file with --replica, or \
             move what it holds by `econoscope copy --from {path} --to {address}`."
        )));
    }
    if watermark.is_none() {
        let path = crate::disk::shown(path);
        tracing::info!(target: NOTICE, "copying {address} into {path}");
    }
    let store = Postgres::over(address, file)?;
    let brought = store.begin();
    let brought = brought.and_then(|()| wait(bring(&store.copy.db, &store.copy.file)));
    match brought {
        Err(error) if watermark.is_some() && may_return(&error) => {
            let error = error.for_operator();
            tracing::warn!(target: NOTICE, "the database is away, answers go on from the copy: {error}");
            store.copy.note(true);
        }
        Err(error) => return Err(error),
        Ok(()) => {
            store.copy.note(false);
        }
    }
    Ok(store)
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

/// A file and the database it follows.
#[derive(Debug)]
pub(super) struct ReplicaFile {
    pub(super) file: Sqlite,
    /// Asked once each time.
    db: Database,
    status: Mutex<ReplicaStatus>,
    term: watch::Sender<Option<i64>>,
}

impl ReplicaFile {
    /// A file that holds some state of the database, or nothing yet.
    pub(super) fn new(file: Sqlite, db: Database) -> Self {
        Self {
            file,
            db: db.with_patience(Duration::ZERO),
            status: Mutex::new(ReplicaStatus {
                away_since: None,
                seen_at: None,
                term: None,
            }),
            term: watch::Sender::new(None),
        }
    }

    /// How it stands now.
    pub(super) fn now(&self) -> ReplicaStatus {
        ReplicaStatus {
            term: *self.term.borrow(),
            ..*self.status.lock()
        }
    }

    /// Follows from now on, and writes when it has the turn, for as long as the process lives.
    ///
    /// # Errors
    /// [`econoscope_core::Error::Store`] when there is no thread for it.
    pub(super) fn follow(self: &Arc<Self>) -> Result<()> {
        let (one, other) = (Arc::clone(self), Arc::clone(self));
        beside(async move { one.keep_up().await })?;
        beside(async move { other.compete().await }).map(drop)
    }

    async fn keep_up(&self) {
        loop {
            tokio::time::sleep(POLL).await;
            let done = bring(&self.db, &self.file).await;
            let away = done.is_err();
            let was_away = self.note(away);
            match done {
                Err(error) if !was_away => {
                    let error = error.for_operator();
                    tracing::warn!(target: NOTICE, "the database is away, answers go on from the copy: {error}");
                }
                Ok(()) if was_away => tracing::info!(target: NOTICE, "the database is back"),
                Ok(()) | Err(_) => {}
            }
        }
    }

    /// Notes whether the database was there; whether it was away before.
    fn note(&self, away: bool) -> bool {
        let (now, mut status) = (wall(), self.status.lock());
        let before = status.away_since;
        status.away_since = away.then(|| before.unwrap_or(now));
        if !away {
            status.seen_at = Some(now);
        }
        before.is_some()
    }

    /// Brings the file to the state that a transaction sees, which nobody changes meanwhile.
    pub(super) fn reach(&self, tx: &Session, now: &Watermark) -> AttemptResult<()> {
        loop {
            let held = self.file.watermark()?;
            if held.as_ref() == Some(now) {
                return Ok(());
            }
            receive(tx, &self.file, held.as_ref(), now)?;
        }
    }

    async fn compete(&self) {
        let (who, mut renewed) = (lease::own_name(), Instant::now());
        let mut pause = Duration::ZERO;
        loop {
            tokio::time::sleep(pause).await;
            pause = HEARTBEAT + jitter(HEARTBEAT / 3);
            // Nobody here wants to write: it does not sync, not yet, or is about to end.
            if self.term.is_closed() {
                pause = POLL;
                continue;
            }
            let held = *self.term.borrow();
            let asked = Instant::now();
            let now = match held {
                Some(held) => match lease::renew(&self.db, held).await {
                    Ok(true) => {
                        renewed = asked;
                        Some(held)
                    }
                    Ok(false) => None,
                    Err(_) => (renewed.elapsed() < LEASE).then_some(held),
                },
                None => {
                    renewed = asked;
                    let taken = lease::take(&self.db, &who).await;
                    taken.ok().and_then(std::result::Result::ok)
                }
            };
            if now != held {
                match now {
                    Some(now) => {
                        tracing::info!(target: NOTICE, "this server writes, in term {now}")
                    }
                    None => tracing::warn!(target: NOTICE, "this server writes no more"),
                }
                self.term.send_replace(now);
            }
        }
    }

    /// Gives the turn back, if this process has it.
    pub(super) fn resign(&self) {
        if let Some(held) = self.term.send_replace(None) {
            lease::give_back(&self.db, held);
        }
    }
}
