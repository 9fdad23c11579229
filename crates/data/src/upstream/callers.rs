//! For whom this process paid for calls, so that one caller cannot take all that is left for the others.
//!
//! The counts are kept in memory: each process counts its own callers and knows nothing of them after a restart. A caller
//! of several processes gets half of what the others have left at each in turn, and so never all.

use super::ledger_state::{LedgerState, PaidCall, Purpose, Verdict, WINDOW};
use crate::pool::Caller;
use econoscope_core::clock::millis;
use std::collections::VecDeque;

/// Calls within the window, newest first: no more than the upstream allows in a day.
#[derive(Debug, Default)]
pub(super) struct CallerCounts(VecDeque<(u64, Caller, PaidCall)>);

impl CallerCounts {
    /// Pays for one call of a caller, in the ledger's transaction: of those that come at once each sees the ones before.
    /// A transaction that is tried again gives the same `id`.
    pub(super) fn pay(
        &mut self,
        state: &mut LedgerState,
        purpose: Purpose,
        caller: Caller,
        id: u64,
    ) -> Verdict {
        self.forget(id);
        let since = state.at.saturating_sub(millis(WINDOW));
        self.0.retain(|(_, _, (at, _))| *at > since);
        let own = self.0.iter().filter(|(_, who, _)| *who == caller);
        let own: Vec<PaidCall> = own.map(|(.., call)| *call).collect();
        let verdict = state.pay(purpose, &own);
        if let Some(pool) = state.charged {
            self.0.push_front((id, caller, (state.at, pool)));
        }
        verdict
    }

    /// Takes back a call that could not be paid for.
    pub(super) fn forget(&mut self, id: u64) {
        self.0.retain(|(of, ..)| *of != id);
    }
}
