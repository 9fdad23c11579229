//! Ranks of a value among others: among all earlier ones of a growing sample, and percentiles.

use super::count;

/// Counts of the values so far by rank. Method: binary indexed tree (Fenwick 1994); slot 0 is not used.
struct Counts(Vec<usize>);

impl Counts {
    fn add(&mut self, rank: usize, times: usize) {
        let mut i = rank + 1;
        while let Some(node) = self.0.get_mut(i) {
            *node += times;
            i += i & i.wrapping_neg();
        }
    }

    /// Returns the number of values below a rank.
    fn below(&self, rank: usize) -> usize {
        let mut i = rank;
        let mut sum = 0;
        while i > 0 {
            sum += self.0.get(i).copied().unwrap_or(0);
            i &= i - 1;
        }
        sum
    }
}

/// Returns the rank of each value among the distinct ones, ascending; equal values share it.
fn ranks(values: &[f64]) -> Vec<usize> {
    // Adding zero turns -0.0 into 0.0.
    let mut order: Vec<(f64, usize)> = values.iter().map(|v| v + 0.0).zip(0..).collect();
    order.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut ranks = vec![0; values.len()];
    let groups = order.chunk_by(|(a, _), (b, _)| a == b);
    for (rank, group) in groups.enumerate() {
        for (_, i) in group {
            if let Some(slot) = ranks.get_mut(*i) {
                *slot = rank;
            }
        }
    }
    ranks
}

/// Returns the rank of each value among all earlier ones, 0-1 (docs/METHODS.md#scaling).
///
/// Shape: one per input; `None` before `min` earlier values exist and for values that are not finite, which
/// are not counted either. O(n log n), since the stress index ranks 10,000 days: in a sorted list each falling value would
/// move all others.
/// Formula: (#smaller + ½·#equal + ½) / (n + 1), as in CISS (Holló, Kremer and Lo Duca 2012, ECB WP 1426).
pub fn expanding_ecdf(values: &[f64], min: usize) -> Vec<Option<f64>> {
    // A weekly figure counts on five days and a monthly one on twenty: a run of equal values is looked up once.
    let runs: Vec<&[f64]> = values.chunk_by(|a, b| a == b).collect();
    let firsts: Vec<f64> = runs.iter().filter_map(|run| run.first().copied()).collect();
    let mut past = Counts(vec![0; runs.len() + 1]);
    let mut total = 0;
    let mut out = Vec::with_capacity(values.len());
    for (run, rank) in runs.into_iter().zip(ranks(&firsts)) {
        if !run.iter().all(|v| v.is_finite()) {
            out.extend(run.iter().map(|_| None));
            continue;
        }
        let less = past.below(rank);
        let equal = past.below(rank + 1) - less;
        out.extend((0..run.len()).map(|k| {
            let smaller = count(less) + 0.5 * count(equal + k) + 0.5;
            (total + k >= min).then(|| smaller / (count(total + k) + 1.0))
        }));
        past.add(rank, run.len());
        total += run.len();
    }
    out
}

/// Returns the percentile rank of `value` in a sample, 0-100; `None` for an empty sample.
///
/// Formula: 100·(#smaller + ½·#equal) / n.
pub fn percentile_rank(sample: &[f64], value: f64) -> Option<f64> {
    let less = sample.iter().filter(|s| **s < value).count();
    let equal = sample.iter().filter(|s| **s == value).count();
    (!sample.is_empty()).then(|| 100.0 * (count(less) + 0.5 * count(equal)) / count(sample.len()))
}

/// Returns the quantile below which `percent` of an ascending sample lies; `None` for an empty sample.
///
/// Formula: linear between the two nearest of the n values, at (n - 1)·percent / 100 (Hyndman and Fan 1996, type 7).
pub fn quantile(sorted: &[f64], percent: usize) -> Option<f64> {
    let position = sorted.len().checked_sub(1)? * percent.min(100);
    let low = sorted.get(position / 100)?;
    let high = sorted.get(position / 100 + 1).unwrap_or(low);
    Some(low + (high - low) * count(position % 100) / 100.0)
}
