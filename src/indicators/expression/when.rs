//! A time as people write it in a formula: a year, a quarter, a month or a day.

use crate::model::Date;
use crate::model::frequency::{Frequency, shift};
use jiff::ToSpan;
use std::fmt;

/// A year, a quarter, a month or a day, by its first day and its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct When {
    /// First day.
    pub from: Date,
    /// Days, months, quarters or years.
    pub length: Frequency,
}

impl When {
    /// Reads `2020`, `2020Q1`, `2020-Q1`, `2020-02` and `2020-02-15`; `None` for what is none of them, or before 1700.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.bytes();
        let plain = bytes.map(|b| if b.is_ascii_digit() { b'9' } else { b });
        let (from, length) = match plain.collect::<Vec<u8>>().as_slice() {
            b"9999" => (format!("{text}-01-01"), Frequency::Annual),
            b"9999-99" => (format!("{text}-01"), Frequency::Monthly),
            b"9999-99-99" => (text.to_owned(), Frequency::Daily),
            [b'9', b'9', b'9', b'9', .., b'q' | b'Q', b'9'] if text.len() <= 7 => {
                let quarter: u8 = text.get(text.len() - 1..)?.parse().ok()?;
                let month = quarter.checked_sub(1)? * 3 + 1;
                (
                    format!("{}-{month:02}-01", text.get(..4)?),
                    Frequency::Quarterly,
                )
            }
            _ => return None,
        };
        let from: Date = from.parse().ok()?;
        (from.year() >= 1700).then_some(Self { from, length })
    }

    /// Last day.
    pub fn to(self) -> Date {
        shift(self.from, self.length.period()).saturating_sub(1.day())
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

    #[test]
    fn times_are_read_as_people_write_them() {
        for (text, from, to, shown) in [
            ("2020", "2020-01-01", "2020-12-31", "2020"),
            ("2019Q4", "2019-10-01", "2019-12-31", "2019-Q4"),
            ("2019-q1", "2019-01-01", "2019-03-31", "2019-Q1"),
            ("2020-02", "2020-02-01", "2020-02-29", "2020-02"),
            ("2020-02-15", "2020-02-15", "2020-02-15", "2020-02-15"),
        ] {
            let when = When::parse(text).unwrap();
            let days = (when.from.to_string(), when.to().to_string());
            assert_eq!((days.0.as_str(), days.1.as_str()), (from, to));
            assert_eq!(when.to_string(), shown);
        }
        for text in [
            "",
            "20",
            "2020-13",
            "2020Q5",
            "2020Q0",
            "2020--Q1",
            "0999",
            "2020-02-30",
            "é020",
        ] {
            assert_eq!(When::parse(text), None, "{text}");
        }
    }
}
