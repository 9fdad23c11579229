//! Bounded memory for what can be made again: every cache of the program is one of these.

use quick_cache::sync;
use quick_cache::{DefaultHashBuilder, Equivalent, OptionsBuilder, Weighter};
use std::fmt;
use std::hash::Hash;

/// Parts of a cache, each behind a lock of its own. No more on a machine with many processors: what is heavier than
/// its part is not kept.
const PARTS: usize = 4;

/// Share of the weight for what was asked for more than once. The rest is large enough that a new value can be asked for
/// again before others that came after it have pushed it out.
const LASTING: f64 = 0.8;

/// Values by key, up to a weight; who is asked for seldom goes first. A clone of the value is given.
pub struct Cache<K, V>(sync::Cache<K, V, Weigh<K, V>>);

/// What an entry counts for.
struct Weigh<K, V>(fn(&K, &V) -> u64);

impl<K, V> Clone for Weigh<K, V> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl<K, V> Weighter<K, V> for Weigh<K, V> {
    fn weight(&self, key: &K, value: &V) -> u64 {
        // Nothing is free, or there would be no end of it.
        (self.0)(key, value).max(1)
    }
}

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    /// Room for so many entries.
    pub fn new(most: usize) -> Self {
        Self::with(
            most,
            most as u64,
            if most < 256 { 1 } else { PARTS },
            |_, _| 1,
        )
    }

    /// Room for entries that weigh so much together; one alone may have a quarter of it.
    pub fn weighed(most: u64, weigh: fn(&K, &V) -> u64) -> Self {
        Self::with(1_024, most, PARTS, weigh)
    }

    fn with(entries: usize, most: u64, parts: usize, weigh: fn(&K, &V) -> u64) -> Self {
        let options = OptionsBuilder::new()
            .estimated_items_capacity(entries)
            .weight_capacity(most)
            .hot_allocation(LASTING)
            .shards(parts)
            .build();
        let hasher = DefaultHashBuilder::default();
        Self(match options {
            Ok(options) => {
                sync::Cache::with_options(options, Weigh(weigh), hasher, Default::default())
            }
            // Never so: both capacities are given.
            Err(_) => sync::Cache::with_weighter(entries, most, Weigh(weigh)),
        })
    }

    /// The value of a key.
    pub fn get<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> Option<V> {
        self.0.get(key)
    }

    /// The value of a key, made where there is none; who asks meanwhile may make it, too. Failures are not kept.
    ///
    /// # Errors
    /// What making it says.
    pub fn or_make<E>(&self, key: K, make: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        if let Some(found) = self.get(&key) {
            return Ok(found);
        }
        let made = make()?;
        self.insert(key, made.clone());
        Ok(made)
    }

    /// Whether there is a value.
    pub fn contains_key<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> bool {
        self.0.contains_key(key)
    }

    /// Keeps a value, in the place of an older one.
    pub fn insert(&self, key: K, value: V) {
        self.0.insert(key, value);
    }

    /// Drops a value.
    pub fn remove<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) {
        self.0.remove(key);
    }

    /// What is kept now, in no order.
    pub fn entries(&self) -> impl Iterator<Item = (K, V)>
    where
        K: Clone,
    {
        self.0.iter()
    }

    /// What is kept weighs so much.
    pub fn weight(&self) -> u64 {
        self.0.weight()
    }
}

impl<K, V> fmt::Debug for Cache<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cache(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_stays_within_its_bound_and_the_asked_for_stays() {
        let cache = Cache::weighed(4_000, |_: &u64, value: &String| value.len() as u64);
        cache.insert(0, "x".repeat(10));
        for key in 1..2_000 {
            assert!(cache.get(&0).is_some(), "asked for after each of {key}");
            cache.insert(key, "x".repeat(10));
        }
        assert!(
            (3_000..=4_000).contains(&cache.weight()),
            "{}",
            cache.weight()
        );
        cache.insert(9_999, "x".repeat(2_000));
        assert!(cache.get(&9_999).is_none(), "heavier than its part");
        cache.insert(0, "y".into());
        assert_eq!(cache.get(&0).as_deref(), Some("y"));
        cache.remove(&0);
        assert!(!cache.contains_key(&0));
    }

    #[test]
    fn a_count_is_a_bound() {
        for most in [1, 32, 4_096] {
            let cache = Cache::new(most);
            (0..20_000_u32).for_each(|key| cache.insert(key, ()));
            assert!((1..=most as u64).contains(&cache.weight()), "{most}");
        }
    }
}
