//! Axes: round ticks for values, calendar ticks for time.

use crate::format::{number, short_day};
use crate::indicators::months::Month;
use crate::model::frequency::day_number;
use crate::model::{Date, Frequency};

/// Larger values are drawn at the end of the axis.
const MAX_VALUE: f64 = 1e300;
/// Relative difference below which two values are equal.
const TOLERANCE: f64 = 1e-12;
/// Powers of ten below which a logarithmic axis has the ticks of a linear one.
const MIN_DECADES: f64 = 0.9;
/// Powers of ten above which a logarithmic axis has ticks at powers of ten only.
const MAX_DECADES: f64 = 3.5;

/// A linear or logarithmic axis of values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ValueAxis {
    /// Lower end, a tick.
    pub(super) low: f64,
    /// Upper end, a tick.
    pub(super) high: f64,
    /// Ascending.
    pub(super) ticks: Vec<f64>,
    /// Decimals that distinguish the ticks.
    pub(super) decimals: usize,
    is_log: bool,
}

impl ValueAxis {
    /// Creates a linear axis with about `count` round ticks around the values from `min` to `max`.
    /// It begins at zero when the smallest value is under a third of the largest.
    pub(super) fn linear(min: f64, max: f64, count: f64) -> Self {
        let clamp = |value: f64| value.clamp(-MAX_VALUE, MAX_VALUE);
        let mut min = clamp(min);
        let mut max = clamp(max);
        if min > 0.0 && min < max / 3.0 {
            min = 0.0;
        }
        if max < 0.0 && max > min / 3.0 {
            max = 0.0;
        }
        if max - min < TOLERANCE * min.abs().max(max.abs()).max(1.0) {
            let margin = (max.abs() * 0.05).max(0.5);
            (min, max) = (min - margin, max + margin);
        }
        let step = round_step((max - min) / count);
        let first = (min / step).floor();
        let last = (max / step).ceil();
        // The step is at least a tenth of the range, so there are a dozen ticks at most; 24 bounds rounding errors.
        let multiples = std::iter::successors(Some(first), |multiple| Some(multiple + 1.0))
            .take_while(|multiple| *multiple <= last + 0.5)
            .take(24);
        let magnitude = -step.log10().floor();
        // 2.5 and 0.25 need one decimal more than their magnitude.
        let is_half = ((step * 10f64.powf(magnitude)).fract() - 0.5).abs() < 1e-6;
        Self {
            low: first * step,
            high: last * step,
            // Adding zero turns -0 into 0.
            ticks: multiples.map(|n| n * step + 0.0).collect(),
            decimals: usize::from(decimals(step)) + usize::from(is_half),
            is_log: false,
        }
    }

    /// Creates a logarithmic axis around positive values: round ticks over a short range, else 1, 2 and 5 times powers of
    /// ten, or the powers alone.
    pub(super) fn logarithmic(lowest: f64, highest: f64, count: f64) -> Self {
        let min = lowest.clamp(1.0 / MAX_VALUE, MAX_VALUE);
        let max = highest.min(MAX_VALUE);
        // The quotient of two numbers can overflow; the difference of their logarithms cannot.
        let decades = max.log10() - min.log10();
        if decades < MIN_DECADES {
            let mut axis = Self::linear(min, max, count);
            axis.ticks.retain(|tick| *tick > 0.0);
            return Self {
                low: axis.ticks.first().map_or(min, |first| first.min(min)),
                is_log: true,
                ..axis
            };
        }
        let multiples: &[f64] = if decades > MAX_DECADES {
            &[1.0]
        } else {
            &[1.0, 2.0, 5.0]
        };
        // At most a dozen powers.
        let step = (decades / 12.0).ceil().max(1.0);
        let mut power = min.log10().floor();
        let mut ticks = Vec::new();
        while power <= max.log10().ceil() && ticks.len() < 64 {
            ticks.extend(multiples.iter().map(|n| n * 10f64.powf(power)));
            power += step;
        }
        let is_low = |tick: &&f64| **tick <= min * (1.0 + TOLERANCE);
        let is_high = |tick: &&f64| **tick >= max * (1.0 - TOLERANCE);
        let low = *ticks.iter().rfind(is_low).unwrap_or(&min);
        let high = *ticks.iter().find(is_high).unwrap_or(&max);
        ticks.retain(|tick| (low..=high).contains(tick));
        Self {
            low,
            high,
            decimals: usize::from(decimals(ticks.first().copied().unwrap_or(1.0))),
            ticks,
            is_log: true,
        }
    }

    /// Iterates over the ticks with their labels.
    pub(super) fn labels(&self) -> impl Iterator<Item = (f64, String)> {
        // On an axis over several powers of ten each tick has the decimals of its own size.
        let is_wide = self.is_log && self.low * 10f64.powf(MIN_DECADES) <= self.high;
        self.ticks.iter().map(move |tick| {
            let own = usize::from(decimals(*tick));
            let decimals = if is_wide { own } else { self.decimals };
            (*tick, number(*tick, decimals))
        })
    }

    /// Returns the position of a value, from 0 at the lower to 1 at the upper end.
    pub(super) fn position(&self, value: f64) -> f64 {
        let [low, high, value] = if self.is_log {
            [self.low, self.high, value.max(f64::MIN_POSITIVE)].map(f64::ln)
        } else {
            // Halves, because the distance of two numbers can overflow.
            [self.low, self.high, value].map(|v| v * 0.5)
        };
        if high > low {
            (value - low) / (high - low)
        } else {
            0.5
        }
    }
}

/// Returns the decimals of a step or of a tick of one digit, at most six.
fn decimals(step: f64) -> u8 {
    let magnitude = -step.log10().floor();
    let is_enough = |decimals: &u8| f64::from(*decimals) >= magnitude;
    (0..6).find(is_enough).unwrap_or(6)
}

/// Rounds up to 1, 2, 2.5 or 5 times a power of ten.
fn round_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.log10().floor());
    let mut steps = [1.0, 2.0, 2.5, 5.0].into_iter();
    steps.find(|r| raw / power <= r + 1e-9).unwrap_or(10.0) * power
}

/// An axis of days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeAxis {
    pub(super) first: Date,
    pub(super) last: Date,
}

impl TimeAxis {
    /// Returns the position of a day, from 0 at the first to 1 at the last day; days outside are clamped.
    pub(super) fn position(self, day: Date) -> f64 {
        let [first, last, day] = [self.first, self.last, day].map(|d| f64::from(day_number(d)));
        if last <= first {
            return 0.5;
        }
        ((day - first) / (last - first)).clamp(0.0, 1.0)
    }

    /// Returns at most `max` ticks at years, quarters or months, with their labels.
    pub(super) fn labels(self, max: i32) -> Vec<(Date, String)> {
        let [from, to] = [self.first, self.last].map(|d| Frequency::Monthly.period_number(d));
        let mut steps = [1, 2, 3, 6, 12, 24, 60, 120, 240].into_iter();
        let step = steps.find(|s| (to - from) / s < max).unwrap_or(600);
        let format = if step >= 12 { "%Y" } else { "%b %Y" };
        let first = (from + step - 1).div_euclid(step) * step;
        let months = (0..)
            .map(|n| first + n * step)
            .take_while(|month| *month <= to);
        let days = months.map(|month| Month::new(0, month + 1).first_day());
        let mut labels: Vec<(Date, String)> = days
            .filter(|day| *day >= self.first)
            .map(|day| (day, day.strftime(format).to_string()))
            .collect();
        if labels.is_empty() {
            labels.push((self.first, short_day(self.first)));
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn ticks_are_round_and_enclose_the_values() {
        let axis = ValueAxis::linear(3.52, 4.98, 5.0);
        assert_eq!((axis.low, axis.high, axis.decimals), (3.5, 5.0, 1));
        let axis = ValueAxis::linear(-0.3, 1.2, 5.0);
        assert!(axis.ticks.contains(&0.0), "{axis:?}");
        assert!(ValueAxis::linear(5.0, 5.0, 5.0).ticks.len() >= 2);
        assert_eq!(ValueAxis::linear(1.0, 80.0, 5.0).low, 0.0);
        let axis = ValueAxis::linear(4.01, 4.95, 4.0);
        assert_eq!(
            (axis.low, axis.high, axis.decimals),
            (4.0, 5.0, 2),
            "{axis:?}"
        );
    }

    #[test]
    fn logarithmic_axis_has_round_ticks_at_equal_ratios() {
        let labels = |axis: &ValueAxis| axis.labels().map(|(_, text)| text).collect::<Vec<_>>();
        let wide = ValueAxis::logarithmic(0.05, 24.0, 5.0);
        let expected = ["0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50"];
        assert_eq!(labels(&wide), expected);
        let ratio = |a: f64, b: f64| wide.position(b) - wide.position(a);
        assert!((ratio(0.1, 1.0) - ratio(1.0, 10.0)).abs() < 1e-12);
        assert_eq!(
            (wide.position(wide.low), wide.position(wide.high)),
            (0.0, 1.0)
        );
        let short = ValueAxis::logarithmic(201.0, 330.0, 5.0);
        assert_eq!(labels(&short), ["200", "250", "300", "350"]);
        assert!(short.position(250.0) > 0.39 && short.position(250.0) < 0.41);
        for (min, max) in [(1e-300, 1e300), (3.0, 3.0), (1.0, 7.9), (5e-324, 1.0)] {
            let axis = ValueAxis::logarithmic(min, max, 5.0);
            assert!(axis.low > 0.0 && axis.ticks.len() < 26, "{axis:?}");
            assert!(axis.position(max).is_finite(), "{axis:?}");
        }
    }

    #[test]
    fn time_axis_has_ticks_at_calendar_steps() {
        let axis = |first| TimeAxis {
            first,
            last: date(2026, 8, 20),
        };
        let years = axis(date(2016, 8, 1)).labels(6);
        let labels: Vec<&str> = years.iter().map(|(_, l)| l.as_str()).collect();
        assert_eq!(labels, ["2018", "2020", "2022", "2024", "2026"]);
        let months = axis(date(2025, 8, 20)).labels(6);
        assert!(months.iter().any(|(_, l)| l == "Jan 2026"), "{months:?}");
        assert!(months.len() <= 6);
        assert_eq!(axis(date(2026, 8, 20)).labels(5).len(), 1);
    }
}
