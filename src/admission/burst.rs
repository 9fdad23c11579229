//! The guard against bursts: GCRA, by the time at which what was asked for is paid off.

use std::time::Duration;

/// How fast requests may come, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Burst {
    /// What one request costs.
    pub(super) cost: i64,
    /// What may be owed.
    pub(super) max: i64,
}

impl Burst {
    /// One request costs `1000 / per_second` ms; `burst` of them may be owed.
    pub(super) fn of(per_second: u32, burst: u32) -> Self {
        let cost = (1_000 / i64::from(per_second.max(1))).max(1);
        Self {
            cost,
            max: cost.saturating_mul(i64::from(burst.max(1))),
        }
    }

    /// One of so many equal parts, of one request at least.
    pub(super) fn share(self, parts: u32) -> Self {
        let cost = self.cost.saturating_mul(i64::from(parts.max(1)));
        Self {
            cost,
            max: self.max.max(cost),
        }
    }

    /// When all is paid off after one more request at `now`.
    ///
    /// # Errors
    /// How long to wait when too much is owed already.
    pub(super) fn take(self, paid_off: i64, now: i64) -> Result<i64, Duration> {
        let owed = paid_off.saturating_sub(now).clamp(0, self.max) + self.cost;
        if owed > self.max {
            return Err(Duration::from_millis((owed - self.max).unsigned_abs()));
        }
        Ok(now.saturating_add(owed))
    }
}
