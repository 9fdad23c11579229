//! Entries by hashed address in bounded memory.

use super::saved::Key;
use std::collections::BTreeMap;

/// Entries looked at when room must be made; the least used of them goes.
const LOOKED_AT: usize = 8;

/// The entry of a key; where there would be more than so many, another one makes room.
pub(super) fn entry<V: Default>(
    held: &mut BTreeMap<Key, V>,
    key: Key,
    max: usize,
    used: impl Fn(&V) -> u32,
) -> &mut V {
    if held.len() >= max && !held.contains_key(&key) {
        // Keys are hashes: those that follow one are any.
        let any = held.range(key..).chain(&*held).take(LOOKED_AT);
        let least = any.min_by_key(|(_, entry)| used(entry));
        if let Some(least) = least.map(|(key, _)| *key) {
            held.remove(&least);
        }
    }
    held.entry(key).or_default()
}
