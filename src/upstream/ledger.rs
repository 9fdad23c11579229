//! How many calls were paid for, and whether one more may be.
//!
//! The upstream counts requests per day and address and does not say when its day starts. The ledger
//! therefore allows `limit` calls in any 24 hours, which holds for every UTC day too, since a day is such a
//! window. A call is written and synced before it is sent. Time is the ledger's own: it starts from the
//! wall once and then moves by what has really passed, so that a clock set forward grants nothing.

use super::allowance::{Pool, Purpose, Shares, WINDOW, pools};
use super::clock::{Clock, Moment};
use super::state::{State, duration, millis, moment};
use crate::error::{Error, Result};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

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
    db: Mutex<Connection>,
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
        let state = State::open(path, clock.now().wall)?;
        Self::over(state.ledger, origin, limit, clock, state.lost)
    }

    /// The ledger over an opened connection.
    pub(super) fn over(
        db: Connection,
        origin: &str,
        limit: u32,
        clock: Arc<dyn Clock>,
        lost: bool,
    ) -> Result<Self> {
        let ledger = Self {
            db: Mutex::new(db),
            origin: origin.to_owned(),
            shares: Shares::of(limit),
            clock,
        };
        if lost {
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
        self.transact(TransactionBehavior::Immediate, |book| {
            if !book.same_boot {
                // Else a wall clock set far back would keep time from passing at all.
                book.anchor()?;
            }
            let quota = book.quota()?;
            let held = book.held();
            if held > Duration::ZERO {
                return Ok(Verdict::Refused {
                    wait: held,
                    held: true,
                    quota,
                });
            }
            let mut wait = WINDOW;
            for &pool in pools(purpose) {
                let needed = book.wait(pool)?;
                if needed == Duration::ZERO {
                    book.charge(pool)?;
                    return Ok(Verdict::Granted(book.quota()?));
                }
                wait = wait.min(needed);
            }
            // A grain more than needed, so that who comes back on time is not a millisecond early.
            let wait = wait.saturating_add(Duration::from_secs(1));
            Ok(Verdict::Refused {
                wait,
                held: false,
                quota,
            })
        })
        .map_err(|cause| {
            Error::store(
                "the upstream ledger could not be written, so no call was made",
                cause,
            )
        })
    }

    /// Keeps all processes silent for a time, at most the window: the upstream asked for it.
    ///
    /// # Errors
    /// [`Error::Store`] when it could not be written.
    pub fn hold(&self, wait: Duration) -> Result<()> {
        self.transact(TransactionBehavior::Immediate, |book| {
            book.hold(wait.min(WINDOW))
        })
        .map_err(|cause| {
            Error::store(
                "the upstream's request for silence could not be noted",
                cause,
            )
        })
    }

    /// What is left.
    ///
    /// # Errors
    /// [`Error::Store`] when the ledger cannot be read.
    pub fn quota(&self) -> Result<Quota> {
        self.transact(TransactionBehavior::Deferred, |book| book.quota())
            .map_err(|cause| Error::store("the upstream ledger could not be read", cause))
    }

    fn transact<T>(
        &self,
        behavior: TransactionBehavior,
        work: impl FnOnce(&mut Book<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        let page = db.transaction_with_behavior(behavior)?;
        let mut book = Book::read(&page, &self.origin, self.shares, self.clock.now())?;
        let result = work(&mut book)?;
        page.commit()?;
        Ok(result)
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
            None => (clock.wall.as_millisecond(), 0),
            Some((at, held, then)) => {
                let passed = then.map_or(Duration::ZERO, |then| clock.since(&then));
                (at.saturating_add(millis(passed)), held)
            }
        };
        let same_boot = anchor
            .and_then(|(_, _, then)| then)
            .is_some_and(|then| then.boot == clock.boot && then.uptime <= clock.uptime);
        Ok(Self {
            page,
            origin,
            shares,
            clock,
            at,
            held_until,
            same_boot,
        })
    }

    /// How long until the ledger's time is `until`.
    fn left(&self, until: i64) -> Duration {
        duration(until.saturating_sub(self.at))
    }

    fn held(&self) -> Duration {
        self.left(self.held_until)
    }

    /// How long until a pool can pay; zero when it can now.
    fn wait(&self, pool: Pool) -> rusqlite::Result<Duration> {
        let all = self.freed(None, self.shares.limit, WINDOW)?;
        let (size, extra) = match pool {
            Pool::Paced => {
                let stretch = self.shares.stretch();
                (
                    self.shares.paced,
                    self.freed(Some(pool), self.shares.burst, stretch)?,
                )
            }
            Pool::Waiting => (self.shares.waiting, Duration::ZERO),
            Pool::Reserve => (self.shares.reserve, Duration::ZERO),
        };
        Ok(all.max(extra).max(self.freed(Some(pool), size, WINDOW)?))
    }

    /// How long until fewer than `most` calls lie within the last `span`.
    fn freed(&self, pool: Option<Pool>, most: u32, span: Duration) -> rusqlite::Result<Duration> {
        let Some(skip) = most.checked_sub(1) else {
            return Ok(WINDOW);
        };
        // The call that must leave the span is the `most`-th newest one.
        let blocking: Option<i64> = match pool {
            Some(pool) => self
                .page
                .prepare_cached(
                    "SELECT at FROM calls WHERE origin = ?1 AND pool = ?2 ORDER BY at DESC LIMIT 1 OFFSET ?3",
                )?
                .query_row(params![self.origin, pool as i64, skip], |row| row.get(0))
                .optional()?,
            None => self
                .page
                .prepare_cached("SELECT at FROM calls WHERE origin = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?2")?
                .query_row(params![self.origin, skip], |row| row.get(0))
                .optional()?,
        };
        Ok(blocking.map_or(Duration::ZERO, |at| {
            self.left(at.saturating_add(millis(span)))
        }))
    }

    fn charge(&mut self, pool: Pool) -> rusqlite::Result<()> {
        self.page
            .prepare_cached("INSERT INTO calls (origin, at, pool) VALUES (?1, ?2, ?3)")?
            .execute(params![self.origin, self.at, pool as i64])?;
        let old = self.at.saturating_sub(millis(WINDOW));
        self.page
            .prepare_cached("DELETE FROM calls WHERE origin = ?1 AND at <= ?2")?
            .execute(params![self.origin, old])?;
        self.anchor()
    }

    fn hold(&mut self, wait: Duration) -> rusqlite::Result<()> {
        self.held_until = self.held_until.max(self.at.saturating_add(millis(wait)));
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

    fn quota(&self) -> rusqlite::Result<Quota> {
        let (used, oldest): (u32, Option<i64>) = self
            .page
            .prepare_cached("SELECT count(*), min(at) FROM calls WHERE origin = ?1 AND at > ?2")?
            .query_row(
                params![self.origin, self.at.saturating_sub(millis(WINDOW))],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
        let held = self.held();
        let freed = oldest.map_or(Duration::ZERO, |at| {
            self.left(at.saturating_add(millis(WINDOW)))
        });
        let (used, wait) = if held > Duration::ZERO {
            (self.shares.limit, held)
        } else {
            (used.min(self.shares.limit), freed)
        };
        Ok(Quota {
            used,
            limit: self.shares.limit,
            remaining: self.shares.limit - used,
            resets_at: self
                .clock
                .wall
                .saturating_add(wait)
                .unwrap_or(Timestamp::MAX),
        })
    }
}

#[cfg(test)]
mod tests;
