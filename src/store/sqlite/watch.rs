//! The version, asked with every request and therefore cheap.

use super::failure::failed;
use super::state::state;
use crate::error::Result;
use rusqlite::Connection;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How old an answer to "did another process write?" may be. Asking costs some microseconds of locking.
const FRESH: Duration = Duration::from_millis(5);

/// A connection that only looks whether something changed.
///
/// SQLite counts the commits that others made (`data_version`) in shared memory; the line is read
/// only when that count moved. The connection never writes, so commits of this process count as others'.
/// This process sees its own changes at once, those of another one after [`FRESH`].
#[derive(Debug)]
pub(super) struct Watch {
    db: Mutex<Looking>,
    version: AtomicU64,
    /// Nanoseconds after `born` until which `version` may be told unasked.
    fresh_until: AtomicU64,
    born: Instant,
}

#[derive(Debug)]
struct Looking {
    db: Connection,
    seen: Option<i64>,
}

impl Watch {
    pub(super) fn new(db: Connection) -> Self {
        Self {
            db: Mutex::new(Looking { db, seen: None }),
            version: AtomicU64::new(0),
            fresh_until: AtomicU64::new(0),
            born: Instant::now(),
        }
    }

    /// The version now.
    pub(super) fn version(&self) -> Result<u64> {
        let now = nanoseconds(self.born.elapsed());
        // Acquire pairs with the release below: who sees the time sees the version stored before it.
        if now < self.fresh_until.load(Ordering::Acquire) {
            return Ok(self.version.load(Ordering::Relaxed));
        }
        let mut looking = locked(&self.db);
        let version = match looking.look()? {
            Some(version) => {
                self.version.store(version, Ordering::Relaxed);
                version
            }
            None => self.version.load(Ordering::Relaxed),
        };
        let until = now.saturating_add(nanoseconds(FRESH));
        self.fresh_until.store(until, Ordering::Release);
        Ok(version)
    }

    /// Makes the next call look; after a commit of this process.
    pub(super) fn forget(&self) {
        // Under the lock, so that no look that began before the commit is kept as fresh after it.
        let _looking = locked(&self.db);
        self.fresh_until.store(0, Ordering::Release);
    }
}

impl Looking {
    /// The version, if it may have changed since the last look.
    fn look(&mut self) -> Result<Option<u64>> {
        let count: i64 = self
            .db
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut s| s.query_row([], |row| row.get(0)))
            .map_err(|e| failed("read", e))?;
        if self.seen == Some(count) {
            return Ok(None);
        }
        let version = state(&self.db)?.version.unsigned_abs();
        self.seen = Some(count);
        Ok(Some(version))
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A thread that panicked while it held the lock left no open transaction: those roll back when dropped.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
