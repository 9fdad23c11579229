//! Why there is no answer, in a form several waiting callers can share.

use super::ledger_state::Quota;
use econoscope_core::error::Error;
use jiff::{Timestamp, Unit};
use std::time::Duration;

/// A reason, and when to come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    what: String,
    wait: Duration,
    /// It is the allowance that does not cover the call.
    is_limit: bool,
    /// It covers others': the caller that asked has had its half.
    pub(super) is_share: bool,
}

impl Failure {
    /// The upstream gave nothing usable: `what` completes "The upstream …".
    pub(super) fn no_answer(what: &str, wait: Duration) -> Self {
        Self {
            what: format!("The upstream {what}."),
            wait,
            is_limit: false,
            is_share: false,
        }
    }

    /// The allowance does not cover the call: the upstream itself asked for silence (`held`), or the caller has had its half
    /// (`is_share`).
    pub(super) fn limit(
        quota: Option<Quota>,
        (held, is_share): (bool, bool),
        wait: Duration,
        now: Timestamp,
    ) -> Self {
        let free = now.saturating_add(wait).unwrap_or(Timestamp::MAX);
        let free = free.round(Unit::Second).unwrap_or(free);
        let (limit, left) = quota.map_or((0, 0), |quota| (quota.limit, quota.remaining));
        let allows = format!("The upstream allows {limit} calls in 24 hours");
        let what = match (held, is_share, left) {
            (true, ..) => format!("The upstream asked for no calls until {free}."),
            (_, true, _) => format!(
                "{allows}, of which a caller gets at most half of what others left; the next for you is free at {free}."
            ),
            (_, _, 0) => format!("{allows} and all are used; the next is free at {free}."),
            _ => format!(
                "{allows}; the {left} left are being spread, the next of this kind is free at {free}."
            ),
        };
        Self {
            what,
            wait,
            is_limit: true,
            is_share,
        }
    }

    /// It came about before, and holds for so much longer.
    pub(super) fn after(&self, wait: Duration) -> Self {
        let mut failure = self.clone();
        failure.wait = wait;
        failure
    }

    /// As an error of the crate.
    pub(super) fn error(&self) -> Error {
        let what = self.what.clone();
        // Whole seconds, rounded up: who comes back then is not too early.
        let seconds = self.wait.as_secs() + u64::from(self.wait.subsec_nanos() > 0);
        let wait = Duration::from_secs(seconds);
        match self.is_limit {
            true => Error::RateLimited {
                what,
                retry_after: wait,
            },
            false => Error::Unavailable {
                what: format!("{what} Try again in {seconds} s."),
                retry_after: Some(wait),
                source: None,
            },
        }
    }
}
