//! Why there is no answer, in a form several waiting callers can share.

use super::ledger::Quota;
use crate::error::Error;
use jiff::{Timestamp, Unit};
use std::time::Duration;

/// A reason, and when to come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    what: String,
    wait: Duration,
    limited: bool,
    of_renewal: bool,
}

impl Failure {
    /// The upstream gave nothing usable: `what` completes "The upstream …".
    pub(super) fn no_answer(what: &str, wait: Duration) -> Self {
        Self {
            what: format!("The upstream {what}."),
            wait,
            limited: false,
            of_renewal: false,
        }
    }

    /// An answer that is not what the contract promises.
    pub(super) fn contract(problem: &Error, wait: Duration) -> Self {
        Self::no_answer(&format!("broke its contract: {problem}"), wait)
    }

    /// The allowance does not cover the call.
    pub(super) fn spent(quota: &Quota, held: bool, wait: Duration, now: Timestamp) -> Self {
        let Quota {
            limit, remaining, ..
        } = *quota;
        let free = now.saturating_add(wait).unwrap_or(Timestamp::MAX);
        let free = free.round(Unit::Second).unwrap_or(free);
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
            limited: true,
            of_renewal: false,
        }
    }

    /// The call was only to renew an answer, which uses less of the allowance than one for a miss.
    pub(super) fn on_renewal(self) -> Self {
        Self {
            of_renewal: true,
            ..self
        }
    }

    /// Whether a caller with nothing in hand may try again by itself.
    pub(super) fn of_renewal(&self) -> bool {
        self.of_renewal
    }

    /// It came about before, and holds for so much longer.
    pub(super) fn after(&self, left: Duration) -> Self {
        Self {
            wait: left,
            ..self.clone()
        }
    }

    /// As an error of the crate.
    pub(super) fn error(&self) -> Error {
        let what = self.what.clone();
        // Whole seconds, rounded up: who comes back then is not too early.
        let wait =
            Duration::from_secs(self.wait.as_secs() + u64::from(self.wait.subsec_nanos() > 0));
        if self.limited {
            Error::RateLimited {
                what,
                retry_after: wait,
            }
        } else {
            let what = format!("{what} Try again in {} s.", wait.as_secs());
            Error::Unavailable {
                what,
                retry_after: Some(wait),
                source: None,
            }
        }
    }
}
