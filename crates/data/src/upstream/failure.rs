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

    /// The allowance does not cover the call; `held` when the upstream itself asked for silence.
    pub(super) fn spent(quota: &Quota, held: bool, wait: Duration, now: Timestamp) -> Self {
        let Quota {
            limit, remaining, ..
        } = *quota;
        let free = free_at(wait, now);
        let what = if held {
            format!("The upstream asked for no calls until {free}.")
        } else if remaining == 0 {
            format!(
                "The upstream allows {limit} calls in 24 hours and all are used; the next is free at {free}."
            )
        } else {
            format!(
                "The upstream allows {limit} calls in 24 hours; the {remaining} left are being spread, the next of this kind is free at {free}."
            )
        };
        Self {
            what,
            wait,
            is_limit: true,
            is_share: false,
        }
    }

    /// The allowance covers calls of other callers, and this one has had its half.
    pub(super) fn share_spent(quota: &Quota, wait: Duration, now: Timestamp) -> Self {
        let what = format!(
            "The upstream allows {} calls in 24 hours, of which a caller gets at most half of what others left; the next for you is free at {}.",
            quota.limit,
            free_at(wait, now)
        );
        Self {
            what,
            wait,
            is_limit: true,
            is_share: true,
        }
    }

    /// It came about before, and holds for so much longer.
    pub(super) fn after(self, left: Duration) -> Self {
        Self { wait: left, ..self }
    }

    /// As an error of the crate.
    pub(super) fn error(&self) -> Error {
        let what = self.what.clone();
        // Whole seconds, rounded up: who comes back then is not too early.
        let wait =
            Duration::from_secs(self.wait.as_secs() + u64::from(self.wait.subsec_nanos() > 0));
        if self.is_limit {
            return Error::RateLimited {
                what,
                retry_after: wait,
            };
        }
        Error::Unavailable {
            what: format!("{what} Try again in {} s.", wait.as_secs()),
            retry_after: Some(wait),
            source: None,
        }
    }
}

/// The second at which a wait is over.
fn free_at(wait: Duration, now: Timestamp) -> Timestamp {
    let free = now.saturating_add(wait).unwrap_or(Timestamp::MAX);
    free.round(Unit::Second).unwrap_or(free)
}
