//! Counts by name.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// How often each of a few things happened. Names are this program's, never a caller's, so that their number is fixed.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<BTreeMap<&'static str, u64>>);

impl Tally {
    /// Counts one.
    pub(crate) fn add(&self, name: &'static str) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(name).or_default() += 1;
    }

    /// All counts, by name.
    pub(crate) fn counts(&self) -> BTreeMap<&'static str, u64> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.clone()
    }
}
