//! What one replica knows of the shared counts: enough to go on alone, and to bring back what Redis forgets.

use crate::admission::bounded;
use crate::admission::policy::{Charge, DAY, Policy, Refusal, Standing};
use crate::admission::salted::{Salted, fresh_salt};
use crate::admission::saved::{Key, Salt};
use crate::admission::used::{Counts, Used};
use crate::clock::{Moment, OwnTime, random};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Replicas that one is taken to have which never saw any.
const UNSEEN: u32 = 3;

/// The mark of a day: the key of its hashes, and a number that another one takes the place of when the counts are lost.
#[derive(Clone)]
struct Mark {
    text: String,
    salted: Salted,
}

impl Mark {
    fn fresh(salt: Salt) -> Self {
        let hex = hex(&salt);
        Self {
            text: format!("{hex}:{:016x}", random()),
            salted: Salted::with(salt),
        }
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
        Some(Self {
            text: text.to_owned(),
            salted: Salted::with(salt),
        })
    }
}

/// Where an address is counted.
pub(super) struct Place {
    pub(super) day: i64,
    pub(super) key: Key,
    /// The day's mark as it is known here.
    pub(super) mark: String,
}

/// What one replica knows.
pub(super) struct Mirror {
    /// The server's time.
    time: OwnTime,
    day: i64,
    marks: BTreeMap<i64, Mark>,
    used: BTreeMap<Key, Used>,
    max_addresses: usize,
    /// Whether something was granted alone.
    is_owing: bool,
    /// Replicas last seen.
    pub(super) replicas: u32,
}

impl Mirror {
    pub(super) fn new(now: Moment, max_addresses: usize) -> Self {
        let time = OwnTime::begin(now);
        Self {
            day: time.at(&now).div_euclid(DAY),
            time,
            marks: BTreeMap::new(),
            used: BTreeMap::new(),
            max_addresses,
            is_owing: false,
            replicas: UNSEEN,
        }
    }

    /// Addresses remembered now.
    pub(super) fn len(&self) -> usize {
        self.used.len()
    }

    /// The server's time, told just now.
    pub(super) fn told_time(&mut self, at: i64, now: Moment) {
        self.time = OwnTime::resume(at, now);
    }

    fn at(&mut self, now: &Moment) -> i64 {
        let at = self.time.at(now);
        let day = at.div_euclid(DAY);
        if day != self.day {
            self.day = day;
            self.used.clear();
            self.marks.retain(|of, _| *of >= day);
        }
        at
    }

    fn mark(&mut self, day: i64) -> &Mark {
        let fresh = || Mark::fresh(fresh_salt());
        self.marks.entry(day).or_insert_with(fresh)
    }

    /// What a day is to be marked with where it has no mark: always another one, with the key that is known.
    pub(super) fn proposal(&mut self, day: i64) -> String {
        Mark::fresh(self.mark(day).salted.salt).text
    }

    /// Takes the mark that all share. With another key than the one used here what is known is of nobody any more.
    pub(super) fn adopt(&mut self, day: i64, text: &str) -> bool {
        let Some(mark) = Mark::read(text) else {
            return false;
        };
        if day == self.day && self.mark(day).salted.salt != mark.salted.salt {
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
            key: mark.salted.key(address),
            mark: mark.text.clone(),
        }
    }

    /// Notes the count of an address as it was heard.
    pub(super) fn hear(&mut self, place: &Place, policy: Policy, count: u32) {
        if place.day == self.day {
            let used = bounded::entry(&mut self.used, place.key, self.max_addresses, Used::sum);
            let (heard, _) = used.of(policy);
            *heard = count.max(*heard);
        }
    }

    /// Takes one request back.
    pub(super) fn refund(&mut self, place: &Place, policy: Policy) {
        if let Some(used) = self.used.get_mut(&place.key) {
            let (heard, _) = used.of(policy);
            *heard = heard.saturating_sub(1);
        }
    }

    /// Judges a request alone: of what was left of the day when the others were last heard this replica grants its
    /// part, and requests may come at its part of the speed.
    pub(super) fn charge_alone(
        &mut self,
        address: IpAddr,
        charge: &Charge,
        moment: &Moment,
    ) -> Result<Option<Standing>, Refusal> {
        let now = self.at(moment);
        let parts = self.replicas.max(1);
        let key = self.place(address, moment).key;
        let used = bounded::entry(&mut self.used, key, self.max_addresses, Used::sum);
        let standing = used.charge(charge, parts, (now, moment), &key)?;
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

/// Bytes as letters.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
