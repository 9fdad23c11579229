//! Counts requests by hashed address for one UTC day, in bounded memory, and stores the counts in a file across restarts.
//!
//! An address is counted under a keyed hash (HMAC-SHA-256, 128 bits) whose key is valid for one day. Only the owner can read the
//! file: it has the key, with which hashes of IPv4 addresses can be guessed until the day is over.

use super::policy::{Charge, DAY, LimitExceeded, Policy, Quota};
use econoscope_core::clock::{Moment, MonotonicTime, random};
use econoscope_data::disk;
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::path::Path;

/// A hashed address.
pub(super) type Key = [u8; 16];

/// Number of entries that are compared for an eviction; the least used is dropped.
const EVICTION_SAMPLE: usize = 8;

/// The usage of one address on one day.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Usage {
    /// Requests by allowance, in the order of [`Policy`].
    counts: [u32; 3],
    /// Theoretical arrival time of GCRA: when the burst is paid off.
    #[serde(skip)]
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
    is_changed: bool,
}

/// The file of the counters.
#[derive(Serialize, Deserialize)]
struct File {
    /// The counters' own time in milliseconds.
    at: i64,
    /// When `at` was read: wall time, uptime and boot.
    moment: [i64; 3],
    salt: [u8; 32],
    /// Usage by hashed address.
    usage: Vec<(Key, Usage)>,
}

impl Counters {
    /// Creates empty counters. Their time starts at the wall time.
    pub(super) fn new(now: Moment, max_addresses: usize) -> Self {
        Self::with_time(MonotonicTime::start(now), &now, fresh_salt(), max_addresses)
    }

    fn with_time(time: MonotonicTime, now: &Moment, salt: [u8; 32], max_addresses: usize) -> Self {
        Self {
            day: time.at(now).div_euclid(DAY),
            time,
            salt,
            usage: BTreeMap::new(),
            max_addresses,
            is_changed: false,
        }
    }

    /// Loads the counters of a file. Returns `None` if their day has ended, or if the file is absent or unreadable.
    pub(super) fn load(path: &Path, now: &Moment, max_addresses: usize) -> Option<Self> {
        let file = disk::read(path).and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
        let file: File = match file {
            Ok(file) => file,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    let file = disk::format_path(path);
                    tracing::warn!(%error, file, "reading the day's counts failed; counting from zero");
                }
                return None;
            }
        };
        let time = MonotonicTime::resume(file.at, Moment::from_fields(file.moment)?);
        let mut counters = Self::with_time(time, now, file.salt, max_addresses);
        if counters.day != file.at.div_euclid(DAY) {
            return None;
        }
        counters.usage = file.usage.into_iter().take(max_addresses).collect();
        Some(counters)
    }

    /// Replaces the file atomically, if anything changed since the last time.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn save(&mut self, path: &Path, now: &Moment) -> io::Result<()> {
        if !std::mem::take(&mut self.is_changed) {
            return Ok(());
        }
        let file = File {
            at: self.time.at(now),
            moment: now.to_fields(),
            salt: self.salt,
            usage: self.usage.iter().map(|(k, usage)| (*k, *usage)).collect(),
        };
        let result = disk::replace(path, &serde_json::to_vec(&file)?);
        self.is_changed = result.is_err();
        result
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
            self.is_changed = true;
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
        };
        let arrival_time = arrival_time.map_err(LimitExceeded::burst)?;
        let mut quota = None;
        if let Some((policy, limit)) = charge.daily {
            let count = policy.count(&mut usage.counts);
            let remaining = limit.saturating_sub(*count);
            let after = Quota::new((now, moment), (policy, limit), remaining.saturating_sub(1));
            if remaining == 0 {
                return Err(LimitExceeded::daily(after, &key));
            }
            *count += 1;
            quota = Some(after);
        }
        usage.arrival_time = arrival_time;
        self.is_changed |= quota.is_some();
        Ok(quota)
    }

    /// Gives one request back.
    pub(super) fn refund(&mut self, address: IpAddr, policy: Policy, moment: &Moment) {
        let key = self.key(address, moment);
        let count = policy.count(&mut self.usage(key).counts);
        *count = count.saturating_sub(1);
    }

    /// Raises a count to that of the shared counters, so that counting can continue here.
    pub(super) fn raise(&mut self, address: IpAddr, policy: Policy, shared: u32, moment: &Moment) {
        let key = self.key(address, moment);
        let count = policy.count(&mut self.usage(key).counts);
        *count = shared.max(*count);
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
pub(super) fn hash(salt: &[u8], address: IpAddr) -> Key {
    // HMAC accepts keys of any length; the empty key replaces an error that cannot occur.
    let mac = Hmac::<Sha256>::new_from_slice(salt);
    let mut mac = mac.unwrap_or_else(|_| Hmac::new(&Default::default()));
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
    use econoscope_core::clock::{Clock, ManualClock};
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
    fn shared_counts_and_refunds_change_the_count() {
        let clock = clock();
        let mut counters = Counters::new(clock.now(), 3);
        counters.raise(address(1), POLICY, 5, &clock.now());
        counters.raise(address(1), POLICY, 4, &clock.now());
        counters.refund(address(1), POLICY, &clock.now());
        assert_eq!(
            requests_until_refused(&mut counters, address(1), 10, &clock.now()),
            6
        );
    }

    #[test]
    fn counts_of_the_same_day_survive_a_restart() {
        let (clock, folder) = (clock(), tempfile::tempdir().unwrap());
        let path = folder.path().join("limits");
        let mut counters = Counters::new(clock.now(), 9);
        assert_eq!(
            requests_until_refused(&mut counters, address(1), 7, &clock.now()),
            7
        );
        counters.save(&path, &clock.now()).unwrap();
        let load = |clock: &ManualClock| Counters::load(&path, &clock.now(), 9);
        assert_eq!(
            requests_until_refused(&mut load(&clock).unwrap(), address(1), 9, &clock.now()),
            2
        );
        clock.jump(jiff::SignedDuration::from_hours(48));
        assert!(load(&clock).is_some(), "setting the wall clock ends no day");
        clock.advance(Duration::from_secs(12 * 3600));
        assert!(load(&clock).is_none(), "the day has ended");
        for junk in ["", "{}", "[1]", "\0\0"] {
            std::fs::write(&path, junk).unwrap();
            assert!(load(&clock).is_none(), "{junk}");
        }
    }
}
