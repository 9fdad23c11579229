//! Counts by name.

use parking_lot::Mutex;
use std::collections::BTreeMap;

/// How often each of a few things happened. Names are this program's, never a caller's, so that their number is fixed.
#[derive(Debug, Default)]
pub(crate) struct NamedCounters(Mutex<BTreeMap<&'static str, u64>>);

impl NamedCounters {
    /// Counts one.
    pub(crate) fn add(&self, name: &'static str) {
        *self.0.lock().entry(name).or_default() += 1;
    }

    /// All counts, by name.
    pub(crate) fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.0.lock().clone()
    }
}
