//! The rules of the ledger: which calls are granted.
//!
//! A call is granted if at most `limit` calls are then used in any 24 hours, and if the calls left suffice for an even
//! spread over the time until used calls come back. How many calls are kept for that spread depends on the purpose and
//! on the callers of the last day: with one caller a refresh keeps half of the limit and a caller's own question
//! ([`Kind::Interactive`]) a quarter, with ten or more they keep 91 % and 66 %, and what all callers share keeps
//! nothing when it has no answer or one older than twelve calls' worth of the day (three hours at 100 calls). For its own
//! questions a caller gets at most half, rounded up, of what the other callers leave, so that the next one still gets a
//! call.

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
    /// The cached response is stale.
    Refresh(Kind),
    /// The cached response of a shared key is so old that its refresh is as urgent as a miss.
    Overdue,
}

impl Purpose {
    /// Returns the purpose of a refresh of a response of this age.
    pub(super) fn refresh(kind: Kind, age: Duration, pace: Duration) -> Self {
        if kind == Kind::Shared && age >= pace.saturating_mul(OVERDUE) {
            Self::Overdue
        } else {
            Self::Refresh(kind)
        }
    }

    /// Whether the call is for a key of its caller alone.
    pub(super) fn is_own(self) -> bool {
        matches!(
            self,
            Self::Miss(Kind::Interactive) | Self::Refresh(Kind::Interactive)
        )
    }
}

/// A shared response is overdue at this many times the [pace]. A service has five keys without arguments,
/// so that they take at most 42 of 100 calls a day.
const OVERDUE: u32 = 12;

/// Callers beyond this number change nothing.
pub(super) const MAX_CALLERS: usize = 10;

/// Returns the calls of a limit that a purpose keeps for an even spread over a window.
fn kept(limit: u32, purpose: Purpose, callers: usize) -> i64 {
    let callers = i64::try_from(callers.clamp(1, MAX_CALLERS)).unwrap_or(1);
    let percent = 100 - 100 / (callers + 1);
    let kept = match purpose {
        Purpose::Miss(Kind::Shared) | Purpose::Overdue => 0,
        Purpose::Miss(Kind::Interactive) => percent - 25,
        Purpose::Refresh(_) => percent,
    };
    let limit = i64::from(limit);
    // Of an unused limit one call is always granted.
    (limit * kept / 100).min(limit - 1).max(0)
}

/// Returns the time in which one call of a limit comes back, when they are evenly spread.
pub(super) fn pace(limit: u32) -> Duration {
    WINDOW.checked_div(limit).unwrap_or(WINDOW)
}

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
    /// There is no call of this purpose for now.
    Limit,
}

/// The ledger within one transaction: what is recorded, and what to record. Times are the ledger's own, in milliseconds.
pub(super) struct LedgerState {
    /// Calls allowed in any window.
    pub(super) limit: u32,
    pub(super) clock: Moment,
    pub(super) now: i64,
    /// End of the pause that the upstream asked for.
    pub(super) paused_until: i64,
    /// Calls within the window, oldest first.
    pub(super) calls: Vec<i64>,
    /// Whether a call at `now` is to be recorded.
    pub(super) is_paid: bool,
}

impl LedgerState {
    /// Pays for a call, if it is granted. `own` are the caller's calls for its own keys, oldest first; `callers` is the
    /// number of callers within the window, with this one.
    pub(super) fn pay(&mut self, purpose: Purpose, own: &[i64], callers: usize) -> Verdict {
        if self.grants(self.now, purpose, own, callers) {
            self.is_paid = true;
            self.calls.push(self.now);
            return Verdict::Granted;
        }
        let reason = if self.now < self.paused_until {
            Refusal::Pause
        } else if self.grants(self.now, purpose, &[], callers) {
            Refusal::Share
        } else {
            Refusal::Limit
        };
        // Without further calls a time that grants the call is followed by such times only.
        let mut refused = self.now;
        let mut granted = self.now.saturating_add(to_millis(WINDOW));
        while granted - refused > 1 {
            let middle = refused.midpoint(granted);
            if self.grants(middle, purpose, own, callers) {
                granted = middle
            } else {
                refused = middle
            }
        }
        let wait = self.until(granted);
        Verdict::Refused { wait, reason }
    }

    /// Whether a call would be granted `at` a time: just before each call of the window comes back, the calls left must
    /// suffice for the spread until then. Own calls count twice.
    fn grants(&self, at: i64, purpose: Purpose, own: &[i64], callers: usize) -> bool {
        let window = to_millis(WINDOW);
        let kept = kept(self.limit, purpose, callers);
        let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        let first = self.calls.partition_point(|call| *call <= at - window);
        let mut used = self.calls.iter().skip(first).chain([&at]);
        let mut left = i64::from(self.limit) - count(self.calls.len() - first) - 1;
        let is_enough = |call: &i64| {
            let own_calls = own.len() - own.partition_point(|own| own < call);
            let needed = kept * (call + window - at);
            let is_enough = (left - count(own_calls)) * window >= needed;
            left += 1;
            is_enough
        };
        at >= self.paused_until && used.all(is_enough)
    }

    /// Pauses all calls for a time, at most the window.
    pub(super) fn pause(&mut self, wait: Duration) {
        let until = self.now.saturating_add(to_millis(wait.min(WINDOW)));
        self.paused_until = self.paused_until.max(until);
    }

    /// Returns the time until the ledger's time is `at`.
    fn until(&self, at: i64) -> Duration {
        from_millis(at.saturating_sub(self.now))
    }

    /// Returns the remaining calls. During a pause there are none.
    pub(super) fn quota(&self) -> Quota {
        let limit = self.limit;
        let pause = self.until(self.paused_until);
        let (used, wait) = if pause > Duration::ZERO {
            (limit, pause)
        } else {
            let used = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
            let free = |oldest: &i64| self.until(oldest.saturating_add(to_millis(WINDOW)));
            let free = self.calls.first().map_or(Duration::ZERO, free);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hundred_calls_are_divided_as_documented() {
        let both_kept = |callers| {
            [
                Purpose::Refresh(Kind::Shared),
                Purpose::Miss(Kind::Interactive),
            ]
            .map(|purpose| kept(100, purpose, callers))
        };
        assert_eq!(
            [1, 2, 10, 2_000].map(both_kept),
            [[50, 25], [67, 42], [91, 66], [91, 66]]
        );
        assert_eq!(kept(100, Purpose::Overdue, 2_000), 0);
        assert_eq!(pace(100) * OVERDUE, Duration::from_millis(10_375_200));
    }
}
