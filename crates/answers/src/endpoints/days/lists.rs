//! More than one day as an argument: lists, ranges of periods, and the days of events by their names.

use super::{When, read, rejoined};
use crate::endpoints::prelude::*;
use econoscope_core::indicators::nber::RECESSIONS;
use econoscope_core::model::calendar::meetings;

/// How a range may be written.
const RANGES: [&str; 2] = ["..", " to "];

/// A day, or the first and the last day of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::endpoints) enum Periods {
    /// The period that holds a day.
    Of(Date),
    /// Every period from one day to another.
    Range(Date, Date),
}

/// The parts of a text: commas separate them.
pub(in crate::endpoints) fn parts(text: &str) -> Vec<String> {
    let parts = text.split(',').map(str::trim);
    rejoined(parts.filter(|part| !part.is_empty()))
}

/// Whether a text is more than one day.
pub(super) fn is_several(text: &str) -> bool {
    parts(text).len() > 1 || RANGES.iter().any(|sign| text.contains(sign))
}

/// Reads periods: `2008-12`, `2008-11, 2008-12`, `2008-01..2008-12`. A range without an end goes on to today.
///
/// # Errors
/// [`Error::InvalidParam`] naming the field for what is no day, and for a range that ends before it starts.
pub(in crate::endpoints) fn periods(field: &str, text: &str, today: Date) -> Result<Vec<Periods>> {
    let parts = parts(text);
    if parts.is_empty() {
        read(field, text, (today, today))?;
    }
    let parts = parts.iter();
    parts.map(|part| of_part(field, part, today)).collect()
}

/// Reads one part of a list of periods.
pub(super) fn of_part(field: &str, part: &str, today: Date) -> Result<Periods> {
    let ends = RANGES.iter().find_map(|sign| part.split_once(sign));
    let Some((from, to)) = ends else {
        return read(field, part, (today, today)).map(Periods::Of);
    };
    let to = match to.trim() {
        "" => today,
        to => read(field, to, (today, today))?,
    };
    // A start is the first day of what is longer than a day; an error names the argument.
    let from = match When::read(from.trim()) {
        Ok(when) => when.from,
        Err(_) => read(field, from, (to, today))?,
    };
    if from > to {
        let (problem, allowed) = ("ends before it starts", "a range as 2008-01..2008-12");
        return Err(Error::invalid(field, part, problem, allowed));
    }
    Ok(Periods::Range(from, to))
}

/// How events may be named.
const EVENTS: &str =
    "days as 2008-09-15, 2020-03-16, or FOMC 2022, NBER peaks, NBER troughs, NBER peak 2007";

/// First year of the turning points that are meant where no year is named.
const POSTWAR: i16 = 1945;

/// Reads the days of events, parted by commas, the earliest first. Names stand for all their days up to `newest`.
///
/// # Errors
/// [`Error::InvalidParam`] naming the field for what is no day and no name, and for a name without a day.
pub(in crate::endpoints) fn events(
    field: &str,
    text: &str,
    (newest, today): (Date, Date),
) -> Result<Vec<Date>> {
    let mut days = Vec::new();
    for part in parts(text) {
        match named(&part) {
            Some(named) => {
                let known: Vec<Date> = named.into_iter().filter(|day| *day <= newest).collect();
                if known.is_empty() {
                    return Err(Error::invalid(field, &part, "names no event", EVENTS));
                }
                days.extend(known);
            }
            None => days.push(read(field, &part, (newest, today))?),
        }
    }
    days.sort_unstable();
    days.dedup();
    match days.is_empty() {
        true => Err(Error::invalid(field, text, "names no event", EVENTS)),
        false => Ok(days),
    }
}

/// Whether a text is more than one day, or the name of events.
pub(super) fn is_list(text: &str) -> bool {
    parts(text).len() > 1 || named(text).is_some()
}

/// The days of "FOMC 2022", "NBER peaks", "nber trough 2009"; `None` for what is no such name.
fn named(text: &str) -> Option<Vec<Date>> {
    let text = text.trim().to_ascii_lowercase();
    let (what, rest) = text.split_once(' ')?;
    let mut words: Vec<&str> = rest.split_whitespace().collect();
    let year = words.last().and_then(|word| word.parse::<i16>().ok());
    if year.is_some() {
        words.pop();
    }
    let is_of = |day: Date| year.map_or(day.year() >= POSTWAR, |year| day.year() == year);
    let peaks = || RECESSIONS.iter().map(|r| r.peak.last_day());
    let troughs = || RECESSIONS.iter().map(|r| r.trough.last_day());
    match (what, words.as_slice()) {
        ("fomc", [] | ["meetings" | "decisions"]) => {
            let held = meetings().iter().filter(|m| m.is_regular()).map(|m| m.day);
            year.map(|_| held.filter(|day| is_of(*day)).collect())
        }
        ("nber", ["peak" | "peaks"]) => Some(peaks().filter(|day| is_of(*day)).collect()),
        ("nber", ["trough" | "troughs"]) => Some(troughs().filter(|day| is_of(*day)).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::told;
    use super::*;
    use jiff::civil::date;
    use serde_json::json;

    const TODAY: Date = date(2026, 11, 25);

    fn of(text: &str) -> Vec<Periods> {
        periods("date", text, TODAY).unwrap_or_default()
    }

    #[test]
    fn periods_are_days_lists_and_ranges() {
        assert_eq!(of("2008-12"), [Periods::Of(date(2008, 12, 31))]);
        assert_eq!(of("December 15, 2008"), [Periods::Of(date(2008, 12, 15))]);
        let range = Periods::Range(date(2008, 1, 1), date(2008, 12, 31));
        for text in [
            "2008-01..2008-12",
            "2008..2008",
            "Jan 2008 to Dec 2008",
            "2008Q1 .. 2008Q4",
        ] {
            assert_eq!(of(text), [range], "{text}");
        }
        let list = [Periods::Of(date(2007, 12, 31)), range];
        assert_eq!(of("2007-12, 2008-01..2008-12"), list);
        assert_eq!(of("2026-01.."), [Periods::Range(date(2026, 1, 1), TODAY)]);
        let is_refused =
            |text| periods("date", text, TODAY).is_err_and(|e| e.to_string().contains("date"));
        for wrong in [
            "2008-13",
            "2008-12..2008-01",
            "..2008",
            "a..b",
            ",",
            "2008-01,soon",
        ] {
            assert!(is_refused(wrong), "{wrong}");
        }
    }

    #[test]
    fn what_periods_were_taken_for_is_said_where_it_is_more_than_the_text() {
        let said = |text| {
            let given = json!({ "date": text });
            let said = told(given.as_object().unwrap(), TODAY);
            said.into_iter().next().map(|(_, said)| said)
        };
        assert_eq!(said("2008-12-31, 2009-01-31"), None);
        let range = "2008-01..2008-03, read as 2008-01-01 to 2008-03-31";
        assert_eq!(said("2008-01..2008-03").as_deref(), Some(range));
        assert_eq!(
            said("2008Q4").as_deref(),
            Some("2008Q4, read as 2008-12-31")
        );
        assert!(
            is_several("2008-01..2008-03")
                && is_several("2008-01,2008-02")
                && !is_several("2008-01")
        );
    }

    fn events_of(text: &str) -> Result<Vec<Date>> {
        events("after", text, (TODAY, TODAY))
    }

    #[test]
    fn events_are_days_or_names_of_days() {
        assert_eq!(events_of("2008-09-15").ok(), Some(vec![date(2008, 9, 15)]));
        assert_eq!(
            events_of("2020-03-16, 2008-09-15").ok(),
            Some(vec![date(2008, 9, 15), date(2020, 3, 16)])
        );
        assert_eq!(
            events_of("15 September 2008").ok(),
            Some(vec![date(2008, 9, 15)])
        );
        assert_eq!(
            events_of("September 15, 2008").ok(),
            Some(vec![date(2008, 9, 15)])
        );
        let fomc = events_of("FOMC 2022").unwrap_or_default();
        assert_eq!(
            (fomc.len(), fomc[0], fomc[7]),
            (8, date(2022, 1, 26), date(2022, 12, 14))
        );
        // Of the year that is not over, what has taken place.
        assert_eq!(events_of("fomc 2026").unwrap_or_default().len(), 7);
        assert_eq!(events_of("NBER peaks").unwrap_or_default().len(), 13);
        assert_eq!(
            events_of("nber trough 2009").ok(),
            Some(vec![date(2009, 6, 30)])
        );
        for wrong in ["FOMC 1980", "NBER peak 2015", "FOMC", "the crash", ","] {
            assert!(
                events_of(wrong).is_err_and(|e| e.to_string().contains("after")),
                "{wrong}"
            );
        }
    }
}
