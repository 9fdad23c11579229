//! Correlation of long samples, of which each is centred once.

use super::moments::count;

/// Values as they lie around their mean, with what a correlation needs of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Centered {
    values: Vec<f64>,
    squares: f64,
}

impl Centered {
    /// Takes the mean off a sample.
    pub fn of(sample: &[f64]) -> Self {
        // Seen from the first value, so that a sample that does not vary is zero and not the dust of its mean.
        let first = sample.first().copied().unwrap_or_default();
        let mut values: Vec<f64> = sample.iter().map(|v| v - first).collect();
        let mean = in_lanes(&values, &values, |v, _| v) / count(values.len().max(1));
        values.iter_mut().for_each(|v| *v -= mean);
        Self {
            squares: in_lanes(&values, &values, |a, b| a * b),
            values,
        }
    }

    /// Pearson correlation with a sample of the same length, pair by pair; `None` under three pairs or when one
    /// side does not vary.
    pub fn correlation(&self, other: &Self) -> Option<f64> {
        let enough = self.values.len() >= 3 && self.values.len() == other.values.len();
        (enough && self.squares > 0.0 && other.squares > 0.0).then(|| {
            let both = in_lanes(&self.values, &other.values, |a, b| a * b);
            (both / (self.squares * other.squares).sqrt()).clamp(-1.0, 1.0)
        })
    }
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
