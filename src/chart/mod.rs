//! Charts: series in, one drawing out, as SVG for pages and as PNG for hosts without HTML.
//!
//! One drawing serves every place, so that a widget, a page, an app and a picture look alike. Pure: no
//! clock, no files. What is shaded (recessions) is handed in. A month that was never published is a gap
//! in the line, never a bridge over it.

mod axis;
mod frame;
mod palette;
mod plot;
mod png;
mod spark;
mod unit;

pub use frame::svg;
pub use palette::{Palette, STYLE, Theme};
pub use png::png;
pub use spark::spark;

use crate::model::{Date, Frequency, Observation, Series};
use std::fmt;

/// One line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Name beside its last value; empty where the chart has one line.
    pub name: String,
    /// Ascending by date, finite values.
    pub points: Vec<Observation>,
    /// How often it is measured: a longer pause is drawn as a gap.
    pub frequency: Frequency,
}

/// A stretch of time that is shaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First day.
    pub start: Date,
    /// Last day.
    pub end: Date,
}

/// How much of a chart is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Title, unit, plot, source and date: a picture that stands alone.
    Whole,
    /// The plot alone: the page around it has title and source.
    Plot,
}

/// What a chart shows.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartSpec {
    /// Title: "10-Year Treasury Constant Maturity".
    pub title: String,
    /// Unit in words: "Percent".
    pub unit: String,
    /// Unit beside a value: "%".
    pub unit_short: String,
    /// Decimals of the last value.
    pub decimals: u8,
    /// One or two lines.
    pub lines: Vec<Line>,
    /// Recessions.
    pub shading: Vec<Span>,
    /// Who measured it.
    pub source: String,
    /// Credit line: "Data by Econoscope".
    pub credit: String,
    /// How much is drawn.
    pub extent: Extent,
    /// Colours.
    pub theme: Theme,
    /// Width and height in units of the drawing.
    pub size: (u16, u16),
}

impl ChartSpec {
    /// A chart of one series from `start` to `end`, light, 800 by 420.
    pub fn of(series: &Series, start: Date, end: Date) -> Self {
        let info = &series.info;
        Self {
            title: info.title.clone(),
            unit: info.units.clone(),
            unit_short: info.units_short.clone(),
            decimals: info.decimals,
            lines: vec![Line {
                name: String::new(),
                points: series.between(start, end).to_vec(),
                frequency: info.frequency,
            }],
            shading: Vec::new(),
            source: info.source.clone(),
            credit: String::new(),
            extent: Extent::Whole,
            theme: Theme::Light,
            size: (800, 420),
        }
    }

    /// The same chart with these spans shaded.
    #[must_use]
    pub fn shaded(mut self, spans: impl IntoIterator<Item = Span>) -> Self {
        self.shading = spans.into_iter().collect();
        self
    }

    /// The same chart with a credit line.
    #[must_use]
    pub fn credited(mut self, credit: impl Into<String>) -> Self {
        self.credit = credit.into();
        self
    }

    /// The same chart in these colours.
    #[must_use]
    pub fn themed(mut self, theme: Theme) -> Self {
        self.theme = theme;
        self
    }

    /// The same chart as a plot for a page of its own words, at this size.
    #[must_use]
    pub fn plot(mut self, width: u16, height: u16) -> Self {
        self.extent = Extent::Plot;
        self.theme = Theme::Page;
        self.size = (width, height);
        self
    }

    /// First and last date of what is shown.
    pub fn dates(&self) -> Option<(Date, Date)> {
        let first = self
            .lines
            .iter()
            .filter_map(|l| l.points.first())
            .map(|o| o.date)
            .min()?;
        let last = self
            .lines
            .iter()
            .filter_map(|l| l.points.last())
            .map(|o| o.date)
            .max()?;
        Some((first, last))
    }

    /// The chart in one sentence, for those who do not see it.
    pub fn sentence(&self) -> String {
        let scale = unit::Scale::of(self);
        let mut text = self.title.clone();
        for line in &self.lines {
            let (Some(first), Some(last)) = (line.points.first(), line.points.last()) else {
                continue;
            };
            let name = if line.name.is_empty() {
                String::new()
            } else {
                format!("{}: ", line.name)
            };
            let by_value = |a: &&Observation, b: &&Observation| a.value.total_cmp(&b.value);
            let least = line.points.iter().min_by(by_value).unwrap_or(last);
            let most = line.points.iter().max_by(by_value).unwrap_or(last);
            text.push_str(&format!(
                ". {name}{} to {}: from {} to {}; lowest {} on {}, highest {} on {}",
                first.date,
                last.date,
                scale.value(first.value),
                scale.value(last.value),
                scale.value(least.value),
                least.date,
                scale.value(most.value),
                most.date,
            ));
        }
        text
    }
}

/// Writes to a string, which cannot fail.
fn put(out: &mut String, text: fmt::Arguments<'_>) {
    // A String takes whatever is written to it; the trait's error is for other sinks.
    let _ = fmt::Write::write_fmt(out, text);
}

/// Text as it may stand in SVG.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
        .chars()
        .filter(|c| !c.is_control())
        .collect()
}

#[cfg(test)]
mod tests;
