//! The rules of the ledger: how the daily calls are divided, and which calls are granted.
//!
//! Of 100 calls 70 are spread over the day and refresh shared keys, 25 are for waiting callers, and 5 are reserved, so
//! that a shared key without a cached response can be requested at any time.
//!
//! For its own keys ([`Kind::Interactive`]) a caller gets at most half, rounded up, of what the other callers have left
//! of a pool, so that the next caller still gets a call.

use super::request::Kind;
use econoscope_core::clock::{Moment, from_millis, to_millis};
use jiff::Timestamp;
use std::time::Duration;

/// A day and a minute. Transport takes time, so calls that are a day apart here may be closer together at the upstream.
pub(super) const WINDOW: Duration = Duration::from_secs(24 * 3600 + 60);

/// Why a call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// There is no usable cached response; a caller waits.
    Miss(Kind),
    /// A stale response is returned meanwhile.
    Refresh,
}

/// Returns the pools that may pay, in the order in which they are tried.
fn pools(purpose: Purpose) -> &'static [Pool] {
    match purpose {
        Purpose::Refresh => &[Pool::Paced],
        Purpose::Miss(Kind::Shared) => &[Pool::Paced, Pool::Waiting, Pool::Reserve],
        Purpose::Miss(Kind::Interactive) => &[Pool::Waiting, Pool::Paced],
    }
}

/// A part of the daily calls. The numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pool {
    /// Spread over the day: at most a tenth of the pool in a tenth of the day.
    Paced = 0,
    /// For waiting callers, at any time of the day.
    Waiting = 1,
    /// For shared keys when the others are used up.
    Reserve = 2,
}

/// Sizes of the pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PoolSizes {
    /// Calls in any window.
    limit: u32,
    /// Size of [`Pool::Paced`].
    paced: u32,
    /// Size of [`Pool::Waiting`].
    waiting: u32,
    /// Size of [`Pool::Reserve`].
    reserve: u32,
    /// Paced calls that may be made at once.
    burst: u32,
}

impl PoolSizes {
    /// Divides a limit 70 : 25 : 5. Of a small limit each pool gets at most what is left.
    pub(super) fn new(limit: u32) -> Self {
        let share = |percent: u64| u32::try_from(u64::from(limit) * percent / 100).unwrap_or(0);
        let waiting = share(25).max(1).min(limit);
        let reserve = share(5).min(limit - waiting);
        let paced = limit - waiting - reserve;
        Self {
            limit,
            paced,
            waiting,
            reserve,
            burst: (paced / 10).max(1),
        }
    }

    /// Returns the mean time between two paced calls.
    pub(super) fn pace(&self) -> Duration {
        WINDOW.checked_div(self.paced).unwrap_or(WINDOW)
    }

    /// Returns the time in which at most `burst` paced calls are made.
    fn burst_window(&self) -> Duration {
        self.pace().saturating_mul(self.burst).min(WINDOW)
    }
}

/// Added to a caller's wait, so that a caller that returns on time is not a millisecond early.
const MARGIN: Duration = Duration::from_secs(1);

/// The remaining calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Calls paid for in the last 24 hours.
    pub used: u32,
    /// Calls allowed in any 24 hours.
    pub limit: u32,
    /// Calls left.
    pub remaining: u32,
    /// When the oldest used call is free again; now when none is used.
    pub resets_at: Timestamp,
}

/// The ledger's decision on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Paid for. A call that is not sent now is lost.
    Granted,
    /// Not granted.
    Refused {
        /// When to ask again, at the earliest.
        wait: Duration,
        /// Why not.
        reason: Refusal,
    },
}

/// Why the ledger does not grant a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The upstream asked for a pause.
    Pause,
    /// The caller has used its share; other callers would be granted the call.
    Share,
    /// The pools that may pay have no call left for now.
    Limit,
}

/// A paid call: the ledger's time in milliseconds, and the pool's number.
pub(super) type PaidCall = (i64, i64);

/// The ledger within one transaction: what is recorded, and what to record.
pub(super) struct LedgerState {
    pools: PoolSizes,
    pub(super) clock: Moment,
    /// The ledger's own time, in milliseconds.
    pub(super) now: i64,
    /// End of the pause that the upstream asked for.
    pub(super) paused_until: i64,
    /// Calls within the window, newest first.
    calls: Vec<PaidCall>,
    /// The pool of a call to record.
    pub(super) charged: Option<i64>,
    /// Whether time and pause are to be recorded.
    pub(super) is_changed: bool,
}

impl LedgerState {
    /// Creates the state from the recorded pause and the calls within the window before `now`, newest first.
    pub(super) fn new(
        pools: PoolSizes,
        clock: Moment,
        now: i64,
        paused_until: i64,
        calls: Vec<PaidCall>,
    ) -> Self {
        Self {
            pools,
            clock,
            now,
            paused_until,
            calls,
            charged: None,
            is_changed: false,
        }
    }

    /// Pays for a call, if it is granted. `caller_calls` are the caller's calls of this kind, newest first.
    pub(super) fn pay(&mut self, purpose: Purpose, caller_calls: &[PaidCall]) -> Verdict {
        // Recorded even without a payment: otherwise the ledger's time would stand still after the wall clock was set
        // back.
        self.is_changed = true;
        let pause = self.until(self.paused_until);
        if pause > Duration::ZERO {
            return Verdict::Refused {
                wait: pause,
                reason: Refusal::Pause,
            };
        }
        let pools = pools(purpose);
        let waits = pools.iter().map(|pool| {
            let wait = self
                .pool_wait(*pool)
                .max(self.share_wait(*pool, caller_calls));
            (wait, *pool)
        });
        match waits.min_by_key(|(wait, _)| *wait) {
            Some((Duration::ZERO, pool)) => {
                self.charged = Some(pool as i64);
                self.calls.insert(0, (self.now, pool as i64));
                Verdict::Granted
            }
            shortest => Verdict::Refused {
                wait: shortest.map_or(WINDOW, |(wait, _)| wait.saturating_add(MARGIN)),
                reason: match pools.iter().any(|pool| self.pool_wait(*pool).is_zero()) {
                    true => Refusal::Share,
                    false => Refusal::Limit,
                },
            },
        }
    }

    /// Pauses all calls for a time, at most the window.
    pub(super) fn pause(&mut self, wait: Duration) {
        let until = self.now.saturating_add(to_millis(wait.min(WINDOW)));
        self.paused_until = self.paused_until.max(until);
        self.is_changed = true;
    }

    /// Returns the time until the ledger's time is `at`.
    fn until(&self, at: i64) -> Duration {
        from_millis(at.saturating_sub(self.now))
    }

    /// Returns the time until a pool can pay; zero when it can now.
    fn pool_wait(&self, pool: Pool) -> Duration {
        let pools = &self.pools;
        let calls = calls_of(&self.calls, pool);
        let (size, burst_wait) = match pool {
            Pool::Paced => {
                let wait = self.wait_for_fewer(calls.clone(), pools.burst, pools.burst_window());
                (pools.paced, wait)
            }
            Pool::Waiting => (pools.waiting, Duration::ZERO),
            Pool::Reserve => (pools.reserve, Duration::ZERO),
        };
        let limit_wait = self.wait_for_fewer(self.calls.iter(), pools.limit, WINDOW);
        let size_wait = self.wait_for_fewer(calls, size, WINDOW);
        limit_wait.max(burst_wait).max(size_wait)
    }

    /// Returns the time until a caller has used less than half of what the others have left of a pool.
    fn share_wait(&self, pool: Pool, caller_calls: &[PaidCall]) -> Duration {
        let (size, span) = match pool {
            Pool::Paced => (self.pools.burst, self.pools.burst_window()),
            Pool::Waiting => (self.pools.waiting, WINDOW),
            Pool::Reserve => return Duration::ZERO,
        };
        let since = self.now.saturating_sub(to_millis(span));
        let count = |calls| {
            let within = calls_of(calls, pool).take_while(|(at, _)| *at > since);
            u32::try_from(within.count()).unwrap_or(u32::MAX)
        };
        let others = count(&self.calls).saturating_sub(count(caller_calls));
        let half = size.saturating_sub(others).div_ceil(2).max(1);
        self.wait_for_fewer(calls_of(caller_calls, pool), half, span)
    }

    /// Returns the time until fewer than `count` of these calls, newest first, lie within the last `span`.
    fn wait_for_fewer<'a>(
        &self,
        mut calls: impl Iterator<Item = &'a PaidCall>,
        count: u32,
        span: Duration,
    ) -> Duration {
        let Some(skip) = count.checked_sub(1).and_then(|n| usize::try_from(n).ok()) else {
            return WINDOW;
        };
        // The `count`-th newest call must leave the span.
        calls.nth(skip).map_or(Duration::ZERO, |(at, _)| {
            self.until(at.saturating_add(to_millis(span)))
        })
    }

    /// Returns the remaining calls. During a pause there are none.
    pub(super) fn quota(&self) -> Quota {
        let limit = self.pools.limit;
        let pause = self.until(self.paused_until);
        let (used, wait) = if pause > Duration::ZERO {
            (limit, pause)
        } else {
            let used = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
            let oldest = self.calls.last();
            let free = oldest.map_or(Duration::ZERO, |(at, _)| {
                self.until(at.saturating_add(to_millis(WINDOW)))
            });
            (used.min(limit), free)
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

fn calls_of(calls: &[PaidCall], pool: Pool) -> impl Iterator<Item = &PaidCall> + Clone {
    calls.iter().filter(move |(_, other)| *other == pool as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hundred_calls_are_divided_as_documented() {
        let PoolSizes {
            paced,
            waiting,
            reserve,
            burst,
            ..
        } = PoolSizes::new(100);
        assert_eq!((paced, waiting, reserve, burst), (70, 25, 5, 7));
        assert_eq!(PoolSizes::new(100).pace().as_secs(), 1235);
    }

    #[test]
    fn pools_add_up_to_any_limit() {
        for limit in (0..500).chain([u32::MAX]) {
            let sizes = PoolSizes::new(limit);
            let total =
                u64::from(sizes.paced) + u64::from(sizes.waiting) + u64::from(sizes.reserve);
            assert_eq!(total, u64::from(limit));
            assert!(sizes.burst_window() <= WINDOW);
        }
    }
}
