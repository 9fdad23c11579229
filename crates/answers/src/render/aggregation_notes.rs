//! Notes about aggregated figures: periods that are short, cut by the range or not over, and periods without a figure.

use econoscope_core::indicators::prose;
use econoscope_core::indicators::resample::{last_is_partial, short_periods};
use econoscope_core::model::frequency::{Periods, shift};
use econoscope_core::model::{Date, DateRange, Frequency, Series};

/// Most periods that a note names; of the others it gives the number.
const MAX_NAMED: usize = 3;

/// Returns notes, each with its field, about the aggregated periods of a range that do not rest on all their figures.
pub(crate) fn partial_periods(
    series: &Series,
    periods: Periods,
    range: DateRange,
) -> Vec<(&'static str, String)> {
    let to = periods.frequency;
    let from = series.frequency();
    let mut notes = Vec::new();
    let in_range = |date| range.contains(date);
    let last = series.observations.last();
    let newest = last.filter(|_| last_is_partial(series, periods));
    let open = newest.map(|o| periods.period_date(o.date));
    if let Some((open, newest)) = open.filter(|date| in_range(*date)).zip(newest) {
        let period = to.label(open);
        let until = from.label(newest.date);
        notes.push(("partial", format!("{period}: figures to {until} only")));
    }
    let short_periods = short_periods(series, to);
    let short = short_periods
        .iter()
        .filter(|s| in_range(s.date) && Some(s.date) != open)
        .map(|s| format!("{} ({} of {})", to.label(s.date), s.present, s.whole));
    if let Some(names) = format_periods(&short.collect::<Vec<_>>()) {
        notes.push(("short", format!("{names} {} figures", from.word())));
    }
    // The figure of the period in which the range ends also counts days after it.
    let last = periods.period_date(range.end);
    let rows = series.between(last, to.period_end(last));
    let beyond = rows.last().filter(|o| o.date > range.end);
    if let Some(beyond) = beyond.filter(|_| in_range(last) && to >= Frequency::Monthly) {
        let label = to.label(last);
        notes.push((
            "end",
            format!("{label} has figures to {}, after end", beyond.date),
        ));
    }
    notes
}

/// Returns the labels of the periods of a range that lie between two rows of a series; none for days and weeks, whose
/// gaps are mostly holidays.
pub(crate) fn missing_periods(series: &Series, range: DateRange) -> Vec<Date> {
    let frequency = series.frequency();
    let mut missing = Vec::new();
    if frequency < Frequency::Monthly {
        return missing;
    }
    for [before, after] in series.observations.array_windows() {
        let end = frequency.period_number(after.date);
        let mut next = shift(before.date, frequency.period());
        while frequency.period_number(next) < end {
            if range.contains(next) {
                missing.push(next);
            }
            next = shift(next, frequency.period());
        }
    }
    missing
}

/// Formats labels of periods: "July 2026, August 2026 and 3 more"; `None` without one.
pub(crate) fn format_periods(labels: &[String]) -> Option<String> {
    match labels.split_at_checked(MAX_NAMED) {
        _ if labels.is_empty() => None,
        Some((named, more @ [_, ..])) => {
            Some(format!("{} and {} more", named.join(", "), more.len()))
        }
        _ => Some(prose::format_list(labels)),
    }
}
