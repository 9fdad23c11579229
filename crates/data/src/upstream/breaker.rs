//! When to leave a sick upstream alone.
//!
//! Five failures in a row open the breaker for half a minute; then one call is let through as a probe. A
//! failed probe doubles the pause, up to a quarter of an hour; a success closes the breaker. What the
//! upstream asks for itself (`Retry-After`) is kept by the ledger, where all processes see it.

use econoscope_core::clock::Moment;
use parking_lot::Mutex;
use std::time::Duration;

const FAILURES_TO_OPEN: u32 = 5;
const FIRST_PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_secs(15 * 60);

/// Counts failures in a row.
#[derive(Debug, Default)]
pub(super) struct Breaker(Mutex<Failures>);

#[derive(Debug, Default)]
struct Failures {
    count: u32,
    /// While it is open: for how long no call is made, and since when; `None` when one may probe.
    pause: Duration,
    since: Option<Moment>,
}

impl Failures {
    fn is_open(&self) -> bool {
        self.count >= FAILURES_TO_OPEN
    }

    fn pause(&self, now: Moment) -> Option<Duration> {
        let left = |since| self.pause.saturating_sub(now.since(&since));
        self.is_open()
            .then(|| self.since.map_or(Duration::ZERO, left))
    }
}

impl Breaker {
    /// Whether a call may be made; if not, how long to wait. After the pause it lets one caller through, and nobody else for
    /// twice as long, should the result of that probe never come.
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

    /// How long no call is admitted at all; zero when one may probe, `None` when all may. Lets nothing through.
    pub(super) fn pause(&self, now: Moment) -> Option<Duration> {
        self.0.lock().pause(now)
    }

    /// The upstream answered like a healthy one.
    pub(super) fn succeeded(&self) {
        *self.0.lock() = Failures::default();
    }

    /// The call that was admitted was never sent; another may probe.
    pub(super) fn withdrawn(&self) {
        let mut state = self.0.lock();
        if state.is_open() {
            state.pause = (state.pause / 2).max(FIRST_PAUSE / 2);
            state.since = None;
        }
    }

    /// It did not.
    pub(super) fn failed(&self, now: Moment) {
        let mut state = self.0.lock();
        state.count = state.count.saturating_add(1);
        if state.count == FAILURES_TO_OPEN {
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
        let (breaker, clock) = (Breaker::default(), ManualClock::at(Timestamp::UNIX_EPOCH));
        for _ in 0..FAILURES_TO_OPEN {
            assert_eq!(breaker.admit(clock.now()), Ok(()));
            breaker.failed(clock.now());
        }
        (breaker, clock)
    }

    #[test]
    fn five_failures_in_a_row_open_it_and_one_success_between_does_not() {
        let (breaker, clock) = opened();
        assert_eq!(breaker.admit(clock.now()), Err(FIRST_PAUSE));
        let patient = Breaker::default();
        for _ in 0..4 {
            patient.failed(clock.now());
        }
        patient.succeeded();
        patient.failed(clock.now());
        assert_eq!(patient.pause(clock.now()), None);
    }

    #[test]
    fn after_the_pause_one_probe_goes_and_its_result_decides() {
        let (breaker, clock) = opened();
        clock.advance(FIRST_PAUSE);
        assert_eq!(breaker.admit(clock.now()), Ok(()));
        assert_eq!(
            breaker.admit(clock.now()),
            Err(2 * FIRST_PAUSE),
            "one probe only"
        );
        breaker.failed(clock.now());
        assert_eq!(breaker.admit(clock.now()), Err(2 * FIRST_PAUSE));
        clock.advance(2 * FIRST_PAUSE);
        assert_eq!(breaker.admit(clock.now()), Ok(()));
        breaker.succeeded();
        assert_eq!(breaker.pause(clock.now()), None);
        assert_eq!(breaker.admit(clock.now()), Ok(()));
    }

    #[test]
    fn pauses_double_up_to_a_quarter_of_an_hour() {
        let (breaker, clock) = opened();
        for _ in 0..20 {
            clock.advance(LONGEST_PAUSE);
            assert_eq!(breaker.admit(clock.now()), Ok(()));
            breaker.failed(clock.now());
        }
        assert_eq!(breaker.admit(clock.now()), Err(LONGEST_PAUSE));
    }

    #[test]
    fn a_probe_that_was_withdrawn_or_lost_does_not_shut_it_for_ever() {
        let (breaker, clock) = opened();
        clock.advance(FIRST_PAUSE);
        assert_eq!(breaker.admit(clock.now()), Ok(()));
        breaker.withdrawn();
        assert_eq!(breaker.admit(clock.now()), Ok(()));
        clock.advance(2 * FIRST_PAUSE);
        assert_eq!(breaker.admit(clock.now()), Ok(()));
    }
}
