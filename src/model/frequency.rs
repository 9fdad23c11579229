//! How long a period is, and the calendar arithmetic that follows from it.

use super::Date;
use jiff::{SignedDuration, Span, ToSpan};
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

/// Days since 1970-01-01.
pub fn day_number(date: Date) -> i32 {
    let hours = date
        .duration_since(jiff::civil::date(1970, 1, 1))
        .as_hours();
    i32::try_from(hours / 24).unwrap_or_default()
}

/// The day `number` days after 1970-01-01, if the calendar holds it.
pub fn day_from_number(number: i32) -> Option<Date> {
    jiff::civil::date(1970, 1, 1)
        .checked_add(SignedDuration::from_hours(i64::from(number) * 24))
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
    }
}
