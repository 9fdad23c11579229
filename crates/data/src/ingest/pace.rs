//! Request pacing and retries.
//!
//! Requests to one source start at least an interval apart, so there are no bursts; FRED enforces two requests a
//! second. A retry waits a random time below a doubling bound (full jitter), or as long as the source asks.

use econoscope_core::clock::jitter;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

/// Pace and retries of requests to one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaceSettings {
    /// Time between the starts of two requests.
    pub interval: Duration,
    /// Most tries of a request.
    pub tries: u32,
    /// Upper bound of the first random wait; doubles with each try.
    pub first_wait: Duration,
    /// Longest `Retry-After` that is waited for; a longer one fails the request.
    pub max_retry_after: Duration,
}

impl PaceSettings {
    /// Two requests a second, which FRED's API enforces per key.
    pub const API: Self = Self {
        interval: Duration::from_millis(500),
        tries: 4,
        first_wait: Duration::from_millis(500),
        max_retry_after: Duration::from_secs(90),
    };
    /// One request a second, for downloads without a published limit.
    pub const DOWNLOADS: Self = Self {
        interval: Duration::from_secs(1),
        ..Self::API
    };
    /// Few retries, for lists that can wait for the next sync.
    pub const LISTS: Self = Self {
        tries: 2,
        max_retry_after: Duration::from_secs(10),
        ..Self::DOWNLOADS
    };

    /// Returns the upper bound of the wait after try number `tried` (from 1); `None` when it was the last one, or
    /// `retry_after` is too long.
    fn max_wait(&self, tried: u32, retry_after: Option<Duration>) -> Option<Duration> {
        if tried >= self.tries || retry_after > Some(self.max_retry_after) {
            return None;
        }
        let doubled = 2u32.saturating_pow(tried.saturating_sub(1));
        Some(self.first_wait.saturating_mul(doubled))
    }
}

/// Paces the requests to one source.
#[derive(Debug)]
pub(super) struct Pace {
    settings: PaceSettings,
    /// When the next request may start.
    next_start: Mutex<Instant>,
}

impl Pace {
    pub(super) fn new(settings: PaceSettings) -> Self {
        Self {
            settings,
            next_start: Mutex::new(Instant::now()),
        }
    }

    /// Waits until a request may start.
    pub(super) async fn wait(&self) {
        let mut next_start = self.next_start.lock().await;
        sleep_until(*next_start).await;
        *next_start = Instant::now() + self.settings.interval;
    }

    /// Whether another try follows try number `tried` (from 1). If so, delays the next request accordingly.
    pub(super) async fn schedule_retry(&self, tried: u32, retry_after: Option<Duration>) -> bool {
        let Some(max_wait) = self.settings.max_wait(tried, retry_after) else {
            return false;
        };
        let start = Instant::now() + retry_after.unwrap_or_default() + jitter(max_wait);
        let mut next_start = self.next_start.lock().await;
        *next_start = start.max(*next_start);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn millis(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[tokio::test]
    async fn requests_start_an_interval_apart_even_after_idle_time() {
        let pace = Pace::new(PaceSettings {
            interval: millis(50),
            ..PaceSettings::API
        });
        let start = Instant::now();
        pace.wait().await;
        assert!(start.elapsed() < millis(50));
        tokio::time::sleep(millis(200)).await;
        let start = Instant::now();
        for _ in 0..3 {
            pace.wait().await;
        }
        assert!(start.elapsed() >= millis(100), "{:?}", start.elapsed());
        assert!(pace.schedule_retry(1, Some(millis(100))).await);
        let start = Instant::now();
        pace.wait().await;
        assert!(start.elapsed() >= millis(100), "Retry-After");
    }

    #[test]
    fn waits_double_and_end_after_the_fourth_try() {
        let wait = |tried| PaceSettings::API.max_wait(tried, None);
        assert_eq!(
            [wait(1), wait(2), wait(3), wait(4)],
            [
                Some(millis(500)),
                Some(millis(1000)),
                Some(millis(2000)),
                None
            ]
        );
    }

    #[test]
    fn retry_after_is_obeyed_up_to_a_limit() {
        let seconds_of = |seconds| Some(Duration::from_secs(seconds));
        assert!(PaceSettings::API.max_wait(1, seconds_of(90)).is_some());
        assert_eq!(PaceSettings::API.max_wait(1, seconds_of(91)), None);
    }
}
