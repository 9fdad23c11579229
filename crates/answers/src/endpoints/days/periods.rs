//! Periods as one argument: days, several of them, and ranges.

use super::{When, read, rejoined, span};
use econoscope_core::error::{Error, Result};
use econoscope_core::indicators::prose::joined;
use econoscope_core::model::Date;

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
    parts
        .iter()
        .map(|part| of_part(field, part, today))
        .collect()
}

fn of_part(field: &str, part: &str, today: Date) -> Result<Periods> {
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
    match from > to {
        true => Err(Error::invalid(
            field,
            part,
            "ends before it starts",
            "a range as 2008-01..2008-12",
        )),
        false => Ok(Periods::Range(from, to)),
    }
}

/// What periods were taken for, where that is more than their text says; `None` where it is not.
/// Shape: "2008Q4, read as 2008-12-31".
pub(super) fn told(field: &str, text: &str, today: Date) -> Option<String> {
    let parts = parts(text);
    let said = parts.iter().filter_map(|part| {
        let is_plain = part.parse::<Date>().is_ok() || span(part).is_some();
        match of_part(field, part, today).ok()? {
            Periods::Of(_) if is_plain => None,
            Periods::Of(day) => Some(format!("{part}, read as {day}")),
            Periods::Range(from, to) => Some(format!("{part}, read as {from} to {to}")),
        }
    });
    let said = joined(said, "; ");
    (!said.is_empty()).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

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
        let said = |text| told("date", text, TODAY);
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
}
