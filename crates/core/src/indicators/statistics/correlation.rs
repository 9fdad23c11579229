//! Correlation of long samples.

use super::count;

/// Returns the Pearson correlation of two samples of one length, pair by pair; `None` under three pairs or when one side
/// does not vary.
///
/// Formula: Σ(x − x̄)(y − ȳ) / √(Σ(x − x̄)² · Σ(y − ȳ)²), clamped to ±1 against rounding.
pub fn correlation(x: Vec<f64>, y: Vec<f64>) -> Option<f64> {
    let x = centered(x);
    let y = centered(y);
    let product = |a: &[f64], b: &[f64]| sum_in_lanes(a, b, |a, b| a * b);
    let x_squares = product(&x, &x);
    let y_squares = product(&y, &y);
    let is_enough = x.len() >= 3 && x.len() == y.len();
    (is_enough && x_squares > 0.0 && y_squares > 0.0)
        .then(|| (product(&x, &y) / (x_squares * y_squares).sqrt()).clamp(-1.0, 1.0))
}

/// Subtracts the mean from a sample.
fn centered(mut values: Vec<f64>) -> Vec<f64> {
    // The first value is subtracted before, so that a constant sample is exactly zero, without the rounding of its mean.
    let first = values.first().copied().unwrap_or_default();
    values.iter_mut().for_each(|v| *v -= first);
    let mean = sum_in_lanes(&values, &values, |v, _| v) / count(values.len().max(1));
    values.iter_mut().for_each(|v| *v -= mean);
    values
}

/// Sums `term` over all pairs in eight lanes, because each addition of a single sum would wait for the
/// one before, and eight long series have 28 correlations.
fn sum_in_lanes(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut lanes = [0.0; 8];
    let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += term(*a, *b);
        }
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(a, b)| term(*a, *b)).sum();
    lanes.iter().sum::<f64>() + rest
}
