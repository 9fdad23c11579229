//! The clock of tests.

use crate::clock::{Clock, Moment};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use std::time::Duration;

/// A clock that moves only when a caller advances it.
#[derive(Debug)]
pub struct ManualClock(Mutex<Moment>);

impl ManualClock {
    /// Creates a clock at this wall time.
    pub fn new(wall: Timestamp) -> Self {
        Self(Mutex::new(Moment {
            wall,
            uptime: Duration::from_secs(1_000),
            boot: 1,
        }))
    }

    /// Advances wall time and uptime.
    pub fn advance(&self, by: Duration) {
        let mut moment = self.0.lock();
        moment.uptime = moment.uptime.saturating_add(by);
        moment.wall = moment.wall.saturating_add(by).unwrap_or(Timestamp::MAX);
    }

    /// Moves the wall clock forward or back without elapsed time.
    pub fn jump(&self, by: SignedDuration) {
        let mut moment = self.0.lock();
        moment.wall = moment.wall.saturating_add(by).unwrap_or(Timestamp::MAX);
    }

    /// Simulates a reboot: `downtime` passes on the wall clock, uptime restarts at zero.
    pub fn reboot(&self, downtime: Duration) {
        self.advance(downtime);
        let mut moment = self.0.lock();
        moment.uptime = Duration::ZERO;
        moment.boot += 1;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Moment {
        *self.0.lock()
    }
}
