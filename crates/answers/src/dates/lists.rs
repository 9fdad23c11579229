//! Arguments of more than one day: lists, ranges of periods, and events by name.

use super::{CalendarPeriod, join_split_dates, read};
use crate::prelude::*;
use econoscope_core::indicators::nber::RECESSIONS;
use econoscope_core::model::calendar::meetings;

/// Separators of a range.
const RANGES: [&str; 2] = ["..", " to "];

/// A day, or the first and the last day of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Periods {
    /// The period that contains a day.
    Of(Date),
    /// Every period from one day to another.
    Range(Date, Date),
}

/// Splits a list of dates at its commas.
pub(crate) fn split_list(text: &str) -> Vec<String> {
    let parts = text.split(',').map(str::trim);
    join_split_dates(parts.filter(|part| !part.is_empty()))
}

/// Reads periods: `2008-12`, `2008-11, 2008-12`, `2008-01..2008-12`. A range without an end goes on to today.
///
/// # Errors
/// [`Error::InvalidParam`] naming the field for what is no day, and for a range that ends before it starts.
pub(crate) fn parse_periods(field: &str, text: &str, today: Date) -> Result<Vec<Periods>> {
    let parts = split_list(text);
    if parts.is_empty() {
        read(field, text, today, today)?;
    }
    let periods = parts.iter().map(|part| parse_period(field, part, today));
    periods.collect()
}

/// Reads one day or range.
fn parse_period(field: &str, text: &str, today: Date) -> Result<Periods> {
    let mut separators = RANGES.iter();
    let Some((from, to)) = separators.find_map(|separator| text.split_once(separator)) else {
        return read(field, text, today, today).map(Periods::Of);
    };
    let to = match to.trim() {
        "" => today,
        to => read(field, to, today, today)?,
    };
    // A range starts on the first day of its first period, whatever the argument.
    let from = match CalendarPeriod::parse(from.trim()) {
        Ok(when) => when.from,
        Err(_) => read(field, from, to, today)?,
    };
    if from > to {
        let problem = "ends before it starts";
        let allowed = "a range as 2008-01..2008-12";
        return Err(Error::invalid(field, text, problem, allowed));
    }
    Ok(Periods::Range(from, to))
}

/// How events may be named.
const EVENTS: &str =
    "days as 2008-09-15, 2020-03-16, or FOMC 2022, NBER peaks, NBER troughs, NBER peak 2007";

/// First year of the turning points of a name without a year.
const POSTWAR: i16 = 1945;

/// Reads a list of days and names of events, ascending. A name stands for all its days up to `newest`.
///
/// # Errors
/// [`Error::InvalidParam`] naming the field for what is no day and no name, and for a name without a day.
pub(crate) fn event_days(field: &str, text: &str, newest: Date, today: Date) -> Result<Vec<Date>> {
    let mut days = Vec::new();
    for part in split_list(text) {
        let Some(mut named) = named_days(&part) else {
            days.push(read(field, &part, newest, today)?);
            continue;
        };
        named.retain(|day| *day <= newest);
        if named.is_empty() {
            return Err(Error::invalid(field, &part, "names no event", EVENTS));
        }
        days.append(&mut named);
    }
    days.sort_unstable();
    days.dedup();
    if days.is_empty() {
        Err(Error::invalid(field, text, "names no event", EVENTS))
    } else {
        Ok(days)
    }
}

/// Returns the days of "FOMC 2022", "NBER peaks" or "nber trough 2009"; `None` for another text.
fn named_days(text: &str) -> Option<Vec<Date>> {
    let lower = text.trim().to_ascii_lowercase();
    let (kind, rest) = lower.split_once(' ')?;
    let mut words: Vec<&str> = rest.split_whitespace().collect();
    let year = words.last().and_then(|word| word.parse::<i16>().ok());
    if year.is_some() {
        words.pop();
    }
    let in_year = |day: &Date| year.map_or(day.year() >= POSTWAR, |year| day.year() == year);
    let peaks = RECESSIONS.iter().map(|r| r.peak.last_day());
    let troughs = RECESSIONS.iter().map(|r| r.trough.last_day());
    let decisions = meetings()
        .iter()
        .filter(|m| m.has_decision())
        .map(|m| m.day);
    match (kind, words.as_slice()) {
        ("fomc", [] | ["meetings" | "decisions"]) if year.is_some() => {
            Some(decisions.filter(in_year).collect())
        }
        ("nber", ["peak" | "peaks"]) => Some(peaks.filter(in_year).collect()),
        ("nber", ["trough" | "troughs"]) => Some(troughs.filter(in_year).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    const TODAY: Date = date(2026, 11, 25);

    fn parsed(text: &str) -> Vec<Periods> {
        parse_periods("date", text, TODAY).unwrap_or_default()
    }

    #[test]
    fn periods_are_days_lists_and_ranges() {
        assert_eq!(parsed("2008-12"), [Periods::Of(date(2008, 12, 31))]);
        assert_eq!(
            parsed("December 15, 2008"),
            [Periods::Of(date(2008, 12, 15))]
        );
        let range = Periods::Range(date(2008, 1, 1), date(2008, 12, 31));
        for text in [
            "2008-01..2008-12",
            "2008..2008",
            "Jan 2008 to Dec 2008",
            "2008Q1 .. 2008Q4",
        ] {
            assert_eq!(parsed(text), [range], "{text}");
        }
        let list = [Periods::Of(date(2007, 12, 31)), range];
        assert_eq!(parsed("2007-12, 2008-01..2008-12"), list);
        assert_eq!(
            parsed("2026-01.."),
            [Periods::Range(date(2026, 1, 1), TODAY)]
        );
        let is_refused = |text| {
            parse_periods("date", text, TODAY).is_err_and(|e| e.to_string().contains("date"))
        };
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

    fn events_of(text: &str) -> Result<Vec<Date>> {
        event_days("after", text, TODAY, TODAY)
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
        // Decisions between the scheduled meetings count, calls without one do not.
        let of = |year: &str| events_of(&format!("FOMC {year}")).unwrap_or_default();
        assert!(of("2020").contains(&date(2020, 3, 3)) && of("2020").contains(&date(2020, 3, 15)));
        assert_eq!(
            [of("2020").len(), of("2001").len(), of("2008").len()],
            [9, 11, 10]
        );
        assert!(!of("2020").contains(&date(2020, 3, 18)), "cancelled");
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
