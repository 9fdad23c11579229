//! Statistics that several indicators share: distribution functions, ranks, rolling moments, intervals.
//!
//! Everything takes finite values in plain slices (gaps are absent, never zero) and answers `None` where
//! a number would have no meaning: too few values, no spread. Sources are named at each function.

mod correlation;
mod fit;
mod forecasts;
mod intervals;
mod moments;
mod ranks;
mod rolling;

pub use correlation::correlation;
pub use fit::{dot, least_squares, probit};
pub use forecasts::{Bin, Said, auc, block_draws, brier, calibration, diebold_mariano};
pub use intervals::{Z_90, normal_cdf, welch_t, wilson};
pub use moments::{Moments, Sample, average, count, mean, summary};
pub use ranks::{expanding_ecdf, percentile_rank, quantile};
pub use rolling::{rolling_moments, rolling_sums, rolling_z};

#[cfg(test)]
mod tests;
