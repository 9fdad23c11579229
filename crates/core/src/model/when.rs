//! A time as people write it: a year, a quarter, a month or a day.

use super::frequency::{Date, Frequency, shift};
use jiff::ToSpan;
use std::fmt;
use std::str::FromStr;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// What is said of a text that has nothing of a date.
const NO_DATE: &str = "is not a date";

/// A year, a quarter, a month or a day, by its first day and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct When {
    /// First day.
    pub from: Date,
    /// Days, months, quarters or years.
    pub length: Frequency,
}

/// What a part of a date says. A date has each once at most, in this order, however they came.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Year(i16),
    Quarter(i8),
    Month(i8),
    Day(i8),
}

impl When {
    /// Reads `2020`, `2020Q1`, `Q1 2020`, `2020-02`, `Feb 2020`, `2020-02-15`, `15 February 2020`, `February 15, 2020`.
    ///
    /// # Errors
    /// What is wrong with it, as the rest of a sentence: "can be 2 March or 3 February". No year is before 1700.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim().to_ascii_lowercase();
        let parts = match text.bytes().any(|b| b.is_ascii_alphabetic()) {
            true => of_words(&text),
            false => of_digits(&text),
        };
        when(parts.ok_or_else(|| slashed(&text))?)
    }

    /// Last day.
    pub fn to(self) -> Date {
        shift(self.from, self.length.period()).saturating_sub(1.day())
    }
}

/// `2020`, `2020-02` or `2020-02-15`.
fn of_digits(text: &str) -> Option<Vec<Part>> {
    let read = |(at, text): (usize, &str)| match (at, text.len()) {
        (0, 4) => digits(text).map(Part::Year),
        (1, 2) => digits(text).map(Part::Month),
        (2, 2) => digits(text).map(Part::Day),
        _ => None,
    };
    text.split('-').enumerate().map(read).collect()
}

/// With a quarter, or a month's name, among its words.
fn of_words(text: &str) -> Option<Vec<Part>> {
    let is_gap = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | '-' | '.');
    let mut parts = Vec::new();
    for word in text.split(is_gap).filter(|word| !word.is_empty()) {
        let Some((year, quarter)) = word.split_once('q') else {
            parts.push(number(word).or_else(|| named(word))?);
            continue;
        };
        if !year.is_empty() {
            parts.push(number(year)?);
        }
        let quarter = Some(quarter).filter(|q| q.len() == 1)?;
        parts.push(digits(quarter).map(Part::Quarter)?);
    }
    Some(parts)
}

/// A year, or a day of the month: `15`, `1st`.
fn number(word: &str) -> Option<Part> {
    let ordinal = ["st", "nd", "rd", "th"].iter();
    let plain = ordinal.fold(word, |word, end| word.strip_suffix(end).unwrap_or(word));
    match plain.len() {
        4 if plain == word => digits(plain).map(Part::Year),
        1 | 2 => digits(plain).map(Part::Day),
        _ => None,
    }
}

/// A month by its name or its first three letters.
fn named(word: &str) -> Option<Part> {
    let is_called = |name: &&str| *name == word || name.get(..3) == Some(word);
    let known = MONTHS.iter().position(is_called);
    let known = known.or((word == "sept").then_some(8))?;
    i8::try_from(known + 1).ok().map(Part::Month)
}

/// The time that the parts make.
fn when(mut parts: Vec<Part>) -> Result<When, String> {
    parts.sort();
    let (year, rest) = match parts.as_slice() {
        [Part::Year(year), rest @ ..] => (Some(*year), rest),
        rest => (None, rest),
    };
    let (month, day, length) = match *rest {
        [] => (1, 1, Frequency::Annual),
        [Part::Quarter(quarter @ 1..=4)] => (quarter * 3 - 2, 1, Frequency::Quarterly),
        [Part::Quarter(other)] => return Err(format!("has a quarter {other}, and there are four")),
        [Part::Month(month)] => (month, 1, Frequency::Monthly),
        [Part::Month(month), Part::Day(day)] => (month, day, Frequency::Daily),
        _ => return Err(NO_DATE.to_owned()),
    };
    let year = year.ok_or("has no year")?;
    let first = Date::new(year, month, 1);
    let first = first.map_err(|_| format!("has a month {month}, and there are twelve"))?;
    match Date::new(year, month, day) {
        Ok(from) if year >= 1700 => Ok(When { from, length }),
        Ok(_) => Err("is before 1700".to_owned()),
        Err(_) => Err(format!(
            "has a day {day}, and that month has {}",
            first.days_in_month()
        )),
    }
}

/// A number of digits and nothing else.
fn digits<T: FromStr>(text: &str) -> Option<T> {
    let is_plain = text.bytes().all(|b| b.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

/// What is wrong with a text that is none of the forms; of `02/03/2008`, what it can be.
fn slashed(text: &str) -> String {
    let numbers: Vec<Option<usize>> = text
        .split(['/', '.', '-'])
        .map(|n| n.parse().ok())
        .collect();
    let name = |month: usize| {
        let name = MONTHS.get(month.checked_sub(1)?)?;
        let (first, rest) = name.split_at_checked(1)?;
        Some(first.to_ascii_uppercase() + rest)
    };
    match numbers.as_slice() {
        [Some(a), Some(b), Some(_)] if a != b => match (name(*a), name(*b)) {
            (Some(first), Some(second)) => format!("can be {a} {second} or {b} {first}"),
            _ => NO_DATE.to_owned(),
        },
        _ => NO_DATE.to_owned(),
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = match self.length {
            Frequency::Daily | Frequency::Weekly | Frequency::Biweekly => "%Y-%m-%d",
            Frequency::Monthly | Frequency::Semiannual => "%Y-%m",
            Frequency::Quarterly => "%Y-Q%q",
            Frequency::Annual => "%Y",
        };
        write!(f, "{}", self.from.strftime(form))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, from, to, shown) in [
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
        ] {
            let when = When::read(text).unwrap();
            let days = (when.from.to_string(), when.to().to_string());
            assert_eq!((days.0.as_str(), days.1.as_str()), (from, to));
            assert_eq!(when.to_string(), shown);
        }
    }

    #[test]
    fn what_is_no_time_is_told_why() {
        for (text, problem) in [
            ("", NO_DATE),
            ("20", NO_DATE),
            ("é020", NO_DATE),
            ("soon", NO_DATE),
            ("2020-2-1", NO_DATE),
            ("15 2008", NO_DATE),
            ("2008 2009 May", NO_DATE),
            ("13/02/2008", NO_DATE),
            ("2020-13", "has a month 13, and there are twelve"),
            ("2020Q5", "has a quarter 5, and there are four"),
            ("2020Q0", "has a quarter 0, and there are four"),
            ("31 June 2020", "has a day 31, and that month has 30"),
            ("2020-02-30", "has a day 30, and that month has 29"),
            ("02/03/2008", "can be 2 March or 3 February"),
            ("31 June", "has no year"),
            ("Q4", "has no year"),
            ("0999", "is before 1700"),
        ] {
            assert_eq!(When::read(text), Err(problem.to_owned()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_time_or_told_why(text in "(\\PC{0,24}|[0-9qQ/ .,-]{0,14}|[0-9]{0,4} ?(Q|Dec|May|31|th)[ ,-]{0,2}[0-9]{0,5})") {
            match When::read(&text) {
                Ok(when) => prop_assert!(when.from <= when.to() && when.from.year() >= 1700),
                Err(problem) => prop_assert!(!problem.is_empty()),
            }
        }
    }
}
