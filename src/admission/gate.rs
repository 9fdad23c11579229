//! What is charged and to whom, and a count of who was refused.

use super::limits::Limits;
use super::permits::{Full, MAX_LISTENERS_PER_ADDRESS, Permit, Permits};
use super::policy::{Policy, Refusal, Standing};
use super::reply;
use super::settings::LimitSettings;
use super::tally::Tally;
use crate::error::{Error, Result};
use crate::pool::Caller;
use crate::rest::status;
use std::future::Future;
use std::sync::Arc;

/// The part of all connections that may be streams of those who listen: the rest is for requests.
const LISTENING_SHARE: usize = 4;

/// Limits and permits of one server.
pub struct Admission {
    limits: Limits,
    listeners: Arc<Permits<()>>,
    refused: Arc<Tally>,
    called: Arc<Tally>,
}

impl Admission {
    /// Limits, and permits to listen beside so many connections.
    pub(crate) fn new(limits: LimitSettings, connections: usize) -> Self {
        Self::over(Limits::new(limits), connections)
    }

    /// Other limits and permits over the same counts.
    pub(crate) fn again(&self, limits: LimitSettings, connections: usize) -> Self {
        Self {
            refused: Arc::clone(&self.refused),
            called: Arc::clone(&self.called),
            ..Self::over(self.limits.again(limits), connections)
        }
    }

    fn over(limits: Limits, connections: usize) -> Self {
        let streams = (connections / LISTENING_SHARE).max(1);
        Self {
            limits,
            listeners: Arc::new(Permits::new(streams, MAX_LISTENERS_PER_ADDRESS)),
            refused: Arc::default(),
            called: Arc::default(),
        }
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Refusals by limit.
    pub(crate) fn refused(&self) -> &Tally {
        &self.refused
    }

    /// Calls of tools over `/mcp`.
    pub(crate) fn called(&self) -> &Tally {
        &self.called
    }

    /// Whether the guard against bursts would let a request pass; costs nothing.
    ///
    /// # Errors
    /// [`Refusal`] when too many came at once.
    pub(crate) fn glance(&self, caller: Caller) -> std::result::Result<(), Refusal> {
        let seen = self.limits.glance(caller);
        seen.inspect_err(|refusal| self.refused.add(refusal.limit()))
    }

    /// Charges a request to the guard against bursts, and to the day's allowance where one pays: to both or to none.
    /// Nothing for who is not counted.
    ///
    /// # Errors
    /// [`Refusal`] when too many came at once, or nothing is left; that costs nothing.
    pub(crate) async fn charge(
        &self,
        caller: Caller,
        policy: Option<Policy>,
    ) -> std::result::Result<Option<Standing>, Refusal> {
        let charged = self.limits.charge(caller, policy).await;
        charged.inspect_err(|refusal| self.refused.add(refusal.limit()))
    }

    /// Gives one request back: the failure was ours.
    pub(crate) fn refund(&self, caller: Caller, policy: Policy) {
        self.limits.refund(caller, policy);
    }

    /// A permit to listen: a stream that stays open for hours costs more than a request, so there are few.
    ///
    /// # Errors
    /// [`Full`] when the caller or all together have as many as they may.
    pub(crate) fn listen(&self, caller: Caller) -> std::result::Result<Permit<()>, Full> {
        self.listeners.take(caller, || ()).inspect_err(|full| {
            self.refused.add(match full {
                Full::Caller => "listeners_of_address",
                Full::All => "listeners",
            });
        })
    }

    /// Charges a caller for what must be made (a page, a widget, a picture, or an upstream's answer behind one), does
    /// the work, and gives the charge back when the failure is ours.
    ///
    /// # Errors
    /// [`Error::RateLimited`] when the caller's day is used up, and whatever the work says.
    pub(crate) async fn paid<T>(
        &self,
        caller: Caller,
        policy: Policy,
        work: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let charged = self.limits.spend(caller, policy).await;
        charged.map_err(|refusal| {
            self.refused.add(refusal.limit());
            Error::RateLimited {
                what: reply::sentence(&refusal),
                retry_after: refusal.retry_after,
            }
        })?;
        let done = work.await;
        if done.as_ref().is_err_and(|e| status(e).is_server_error()) {
            self.refund(caller, policy);
        }
        done
    }
}
