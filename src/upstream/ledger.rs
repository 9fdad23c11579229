//! How many calls were paid for, and whether one more may be.
//!
//! The upstream counts requests per day and address and does not say when its day starts. The ledger
//! therefore allows `limit` calls in any 24 hours, which holds for every UTC day too, since a day is such a
//! window. A call is written and synced before it is sent. Time is the ledger's own, so that a clock set
//! forward grants nothing.

use super::allowance::{Pool, Purpose, Shares, WINDOW, pools};
use super::state::{StateFile, duration, millis, moment};
use crate::clock::{Clock, Moment, OwnTime};
use crate::error::{Cause, Error, Result};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Added to what a caller must wait.
const GRAIN: Duration = Duration::from_secs(1);

/// What is left of the upstream's allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Calls paid for in the last 24 hours.
    pub used: u32,
    /// Calls allowed in any 24 hours.
    pub limit: u32,
    /// What is left.
    pub remaining: u32,
    /// When the next of the used calls is free again; the present when none is used.
    pub resets_at: Timestamp,
}

impl Quota {
    /// At most a fifth is left, which is worth a word.
    pub(super) fn is_low(&self) -> bool {
        self.remaining <= self.limit / 5
    }
}

/// The ledger's word on one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Paid for; it must be sent now or is lost.
    Granted(Quota),
    /// Not now.
    Refused {
        /// When asking again makes sense, at the earliest.
        wait: Duration,
        /// The upstream itself asked for silence.
        held: bool,
        /// State of the allowance.
        quota: Quota,
    },
}

/// Counts paid calls, for all processes that share its file.
#[derive(Debug)]
pub struct Ledger {
    state: Arc<StateFile>,
    origin: String,
    shares: Shares,
    clock: Arc<dyn Clock>,
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
        Self::over(Arc::new(StateFile::open(path)?), origin, limit, clock)
    }

    /// The ledger in a file that is open.
    pub(super) fn over(
        state: Arc<StateFile>,
        origin: &str,
        limit: u32,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let ledger = Self {
            state,
            origin: origin.to_owned(),
            shares: Shares::of(limit),
            clock,
        };
        if ledger.state.was_lost {
            tracing::warn!(
                "the count of paid calls was lost; the allowance counts as spent for 24 hours"
            );
            ledger.hold(WINDOW)?;
        }
        Ok(ledger)
    }

    /// Mean distance of two background calls, the shortest time between two refreshes of a key.
    pub fn pace(&self) -> Duration {
        self.shares.pace()
    }

    /// Asks for one call and pays for it. Blocks on the disk.
    ///
    /// # Errors
    /// [`Error::Store`] when the payment could not be written; the call must then not be made.
    pub fn pay(&self, purpose: Purpose) -> Result<Verdict> {
        let paid = self.transact(|book| {
            if !book.same_boot {
                // Else a wall clock set far back would keep time from passing at all.
                book.anchor()?;
            }
            let held = book.left(book.held_until);
            if held > Duration::ZERO {
                return Ok(book.refusal(held, true));
            }
            let pools = pools(purpose).iter().map(|pool| (book.wait(*pool), *pool));
            match pools.min_by_key(|(wait, _)| *wait) {
                Some((Duration::ZERO, pool)) => {
                    book.charge(pool)?;
                    Ok(Verdict::Granted(book.quota()))
                }
                // A grain more than needed, so that who comes back on time is not a millisecond early.
                Some((wait, _)) => Ok(book.refusal(wait.saturating_add(GRAIN), false)),
                None => Ok(book.refusal(WINDOW, false)),
            }
        });
        let what = "the upstream ledger could not be written, so no call was made";
        paid.map_err(|cause| Error::store(what, cause))
    }

    /// Keeps all processes silent for a time, at most the window: the upstream asked for it.
    ///
    /// # Errors
    /// [`Error::Store`] when it could not be written.
    pub fn hold(&self, wait: Duration) -> Result<()> {
        let held = self.transact(|book| {
            let until = book.at.saturating_add(millis(wait.min(WINDOW)));
            book.held_until = book.held_until.max(until);
            book.anchor()
        });
        let what = "the upstream's request for silence could not be noted";
        held.map_err(|cause| Error::store(what, cause))
    }

    /// What is left.
    ///
    /// # Errors
    /// [`Error::Store`] when the ledger cannot be read.
    pub fn quota(&self) -> Result<Quota> {
        let quota = self.transact(|book| Ok(book.quota()));
        quota.map_err(|cause| Error::store("the upstream ledger could not be read", cause))
    }

    fn transact<T>(
        &self,
        work: impl FnOnce(&mut Book<'_>) -> rusqlite::Result<T>,
    ) -> std::result::Result<T, Cause> {
        self.state.write(|db| {
            let page = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut book = Book::read(&page, &self.origin, self.shares, self.clock.now())?;
            let result = work(&mut book)?;
            page.commit()?;
            Ok(result)
        })
    }
}

/// The ledger during one transaction.
struct Book<'a> {
    page: &'a Transaction<'a>,
    origin: &'a str,
    shares: Shares,
    clock: Moment,
    /// The ledger's own time, in milliseconds.
    at: i64,
    held_until: i64,
    /// Time since the anchor is known for sure.
    same_boot: bool,
    /// Calls within the window, newest first: when, and by which pool.
    calls: Vec<(i64, i64)>,
}

impl<'a> Book<'a> {
    fn read(
        page: &'a Transaction<'a>,
        origin: &'a str,
        shares: Shares,
        clock: Moment,
    ) -> rusqlite::Result<Self> {
        let anchor = page
            .prepare_cached(
                "SELECT at, held_until, wall, uptime, boot FROM anchor WHERE origin = ?1",
            )?
            .query_row([origin], |row| {
                let then = moment(row.get(2)?, row.get(3)?, row.get(4)?);
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, then))
            })
            .optional()?;
        let (at, held_until) = match anchor {
            None => (OwnTime::begin(clock).at(&clock), 0),
            Some((at, held, then)) => (
                then.map_or(at, |then| OwnTime::resume(at, then).at(&clock)),
                held,
            ),
        };
        let same_boot = anchor
            .and_then(|(_, _, then)| then)
            .is_some_and(|then| then.boot == clock.boot && then.uptime <= clock.uptime);
        let calls = page
            .prepare_cached(
                "SELECT at, pool FROM calls WHERE origin = ?1 AND at > ?2 ORDER BY at DESC",
            )?
            .query_map(params![origin, at.saturating_sub(millis(WINDOW))], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .collect::<rusqlite::Result<_>>()?;
        Ok(Self {
            page,
            origin,
            shares,
            clock,
            at,
            held_until,
            same_boot,
            calls,
        })
    }

    /// How long until the ledger's time is `until`.
    fn left(&self, until: i64) -> Duration {
        duration(until.saturating_sub(self.at))
    }

    fn refusal(&self, wait: Duration, held: bool) -> Verdict {
        let quota = self.quota();
        Verdict::Refused { wait, held, quota }
    }

    /// How long until a pool can pay; zero when it can now.
    fn wait(&self, pool: Pool) -> Duration {
        let Shares {
            limit,
            paced,
            waiting,
            reserve,
            burst,
        } = self.shares;
        let own = |call: &i64| *call == pool as i64;
        let (size, pause) = match pool {
            Pool::Paced => (paced, self.freed(own, burst, self.shares.stretch())),
            Pool::Waiting => (waiting, Duration::ZERO),
            Pool::Reserve => (reserve, Duration::ZERO),
        };
        let all = self.freed(|_| true, limit, WINDOW);
        all.max(pause).max(self.freed(own, size, WINDOW))
    }

    /// How long until fewer than `most` calls of some pools lie within the last `span`.
    fn freed(&self, of: impl Fn(&i64) -> bool, most: u32, span: Duration) -> Duration {
        let Some(skip) = most.checked_sub(1).and_then(|n| usize::try_from(n).ok()) else {
            return WINDOW;
        };
        // The call that must leave the span is the `most`-th newest one.
        let mut calls = self.calls.iter().filter(|(_, pool)| of(pool));
        let blocking = calls.nth(skip);
        blocking.map_or(Duration::ZERO, |(at, _)| {
            self.left(at.saturating_add(millis(span)))
        })
    }

    fn charge(&mut self, pool: Pool) -> rusqlite::Result<()> {
        self.page
            .prepare_cached("INSERT INTO calls (origin, at, pool) VALUES (?1, ?2, ?3)")?
            .execute(params![self.origin, self.at, pool as i64])?;
        let old = self.at.saturating_sub(millis(WINDOW));
        self.page
            .prepare_cached("DELETE FROM calls WHERE origin = ?1 AND at <= ?2")?
            .execute(params![self.origin, old])?;
        self.calls.insert(0, (self.at, pool as i64));
        self.anchor()
    }

    fn anchor(&self) -> rusqlite::Result<()> {
        let Moment { wall, uptime, boot } = self.clock;
        self.page
            .prepare_cached("INSERT OR REPLACE INTO anchor VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![
                self.origin,
                self.at,
                self.held_until,
                wall.as_millisecond(),
                millis(uptime),
                boot.cast_signed()
            ])?;
        Ok(())
    }

    fn quota(&self) -> Quota {
        let limit = self.shares.limit;
        let held = self.left(self.held_until);
        let (used, wait) = if held > Duration::ZERO {
            (limit, held)
        } else {
            let used = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
            let oldest = self
                .calls
                .last()
                .map(|(at, _)| at.saturating_add(millis(WINDOW)));
            let freed = oldest.map_or(Duration::ZERO, |until| self.left(until));
            (used.min(limit), freed)
        };
        let resets_at = self.clock.wall.saturating_add(wait);
        Quota {
            used,
            limit,
            remaining: limit - used,
            resets_at: resets_at.unwrap_or(Timestamp::MAX),
        }
    }
}

#[cfg(test)]
mod tests;
