//! Ranges of days, and parsing of a year, quarter, month or day in the notations that people use.

use super::frequency::{Date, Frequency, shift};
use jiff::ToSpan;
use std::fmt;
use std::str::FromStr;

/// The problem of a text without a date.
const NO_DATE: &str = "is not a date";

/// A year, quarter, month or day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalendarPeriod {
    /// First day.
    pub from: Date,
    /// Daily, monthly, quarterly or annual.
    pub length: Frequency,
}

/// The days from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateRange {
    /// First day.
    pub start: Date,
    /// Last day; before `start` if the range is empty.
    pub end: Date,
}

impl DateRange {
    /// Creates the range from its first and its last day.
    pub const fn new(start: Date, end: Date) -> Self {
        Self { start, end }
    }

    /// Returns whether it begins with all there is: no figure is older than 1700.
    pub fn is_open(self) -> bool {
        self.start.year() <= 1700
    }

    /// Returns whether it contains a day.
    pub fn contains(self, day: Date) -> bool {
        (self.start..=self.end).contains(&day)
    }
}

/// "from 2020-01-01 to 2020-12-31", "on 2020-01-01", "up to 2020-12-31".
impl fmt::Display for DateRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, end } = self;
        if self.is_open() {
            write!(f, "up to {end}")
        } else if start == end {
            write!(f, "on {end}")
        } else {
            write!(f, "from {start} to {end}")
        }
    }
}

/// A part of a date. A date has each at most once; they sort in this order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Year(i16),
    Quarter(i8),
    Month(i8),
    Day(i8),
}

impl CalendarPeriod {
    /// Parses `2020`, `2020Q1`, `Q1 2020`, `2020-02`, `Feb 2020`, `Feb-20`, `2020-02-15`, `15 February 2020`, `February 15,
    /// 2020`, `15.02.2020`, and months in German, French, Spanish and Italian.
    ///
    /// # Errors
    /// The problem as the predicate of a sentence: "is ambiguous: 2 March or 3 February". Years before 1700 are refused.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words = text.trim().to_lowercase();
        let parts = if words.contains(char::is_alphabetic) {
            parse_short(&words).or_else(|| parse_words(&words))
        } else {
            parse_iso(&words).or_else(|| parse_day_first(&words))
        };
        from_parts(parts.ok_or_else(|| describe_problem(&words))?)
    }

    /// Returns the last day.
    pub fn last_day(self) -> Date {
        shift(self.from, self.length.period()).saturating_sub(1.day())
    }
}

/// Parses `2020`, `2020-02` or `2020-02-15`.
fn parse_iso(text: &str) -> Option<Vec<Part>> {
    let parse = |(index, text): (usize, &str)| match (index, text.len()) {
        (0, 4) => parse_digits(text).map(Part::Year),
        (1, 2) => parse_digits(text).map(Part::Month),
        (2, 2) => parse_digits(text).map(Part::Day),
        _ => None,
    };
    text.split('-').enumerate().map(parse).collect()
}

/// Parses `30/06/2025` and `17.09.2024`, also with the month first, where no month has that number.
fn parse_day_first(text: &str) -> Option<Vec<Part>> {
    let numbers: Vec<&str> = text.split(['/', '.']).collect();
    let [first, second, year] = *numbers.as_slice() else {
        return None;
    };
    let first: i8 = parse_digits(first)?;
    let second: i8 = parse_digits(second)?;
    let year = parse_digits(year).filter(|_| year.len() == 4)?;
    let is_month = |number| (1..=12).contains(&number);
    let (day, month) = if is_month(second) {
        (first, second)
    } else {
        (second, first)
    };
    let is_clear = is_month(month) && (day == month || !is_month(day));
    is_clear.then(|| vec![Part::Year(year), Part::Month(month), Part::Day(day)])
}

/// Parses `jul-26`, a month and the last two digits of a year from 1970 to 2069.
fn parse_short(text: &str) -> Option<Vec<Part>> {
    let (month, year) = text.split_once('-').filter(|(_, year)| year.len() == 2)?;
    let year: i16 = parse_digits(year)?;
    let century = if year < 70 { 2000 } else { 1900 };
    Some(vec![parse_month(month)?, Part::Year(century + year)])
}

/// Parses words with a quarter or the name of a month.
fn parse_words(text: &str) -> Option<Vec<Part>> {
    let is_separator = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | '-' | '.');
    let mut parts = Vec::new();
    let is_read = |word: &&str| !["", "de", "of"].contains(word);
    for word in text.split(is_separator).filter(is_read) {
        let Some((year, quarter)) = word.split_once('q') else {
            parts.push(parse_number(word).or_else(|| parse_month(word))?);
            continue;
        };
        if !year.is_empty() {
            parts.push(parse_number(year)?);
        }
        let quarter = Some(quarter).filter(|q| q.len() == 1)?;
        parts.push(parse_digits(quarter).map(Part::Quarter)?);
    }
    Some(parts)
}

/// Parses a year, or a day of the month: `15`, `1st`.
fn parse_number(word: &str) -> Option<Part> {
    let suffixes = ["st", "nd", "rd", "th"].iter();
    let number = suffixes.fold(word, |word, suffix| {
        word.strip_suffix(suffix).unwrap_or(word)
    });
    match number.len() {
        4 if number == word => parse_digits(number).map(Part::Year),
        1 | 2 => parse_digits(number).map(Part::Day),
        _ => None,
    }
}

/// The months in English, German, French, Spanish and Italian.
const MONTHS: [&str; 12] = [
    "january januar jänner janvier enero gennaio",
    "february februar février fevrier febrero febbraio",
    "march märz maerz mrz mars marzo",
    "april avril abril aprile",
    "may mai mayo maggio",
    "june juni juin junio giugno",
    "july juli juillet julio luglio",
    "august août aout agosto",
    "september septembre septiembre setiembre settembre",
    "october oktober octobre octubre ottobre",
    "november novembre noviembre",
    "december dezember décembre decembre diciembre dicembre",
];

/// Parses a month by its name or at least three first letters, if only one month has them.
fn parse_month(word: &str) -> Option<Part> {
    let is_named = |names: &str| names.split(' ').any(|name| name.starts_with(word));
    let mut months = (1i8..).zip(MONTHS).filter(|(_, names)| is_named(names));
    let (month, _) = months.next().filter(|_| word.chars().count() >= 3)?;
    months.next().is_none().then_some(Part::Month(month))
}

fn from_parts(mut parts: Vec<Part>) -> Result<CalendarPeriod, String> {
    parts.sort();
    let (given_year, rest) = match parts.as_slice() {
        [Part::Year(year), rest @ ..] => (Some(*year), rest),
        rest => (None, rest),
    };
    let (month, day, length) = match *rest {
        [] => (1, 1, Frequency::Annual),
        [Part::Quarter(quarter @ 1..=4)] => (quarter * 3 - 2, 1, Frequency::Quarterly),
        [Part::Quarter(other)] => return Err(format!("has quarter {other}; quarters are 1 to 4")),
        [Part::Month(month)] => (month, 1, Frequency::Monthly),
        [Part::Month(month), Part::Day(day)] => (month, day, Frequency::Daily),
        _ => return Err(NO_DATE.to_owned()),
    };
    let year = given_year.ok_or("has no year")?;
    let first =
        Date::new(year, month, 1).map_err(|_| format!("has month {month}; months are 1 to 12"))?;
    match Date::new(year, month, day) {
        Ok(from) if year >= 1700 => Ok(CalendarPeriod { from, length }),
        Ok(_) => Err("is before 1700".to_owned()),
        Err(_) => Err(format!(
            "has day {day}; that month has {} days",
            first.days_in_month()
        )),
    }
}

/// Parses a number that has only digits.
fn parse_digits<T: FromStr>(text: &str) -> Option<T> {
    let is_number = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Describes what is wrong with a text in no known notation, or both meanings of `02/03/2008`.
fn describe_problem(text: &str) -> String {
    let parts = text.split(['/', '.', '-']);
    let numbers: Vec<Option<u64>> = parts.map(|n| n.parse().ok()).collect();
    let name = |month: u64| {
        let first = Date::new(2000, i8::try_from(month).ok()?, 1).ok()?;
        Some(first.strftime("%B").to_string())
    };
    if let [Some(a), Some(b), Some(_)] = numbers.as_slice()
        && let (Some(first), Some(second)) = (name(*a), name(*b))
        && a != b
    {
        return format!("is ambiguous: {a} {second} or {b} {first}");
    }
    NO_DATE.to_owned()
}

impl fmt::Display for CalendarPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = match self.length {
            Frequency::Daily | Frequency::Weekly | Frequency::Biweekly => "%Y-%m-%d",
            Frequency::Monthly | Frequency::Semiannual => "%Y-%m",
            Frequency::Quarterly => "%Y-Q%q",
            Frequency::Annual => "%Y",
        };
        write!(f, "{}", self.from.strftime(format))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn common_notations_are_parsed() {
        for (text, from, to, displayed) in [
            ("2020", "2020-01-01", "2020-12-31", "2020"),
            ("2019Q4", "2019-10-01", "2019-12-31", "2019-Q4"),
            ("2019-q1", "2019-01-01", "2019-03-31", "2019-Q1"),
            ("Q3 2019", "2019-07-01", "2019-09-30", "2019-Q3"),
            ("2019 Q2", "2019-04-01", "2019-06-30", "2019-Q2"),
            ("2020-02", "2020-02-01", "2020-02-29", "2020-02"),
            ("December 2008", "2008-12-01", "2008-12-31", "2008-12"),
            ("dec 2008", "2008-12-01", "2008-12-31", "2008-12"),
            ("Sept. 2008", "2008-09-01", "2008-09-30", "2008-09"),
            ("2020-02-15", "2020-02-15", "2020-02-15", "2020-02-15"),
            (
                " 15 December 2008 ",
                "2008-12-15",
                "2008-12-15",
                "2008-12-15",
            ),
            (
                "December 15, 2008",
                "2008-12-15",
                "2008-12-15",
                "2008-12-15",
            ),
            ("Dec 1st 2008", "2008-12-01", "2008-12-01", "2008-12-01"),
            ("15-Dec-2008", "2008-12-15", "2008-12-15", "2008-12-15"),
            ("30/06/2025", "2025-06-30", "2025-06-30", "2025-06-30"),
            ("06/30/2025", "2025-06-30", "2025-06-30", "2025-06-30"),
            ("17.09.2024", "2024-09-17", "2024-09-17", "2024-09-17"),
            ("März 2022", "2022-03-01", "2022-03-31", "2022-03"),
            ("août 2019", "2019-08-01", "2019-08-31", "2019-08"),
            (
                "15 de diciembre de 2008",
                "2008-12-15",
                "2008-12-15",
                "2008-12-15",
            ),
            ("giugno 2020", "2020-06-01", "2020-06-30", "2020-06"),
            ("jul-26", "2026-07-01", "2026-07-31", "2026-07"),
        ] {
            let when = CalendarPeriod::parse(text).unwrap();
            let days = (when.from.to_string(), when.last_day().to_string());
            assert_eq!((days.0.as_str(), days.1.as_str()), (from, to));
            assert_eq!(when.to_string(), displayed);
        }
    }

    #[test]
    fn invalid_dates_are_refused_with_a_reason() {
        for (text, problem) in [
            ("", NO_DATE),
            ("20", NO_DATE),
            ("é020", NO_DATE),
            ("soon", NO_DATE),
            ("2020-2-1", NO_DATE),
            ("15 2008", NO_DATE),
            ("2008 2009 May", NO_DATE),
            ("13/13/2008", NO_DATE),
            ("2020-13", "has month 13; months are 1 to 12"),
            ("2020Q5", "has quarter 5; quarters are 1 to 4"),
            ("2020Q0", "has quarter 0; quarters are 1 to 4"),
            ("31 June 2020", "has day 31; that month has 30 days"),
            ("2020-02-30", "has day 30; that month has 29 days"),
            ("02/03/2008", "is ambiguous: 2 March or 3 February"),
            ("31 June", "has no year"),
            ("Q4", "has no year"),
            ("0999", "is before 1700"),
        ] {
            assert_eq!(
                CalendarPeriod::parse(text),
                Err(problem.to_owned()),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_refused(text in "(\\PC{0,24}|[0-9qQ/ .,-]{0,14}|[0-9]{0,4} ?(Q|Dec|May|31|th)[ ,-]{0,2}[0-9]{0,5})") {
            match CalendarPeriod::parse(&text) {
                Ok(when) => prop_assert!(when.from <= when.last_day() && when.from.year() >= 1700),
                Err(problem) => prop_assert!(!problem.is_empty()),
            }
        }
    }
}
