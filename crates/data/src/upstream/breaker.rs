//! Circuit breaker of the upstream.
//!
//! Five failures in a row open it for half a minute; then one call is allowed as a probe. A failed probe doubles the
//! pause, up to a quarter of an hour; a success closes the breaker. A `Retry-After` of the upstream is recorded in the
//! ledger instead, which all processes share.

use econoscope_core::clock::Moment;
use parking_lot::Mutex;
use std::time::Duration;

const FAILURES_TO_OPEN: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_secs(15 * 60);

/// A circuit breaker.
#[derive(Debug, Default)]
pub(super) struct Breaker(Mutex<BreakerState>);

#[derive(Debug, Default)]
struct BreakerState {
    /// Failures in a row.
    failures: u32,
    /// Length of the pause while the breaker is open.
    pause: Duration,
    /// Start of the pause; `None` when a probe is allowed.
    since: Option<Moment>,
}

impl BreakerState {
    fn is_open(&self) -> bool {
        self.failures >= FAILURES_TO_OPEN
    }

    fn pause(&self, now: Moment) -> Option<Duration> {
        let left = |since| self.pause.saturating_sub(now.duration_since(&since));
        self.is_open()
            .then(|| self.since.map_or(Duration::ZERO, left))
    }
}

impl Breaker {
    /// Admits a call, or returns how long to wait. After the pause it admits one probe, and nothing else for twice as
    /// long, in case the probe's result never arrives.
    pub(super) fn admit(&self, now: Moment) -> Result<(), Duration> {
        let mut state = self.0.lock();
        match state.pause(now) {
            None => return Ok(()),
            Some(left) if left > Duration::ZERO => return Err(left),
            Some(_) => {}
        }
        state.pause = state.pause.saturating_mul(2).min(LONGEST_PAUSE);
        state.since = Some(now);
        Ok(())
    }

    /// Returns the rest of the pause without admitting a call: zero when a probe is allowed, `None` when the breaker is
    /// closed.
    pub(super) fn pause(&self, now: Moment) -> Option<Duration> {
        self.0.lock().pause(now)
    }

    /// Records that the upstream responded.
    pub(super) fn record_success(&self) {
        *self.0.lock() = BreakerState::default();
    }

    /// Records that an admitted call was never sent, so that another one may probe.
    pub(super) fn record_cancelled(&self) {
        let mut state = self.0.lock();
        if state.is_open() {
            state.pause = (state.pause / 2).max(FIRST_PAUSE / 2);
            state.since = None;
        }
    }

    /// Records that the upstream failed.
    pub(super) fn record_failure(&self, now: Moment) {
        let mut state = self.0.lock();
        state.failures = state.failures.saturating_add(1);
        if state.failures == FAILURES_TO_OPEN {
            state.pause = FIRST_PAUSE;
        }
        state.since = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::clock::{Clock, ManualClock};
    use jiff::Timestamp;

    fn opened() -> (Breaker, ManualClock) {
        let (breaker, clock) = (Breaker::default(), ManualClock::new(Timestamp::UNIX_EPOCH));
        for _ in 0..FAILURES_TO_OPEN {
            assert_eq!(breaker.admit(clock.now()), Ok(()));
            breaker.record_failure(clock.now());
        }
        (breaker, clock)
    }

    #[test]
    fn five_failures_in_a_row_open_the_breaker() {
        let (breaker, clock) = opened();
        assert_eq!(breaker.admit(clock.now()), Err(FIRST_PAUSE));
        let other = Breaker::default();
        for _ in 0..4 {
            other.record_failure(clock.now());
        }
        other.record_success();
        other.record_failure(clock.now());
        assert_eq!(other.pause(clock.now()), None);
    }

    #[test]
    fn one_probe_decides_after_the_pause() {
        let (breaker, clock) = opened();
        clock.advance(FIRST_PAUSE);
        assert_eq!(breaker.admit(clock.now()), Ok(()));
        assert_eq!(
            breaker.admit(clock.now()),
            Err(2 * FIRST_PAUSE),
            "one probe only"
        );
        breaker.record_failure(clock.now());
        assert_eq!(breaker.admit(clock.now()), Err(2 * FIRST_PAUSE));
        clock.advance(2 * FIRST_PAUSE);
        assert_eq!(breaker.admit(clock.now()), Ok(()));
        breaker.record_success();
        assert_eq!(breaker.pause(clock.now()), None);
        assert_eq!(breaker.admit(clock.now()), Ok(()));
    }

    #[test]
    fn pauses_double_up_to_fifteen_minutes() {
        let (breaker, clock) = opened();
        for _ in 0..20 {
            clock.advance(LONGEST_PAUSE);
            assert_eq!(breaker.admit(clock.now()), Ok(()));
            breaker.record_failure(clock.now());
        }
        assert_eq!(breaker.admit(clock.now()), Err(LONGEST_PAUSE));
    }

    #[test]
    fn cancelled_or_lost_probe_does_not_block_the_breaker() {
        let (breaker, clock) = opened();
        clock.advance(FIRST_PAUSE);
        assert_eq!(breaker.admit(clock.now()), Ok(()));
        breaker.record_cancelled();
        assert_eq!(breaker.admit(clock.now()), Ok(()));
        clock.advance(2 * FIRST_PAUSE);
        assert_eq!(breaker.admit(clock.now()), Ok(()));
    }
}
