//! Correlation of long samples.

use super::moments::count;

/// Pearson correlation of two samples of one length, pair by pair; `None` under three pairs or when one side does
/// not vary.
pub fn correlation(x: Vec<f64>, y: Vec<f64>) -> Option<f64> {
    let (x, y) = (centered(x), centered(y));
    let squares = |of: &[f64]| in_lanes(of, of, |a, b| a * b);
    let (of_x, of_y) = (squares(&x), squares(&y));
    let enough = x.len() >= 3 && x.len() == y.len();
    (enough && of_x > 0.0 && of_y > 0.0).then(|| {
        let both = in_lanes(&x, &y, |a, b| a * b);
        (both / (of_x * of_y).sqrt()).clamp(-1.0, 1.0)
    })
}

/// Takes the mean off a sample.
fn centered(mut values: Vec<f64>) -> Vec<f64> {
    // Seen from the first value, so that a sample that does not vary is zero and not the dust of its mean.
    let first = values.first().copied().unwrap_or_default();
    values.iter_mut().for_each(|v| *v -= first);
    let mean = in_lanes(&values, &values, |v, _| v) / count(values.len().max(1));
    values.iter_mut().for_each(|v| *v -= mean);
    values
}

/// Sum of what `term` makes of each pair, in eight lanes: one after the other, each addition would wait for the
/// one before, and eight long series have 28 pairs of them.
fn in_lanes(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
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
