//! Wall time and elapsed time.
//!
//! Wall clocks jump; counters and ages must not. A [`Moment`] therefore has the wall time for people and the time since boot
//! for arithmetic. Two moments of one boot are compared by uptime, also across processes and restarts. Across a reboot the
//! wall time decides, but elapsed time is never negative. Daily counters use a [`MonotonicTime`].

use jiff::Timestamp;
use std::fmt;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

/// The accepted range of the wall clock, years 1 to 9899: dates computed from it stay in the calendar.
const WALL_RANGE: [Timestamp; 2] = [
    Timestamp::constant(-62_135_596_800, 0),
    Timestamp::constant(250_246_627_200, 0),
];

/// Returns the wall time, clamped to [`WALL_RANGE`] so that a wrong clock does not cause failures.
pub fn wall_time() -> Timestamp {
    clamp(SystemTime::now())
}

fn clamp(time: SystemTime) -> Timestamp {
    let [first, last] = WALL_RANGE;
    let is_past = time < SystemTime::UNIX_EPOCH;
    let nearest = if is_past { first } else { last };
    Timestamp::try_from(time).map_or(nearest, |time| time.clamp(first, last))
}

/// Returns whether the wall clock is before 1970, where TLS libraries fail.
pub fn is_before_1970() -> bool {
    SystemTime::now() < SystemTime::UNIX_EPOCH
}

/// An instant, read from a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Wall time; may jump.
    pub wall: Timestamp,
    /// Time since `boot`; monotonic, includes suspension where the system reports it.
    pub uptime: Duration,
    /// Identifier of the boot; uptimes of different boots cannot be compared.
    pub boot: u64,
}

impl Moment {
    /// Returns the fields for storage: wall time and uptime in milliseconds, boot.
    pub fn to_fields(&self) -> [i64; 3] {
        let wall = self.wall.as_millisecond();
        let boot = self.boot.cast_signed();
        [wall, to_millis(self.uptime), boot]
    }

    /// Creates a moment from stored fields; `None` if they are out of range.
    pub fn from_fields([wall, uptime, boot]: [i64; 3]) -> Option<Self> {
        Some(Self {
            wall: Timestamp::from_millisecond(wall).ok()?,
            uptime: Duration::from_millis(u64::try_from(uptime).ok()?),
            boot: boot.cast_unsigned(),
        })
    }

    /// Returns the time elapsed since an earlier moment; zero if the clocks show none.
    pub fn duration_since(&self, earlier: &Self) -> Duration {
        if self.boot == earlier.boot
            && let Some(elapsed) = self.uptime.checked_sub(earlier.uptime)
        {
            return elapsed;
        }
        // After a reboot, or on a machine restored from a snapshot, only the wall time is comparable.
        Duration::try_from(self.wall.duration_since(earlier.wall)).unwrap_or_default()
    }
}

/// Returns a duration in milliseconds for storage, at most `i64::MAX`.
pub fn to_millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Creates a duration from stored milliseconds; zero if they are negative.
pub fn from_millis(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// A time in milliseconds since 1970 that ignores jumps of the wall clock.
///
/// It starts at the wall time and then advances by elapsed time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonotonicTime {
    start: i64,
    started: Moment,
}

impl MonotonicTime {
    /// Starts at the wall time.
    pub fn start(now: Moment) -> Self {
        Self::resume(now.wall.as_millisecond(), now)
    }

    /// Creates a time that was `start` at the moment `started`.
    pub fn resume(start: i64, started: Moment) -> Self {
        Self { start, started }
    }

    /// Returns the time at a moment.
    pub fn at(&self, now: &Moment) -> i64 {
        self.start
            .saturating_add(to_millis(now.duration_since(&self.started)))
    }
}

/// A source of moments.
pub trait Clock: Send + Sync + fmt::Debug {
    /// Returns the current moment; cheap enough for every request.
    fn now(&self) -> Moment;
}

/// The clock of this machine. On Linux its uptimes can be compared with those of other processes of this boot, elsewhere only
/// within one process.
#[derive(Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Moment {
        static BOOT: LazyLock<u64> = LazyLock::new(|| boot_id().unwrap_or_else(random));
        Moment {
            wall: wall_time(),
            uptime: uptime(),
            boot: *BOOT,
        }
    }
}

#[cfg(target_os = "linux")]
fn uptime() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::try_from(time).unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
fn uptime() -> Duration {
    static START: LazyLock<std::time::Instant> = LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// Returns a hash of the boot and of the time namespace, whose clock a container may shift. `None` where the system has no
/// identifiers for them.
fn boot_id() -> Option<u64> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = std::fs::read_link("/proc/self/ns/time").ok();
    let mut hasher = DefaultHasher::new();
    (boot.trim(), namespace).hash(&mut hasher);
    Some(hasher.finish())
}

/// Returns an unpredictable number for jitter and identifiers, not for secrets.
pub fn random() -> u64 {
    RandomState::new().hash_one(0_u8)
}

/// Returns a random duration up to `max`, in whole milliseconds.
pub fn jitter(max: Duration) -> Duration {
    let millis = u64::try_from(max.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(random() % millis.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::ManualClock;
    use jiff::SignedDuration;

    #[test]
    fn wall_clock_jumps_do_not_count_as_elapsed_time() {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        let start = clock.now();
        for hours in [24, -48, 24 * 365 * 60] {
            clock.jump(SignedDuration::from_hours(hours));
            assert_eq!(clock.now().duration_since(&start), Duration::ZERO);
        }
        clock.advance(Duration::from_secs(7));
        assert_eq!(clock.now().duration_since(&start), Duration::from_secs(7));
    }

    #[test]
    fn own_time_advances_by_elapsed_time() {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        let own = MonotonicTime::start(clock.now());
        for hours in [1, -1, 24 * 365, -24 * 365 * 2] {
            clock.jump(SignedDuration::from_hours(hours));
            assert_eq!(own.at(&clock.now()), 0);
        }
        clock.advance(Duration::from_millis(7));
        assert_eq!(own.at(&clock.now()), 7);
        let resumed = MonotonicTime::resume(own.at(&clock.now()), clock.now());
        clock.advance(Duration::from_millis(7));
        assert_eq!(resumed.at(&clock.now()), 14);
    }

    #[test]
    fn extreme_wall_clocks_are_clamped() {
        let [first, last] = WALL_RANGE;
        let second = Duration::from_secs(1);
        let epoch = SystemTime::UNIX_EPOCH;
        for (time, expected) in [
            (epoch, Timestamp::UNIX_EPOCH),
            (epoch - second, Timestamp::constant(-1, 0)),
            (epoch - Duration::from_secs(1 << 60), first),
            (epoch + Duration::from_secs(1 << 60), last),
        ] {
            assert_eq!(clamp(time), expected, "{time:?}");
        }
        assert_eq!(first.to_string(), "0001-01-01T00:00:00Z");
        assert_eq!(last.to_string(), "9900-01-01T00:00:00Z");
    }

    #[test]
    fn wall_time_counts_across_a_reboot_but_never_backwards() {
        let clock = ManualClock::new(Timestamp::UNIX_EPOCH);
        let start = clock.now();
        clock.reboot(Duration::from_secs(90));
        assert_eq!(clock.now().duration_since(&start), Duration::from_secs(90));
        clock.jump(SignedDuration::from_hours(-1));
        assert_eq!(clock.now().duration_since(&start), Duration::ZERO);
    }

    #[test]
    fn boot_of_the_machine_is_read_on_linux() {
        let a = SystemClock.now();
        let b = SystemClock.now();
        assert!(b.duration_since(&a) < Duration::from_secs(5));
        // What is read anew, as another process does, is the same boot.
        assert_eq!(boot_id() == Some(a.boot), cfg!(target_os = "linux"));
    }
}
