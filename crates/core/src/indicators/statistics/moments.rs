//! Count, mean and spread of a sample.

/// A count as a number for arithmetic.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of observations are far below 2^53"
)]
pub fn count(n: usize) -> f64 {
    n as f64
}

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
        // The division waits for nothing, which the next mean would have to wait for.
        self.mean += gap * (1.0 / count(self.count));
        self.squares += gap * (value - self.mean);
    }

    /// The moments of both samples together (Chan, Golub and LeVeque 1979).
    pub fn join(self, other: Self) -> Self {
        match (self.count, other.count) {
            (0, _) => return other,
            (_, 0) => return self,
            (_, _) => {}
        }
        let gap = other.mean - self.mean;
        let step = gap * (count(other.count) / count(self.count + other.count));
        Self {
            count: self.count + other.count,
            mean: self.mean + step,
            squares: self.squares + other.squares + gap * step * count(self.count),
        }
    }

    /// How many standard deviations `value` lies from the mean; `None` when the sample does not vary.
    pub fn z(&self, value: f64) -> Option<f64> {
        // A window of equal values keeps a dust of rounding that must not count as spread.
        let dust = 1e-14 * self.mean.abs();
        let sd = self.sd().filter(|sd| *sd > dust)?;
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

/// Mean, spread and range of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
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

/// Arithmetic mean; `None` for an empty sample.
pub fn mean(values: &[f64]) -> Option<f64> {
    average(values.iter().copied())
}

/// Arithmetic mean of values one after the other; `None` where there are none.
pub fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let all: Moments = values.collect();
    (all.count > 0).then_some(all.mean)
}
