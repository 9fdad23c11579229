//! How fast a source is asked, and when it is asked again.
//!
//! FRED enforces two requests a second. Slots are booked ahead, one interval apart, so bursts cannot
//! happen; failures wait a random time below a doubling bound (full jitter), or as long as the source says.
//! The arithmetic takes the time as an argument; only [`Pace::turn`] and [`Pace::pause`] sleep.

use jiff::{SignedDuration, Timestamp};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Speed and patience towards one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaceSettings {
    /// Time between the starts of two requests.
    pub interval: Duration,
    /// How often a request is sent at most.
    pub tries: u32,
    /// Bound of the first random wait; doubles with each try.
    pub first_wait: Duration,
    /// Highest that bound gets.
    pub longest_wait: Duration,
    /// Longest `Retry-After` that is sat out; a longer one ends the run with that news.
    pub patience: Duration,
}

impl PaceSettings {
    /// Two requests a second, as FRED's API enforces per key.
    pub const API: Self = Self {
        interval: Duration::from_millis(500),
        tries: 4,
        first_wait: Duration::from_millis(500),
        longest_wait: Duration::from_secs(30),
        patience: Duration::from_secs(90),
    };
    /// One request a second, for downloads that publish no limit.
    pub const DOWNLOADS: Self = Self {
        interval: Duration::from_secs(1),
        ..Self::API
    };
}

/// The slots of one source.
#[derive(Debug)]
pub(super) struct Pace {
    pub(super) settings: PaceSettings,
    next: Mutex<Option<Instant>>,
}

impl Pace {
    pub(super) fn new(settings: PaceSettings) -> Self {
        Self {
            settings,
            next: Mutex::new(None),
        }
    }

    /// Waits for the next free slot.
    pub(super) async fn turn(&self) {
        tokio::time::sleep(self.book(Instant::now())).await;
    }

    /// Waits before another try, and keeps everyone else waiting as well.
    pub(super) async fn pause(&self, wait: Duration) {
        self.hold(Instant::now(), wait);
        tokio::time::sleep(wait).await;
    }

    /// Books the next slot and tells how long it is until then.
    fn book(&self, now: Instant) -> Duration {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = next.map_or(now, |next| next.max(now));
        *next = Some(slot + self.settings.interval);
        slot - now
    }

    /// No slot before `wait` is over.
    fn hold(&self, now: Instant, wait: Duration) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = Some(next.map_or(now + wait, |next| next.max(now + wait)));
    }

    /// How long to wait after try number `tried` (from 1), or `None` when that was the last one
    /// or the source asks for more patience than there is.
    pub(super) fn wait(
        &self,
        tried: u32,
        asked: Option<Duration>,
        chance: f64,
    ) -> Option<Duration> {
        if tried >= self.settings.tries {
            return None;
        }
        let doubled = 2u32.saturating_pow(tried.saturating_sub(1));
        let bound = self
            .settings
            .first_wait
            .saturating_mul(doubled)
            .min(self.settings.longest_wait);
        let jitter = bound.mul_f64(chance.clamp(0.0, 1.0));
        match asked {
            Some(asked) if asked > self.settings.patience => None,
            Some(asked) => Some(asked + jitter.min(self.settings.interval)),
            None => Some(jitter),
        }
    }
}

/// A number from 0 to 1 by chance: every `RandomState` is seeded anew.
pub(super) fn chance() -> f64 {
    let seed = u32::try_from(RandomState::new().hash_one(0u8) >> 32).unwrap_or(u32::MAX);
    f64::from(seed) / f64::from(u32::MAX)
}

/// Reads `Retry-After`: seconds, or a date as HTTP writes it. A moment that is past is now.
pub(super) fn retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(Duration::from_secs(seconds.min(DAY)));
    }
    // A wrong weekday is no reason to come back at once.
    let at = jiff::fmt::rfc2822::DateTimeParser::new()
        .relaxed_weekday(true)
        .parse_timestamp(text)
        .ok()?;
    let ahead = at.duration_since(now).max(SignedDuration::ZERO);
    Some(
        Duration::try_from(ahead)
            .ok()?
            .min(Duration::from_secs(DAY)),
    )
}

/// Nobody is asked to come back later than in a day.
const DAY: u64 = 24 * 3600;

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn two_requests_a_second_and_no_burst() {
        let pace = Pace::new(PaceSettings::API);
        let start = Instant::now();
        let waits: Vec<u128> = (0..5).map(|_| pace.book(start).as_millis()).collect();
        assert_eq!(waits, [0, 500, 1000, 1500, 2000]);
        // Idle time is not saved up.
        let later = start + seconds(60);
        assert_eq!(pace.book(later), Duration::ZERO);
        assert_eq!(pace.book(later), Duration::from_millis(500));
        pace.hold(later, seconds(20));
        assert_eq!(pace.book(later + seconds(5)), seconds(15));
    }

    #[test]
    fn waits_double_at_random_and_end_with_the_fourth_try() {
        let pace = Pace::new(PaceSettings::API);
        let millis = |tried, chance| pace.wait(tried, None, chance).map(|d| d.as_millis());
        assert_eq!(
            [millis(1, 1.0), millis(2, 1.0), millis(3, 1.0)],
            [Some(500), Some(1000), Some(2000)]
        );
        assert_eq!(millis(1, 0.0), Some(0));
        assert_eq!(millis(4, 1.0), None);
        let patient = Pace::new(PaceSettings {
            tries: 99,
            ..PaceSettings::API
        });
        assert_eq!(patient.wait(60, None, 1.0), Some(seconds(30)));
    }

    #[test]
    fn the_sources_own_wait_is_obeyed_up_to_a_limit() {
        let pace = Pace::new(PaceSettings::API);
        let wait = pace.wait(1, Some(seconds(7)), 1.0);
        assert_eq!(wait, Some(Duration::from_millis(7500)));
        assert_eq!(pace.wait(1, Some(seconds(91)), 1.0), None);
    }

    #[test]
    fn retry_after_is_read_in_both_forms() {
        let now = "2026-11-21T12:00:00Z".parse().unwrap();
        for (text, want) in [
            ("120", Some(seconds(120))),
            (" 0 ", Some(seconds(0))),
            ("Sat, 21 Nov 2026 12:01:00 GMT", Some(seconds(60))),
            ("Sat, 21 Nov 2026 11:00:00 GMT", Some(seconds(0))),
            ("Sat, 21 Nov 2036 11:00:00 GMT", Some(seconds(DAY))),
            ("99999999999999", Some(seconds(DAY))),
            ("-5", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(retry_after(text, now), want, "{text}");
        }
    }

    #[test]
    fn chance_lies_between_zero_and_one_and_varies() {
        let drawn: Vec<f64> = (0..100).map(|_| chance()).collect();
        assert!(drawn.iter().all(|c| (0.0..=1.0).contains(c)));
        assert!(drawn.iter().any(|c| *c < 0.5) && drawn.iter().any(|c| *c > 0.5));
    }
}
