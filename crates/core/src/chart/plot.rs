//! The plot area: positions of points, paths of lines, gaps between points.

use super::axis::{TimeAxis, ValueAxis};
use super::spec::{ChartSpec, GHOST_COLOR, Line};
use crate::model::frequency::day_number;
use crate::model::{Date, DateRange, Frequency, Observation};

/// The plot area, in units of the drawing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) time: TimeAxis,
    pub(super) left_axis: ValueAxis,
    /// The axis of the lines of a second unit.
    pub(super) right_axis: Option<ValueAxis>,
    /// Number of lines.
    pub(super) lines: u32,
}

/// Columns of all lines together: the more lines there are, the fewer points each has.
const MAX_COLUMNS: f64 = 2_500.0;
/// Height above which a plot has fewer points per unit of width.
const MAX_FINE_HEIGHT: f64 = 450.0;

impl Plot {
    /// Creates a plot at the origin without a size, with about `ticks` ticks on each axis of values. `factor` scales the left
    /// axis. Returns `None` if the chart has no point.
    pub(super) fn new(spec: &ChartSpec, factor: f64, ticks: f64) -> Option<Self> {
        let (first, last) = spec.dates()?;
        let axis = |is_right: bool, factor: f64| {
            let lines = || spec.lines.iter().filter(|l| l.is_right == is_right);
            let values = || lines().flat_map(|l| &l.points).map(|o| o.value * factor);
            let min = values().fold(f64::INFINITY, f64::min);
            let max = values().fold(f64::NEG_INFINITY, f64::max);
            (min <= max).then(|| {
                if spec.is_log && min > 0.0 {
                    ValueAxis::logarithmic(min, max, ticks)
                } else {
                    ValueAxis::linear(min, max, ticks)
                }
            })
        };
        let right_axis = axis(true, 1.0);
        Some(Self {
            left: 0.0,
            top: 0.0,
            width: 0.0,
            height: 0.0,
            time: TimeAxis { first, last },
            left_axis: axis(false, factor).or_else(|| right_axis.clone())?,
            right_axis,
            lines: u32::try_from(spec.lines.len()).unwrap_or(u32::MAX),
        })
    }

    pub(super) fn x(&self, day: Date) -> f64 {
        self.left + self.time.position(day) * self.width
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.y_on(&self.left_axis, value)
    }

    /// Returns the y coordinate of a value on one of the axes.
    pub(super) fn y_on(&self, axis: &ValueAxis, value: f64) -> f64 {
        self.top + (1.0 - axis.position(value)) * self.height
    }

    /// Returns the y coordinate of a value of a line; `factor` scales the left axis.
    pub(super) fn line_y(&self, line: &Line, value: f64, factor: f64) -> f64 {
        match self.right_axis.as_ref().filter(|_| line.is_right) {
            Some(right) => self.y_on(right, value),
            None => self.y(value * factor),
        }
    }

    /// Returns x and width of the visible part of each span.
    pub(super) fn bands(&self, spans: &[DateRange]) -> impl Iterator<Item = (f64, f64)> {
        let TimeAxis { first, last } = self.time;
        spans.iter().filter_map(move |span| {
            let [start, end] = [span.start.max(first), span.end.min(last)];
            let x = self.x(start);
            (start < end).then(|| (x, (self.x(end) - x).max(1.0)))
        })
    }

    /// Returns the path of a line, interrupted at every gap, with no more points than pixels can show.
    pub(super) fn path(&self, line: &Line, factor: f64) -> String {
        let mut path = String::new();
        // The time to draw a stroke grows with its length, so a tall plot has fewer. Of a line behind another less is visible.
        let share = if line.color == GHOST_COLOR { 2.0 } else { 1.0 };
        let fine = (self.height / MAX_FINE_HEIGHT).max(1.0) * share;
        let width = fine.max(self.width * f64::from(self.lines) / MAX_COLUMNS);
        for segment in segments(&line.points, max_gap(line.frequency)) {
            let place = |o: &Observation| (self.x(o.date), self.line_y(line, o.value, factor));
            let mut points: Vec<(f64, f64)> = segment.iter().map(place).collect();
            points.retain(|(x, y)| x.is_finite() && y.is_finite());
            let round = |place: f64| (place * 10.0).round() / 10.0;
            let thinned = thin(&points, width).into_iter();
            let mut rounded: Vec<_> = thinned.map(|(x, y)| (round(x), round(y))).collect();
            rounded.dedup();
            for (i, (x, y)) in rounded.into_iter().enumerate() {
                path += &format!("{}{x} {y}", if i == 0 { "M" } else { "L" });
            }
            if points.len() == 1 {
                // Round line caps make this a dot.
                path.push_str("h0.1");
            }
        }
        path
    }
}

/// Returns the largest number of days between two observations without a gap.
fn max_gap(frequency: Frequency) -> i32 {
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

/// Splits observations at the gaps.
fn segments(points: &[Observation], max_gap: i32) -> impl Iterator<Item = &[Observation]> {
    points.chunk_by(move |a, b| day_number(b.date) - day_number(a.date) <= max_gap)
}

/// Reduces each column of this width to its first, lowest, highest and last point, which looks the same.
fn thin(points: &[(f64, f64)], width: f64) -> Vec<(f64, f64)> {
    let mut thinned = Vec::new();
    for column in points.chunk_by(|a, b| (a.0 / width).floor() == (b.0 / width).floor()) {
        if column.len() <= 4 {
            thinned.extend_from_slice(column);
            continue;
        }
        let by_height = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
        let heights = || column.iter().map(|p| p.1).enumerate();
        let mut indexes = vec![0, column.len() - 1];
        indexes.extend(heights().min_by(by_height).map(|(i, _)| i));
        indexes.extend(heights().max_by(by_height).map(|(i, _)| i));
        indexes.sort_unstable();
        indexes.dedup();
        thinned.extend(indexes.into_iter().filter_map(|i| column.get(i)));
    }
    thinned
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn missing_month_is_a_gap() {
        let months = [
            date(2025, 8, 1),
            date(2025, 9, 1),
            date(2025, 11, 1),
            date(2025, 12, 1),
        ];
        let points = months.map(|d| Observation::new(d, 1.0));
        assert_eq!(segments(&points, max_gap(Frequency::Monthly)).count(), 2);
    }

    #[test]
    fn thinning_keeps_ends_and_extremes() {
        let column: Vec<(f64, f64)> = [3.0, 9.0, 4.0, 1.0, 5.0].map(|y| (7.2, y)).to_vec();
        let heights: Vec<f64> = thin(&column, 1.0).iter().map(|p| p.1).collect();
        assert_eq!(heights, [3.0, 9.0, 1.0, 5.0]);
    }
}
