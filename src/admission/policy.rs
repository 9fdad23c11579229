//! What a request costs: which allowance pays for it and what is left of that, and the guard against bursts (GCRA, by
//! the time at which what was asked for is paid off).

use super::counters::Key;
use econoscope_core::clock::Moment;
use jiff::{Timestamp, Unit};
use std::time::Duration;

/// Milliseconds of a day.
pub(super) const DAY: i64 = 86_400_000;

/// Which allowance a request is charged to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Everything but time series: `daily`.
    General,
    /// Time series: `data`.
    Data,
    /// Pages, widgets and pictures that must be made: `pages`.
    Pages,
}

impl Policy {
    /// Name in headers and answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::General => "daily",
            Self::Data => "data",
            Self::Pages => "pages",
        }
    }

    /// The allowance that pays for a REST path.
    pub fn of_path(path: &str) -> Self {
        match path.starts_with("/api/public/data/") {
            true => Self::Data,
            false => Self::General,
        }
    }
}

/// All that one request costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Charge {
    /// The guard against bursts, where it is to be charged.
    pub(super) burst: Option<Burst>,
    /// The allowance that pays, and its requests a day.
    pub(super) day: Option<(Policy, u32)>,
}

/// Where a client stands after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The allowance that was charged.
    pub policy: Policy,
    /// Requests a day.
    pub limit: u32,
    /// Requests left.
    pub remaining: u32,
    /// Until the count starts anew.
    pub reset: Duration,
    /// When it starts anew.
    pub reset_at: Timestamp,
}

impl Standing {
    /// With so much left of an allowance; `now` is the time of the count, and the moment it is.
    pub(super) fn at(
        (now, moment): (i64, &Moment),
        (policy, limit): (Policy, u32),
        remaining: u32,
    ) -> Self {
        let reset = Duration::from_millis((DAY - now.rem_euclid(DAY)).unsigned_abs());
        let then = moment.wall.saturating_add(reset).unwrap_or(Timestamp::MAX);
        Self {
            policy,
            limit,
            remaining,
            reset,
            reset_at: then.round(Unit::Second).unwrap_or(then),
        }
    }
}

/// Why a request is not answered: the day's allowance is used up, or too many came at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Where the client stands; none of who sent too many at once.
    pub standing: Option<Standing>,
    /// When to come back: of a day after its reset, spread over a minute.
    pub retry_after: Duration,
}

impl Refusal {
    /// Too many came at once.
    pub(super) fn burst(retry_after: Duration) -> Self {
        Self {
            standing: None,
            retry_after,
        }
    }

    /// The day's allowance is used up. When to come back is spread over a minute, the same for the same client, so that
    /// midnight brings no stampede.
    pub(super) fn day(standing: Standing, key: &Key) -> Self {
        let [.., last] = key;
        Self {
            standing: Some(standing),
            retry_after: standing.reset + Duration::from_secs(u64::from(*last) % 60),
        }
    }

    /// Name of the limit in answers and counts.
    pub fn limit(&self) -> &'static str {
        self.standing.map_or("burst", |s| s.policy.name())
    }

    /// Whole seconds until another try makes sense, at least one.
    pub fn seconds(&self) -> u64 {
        let millis = self.retry_after.as_millis().div_ceil(1_000).max(1);
        u64::try_from(millis).unwrap_or(u64::MAX)
    }
}

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
