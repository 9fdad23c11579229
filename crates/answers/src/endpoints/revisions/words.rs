//! The answer about revisions in words.

use super::table::{LevelAnswer, PeriodAnswer, PeriodRow, RevisionsAnswer};
use econoscope_core::indicators::prose::{joined, lowered, or_none};
use econoscope_core::indicators::revisions::{PrintMeasure, Spread};
use econoscope_core::model::{Date, Frequency, SeriesInfo};

/// A period as people write it: `2008-12`, `2008-Q4`, `2008`, or its day.
pub fn label(date: Date, frequency: Frequency) -> String {
    match frequency {
        Frequency::Daily | Frequency::Weekly | Frequency::Biweekly => date.to_string(),
        Frequency::Monthly | Frequency::Semiannual => date.strftime("%Y-%m").to_string(),
        Frequency::Quarterly => date.strftime("%Y-Q%q").to_string(),
        Frequency::Annual => date.strftime("%Y").to_string(),
    }
}

/// What is compared, in words.
pub(super) fn measure(yardstick: PrintMeasure, frequency: Frequency) -> String {
    let period = frequency.period_name();
    match yardstick {
        PrintMeasure::Level | PrintMeasure::LevelInPercent => "level".to_owned(),
        PrintMeasure::Change => format!("change from the {period} before"),
        PrintMeasure::Growth => format!("percent change from the {period} before"),
        PrintMeasure::AnnualGrowth => {
            format!("percent change from the {period} before, at an annual rate")
        }
    }
}

/// Unit and decimals of values, then of revisions.
pub(in crate::endpoints) fn units(
    yardstick: PrintMeasure,
    info: &SeriesInfo,
) -> [(String, i32); 2] {
    let decimals = i32::from(info.decimals);
    let own = || (info.units.clone(), decimals);
    let in_unit = |unit: &str, decimals| (unit.to_owned(), decimals);
    match yardstick {
        PrintMeasure::Level if info.units.starts_with("Percent") => {
            [own(), in_unit("percentage points", decimals)]
        }
        PrintMeasure::Level | PrintMeasure::Change => [own(), own()],
        PrintMeasure::LevelInPercent => [own(), in_unit("percent", 2)],
        PrintMeasure::Growth | PrintMeasure::AnnualGrowth => {
            [in_unit("percent", 2), in_unit("percentage points", 2)]
        }
    }
}

/// A number with its sign.
pub fn plus(value: f64) -> String {
    match value > 0.0 {
        true => format!("+{value}"),
        false => value.to_string(),
    }
}

/// "after 12 months mean 66.3, median 48, nine in ten within 142, bias +14.9, sign flipped 50 times".
pub fn size(s: &Spread) -> String {
    let flips = s.flips.map(|n| format!(", sign flipped {n} times"));
    let (bias, flips) = (plus(s.bias), flips.unwrap_or_default());
    format!(
        "after {} months mean {}, median {}, nine in ten within {}, bias {bias}{flips}",
        s.months, s.mean_abs, s.median_abs, s.p90_abs
    )
}

/// The whole answer.
pub(super) fn text(a: &RevisionsAnswer) -> String {
    let frequency = a.frequency.parse().unwrap_or(Frequency::Daily);
    let name = a.untrusted.told("displayName", &a.display_name);
    let unit = lowered(&a.untrusted.told("unit", &a.unit));
    let mut text = format!("{name} ({}), {}, in {unit}.", a.series_id, a.measure);
    let period = a.period.iter();
    text.extend(period.map(|period| format!("\n{}", through(period, frequency))));
    if !a.periods.is_empty() {
        text += "\nFirst print (known by); after 3 months; after 12 months; now (against the first print):";
        text.extend(
            a.periods
                .iter()
                .map(|row| format!("\n{}", in_row(row, frequency))),
        );
    }
    if let Some(unit) = &a.level_unit {
        let unit = a.untrusted.told("unit", unit);
        text += &levels_in_words(&a.levels, &unit, frequency);
    }
    if let Some(usual) = &a.usual {
        let (from, to) = (label(usual.from, frequency), label(usual.to, frequency));
        let unit = lowered(&a.untrusted.told("unit", &a.revision_unit));
        let after = joined(usual.after.iter().map(size), "; ");
        text += &format!(
            "\nUsual size of revisions in {unit} (n {}, {from} to {to}): {after}.",
            usual.n
        );
    }
    let prints = a.first_prints.iter().map(|p| {
        let (label, now) = (label(p.date, frequency), or_none(p.now));
        format!("{label} {}, {now}", p.first)
    });
    let prints = joined(prints, "; ");
    if !prints.is_empty() {
        text += &format!("\nFirst print, present value: {prints}.");
    }
    let source = a.untrusted.told("source", &a.source);
    text + &format!("\nSource: {source}.") + &a.provenance.closing(&a.attribution)
}

fn aside(text: Option<String>) -> String {
    text.map_or(String::new(), |text| format!(" ({text})"))
}

/// "2008-12: -524 (2009-01-09); -681; -681; -694 (-170)".
fn in_row(row: &PeriodRow, frequency: Frequency) -> String {
    format!(
        "{}: {}{}; {}; {}; {}{}",
        label(row.date, frequency),
        or_none(row.first),
        aside(row.known.map(|day| day.to_string())),
        or_none(row.after_3_months),
        or_none(row.after_12_months),
        or_none(row.now),
        aside(row.revision.map(plus)),
    )
}

/// "2008-12: first print -524 (known by 2009-01-09); after 3 months -681 (-157); …".
fn through(p: &PeriodAnswer, frequency: Frequency) -> String {
    let mut said = None;
    let stages = p.stages.iter().map(|s| {
        let why = match (s.value.and(s.revision), s.value.and(s.known)) {
            (Some(revision), _) => Some(plus(revision)),
            (None, Some(day)) if s.stage == "now" => Some(format!("read {day}")),
            (None, Some(day)) => Some(format!("known by {day}")),
            // The same reason is told once.
            (None, None) if said.replace(&s.missing) == Some(&s.missing) => None,
            (None, None) => s.missing.clone(),
        };
        format!("{} {}{}", s.stage, or_none(s.value), aside(why))
    });
    format!("{}: {}.", label(p.date, frequency), joined(stages, "; "))
}

/// "Levels of 2025-03 in thousands of persons: 159398 (known by 2025-04-04); 159340 (-58, 2025-05-02)."
fn levels_in_words(levels: &[LevelAnswer], unit: &str, frequency: Frequency) -> String {
    let periods = levels.chunk_by(|a, b| a.date == b.date);
    let lines = periods.map(|levels| {
        let period = levels.first().map(|first| label(first.date, frequency));
        let states = levels.iter().map(|level| {
            let value = level
                .level
                .map_or("withdrawn".to_owned(), |v| v.to_string());
            let aside = [
                level.revision.map(plus),
                level.unit.clone(),
                Some(level.known.to_string()),
            ];
            format!("{value} ({})", joined(aside.into_iter().flatten(), ", "))
        });
        let (period, states) = (period.unwrap_or_default(), joined(states, "; "));
        format!(
            "\nLevels of {period} in {} (revision, known by): {states}.",
            lowered(unit)
        )
    });
    lines.collect()
}
