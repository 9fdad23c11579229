//! Figures with their unit, and the noise of arithmetic taken off them.

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
    /// A series as it is published.
    pub fn of(series: Arc<Series>) -> Self {
        let unit = Unit::of(&series.info);
        Self { series, unit }
    }

    /// What becomes of each figure; those that come to nothing are left out.
    pub(super) fn each(self, f: impl Fn(f64) -> Option<f64>) -> Self {
        let mut rows = Vec::with_capacity(self.series.observations.len());
        for o in &self.series.observations {
            rows.extend(f(o.value).map(|v| Observation::new(o.date, v)));
        }
        self.with(rows)
    }

    pub(super) fn with(self, rows: Vec<Observation>) -> Self {
        Self {
            series: Arc::new(Series::new(Arc::clone(&self.series.info), rows)),
            unit: self.unit,
        }
    }

    /// A figure of it as it is shown: five significant figures, and never fewer decimals than the source publishes (up
    /// to three).
    pub fn rounded(&self, value: f64) -> f64 {
        let mut size = value.abs();
        let mut significant = 0;
        while size > 0.0 && size < 10_000.0 && significant < 20 {
            size *= 10.0;
            significant += 1;
        }
        let own = i32::from(self.series.info.decimals.min(3));
        round_to(value, own.max(significant))
    }

    pub(super) fn named(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    /// The size of the largest figure.
    pub(super) fn largest(&self) -> f64 {
        let sizes = self.series.observations.iter().map(|o| o.value.abs());
        sizes.fold(0.0, f64::max)
    }

    /// The column transformed by one of FRED's codes, with the unit that follows.
    pub fn transformed(self, units: Units) -> Self {
        if units == Units::Level {
            return self;
        }
        let mut info = (*self.series.info).clone();
        let is_own = units.is_in_own_unit();
        let (unit, decimals) = match (is_own, units == Units::Log) {
            (true, _) => (self.unit.difference(), info.decimals),
            (_, true) => (Unit::new("log"), 4),
            (_, _) => (Unit::new("%"), 2),
        };
        info.decimals = decimals;
        let mut rows = units.apply(&self.series);
        let noise = Noise::beside(if is_own { self.largest() } else { 0.0 });
        rows.iter_mut().for_each(|o| o.value = noise.off(o.value));
        Self {
            series: Arc::new(Series::new(Arc::new(info), rows)),
            unit,
        }
    }
}

/// What arithmetic on binary fractions leaves behind the digits that count: 4.2 - 4.1 is 0.10000000000000053, which is
/// no tie with 0.1 and no zero less 0.1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Noise {
    decimals: i32,
}

impl Noise {
    /// Of sums and differences of figures up to a size: 1e-9, or the fourteenth digit of larger ones.
    pub(super) fn beside(largest: f64) -> Self {
        let mut decimals = 9;
        let mut size = largest;
        while size >= 1e5 && decimals > 0 {
            size /= 10.0;
            decimals -= 1;
        }
        Self { decimals }
    }

    /// Of products, quotients and powers up to a size: small ones keep their fourteen digits.
    pub(super) fn among(largest: f64) -> Self {
        let mut decimals = Self::beside(largest).decimals;
        let mut size = largest;
        while size > 0.0 && size < 1e3 && decimals < 20 {
            size *= 10.0;
            decimals += 1;
        }
        let decimals = decimals.max(9);
        Self { decimals }
    }

    /// A figure without it.
    pub(super) fn off(self, value: f64) -> f64 {
        round_to(value, self.decimals)
    }
}
