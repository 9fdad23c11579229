//! What a reader must know of figures made coarser: which periods are short, cut by the range or not over yet.

use econoscope_core::indicators::prose;
use econoscope_core::indicators::resample::{ShortPeriod, last_is_partial, short_periods};
use econoscope_core::model::frequency::{Periods, shift};
use econoscope_core::model::{Date, Frequency, Observation, Series};

/// Periods named in one note; of more, how many.
const NAMED: usize = 3;

/// Of the periods within a range that a series is brought to, what is not as it seems, by field of the notes.
pub(super) fn remarks(
    series: &Series,
    periods: Periods,
    (start, end): (Date, Date),
) -> Vec<(&'static str, String)> {
    let (to, from) = (periods.frequency, series.frequency());
    let mut notes = Vec::new();
    let is_given = |date| (start..=end).contains(&date);
    let newest = series.observations.last().map(|o| o.date);
    let open = newest.map(|date| periods.stamp(date));
    let open = open.filter(|_| last_is_partial(series, periods));
    if let (Some(open), Some(newest)) = (open.filter(|d| is_given(*d)), newest) {
        let until = from.label(newest);
        let note = format!("{} is not over: figures to {until}", to.label(open));
        notes.push(("partial", note));
    }
    let short = short_periods(series, to);
    let short = short.iter();
    let short = short.filter(|s| is_given(s.date) && Some(s.date) != open);
    let of = |s: &ShortPeriod| format!("{} ({} of {})", to.label(s.date), s.held, s.whole);
    let short: Vec<String> = short.map(of).collect();
    if let Some(names) = named(&short) {
        notes.push(("short", format!("{names} {} figures", from.word())));
    }
    // The range ends within a period, and the period's figure has days after it.
    let last = periods.stamp(end);
    let rows = series.between(last, to.period_end(last));
    let beyond = rows.last().filter(|o| o.date > end);
    if let Some(beyond) = beyond.filter(|_| is_given(last) && to >= Frequency::Monthly) {
        let (label, date) = (to.label(last), beyond.date);
        notes.push(("end", format!("{label} has figures to {date}, after end")));
    }
    notes
}

/// The periods between the first and the last row that have none; of days and weeks nobody can say which.
pub(super) fn absent(frequency: Frequency, rows: &[Observation]) -> Vec<String> {
    let mut absent = Vec::new();
    if frequency < Frequency::Monthly {
        return absent;
    }
    for (before, after) in rows.iter().zip(rows.iter().skip(1)) {
        let after = frequency.period_number(after.date);
        let mut next = shift(before.date, frequency.period());
        while frequency.period_number(next) < after {
            absent.push(frequency.label(next));
            next = shift(next, frequency.period());
        }
    }
    absent
}

/// "July 2026, August 2026 and 3 more"; nothing of none.
pub(super) fn named(periods: &[String]) -> Option<String> {
    let shown = periods.get(..NAMED.min(periods.len()))?;
    match periods.len() {
        0 => None,
        n if n <= NAMED => Some(prose::list(shown)),
        n => Some(format!("{} and {} more", shown.join(", "), n - NAMED)),
    }
}
