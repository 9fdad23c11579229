//! The calls that were paid for, and whether another one is granted.
//!
//! The upstream counts requests per day and address, and does not say when its day starts. The ledger therefore allows
//! `limit` calls in any 24 hours, which includes every possible day. A call is recorded and synced before it is sent.
//! The ledger has its own time, so that a clock that is set forward grants no calls.

use super::budget::{self, LedgerState, MAX_CALLERS, Purpose, Quota, Verdict, WINDOW};
use super::shared::SharedLedger;
use super::state::StateFile;
use crate::pool::Caller;
use econoscope_core::clock::{Clock, Moment, MonotonicTime, to_millis};
use econoscope_core::error::{Cause, Error, Result};
use parking_lot::Mutex;
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Records paid calls, for all processes that share its file or database.
#[derive(Debug)]
pub struct Ledger {
    store: LedgerStore,
    origin: String,
    limit: u32,
    clock: Arc<dyn Clock>,
    /// The callers of this process within the window, oldest call first, so that one caller cannot use all calls. Other
    /// processes and restarts do not know them: a caller of several processes gets half of what the others have left at
    /// each in turn, and so never all.
    callers: Mutex<Vec<(Caller, i64)>>,
    /// The callers of this process that needed a call, with the last time; at most [`MAX_CALLERS`].
    recent: Mutex<HashMap<Caller, Moment>>,
    /// The quota after the last transaction.
    last_quota: Mutex<Option<Quota>>,
}

/// Where calls are recorded.
#[derive(Debug)]
pub(super) enum LedgerStore {
    /// In a file of this machine.
    File(Arc<StateFile>),
    /// In a database that many machines share. Must be used on a blocking thread of a runtime.
    Shared(Box<SharedLedger>),
}

impl Ledger {
    /// Opens the ledger of the upstream `origin` in a state file, or in memory. When the file was damaged its calls are
    /// unknown, and the whole limit counts as used.
    ///
    /// # Errors
    /// [`Error::Store`] when the file cannot be opened or is not ours.
    pub fn open(
        path: Option<&Path>,
        origin: &str,
        limit: u32,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let state = Arc::new(StateFile::open(path)?);
        Self::new(LedgerStore::File(state), origin, limit, clock)
    }

    /// Creates the ledger over an open store.
    pub(super) fn new(
        store: LedgerStore,
        origin: &str,
        limit: u32,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let ledger = Self {
            store,
            origin: origin.to_owned(),
            limit,
            clock,
            callers: Mutex::default(),
            recent: Mutex::default(),
            last_quota: Mutex::default(),
        };
        let LedgerStore::File(state) = &ledger.store else {
            return Ok(ledger);
        };
        if state.was_damaged {
            tracing::warn!(
                "the record of paid calls is lost; the daily limit counts as used for 24 hours"
            );
            ledger.pause(WINDOW)?;
        }
        if state.is_writable() {
            ledger.quota()?;
        }
        Ok(ledger)
    }

    /// Returns the time in which one call of the limit comes back, when they are evenly spread.
    pub fn pace(&self) -> Duration {
        budget::pace(self.limit)
    }

    /// Pays for one call of a caller, if it is granted. Blocks on the disk.
    ///
    /// # Errors
    /// [`Error::Store`] when the payment could not be recorded; the call must then not be made.
    pub fn pay(&self, purpose: Purpose, caller: Caller) -> Result<Verdict> {
        let what = "the upstream ledger could not be written, so no call was made";
        let callers = self.count_callers(caller);
        if caller.is_local() || !purpose.is_own() {
            return self.transact(what, move |state| state.pay(purpose, &[], callers));
        }
        // Locked until the call is recorded, so that concurrent payments see each other.
        let mut calls = self.callers.lock();
        let own: Vec<i64> = calls
            .iter()
            .filter(|(other, _)| *other == caller)
            .map(|(_, call)| *call)
            .collect();
        let (verdict, now) = self.transact(what, move |state| {
            (state.pay(purpose, &own, callers), state.now)
        })?;
        if verdict == Verdict::Granted {
            let since = now.saturating_sub(to_millis(WINDOW));
            calls.retain(|(_, at)| *at > since);
            calls.push((caller, now));
        }
        Ok(verdict)
    }

    /// Notes that a caller needs a call, and returns the number of callers within the window.
    fn count_callers(&self, caller: Caller) -> usize {
        let now = self.clock.now();
        let mut recent = self.recent.lock();
        recent.retain(|_, last| now.duration_since(last) < WINDOW);
        if recent.len() < MAX_CALLERS || recent.contains_key(&caller) {
            recent.insert(caller, now);
        }
        recent.len()
    }

    /// Pauses all calls of all processes for a time, at most the window, because the upstream asked for it.
    ///
    /// # Errors
    /// [`Error::Store`] when the pause could not be recorded.
    pub fn pause(&self, wait: Duration) -> Result<()> {
        let what = "the pause that the upstream asked for could not be recorded";
        self.transact(what, move |state| state.pause(wait))
    }

    /// Returns the remaining calls. Blocks; a ledger in a database must be read within a runtime.
    ///
    /// # Errors
    /// [`Error::Store`] when the ledger cannot be read.
    pub fn quota(&self) -> Result<Quota> {
        let what = "the upstream ledger could not be read";
        self.transact(what, |state| state.quota())
    }

    /// Returns the remaining calls after the last transaction; `None` before the first one.
    pub(super) fn last_quota(&self) -> Option<Quota> {
        *self.last_quota.lock()
    }

    fn transact<T: Send + 'static>(
        &self,
        what: &str,
        work: impl Fn(&mut LedgerState) -> T + Send + Sync + 'static,
    ) -> Result<T> {
        let clock = self.clock.now();
        let work_and_quota = |state: &mut LedgerState| {
            let value = work(state);
            (value, state.quota())
        };
        let result: std::result::Result<_, Cause> = match &self.store {
            LedgerStore::File(file) => file.write(|db| {
                let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let mut state = read(&tx, &self.origin, self.limit, clock)?;
                let value = work_and_quota(&mut state);
                write(&tx, &self.origin, &state)?;
                tx.commit()?;
                Ok(value)
            }),
            LedgerStore::Shared(ledger) => {
                let future = ledger.transact(&self.origin, self.limit, clock, work_and_quota);
                let result = tokio::runtime::Handle::current().block_on(future);
                result.map_err(Cause::from)
            }
        };
        // The message must not contain the address of a database.
        let (value, quota) = result.map_err(|cause| Error::store(what, cause))?;
        *self.last_quota.lock() = Some(quota);
        Ok(value)
    }
}

fn read(
    tx: &Transaction<'_>,
    origin: &str,
    limit: u32,
    clock: Moment,
) -> rusqlite::Result<LedgerState> {
    let anchor = tx
        .prepare_cached("SELECT at, held_until, wall, uptime, boot FROM anchor WHERE origin = ?1")?
        .query_row([origin], |row| {
            let moment = Moment::from_fields([row.get(2)?, row.get(3)?, row.get(4)?]);
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, moment))
        })
        .optional()?;
    let (at, paused_until, moment) = anchor.unwrap_or((clock.wall.as_millisecond(), 0, None));
    let now = moment.map_or(at, |moment| MonotonicTime::resume(at, moment).at(&clock));
    let since = now.saturating_sub(to_millis(WINDOW));
    let calls = tx
        .prepare_cached("SELECT at FROM calls WHERE origin = ?1 AND at > ?2 ORDER BY at")?
        .query_map(params![origin, since], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(LedgerState {
        limit,
        clock,
        now,
        paused_until,
        calls,
        is_paid: false,
    })
}

fn write(tx: &Transaction<'_>, origin: &str, state: &LedgerState) -> rusqlite::Result<()> {
    if state.is_paid {
        // Earlier versions divided the calls into pools.
        tx.prepare_cached("INSERT INTO calls (origin, at, pool) VALUES (?1, ?2, 0)")?
            .execute(params![origin, state.now])?;
        let end = state.now.saturating_sub(to_millis(WINDOW));
        tx.prepare_cached("DELETE FROM calls WHERE origin = ?1 AND at <= ?2")?
            .execute(params![origin, end])?;
    }
    // Also without a payment: otherwise the ledger's time would stand still after the wall clock was set back.
    let [wall, uptime, boot] = state.clock.to_fields();
    let row = params![origin, state.now, state.paused_until, wall, uptime, boot];
    tx.prepare_cached("INSERT OR REPLACE INTO anchor VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
        .execute(row)?;
    Ok(())
}

#[cfg(test)]
mod tests;
