//! The law of the ledger: how the calls of a day are divided, and which may be paid for, by what is written down.
//!
//! 70 of 100 are spread over the day and keep shared keys up to date, 25 are for callers that wait, and 5 are
//! kept so that a shared key that nothing is held for can be asked for at any time.
//!
//! For names of its own ([`Kind::Interactive`]) a caller gets at most half, rounded up, of what the other callers have left
//! of a part. So whoever comes next still gets something.

use super::request::Kind;
use econoscope_core::clock::{Moment, duration, millis};
use jiff::Timestamp;
use std::time::Duration;

/// A day and a minute: a call may arrive later than it was sent, so two calls a day apart here may be
/// closer together there.
pub(super) const WINDOW: Duration = Duration::from_secs(24 * 3600 + 60);

/// Why a call is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Nothing usable is held; a caller waits.
    Miss(Kind),
    /// An older answer is held and serves meanwhile.
    Refresh,
}

/// Pools that may pay, in the order they are tried.
fn pools(purpose: Purpose) -> &'static [Pool] {
    match purpose {
        Purpose::Refresh => &[Pool::Paced],
        Purpose::Miss(Kind::Shared) => &[Pool::Paced, Pool::Waiting, Pool::Reserve],
        Purpose::Miss(Kind::Interactive) => &[Pool::Waiting, Pool::Paced],
    }
}

/// A part of the allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pool {
    /// Spread over the day: at most a tenth of the part in a tenth of the day.
    Paced = 0,
    /// For callers that wait, at any time of the day.
    Waiting = 1,
    /// For shared keys when all else is spent.
    Reserve = 2,
}

/// How the allowance is divided.
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
    /// Paced calls that may follow at once.
    burst: u32,
}

impl PoolSizes {
    /// 70 : 25 : 5; each part of a small limit is cut to what is left of it.
    pub(super) fn of(limit: u32) -> Self {
        let part = |percent: u64| u32::try_from(u64::from(limit) * percent / 100).unwrap_or(0);
        let waiting = part(25).max(1).min(limit);
        let reserve = part(5).min(limit - waiting);
        let paced = limit - waiting - reserve;
        Self {
            limit,
            paced,
            waiting,
            reserve,
            burst: (paced / 10).max(1),
        }
    }

    /// Mean distance of two paced calls.
    pub(super) fn pace(&self) -> Duration {
        WINDOW.checked_div(self.paced).unwrap_or(WINDOW)
    }

    /// The stretch in which at most `burst` paced calls are made.
    fn stretch(&self) -> Duration {
        self.pace().saturating_mul(self.burst).min(WINDOW)
    }
}

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
    Granted,
    /// Not now.
    Refused {
        /// When asking again makes sense, at the earliest.
        wait: Duration,
        /// The upstream itself asked for silence.
        held: bool,
        /// Other callers could be served: this one has had its half.
        is_share: bool,
    },
}

/// A call that was paid for: when, and by which pool.
pub(super) type PaidCall = (i64, i64);

/// The ledger during one transaction: what is written down, and what is to be.
pub(super) struct LedgerState {
    pub(super) shares: PoolSizes,
    pub(super) clock: Moment,
    /// The ledger's own time, in milliseconds.
    pub(super) at: i64,
    /// Until when the upstream asked for silence.
    pub(super) held_until: i64,
    /// Calls within the window, newest first.
    pub(super) calls: Vec<PaidCall>,
    /// The pool of a call that is to be written down.
    pub(super) charged: Option<i64>,
    /// Whether the time and the silence are to be written down.
    pub(super) is_changed: bool,
}

impl LedgerState {
    /// What is written down: silence until `held_until`, and `calls` within the window before `at`, newest first.
    pub(super) fn new(
        shares: PoolSizes,
        clock: Moment,
        at: i64,
        held_until: i64,
        calls: Vec<PaidCall>,
    ) -> Self {
        Self {
            shares,
            clock,
            at,
            held_until,
            calls,
            charged: None,
            is_changed: false,
        }
    }

    /// Pays for one call, if it may be made; `own` are the caller's own calls of this kind, newest first.
    pub(super) fn pay(&mut self, purpose: Purpose, own: &[PaidCall]) -> Verdict {
        // Else a wall clock set far back would keep time from passing at all.
        self.is_changed = true;
        let held = self.left(self.held_until);
        if held > Duration::ZERO {
            return Verdict::Refused {
                wait: held,
                held: true,
                is_share: false,
            };
        }
        let pools = pools(purpose);
        let is_share = pools.iter().any(|pool| self.wait(*pool).is_zero());
        let waits = pools.iter().map(|pool| {
            let wait = self.wait(*pool).max(self.share(*pool, own));
            (wait, *pool)
        });
        match waits.min_by_key(|(wait, _)| *wait) {
            Some((Duration::ZERO, pool)) => {
                self.charge(pool);
                Verdict::Granted
            }
            // A grain more than needed, so that who comes back on time is not a millisecond early.
            refused => Verdict::Refused {
                wait: refused.map_or(WINDOW, |(wait, _)| wait.saturating_add(GRAIN)),
                held: false,
                is_share,
            },
        }
    }

    /// Notes that no call may be made for a time, at most the window.
    pub(super) fn hold(&mut self, wait: Duration) {
        let until = self.at.saturating_add(millis(wait.min(WINDOW)));
        self.held_until = self.held_until.max(until);
        self.is_changed = true;
    }

    /// How long until the ledger's time is `until`.
    fn left(&self, until: i64) -> Duration {
        duration(until.saturating_sub(self.at))
    }

    /// How long until a pool can pay; zero when it can now.
    fn wait(&self, pool: Pool) -> Duration {
        let shares = &self.shares;
        let own = of(&self.calls, pool);
        let (size, pause) = match pool {
            Pool::Paced => {
                let pause = self.freed(own.clone(), shares.burst, shares.stretch());
                (shares.paced, pause)
            }
            Pool::Waiting => (shares.waiting, Duration::ZERO),
            Pool::Reserve => (shares.reserve, Duration::ZERO),
        };
        let all = self.freed(self.calls.iter(), shares.limit, WINDOW);
        all.max(pause).max(self.freed(own, size, WINDOW))
    }

    /// How long until a caller has fewer calls of a pool than half of what the others have left of it.
    fn share(&self, pool: Pool, own: &[PaidCall]) -> Duration {
        let (most, span) = match pool {
            Pool::Paced => (self.shares.burst, self.shares.stretch()),
            Pool::Waiting => (self.shares.waiting, WINDOW),
            Pool::Reserve => return Duration::ZERO,
        };
        let since = self.at.saturating_sub(millis(span));
        let count = |calls| {
            let within = of(calls, pool).take_while(|(at, _)| *at > since);
            u32::try_from(within.count()).unwrap_or(u32::MAX)
        };
        let others = count(&self.calls).saturating_sub(count(own));
        let half = most.saturating_sub(others).div_ceil(2).max(1);
        self.freed(of(own, pool), half, span)
    }

    /// How long until fewer than `most` of these calls, newest first, lie within the last `span`.
    fn freed<'a>(
        &self,
        mut calls: impl Iterator<Item = &'a PaidCall>,
        most: u32,
        span: Duration,
    ) -> Duration {
        let Some(skip) = most.checked_sub(1).and_then(|n| usize::try_from(n).ok()) else {
            return WINDOW;
        };
        // The call that must leave the span is the `most`-th newest one.
        let blocking = calls.nth(skip);
        blocking.map_or(Duration::ZERO, |(at, _)| {
            self.left(at.saturating_add(millis(span)))
        })
    }

    fn charge(&mut self, pool: Pool) {
        self.charged = Some(pool as i64);
        self.calls.insert(0, (self.at, pool as i64));
    }

    /// What is left.
    pub(super) fn quota(&self) -> Quota {
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

/// Those of a pool.
fn of(calls: &[PaidCall], pool: Pool) -> impl Iterator<Item = &PaidCall> + Clone {
    calls.iter().filter(move |(_, of)| *of == pool as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_hundred_is_divided_as_documented() {
        let PoolSizes {
            paced,
            waiting,
            reserve,
            burst,
            ..
        } = PoolSizes::of(100);
        assert_eq!((paced, waiting, reserve, burst), (70, 25, 5, 7));
        assert_eq!(PoolSizes::of(100).pace().as_secs(), 1235);
    }

    #[test]
    fn the_parts_of_any_limit_make_up_the_whole() {
        for limit in (0..500).chain([u32::MAX]) {
            let shares = PoolSizes::of(limit);
            let whole =
                u64::from(shares.paced) + u64::from(shares.waiting) + u64::from(shares.reserve);
            assert_eq!(whole, u64::from(limit));
            assert!(shares.stretch() <= WINDOW);
        }
    }
}
