//! The database behind a replica: work that writes runs on the replica, and its changes go to the database in one
//! transaction.
//!
//! So both kinds of store run the same code. The replica itself changes after the database has committed.

use super::lease::{self, HEARTBEAT, LEASE};
use super::rows::{BATCH, watermark, write_rows};
use super::runtime::block_on;
use super::transfer::{copy_changes, update_replica};
use crate::postgres::{Address, AttemptResult, Database, Failure, Session, TransactionMode};
use crate::store::ReplicaStatus;
use crate::store::sqlite::Sqlite;
use crate::store::sqlite::tables::{Changes, DESCRIPTION, SERIES, Watermark};
use econoscope_core::clock::{jitter, wall_time};
use econoscope_core::error::{Error, NOTICE_TARGET, Result};
use parking_lot::Mutex;
use std::future::Future;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::block_in_place;
use tokio::time::timeout;

/// Longest wait for one answer, which detects half-open connections.
pub(super) const STALL_TIMEOUT: Duration = Duration::from_secs(20);
/// Interval at which the watermark is polled.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Most connections of one process; few writes run at once.
const CONNECTIONS: usize = 4;
/// How long a write is retried: long enough for a restart of the database.
const PATIENCE: Duration = Duration::from_secs(60);

/// The database that a replica copies.
#[derive(Debug)]
pub(in crate::store) struct Primary {
    pub(super) db: Database,
    /// Name of this process as the holder of the lease.
    pub(super) name: String,
    /// Whether writes need the lease.
    pub(super) needs_lease: bool,
    status: Mutex<ReplicaStatus>,
    term: watch::Sender<Option<i64>>,
}

impl Primary {
    /// Prepares a database without connecting to it.
    ///
    /// # Errors
    /// [`Error::Store`] when the trusted certificates cannot be read.
    pub(super) fn new(address: &Address) -> Result<Self> {
        Ok(Self {
            db: Database::new(address, CONNECTIONS, PATIENCE)?,
            name: lease::process_name(),
            needs_lease: false,
            status: Mutex::default(),
            term: watch::Sender::new(None),
        })
    }

    /// Returns the same database without patience: every call is one attempt.
    pub(super) fn impatient(&self) -> Database {
        self.db.clone().with_patience(Duration::ZERO)
    }

    /// Returns the current status.
    pub(in crate::store) fn status(&self) -> ReplicaStatus {
        ReplicaStatus {
            term: *self.term.borrow(),
            ..*self.status.lock()
        }
    }

    /// Returns the term in which this process holds the lease, as it changes. The first call starts the election.
    pub(in crate::store) fn terms(&self) -> watch::Receiver<Option<i64>> {
        self.term.subscribe()
    }

    /// Releases the lease.
    pub(in crate::store) fn resign(&self) {
        if self.term.send_replace(None).is_some() {
            lease::release(&self.db, &self.name);
        }
    }

    /// Runs work that writes, and updates the replica with its changes. If the answer to a commit was lost, the second
    /// attempt finds nothing to change, and the answer of the first one is returned.
    ///
    /// # Errors
    /// [`Error::Store`] when nothing was written, or the error of the work.
    pub(in crate::store) fn write<T: Clone + Send>(
        &self,
        replica: &Sqlite,
        mode: TransactionMode,
        work: impl Fn(&Sqlite) -> Result<T> + Sync,
    ) -> Result<T> {
        let (work, earlier) = (&work, &Mutex::new(None));
        let transaction = self.db.transaction_with("write to", mode, |tx| async move {
            let (answer, is_changed) = self.publish(tx, replica, work).await?;
            let mut earlier = earlier.lock();
            if let (Some(earlier), false) = (earlier.take(), is_changed) {
                return Ok((earlier, true));
            }
            *earlier = is_changed.then(|| answer.clone());
            Ok((answer, is_changed))
        });
        let (answer, is_changed) = block_on(transaction)?;
        if is_changed && let Err(error) = block_on(update_replica(&self.db, replica)) {
            tracing::debug!(error = error.operator_message(), "the copy follows later");
        }
        Ok(answer)
    }

    /// Runs work and publishes its changes. Returns whether there were any. The state row stays locked until the end, so
    /// that changes are serial and each runs on a replica that has all earlier ones.
    async fn publish<T>(
        &self,
        tx: Session,
        replica: &Sqlite,
        work: impl FnOnce(&Sqlite) -> Result<T>,
    ) -> AttemptResult<(T, bool)> {
        let lock = "SELECT 1 FROM econoscope.state WHERE id = 1 FOR UPDATE";
        tx.execute(lock, &[]).await?;
        let current = &watermark(&tx).await?;
        catch_up(&tx, replica, current)?;
        let (answer, is_changed) = block_in_place(|| {
            let work = |store: &Sqlite| match store.watermark()?.as_ref() == Some(current) {
                true => work(store),
                false => Err(Error::store_without_cause(
                    "the copy of the database was replaced meanwhile. Nothing was written.",
                )),
            };
            let write = |changes: &Changes<'_>| write_changes(&tx, changes, current.change + 1);
            replica.dry_run(work, write)
        })?;
        let is_changed = is_changed?;
        // Last, so that the lease row is locked only briefly.
        if is_changed && self.needs_lease {
            lease::check(&tx, &self.name).await?;
        }
        Ok((answer, is_changed))
    }

    /// Records whether the database was reached, and logs the start and end of an outage.
    pub(super) fn record_poll(&self, result: Result<()>) {
        let (now, mut status) = (wall_time(), self.status.lock());
        let was_away = status.away_since.is_some();
        match result {
            Ok(()) => {
                if was_away {
                    tracing::info!(target: NOTICE_TARGET, "the database is back");
                }
                (status.away_since, status.seen_at) = (None, Some(now));
            }
            Err(error) if !was_away => {
                let error = error.operator_message();
                tracing::warn!(target: NOTICE_TARGET, "the database is away, answers go on from the copy: {error}");
                status.away_since = Some(now);
            }
            Err(_) => {}
        }
    }

    /// Takes the lease when it is free and renews it, while somebody watches the term.
    pub(super) async fn compete(&self) {
        let (db, mut renewed) = (self.impatient(), Instant::now());
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
                Some(term) => match lease::renew(&db, &self.name).await {
                    Ok(true) => {
                        renewed = attempted;
                        Some(term)
                    }
                    Ok(false) => None,
                    Err(_) => (renewed.elapsed() < LEASE).then_some(term),
                },
                None => {
                    renewed = attempted;
                    let taken = lease::take(&db, &self.name).await;
                    taken.ok().and_then(std::result::Result::ok)
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

/// Updates a replica to the state that a transaction has locked.
fn catch_up(tx: &Session, replica: &Sqlite, current: &Watermark) -> AttemptResult<()> {
    loop {
        let stored = replica.watermark()?;
        if stored.as_ref() == Some(current) {
            return Ok(());
        }
        copy_changes(tx, replica, stored.as_ref(), current)?;
    }
}

/// Writes changes to the database under the number `change`. Returns whether there were any.
fn write_changes(tx: &Session, changes: &Changes<'_>, change: i64) -> AttemptResult<bool> {
    if changes.is_empty() {
        return Ok(false);
    }
    let mut rows = Vec::new();
    changes.for_each(|table, id, row| {
        if row.is_none() {
            let sql = format!("DELETE FROM econoscope.{} WHERE id = $1", table.name);
            wait_for(async { Ok(tx.execute(&sql, &[&id]).await?) })?;
        }
        if row.is_none() && table == &SERIES {
            let sql = "INSERT INTO econoscope.gone VALUES ($1, $2)
                 ON CONFLICT (id) DO UPDATE SET changed = EXCLUDED.changed";
            wait_for(async { Ok(tx.execute(sql, &[&id, &change]).await?) })?;
        }
        rows.extend(row);
        if rows.len() >= BATCH {
            wait_for(write_rows(tx, &std::mem::take(&mut rows), change))?;
        }
        Ok::<_, Failure>(())
    })?;
    wait_for(write_rows(tx, &rows, change))?;
    // Older versions number new rows by the last two columns.
    let max_id = |table: &str| format!("(SELECT coalesce(max(id), 0) FROM econoscope.{table})");
    let sql = format!(
        "UPDATE econoscope.state SET change = $1, version = version + $2, series = series + $3,
             last_series = greatest(last_series, {}), last_description = greatest(last_description, {}) WHERE id = 1",
        max_id(SERIES.name),
        max_id(DESCRIPTION.name)
    );
    let visible = i64::from(changes.is_visible);
    let update = async {
        Ok(tx
            .execute(&sql, &[&change, &visible, &changes.series])
            .await?)
    };
    wait_for(update).map(|_| true)
}

/// Waits for the database inside of blocking work on the replica.
fn wait_for<T>(work: impl Future<Output = AttemptResult<T>>) -> AttemptResult<T> {
    let result = Handle::current().block_on(timeout(STALL_TIMEOUT, work));
    result.unwrap_or(Err(Failure::Timeout))
}
