//! The text of the answer about revisions.

use super::table::{LevelAnswer, PeriodAnswer, PeriodRow, RevisionsAnswer};
use crate::prelude::*;
use econoscope_core::indicators::prose::{format_or_none, lowercase_first};
use econoscope_core::indicators::revisions::{PrintMeasure, RevisionSizes};
use std::fmt::Display;

/// Formats a period: `2008-12`, `2008-Q4`, `2008`, or its day.
pub fn label(date: Date, frequency: Frequency) -> String {
    match frequency {
        Frequency::Daily | Frequency::Weekly | Frequency::Biweekly => date.to_string(),
        Frequency::Monthly | Frequency::Semiannual => date.strftime("%Y-%m").to_string(),
        Frequency::Quarterly => date.strftime("%Y-Q%q").to_string(),
        Frequency::Annual => date.strftime("%Y").to_string(),
    }
}

/// Describes what is compared: "percent change from the month before".
pub(super) fn describe_measure(measure: PrintMeasure, frequency: Frequency) -> String {
    let period = frequency.period_name();
    match measure {
        PrintMeasure::Level | PrintMeasure::LevelInPercent => "level".to_owned(),
        PrintMeasure::Change => format!("change from the {period} before"),
        PrintMeasure::Growth => format!("percent change from the {period} before"),
        PrintMeasure::AnnualGrowth => {
            format!("percent change from the {period} before, at an annual rate")
        }
    }
}

/// Returns the unit and the decimals of values, then those of revisions.
pub(crate) fn units(measure: PrintMeasure, info: &SeriesInfo) -> [(String, i32); 2] {
    let unit = info.units.as_str();
    let decimals = i32::from(info.decimals);
    let (value, revision) = match measure {
        PrintMeasure::Level if unit.starts_with("Percent") => {
            ((unit, decimals), ("percentage points", decimals))
        }
        PrintMeasure::Level | PrintMeasure::Change => ((unit, decimals), (unit, decimals)),
        PrintMeasure::LevelInPercent => ((unit, decimals), ("percent", 2)),
        PrintMeasure::Growth | PrintMeasure::AnnualGrowth => {
            (("percent", 2), ("percentage points", 2))
        }
    };
    [value, revision].map(|(unit, decimals)| (unit.to_owned(), decimals))
}

/// Formats a number with its sign; zero has none.
pub fn plus(value: f64) -> String {
    if value > 0.0 {
        format!("+{value}")
    } else {
        value.to_string()
    }
}

/// Formats the size of revisions: "after 12 months mean 66.3, median 48, nine in ten within 142, bias +14.9, sign
/// flipped 50 times".
pub fn size(s: &RevisionSizes) -> String {
    let bias = plus(s.bias);
    let flips = enclosed_value(", sign flipped ", s.sign_flips, " times");
    format!(
        "after {} months mean {}, median {}, nine in ten within {}, bias {bias}{flips}",
        s.months, s.mean_abs, s.median_abs, s.p90_abs
    )
}

/// Renders the whole answer.
pub(super) fn render(a: &RevisionsAnswer) -> String {
    let frequency = a.frequency.parse().unwrap_or(Frequency::Daily);
    let name = a.untrusted.format_field("displayName", &a.display_name);
    let unit = lowercase_first(&a.untrusted.format_field("unit", &a.unit));
    let claim = a.claim.iter().map(|claim| claim.describe() + "\n");
    let mut text: String = claim.collect();
    text += &match (&a.claim, &a.period) {
        // The claim is about another measure.
        (Some(_), None) => format!("{name} ({}).", a.series_id),
        _ => format!("{name} ({}), {}, in {unit}.", a.series_id, a.measure),
    };
    let period = a.period.iter();
    text.extend(period.map(|period| format!("\n{}", format_stages(period, frequency))));
    if !a.periods.is_empty() {
        text += "\nFirst print (known by); after 3 months; after 12 months; now (against the first print):";
        let rows = a.periods.iter();
        text.extend(rows.map(|row| format!("\n{}", format_row(row, frequency))));
    }
    if let Some(unit) = &a.level_unit {
        let unit = a.untrusted.format_field("unit", unit);
        text += &render_levels(&a.levels, &unit, frequency);
    }
    if let Some(usual) = &a.usual {
        let from = label(usual.from, frequency);
        let to = label(usual.to, frequency);
        let unit = lowercase_first(&a.untrusted.format_field("unit", &a.revision_unit));
        let after = join(usual.after.iter().map(size), "; ");
        text += &format!(
            "\nUsual size of revisions in {unit} (n {}, {from} to {to}): {after}.",
            usual.n
        );
    }
    let prints = a.first_prints.iter().map(|p| {
        let [first, now] = [p.first, p.now].map(format_or_none);
        format!("\n{},{first},{now}", label(p.date, frequency))
    });
    text += &enclosed("\nperiod,first,now", &join(prints, ""), "");
    text + &a.provenance.render_closing(&a.attribution)
}

/// Puts a text in parentheses after a space; `None` gives an empty text.
fn parenthesised<T: Display>(text: Option<T>) -> String {
    enclosed_value(" (", text, ")")
}

/// Formats a row: "2008-12: -524 (2009-01-09); -681; -681; -694 (-170)".
fn format_row(row: &PeriodRow, frequency: Frequency) -> String {
    format!(
        "{}: {}{}; {}; {}; {}{}",
        label(row.date, frequency),
        format_or_none(row.first),
        parenthesised(row.known),
        format_or_none(row.after_3_months),
        format_or_none(row.after_12_months),
        format_or_none(row.now),
        parenthesised(row.revision.map(plus)),
    )
}

/// Formats the stages: "2008-12: first print -524 (known by 2009-01-09); after 3 months -681 (-157); …".
fn format_stages(p: &PeriodAnswer, frequency: Frequency) -> String {
    let mut last_reason = None;
    let stages = p.stages.iter().map(|s| {
        let detail = match (s.value.and(s.revision), s.value.and(s.known)) {
            (Some(revision), _) => Some(plus(revision)),
            (None, Some(day)) if s.stage == "now" => Some(format!("read {day}")),
            (None, Some(day)) => Some(format!("known by {day}")),
            // A reason is given once.
            (None, None) if last_reason.replace(&s.missing) == Some(&s.missing) => None,
            (None, None) => s.missing.clone(),
        };
        format!(
            "{} {}{}",
            s.stage,
            format_or_none(s.value),
            parenthesised(detail)
        )
    });
    format!("{}: {}.", label(p.date, frequency), join(stages, "; "))
}

/// Renders one line per period: "Levels of 2025-03 in thousands of persons (revision, known by): 159398 (2025-04-04);
/// 159340 (-58, 2025-05-02)."
fn render_levels(levels: &[LevelAnswer], unit: &str, frequency: Frequency) -> String {
    let periods = levels.chunk_by(|a, b| a.date == b.date);
    let lines = periods.map(|levels| {
        let first = levels.first();
        let period = first.map_or_else(String::new, |first| label(first.date, frequency));
        let values = levels.iter().map(|l| {
            let value = l.level.map_or("withdrawn".to_owned(), |v| v.to_string());
            let known = l.known.to_string();
            let details = [l.revision.map(plus), l.unit.clone(), Some(known)];
            format!("{value} ({})", join(details.into_iter().flatten(), ", "))
        });
        let unit = lowercase_first(unit);
        let values = join(values, "; ");
        format!("\nLevels of {period} in {unit} (revision, known by): {values}.")
    });
    lines.collect()
}
