//! How long a period is, and the calendar arithmetic that follows from it.

use super::Date;
use jiff::{Span, ToSpan};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Length of a series' period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Frequency {
    /// Business or calendar days.
    #[serde(rename = "D")]
    Daily,
    /// Weeks, stamped with the day the source uses (Wednesday, Friday, Saturday …), which ends the week.
    #[serde(rename = "W")]
    Weekly,
    /// Months, stamped with their first day.
    #[serde(rename = "M")]
    Monthly,
    /// Quarters, stamped with their first day.
    #[serde(rename = "Q")]
    Quarterly,
    /// Years, stamped with their first day.
    #[serde(rename = "A")]
    Annual,
}

impl Frequency {
    /// Every frequency, the finest first.
    pub const ALL: [Self; 5] = [
        Self::Daily,
        Self::Weekly,
        Self::Monthly,
        Self::Quarterly,
        Self::Annual,
    ];

    /// One-letter code of FRED and SDMX.
    pub fn code(self) -> &'static str {
        match self {
            Self::Daily => "D",
            Self::Weekly => "W",
            Self::Monthly => "M",
            Self::Quarterly => "Q",
            Self::Annual => "A",
        }
    }

    /// The word for a sentence: "monthly".
    pub fn word(self) -> &'static str {
        match self {
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Monthly => "monthly",
            Self::Quarterly => "quarterly",
            Self::Annual => "annual",
        }
    }

    /// Last day of the period stamped `date`. Weekly stamps already end their week.
    pub fn period_end(self, date: Date) -> Date {
        let last =
            |months: i64| shift(date.first_of_month(), months.months()).saturating_sub(1.day());
        match self {
            Self::Daily | Self::Weekly => date,
            Self::Monthly => last(1),
            Self::Quarterly => last(3),
            Self::Annual => last(12),
        }
    }

    /// The period's length as a calendar span.
    pub fn period(self) -> Span {
        match self {
            Self::Daily => 1.day(),
            Self::Weekly => 7.days(),
            Self::Monthly => 1.month(),
            Self::Quarterly => 3.months(),
            Self::Annual => 1.year(),
        }
    }

    /// Days a figure may be late beyond lag and one period before it counts as stale (METHODS 0.4).
    pub fn slack_days(self) -> i64 {
        match self {
            Self::Daily | Self::Weekly => 7,
            Self::Monthly => 15,
            Self::Quarterly | Self::Annual => 30,
        }
    }

    /// First day of the period of this frequency that holds `date`; weeks end on Friday.
    pub fn stamp(self, date: Date) -> Date {
        match self {
            Self::Daily => date,
            Self::Weekly => {
                let ahead = (jiff::civil::Weekday::Friday.to_monday_zero_offset()
                    - date.weekday().to_monday_zero_offset())
                .rem_euclid(7);
                shift(date, i64::from(ahead).days())
            }
            Self::Monthly => date.first_of_month(),
            Self::Quarterly => {
                let back = i64::from((date.month() - 1) % 3);
                shift(date.first_of_month(), (-back).months())
            }
            Self::Annual => date.first_of_year(),
        }
    }

    /// Periods in a year, for annualising; daily counts calendar-free business days.
    pub fn per_year(self) -> f64 {
        match self {
            Self::Daily => 252.0,
            Self::Weekly => 52.0,
            Self::Monthly => 12.0,
            Self::Quarterly => 4.0,
            Self::Annual => 1.0,
        }
    }
}

/// `date` moved by a span, held at the calendar's ends instead of failing.
pub fn shift(date: Date, by: Span) -> Date {
    date.saturating_add(by)
}

/// Whole days from `from` to `to`; negative when `to` is earlier.
pub fn days_between(from: Date, to: Date) -> i64 {
    i64::from(day_number(to)) - i64::from(day_number(from))
}

/// The calendar repeats itself after 400 years, which have so many days.
const ERA: i32 = 146_097;
/// Days from 0000-03-01, where a year that ends with its leap day begins, to 1970-01-01.
const BEFORE_1970: i32 = 719_468;

/// Days since 1970-01-01. Whole histories are read and written by it, so it is arithmetic and no time span.
pub fn day_number(date: Date) -> i32 {
    let month = i32::from(date.month());
    let year = i32::from(date.year()) - i32::from(month <= 2);
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let months = (month + 9) % 12;
    let day = (153 * months + 2) / 5 + i32::from(date.day()) - 1;
    era * ERA + year * 365 + year / 4 - year / 100 + day - BEFORE_1970
}

/// The day `number` days after 1970-01-01, if the calendar holds it.
pub fn day_from_number(number: i32) -> Option<Date> {
    let days = number.checked_add(BEFORE_1970)?;
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let months = (5 * day + 2) / 153;
    let month = if months < 10 { months + 3 } else { months - 9 };
    let year = era * 400 + year + i32::from(month <= 2);
    Date::new(
        i16::try_from(year).ok()?,
        i8::try_from(month).ok()?,
        i8::try_from(day - (153 * months + 2) / 5 + 1).ok()?,
    )
    .ok()
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Frequency {
    type Err = ();

    /// Reads a FRED code or word in any case: `D`, `daily`, `m`, `Quarterly` …
    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.trim().to_ascii_lowercase();
        Self::ALL
            .into_iter()
            .find(|f| text == f.word() || text.eq_ignore_ascii_case(f.code()))
            .ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn a_period_ends_on_its_last_day() {
        assert_eq!(
            Frequency::Monthly.period_end(date(2026, 2, 1)),
            date(2026, 2, 28)
        );
        assert_eq!(
            Frequency::Quarterly.period_end(date(2026, 4, 1)),
            date(2026, 6, 30)
        );
        assert_eq!(
            Frequency::Annual.period_end(date(2024, 1, 1)),
            date(2024, 12, 31)
        );
        assert_eq!(
            Frequency::Weekly.period_end(date(2026, 8, 19)),
            date(2026, 8, 19)
        );
    }

    #[test]
    fn stamps_are_period_starts_and_weeks_end_on_friday() {
        assert_eq!(
            Frequency::Quarterly.stamp(date(2026, 8, 19)),
            date(2026, 7, 1)
        );
        assert_eq!(
            Frequency::Weekly.stamp(date(2026, 8, 19)),
            date(2026, 8, 21)
        );
        assert_eq!(
            Frequency::Weekly.stamp(date(2026, 8, 21)),
            date(2026, 8, 21)
        );
        assert_eq!(
            Frequency::Weekly.stamp(date(2026, 8, 22)),
            date(2026, 8, 28)
        );
    }

    #[test]
    fn day_numbers_go_both_ways() {
        for d in [date(1854, 1, 1), date(1970, 1, 1), date(2026, 11, 21)] {
            assert_eq!(day_from_number(day_number(d)), Some(d));
        }
        assert_eq!(days_between(date(2026, 1, 1), date(2026, 3, 1)), 59);
        for outside in [
            i32::MIN,
            i32::MAX,
            day_number(Date::MAX) + 1,
            day_number(Date::MIN) - 1,
        ] {
            assert_eq!(day_from_number(outside), None);
        }
        // Every day of two eras around the present, and the ends of the calendar, by the library's own way.
        let own = |number: i32| {
            let span = jiff::SignedDuration::from_hours(i64::from(number) * 24);
            date(1970, 1, 1).checked_add(span).ok()
        };
        let ends = [day_number(Date::MIN), day_number(Date::MAX)];
        for number in (-150_000..150_000).chain(ends) {
            assert_eq!(day_from_number(number), own(number), "{number}");
            assert_eq!(day_from_number(number).map(day_number), Some(number));
        }
    }
}
