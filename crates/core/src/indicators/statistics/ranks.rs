//! Ranks of a value among others: among all earlier ones of a growing sample, and percentiles.

use super::count;

/// Returns the rank of each value among all earlier ones, 0-1 (docs/METHODS.md#scaling).
///
/// Shape: one per input; `None` before `min` earlier values exist and for values that are not finite, which
/// are not counted either.
/// Formula: (#smaller + ½·#equal + ½) / (n + 1), as in CISS (Holló, Kremer and Lo Duca 2012, ECB WP 1426).
pub fn expanding_ecdf(values: &[f64], min: usize) -> Vec<Option<f64>> {
    let mut past: Vec<f64> = Vec::with_capacity(values.len());
    let mut out = Vec::with_capacity(values.len());
    // A weekly figure counts on five days and a monthly one on twenty: a run of equal values is looked up once.
    for run in values.chunk_by(|a, b| a == b) {
        let Some(value) = run.first().copied().filter(|v| v.is_finite()) else {
            out.extend(run.iter().map(|_| None));
            continue;
        };
        let less = past.partition_point(|v| *v < value);
        let equal = past.partition_point(|v| *v <= value) - less;
        out.extend((0..run.len()).map(|k| {
            let smaller = count(less) + 0.5 * count(equal + k) + 0.5;
            (past.len() + k >= min).then(|| smaller / (count(past.len() + k) + 1.0))
        }));
        past.splice(less..less, run.iter().copied());
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
