//! What an address has used of a day, and whether one more request may be granted.

use super::policy::{Charge, Policy, Refusal, Standing};
use super::saved::Key;
use econoscope_core::clock::Moment;

/// One number for each allowance.
pub(super) type Counts = [u32; 3];

/// What is known of one address on one day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Used {
    /// Its counts as they were last heard, where they are shared.
    pub(super) heard: Counts,
    /// What was granted here since.
    pub(super) alone: Counts,
    /// When the burst is paid off, of requests that were granted here (the theoretical arrival time of GCRA).
    pub(super) paid_off: i64,
}

impl Used {
    /// The count of an allowance as it was heard, and what was granted here.
    pub(super) fn of(&mut self, policy: Policy) -> (&mut u32, &mut u32) {
        let ([general, data, pages], [alone, data_alone, pages_alone]) =
            (&mut self.heard, &mut self.alone);
        match policy {
            Policy::General => (general, alone),
            Policy::Data => (data, data_alone),
            Policy::Pages => (pages, pages_alone),
        }
    }

    /// All requests.
    pub(super) fn sum(&self) -> u32 {
        let counts = self.heard.iter().chain(&self.alone);
        counts.fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Charges all that a request costs, or nothing: one of so many equal parts of what was left when the others were
    /// last heard is granted here, at its part of the speed. `now` is the time of the count, and the moment it is.
    ///
    /// # Errors
    /// [`Refusal`] when nothing is left.
    pub(super) fn charge(
        &mut self,
        charge: &Charge,
        parts: u32,
        now: (i64, &Moment),
        key: &Key,
    ) -> Result<Option<Standing>, Refusal> {
        let burst = charge.burst.map(|burst| burst.share(parts));
        let paid_off = burst.map(|burst| burst.take(self.paid_off, now.0));
        let paid_off = paid_off.transpose().map_err(Refusal::burst)?;
        let mut standing = None;
        if let Some((policy, limit)) = charge.day {
            let (heard, alone) = self.of(policy);
            let left = limit.saturating_sub(*heard);
            let part = (left / parts).max(left.min(1));
            let left = part.saturating_sub(alone.saturating_add(1));
            let stands = Standing::at(now, (policy, limit), left);
            if *alone >= part {
                return Err(Refusal::day(stands, key));
            }
            *alone += 1;
            standing = Some(stands);
        }
        self.paid_off = paid_off.unwrap_or(self.paid_off);
        Ok(standing)
    }
}
