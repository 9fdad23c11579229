//! The content of a chart, and its description for screen readers.

use super::palette::{LINES, MUTED, Theme};
use super::unit::Scale;
use super::waterfall::{self, Bar};
use crate::format::{self, Unit};
use crate::indicators::prose::enclosed;
use crate::model::{Date, DateRange, Frequency, Observation};
use std::borrow::Cow;

/// One line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Name beside its last value; empty if the chart has one line.
    pub name: String,
    /// Observations ascending by date with finite values.
    pub points: Vec<Observation>,
    /// Frequency of the points; a longer pause is drawn as a gap.
    pub frequency: Frequency,
    /// Whether it has the right axis, because its unit is not that of the first line.
    pub is_right: bool,
    /// Index of its color, from 0; [`GHOST_COLOR`] for a pale line behind the others.
    pub color: usize,
}

/// Separates the units of the left and the right axis in [`ChartSpec::unit`].
pub const RIGHT_UNIT_SEPARATOR: &str = "; right: ";

/// Color of the figures of a line as they were known on a past day.
pub const GHOST_COLOR: usize = usize::MAX;

/// Values that differ by less are equal.
const TOLERANCE: f64 = 1e-9;

impl Line {
    /// Returns its color as a custom property of the page.
    pub(super) fn color(&self) -> &'static str {
        LINES.get(self.color).copied().unwrap_or(MUTED)
    }

    /// Returns the observations with the lowest and the highest value; `None` for an empty line.
    pub fn extremes(&self) -> Option<(&Observation, &Observation)> {
        let by_value = |a: &&Observation, b: &&Observation| a.value.total_cmp(&b.value);
        let lowest = self.points.iter().min_by(by_value)?;
        Some((lowest, self.points.iter().max_by(by_value)?))
    }

    /// Returns the value of a day.
    pub fn value_on(&self, date: Date) -> Option<f64> {
        let index = self.points.binary_search_by_key(&date, |o| o.date);
        Some(self.points.get(index.ok()?)?.value)
    }
}

/// The content of a chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChartSpec {
    /// Title: "10-Year Treasury Constant Maturity".
    pub title: String,
    /// Text below the title of a picture: "Printed +29; expected +44".
    pub lead: String,
    /// Unit in the words of the agency: "Percent", "Billions of chained 2017 dollars SAAR".
    pub unit: String,
    /// Short unit: "%", "$bn 2017".
    pub unit_short: String,
    /// Decimals of the last value.
    pub decimals: u8,
    /// One to eight lines; the first has the left axis.
    pub lines: Vec<Line>,
    /// Bars of a waterfall, which takes the place of lines.
    pub bars: Vec<Bar>,
    /// First and last day if they are not those of the lines: panels below each other share them.
    pub days: Option<(Date, Date)>,
    /// Whether axes are logarithmic; an axis with a value at zero or below is linear.
    pub is_log: bool,
    /// Note on the logarithmic axis, after the unit.
    pub scale_note: &'static str,
    /// Shaded spans: recessions.
    pub shading: Vec<DateRange>,
    /// Source of the figures.
    pub source: String,
    /// Credit line: "Data by Econoscope".
    pub credit: String,
    /// Colours for [`render_svg`](super::render_svg), and whether it draws more than the plot; [`render_fluid`](fn@super::render_fluid) and
    /// [`render_sparkline`](super::render_sparkline) always use the page's properties.
    pub theme: Theme,
    /// Width and height in units of the drawing.
    pub size: (u16, u16),
}

impl ChartSpec {
    /// Returns the same chart as a plot for a page, without title and source, at this size.
    #[must_use]
    pub fn into_plot(mut self, width: u16, height: u16) -> Self {
        self.theme = Theme::Page;
        self.size = (width, height);
        self
    }

    /// Returns the same chart with logarithmic axes if all values are positive. The heading says whether it has them.
    #[must_use]
    pub fn with_log_axes(mut self) -> Self {
        let mut points = self.lines.iter().flat_map(|l| &l.points);
        self.is_log = points.all(|o| o.value > 0.0);
        self.scale_note = if self.is_log {
            ", log scale"
        } else {
            ", no log scale: a figure is zero or below"
        };
        self
    }

    /// Returns the first and last day of the chart; `None` if it has no point.
    pub fn dates(&self) -> Option<(Date, Date)> {
        if self.days.is_some() {
            return self.days;
        }
        let firsts = self.lines.iter().filter_map(|l| l.points.first());
        let lasts = self.lines.iter().filter_map(|l| l.points.last());
        let first = firsts.map(|o| o.date).min()?;
        Some((first, lasts.map(|o| o.date).max()?))
    }

    /// Returns the lines in drawing order: a ghost first, the first of the others last.
    pub(super) fn lines_back_to_front(&self) -> Vec<&Line> {
        let mut lines: Vec<&Line> = self.lines.iter().rev().collect();
        lines.sort_by_key(|line| line.color != GHOST_COLOR);
        lines
    }

    /// Returns the visible part of a line. Of a ghost it is what no other line covers, with a point to either side, and its end.
    pub(super) fn visible<'a>(&self, line: &'a Line) -> Cow<'a, Line> {
        if line.color != GHOST_COLOR {
            return Cow::Borrowed(line);
        }
        let others = || self.lines.iter().filter(|l| l.color != GHOST_COLOR);
        let is_covered = |o: &Observation| {
            others().any(|l| l.is_right == line.is_right && l.value_on(o.date) == Some(o.value))
        };
        let covered: Vec<bool> = line.points.iter().map(is_covered).collect();
        let last = covered.len().saturating_sub(1);
        let is_visible = |i: usize| {
            let neighbours = covered.get(i.saturating_sub(1)..=(i + 1).min(last));
            i == last || neighbours.is_some_and(|covered| covered.contains(&false))
        };
        let mut visible = line.clone();
        let mut indexes = 0..;
        let points = &mut visible.points;
        points.retain(|_| indexes.next().is_some_and(is_visible));
        Cow::Owned(visible)
    }

    /// Returns the figures of a ghost that the line in front of it has with another value. Empty where several lines are.
    pub(super) fn revised<'a>(&'a self, ghost: &'a Line) -> impl Iterator<Item = &'a Observation> {
        let mut fronts = self.lines.iter().filter(|l| l.color != GHOST_COLOR);
        let front = fronts.next().filter(|_| ghost.color == GHOST_COLOR);
        let has_others = fronts.next().is_some();
        let points = ghost.points.iter().filter(move |_| !has_others);
        points.filter(move |o| {
            let value = front.and_then(|line| line.value_on(o.date));
            value.is_some_and(|value| (value - o.value).abs() > TOLERANCE)
        })
    }

    /// Returns the unit above the chart: "Trillions of chained 2017 dollars, annual rate".
    pub fn unit_heading(&self) -> String {
        let end = self.unit.find(RIGHT_UNIT_SEPARATOR);
        let (left, right) = self.unit.split_at(end.unwrap_or(self.unit.len()));
        self.scale().heading(left) + right + self.scale_note
    }

    /// Formats a date of the chart as its period: "Q2 2026".
    pub fn format_period(&self, date: Date) -> String {
        let frequency = self.lines.first().map_or(Frequency::Daily, |l| l.frequency);
        format::period(date, frequency)
    }

    /// Returns the scale of the left axis.
    pub(super) fn scale(&self) -> Scale {
        let left = self.lines.iter().filter(|l| !l.is_right);
        let points = left.flat_map(|l| &l.points);
        let largest = points.map(|o| o.value.abs()).fold(0.0, f64::max);
        let left_unit = self.unit.split(RIGHT_UNIT_SEPARATOR).next();
        let unit = Unit::parse(&self.unit_short, left_unit.unwrap_or_default());
        Scale::new(largest, unit, self.decimals)
    }

    /// Describes the chart in one sentence, for screen readers.
    pub fn describe(&self) -> String {
        format!("{}{}", self.title, self.describe_lines())
    }

    /// Describes the lines of the chart, a sentence each.
    pub(super) fn describe_lines(&self) -> String {
        let scale = self.scale();
        let mut text = waterfall::describe(self);
        for line in &self.lines {
            let ends = line.points.first().zip(line.points.last());
            let Some(((first, last), (lowest, highest))) = ends.zip(line.extremes()) else {
                continue;
            };
            let name = enclosed("", &line.name, ": ");
            let value = |o: &Observation| scale.format_value(o.value);
            text += &format!(
                ". {name}{} to {}: from {} to {}; lowest {}, {}, highest {}, {}",
                self.format_period(first.date),
                self.format_period(last.date),
                value(first),
                value(last),
                value(lowest),
                self.format_period(lowest.date),
                value(highest),
                self.format_period(highest.date),
            );
        }
        text
    }
}
