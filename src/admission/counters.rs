//! Counts requests by hashed address for one UTC day, in bounded memory. A restart starts the day anew.
//!
//! An address is counted under a keyed hash (HMAC-SHA-256, 128 bits) whose key is valid for one day.

use super::policy::{Charge, DAY, LimitExceeded, Policy, Quota};
use econoscope_core::clock::{Moment, MonotonicTime, random};
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use sha2::Sha256;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// A hashed address.
type Key = [u8; 16];

/// Number of entries that are compared for an eviction; the least used is dropped.
const EVICTION_SAMPLE: usize = 8;

/// The usage of one address on one day.
#[derive(Debug, Clone, Copy, Default)]
struct Usage {
    /// Requests by allowance, in the order of [`Policy`].
    counts: [u32; 3],
    /// Theoretical arrival time of GCRA: when the burst is paid off.
    arrival_time: i64,
}

/// The counters of the current day.
///
/// Their time is their own: setting the wall clock does not change it.
pub(super) struct Counters {
    time: MonotonicTime,
    day: i64,
    salt: [u8; 32],
    usage: BTreeMap<Key, Usage>,
    max_addresses: usize,
}

impl Counters {
    /// Creates empty counters. Their time starts at the wall time.
    pub(super) fn new(now: Moment, max_addresses: usize) -> Self {
        let time = MonotonicTime::start(now);
        Self {
            day: time.at(&now).div_euclid(DAY),
            time,
            salt: fresh_salt(),
            usage: BTreeMap::new(),
            max_addresses,
        }
    }

    /// Returns the number of addresses in memory.
    pub(super) fn len(&self) -> usize {
        self.usage.len()
    }

    /// Returns the counters' own time in milliseconds. A new day starts without counts and with a new key.
    fn now(&mut self, moment: &Moment) -> i64 {
        let now = self.time.at(moment);
        // At midnight a thread with an earlier reading of the clock may come after one with a later reading.
        let day = now.div_euclid(DAY);
        if day > self.day {
            self.day = day;
            self.usage.clear();
            self.salt = fresh_salt();
        }
        now
    }

    /// Returns the hash under which an address is counted today.
    pub(super) fn key(&mut self, address: IpAddr, moment: &Moment) -> Key {
        self.now(moment);
        hash(&self.salt, address)
    }

    /// Returns the usage of a key. A new key evicts another one when memory is full.
    fn usage(&mut self, key: Key) -> &mut Usage {
        let usage = &mut self.usage;
        if usage.len() >= self.max_addresses && !usage.contains_key(&key) {
            // Keys are hashes, so the next ones are a random sample.
            let sample = usage.range(key..).chain(&*usage).take(EVICTION_SAMPLE);
            let total =
                |usage: &Usage| usage.counts.iter().fold(0_u32, |a, b| a.saturating_add(*b));
            let least_used = sample.min_by_key(|(_, usage)| total(usage));
            if let Some(least_used) = least_used.map(|(key, _)| *key) {
                usage.remove(&least_used);
            }
        }
        usage.entry(key).or_default()
    }

    /// Charges the whole cost of a request, or nothing.
    ///
    /// # Errors
    /// [`LimitExceeded`] for too many requests at once, or an exhausted day.
    pub(super) fn charge(
        &mut self,
        address: IpAddr,
        charge: &Charge,
        moment: &Moment,
    ) -> Result<Option<Quota>, LimitExceeded> {
        let now = self.now(moment);
        let key = hash(&self.salt, address);
        let usage = self.usage(key);
        let arrival_time = match charge.burst {
            Some(burst) => burst.take(usage.arrival_time, now),
            None => Ok(usage.arrival_time),
        }
        .map_err(LimitExceeded::burst)?;
        let mut quota = None;
        if let Some((policy, limit)) = charge.daily {
            let count = policy.count(&mut usage.counts);
            let remaining = limit.saturating_sub(*count);
            let after = Quota::new(policy, limit, remaining.saturating_sub(1), now, moment);
            if remaining == 0 {
                return Err(LimitExceeded::daily(after));
            }
            *count += 1;
            quota = Some(after);
        }
        usage.arrival_time = arrival_time;
        Ok(quota)
    }

    /// Gives one request back.
    pub(super) fn refund(&mut self, address: IpAddr, policy: Policy, moment: &Moment) {
        let key = self.key(address, moment);
        let count = policy.count(&mut self.usage(key).counts);
        *count = count.saturating_sub(1);
    }
}

impl Policy {
    /// Returns the count of this allowance.
    fn count(self, [general, data, pages]: &mut [u32; 3]) -> &mut u32 {
        match self {
            Self::General => general,
            Self::Data => data,
            Self::Pages => pages,
        }
    }
}

/// Hashes an address with a key.
fn hash(salt: &[u8], address: IpAddr) -> Key {
    // HMAC accepts keys of any length; the empty key replaces an error that cannot occur.
    let mut mac =
        Hmac::<Sha256>::new_from_slice(salt).unwrap_or_else(|_| Hmac::new(&Default::default()));
    match address {
        IpAddr::V4(v4) => mac.update(&v4.octets()),
        IpAddr::V6(v6) => mac.update(&v6.octets()),
    }
    let digest = mac.finalize().into_bytes();
    digest.first_chunk().copied().unwrap_or_default()
}

/// Returns random bytes of the system, or weaker ones if the system has none.
pub(super) fn fresh_salt() -> [u8; 32] {
    let mut salt = [0; 32];
    let system = rustls::crypto::ring::default_provider().secure_random;
    if system.fill(&mut salt).is_err() {
        tracing::warn!(
            "the system returned no random bytes; hashed addresses are easier to guess today"
        );
        for word in salt.as_chunks_mut().0 {
            *word = random().to_le_bytes();
        }
    }
    salt
}

/// Formats bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Counts by name. The names are constants of this program, so their number is bounded.
#[derive(Debug, Default)]
pub(crate) struct NamedCounters(Mutex<BTreeMap<&'static str, u64>>);

impl NamedCounters {
    /// Increments a counter.
    pub(crate) fn add(&self, name: &'static str) {
        *self.0.lock().entry(name).or_default() += 1;
    }

    /// Returns all counts by name.
    pub(crate) fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.0.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::clock::Clock;
    use econoscope_core::testing::ManualClock;
    use jiff::Timestamp;
    use std::time::Duration;

    const POLICY: Policy = Policy::General;

    fn clock() -> ManualClock {
        ManualClock::new("2026-03-04T12:00:00Z".parse::<Timestamp>().unwrap())
    }

    fn address(last: u8) -> IpAddr {
        IpAddr::from([203, 0, 113, last])
    }

    fn requests_until_refused(
        counters: &mut Counters,
        address: IpAddr,
        limit: u32,
        now: &Moment,
    ) -> u32 {
        let charge = Charge {
            burst: None,
            daily: Some((POLICY, limit)),
        };
        let mut count = 0;
        while counters.charge(address, &charge, now).is_ok() {
            count += 1;
        }
        count
    }

    #[test]
    fn memory_is_bounded_and_cleared_at_midnight() {
        let clock = clock();
        let mut counters = Counters::new(clock.now(), 3);
        for last in 0..9 {
            requests_until_refused(&mut counters, address(last), 3, &clock.now());
        }
        assert_eq!(counters.len(), 3);
        let today = counters.key(address(1), &clock.now());
        clock.advance(Duration::from_secs(12 * 3600));
        let tomorrow = counters.key(address(1), &clock.now());
        assert_eq!(counters.len(), 0);
        assert_ne!(today, tomorrow);
    }

    #[test]
    fn a_refund_takes_back_one_request() {
        let clock = clock();
        let mut counters = Counters::new(clock.now(), 3);
        counters.refund(address(1), POLICY, &clock.now());
        let mut request =
            |limit| requests_until_refused(&mut counters, address(1), limit, &clock.now());
        assert_eq!(request(4), 4);
        counters.refund(address(1), POLICY, &clock.now());
        assert_eq!(
            requests_until_refused(&mut counters, address(1), 4, &clock.now()),
            1
        );
    }
}
