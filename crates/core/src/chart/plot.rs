//! The plot: where points lie, the lines through them, the gaps between them.

use super::axis::{Days, Values};
use super::spec::{ChartSpec, GHOST, Line, Span};
use crate::model::frequency::day_number;
use crate::model::{Date, Frequency, Observation};

/// The area that the data fill, in units of the drawing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) days: Days,
    pub(super) values: Values,
    /// The axis of lines of a second unit.
    pub(super) right: Option<Values>,
}

/// Days, the left axis, and the right one where a line stands on it.
pub(super) type Axes = (Days, Values, Option<Values>);

/// Height of a plot from which on columns are wider than a unit.
const TALL: f64 = 450.0;

impl Plot {
    /// The axes of a chart's lines; `None` when there is no point.
    pub(super) fn axes(spec: &ChartSpec, factor: f64, wanted: f64) -> Option<Axes> {
        let (first, last) = spec.dates()?;
        let around = |is_right: bool, factor: f64| {
            let lines = || spec.lines.iter().filter(|l| l.is_right == is_right);
            let values = || lines().flat_map(|l| &l.points).map(|o| o.value * factor);
            let least = values().fold(f64::INFINITY, f64::min);
            let most = values().fold(f64::NEG_INFINITY, f64::max);
            (least <= most).then(|| match spec.is_log && least > 0.0 {
                true => Values::logarithmic(least, most, wanted),
                false => Values::around(least, most, wanted),
            })
        };
        let right = around(true, 1.0);
        let left = around(false, factor).or_else(|| right.clone())?;
        Some((Days::new(first, last), left, right))
    }

    pub(super) fn x(&self, day: Date) -> f64 {
        self.left + self.days.share(day) * self.width
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.level(&self.values, value)
    }

    /// Where a value lies on one of the axes.
    pub(super) fn level(&self, axis: &Values, value: f64) -> f64 {
        self.top + (1.0 - axis.share(value)) * self.height
    }

    /// Where a figure of a line lies; `factor` is that of the left axis.
    pub(super) fn place(&self, line: &Line, value: f64, factor: f64) -> f64 {
        match self.right.as_ref().filter(|_| line.is_right) {
            Some(right) => self.level(right, value),
            None => self.y(value * factor),
        }
    }

    /// The part of a span that is in view, as x and width; `None` where it is outside.
    pub(super) fn band(&self, span: Span, shown: (Date, Date)) -> Option<(f64, f64)> {
        let (start, end) = (span.start.max(shown.0), span.end.min(shown.1));
        (start < end).then(|| {
            let x = self.x(start);
            (x, (self.x(end) - x).max(1.0))
        })
    }

    /// The path of a line: a new stroke after every gap, no more points than pixels can show.
    pub(super) fn path(&self, line: &Line, factor: f64) -> String {
        let mut path = String::new();
        // A stroke costs by its length, so a tall plot has fewer of them; behind another line less is seen.
        let column = (self.height / TALL).max(1.0) * if line.color == GHOST { 2.0 } else { 1.0 };
        for stretch in stretches(&line.points, pause(line.frequency)) {
            let at: Vec<(f64, f64)> = stretch
                .iter()
                .map(|o| (self.x(o.date), self.place(line, o.value, factor)))
                .filter(|(x, y)| x.is_finite() && y.is_finite())
                .collect();
            let (mut before, single) = ((f64::NAN, f64::NAN), at.len() == 1);
            for (i, (x, y)) in thinned(&at, column).into_iter().enumerate() {
                let (x, y) = ((x * 10.0).round() / 10.0, (y * 10.0).round() / 10.0);
                if (x, y) == before {
                    continue;
                }
                before = (x, y);
                path += &format!("{}{x} {y}", if i == 0 { "M" } else { "L" });
            }
            if single {
                // A round dot, where the stroke's ends are round.
                path.push_str("h0.1");
            }
        }
        path
    }
}

/// Days between two neighbours from which on something is missing between them.
fn pause(frequency: Frequency) -> i32 {
    match frequency {
        Frequency::Daily => 15,
        Frequency::Weekly => 20,
        Frequency::Biweekly => 35,
        Frequency::Monthly => 45,
        Frequency::Quarterly => 135,
        Frequency::Semiannual => 270,
        Frequency::Annual => 550,
    }
}

/// Points without a gap between them.
fn stretches(points: &[Observation], pause: i32) -> impl Iterator<Item = &[Observation]> {
    points.chunk_by(move |a, b| day_number(b.date) - day_number(a.date) <= pause)
}

/// First, lowest, highest and last point of each column of so many units: the same picture with fewer points.
fn thinned(at: &[(f64, f64)], width: f64) -> Vec<(f64, f64)> {
    let mut kept = Vec::new();
    for column in at.chunk_by(|a, b| (a.0 / width).floor() == (b.0 / width).floor()) {
        if column.len() <= 4 {
            kept.extend_from_slice(column);
            continue;
        }
        let by_height = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
        let heights = || column.iter().map(|p| p.1).enumerate();
        let mut picks = vec![0, column.len() - 1];
        picks.extend(heights().min_by(by_height).map(|(i, _)| i));
        picks.extend(heights().max_by(by_height).map(|(i, _)| i));
        picks.sort_unstable();
        picks.dedup();
        kept.extend(picks.into_iter().filter_map(|i| column.get(i)));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn a_month_that_is_missing_is_a_gap() {
        let months = [
            date(2025, 8, 1),
            date(2025, 9, 1),
            date(2025, 11, 1),
            date(2025, 12, 1),
        ];
        let points = months.map(|d| Observation::new(d, 1.0));
        assert_eq!(stretches(&points, pause(Frequency::Monthly)).count(), 2);
    }

    #[test]
    fn thinning_keeps_ends_and_extremes() {
        let column: Vec<(f64, f64)> = [3.0, 9.0, 4.0, 1.0, 5.0].map(|y| (7.2, y)).to_vec();
        let kept: Vec<f64> = thinned(&column, 1.0).iter().map(|p| p.1).collect();
        assert_eq!(kept, [3.0, 9.0, 1.0, 5.0]);
    }
}
