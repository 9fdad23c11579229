//! The replica: a local file that follows the database and serves all reads.
//!
//! A task polls the database's watermark every second and fetches changed rows. Reads do not need the database. Writes go
//! to the database, in the term of the leader, and return after the replica has them.

use super::handle::Postgres;
use super::lease::{self, HEARTBEAT, LEASE};
use super::runtime::{block_on, spawn};
use super::transfer::update_replica;
use crate::postgres::{Address, Database};
use crate::store::sqlite::Sqlite;
use crate::store::{ReplicaStatus, Store};
use econoscope_core::clock::{jitter, wall_time};
use econoscope_core::error::{Error, NOTICE_TARGET, Result};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Interval at which the watermark is polled.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

impl Postgres {
    /// Opens a database with a live replica at `path`. A new replica is complete before this returns. An existing one
    /// also opens while the database cannot be reached.
    ///
    /// # Errors
    /// [`Error::Store`] when the file is no replica, there is none and the database cannot be reached, or its layout is
    /// not this program's.
    pub fn open_replica(address: &Address, path: &Path) -> Result<Self> {
        let store = open_updated(address, path)?;
        store.replica.follow()?;
        Ok(Self {
            is_live: true,
            ..store
        })
    }

    /// Creates or updates the replica at `path` and closes it.
    ///
    /// # Errors
    /// As [`Self::open_replica`].
    pub fn update_replica(address: &Address, path: &Path) -> Result<()> {
        open_updated(address, path).map(drop)
    }

    /// Returns the term in which this process leads, as it changes. The first call starts the election.
    pub fn terms(&self) -> watch::Receiver<Option<i64>> {
        self.replica.term.subscribe()
    }

    /// Returns the store for the leader of `term`. It refuses writes once another term has begun.
    pub fn in_term(&self, term: i64) -> Self {
        Self {
            term: Some(term),
            ..self.clone()
        }
    }

    /// Releases the lease on writing.
    pub fn resign(&self) {
        if let Some(term) = self.replica.term.send_replace(None) {
            lease::release(&self.replica.db, term);
        }
    }
}

/// Opens the replica at `path` and updates it.
///
/// # Errors
/// As [`Postgres::open_replica`].
fn open_updated(address: &Address, path: &Path) -> Result<Postgres> {
    let file = open_file(path)?;
    let watermark = file.watermark()?;
    if watermark.is_none() && file.count()? > 0 {
        let path = crate::disk::format_path(path);
        return Err(Error::store_without_cause(format!(
            "{path} is a store of its own and no replica of a database. Choose another file with --replica, or \
             move what it holds by `econoscope copy --from {path} --to {address}`."
        )));
    }
    if watermark.is_none() {
        let path = crate::disk::format_path(path);
        tracing::info!(target: NOTICE_TARGET, "copying {address} into {path}");
    }
    let store = Postgres::with_file(address, file)?;
    let updated = store
        .start_from_bundle()
        .and_then(|()| block_on(update_replica(&store.replica.db, &store.replica.file)));
    match updated {
        Err(error) if watermark.is_none() || !is_outage(&error) => Err(error),
        result => {
            store.replica.record_poll(result);
            Ok(store)
        }
    }
}

/// Whether the database could not be reached. A refusal has no cause, and other errors are defects.
fn is_outage(error: &Error) -> bool {
    matches!(error, Error::Store { source, .. } if source.is_some())
}

/// Opens the file. A damaged one is moved aside and created anew, since the database has all its content.
fn open_file(path: &Path) -> Result<Sqlite> {
    match Sqlite::open(path) {
        Err(error) if Sqlite::is_damage(&error) => {
            let aside = crate::disk::format_path(&Sqlite::quarantine(path)?);
            tracing::error!(target: NOTICE_TARGET, "the replica was damaged and is now {aside}; it is made anew");
            Sqlite::open(path)
        }
        result => result,
    }
}

/// A replica file and its database.
#[derive(Debug)]
pub(in crate::store) struct Replica {
    pub(super) file: Sqlite,
    /// Without patience: every call is one attempt.
    db: Database,
    status: Mutex<ReplicaStatus>,
    term: watch::Sender<Option<i64>>,
}

impl Replica {
    /// Wraps a file that has some state of the database, or nothing yet.
    pub(super) fn new(file: Sqlite, db: Database) -> Self {
        Self {
            file,
            db: db.with_patience(Duration::ZERO),
            status: Mutex::default(),
            term: watch::Sender::new(None),
        }
    }

    /// Returns the current status.
    pub(in crate::store) fn status(&self) -> ReplicaStatus {
        ReplicaStatus {
            term: *self.term.borrow(),
            ..*self.status.lock()
        }
    }

    /// Starts the tasks that follow the database and compete for the lease, for the life of the process.
    ///
    /// # Errors
    /// [`Error::Store`] when there is no thread for them.
    fn follow(self: &Arc<Self>) -> Result<()> {
        let follower = Arc::clone(self);
        let candidate = Arc::clone(self);
        spawn(async move {
            loop {
                tokio::time::sleep(POLL_INTERVAL).await;
                let result = update_replica(&follower.db, &follower.file).await;
                follower.record_poll(result);
            }
        })?;
        spawn(async move { candidate.compete().await }).map(drop)
    }

    /// Records whether the database was reached, and logs the start and end of an outage.
    fn record_poll(&self, result: Result<()>) {
        let now = wall_time();
        let mut status = self.status.lock();
        let was_away = status.away_since.is_some();
        match result {
            Ok(()) => {
                if was_away {
                    tracing::info!(target: NOTICE_TARGET, "the database is back");
                }
                status.away_since = None;
                status.seen_at = Some(now);
            }
            Err(error) if !was_away => {
                let problem = error.operator_message();
                tracing::warn!(target: NOTICE_TARGET, "the database is away, answers go on from the copy: {problem}");
                status.away_since = Some(now);
            }
            Err(_) => {}
        }
    }

    /// Takes the lease when it is free and renews it, while somebody watches the term.
    async fn compete(&self) {
        let name = lease::process_name();
        let mut renewed = Instant::now();
        let mut pause = Duration::ZERO;
        loop {
            tokio::time::sleep(pause).await;
            pause = HEARTBEAT + jitter(HEARTBEAT / 3);
            // Nobody here writes: the server does not sync, not yet, or is about to end.
            if self.term.is_closed() {
                pause = POLL_INTERVAL;
                continue;
            }
            let before = *self.term.borrow();
            let attempted = Instant::now();
            let term = match before {
                Some(term) => match lease::renew(&self.db, term).await {
                    Ok(true) => {
                        renewed = attempted;
                        Some(term)
                    }
                    Ok(false) => None,
                    Err(_) => (renewed.elapsed() < LEASE).then_some(term),
                },
                None => {
                    renewed = attempted;
                    let acquired = lease::acquire(&self.db, &name).await;
                    acquired.ok().and_then(std::result::Result::ok)
                }
            };
            if term != before {
                match term {
                    Some(term) => {
                        tracing::info!(target: NOTICE_TARGET, "this server writes, in term {term}")
                    }
                    None => tracing::warn!(target: NOTICE_TARGET, "this server writes no more"),
                }
                self.term.send_replace(term);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outage_is_an_error_of_the_store_with_a_cause() {
        assert!(is_outage(&Error::store("cannot read", "reset")));
        assert!(!is_outage(&Error::store_without_cause("it is no store")));
        assert!(!is_outage(&Error::internal("a copy", "panicked")));
    }
}
