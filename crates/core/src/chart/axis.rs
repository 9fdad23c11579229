//! Axes: round steps for values, calendar steps for time.

use crate::format::{number, short_day};
use crate::model::frequency::day_number;
use crate::model::{Date, Frequency};

/// Steps are counted up to here; what is larger lies at the edge.
const FARTHEST: f64 = 1e300;
/// Numbers that differ by less, as a share, are one level.
const ALIKE: f64 = 1e-12;
/// Powers of ten under which a logarithmic axis has the round marks of any other, and over which it has only powers.
const SHORT_DECADES: f64 = 0.9;
const MANY_DECADES: f64 = 3.5;

/// Values from `low` to `high` with marks at round steps.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Values {
    /// Lower end, a mark.
    pub(super) low: f64,
    /// Upper end, a mark.
    pub(super) high: f64,
    /// Marks, ascending.
    pub(super) marks: Vec<f64>,
    /// Decimals that tell the marks apart.
    pub(super) decimals: usize,
    /// Whether equal distances are equal ratios.
    is_log: bool,
}

impl Values {
    /// Round marks around the values, about `wanted` of them.
    /// Zero belongs to the axis when the smallest value is under a third of the largest.
    pub(super) fn around(least: f64, most: f64, wanted: f64) -> Self {
        let (mut least, mut most) = (
            least.clamp(-FARTHEST, FARTHEST),
            most.clamp(-FARTHEST, FARTHEST),
        );
        if least > 0.0 && least < most / 3.0 {
            least = 0.0;
        }
        if most < 0.0 && most > least / 3.0 {
            most = 0.0;
        }
        if most - least < ALIKE * least.abs().max(most.abs()).max(1.0) {
            let room = (most.abs() * 0.05).max(0.5);
            (least, most) = (least - room, most + room);
        }
        let step = round_step((most - least) / wanted);
        let (first, last) = ((least / step).floor(), (most / step).ceil());
        let mut marks = Vec::new();
        let mut mark = first;
        // A step of at least a tenth of the range: never more than a dozen marks.
        while mark <= last + 0.5 && marks.len() < 24 {
            marks.push(mark * step + 0.0);
            mark += 1.0;
        }
        let magnitude = -step.log10().floor();
        let decimals = usize::from(decimals(step));
        // 2.5 and 0.25 need one place more than their size says.
        let odd = ((step * 10f64.powf(magnitude)).fract() - 0.5).abs() < 1e-6;
        Self {
            low: first * step,
            high: last * step,
            marks,
            decimals: if odd { decimals + 1 } else { decimals },
            is_log: false,
        }
    }

    /// A logarithmic axis around positive values: round marks over a short range, else 1, 2 and 5 times powers of ten, or
    /// the powers alone.
    pub(super) fn logarithmic(least: f64, most: f64, wanted: f64) -> Self {
        let (least, most) = (least.clamp(1.0 / FARTHEST, FARTHEST), most.min(FARTHEST));
        // The quotient of two numbers may be larger than any number.
        let decades = most.log10() - least.log10();
        if decades < SHORT_DECADES {
            let linear = Self::around(least, most, wanted);
            let is_below = |mark: &f64| *mark > 0.0;
            let marks: Vec<f64> = linear.marks.into_iter().filter(is_below).collect();
            return Self {
                low: marks.first().map_or(least, |first| first.min(least)),
                marks,
                is_log: true,
                ..linear
            };
        }
        let leads: &[f64] = if decades > MANY_DECADES {
            &[1.0]
        } else {
            &[1.0, 2.0, 5.0]
        };
        // A dozen powers at most.
        let apart = (decades / 12.0).ceil().max(1.0);
        let mut power = least.log10().floor();
        let mut all = Vec::new();
        while power <= most.log10().ceil() && all.len() < 64 {
            all.extend(leads.iter().map(|lead| lead * 10f64.powf(power)));
            power += apart;
        }
        let low = all
            .iter()
            .rfind(|mark| **mark <= least * (1.0 + ALIKE))
            .copied();
        let high = all
            .iter()
            .find(|mark| **mark >= most * (1.0 - ALIKE))
            .copied();
        let (low, high) = (low.unwrap_or(least), high.unwrap_or(most));
        all.retain(|mark| (low..=high).contains(mark));
        Self {
            low,
            high,
            decimals: usize::from(decimals(all.first().copied().unwrap_or(1.0))),
            marks: all,
            is_log: true,
        }
    }

    /// The marks with their figures.
    pub(super) fn levels(&self) -> impl Iterator<Item = (f64, String)> {
        // From a tenth to a thousand each mark has the decimals of its own size.
        let is_wide = self.is_log && self.low * 10f64.powf(SHORT_DECADES) <= self.high;
        let decimals = move |mark: f64| match is_wide {
            true => usize::from(decimals(mark)),
            false => self.decimals,
        };
        let marks = self.marks.iter();
        marks.map(move |mark| (*mark, number(*mark, decimals(*mark))))
    }

    /// Where a value lies, 0 at the lower and 1 at the upper end.
    pub(super) fn share(&self, value: f64) -> f64 {
        if self.is_log {
            let value = value.max(f64::MIN_POSITIVE);
            let from_low = |value: f64| value.ln() - self.low.ln();
            let (height, span) = (from_low(value), from_low(self.high));
            return if span > 0.0 { height / span } else { 0.5 };
        }
        // Halves, since the distance of two numbers may be larger than any number.
        let span = self.high * 0.5 - self.low * 0.5;
        if span > 0.0 {
            (value * 0.5 - self.low * 0.5) / span
        } else {
            0.5
        }
    }
}

/// Decimals that a step or a mark of one digit needs, six at most.
fn decimals(step: f64) -> u8 {
    let magnitude = -step.log10().floor();
    let tells_apart = |decimals: &u8| f64::from(*decimals) >= magnitude;
    (0..6).find(tells_apart).unwrap_or(6)
}

/// The next of 1, 2, 2.5, 5 times a power of ten.
fn round_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.log10().floor());
    let lead = raw / power;
    let round = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .find(|r| lead <= r + 1e-9)
        .unwrap_or(10.0);
    round * power
}

/// Days from `first` to `last` with marks at calendar steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Days {
    first: Date,
    last: Date,
}

impl Days {
    pub(super) fn new(first: Date, last: Date) -> Self {
        Self { first, last }
    }

    /// Where a day lies, 0 at the first and 1 at the last; beyond them it is cut.
    pub(super) fn share(self, day: Date) -> f64 {
        let from = f64::from(day_number(self.first));
        let length = f64::from(day_number(self.last)) - from;
        if length <= 0.0 {
            return 0.5;
        }
        ((f64::from(day_number(day)) - from) / length).clamp(0.0, 1.0)
    }

    /// Marks at years, quarters or months, at most `most`, with their labels.
    pub(super) fn marks(self, most: i32) -> Vec<(Date, String)> {
        let [from, to] = [self.first, self.last].map(|d| Frequency::Monthly.period_number(d));
        let steps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600];
        let mut fitting = steps.into_iter().filter(|s| (to - from) / s < most);
        let step = fitting.next().unwrap_or(600);
        let mut month = (from + step - 1).div_euclid(step) * step;
        let mut marks = Vec::new();
        while month <= to {
            let year = i16::try_from(month.div_euclid(12)).unwrap_or(i16::MAX);
            let of_year = i8::try_from(month.rem_euclid(12) + 1).unwrap_or(1);
            if let Ok(day) = Date::new(year, of_year, 1)
                && day >= self.first
            {
                let form = if step >= 12 { "%Y" } else { "%b %Y" };
                marks.push((day, day.strftime(form).to_string()));
            }
            month += step;
        }
        if marks.is_empty() {
            marks.push((self.first, short_day(self.first)));
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn marks_are_round_and_hold_the_values() {
        let axis = Values::around(3.52, 4.98, 5.0);
        assert_eq!((axis.low, axis.high, axis.decimals), (3.5, 5.0, 1));
        let axis = Values::around(-0.3, 1.2, 5.0);
        assert!(axis.marks.contains(&0.0), "{axis:?}");
        assert!(Values::around(5.0, 5.0, 5.0).marks.len() >= 2);
        assert_eq!(Values::around(1.0, 80.0, 5.0).low, 0.0);
        let axis = Values::around(4.01, 4.95, 4.0);
        assert_eq!(
            (axis.low, axis.high, axis.decimals),
            (4.0, 5.0, 2),
            "{axis:?}"
        );
    }

    #[test]
    fn a_logarithmic_axis_has_ordinary_figures_at_equal_ratios() {
        let labels = |axis: &Values| axis.levels().map(|(_, text)| text).collect::<Vec<_>>();
        let wide = Values::logarithmic(0.05, 24.0, 5.0);
        let told = ["0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10", "20", "50"];
        assert_eq!(labels(&wide), told);
        let ratio = |a: f64, b: f64| wide.share(b) - wide.share(a);
        assert!((ratio(0.1, 1.0) - ratio(1.0, 10.0)).abs() < 1e-12);
        assert_eq!((wide.share(wide.low), wide.share(wide.high)), (0.0, 1.0));
        let short = Values::logarithmic(201.0, 330.0, 5.0);
        assert_eq!(labels(&short), ["200", "250", "300", "350"]);
        assert!(short.share(250.0) > 0.39 && short.share(250.0) < 0.41);
        for (least, most) in [(1e-300, 1e300), (3.0, 3.0), (1.0, 7.9), (5e-324, 1.0)] {
            let axis = Values::logarithmic(least, most, 5.0);
            assert!(axis.low > 0.0 && axis.marks.len() < 26, "{axis:?}");
            assert!(axis.share(most).is_finite(), "{axis:?}");
        }
    }

    #[test]
    fn time_is_marked_by_the_calendar() {
        let years = Days::new(date(2016, 8, 1), date(2026, 8, 20)).marks(6);
        let labels: Vec<&str> = years.iter().map(|(_, l)| l.as_str()).collect();
        assert_eq!(labels, ["2018", "2020", "2022", "2024", "2026"]);
        let months = Days::new(date(2025, 8, 20), date(2026, 8, 20)).marks(6);
        assert!(months.iter().any(|(_, l)| l == "Jan 2026"), "{months:?}");
        assert!(months.len() <= 6);
        assert_eq!(
            Days::new(date(2026, 8, 20), date(2026, 8, 20))
                .marks(5)
                .len(),
            1
        );
    }
}
