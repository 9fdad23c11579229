//! The newest figure of a view: value, unit and change, for headline, table, note on vintages and citation alike.

use super::prelude::*;
use econoscope_core::chart::ChartSpec;
use econoscope_core::format::{Unit, change_text};

/// The newest figure of the first line of a chart.
pub(super) struct Figure {
    pub(super) date: Date,
    /// "August 2026".
    pub(super) period: String,
    /// With its unit: "3.36 %".
    pub(super) text: String,
    /// What it is compared with, and by how much it differs: "From the month before", "+0.12 points".
    pub(super) change: Option<(String, String)>,
}

impl Figure {
    /// Returns the newest figure of a view; `None` for a view without a figure.
    pub(super) fn newest(spec: &ChartSpec) -> Option<Self> {
        let line = spec.lines.first()?;
        let newest = line.points.last()?;
        let before = line.points.iter().rev().nth(1);
        let decimals = usize::from(spec.decimals);
        Some(Self {
            date: newest.date,
            period: period(newest.date, line.frequency),
            text: write(spec, newest.value),
            change: before.map(|before| {
                let span = describe_span(before.date, newest.date, line.frequency);
                let change = newest.value - before.value;
                (
                    span,
                    change_text(&unit(spec), &spec.unit_short, change, decimals),
                )
            }),
        })
    }
}

/// Formats a value of a chart with its unit: "3.36 %", "$11.7 trillion (2000 dollars)".
pub(super) fn write(spec: &ChartSpec, value: f64) -> String {
    unit(spec).write(value, usize::from(spec.decimals))
}

fn unit(spec: &ChartSpec) -> Unit {
    Unit::parse(&spec.unit_short, &spec.unit)
}

/// Describes what a change is counted from: "From the month before", "From 19 August 2026".
fn describe_span(before: Date, newest: Date, frequency: Frequency) -> String {
    let word = match frequency {
        Frequency::Weekly => "week",
        Frequency::Monthly => "month",
        Frequency::Quarterly => "quarter",
        Frequency::Annual => "year",
        Frequency::Daily | Frequency::Biweekly | Frequency::Semiannual => "",
    };
    if word.is_empty() || !frequency.is_adjacent(before, newest) {
        return format!("From {}", period(before, frequency));
    }
    format!("From the {word} before")
}
