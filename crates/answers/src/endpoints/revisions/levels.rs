//! Every level on record of a period: what a benchmark revision changed, and when.

use super::answer::LevelAnswer;
use super::words::{label, plus};
use econoscope_core::error::Result;
use econoscope_core::indicators::prose::{joined, lowered};
use econoscope_core::model::{Date, Frequency, SeriesInfo, units};
use econoscope_data::desk::Desk;

/// The levels of a period, ascending by the day from which each was known.
///
/// # Errors
/// [`econoscope_core::Error::Store`] when the store cannot be read.
pub(super) fn of(desk: &Desk, info: &SeriesInfo, period: Date) -> Result<Vec<LevelAnswer>> {
    let mut levels: Vec<LevelAnswer> = Vec::new();
    for (known, level) in desk.states(info, period)? {
        let unit = units::published(info.id.as_str(), known).map(str::to_owned);
        let level = level.map(|level| info.round(level));
        let before = levels.last().filter(|before| before.unit == unit);
        let before = before.and_then(|before| before.level);
        levels.push(LevelAnswer {
            date: period,
            known,
            level,
            revision: level
                .zip(before)
                .map(|(level, before)| info.round(level - before)),
            unit,
        });
    }
    Ok(levels)
}

/// "Levels of 2025-03 in thousands of persons: 159398 (known by 2025-04-04); 159340 (-58, 2025-05-02)."
pub(super) fn describe(levels: &[LevelAnswer], unit: &str, frequency: Frequency) -> String {
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
