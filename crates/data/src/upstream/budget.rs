//! The rules of the ledger: which calls are granted.
//!
//! At most `limit` calls are granted in any 24 hours, and they are spread by a leaky bucket: of 100 calls 30 may be made
//! at once, and the bucket leaks one call in each seventieth of the day. Each purpose leaves room in the bucket for the
//! more urgent ones: a refresh leaves 25 calls, a caller's own key ([`Kind::Interactive`]) leaves 5, and a shared key
//! without a response leaves none.
//!
//! For its own keys a caller gets at most half, rounded up, of the room that the other callers leave, so that the next
//! caller still gets a call.

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

/// The calls allowed in any window, and how they are spread.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    pub(super) limit: u32,
}

impl Budget {
    fn percent(self, percent: i64) -> i64 {
        i64::from(self.limit) * percent / 100
    }

    /// Returns the calls that a purpose leaves for the more urgent ones.
    fn reserve(self, purpose: Purpose) -> i64 {
        match purpose {
            Purpose::Miss(Kind::Shared) => 0,
            Purpose::Miss(Kind::Interactive) => self.percent(5),
            Purpose::Refresh => self.percent(25),
        }
    }

    /// Returns the calls that may be made at once.
    fn burst(self) -> i64 {
        self.reserve(Purpose::Refresh) + self.percent(5).max(1)
    }

    /// Returns the time in which the bucket leaks one call: those beyond the burst, over a window.
    pub(super) fn pace(self) -> Duration {
        let spread = u32::try_from(i64::from(self.limit) - self.burst()).unwrap_or(0);
        WINDOW.checked_div(spread).unwrap_or(WINDOW)
    }

    /// Returns the level of the bucket `at` a time, as the time in which it becomes empty.
    fn level(self, calls: &[i64], at: i64) -> i64 {
        let pace = to_millis(self.pace());
        let fill = |empty: i64, call: &i64| empty.max(*call).saturating_add(pace);
        let empty = within(calls, at).fold(i64::MIN, fill);
        empty.saturating_sub(at).max(0)
    }
}

/// Returns the calls, oldest first, of the window that ends `at` a time.
fn within(calls: &[i64], at: i64) -> impl Iterator<Item = &i64> {
    let since = at.saturating_sub(to_millis(WINDOW));
    calls.iter().filter(move |call| **call > since)
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
    pub(super) budget: Budget,
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
    /// Pays for a call, if it is granted. `own` are the caller's calls for its own keys, oldest first.
    pub(super) fn pay(&mut self, purpose: Purpose, own: &[i64]) -> Verdict {
        if self.grants(self.now, purpose, own) {
            self.is_paid = true;
            self.calls.push(self.now);
            return Verdict::Granted;
        }
        let reason = if self.now < self.paused_until {
            Refusal::Pause
        } else if self.grants(self.now, purpose, &[]) {
            Refusal::Share
        } else {
            Refusal::Limit
        };
        // Without further calls a time that grants the call is followed by such times only.
        let mut refused = self.now;
        let mut granted = self.now.saturating_add(to_millis(WINDOW));
        while granted - refused > 1 {
            let middle = refused.midpoint(granted);
            if self.grants(middle, purpose, own) {
                granted = middle
            } else {
                refused = middle
            }
        }
        let wait = self.until(granted);
        Verdict::Refused { wait, reason }
    }

    /// Whether a call would be granted `at` a time.
    fn grants(&self, at: i64, purpose: Purpose, own: &[i64]) -> bool {
        let budget = self.budget;
        let used = i64::try_from(within(&self.calls, at).count()).unwrap_or(i64::MAX);
        let room = budget.burst() - budget.reserve(purpose) - 1;
        let level = budget.level(&self.calls, at) + budget.level(own, at);
        at >= self.paused_until
            && used < i64::from(budget.limit)
            && level <= room.saturating_mul(to_millis(budget.pace()))
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
        let limit = self.budget.limit;
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
        let budget = Budget { limit: 100 };
        let left = [Purpose::Refresh, Purpose::Miss(Kind::Interactive)];
        assert_eq!(left.map(|purpose| budget.reserve(purpose)), [25, 5]);
        assert_eq!((budget.burst(), budget.pace().as_secs()), (30, 1235));
    }

    #[test]
    fn burst_and_leak_stay_within_any_limit() {
        for limit in 1..500 {
            let budget = Budget { limit };
            let pace = i128::try_from(budget.pace().as_nanos()).unwrap();
            let leaked = i128::try_from(WINDOW.as_nanos()).unwrap() / pace.max(1);
            assert!(budget.burst() <= i64::from(limit));
            assert!(
                i128::from(budget.burst()) + leaked <= i128::from(limit) + 1,
                "{limit}"
            );
            assert!(budget.reserve(Purpose::Refresh) < budget.burst());
        }
    }
}
