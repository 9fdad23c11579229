//! Counters by hashed address for one UTC day, in bounded memory.

use super::{Policy, midnight_after};
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use sha2::Sha256;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Locks the counters are spread over.
const SHARDS: usize = 64;
/// Entries looked at when room must be made; the least used of them goes.
const LOOKED_AT: usize = 8;

/// A hashed address.
pub(super) type Key = [u8; 16];
/// The day's key of the hash.
pub(super) type Salt = [u8; 32];

/// What an address has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) general: u32,
    pub(super) data: u32,
    /// When the burst is paid off, in Unix milliseconds (the theoretical arrival time of GCRA).
    paid_off: i64,
}

/// Where a client stands after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// `daily` or `data`.
    pub policy: &'static str,
    /// Requests a day.
    pub limit: u32,
    /// Requests left.
    pub remaining: u32,
    /// Until the count starts anew.
    pub reset: Duration,
    /// When it starts anew.
    pub reset_at: Timestamp,
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The day's allowance is used up.
    Quota {
        /// Where the client stands.
        standing: Standing,
        /// When to come back: after the reset, spread over a minute.
        retry_after: Duration,
    },
    /// Too many at once.
    Burst {
        /// When to come back.
        retry_after: Duration,
    },
}

impl Refusal {
    /// When to come back.
    pub fn retry_after(&self) -> Duration {
        match self {
            Self::Quota { retry_after, .. } | Self::Burst { retry_after } => *retry_after,
        }
    }
}

struct Day {
    /// Days since 1970.
    number: i64,
    mac: Hmac<Sha256>,
    salt: Salt,
}

/// The counters of a day.
pub(super) struct Ledger {
    day: Mutex<Day>,
    shards: Vec<Mutex<HashMap<Key, Used>>>,
    per_shard: usize,
    held: AtomicUsize,
    changed: AtomicBool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn day_of(now: Timestamp) -> i64 {
    now.as_second().div_euclid(86_400)
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

fn mac(salt: &Salt) -> Hmac<Sha256> {
    // HMAC takes keys of any length; the empty key stands in for an error that cannot come.
    Hmac::new_from_slice(salt).unwrap_or_else(|_| Hmac::new(&Default::default()))
}

impl Ledger {
    pub(super) fn new(now: Timestamp, addresses: usize) -> Self {
        Self::with(day_of(now), fresh_salt(), addresses)
    }

    pub(super) fn with(day: i64, salt: Salt, addresses: usize) -> Self {
        Self {
            day: Mutex::new(Day {
                number: day,
                mac: mac(&salt),
                salt,
            }),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            per_shard: addresses.div_ceil(SHARDS).max(1),
            held: AtomicUsize::new(0),
            changed: AtomicBool::new(false),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    pub(super) fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::Relaxed)
    }

    /// Puts a counter back as it was read from a file.
    pub(super) fn restore(&self, key: Key, general: u32, data: u32) {
        let used = Used {
            general,
            data,
            paid_off: 0,
        };
        self.with_entry(key, |entry| *entry = used);
    }

    /// Day, salt and every counter that is not zero.
    pub(super) fn snapshot(&self) -> (i64, Salt, Vec<(Key, Used)>) {
        let (number, salt) = {
            let day = locked(&self.day);
            (day.number, day.salt)
        };
        let mut all = Vec::with_capacity(self.len());
        for shard in &self.shards {
            let shard = locked(shard);
            all.extend(
                shard
                    .iter()
                    .filter(|(_, used)| used.general > 0 || used.data > 0)
                    .map(|(key, used)| (*key, *used)),
            );
        }
        (number, salt, all)
    }

    /// The address as its hash, after the counters of a past day were dropped. A clock that was set back
    /// keeps the later day: nobody is given two allowances.
    fn key(&self, now: Timestamp, address: IpAddr) -> Key {
        let unit: [u8; 9] = match address {
            IpAddr::V4(v4) => {
                let [a, b, c, d] = v4.octets();
                [4, a, b, c, d, 0, 0, 0, 0]
            }
            IpAddr::V6(v6) => {
                let [a, b, c, d, e, f, g, h, ..] = v6.octets();
                [6, a, b, c, d, e, f, g, h]
            }
        };
        let mut mac = {
            let mut day = locked(&self.day);
            let number = day_of(now);
            if number > day.number {
                let salt = fresh_salt();
                *day = Day {
                    number,
                    mac: mac(&salt),
                    salt,
                };
                for shard in &self.shards {
                    *locked(shard) = HashMap::new();
                }
                self.held.store(0, Ordering::Relaxed);
                self.changed.store(true, Ordering::Relaxed);
            }
            day.mac.clone()
        };
        mac.update(&unit);
        let full = mac.finalize().into_bytes();
        full.first_chunk().copied().unwrap_or_default()
    }

    fn with_entry<T>(&self, key: Key, act: impl FnOnce(&mut Used) -> T) -> T {
        let [first, ..] = key;
        let index = usize::from(first) % SHARDS;
        let Some(shard) = self.shards.get(index) else {
            return act(&mut Used::default());
        };
        let mut shard = locked(shard);
        if shard.len() >= self.per_shard && !shard.contains_key(&key) {
            let least = shard
                .iter()
                .take(LOOKED_AT)
                .min_by_key(|(_, used)| used.general.saturating_add(used.data))
                .map(|(key, _)| *key);
            if let Some(least) = least {
                shard.remove(&least);
                self.held.fetch_sub(1, Ordering::Relaxed);
            }
        }
        let entry = shard.entry(key).or_insert_with(|| {
            self.held.fetch_add(1, Ordering::Relaxed);
            Used::default()
        });
        act(entry)
    }

    /// GCRA: one request costs `1000 / per_second` ms; `burst` of them may be owed.
    pub(super) fn burst(
        &self,
        now: Timestamp,
        address: IpAddr,
        per_second: u32,
        burst: u32,
    ) -> Result<(), Refusal> {
        let key = self.key(now, address);
        let cost = (1_000 / i64::from(per_second.max(1))).max(1);
        let most = cost.saturating_mul(i64::from(burst.max(1)));
        let at = now.as_millisecond();
        self.with_entry(key, |used| {
            // A debt from a clock that has since been set back is forgiven.
            let owed = (used.paid_off - at).clamp(0, most);
            if owed + cost > most {
                let wait = u64::try_from(owed + cost - most).unwrap_or(0);
                return Err(Refusal::Burst {
                    retry_after: Duration::from_millis(wait.max(1)),
                });
            }
            used.paid_off = at + owed + cost;
            Ok(())
        })
    }

    pub(super) fn spend(
        &self,
        now: Timestamp,
        address: IpAddr,
        policy: Policy,
        limit: u32,
    ) -> Result<Standing, Refusal> {
        let key = self.key(now, address);
        let reset_at = midnight_after(now);
        let reset = Duration::try_from(reset_at.duration_since(now)).unwrap_or_default();
        let standing = |remaining| Standing {
            policy: policy.name(),
            limit,
            remaining,
            reset,
            reset_at,
        };
        let left = self.with_entry(key, |used| {
            let count = match policy {
                Policy::General => &mut used.general,
                Policy::Data => &mut used.data,
            };
            if *count >= limit {
                return None;
            }
            *count += 1;
            Some(limit - *count)
        });
        let Some(left) = left else {
            // Spread over a minute, the same for the same client, so that midnight brings no stampede.
            let [.., last] = key;
            let jitter = Duration::from_secs(u64::from(last) % 60);
            return Err(Refusal::Quota {
                standing: standing(0),
                retry_after: reset + jitter,
            });
        };
        self.changed.store(true, Ordering::Relaxed);
        Ok(standing(left))
    }

    pub(super) fn refund(&self, now: Timestamp, address: IpAddr, policy: Policy) {
        let key = self.key(now, address);
        self.with_entry(key, |used| {
            let count = match policy {
                Policy::General => &mut used.general,
                Policy::Data => &mut used.data,
            };
            *count = count.saturating_sub(1);
        });
    }

    pub(super) fn pseudonym(&self, now: Timestamp, address: IpAddr) -> String {
        let key = self.key(now, address);
        key.iter().take(4).map(|b| format!("{b:02x}")).collect()
    }
}
