//! Statistics that several indicators share: distribution functions, ranks, rolling moments, intervals.
//!
//! Everything takes finite values in plain slices (gaps are absent, never zero) and answers `None` where
//! a number would have no meaning: too few values, no spread. Sources are named at each function.

pub mod ranks;
pub mod rolling;

pub use ranks::{ExpandingRank, expanding_ecdf, expanding_ecdf_after, percentile_rank};
pub use rolling::{Moments, rolling_moments, rolling_z, rolling_z_after};

/// Two-sided 90 % quantile of the standard normal distribution.
pub const Z_90: f64 = 1.644_853_626_951_472_7;

/// Standard normal distribution function Φ(x), accurate to a few units in the last place.
///
/// Formula: ½·erfc(−x/√2), which keeps full relative precision in the lower tail.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// A count as a number for arithmetic.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of observations are far below 2^53"
)]
pub fn count(n: usize) -> f64 {
    n as f64
}

/// Mean, spread and range of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// How many values.
    pub count: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation (n − 1); `None` for a single value.
    pub sd: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
}

/// Mean, spread and range; `None` for an empty sample.
pub fn summary(values: &[f64]) -> Option<Summary> {
    let first = *values.first()?;
    let moments: Moments = values.iter().copied().collect();
    let (min, max) = values
        .iter()
        .fold((first, first), |(lo, hi), &v| (lo.min(v), hi.max(v)));
    Some(Summary {
        count: values.len(),
        mean: moments.mean(),
        sd: moments.sd(),
        min,
        max,
    })
}

/// Arithmetic mean; `None` for an empty sample.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().copied().collect::<Moments>().mean())
}

/// The value below which the share `p` of the sample lies; `None` when empty or `p` is outside 0-1.
///
/// Formula: linear interpolation between order statistics (Hyndman and Fan 1996, type 7, the default of R).
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&p) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let position = p * count(sorted.len().checked_sub(1)?);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "0 <= position <= len - 1"
    )]
    let below = position.floor() as usize;
    let low = *sorted.get(below)?;
    let high = sorted.get(below + 1).copied().unwrap_or(low);
    Some(low + (position - count(below)) * (high - low))
}

/// Pearson correlation of pairs; `None` under three pairs or when one side does not vary.
pub fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let mean_x = mean(&pairs.iter().map(|p| p.0).collect::<Vec<_>>())?;
    let mean_y = mean(&pairs.iter().map(|p| p.1).collect::<Vec<_>>())?;
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        let (dx, dy) = (x - mean_x, y - mean_y);
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    (pairs.len() >= 3 && xx > 0.0 && yy > 0.0).then(|| (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0))
}

/// Confidence interval of a share, as fractions: low, then high.
///
/// `None` when `n` is not positive or the share is outside 0-1.
/// `n` may be fractional: overlapping windows count as their number divided by the window length.
/// Formula: Wilson (1927) score interval with normal quantile `z` ([`Z_90`] for 90 %).
pub fn wilson(share: f64, n: f64, z: f64) -> Option<(f64, f64)> {
    if n <= 0.0 || !n.is_finite() || !(0.0..=1.0).contains(&share) {
        return None;
    }
    let z2 = z * z;
    let centre = share + z2 / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    Some((
        ((centre - half) / scale).max(0.0),
        ((centre + half) / scale).min(1.0),
    ))
}

/// t statistic of the difference of two means with unequal variances, first minus second (Welch 1947).
///
/// `None` when a side has under two values or neither varies.
pub fn welch_t(first: &[f64], second: &[f64]) -> Option<f64> {
    let (a, b): (Moments, Moments) = (
        first.iter().copied().collect(),
        second.iter().copied().collect(),
    );
    let error = (a.variance()? / count(a.count()) + b.variance()? / count(b.count())).sqrt();
    (error > 0.0).then(|| (a.mean() - b.mean()) / error)
}

#[cfg(test)]
mod tests;
