//! Counters by hashed address for one UTC day, in bounded memory: all there is where this process counts alone, else
//! what one replica knows of the shared counts, which is enough to go on alone and to bring back what Redis forgets.

use super::policy::{Burst, Charge, DAY, Policy, Refusal, Standing};
use super::saved::{Key, Salt, Saved};
use super::used::{Counts, Used};
use econoscope_core::clock::{Moment, OwnTime, random};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Entries looked at when room must be made; the least used of them goes.
const LOOKED_AT: usize = 8;

/// The mark of a day: the key of its hashes, and a number that another one takes the place of when the counts are lost.
#[derive(Clone)]
struct Mark {
    text: String,
    salt: Salt,
    mac: Hmac<Sha256>,
}

impl Mark {
    fn fresh(salt: Salt) -> Self {
        let hex = hex(&salt);
        Self::of(salt, format!("{hex}:{:016x}", random()))
    }

    fn of(salt: Salt, text: String) -> Self {
        // HMAC takes keys of any length; the empty key stands in for an error that cannot come.
        let mac = Hmac::new_from_slice(&salt).unwrap_or_else(|_| Hmac::new(&Default::default()));
        Self { text, salt, mac }
    }

    fn read(text: &str) -> Option<Self> {
        let (hex, _) = text.split_once(':')?;
        let mut salt = Salt::default();
        if hex.len() != salt.len() * 2 || !hex.is_ascii() {
            return None;
        }
        for (i, byte) in salt.iter_mut().enumerate() {
            *byte = u8::from_str_radix(hex.get(2 * i..2 * i + 2)?, 16).ok()?;
        }
        Some(Self::of(salt, text.to_owned()))
    }

    /// What an address is counted under: means nothing tomorrow.
    fn key(&self, address: IpAddr) -> Key {
        let mut mac = self.mac.clone();
        match address {
            IpAddr::V4(v4) => mac.update(&v4.octets()),
            IpAddr::V6(v6) => mac.update(&v6.octets()),
        }
        let full = mac.finalize().into_bytes();
        full.first_chunk().copied().unwrap_or_default()
    }
}

/// Where an address is counted.
pub(super) struct Place {
    pub(super) day: i64,
    pub(super) key: Key,
    /// The day's mark as it is known here.
    pub(super) mark: String,
}

/// The counters of the present day.
pub(super) struct Ledger {
    /// Its own, or that of the server which many share: see [`OwnTime`].
    time: OwnTime,
    day: i64,
    marks: BTreeMap<i64, Mark>,
    used: BTreeMap<Key, Used>,
    max_addresses: usize,
    /// Whether something was granted alone, which is to be told or written down.
    is_owing: bool,
    /// Replicas last seen, this one among them.
    pub(super) replicas: u32,
}

impl Ledger {
    /// An empty ledger, whose time begins with the wall's, of one of so many replicas.
    pub(super) fn new(now: Moment, max_addresses: usize, replicas: u32) -> Self {
        Self::at_time(OwnTime::begin(now), &now, max_addresses, replicas)
    }

    fn at_time(time: OwnTime, now: &Moment, max_addresses: usize, replicas: u32) -> Self {
        Self {
            day: time.at(now).div_euclid(DAY),
            time,
            marks: BTreeMap::new(),
            used: BTreeMap::new(),
            max_addresses,
            is_owing: false,
            replicas,
        }
    }

    /// The ledger that was written down, unless by its own time the day it is of has ended.
    pub(super) fn resume(saved: Saved, now: &Moment, max_addresses: usize) -> Option<Self> {
        let time = OwnTime::resume(saved.at, saved.set);
        let mut ledger = Self::at_time(time, now, max_addresses, 1);
        if saved.day != ledger.day {
            return None;
        }
        ledger.marks.insert(saved.day, Mark::fresh(saved.salt));
        for (key, general, data) in saved.counts {
            ledger.used(key).alone = [general, data, 0];
        }
        Some(ledger)
    }

    /// What is to be written down, if anything changed since this was last asked for.
    pub(super) fn changed(&mut self, now: &Moment) -> Option<Saved> {
        if !self.is_owing() {
            return None;
        }
        // Pages are not written down: a restart forgets them.
        let counted = self.used.iter().filter_map(|(key, used)| {
            let [general, data, _] = used.alone;
            (general > 0 || data > 0).then_some((*key, general, data))
        });
        Some(Saved {
            counts: counted.collect(),
            at: self.time.at(now),
            set: *now,
            day: self.day,
            salt: self.mark(self.day).salt,
        })
    }

    /// Addresses remembered now.
    pub(super) fn len(&self) -> usize {
        self.used.len()
    }

    /// The server's time, told just now.
    pub(super) fn told_time(&mut self, at: i64, now: Moment) {
        self.time = OwnTime::resume(at, now);
        self.turn(at.div_euclid(DAY));
    }

    fn at(&mut self, now: &Moment) -> i64 {
        let at = self.time.at(now);
        // Of two threads at midnight the one that read the clock first may come second.
        self.turn(at.div_euclid(DAY).max(self.day));
        at
    }

    /// Drops the counters of another day.
    fn turn(&mut self, day: i64) {
        if day != self.day {
            self.day = day;
            self.used.clear();
            self.marks.retain(|of, _| *of >= day);
            self.is_owing = true;
        }
    }

    /// The counters of a key; where there would be more than memory is for, others make room.
    fn used(&mut self, key: Key) -> &mut Used {
        let used = &mut self.used;
        if used.len() >= self.max_addresses && !used.contains_key(&key) {
            // Keys are hashes: those that follow one are any.
            let any = used.range(key..).chain(&*used).take(LOOKED_AT);
            let least = any.min_by_key(|(_, used)| used.sum());
            if let Some(least) = least.map(|(key, _)| *key) {
                used.remove(&least);
            }
        }
        used.entry(key).or_default()
    }

    fn mark(&mut self, day: i64) -> &Mark {
        let fresh = || Mark::fresh(fresh_salt());
        self.marks.entry(day).or_insert_with(fresh)
    }

    /// What a day is to be marked with where it has no mark: always another one, with the key that is known.
    pub(super) fn proposal(&mut self, day: i64) -> String {
        Mark::fresh(self.mark(day).salt).text
    }

    /// Takes the mark that all share. With another key than the one used here what is known is of nobody any more.
    pub(super) fn adopt(&mut self, day: i64, text: &str) -> bool {
        let Some(mark) = Mark::read(text) else {
            return false;
        };
        if day == self.day && self.mark(day).salt != mark.salt {
            self.used.clear();
        }
        self.marks.insert(day, mark);
        true
    }

    /// Whether a day has the mark that is known here.
    pub(super) fn is_marked(&self, day: i64, text: &str) -> bool {
        self.marks.get(&day).is_some_and(|mark| mark.text == text)
    }

    /// Where an address is counted now.
    pub(super) fn place(&mut self, address: IpAddr, now: &Moment) -> Place {
        self.at(now);
        let day = self.day;
        let mark = self.mark(day);
        Place {
            day,
            key: mark.key(address),
            mark: mark.text.clone(),
        }
    }

    /// What an address is counted under now.
    pub(super) fn key(&mut self, address: IpAddr, now: &Moment) -> Key {
        self.at(now);
        self.mark(self.day).key(address)
    }

    /// Notes the count of an address as it was heard.
    pub(super) fn hear(&mut self, place: &Place, policy: Policy, count: u32) {
        if place.day == self.day {
            let (heard, _) = self.used(place.key).of(policy);
            *heard = count.max(*heard);
        }
    }

    /// Takes one request back, of those that were heard.
    pub(super) fn refund(&mut self, place: &Place, policy: Policy) {
        if let Some(used) = self.used.get_mut(&place.key) {
            let (heard, _) = used.of(policy);
            *heard = heard.saturating_sub(1);
        }
    }

    /// Takes one request back that was granted alone.
    pub(super) fn refund_alone(&mut self, address: IpAddr, policy: Policy, now: &Moment) {
        let key = self.key(address, now);
        let (_, alone) = self.used(key).of(policy);
        *alone = alone.saturating_sub(1);
    }

    /// Whether the guard against bursts would let a request pass alone; costs nothing.
    ///
    /// # Errors
    /// [`Refusal`] when too many came at once.
    pub(super) fn glance(
        &mut self,
        address: IpAddr,
        burst: Burst,
        moment: &Moment,
    ) -> Result<(), Refusal> {
        let now = self.at(moment);
        let key = self.mark(self.day).key(address);
        let paid_off = self.used.get(&key).map_or(0, |used| used.paid_off);
        let taken = burst.take(paid_off, now);
        taken.map(drop).map_err(Refusal::burst)
    }

    /// Judges a request here, and charges all that it costs or nothing. Where counts are shared, this replica grants its
    /// part of what was left of the day when the others were last heard, at its part of the speed.
    pub(super) fn charge_alone(
        &mut self,
        address: IpAddr,
        charge: &Charge,
        moment: &Moment,
    ) -> Result<Option<Standing>, Refusal> {
        let now = self.at(moment);
        let parts = self.replicas.max(1);
        let key = self.mark(self.day).key(address);
        let standing = self.used(key).charge(charge, parts, (now, moment), &key)?;
        self.is_owing |= standing.is_some();
        Ok(standing)
    }

    /// Whether anything was granted alone since this was last asked.
    pub(super) fn is_owing(&mut self) -> bool {
        std::mem::take(&mut self.is_owing)
    }

    /// What is known from a key on, so many at most: what was heard, and what was granted alone.
    pub(super) fn known_after(
        &self,
        key: Option<Key>,
        most: usize,
        only_alone: bool,
    ) -> Vec<(Key, Counts, Counts)> {
        use std::ops::Bound::{Excluded, Unbounded};
        let range = (key.map_or(Unbounded, Excluded), Unbounded);
        let is_told = |used: &Used| used.alone != [0; 3] || !only_alone && used.heard != [0; 3];
        let known = self.used.range(range).filter(|(_, used)| is_told(used));
        let known = known.map(|(key, used)| (*key, used.heard, used.alone));
        known.take(most).collect()
    }

    /// Notes that what was granted alone has been told; no more is known of the counts than that they are so high.
    pub(super) fn told(&mut self, known: &[(Key, Counts, Counts)]) {
        for (key, _, told) in known {
            let Some(used) = self.used.get_mut(key) else {
                continue;
            };
            let counts = used.heard.iter_mut().zip(&mut used.alone).zip(told);
            for ((heard, alone), told) in counts {
                *alone = alone.saturating_sub(*told);
                *heard = heard.saturating_add(*told);
            }
        }
    }
}

/// Random bytes from the system; a clock-and-address mix only if the system has none to give.
fn fresh_salt() -> Salt {
    let mut salt = Salt::default();
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

/// Bytes as letters.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
