//! A time as people write it: a year, a quarter, a month or a day.

use super::frequency::{Date, Frequency, shift};
use jiff::ToSpan;
use std::fmt;

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

/// What the parts of a date say, in whatever order they come.
#[derive(Default)]
struct Parts {
    year: Option<i16>,
    quarter: Option<i8>,
    month: Option<i8>,
    day: Option<i8>,
}

impl When {
    /// Reads `2020`, `2020Q1`, `Q1 2020`, `2020-02`, `Feb 2020`, `2020-02-15`, `15 February 2020`, `February 15, 2020`.
    ///
    /// # Errors
    /// What is wrong with it, as the rest of a sentence: "can be 2 March or 3 February". No year is before 1700.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim().to_ascii_lowercase();
        let parts = match text.bytes().any(|b| b.is_ascii_alphabetic()) {
            true => Parts::of_words(&text),
            false => Parts::of_digits(&text),
        };
        parts.ok_or_else(|| slashed(&text))?.when()
    }

    /// Last day.
    pub fn to(self) -> Date {
        shift(self.from, self.length.period()).saturating_sub(1.day())
    }
}

impl Parts {
    /// `2020`, `2020-02` or `2020-02-15`.
    fn of_digits(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut next = |length: usize| -> Option<Option<i16>> {
            let Some(part) = parts.next() else {
                return Some(None);
            };
            digits(part).filter(|_| part.len() == length).map(Some)
        };
        let (year, month, day) = (next(4)?, next(2)?, next(2)?);
        parts.next().is_none().then_some(Self {
            year,
            quarter: None,
            month: month.and_then(|n| n.try_into().ok()),
            day: day.and_then(|n| n.try_into().ok()),
        })
    }

    /// With a quarter, or a month's name, among its words.
    fn of_words(text: &str) -> Option<Self> {
        let mut parts = Self::default();
        let is_gap = |c: char| c.is_ascii_whitespace() || matches!(c, ',' | '-' | '.');
        for word in text.split(is_gap).filter(|word| !word.is_empty()) {
            let is_new = match word.split_once('q') {
                Some((year, quarter)) => {
                    let year = (!year.is_empty()).then_some(year);
                    year.is_none_or(|word| parts.number(word)) && parts.quarter(quarter)
                }
                None => parts.number(word) || parts.named(word),
            };
            if !is_new {
                return None;
            }
        }
        Some(parts)
    }

    /// Takes a year, or a day of the month: `15`, `1st`.
    fn number(&mut self, word: &str) -> bool {
        let ordinal = ["st", "nd", "rd", "th"].iter();
        let plain = ordinal.fold(word, |word, end| word.strip_suffix(end).unwrap_or(word));
        match (digits(plain), plain.len()) {
            (Some(year), 4) if plain == word => self.year.replace(year).is_none(),
            (Some(day), 1 | 2) => self.day.replace(day.try_into().unwrap_or(0)).is_none(),
            _ => false,
        }
    }

    fn quarter(&mut self, word: &str) -> bool {
        let quarter = digits(word).filter(|_| word.len() == 1);
        let quarter = quarter.and_then(|n| n.try_into().ok());
        quarter.is_some_and(|n| self.quarter.replace(n).is_none())
    }

    /// Takes a month by its name or its first three letters.
    fn named(&mut self, word: &str) -> bool {
        let is_called = |name: &&str| *name == word || name.get(..3) == Some(word);
        let known = MONTHS.iter().position(is_called);
        let known = known.or((word == "sept").then_some(8));
        let month = known.and_then(|n| i8::try_from(n + 1).ok());
        month.is_some_and(|n| self.month.replace(n).is_none())
    }

    /// The time that the parts make.
    fn when(&self) -> Result<When, String> {
        let (month, length) = match (self.quarter, self.month, self.day) {
            (Some(quarter), None, None) => match quarter {
                1..=4 => (quarter * 3 - 2, Frequency::Quarterly),
                other => return Err(format!("has a quarter {other}, and there are four")),
            },
            (None, Some(month), None) => (month, Frequency::Monthly),
            (None, Some(month), Some(_)) => (month, Frequency::Daily),
            (None, None, None) => (1, Frequency::Annual),
            _ => return Err(NO_DATE.to_owned()),
        };
        let Some(year) = self.year else {
            return Err("has no year".to_owned());
        };
        let first = Date::new(year, month, 1);
        let first = first.map_err(|_| format!("has a month {month}, and there are twelve"))?;
        let day = self.day.unwrap_or(1);
        match Date::new(year, month, day) {
            Ok(from) if year >= 1700 => Ok(When { from, length }),
            Ok(_) => Err("is before 1700".to_owned()),
            Err(_) => Err(format!(
                "has a day {day}, and that month has {}",
                first.days_in_month()
            )),
        }
    }
}

/// A number of at most four digits and nothing else.
fn digits(text: &str) -> Option<i16> {
    let is_plain = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
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
