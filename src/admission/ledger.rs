//! Counters by hashed address for one UTC day, in bounded memory.

use super::bounded;
use super::burst::Burst;
use super::policy::{Charge, DAY, Policy, Refusal, Standing};
use super::salted::{Salted, fresh_salt};
use super::saved::{Key, Salt, Saved};
use super::used::Used;
use crate::clock::{Moment, OwnTime};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One day's counters, and the key of its hashes.
struct Day {
    /// Days since 1970, in the ledger's own time.
    number: i64,
    salted: Salted,
    used: BTreeMap<Key, Used>,
    is_changed: bool,
}

impl Day {
    fn begin(number: i64, salt: Salt) -> Self {
        Self {
            number,
            salted: Salted::with(salt),
            used: BTreeMap::new(),
            is_changed: false,
        }
    }

    /// The counters of a key; where there would be more than so many, others make room.
    fn used(&mut self, key: Key, max: usize) -> &mut Used {
        bounded::entry(&mut self.used, key, max, |used| {
            let [general, data, _] = used.alone;
            general.saturating_add(data)
        })
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
            day.used(key, max_addresses).alone = [general, data, 0];
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
        // Pages are not written down: a restart forgets them.
        let counted = day.used.iter().filter_map(|(key, used)| {
            let [general, data, _] = used.alone;
            (general > 0 || data > 0).then_some((*key, general, data))
        });
        Some(Saved {
            at: self.time.at(now),
            set: *now,
            day: day.number,
            salt: day.salted.salt,
            counts: counted.collect(),
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

    /// Whether the guard against bursts would let a request pass; costs nothing.
    pub(super) fn glance(
        &self,
        moment: &Moment,
        address: IpAddr,
        burst: Burst,
    ) -> Result<(), Refusal> {
        let now = self.time.at(moment);
        let day = self.today(now);
        let key = day.salted.key(address);
        let paid_off = day.used.get(&key).map_or(0, |used| used.paid_off);
        let taken = burst.take(paid_off, now).map(|_| ());
        taken.map_err(Refusal::burst)
    }

    /// Checks all that a request costs, then charges all of it or nothing.
    pub(super) fn charge(
        &self,
        moment: &Moment,
        address: IpAddr,
        charge: &Charge,
    ) -> Result<Option<Standing>, Refusal> {
        let now = self.time.at(moment);
        let mut today = self.today(now);
        let key = today.salted.key(address);
        let used = today.used(key, self.max_addresses);
        let standing = used.charge(charge, 1, (now, moment), &key)?;
        today.is_changed |= standing.is_some();
        Ok(standing)
    }

    pub(super) fn refund(&self, moment: &Moment, address: IpAddr, policy: Policy) {
        let mut day = self.today(self.time.at(moment));
        let key = day.salted.key(address);
        let (_, count) = day.used(key, self.max_addresses).of(policy);
        *count = count.saturating_sub(1);
    }

    pub(super) fn pseudonym(&self, moment: &Moment, address: IpAddr) -> String {
        let key = self.today(self.time.at(moment)).salted.key(address);
        key.iter().take(4).map(|b| format!("{b:02x}")).collect()
    }
}
