//! Figures with their unit, and the removal of rounding noise.

use super::unit::Unit;
use crate::indicators::transform::Units;
use crate::model::series_info::round_to;
use crate::model::{Observation, Series};
use std::sync::Arc;

/// Figures with their unit. The series' description is that of the first name in the formula, at the
/// frequency and with the decimals of the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Figures.
    pub series: Arc<Series>,
    /// Their unit.
    pub unit: Unit,
}

impl Column {
    /// Takes a series as it is published.
    pub fn new(series: Arc<Series>) -> Self {
        let unit = Unit::from_series(&series.info);
        Self { series, unit }
    }

    /// Computes each figure anew; those without a result are left out.
    pub(super) fn map(&self, f: impl Fn(f64) -> Option<f64>) -> Self {
        let rows = self.series.observations.iter();
        let mapped = rows.filter_map(|o| Some(Observation::new(o.date, f(o.value)?)));
        self.with_rows(mapped.collect())
    }

    /// Returns a column of other rows in its unit.
    pub(super) fn with_rows(&self, rows: Vec<Observation>) -> Self {
        Self {
            series: Arc::new(Series::new(Arc::clone(&self.series.info), rows)),
            unit: self.unit.clone(),
        }
    }

    pub(super) fn with_unit(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    /// Rounds one of its figures for display: to five significant figures, and never to fewer decimals than the source
    /// publishes (up to three).
    pub fn round(&self, value: f64) -> f64 {
        let mut size = value.abs();
        let mut significant = 0;
        while size > 0.0 && size < 10_000.0 && significant < 20 {
            size *= 10.0;
            significant += 1;
        }
        let published = i32::from(self.series.info.decimals.min(3));
        round_to(value, published.max(significant))
    }

    /// Returns the size of the largest figure.
    pub(super) fn largest(&self) -> f64 {
        let sizes = self.series.observations.iter().map(|o| o.value.abs());
        sizes.fold(0.0, f64::max)
    }

    /// Applies one of FRED's transformations, with the unit that follows.
    pub fn transform(self, units: Units) -> Self {
        if units == Units::Level {
            return self;
        }
        let mut info = (*self.series.info).clone();
        let is_difference = units.is_in_own_unit();
        let (unit, decimals) = match (is_difference, units == Units::Log) {
            (true, _) => (self.unit.difference(), info.decimals),
            (_, true) => (Unit::new("log"), 4),
            (_, _) => (Unit::new("%"), 2),
        };
        info.decimals = decimals;
        let largest = if is_difference { self.largest() } else { 0.0 };
        let noise = Noise::of_sums(largest);
        let mut rows = units.apply(&self.series);
        rows.iter_mut()
            .for_each(|o| o.value = noise.remove(o.value));
        Self {
            series: Arc::new(Series::new(Arc::new(info), rows)),
            unit,
        }
    }
}

/// The rounding noise of binary arithmetic: 4.2 - 4.1 is 0.10000000000000053, which would not tie with 0.1 and would
/// differ from it by more than zero.
#[derive(Debug, Clone, Copy)]
pub(super) struct Noise {
    decimals: i32,
}

impl Noise {
    /// Noise of sums and differences of figures up to a size: 1e-9, or the fourteenth digit of larger ones.
    pub(super) fn of_sums(largest: f64) -> Self {
        let mut decimals = 9;
        let mut size = largest;
        while size >= 1e5 && decimals > 0 {
            size /= 10.0;
            decimals -= 1;
        }
        Self { decimals }
    }

    /// Noise of products, quotients and powers up to a size: small ones keep their fourteen digits.
    pub(super) fn of_products(largest: f64) -> Self {
        let mut decimals = Self::of_sums(largest).decimals;
        let mut size = largest;
        while size > 0.0 && size < 1e3 && decimals < 20 {
            size *= 10.0;
            decimals += 1;
        }
        Self {
            decimals: decimals.max(9),
        }
    }

    /// Returns a figure without the noise.
    pub(super) fn remove(self, value: f64) -> f64 {
        round_to(value, self.decimals)
    }
}
