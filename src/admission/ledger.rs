//! Counters by hashed address for one UTC day, in bounded memory.

use super::policy::{Policy, Refusal, Standing};
use super::saved::{Key, Salt, Saved};
use crate::clock::{Moment, OwnTime};
use hmac::{Hmac, KeyInit, Mac};
use jiff::{Timestamp, Unit};
use sha2::Sha256;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Entries looked at when room must be made; the least used of them goes.
const LOOKED_AT: usize = 8;
/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// What an address has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Used {
    general: u32,
    data: u32,
    /// Not written down: a restart forgets it.
    pages: u32,
    /// When the burst is paid off, in the ledger's own time (the theoretical arrival time of GCRA).
    paid_off: i64,
}

impl Used {
    fn count(&mut self, policy: Policy) -> &mut u32 {
        match policy {
            Policy::General => &mut self.general,
            Policy::Data => &mut self.data,
            Policy::Pages => &mut self.pages,
        }
    }
}

/// One day's counters, and the key of its hashes.
struct Day {
    /// Days since 1970, in the ledger's own time.
    number: i64,
    salt: Salt,
    mac: Hmac<Sha256>,
    used: BTreeMap<Key, Used>,
    is_changed: bool,
}

impl Day {
    fn begin(number: i64, salt: Salt) -> Self {
        Self {
            number,
            salt,
            // HMAC takes keys of any length; the empty key stands in for an error that cannot come.
            mac: Hmac::new_from_slice(&salt).unwrap_or_else(|_| Hmac::new(&Default::default())),
            used: BTreeMap::new(),
            is_changed: false,
        }
    }

    fn key(&self, address: IpAddr) -> Key {
        let mut mac = self.mac.clone();
        match address {
            IpAddr::V4(v4) => mac.update(&v4.octets()),
            IpAddr::V6(v6) => mac.update(&v6.octets()),
        }
        let full = mac.finalize().into_bytes();
        full.first_chunk().copied().unwrap_or_default()
    }

    /// The counters of a key; where there would be more than so many, others make room.
    fn used(&mut self, key: Key, max: usize) -> &mut Used {
        if self.used.len() >= max && !self.used.contains_key(&key) {
            // Keys are hashes: those that follow one are any.
            let any = self.used.range(key..).chain(&self.used).take(LOOKED_AT);
            let least = any.min_by_key(|(_, used)| used.general.saturating_add(used.data));
            if let Some(least) = least.map(|(key, _)| *key) {
                self.used.remove(&least);
            }
        }
        self.used.entry(key).or_default()
    }
}

/// The counters of the present day. Times are its own: see [`OwnTime`].
pub(super) struct Ledger {
    time: OwnTime,
    max_addresses: usize,
    day: Mutex<Day>,
}

impl Ledger {
    /// An empty ledger, whose time begins with the wall's.
    pub(super) fn new(now: Moment, max_addresses: usize) -> Self {
        let time = OwnTime::begin(now);
        let day = Day::begin(time.at(&now).div_euclid(DAY), fresh_salt());
        Self {
            time,
            max_addresses,
            day: Mutex::new(day),
        }
    }

    /// The ledger that was written down, unless by its own time the day it is of has ended.
    pub(super) fn resume(saved: Saved, now: &Moment, max_addresses: usize) -> Option<Self> {
        let time = OwnTime::resume(saved.at, saved.set);
        if saved.day != time.at(now).div_euclid(DAY) {
            return None;
        }
        let mut day = Day::begin(saved.day, saved.salt);
        for (key, general, data) in saved.counts {
            let used = day.used(key, max_addresses);
            (used.general, used.data) = (general, data);
        }
        Some(Self {
            time,
            max_addresses,
            day: Mutex::new(day),
        })
    }

    /// What is to be written down, if anything changed since this was last asked for.
    pub(super) fn changed(&self, now: &Moment) -> Option<Saved> {
        let mut day = self.day();
        if !std::mem::take(&mut day.is_changed) {
            return None;
        }
        let counted = day
            .used
            .iter()
            .filter(|(_, used)| used.general > 0 || used.data > 0);
        Some(Saved {
            at: self.time.at(now),
            set: *now,
            day: day.number,
            salt: day.salt,
            counts: counted.map(|(k, u)| (*k, u.general, u.data)).collect(),
        })
    }

    /// Addresses remembered now.
    pub(super) fn len(&self) -> usize {
        self.day().used.len()
    }

    fn day(&self) -> MutexGuard<'_, Day> {
        self.day.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The day of a time, after the counters of a past one were dropped.
    fn today(&self, now: i64) -> MutexGuard<'_, Day> {
        let mut day = self.day();
        let number = now.div_euclid(DAY);
        // Of two threads at midnight the one that read the clock first may come second.
        if number > day.number {
            *day = Day::begin(number, fresh_salt());
            day.is_changed = true;
        }
        day
    }

    /// GCRA: one request costs `1000 / per_second` ms; `burst` of them may be owed.
    pub(super) fn burst(
        &self,
        moment: &Moment,
        address: IpAddr,
        per_second: u32,
        burst: u32,
    ) -> Result<(), Refusal> {
        let now = self.time.at(moment);
        let cost = (1_000 / i64::from(per_second.max(1))).max(1);
        let max = cost.saturating_mul(i64::from(burst.max(1)));
        let mut day = self.today(now);
        let key = day.key(address);
        let used = day.used(key, self.max_addresses);
        let owed = used.paid_off.saturating_sub(now).clamp(0, max) + cost;
        if owed > max {
            return Err(Refusal {
                standing: None,
                retry_after: Duration::from_millis((owed - max).unsigned_abs()),
            });
        }
        used.paid_off = now.saturating_add(owed);
        Ok(())
    }

    /// Charges one request to the day's allowance.
    pub(super) fn spend(
        &self,
        moment: &Moment,
        address: IpAddr,
        policy: Policy,
        limit: u32,
    ) -> Result<Standing, Refusal> {
        let now = self.time.at(moment);
        let reset = Duration::from_millis((DAY - now.rem_euclid(DAY)).unsigned_abs());
        let mut standing = Standing {
            policy,
            limit,
            remaining: 0,
            reset,
            reset_at: on_the_wall(moment, reset),
        };
        let mut day = self.today(now);
        let key = day.key(address);
        let count = day.used(key, self.max_addresses).count(policy);
        if *count >= limit {
            // Spread over a minute, the same for the same client, so that midnight brings no stampede.
            let [.., last] = key;
            return Err(Refusal {
                standing: Some(standing),
                retry_after: reset + Duration::from_secs(u64::from(last) % 60),
            });
        }
        *count += 1;
        standing.remaining = limit - *count;
        day.is_changed = true;
        Ok(standing)
    }

    pub(super) fn refund(&self, moment: &Moment, address: IpAddr, policy: Policy) {
        let mut day = self.today(self.time.at(moment));
        let key = day.key(address);
        let count = day.used(key, self.max_addresses).count(policy);
        *count = count.saturating_sub(1);
    }

    pub(super) fn pseudonym(&self, moment: &Moment, address: IpAddr) -> String {
        let key = self.today(self.time.at(moment)).key(address);
        key.iter().take(4).map(|b| format!("{b:02x}")).collect()
    }
}

/// The second on the wall clock when something will have passed.
fn on_the_wall(now: &Moment, after: Duration) -> Timestamp {
    let then = now.wall.saturating_add(after).unwrap_or(Timestamp::MAX);
    then.round(Unit::Second).unwrap_or(then)
}

/// Random bytes from the system; a clock-and-address mix only if the system has none to give.
fn fresh_salt() -> Salt {
    let mut salt = Salt::default();
    let random = rustls::crypto::ring::default_provider().secure_random;
    if random.fill(&mut salt).is_err() {
        use std::hash::BuildHasher;
        tracing::warn!(
            "the system gave no random bytes; hashed addresses are easier to guess today"
        );
        for (i, chunk) in salt.chunks_mut(8).enumerate() {
            let word = std::hash::RandomState::new().hash_one(i).to_le_bytes();
            chunk.copy_from_slice(word.get(..chunk.len()).unwrap_or_default());
        }
    }
    salt
}
