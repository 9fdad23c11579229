//! Where a value stands among others: ranks that grow with the sample, and percentiles.
//!
//! The stress index asks at 10,000 days where each day stands among all earlier ones; a count tree over
//! the sorted distinct values answers each question in O(log n).

use super::moments::count;

/// Counts of the values met so far, by their place in order. Method: binary indexed tree (Fenwick 1994).
struct Counts {
    /// Every finite value that may come, ascending, distinct.
    values: Vec<f64>,
    /// Partial sums; slot 0 is not used.
    tree: Vec<usize>,
}

impl Counts {
    fn of(universe: &[f64]) -> Self {
        let mut values: Vec<f64> = universe
            .iter()
            .filter(|v| v.is_finite())
            .map(|v| v + 0.0) // one zero, not two
            .collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup();
        Self {
            tree: vec![0; values.len() + 1],
            values,
        }
    }

    fn place(&self, value: f64) -> usize {
        self.values.partition_point(|v| *v < value)
    }

    fn add(&mut self, place: usize) {
        let mut i = place + 1;
        while let Some(node) = self.tree.get_mut(i) {
            *node += 1;
            i += i & i.wrapping_neg();
        }
    }

    /// How many values were added before a place.
    fn before(&self, place: usize) -> usize {
        let (mut i, mut sum) = (place, 0);
        while i > 0 {
            sum += self.tree.get(i).copied().unwrap_or(0);
            i &= i - 1;
        }
        sum
    }
}

/// Where each value stands among all earlier ones, 0-1 (docs/METHODS.md#scaling).
///
/// Shape: one per input; `None` before `min` earlier values exist and for values that are not finite, which
/// are not counted either. O(n log n).
/// Formula: (#smaller + ½·#equal + ½) / (n + 1), as in CISS (Holló, Kremer and Lo Duca 2012, ECB WP 1426).
pub fn expanding_ecdf(values: &[f64], min: usize) -> Vec<Option<f64>> {
    let mut past = Counts::of(values);
    let mut met = 0;
    let standing = |value: &f64| {
        if !value.is_finite() {
            return None;
        }
        let place = past.place(*value);
        let less = past.before(place);
        let equal = past.before(place + 1) - less;
        let share = (count(less) + 0.5 * count(equal) + 0.5) / (count(met) + 1.0);
        let is_enough = met >= min;
        past.add(place);
        met += 1;
        is_enough.then_some(share)
    };
    values.iter().map(standing).collect()
}

/// Percentile of `value` in a sample, 0-100; `None` for an empty sample.
///
/// Formula: 100·(#smaller + ½·#equal) / n.
pub fn percentile_rank(sample: &[f64], value: f64) -> Option<f64> {
    let less = sample.iter().filter(|s| **s < value).count();
    let equal = sample.iter().filter(|s| **s == value).count();
    (!sample.is_empty()).then(|| 100.0 * (count(less) + 0.5 * count(equal)) / count(sample.len()))
}

/// The value below which `percent` of an ascending sample lies; `None` for an empty sample.
///
/// Formula: linear between the two nearest of the n values, at (n - 1)·percent / 100 (Hyndman and Fan 1996, type 7).
pub fn quantile(sorted: &[f64], percent: usize) -> Option<f64> {
    let place = sorted.len().checked_sub(1)? * percent.min(100);
    let low = sorted.get(place / 100)?;
    let high = sorted.get(place / 100 + 1).unwrap_or(low);
    Some(low + (high - low) * count(place % 100) / 100.0)
}
