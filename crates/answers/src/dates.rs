//! Date arguments, read alike by all endpoints: written out, in words, or counted back.
//!
//! A period is its last day, or its first for an argument that starts something ([`STARTS`]).

mod lists;

pub(crate) use lists::{EventScope, Periods, event_days, parse_periods, split_list};

use crate::prelude::*;
use econoscope_core::model::CalendarPeriod;
use jiff::Span;

/// The arguments that are dates.
pub const NAMES: [&str; 7] = ["start", "since", "after", "end", "as_of", "date", "dates"];

/// The date arguments that may name several days, by commas.
pub(crate) const LISTS: [&str; 3] = ["as_of", "date", "dates"];

/// The date arguments that start something.
const STARTS: [&str; 3] = ["start", "since", "after"];

/// How dates may be written.
pub const FORMS: &str = "2008-12-31, 15 December 2008, 2008-12, Dec 2008, 2008Q4, 2008, today, yesterday, \
    back from the end 30d, 6m, 5y or ytd, or max";

/// Most trading days in a length of time: some eighty years.
const MAX_TRADING_DAYS: u16 = 20_000;

/// Reads a date argument. Lengths of time count back from `base`; a period that is not over ends `today`.
///
/// # Errors
/// [`Error::InvalidParam`] naming the field, what is wrong with it, and how dates may be written.
pub fn read(field: &str, text: &str, base: Date, today: Date) -> Result<Date> {
    let is_start = STARTS.contains(&field);
    let word = text.trim().to_ascii_lowercase();
    // Of an instant the day counts: 2024-01-01T00:00:00Z.
    let instant = word.split_once('t').filter(|(day, time)| {
        day.parse::<Date>().is_ok() && time.starts_with(|c: char| c.is_ascii_digit())
    });
    Ok(match instant.map_or(&*word, |(day, _)| day) {
        "now" | "today" => today,
        "latest" if ["as_of", "dates", "end"].contains(&field) => today,
        "yesterday" => shift(today, (-1).days()),
        "max" if is_start => jiff::civil::date(1700, 1, 1),
        "max" => base,
        "ytd" => base.first_of_year(),
        word => match (span(word), CalendarPeriod::parse(word)) {
            (Some(length), _) => shift(base, length.negate()),
            (None, Ok(when)) if is_start => when.from,
            (None, Ok(when)) if when.from <= today => when.last_day().min(today),
            (None, Ok(when)) => when.last_day(),
            (None, Err(describe_error)) => {
                return Err(Error::invalid(field, text, &describe_error, FORMS));
            }
        },
    })
}

/// Joins the parts of dates that a split at commas has torn apart, as in `December 15, 2008`.
pub(crate) fn join_split_dates<'a>(parts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut dates: Vec<String> = Vec::new();
    for part in parts {
        let is_year = part.len() == 4 && part.bytes().all(|b| b.is_ascii_digit());
        match dates.last_mut().filter(|_| is_year) {
            Some(before) if CalendarPeriod::parse(&format!("{before} {part}")).is_ok() => {
                *before += ", ";
                *before += part;
            }
            Some(_) | None => dates.push(part.to_owned()),
        }
    }
    dates
}

/// Whether a text lists more than one date.
pub(crate) fn is_several(text: &str) -> bool {
    split_list(text).len() > 1
}

/// Reads an `as_of` argument of one day; without one, the newest data count.
///
/// # Errors
/// [`Error::InvalidParam`] for what is no date, and for several days.
pub(crate) fn parse_one_as_of(text: Option<&str>, today: Date) -> Result<AsOf> {
    text.map_or(Ok(AsOf::Latest), |text| {
        if is_several(text) {
            let allowed =
                "one day; get_time_series takes up to five where it answers from data of its own";
            return Err(Error::invalid("as_of", text, "names several days", allowed));
        }
        read("as_of", text, today, today).map(AsOf::Day)
    })
}

/// Reads the `as_of` argument of a local answer; without one, the newest data count.
///
/// # Errors
/// [`Error::InvalidParam`] for what is no date, lies in the future, or names several days.
pub fn parse_as_of(desk: &Desk, text: Option<&str>) -> Result<AsOf> {
    let today = desk.today();
    match parse_one_as_of(text, today)? {
        AsOf::Day(day) if day > today => {
            let allowed = format!("a day up to {today}");
            let problem = "lies in the future";
            Err(Error::invalid("as_of", &day.to_string(), problem, &allowed))
        }
        // A locked desk answers as known on its day, and says so.
        AsOf::Latest if desk.settings().lock.is_some() => Ok(AsOf::Day(today)),
        AsOf::Day(day) if day == today && desk.settings().lock.is_none() => Ok(AsOf::Latest),
        as_of @ (AsOf::Day(_) | AsOf::Latest) => Ok(as_of),
    }
}

/// Returns the newest day that an answer may speak of.
pub(crate) fn newest(as_of: AsOf, today: Date) -> Date {
    match as_of {
        AsOf::Day(day) => day,
        AsOf::Latest => today,
    }
}

/// Reads a range, by default the last 365 days.
///
/// # Errors
/// [`Error::InvalidParam`] for what is no date, a start in the future, and a start after the end.
pub(crate) fn range(
    start: Option<&str>,
    end: Option<&str>,
    as_of: AsOf,
    today: Date,
) -> Result<DateRange> {
    let newest = newest(as_of, today);
    let last = end.map_or(Ok(newest), |text| read("end", text, newest, today))?;
    let first = self::start(start.unwrap_or("365d"), last, today)?;
    Ok(DateRange::new(first, last))
}

/// Reads the first day of a range that ends on `end`.
///
/// # Errors
/// [`Error::InvalidParam`] for what is no date, a start in the future, and a start after the end.
pub(crate) fn start(text: &str, end: Date, today: Date) -> Result<Date> {
    let start = read("start", text, end, today)?;
    let (problem, allowed) = if start > end {
        ("is after end", format!("a day on or before end ({end})"))
    } else if start > today {
        ("lies in the future", format!("a day up to {today}"))
    } else {
        return Ok(start);
    };
    let text = start.to_string();
    Err(Error::invalid("start", &text, problem, &allowed))
}

/// Reads a length of time: `30d`, `2w`, `6m`, `5y`.
///
/// # Errors
/// [`Error::InvalidParam`] naming the field and an example.
pub(crate) fn parse_span(field: &str, text: &str) -> Result<Span> {
    let allowed = "a length as 30d, 2w, 6m or 5y, or in trading days 250td";
    span(text).ok_or_else(|| Error::invalid(field, text, "is not a length of time", allowed))
}

/// Reads a count of trading days: `250td`, `250 trading days`.
pub(crate) fn trading_days(text: &str) -> Option<u16> {
    let lower = text.trim().to_ascii_lowercase();
    let (number, unit) = split_number(&lower)?;
    let is_unit = matches!(unit.trim_start(), "td" | "trading day" | "trading days");
    let n = number.parse().ok().filter(|_| is_unit);
    n.filter(|n| (1..=MAX_TRADING_DAYS).contains(n))
}

/// Splits a text after the digits at its start.
fn split_number(text: &str) -> Option<(&str, &str)> {
    text.split_at_checked(text.find(|c: char| !c.is_ascii_digit())?)
}

fn span(text: &str) -> Option<Span> {
    let lower = text.trim().to_ascii_lowercase();
    let (number, unit) = split_number(lower.strip_suffix(" ago").unwrap_or(&lower))?;
    let n: i64 = number.parse().ok().filter(|n| (1..=400_000).contains(n))?;
    match unit.trim_start() {
        "d" | "day" | "days" => Some(n.days()),
        "w" | "week" | "weeks" if n <= 16_000 => Some(n.weeks()),
        "m" | "month" | "months" if n <= 4_000 => Some(n.months()),
        "y" | "year" | "years" if n <= 320 => Some(n.years()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    const TODAY: Date = date(2026, 8, 20);

    fn day(field: &str, text: &str) -> Option<Date> {
        read(field, text, TODAY, TODAY).ok()
    }

    #[test]
    fn relative_ranges_count_back_from_the_end() {
        assert_eq!(day("start", "5y"), Some(date(2021, 8, 20)));
        assert_eq!(day("start", "6M"), Some(date(2026, 2, 20)));
        assert_eq!(day("since", "2w"), Some(date(2026, 8, 6)));
        assert_eq!(day("end", "2 weeks ago"), Some(date(2026, 8, 6)));
        assert_eq!(day("start", "ytd"), Some(date(2026, 1, 1)));
        for other in ["", "999999999y", "y", "5 light years", "-5y"] {
            assert_eq!(day("start", other), None, "{other}");
        }
    }

    #[test]
    fn period_is_its_first_day_for_a_start_else_its_last() {
        for (text, first, last) in [
            ("2008-12", date(2008, 12, 1), date(2008, 12, 31)),
            ("Q4 2008", date(2008, 10, 1), date(2008, 12, 31)),
            ("2026", date(2026, 1, 1), TODAY),
            ("August 2026", date(2026, 8, 1), TODAY),
            ("2027", date(2027, 1, 1), date(2027, 12, 31)),
            ("2026-08-25", date(2026, 8, 25), date(2026, 8, 25)),
            ("max", date(1700, 1, 1), TODAY),
            ("yesterday", date(2026, 8, 19), date(2026, 8, 19)),
            ("now", TODAY, TODAY),
        ] {
            for field in NAMES {
                let expected = if STARTS.contains(&field) { first } else { last };
                assert_eq!(day(field, text), Some(expected), "{field}={text}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "(\\PC{0,24}|[0-9]{1,9} ?[dwmyMY]|[0-9a-zé/ ,-]{0,14})", n in 0usize..7) {
            if let Ok(day) = read(NAMES[n], &text, TODAY, TODAY) {
                prop_assert!(day.year() >= 0, "{day}");
            }
        }
    }
}
