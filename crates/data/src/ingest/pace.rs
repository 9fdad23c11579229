//! How fast a source is asked, and when it is asked again.
//!
//! FRED enforces two requests a second. Requests to one source start at least an interval apart, so that bursts
//! cannot happen; failures wait a random time below a doubling bound (full jitter), or as long as the source says.

use econoscope_core::clock::jitter;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

/// Speed and patience towards one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaceSettings {
    /// Time between the starts of two requests.
    pub interval: Duration,
    /// How often a request is sent at most.
    pub tries: u32,
    /// Bound of the first random wait; doubles with each try.
    pub first_wait: Duration,
    /// Longest `Retry-After` that is sat out; a longer one ends the run with that news.
    pub patience: Duration,
}

impl PaceSettings {
    /// Two requests a second, as FRED's API enforces per key.
    pub const API: Self = Self {
        interval: Duration::from_millis(500),
        tries: 4,
        first_wait: Duration::from_millis(500),
        patience: Duration::from_secs(90),
    };
    /// One request a second, for downloads that publish no limit.
    pub const DOWNLOADS: Self = Self {
        interval: Duration::from_secs(1),
        ..Self::API
    };

    /// How long to wait after try number `tried` (from 1), at most, or `None` when that was the last one
    /// or the source asks for more patience than there is.
    fn longest_wait(&self, tried: u32, asked: Option<Duration>) -> Option<Duration> {
        if tried >= self.tries || asked > Some(self.patience) {
            return None;
        }
        let doubled = 2u32.saturating_pow(tried.saturating_sub(1));
        Some(self.first_wait.saturating_mul(doubled))
    }
}

/// The turns of one source.
#[derive(Debug)]
pub(super) struct Pace {
    settings: PaceSettings,
    /// The next request may start from then on.
    free: Mutex<Instant>,
}

impl Pace {
    pub(super) fn new(settings: PaceSettings) -> Self {
        Self {
            settings,
            free: Mutex::new(Instant::now()),
        }
    }

    /// Waits for the next turn.
    pub(super) async fn turn(&self) {
        let mut free = self.free.lock().await;
        sleep_until(*free).await;
        *free = Instant::now() + self.settings.interval;
    }

    /// Whether to try again after try number `tried` (from 1); the next turn then comes when it should. `asked` is what
    /// the source said.
    pub(super) async fn allows_another(&self, tried: u32, asked: Option<Duration>) -> bool {
        let Some(longest) = self.settings.longest_wait(tried, asked) else {
            return false;
        };
        let from = Instant::now() + asked.unwrap_or_default() + jitter(longest);
        let mut free = self.free.lock().await;
        *free = from.max(*free);
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
    async fn requests_start_an_interval_apart_and_idle_time_is_not_saved_up() {
        let pace = Pace::new(PaceSettings {
            interval: millis(50),
            ..PaceSettings::API
        });
        let start = Instant::now();
        pace.turn().await;
        assert!(start.elapsed() < millis(50));
        tokio::time::sleep(millis(200)).await;
        let start = Instant::now();
        for _ in 0..3 {
            pace.turn().await;
        }
        assert!(start.elapsed() >= millis(100), "{:?}", start.elapsed());
        assert!(pace.allows_another(1, Some(millis(100))).await);
        let start = Instant::now();
        pace.turn().await;
        assert!(start.elapsed() >= millis(100), "the source's own wait");
    }

    #[test]
    fn waits_double_and_end_with_the_fourth_try() {
        let wait = |tried| PaceSettings::API.longest_wait(tried, None);
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
    fn the_sources_own_wait_is_obeyed_up_to_a_limit() {
        let asked = |seconds| Some(Duration::from_secs(seconds));
        assert!(PaceSettings::API.longest_wait(1, asked(90)).is_some());
        assert_eq!(PaceSettings::API.longest_wait(1, asked(91)), None);
    }
}
