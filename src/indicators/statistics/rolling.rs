//! Moments of a sliding window, without the usual loss of digits.
//!
//! Running sums that add the new and subtract the old value drift. Here nothing is ever subtracted: the
//! series is cut into blocks as long as the window, so that every window is the end of one block joined
//! to the beginning of the next, and both are built by adding alone. O(n), exact to rounding.

use super::count;

/// Count, mean and sum of squared deviations of a sample, built one value at a time (Welford 1962).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    count: usize,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// How many values.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Arithmetic mean; 0 when empty.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Sample variance (n − 1); `None` under two values.
    pub fn variance(&self) -> Option<f64> {
        (self.count >= 2).then(|| self.squares / count(self.count - 1))
    }

    /// Sample standard deviation (n − 1); `None` under two values.
    pub fn sd(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// Adds a value.
    pub fn push(&mut self, value: f64) {
        self.count += 1;
        let gap = value - self.mean;
        self.mean += gap / count(self.count);
        self.squares += gap * (value - self.mean);
    }

    /// The moments of both samples together (Chan, Golub and LeVeque 1979).
    pub fn join(self, other: Self) -> Self {
        if self.count == 0 {
            return other;
        }
        if other.count == 0 {
            return self;
        }
        let n = count(self.count + other.count);
        let gap = other.mean - self.mean;
        Self {
            count: self.count + other.count,
            mean: self.mean + gap * count(other.count) / n,
            squares: self.squares
                + other.squares
                + gap * gap * count(self.count) * count(other.count) / n,
        }
    }

    /// How many standard deviations `value` lies from the mean; `None` when the sample does not vary.
    pub fn z(&self, value: f64) -> Option<f64> {
        // A window of equal values keeps a dust of rounding that must not count as spread.
        let dust = 1e-14 * self.mean.abs();
        self.sd()
            .filter(|sd| *sd > dust)
            .map(|sd| (value - self.mean) / sd)
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(iter: I) -> Self {
        let mut moments = Self::default();
        iter.into_iter().for_each(|v| moments.push(v));
        moments
    }
}

/// Moments of the window that ends at each value and includes it.
///
/// Shape: one per input; the first `window − 1` hold fewer values (see [`Moments::count`]).
/// A window of 0 counts as 1.
pub fn rolling_moments(values: &[f64], window: usize) -> Vec<Moments> {
    let window = window.max(1);
    let mut out = Vec::with_capacity(values.len());
    let mut ends: Vec<Moments> = Vec::new();
    for block in values.chunks(window) {
        let mut start = Moments::default();
        for (i, &value) in block.iter().enumerate() {
            start.push(value);
            let end = ends.get(i + 1).copied().unwrap_or_default();
            out.push(end.join(start));
        }
        ends = endings(block);
    }
    out
}

/// Moments of what is left of a block from each position on.
fn endings(block: &[f64]) -> Vec<Moments> {
    let mut ends: Vec<Moments> = block
        .iter()
        .rev()
        .scan(Moments::default(), |sum, &v| {
            sum.push(v);
            Some(*sum)
        })
        .collect();
    ends.reverse();
    ends
}

/// Distance of each value from its window's mean in standard deviations (METHODS 0.9: Z_w).
///
/// Shape: one per input; `None` while the window, which includes the value, holds under `min` values or does
/// not vary. Formula: (x − mean) / sample sd, held within ±`clip`.
pub fn rolling_z(values: &[f64], window: usize, min: usize, clip: f64) -> Vec<Option<f64>> {
    rolling_z_after(values, window, min, clip, 0)
}

/// [`rolling_z`] without an answer for the first `skip` values, for the work of the others alone.
///
/// Shape: one per input, `None` for those skipped; the others are the same to the last bit.
pub fn rolling_z_after(
    values: &[f64],
    window: usize,
    min: usize,
    clip: f64,
    skip: usize,
) -> Vec<Option<f64>> {
    let window = window.max(1);
    // Whole blocks are left out, so that the rest falls into the same blocks as ever.
    let begin = (skip + 1).saturating_sub(window) / window * window;
    let rest = values.get(begin..).unwrap_or_default();
    let z = |(moments, &value): (Moments, &f64)| {
        (moments.count() >= min)
            .then(|| moments.z(value))
            .flatten()
            .map(|z| z.max(-clip).min(clip))
    };
    let skipped = skip.min(values.len());
    let asked = rolling_moments(rest, window).into_iter().zip(rest);
    std::iter::repeat_n(None, skipped)
        .chain(asked.skip(skipped.saturating_sub(begin)).map(z))
        .collect()
}
