//! The normal distribution, and the uncertainty of a share and of a difference of means.

use super::{Moments, count};

/// Two-sided 90 % quantile of the standard normal distribution.
pub const Z_90: f64 = 1.644_853_626_951_472_7;

/// Returns the standard normal distribution function Φ(x), accurate to a few units in the last place.
///
/// Formula: ½·erfc(−x/√2), which keeps full relative precision in the lower tail.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

/// Returns the two-sided p-value of Student's t with some degrees of freedom, at least one.
///
/// Formula: the finite series for whole degrees of freedom (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4).
pub fn student_t_p(t: f64, degrees: usize) -> f64 {
    let angle = (t.abs() / count(degrees).sqrt()).atan();
    let is_odd = degrees % 2 == 1;
    let mut term = if is_odd { angle.cos() } else { 1.0 };
    let mut sum = 0.0;
    for power in (degrees % 2..degrees.saturating_sub(1)).step_by(2) {
        sum += term;
        term *= count(power + 1) / count(power + 2) * angle.cos().powi(2);
    }
    let inside = if is_odd {
        (angle + angle.sin() * sum) * std::f64::consts::FRAC_2_PI
    } else {
        angle.sin() * sum
    };
    (1.0 - inside).clamp(0.0, 1.0)
}

/// Returns the confidence interval of a share, as fractions: low, then high.
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
    let low = (centre - half) / scale;
    let high = (centre + half) / scale;
    Some((low.max(0.0), high.min(1.0)))
}

/// Returns the t statistic of the difference of two means with unequal variances, first minus second (Welch 1947).
///
/// `None` when a side has under two values or neither varies.
pub fn welch_t(first: &[f64], second: &[f64]) -> Option<f64> {
    let a: Moments = first.iter().copied().collect();
    let b: Moments = second.iter().copied().collect();
    let error = (a.variance()? / count(a.count()) + b.variance()? / count(b.count())).sqrt();
    (error > 0.0).then(|| (a.mean() - b.mean()) / error)
}
