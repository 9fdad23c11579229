//! Requests counted by hashed address for one UTC day, in bounded memory, and kept in a small file over a restart.
//!
//! An address is counted under a keyed hash (HMAC-SHA-256, 128 bits) whose key lives one day. The file is readable by
//! its owner only: with the key, hashes of IPv4 addresses can be tried out until the day is over.

use super::policy::{Charge, DAY, Policy, Refusal, Standing};
use econoscope_core::clock::{Moment, OwnTime, random};
use econoscope_data::disk;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::path::Path;

/// A hashed address.
pub(super) type Key = [u8; 16];

/// Entries compared when room must be made; the least used of them is dropped.
const COMPARED: usize = 8;

/// What one address used of a day.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Usage {
    /// Requests by allowance, in the order of [`Policy`].
    counts: [u32; 3],
    /// When the burst is paid off (the theoretical arrival time of GCRA).
    #[serde(skip)]
    paid_off: i64,
}

/// The counters of the present day.
pub(super) struct Counters {
    time: OwnTime,
    day: i64,
    salt: [u8; 32],
    usage: BTreeMap<Key, Usage>,
    max_addresses: usize,
    is_changed: bool,
}

/// The file of the counters.
#[derive(Serialize, Deserialize)]
struct File {
    /// The counters' own time in milliseconds, and the moment it was read: wall, uptime and boot.
    at: i64,
    moment: [i64; 3],
    salt: [u8; 32],
    /// Usage by hashed address.
    usage: Vec<(Key, Usage)>,
}

impl Counters {
    /// Empty counters, whose time begins with the wall's.
    pub(super) fn new(now: Moment, max_addresses: usize) -> Self {
        Self::at_time(OwnTime::begin(now), &now, fresh_salt(), max_addresses)
    }

    fn at_time(time: OwnTime, now: &Moment, salt: [u8; 32], max_addresses: usize) -> Self {
        Self {
            day: time.at(now).div_euclid(DAY),
            time,
            salt,
            usage: BTreeMap::new(),
            max_addresses,
            is_changed: false,
        }
    }

    /// The counters of a file, unless their day has ended by their own time, or there is no file that can be read.
    pub(super) fn read(path: &Path, now: &Moment, max_addresses: usize) -> Option<Self> {
        let read = disk::read(path).and_then(|bytes| {
            let file: File = serde_json::from_slice(&bytes)?;
            Ok(file)
        });
        let file = match read {
            Ok(file) => file,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    let file = disk::shown(path);
                    tracing::warn!(%error, file, "the day's counts cannot be read; counting anew");
                }
                return None;
            }
        };
        let time = OwnTime::resume(file.at, Moment::read(file.moment)?);
        let mut counters = Self::at_time(time, now, file.salt, max_addresses);
        if counters.day != file.at.div_euclid(DAY) {
            return None;
        }
        counters.usage = file.usage.into_iter().take(max_addresses).collect();
        Some(counters)
    }

    /// Writes the counters whole or not at all, if anything changed since they were last written.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn write(&mut self, path: &Path, now: &Moment) -> io::Result<()> {
        if !std::mem::take(&mut self.is_changed) {
            return Ok(());
        }
        let file = File {
            at: self.time.at(now),
            moment: now.written(),
            salt: self.salt,
            usage: self
                .usage
                .iter()
                .map(|(key, usage)| (*key, *usage))
                .collect(),
        };
        let written = disk::replace(path, &serde_json::to_vec(&file)?);
        self.is_changed = written.is_err();
        written
    }

    /// Addresses remembered now.
    pub(super) fn len(&self) -> usize {
        self.usage.len()
    }

    /// The counters' own time; a new day begins empty, with a new key.
    fn at(&mut self, now: &Moment) -> i64 {
        let at = self.time.at(now);
        // Of two threads at midnight the one that read the clock first may come second.
        let day = at.div_euclid(DAY);
        if day > self.day {
            self.day = day;
            self.usage.clear();
            self.salt = fresh_salt();
            self.is_changed = true;
        }
        at
    }

    /// The hash under which an address is counted today.
    pub(super) fn key(&mut self, address: IpAddr, now: &Moment) -> Key {
        self.at(now);
        hash(&self.salt, address)
    }

    /// The usage of a key; where there would be more than memory is for, another one makes room.
    fn usage(&mut self, key: Key) -> &mut Usage {
        let usage = &mut self.usage;
        if usage.len() >= self.max_addresses && !usage.contains_key(&key) {
            // Keys are hashes: those that follow one are any.
            let any = usage.range(key..).chain(&*usage).take(COMPARED);
            let sum = |usage: &Usage| usage.counts.iter().fold(0_u32, |a, b| a.saturating_add(*b));
            let least = any.min_by_key(|(_, usage)| sum(usage));
            if let Some(least) = least.map(|(key, _)| *key) {
                usage.remove(&least);
            }
        }
        usage.entry(key).or_default()
    }

    /// Charges all that a request costs, or nothing.
    ///
    /// # Errors
    /// [`Refusal`] when too many came at once, or nothing is left of the day.
    pub(super) fn charge(
        &mut self,
        address: IpAddr,
        charge: &Charge,
        moment: &Moment,
    ) -> Result<Option<Standing>, Refusal> {
        let now = self.at(moment);
        let key = hash(&self.salt, address);
        let usage = self.usage(key);
        let paid_off = charge.burst.map(|burst| burst.take(usage.paid_off, now));
        let paid_off = paid_off.transpose().map_err(Refusal::burst)?;
        let mut standing = None;
        if let Some((policy, limit)) = charge.day {
            let count = policy.count(&mut usage.counts);
            let left = limit.saturating_sub(*count);
            let stands = Standing::at((now, moment), (policy, limit), left.saturating_sub(1));
            if left == 0 {
                return Err(Refusal::day(stands, &key));
            }
            *count += 1;
            standing = Some(stands);
        }
        usage.paid_off = paid_off.unwrap_or(usage.paid_off);
        self.is_changed |= standing.is_some();
        Ok(standing)
    }

    /// Gives one request back.
    pub(super) fn refund(&mut self, address: IpAddr, policy: Policy, now: &Moment) {
        let key = self.key(address, now);
        let count = policy.count(&mut self.usage(key).counts);
        *count = count.saturating_sub(1);
    }

    /// Notes a count that was kept elsewhere, so that counting can go on here.
    pub(super) fn note(&mut self, address: IpAddr, policy: Policy, count: u32, now: &Moment) {
        let key = self.key(address, now);
        let known = policy.count(&mut self.usage(key).counts);
        *known = count.max(*known);
    }
}

impl Policy {
    /// The count of this allowance.
    fn count(self, [general, data, pages]: &mut [u32; 3]) -> &mut u32 {
        match self {
            Self::General => general,
            Self::Data => data,
            Self::Pages => pages,
        }
    }
}

/// The hash of an address under a key.
pub(super) fn hash(salt: &[u8], address: IpAddr) -> Key {
    // HMAC takes keys of any length; the empty key stands in for an error that cannot come.
    let mac = Hmac::<Sha256>::new_from_slice(salt);
    let mut mac = mac.unwrap_or_else(|_| Hmac::new(&Default::default()));
    match address {
        IpAddr::V4(v4) => mac.update(&v4.octets()),
        IpAddr::V6(v6) => mac.update(&v6.octets()),
    }
    let full = mac.finalize().into_bytes();
    full.first_chunk().copied().unwrap_or_default()
}

/// Random bytes from the system; a clock-and-address mix only if the system has none to give.
pub(super) fn fresh_salt() -> [u8; 32] {
    let mut salt = [0; 32];
    let system = rustls::crypto::ring::default_provider().secure_random;
    if system.fill(&mut salt).is_err() {
        tracing::warn!(
            "the system gave no random bytes; hashed addresses are easier to guess today"
        );
        for word in salt.as_chunks_mut().0 {
            *word = random().to_le_bytes();
        }
    }
    salt
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_core::clock::{Clock, ManualClock};
    use jiff::Timestamp;
    use std::time::Duration;

    const POLICY: Policy = Policy::General;

    fn clock() -> ManualClock {
        ManualClock::at("2026-03-04T12:00:00Z".parse::<Timestamp>().unwrap())
    }

    fn address(last: u8) -> IpAddr {
        IpAddr::from([203, 0, 113, last])
    }

    fn granted(counters: &mut Counters, address: IpAddr, limit: u32, now: &Moment) -> u32 {
        let charge = Charge {
            burst: None,
            day: Some((POLICY, limit)),
        };
        let mut count = 0;
        while counters.charge(address, &charge, now).is_ok() {
            count += 1;
        }
        count
    }

    #[test]
    fn a_new_day_forgets_and_memory_is_bounded() {
        let clock = clock();
        let mut counters = Counters::new(clock.now(), 3);
        for last in 0..9 {
            granted(&mut counters, address(last), 3, &clock.now());
        }
        assert_eq!(counters.len(), 3);
        let today = counters.key(address(1), &clock.now());
        clock.advance(Duration::from_secs(12 * 3600));
        let tomorrow = counters.key(address(1), &clock.now());
        assert_eq!(counters.len(), 0);
        assert_ne!(today, tomorrow);
    }

    #[test]
    fn counting_goes_on_from_what_was_noted_and_a_request_given_back_is_none() {
        let clock = clock();
        let mut counters = Counters::new(clock.now(), 3);
        counters.note(address(1), POLICY, 5, &clock.now());
        counters.note(address(1), POLICY, 4, &clock.now());
        counters.refund(address(1), POLICY, &clock.now());
        assert_eq!(granted(&mut counters, address(1), 10, &clock.now()), 6);
    }

    #[test]
    fn a_file_brings_the_counts_of_the_same_day_back() {
        let (clock, folder) = (clock(), tempfile::tempdir().unwrap());
        let path = folder.path().join("limits");
        let mut counters = Counters::new(clock.now(), 9);
        assert_eq!(granted(&mut counters, address(1), 7, &clock.now()), 7);
        counters.write(&path, &clock.now()).unwrap();
        let read = |clock: &ManualClock| Counters::read(&path, &clock.now(), 9);
        assert_eq!(
            granted(&mut read(&clock).unwrap(), address(1), 9, &clock.now()),
            2
        );
        clock.jump(jiff::SignedDuration::from_hours(48));
        assert!(read(&clock).is_some(), "a jump of the wall ends no day");
        clock.advance(Duration::from_secs(12 * 3600));
        assert!(read(&clock).is_none(), "the day has ended");
        for junk in ["", "{}", "[1]", "\0\0"] {
            std::fs::write(&path, junk).unwrap();
            assert!(read(&clock).is_none(), "{junk}");
        }
    }
}
