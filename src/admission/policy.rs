//! The cost of a request: which daily allowance pays for it, what remains of that, and the burst limit (GCRA).

use econoscope_core::clock::{Moment, jitter};
use jiff::{Timestamp, Unit};
use std::time::Duration;

/// Milliseconds in a day.
pub(super) const DAY: i64 = 86_400_000;

/// The daily allowance that pays for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Everything but time series: `daily`.
    General,
    /// Time series: `data`.
    Data,
    /// Pages, widgets and pictures that are not cached: `pages`.
    Pages,
}

impl Policy {
    /// Returns the name in headers and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::General => "daily",
            Self::Data => "data",
            Self::Pages => "pages",
        }
    }

    /// Returns the allowance that pays for a REST path.
    pub fn of_path(path: &str) -> Self {
        if path.starts_with("/api/public/data/") {
            Self::Data
        } else {
            Self::General
        }
    }
}

/// What a request costs of a daily allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Price {
    /// The allowance that pays.
    pub(crate) policy: Policy,
    /// How many usual requests it costs; none if it is free.
    pub(crate) units: u32,
}

impl From<Policy> for Price {
    fn from(policy: Policy) -> Self {
        Self { policy, units: 1 }
    }
}

/// The whole cost of a request.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Charge {
    /// The burst limit, if the request counts towards it.
    pub(super) burst: Option<Burst>,
    /// The allowance that pays, with its requests per day.
    pub(super) daily: Option<(Policy, u32)>,
}

/// A client's allowance after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// The allowance that was charged.
    pub policy: Policy,
    /// Requests per day.
    pub limit: u32,
    /// Requests left.
    pub remaining: u32,
    /// Time until the count restarts.
    pub reset: Duration,
    /// Time of the restart.
    pub reset_at: Timestamp,
}

impl Quota {
    /// Creates a quota. `now` is the time of the counters in milliseconds, at `moment`.
    pub(super) fn new(
        policy: Policy,
        limit: u32,
        remaining: u32,
        now: i64,
        moment: &Moment,
    ) -> Self {
        let reset = Duration::from_millis((DAY - now.rem_euclid(DAY)).unsigned_abs());
        let reset_at = moment.wall.saturating_add(reset).unwrap_or(Timestamp::MAX);
        Self {
            policy,
            limit,
            remaining,
            reset,
            reset_at: reset_at.round(Unit::Second).unwrap_or(reset_at),
        }
    }
}

/// Why a request is refused: the daily allowance is exhausted, or there were too many requests at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitExceeded {
    /// The exhausted allowance; `None` for too many requests at once.
    pub quota: Option<Quota>,
    /// How long to wait. After an exhausted day this ends within a minute of its reset.
    pub retry_after: Duration,
}

impl LimitExceeded {
    /// Creates the refusal of a burst.
    pub(super) fn burst(retry_after: Duration) -> Self {
        Self {
            quota: None,
            retry_after,
        }
    }

    /// Creates the refusal of an exhausted day. Waits are spread over a minute, so that not all clients return at midnight.
    pub(super) fn daily(quota: Quota) -> Self {
        Self {
            quota: Some(quota),
            retry_after: quota.reset + jitter(Duration::from_secs(59)),
        }
    }

    /// Returns the name of the limit in answers and metrics.
    pub fn limit_name(&self) -> &'static str {
        self.quota.map_or("burst", |quota| quota.policy.name())
    }

    /// Returns the wait in whole seconds, at least one.
    pub fn wait_seconds(&self) -> u64 {
        let millis = self.retry_after.as_millis().div_ceil(1_000).max(1);
        u64::try_from(millis).unwrap_or(u64::MAX)
    }
}

/// A burst limit by GCRA, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Burst {
    /// Cost of one request.
    pub(super) cost: i64,
    /// Maximum debt.
    pub(super) max: i64,
}

impl Burst {
    /// Creates a limit of `burst` requests at once that recovers at `per_second`.
    pub(super) fn new(per_second: u32, burst: u32) -> Self {
        let cost = (1_000 / i64::from(per_second.max(1))).max(1);
        Self {
            cost,
            max: cost.saturating_mul(i64::from(burst.max(1))),
        }
    }

    /// Returns the new theoretical arrival time after a request at `now`.
    ///
    /// # Errors
    /// How long to wait if the debt is too large.
    pub(super) fn take(self, arrival_time: i64, now: i64) -> Result<i64, Duration> {
        let debt = arrival_time.saturating_sub(now).clamp(0, self.max) + self.cost;
        if debt > self.max {
            return Err(Duration::from_millis((debt - self.max).unsigned_abs()));
        }
        Ok(now.saturating_add(debt))
    }
}
