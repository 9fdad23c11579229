//! Statistics that several indicators share: distribution functions, ranks, rolling moments, intervals.
//!
//! All functions take finite values in plain slices (gaps are absent, never zero) and return `None` where
//! a number would have no meaning: too few values, no variation. Sources are named at each function.

mod correlation;
mod fit;
mod forecasts;
mod intervals;
mod ranks;
mod rolling;

pub use correlation::correlation;
pub use fit::{dot, least_squares, probit};
pub use forecasts::{
    Bin, DieboldMariano, ProbabilityForecast, auc, block_draws, brier, calibration, diebold_mariano,
};
pub use intervals::{Z_90, normal_cdf, student_t_p, welch_t, wilson};
pub use ranks::{expanding_ecdf, percentile_rank, quantile};
pub use rolling::{rolling_moments, rolling_sums, rolling_z};

/// Converts a count to a floating-point number.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of observations are far below 2^53"
)]
pub fn count(n: usize) -> f64 {
    n as f64
}

/// Count, mean and sum of squared deviations of a sample, updated one value at a time (Welford 1962).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    count: usize,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Number of values.
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
        let deviation = value - self.mean;
        // The reciprocal does not depend on the mean before, so that divisions can overlap.
        self.mean += deviation * (1.0 / count(self.count));
        self.squares += deviation * (value - self.mean);
    }

    /// Returns the moments of both samples together (Chan, Golub and LeVeque 1979).
    pub fn join(self, other: Self) -> Self {
        match (self.count, other.count) {
            (0, _) => return other,
            (_, 0) => return self,
            (_, _) => {}
        }
        let difference = other.mean - self.mean;
        let step = difference * (count(other.count) / count(self.count + other.count));
        Self {
            count: self.count + other.count,
            mean: self.mean + step,
            squares: self.squares + other.squares + difference * step * count(self.count),
        }
    }

    /// Returns the distance of `value` from the mean in standard deviations; `None` when the sample does not vary.
    pub fn z(&self, value: f64) -> Option<f64> {
        // The rounding noise of a window of equal values must not count as variation.
        let noise = 1e-14 * self.mean.abs();
        let sd = self.sd().filter(|sd| *sd > noise)?;
        Some((value - self.mean) / sd)
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(iter: I) -> Self {
        let mut moments = Self::default();
        iter.into_iter().for_each(|v| moments.push(v));
        moments
    }
}

/// Mean, standard deviation and range of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Number of values.
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

/// Returns mean, standard deviation and range; `None` for an empty sample.
pub fn summary(values: &[f64]) -> Option<Sample> {
    let moments: Moments = values.iter().copied().collect();
    Some(Sample {
        count: values.len(),
        mean: moments.mean(),
        sd: moments.sd(),
        min: values.iter().copied().reduce(f64::min)?,
        max: values.iter().copied().reduce(f64::max)?,
    })
}

/// Returns the arithmetic mean of a slice; `None` for an empty sample.
pub fn mean(values: &[f64]) -> Option<f64> {
    average(values.iter().copied())
}

/// Returns the arithmetic mean of an iterator; `None` for an empty sample.
pub fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let moments: Moments = values.collect();
    (moments.count > 0).then_some(moments.mean)
}

#[cfg(test)]
mod tests;
