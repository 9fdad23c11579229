//! What time it is, and how much time has really passed.
//!
//! Wall clocks jump; the allowance of the upstream does not. Every stamp therefore carries the wall time
//! for people and the time since boot for arithmetic. Two stamps of one boot are compared by the latter,
//! also across processes and restarts; only across a reboot is the wall clock believed, never backwards.

use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// An instant, read from a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Wall time; may jump.
    pub wall: Timestamp,
    /// Time since `boot`; never goes back, counts suspension where the system can tell.
    pub uptime: Duration,
    /// Which boot `uptime` counts from; uptimes of different boots cannot be compared.
    pub boot: u64,
}

impl Moment {
    /// Time passed since an earlier moment; zero when it cannot be shown that any has.
    pub fn since(&self, earlier: &Self) -> Duration {
        if self.boot == earlier.boot
            && let Some(passed) = self.uptime.checked_sub(earlier.uptime)
        {
            return passed;
        }
        // Another boot, or a machine set back to a snapshot: the wall is all there is.
        Duration::try_from(self.wall.duration_since(earlier.wall)).unwrap_or_default()
    }
}

/// Where moments come from.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The present moment; cheap enough for every request.
    fn now(&self) -> Moment;
}

/// The clock of this machine.
#[derive(Debug)]
pub struct SystemClock {
    boot: u64,
    #[cfg(not(target_os = "linux"))]
    started: std::time::Instant,
}

impl SystemClock {
    /// A clock whose uptimes can be compared with those of other processes of this boot, on Linux;
    /// elsewhere only with its own.
    pub fn new() -> Self {
        Self {
            boot: boot_identity().unwrap_or_else(random),
            #[cfg(not(target_os = "linux"))]
            started: std::time::Instant::now(),
        }
    }

    #[cfg(target_os = "linux")]
    #[expect(clippy::unused_self, reason = "other systems count from a field")]
    fn uptime(&self) -> Duration {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        Duration::try_from(time).unwrap_or_default()
    }

    #[cfg(not(target_os = "linux"))]
    fn uptime(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Moment {
        Moment {
            wall: Timestamp::now(),
            uptime: self.uptime(),
            boot: self.boot,
        }
    }
}

/// The boot and the time namespace (containers may shift theirs), where the system names them.
fn boot_identity() -> Option<u64> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = std::fs::read_link("/proc/self/ns/time").ok();
    let mut hasher = DefaultHasher::new();
    (boot.trim(), namespace).hash(&mut hasher);
    Some(hasher.finish())
}

/// A number no one can foresee; for jitter and identities, not for secrets.
pub(super) fn random() -> u64 {
    RandomState::new().hash_one(0_u8)
}

/// A clock that stands still until it is moved: for tests and simulations.
#[derive(Debug)]
pub struct ManualClock(Mutex<Moment>);

impl ManualClock {
    /// A clock that shows `wall`.
    pub fn at(wall: Timestamp) -> Self {
        Self(Mutex::new(Moment {
            wall,
            uptime: Duration::from_secs(1_000),
            boot: 1,
        }))
    }

    /// Lets time pass, on the wall and since boot.
    pub fn advance(&self, by: Duration) {
        self.set(|moment| {
            moment.uptime = moment.uptime.saturating_add(by);
            moment.wall = moment.wall.saturating_add(by).unwrap_or(Timestamp::MAX);
        });
    }

    /// Sets the wall clock forward or back without any time passing.
    pub fn jump(&self, by: SignedDuration) {
        self.set(|moment| {
            moment.wall = moment.wall.saturating_add(by).unwrap_or(Timestamp::MAX);
        });
    }

    /// Restarts the machine: `down` passes on the wall, the time since boot starts again.
    pub fn reboot(&self, down: Duration) {
        self.advance(down);
        self.set(|moment| {
            moment.uptime = Duration::ZERO;
            moment.boot += 1;
        });
    }

    fn set(&self, change: impl FnOnce(&mut Moment)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Moment {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_of_the_wall_clock_is_not_time_passed() {
        let clock = ManualClock::at(Timestamp::UNIX_EPOCH);
        let start = clock.now();
        for hours in [24, -48, 24 * 365 * 60] {
            clock.jump(SignedDuration::from_hours(hours));
            assert_eq!(clock.now().since(&start), Duration::ZERO);
        }
        clock.advance(Duration::from_secs(7));
        assert_eq!(clock.now().since(&start), Duration::from_secs(7));
    }

    #[test]
    fn across_a_reboot_the_wall_is_believed_but_never_backwards() {
        let clock = ManualClock::at(Timestamp::UNIX_EPOCH);
        let start = clock.now();
        clock.reboot(Duration::from_secs(90));
        assert_eq!(clock.now().since(&start), Duration::from_secs(90));
        clock.jump(SignedDuration::from_hours(-1));
        assert_eq!(clock.now().since(&start), Duration::ZERO);
    }

    #[test]
    fn two_clocks_of_one_machine_agree_on_linux() {
        let (a, b) = (SystemClock::new().now(), SystemClock::new().now());
        assert!(b.since(&a) < Duration::from_secs(5));
        assert_eq!(a.boot == b.boot, cfg!(target_os = "linux"));
    }
}
