//! Where a value stands among others: ranks that grow with the sample, and percentiles.
//!
//! The stress index asks at 10,000 days where each day stands among all earlier ones; a count tree over
//! the sorted distinct values answers each question in O(log n).

use super::count;

/// Counts of values below and equal to a given one, among those inserted so far.
///
/// The values that may come must be known when it is made; each insertion and question costs O(log n).
/// Method: binary indexed tree (Fenwick 1994).
#[derive(Debug, Clone)]
pub struct ExpandingRank {
    /// Ascending, distinct.
    values: Vec<f64>,
    /// Partial sums of insertions; slot 0 is not used.
    tree: Vec<usize>,
    inserted: usize,
}

impl ExpandingRank {
    /// An empty ranking that can hold any of `universe`'s finite values, in any order and number.
    pub fn new(universe: &[f64]) -> Self {
        let mut values: Vec<f64> = universe
            .iter()
            .filter(|v| v.is_finite())
            .map(|v| v + 0.0) // one zero, not two
            .collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        let tree = vec![0; values.len() + 1];
        Self {
            values,
            tree,
            inserted: 0,
        }
    }

    /// How many values were inserted.
    pub fn len(&self) -> usize {
        self.inserted
    }

    /// Whether none was inserted.
    pub fn is_empty(&self) -> bool {
        self.inserted == 0
    }

    /// Adds a value; returns whether it belongs to the universe and was added.
    pub fn insert(&mut self, value: f64) -> bool {
        let slot = self.values.partition_point(|v| *v < value);
        if self.values.get(slot) != Some(&value) {
            return false;
        }
        let mut i = slot + 1;
        while let Some(node) = self.tree.get_mut(i) {
            *node += 1;
            i += i & i.wrapping_neg();
        }
        self.inserted += 1;
        true
    }

    /// How many inserted values are smaller.
    pub fn less(&self, value: f64) -> usize {
        self.standing(value).0
    }

    /// How many inserted values are equal.
    pub fn equal(&self, value: f64) -> usize {
        self.standing(value).1
    }

    /// Smaller and equal ones, for one search.
    fn standing(&self, value: f64) -> (usize, usize) {
        let slot = self.values.partition_point(|v| *v < value);
        let less = self.up_to(slot);
        let known = self.values.get(slot) == Some(&value);
        (
            less,
            if known {
                self.up_to(slot + 1) - less
            } else {
                0
            },
        )
    }

    /// Share of the inserted sample that lies below `value`, strictly between 0 and 1.
    ///
    /// Formula: (#smaller + ½·#equal + ½) / (n + 1), as in CISS (Holló, Kremer and Lo Duca 2012, ECB WP 1426).
    pub fn ecdf(&self, value: f64) -> f64 {
        let (less, equal) = self.standing(value);
        share_below(less, equal, self.inserted)
    }

    fn up_to(&self, slots: usize) -> usize {
        let (mut i, mut sum) = (slots, 0);
        while i > 0 {
            sum += self.tree.get(i).copied().unwrap_or(0);
            i &= i - 1;
        }
        sum
    }
}

/// Where each value stands among all earlier ones, 0-1 (METHODS 0.9).
///
/// Shape: one per input; `None` before `min` earlier values exist and for values that are not finite, which
/// are not counted either. O(n log n).
pub fn expanding_ecdf(values: &[f64], min: usize) -> Vec<Option<f64>> {
    let mut ranks = ExpandingRank::new(values);
    values
        .iter()
        .map(|&v| {
            let standing = (v.is_finite() && ranks.len() >= min).then(|| ranks.ecdf(v));
            ranks.insert(v);
            standing
        })
        .collect()
}

/// [`expanding_ecdf`] without an answer for the first `skip` values, which count as the past all the same.
///
/// Shape: one per input, `None` for those skipped. O(n + n·k) for the last few (k) values, O(n log n) for many.
pub fn expanding_ecdf_after(values: &[f64], min: usize, skip: usize) -> Vec<Option<f64>> {
    if values.len().saturating_sub(skip) > FEW {
        let mut all = expanding_ecdf(values, min);
        all.iter_mut().take(skip).for_each(|v| *v = None);
        return all;
    }
    let mut out = vec![None; skip.min(values.len())];
    for (n, &value) in values.iter().enumerate().skip(skip) {
        let (mut less, mut equal, mut finite) = (0, 0, 0);
        for &past in values.iter().take(n) {
            less += usize::from(past < value);
            equal += usize::from(past == value);
            finite += usize::from(past.is_finite());
        }
        out.push((value.is_finite() && finite >= min).then(|| share_below(less, equal, finite)));
    }
    out
}

/// So many values are ranked faster by counting than by a tree over the whole past.
const FEW: usize = 64;

/// Share of a sample that lies below a value, strictly between 0 and 1.
fn share_below(less: usize, equal: usize, all: usize) -> f64 {
    (count(less) + 0.5 * count(equal) + 0.5) / (count(all) + 1.0)
}

/// Percentile of `value` in a sample, 0-100; `None` for an empty sample.
///
/// Formula: 100·(#smaller + ½·#equal) / n.
pub fn percentile_rank(sample: &[f64], value: f64) -> Option<f64> {
    let less = sample.iter().filter(|s| **s < value).count();
    let equal = sample.iter().filter(|s| **s == value).count();
    (!sample.is_empty()).then(|| 100.0 * (count(less) + 0.5 * count(equal)) / count(sample.len()))
}
