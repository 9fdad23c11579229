//! Events as arguments: days, the decisions of the FOMC in a year, and the NBER's turning points.

use super::{read, rejoined};
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::nber::RECESSIONS;
use econoscope_core::model::Date;
use econoscope_core::model::calendar::meetings;

/// How events may be named.
const FORMS: &str =
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
    for part in rejoined(
        text.split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty()),
    ) {
        match named(&part) {
            Some(named) => {
                let known: Vec<Date> = named.into_iter().filter(|day| *day <= newest).collect();
                if known.is_empty() {
                    return Err(Error::invalid(field, &part, "names no event", FORMS));
                }
                days.extend(known);
            }
            None => days.push(read(field, &part, (newest, today))?),
        }
    }
    days.sort_unstable();
    days.dedup();
    match days.is_empty() {
        true => Err(Error::invalid(field, text, "names no event", FORMS)),
        false => Ok(days),
    }
}

/// Whether a text is more than one day.
pub(super) fn is_list(text: &str) -> bool {
    let parts = rejoined(text.split(',').map(str::trim));
    parts.len() > 1 || named(text).is_some()
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
    use super::*;
    use jiff::civil::date;

    fn of(text: &str) -> Result<Vec<Date>> {
        let today = date(2026, 11, 25);
        events("after", text, (today, today))
    }

    #[test]
    fn events_are_days_or_names_of_days() {
        assert_eq!(of("2008-09-15").ok(), Some(vec![date(2008, 9, 15)]));
        assert_eq!(
            of("2020-03-16, 2008-09-15").ok(),
            Some(vec![date(2008, 9, 15), date(2020, 3, 16)])
        );
        assert_eq!(of("15 September 2008").ok(), Some(vec![date(2008, 9, 15)]));
        assert_eq!(of("September 15, 2008").ok(), Some(vec![date(2008, 9, 15)]));
        let fomc = of("FOMC 2022").unwrap_or_default();
        assert_eq!(
            (fomc.len(), fomc[0], fomc[7]),
            (8, date(2022, 1, 26), date(2022, 12, 14))
        );
        // Of the year that is not over, what has taken place.
        assert_eq!(of("fomc 2026").unwrap_or_default().len(), 7);
        assert_eq!(of("NBER peaks").unwrap_or_default().len(), 13);
        assert_eq!(of("nber trough 2009").ok(), Some(vec![date(2009, 6, 30)]));
        for wrong in ["FOMC 1980", "NBER peak 2015", "FOMC", "the crash", ","] {
            assert!(
                of(wrong).is_err_and(|e| e.to_string().contains("after")),
                "{wrong}"
            );
        }
    }
}
