//! What time it is, and how much time has really passed.
//!
//! Wall clocks jump; what is counted or ages must not. Every stamp therefore carries the wall time for people and the
//! time since boot for arithmetic. Two stamps of one boot are compared by the latter, also across processes and
//! restarts; only across a reboot is the wall clock believed, never backwards. Counts of a day go by an [`OwnTime`].

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use std::fmt;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};
use std::time::{Duration, SystemTime};

/// Between these the wall clock is believed, years 1 to 9899: dates reckoned from it stay in the calendar.
const BELIEVED: [Timestamp; 2] = [
    Timestamp::constant(-62_135_596_800, 0),
    Timestamp::constant(250_246_627_200, 0),
];

/// What the wall clock shows, or the end of [`BELIEVED`] that is nearest: a wrong clock is no reason to fail.
pub fn wall() -> Timestamp {
    believed(SystemTime::now())
}

fn believed(shown: SystemTime) -> Timestamp {
    let [first, last] = BELIEVED;
    let beyond = if shown < SystemTime::UNIX_EPOCH {
        first
    } else {
        last
    };
    Timestamp::try_from(shown).map_or(beyond, |shown| shown.clamp(first, last))
}

/// Whether the wall clock shows a time before 1970, which TLS libraries do not survive.
pub fn is_before_1970() -> bool {
    SystemTime::now() < SystemTime::UNIX_EPOCH
}

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
    /// As it is written down: wall and uptime in milliseconds, and the boot.
    pub fn written(&self) -> [i64; 3] {
        let (wall, boot) = (self.wall.as_millisecond(), self.boot.cast_signed());
        [wall, millis(self.uptime), boot]
    }

    /// What was written down; `None` when that is nonsense.
    pub fn read([wall, uptime, boot]: [i64; 3]) -> Option<Self> {
        Some(Self {
            wall: Timestamp::from_millisecond(wall).ok()?,
            uptime: Duration::from_millis(u64::try_from(uptime).ok()?),
            boot: boot.cast_unsigned(),
        })
    }

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

/// Milliseconds as they are written down; far more than any clock shows becomes the greatest number.
pub fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// A duration that was written down; what is negative there becomes zero.
pub fn duration(millis: i64) -> Duration {
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}

/// A time of one's own, in milliseconds since 1970.
///
/// It begins with the wall's and from then on moves by what has really passed, so that whatever is counted by it
/// neither gains nor loses when the wall clock is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnTime {
    at: i64,
    set: Moment,
}

impl OwnTime {
    /// A time that begins now, with the wall's.
    pub fn begin(now: Moment) -> Self {
        Self::resume(now.wall.as_millisecond(), now)
    }

    /// A time that was `at` when the clock showed `set`.
    pub fn resume(at: i64, set: Moment) -> Self {
        Self { at, set }
    }

    /// What it is at a moment.
    pub fn at(&self, now: &Moment) -> i64 {
        self.at.saturating_add(millis(now.since(&self.set)))
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
            wall: wall(),
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
pub fn random() -> u64 {
    RandomState::new().hash_one(0_u8)
}

/// A random time up to `longest`, in whole milliseconds.
pub fn jitter(longest: Duration) -> Duration {
    let most = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(random() % most.saturating_add(1))
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
        change(&mut self.0.lock());
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Moment {
        *self.0.lock()
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
    fn a_time_of_its_own_moves_by_what_has_really_passed() {
        let clock = ManualClock::at(Timestamp::UNIX_EPOCH);
        let own = OwnTime::begin(clock.now());
        for hours in [1, -1, 24 * 365, -24 * 365 * 2] {
            clock.jump(SignedDuration::from_hours(hours));
            assert_eq!(own.at(&clock.now()), 0);
        }
        clock.advance(Duration::from_millis(7));
        assert_eq!(own.at(&clock.now()), 7);
        let resumed = OwnTime::resume(own.at(&clock.now()), clock.now());
        clock.advance(Duration::from_millis(7));
        assert_eq!(resumed.at(&clock.now()), 14);
    }

    #[test]
    fn no_wall_clock_is_too_wrong_to_be_read() {
        let [first, last] = BELIEVED;
        let second = Duration::from_secs(1);
        let epoch = SystemTime::UNIX_EPOCH;
        for (shown, read) in [
            (epoch, Timestamp::UNIX_EPOCH),
            (epoch - second, Timestamp::constant(-1, 0)),
            (epoch - Duration::from_secs(1 << 60), first),
            (epoch + Duration::from_secs(1 << 60), last),
        ] {
            assert_eq!(believed(shown), read, "{shown:?}");
        }
        assert_eq!(first.to_string(), "0001-01-01T00:00:00Z");
        assert_eq!(last.to_string(), "9900-01-01T00:00:00Z");
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
