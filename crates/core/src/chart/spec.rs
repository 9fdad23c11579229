//! What a chart shows, and what it says to those who do not see it.

use super::palette::{LINES, MUTED, Theme};
use super::unit::Scale;
use crate::format;
use crate::model::{Date, Frequency, Observation};
use std::borrow::Cow;

/// One line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Name beside its last value; empty where the chart has one line.
    pub name: String,
    /// Ascending by date, finite values.
    pub points: Vec<Observation>,
    /// How often it is measured: a longer pause is drawn as a gap.
    pub frequency: Frequency,
    /// Whether it stands on an axis of its own to the right, being of another unit than the first.
    pub is_right: bool,
    /// Place of its color among those of lines, from 0; [`GHOST`] of a pale line behind the others.
    pub color: usize,
}

/// Stands between the units of a left and a right axis.
pub const RIGHT: &str = "; right: ";

/// Color of what was known of a line on a past day.
pub const GHOST: usize = usize::MAX;

impl Line {
    /// Its color as a property of the page.
    pub(super) fn color(&self) -> &'static str {
        LINES.get(self.color).copied().unwrap_or(MUTED)
    }

    /// The observations with the lowest and with the highest value; none of an empty line.
    pub fn extremes(&self) -> Option<(&Observation, &Observation)> {
        let by_value = |a: &&Observation, b: &&Observation| a.value.total_cmp(&b.value);
        let lowest = self.points.iter().min_by(by_value)?;
        Some((lowest, self.points.iter().max_by(by_value)?))
    }
}

/// A stretch of time that is shaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First day.
    pub start: Date,
    /// Last day.
    pub end: Date,
}

/// What a chart shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChartSpec {
    /// Title: "10-Year Treasury Constant Maturity".
    pub title: String,
    /// Figures that stand under the title of a picture: "Printed +29; expected +44".
    pub lead: String,
    /// Unit as the agency names it: "Percent", "Billions of chained 2017 dollars SAAR".
    pub unit: String,
    /// The same in short: "%", "$bn 2017".
    pub unit_short: String,
    /// Decimals of the last value.
    pub decimals: u8,
    /// One to eight lines; the first stands on the left axis.
    pub lines: Vec<Line>,
    /// Days that are shown where they are more than those of the lines: panels below each other share them.
    pub days: Option<(Date, Date)>,
    /// Whether axes are logarithmic; one with a figure at zero or below is not.
    pub is_log: bool,
    /// What is said of a logarithmic axis behind the unit.
    pub about_scale: &'static str,
    /// Recessions.
    pub shading: Vec<Span>,
    /// Who measured it.
    pub source: String,
    /// Credit line: "Data by Econoscope".
    pub credit: String,
    /// Colours of what [`svg`](super::svg) draws, and whether it draws more than the plot; [`fluid`](super::fluid) and
    /// [`spark`](super::spark) have the page's properties.
    pub theme: Theme,
    /// Width and height in units of the drawing.
    pub size: (u16, u16),
}

impl ChartSpec {
    /// The same chart as a plot for a page of its own words, at this size.
    #[must_use]
    pub fn plot(mut self, width: u16, height: u16) -> Self {
        self.theme = Theme::Page;
        self.size = (width, height);
        self
    }

    /// The same chart with logarithmic axes, which its heading says; or why it has none.
    #[must_use]
    pub fn on_log_axes(mut self) -> Self {
        let mut points = self.lines.iter().flat_map(|l| &l.points);
        self.is_log = points.all(|o| o.value > 0.0);
        self.about_scale = match self.is_log {
            true => ", log scale",
            false => ", no log scale: a figure is zero or below",
        };
        self
    }

    /// First and last date of what is shown.
    pub fn dates(&self) -> Option<(Date, Date)> {
        if self.days.is_some() {
            return self.days;
        }
        let firsts = self.lines.iter().filter_map(|l| l.points.first());
        let lasts = self.lines.iter().filter_map(|l| l.points.last());
        let first = firsts.map(|o| o.date).min()?;
        Some((first, lasts.map(|o| o.date).max()?))
    }

    /// Lines in the order in which they are drawn: a ghost behind all, the first of the others on top.
    pub(super) fn drawn(&self) -> Vec<&Line> {
        let mut lines: Vec<&Line> = self.lines.iter().rev().collect();
        lines.sort_by_key(|line| line.color != GHOST);
        lines
    }

    /// A line as it is drawn: of a ghost only what no other line covers, with a point to either side, and its end.
    pub(super) fn visible<'a>(&self, line: &'a Line) -> Cow<'a, Line> {
        if line.color != GHOST {
            return Cow::Borrowed(line);
        }
        let others = || self.lines.iter().filter(|l| l.color != GHOST);
        let is_covered = |o: &Observation| {
            others().any(|l| {
                let same = l.points.binary_search_by_key(&o.date, |other| other.date);
                let same = same.ok().and_then(|at| l.points.get(at));
                l.is_right == line.is_right && same.is_some_and(|other| other.value == o.value)
            })
        };
        let covered: Vec<bool> = line.points.iter().map(is_covered).collect();
        let around = |at: usize| covered.get(at.saturating_sub(1)..(at + 2).min(covered.len()));
        let is_seen =
            |at: usize| at + 1 == covered.len() || around(at).is_some_and(|c| c.contains(&false));
        let seen = line
            .points
            .iter()
            .enumerate()
            .filter(|(at, _)| is_seen(*at));
        Cow::Owned(Line {
            points: seen.map(|(_, o)| *o).collect(),
            ..line.clone()
        })
    }

    /// The unit above the chart: "Trillions of chained 2017 dollars, annual rate".
    pub fn heading(&self) -> String {
        let (left, right) = self
            .unit
            .split_at(self.unit.find(RIGHT).unwrap_or(self.unit.len()));
        self.scale().heading(left) + right + self.about_scale
    }

    /// A date of the chart as the period that it is of: "Q2 2026".
    pub fn period(&self, date: Date) -> String {
        let frequency = self.lines.first().map_or(Frequency::Daily, |l| l.frequency);
        format::period(date, frequency)
    }

    /// How the values of the left axis are written.
    pub(super) fn scale(&self) -> Scale {
        let left = self.lines.iter().filter(|l| !l.is_right);
        let points = left.flat_map(|l| &l.points);
        let largest = points.map(|o| o.value.abs()).fold(0.0, f64::max);
        let unit = self.unit.split(RIGHT).next().unwrap_or_default();
        Scale::of(largest, (&self.unit_short, unit), self.decimals)
    }

    /// The chart in one sentence, for those who do not see it.
    pub fn sentence(&self) -> String {
        format!("{}{}", self.title, self.lines_in_words())
    }

    /// What its lines show, a sentence each.
    pub(super) fn lines_in_words(&self) -> String {
        let scale = self.scale();
        let mut text = String::new();
        for line in &self.lines {
            let ends = line.points.first().zip(line.points.last());
            let Some(((first, last), (lowest, highest))) = ends.zip(line.extremes()) else {
                continue;
            };
            let name = match line.name.as_str() {
                "" => String::new(),
                name => format!("{name}: "),
            };
            let value = |o: &Observation| scale.value(o.value);
            text += &format!(
                ". {name}{} to {}: from {} to {}; lowest {}, {}, highest {}, {}",
                self.period(first.date),
                self.period(last.date),
                value(first),
                value(last),
                value(lowest),
                self.period(lowest.date),
                value(highest),
                self.period(highest.date),
            );
        }
        text
    }
}
