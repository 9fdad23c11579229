//! A bounded cache of values that can be recomputed. Every cache of the program is a [`Cache`].

use quick_cache::sync;
use quick_cache::{DefaultHashBuilder, Equivalent, OptionsBuilder, Weighter};
use std::fmt;
use std::hash::Hash;

/// Shards of a cache, each with its own lock. The number is fixed, because a value heavier than its shard is not cached.
const SHARDS: usize = 4;

/// Share of the capacity for entries that were read more than once. The rest is large enough that a new entry is usually
/// read again before it is evicted.
const HOT_SHARE: f64 = 0.8;

/// A map of limited weight that evicts rarely read entries first. Reads return a clone of the value.
pub struct Cache<K, V>(sync::Cache<K, V, EntryWeight<K, V>>);

/// Computes the weight of an entry.
#[derive(Clone)]
struct EntryWeight<K, V>(fn(&K, &V) -> u64);

impl<K, V> Weighter<K, V> for EntryWeight<K, V> {
    fn weight(&self, key: &K, value: &V) -> u64 {
        // A weight of zero would make the cache unbounded.
        (self.0)(key, value).max(1)
    }
}

impl<K: Clone + Eq + Hash, V: Clone> Cache<K, V> {
    /// Creates a cache of at most `max` entries.
    pub fn new(max: usize) -> Self {
        let shards = if max < 256 { 1 } else { SHARDS };
        Self::with_shards(max, max as u64, shards, |_, _| 1)
    }

    /// Creates a cache of at most this total weight; a single entry may have a quarter of it.
    pub fn with_max_weight(max: u64, weight: fn(&K, &V) -> u64) -> Self {
        Self::with_shards(1_024, max, SHARDS, weight)
    }

    fn with_shards(entries: usize, max: u64, shards: usize, weight: fn(&K, &V) -> u64) -> Self {
        let options = OptionsBuilder::new()
            .estimated_items_capacity(entries)
            .weight_capacity(max)
            .hot_allocation(HOT_SHARE)
            .shards(shards)
            .build();
        let hasher = DefaultHashBuilder::default();
        let weight = EntryWeight(weight);
        Self(match options {
            Ok(options) => sync::Cache::with_options(options, weight, hasher, Default::default()),
            // Does not happen, because both capacities are set.
            Err(_) => sync::Cache::with_weighter(entries, max, weight),
        })
    }

    /// Returns the value of a key.
    pub fn get<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> Option<V> {
        self.0.get(key)
    }

    /// Returns the value of a key, computed if it is not cached. Concurrent callers may compute it, too. Errors are not cached.
    ///
    /// # Errors
    /// The error of `compute`.
    pub fn get_or_insert_with<E>(
        &self,
        key: K,
        compute: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        if let Some(cached) = self.get(&key) {
            return Ok(cached);
        }
        let value = compute()?;
        self.insert(key, value.clone());
        Ok(value)
    }

    /// Returns whether the key has a value.
    pub fn contains_key<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) -> bool {
        self.0.contains_key(key)
    }

    /// Inserts or replaces a value.
    pub fn insert(&self, key: K, value: V) {
        self.0.insert(key, value);
    }

    /// Removes a value.
    pub fn remove<Q: Hash + Equivalent<K> + ?Sized>(&self, key: &Q) {
        self.0.remove(key);
    }

    /// Iterates over the entries in arbitrary order.
    pub fn entries(&self) -> impl Iterator<Item = (K, V)> {
        self.0.iter()
    }

    /// Returns the total weight of the entries.
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
    fn weight_is_bounded_and_read_entries_stay() {
        let cache = Cache::with_max_weight(4_000, |_: &u64, value: &String| value.len() as u64);
        cache.insert(0, "x".repeat(10));
        for key in 1..2_000 {
            assert!(cache.get(&0).is_some(), "read after each of {key}");
            cache.insert(key, "x".repeat(10));
        }
        assert!(
            (3_000..=4_000).contains(&cache.weight()),
            "{}",
            cache.weight()
        );
        cache.insert(9_999, "x".repeat(2_000));
        assert!(cache.get(&9_999).is_none(), "heavier than its shard");
        cache.insert(0, "y".into());
        assert_eq!(cache.get(&0).as_deref(), Some("y"));
        cache.remove(&0);
        assert!(!cache.contains_key(&0));
    }

    #[test]
    fn entry_count_is_bounded() {
        for max in [1, 32, 4_096] {
            let cache = Cache::new(max);
            (0..20_000_u32).for_each(|key| cache.insert(key, ()));
            assert!((1..=max as u64).contains(&cache.weight()), "{max}");
        }
    }
}
