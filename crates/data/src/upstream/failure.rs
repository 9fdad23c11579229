//! Why a lookup failed, in a form that several waiting callers can share.

use super::budget::{Quota, Refusal};
use econoscope_core::error::Error;
use jiff::{Timestamp, Unit};
use std::time::Duration;

/// A failed lookup, and when to retry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    message: String,
    pub(super) wait: Duration,
    /// Why the ledger did not grant the call; `None` when it did.
    pub(super) refusal: Option<Refusal>,
}

impl Failure {
    /// Returns the failure for an upstream without a usable response. `what` completes "The upstream …".
    pub(super) fn unavailable(what: &str, wait: Duration) -> Self {
        Self {
            message: format!("The upstream {what}."),
            wait,
            refusal: None,
        }
    }

    /// Returns the failure for a call that the ledger does not grant.
    pub(super) fn rate_limited(
        quota: Option<Quota>,
        reason: Refusal,
        wait: Duration,
        now: Timestamp,
    ) -> Self {
        let end = now.saturating_add(wait).unwrap_or(Timestamp::MAX);
        let free = end.round(Unit::Second).unwrap_or(end);
        let (limit, left) = quota.map_or((0, 0), |quota| (quota.limit, quota.remaining));
        let allows = format!("The upstream allows {limit} calls in 24 hours");
        let message = match (reason, left) {
            (Refusal::Pause, _) => format!("The upstream asked for no calls until {free}."),
            (Refusal::Share, _) => format!(
                "{allows}, of which a caller gets at most half of what others left; the next for you is free at {free}."
            ),
            (Refusal::Limit, 0) => {
                format!("{allows} and all are used; the next is free at {free}.")
            }
            (Refusal::Limit, _) => format!(
                "{allows}; the {left} left are being spread, the next of this kind is free at {free}."
            ),
        };
        Self {
            message,
            wait,
            refusal: Some(reason),
        }
    }

    /// Converts it to an error.
    pub(super) fn to_error(&self) -> Error {
        let what = self.message.clone();
        // Rounded up, so that a caller does not come back too early.
        let seconds = self.wait.as_secs() + u64::from(self.wait.subsec_nanos() > 0);
        let retry_after = Duration::from_secs(seconds);
        match self.refusal {
            Some(_) => Error::RateLimited { what, retry_after },
            None => {
                let told = format!("{what} Try again in {seconds} s.");
                Error::unavailable(told, Some(retry_after))
            }
        }
    }
}
