//! What a chart shows, and what it says to those who do not see it.

use super::palette::{LINES, MUTED, Theme};
use super::unit::Scale;
use crate::format;
use crate::model::{Date, Frequency, Observation};

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
}

impl Line {
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
    /// Unit as the agency names it: "Percent", "Billions of chained 2017 dollars SAAR".
    pub unit: String,
    /// The same in short: "%", "$bn 2017".
    pub unit_short: String,
    /// Decimals of the last value.
    pub decimals: u8,
    /// One to eight lines; the first stands on the left axis.
    pub lines: Vec<Line>,
    /// Whether the first line is a pale one behind the others: what was known of them on a past day.
    pub has_ghost: bool,
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

    /// First and last date of what is shown.
    pub fn dates(&self) -> Option<(Date, Date)> {
        let firsts = self.lines.iter().filter_map(|l| l.points.first());
        let lasts = self.lines.iter().filter_map(|l| l.points.last());
        let first = firsts.map(|o| o.date).min()?;
        Some((first, lasts.map(|o| o.date).max()?))
    }

    /// Lines with their colours in the order in which they are drawn: a ghost behind all, the first of the others on top.
    pub(super) fn coloured(&self) -> Vec<(&Line, &'static str)> {
        let ghosts = usize::from(self.has_ghost);
        let others = self.lines.iter().skip(ghosts).zip(LINES).rev();
        let ghosts = self.lines.iter().take(ghosts).map(|line| (line, MUTED));
        ghosts.chain(others).collect()
    }

    /// The unit above the chart: "Trillions of chained 2017 dollars, annual rate".
    pub fn heading(&self) -> String {
        self.scale().heading(&self.unit)
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
        Scale::of(largest, (&self.unit_short, &self.unit), self.decimals)
    }

    /// The chart in one sentence, for those who do not see it.
    pub fn sentence(&self) -> String {
        let scale = self.scale();
        let mut text = self.title.clone();
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
