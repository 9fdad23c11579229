//! Where a value stands among others: ranks that grow with the sample, and percentiles.
//!
//! The stress index asks at 10,000 days where each day stands among all earlier ones; a count tree over
//! the sorted distinct values answers each question in O(log n).

use super::moments::count;

/// Counts of what was met so far, by place in order. Method: binary indexed tree (Fenwick 1994).
struct Counts {
    /// Partial sums; slot 0 is not used.
    tree: Vec<usize>,
    /// How often each place was met.
    own: Vec<usize>,
}

impl Counts {
    fn of(places: usize) -> Self {
        Self {
            tree: vec![0; places + 1],
            own: vec![0; places],
        }
    }

    fn add(&mut self, place: usize, times: usize) {
        if let Some(own) = self.own.get_mut(place) {
            *own += times;
        }
        let mut i = place + 1;
        while let Some(node) = self.tree.get_mut(i) {
            *node += times;
            i += i & i.wrapping_neg();
        }
    }

    fn at(&self, place: usize) -> usize {
        self.own.get(place).copied().unwrap_or(0)
    }

    /// How many were added before a place.
    fn before(&self, place: usize) -> usize {
        let (mut i, mut sum) = (place, 0);
        while i > 0 {
            sum += self.tree.get(i).copied().unwrap_or(0);
            i &= i - 1;
        }
        sum
    }
}

/// The place of each finite value among the distinct ones, ascending; equal values share it.
fn places(values: &[f64]) -> Vec<Option<usize>> {
    let finite = values.iter().enumerate().filter(|(_, v)| v.is_finite());
    // One zero, not two.
    let mut order: Vec<(f64, usize)> = finite.map(|(i, v)| (v + 0.0, i)).collect();
    order.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut places = vec![None; values.len()];
    let (mut place, mut before) = (0, None);
    for (value, i) in order {
        place += usize::from(before.is_some_and(|before| before != value));
        before = Some(value);
        if let Some(slot) = places.get_mut(i) {
            *slot = Some(place);
        }
    }
    places
}

/// Where each value stands among all earlier ones, 0-1 (docs/METHODS.md#scaling).
///
/// Shape: one per input; `None` before `min` earlier values exist and for values that are not finite, which
/// are not counted either. O(n log n).
/// Formula: (#smaller + ½·#equal + ½) / (n + 1), as in CISS (Holló, Kremer and Lo Duca 2012, ECB WP 1426).
pub fn expanding_ecdf(values: &[f64], min: usize) -> Vec<Option<f64>> {
    // A week's figure stands on five days and a month's on twenty: a run of equal values is looked up once.
    let runs: Vec<&[f64]> = values.chunk_by(|a, b| a == b).collect();
    let firsts: Vec<f64> = runs.iter().filter_map(|run| run.first().copied()).collect();
    let mut past = Counts::of(runs.len());
    let mut met = 0;
    let mut out = Vec::with_capacity(values.len());
    for (run, place) in runs.into_iter().zip(places(&firsts)) {
        let Some(place) = place else {
            out.extend(run.iter().map(|_| None));
            continue;
        };
        let (less, equal) = (past.before(place), past.at(place));
        out.extend((0..run.len()).map(|k| {
            let standing = count(less) + 0.5 * count(equal + k) + 0.5;
            (met + k >= min).then(|| standing / (count(met + k) + 1.0))
        }));
        past.add(place, run.len());
        met += run.len();
    }
    out
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
