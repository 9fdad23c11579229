//! How the calls of a day are divided: who may spend what, and how fast.
//!
//! 70 of 100 are spread over the day and keep shared keys up to date, 25 are for callers that wait, and 5 are
//! kept so that a shared key that nothing is held for can be asked for at any time.

use super::request::Kind;
use std::time::Duration;

/// A day and a minute: a call may arrive later than it was sent, so two calls a day apart here may be
/// closer together there.
pub(super) const WINDOW: Duration = Duration::from_secs(24 * 3600 + 60);

/// Why a call is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Nothing usable is held; a caller waits.
    Miss(Kind),
    /// An older answer is held and serves meanwhile.
    Refresh,
}

/// Pools that may pay, in the order they are tried.
pub(super) fn pools(purpose: Purpose) -> &'static [Pool] {
    match purpose {
        Purpose::Refresh => &[Pool::Paced],
        Purpose::Miss(Kind::Shared) => &[Pool::Paced, Pool::Waiting, Pool::Reserve],
        Purpose::Miss(Kind::Interactive) => &[Pool::Waiting, Pool::Paced],
    }
}

/// A part of the allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pool {
    /// Spread over the day: at most a tenth of the part in a tenth of the day.
    Paced = 0,
    /// For callers that wait, at any time of the day.
    Waiting = 1,
    /// For shared keys when all else is spent.
    Reserve = 2,
}

/// How the allowance is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shares {
    /// Calls in any window.
    pub(super) limit: u32,
    /// Size of [`Pool::Paced`].
    pub(super) paced: u32,
    /// Size of [`Pool::Waiting`].
    pub(super) waiting: u32,
    /// Size of [`Pool::Reserve`].
    pub(super) reserve: u32,
    /// Paced calls that may follow at once.
    pub(super) burst: u32,
}

impl Shares {
    /// 70 : 25 : 5; each part of a small limit is cut to what is left of it.
    pub(super) fn of(limit: u32) -> Self {
        let part = |percent: u64| u32::try_from(u64::from(limit) * percent / 100).unwrap_or(0);
        let waiting = part(25).max(1).min(limit);
        let reserve = part(5).min(limit - waiting);
        let paced = limit - waiting - reserve;
        Self {
            limit,
            paced,
            waiting,
            reserve,
            burst: (paced / 10).max(1),
        }
    }

    /// Mean distance of two paced calls.
    pub(super) fn pace(&self) -> Duration {
        WINDOW.checked_div(self.paced).unwrap_or(WINDOW)
    }

    /// The stretch in which at most `burst` paced calls are made.
    pub(super) fn stretch(&self) -> Duration {
        self.pace().saturating_mul(self.burst).min(WINDOW)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_hundred_is_divided_as_documented() {
        let Shares {
            paced,
            waiting,
            reserve,
            burst,
            ..
        } = Shares::of(100);
        assert_eq!((paced, waiting, reserve, burst), (70, 25, 5, 7));
        assert_eq!(Shares::of(100).pace().as_secs(), 1235);
    }

    #[test]
    fn the_parts_of_any_limit_make_up_the_whole() {
        for limit in (0..500).chain([u32::MAX]) {
            let shares = Shares::of(limit);
            let whole =
                u64::from(shares.paced) + u64::from(shares.waiting) + u64::from(shares.reserve);
            assert_eq!(whole, u64::from(limit));
            assert!(shares.stretch() <= WINDOW);
        }
    }
}
