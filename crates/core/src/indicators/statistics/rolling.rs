//! Sliding windows without loss of precision.
//!
//! Running sums that add the new and subtract the old value drift. Here nothing is subtracted: the
//! series is cut into blocks as long as the window, so that every window is the end of one block joined
//! to the beginning of the next, and both are built by adding alone. O(n), exact to rounding.

use super::Moments;

/// Aggregates the window that ends at each value and includes it.
///
/// Shape: one per input; the first `window − 1` hold fewer values. A window of 0 counts as 1.
fn sliding<T: Copy + Default>(
    values: &[f64],
    window: usize,
    add: impl Fn(T, f64) -> T,
    join: impl Fn(T, T) -> T,
) -> Vec<T> {
    let mut out = Vec::with_capacity(values.len());
    // Aggregates of the block before, from each position to its end.
    let mut ends: Vec<T> = Vec::new();
    for block in values.chunks(window.max(1)) {
        let mut start = T::default();
        for (i, &value) in block.iter().enumerate() {
            start = add(start, value);
            let end = ends.get(i + 1).copied().unwrap_or_default();
            out.push(join(end, start));
        }
        ends.clear();
        ends.extend(block.iter().rev().scan(T::default(), |sum, &value| {
            *sum = add(*sum, value);
            Some(*sum)
        }));
        ends.reverse();
    }
    out
}

/// Returns the moments of the window that ends at each value and includes it.
///
/// Shape: one per input; the first `window − 1` hold fewer values (see [`Moments::count`]).
pub fn rolling_moments(values: &[f64], window: usize) -> Vec<Moments> {
    let add = |mut moments: Moments, value| {
        moments.push(value);
        moments
    };
    sliding(values, window, add, Moments::join)
}

/// Returns the sum of every whole window, in order; empty while there are fewer values than a window holds.
///
/// Shape: one for each value that ends a window. A window of 0 counts as 1.
pub fn rolling_sums(values: &[f64], window: usize) -> Vec<f64> {
    let mut sums = sliding(values, window, |sum, value| sum + value, |a, b| a + b);
    sums.drain(..window.saturating_sub(1).min(values.len()));
    sums
}

/// Returns the distance of each value from its window's mean in standard deviations (docs/METHODS.md#scaling).
///
/// Shape: one per input; `None` while the window, which includes the value, holds under `min` values or does
/// not vary. Formula: (x − mean) / sample sd, limited to ±`clip`.
pub fn rolling_z(values: &[f64], window: usize, min: usize, clip: f64) -> Vec<Option<f64>> {
    let z = |(moments, value): (Moments, &f64)| {
        let z = (moments.count() >= min).then(|| moments.z(*value))?;
        z.map(|z| z.max(-clip).min(clip))
    };
    let windows = rolling_moments(values, window).into_iter();
    windows.zip(values).map(z).collect()
}
