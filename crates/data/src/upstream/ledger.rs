//! How many calls were paid for, and whether one more may be.
//!
//! The upstream counts requests per day and address and does not say when its day starts. The ledger
//! therefore allows `limit` calls in any 24 hours, which holds for every UTC day too, since a day is such a
//! window. A call is written and synced before it is sent. Time is the ledger's own, so that a clock set
//! forward grants nothing.

use super::ledger_state::{LedgerState, PaidCall, PoolSizes, Purpose, Quota, Verdict, WINDOW};
use super::request::Kind;
use super::shared::SharedState;
use super::state::StateFile;
use crate::pool::Caller;
use econoscope_core::clock::{Clock, Moment, OwnTime, millis};
use econoscope_core::error::{Cause, Error, Result};
use parking_lot::Mutex;
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Counts paid calls, for all processes that share its file.
#[derive(Debug)]
pub struct Ledger {
    home: LedgerStore,
    origin: String,
    shares: PoolSizes,
    clock: Arc<dyn Clock>,
    /// For whom this process paid within the window, newest first, so that one caller cannot take all that is left for the
    /// others. Each process counts its own callers and knows nothing of them after a restart: a caller of several processes
    /// gets half of what the others have left at each in turn, and so never all.
    callers: Mutex<VecDeque<(Caller, PaidCall)>>,
    /// As the last transaction left it.
    last_quota: Mutex<Option<Quota>>,
}

/// Where calls are written down.
#[derive(Debug)]
pub(super) enum LedgerStore {
    /// In a file of this machine.
    File(Arc<StateFile>),
    /// In a database that many machines share; whoever asks must be on a thread that may block, within a runtime.
    Shared(Box<SharedState>),
}

impl Ledger {
    /// Opens the ledger of the upstream `origin` in a state file, or in memory.
    /// When the file was damaged its calls are unknown, so that the whole allowance counts as spent.
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
        Self::over(LedgerStore::File(state), origin, limit, clock)
    }

    /// The ledger in a file that is open, or in a database.
    pub(super) fn over(
        home: LedgerStore,
        origin: &str,
        limit: u32,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let (was_lost, is_readable) = match &home {
            LedgerStore::File(state) => (state.was_lost, state.is_writable()),
            LedgerStore::Shared(_) => (false, false),
        };
        let ledger = Self {
            home,
            origin: origin.to_owned(),
            shares: PoolSizes::of(limit),
            clock,
            callers: Mutex::default(),
            last_quota: Mutex::default(),
        };
        if was_lost {
            tracing::warn!(
                "the count of paid calls was lost; the allowance counts as spent for 24 hours"
            );
            ledger.hold(WINDOW)?;
        }
        if is_readable {
            ledger.quota()?;
        }
        Ok(ledger)
    }

    /// Mean distance of two background calls, the shortest time between two refreshes of a key.
    pub fn pace(&self) -> Duration {
        self.shares.pace()
    }

    /// Asks for one call for a caller and pays for it. Blocks on the disk.
    ///
    /// # Errors
    /// [`Error::Store`] when the payment could not be written; the call must then not be made.
    pub fn pay(&self, purpose: Purpose, caller: Caller) -> Result<Verdict> {
        let what = "the upstream ledger could not be written, so no call was made";
        if caller.is_own() || purpose != Purpose::Miss(Kind::Interactive) {
            return self.transact(what, move |state| state.pay(purpose, &[]));
        }
        // Held until the call is written down: of those that come at once each sees the ones before.
        let mut callers = self.callers.lock();
        let own = callers.iter().filter(|(who, _)| *who == caller);
        let own: Vec<PaidCall> = own.map(|(_, call)| *call).collect();
        let (verdict, paid) = self.transact(what, move |state| {
            let verdict = state.pay(purpose, &own);
            (verdict, state.charged.map(|pool| (state.at, pool)))
        })?;
        if let Some(call) = paid {
            let since = call.0.saturating_sub(millis(WINDOW));
            callers.retain(|(_, (at, _))| *at > since);
            callers.push_front((caller, call));
        }
        Ok(verdict)
    }

    /// Keeps all processes silent for a time, at most the window: the upstream asked for it.
    ///
    /// # Errors
    /// [`Error::Store`] when it could not be written.
    pub fn hold(&self, wait: Duration) -> Result<()> {
        let what = "the upstream's request for silence could not be noted";
        self.transact(what, move |state| state.hold(wait))
    }

    /// What is left. Of a database it blocks, within a runtime.
    ///
    /// # Errors
    /// [`Error::Store`] when the ledger cannot be read.
    pub fn quota(&self) -> Result<Quota> {
        let what = "the upstream ledger could not be read";
        self.transact(what, |state| state.quota())
    }

    /// What was left after the last transaction; `None` before there was one.
    pub(super) fn last_quota(&self) -> Option<Quota> {
        *self.last_quota.lock()
    }

    fn transact<T: Send + 'static>(
        &self,
        what: &str,
        work: impl Fn(&mut LedgerState) -> T + Send + Sync + 'static,
    ) -> Result<T> {
        let (shares, clock) = (self.shares, self.clock.now());
        let work = |state: &mut LedgerState| {
            let result = work(state);
            (result, state.quota())
        };
        let done: std::result::Result<_, Cause> = match &self.home {
            LedgerStore::File(state) => state.write(|db| {
                let page = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let mut state = read(&page, &self.origin, shares, clock)?;
                let done = work(&mut state);
                write(&page, &self.origin, &state)?;
                page.commit()?;
                Ok(done)
            }),
            LedgerStore::Shared(state) => {
                let done = state.transact(&self.origin, shares, clock, work);
                let done = tokio::runtime::Handle::current().block_on(done);
                done.map_err(Cause::from)
            }
        };
        // Callers hear no address.
        let (result, quota) = done.map_err(|cause| Error::store(what, cause))?;
        *self.last_quota.lock() = Some(quota);
        Ok(result)
    }
}

fn read(
    page: &Transaction<'_>,
    origin: &str,
    shares: PoolSizes,
    clock: Moment,
) -> rusqlite::Result<LedgerState> {
    let anchor = page
        .prepare_cached("SELECT at, held_until, wall, uptime, boot FROM anchor WHERE origin = ?1")?
        .query_row([origin], |row| {
            let then = Moment::read([row.get(2)?, row.get(3)?, row.get(4)?]);
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, then))
        })
        .optional()?;
    let (at, held_until, then) = anchor.unwrap_or((clock.wall.as_millisecond(), 0, None));
    let at = then.map_or(at, |then| OwnTime::resume(at, then).at(&clock));
    let calls = page
        .prepare_cached(
            "SELECT at, pool FROM calls WHERE origin = ?1 AND at > ?2 ORDER BY at DESC",
        )?
        .query_map(params![origin, at.saturating_sub(millis(WINDOW))], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(LedgerState::new(shares, clock, at, held_until, calls))
}

fn write(page: &Transaction<'_>, origin: &str, state: &LedgerState) -> rusqlite::Result<()> {
    if let Some(pool) = state.charged {
        page.prepare_cached("INSERT INTO calls (origin, at, pool) VALUES (?1, ?2, ?3)")?
            .execute(params![origin, state.at, pool])?;
        let old = state.at.saturating_sub(millis(WINDOW));
        page.prepare_cached("DELETE FROM calls WHERE origin = ?1 AND at <= ?2")?
            .execute(params![origin, old])?;
    }
    if state.is_changed {
        let [wall, uptime, boot] = state.clock.written();
        page.prepare_cached("INSERT OR REPLACE INTO anchor VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![
                origin,
                state.at,
                state.held_until,
                wall,
                uptime,
                boot
            ])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
