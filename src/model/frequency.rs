//! How long a period is, and the calendar arithmetic that follows from it.

mod days;

pub use days::{day_from_number, day_number, days_between, days_later, shift};

use jiff::civil::Weekday;
use jiff::{Span, ToSpan};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A calendar day; period data carry the period's first day.
pub type Date = jiff::civil::Date;

/// Length of a series' period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Frequency {
    /// Business or calendar days.
    #[serde(rename = "D")]
    Daily,
    /// Weeks, stamped with the day the source uses (Wednesday, Friday, Saturday …), which ends the week.
    #[serde(rename = "W")]
    Weekly,
    /// Two weeks, stamped with the day that ends them.
    #[serde(rename = "BW")]
    Biweekly,
    /// Months, stamped with their first day.
    #[serde(rename = "M")]
    Monthly,
    /// Quarters, stamped with their first day.
    #[serde(rename = "Q")]
    Quarterly,
    /// Half-years, stamped with their first day.
    #[serde(rename = "SA")]
    Semiannual,
    /// Years, stamped with their first day.
    #[serde(rename = "A")]
    Annual,
}

impl Frequency {
    /// Every frequency, the finest first.
    pub const ALL: [Self; 7] = [
        Self::Daily,
        Self::Weekly,
        Self::Biweekly,
        Self::Monthly,
        Self::Quarterly,
        Self::Semiannual,
        Self::Annual,
    ];

    /// Code of FRED and SDMX.
    pub fn code(self) -> &'static str {
        match self {
            Self::Daily => "D",
            Self::Weekly => "W",
            Self::Biweekly => "BW",
            Self::Monthly => "M",
            Self::Quarterly => "Q",
            Self::Semiannual => "SA",
            Self::Annual => "A",
        }
    }

    /// The word for a sentence: "monthly".
    pub fn word(self) -> &'static str {
        match self {
            Self::Daily => "daily",
            Self::Weekly => "weekly",
            Self::Biweekly => "biweekly",
            Self::Monthly => "monthly",
            Self::Quarterly => "quarterly",
            Self::Semiannual => "semiannual",
            Self::Annual => "annual",
        }
    }

    /// Last day of the period stamped `date`. Weekly stamps already end their week.
    pub fn period_end(self, date: Date) -> Date {
        let before = |first: Date| days_later(shift(first, self.period()), -1);
        match self {
            Self::Daily | Self::Weekly | Self::Biweekly => date,
            Self::Monthly => date.last_of_month(),
            // Some quarters are stamped by the month in their middle.
            Self::Quarterly | Self::Semiannual => before(self.stamp(date)),
            Self::Annual => before(date.first_of_month()),
        }
    }

    /// The period's length as a calendar span.
    pub fn period(self) -> Span {
        match self {
            Self::Daily => 1.day(),
            Self::Weekly => 7.days(),
            Self::Biweekly => 14.days(),
            Self::Monthly => 1.month(),
            Self::Quarterly => 3.months(),
            Self::Semiannual => 6.months(),
            Self::Annual => 1.year(),
        }
    }

    /// Days a figure may be late beyond lag and one period before it counts as stale (docs/METHODS.md#staleness).
    pub fn slack_days(self) -> i64 {
        match self {
            Self::Daily | Self::Weekly | Self::Biweekly => 7,
            Self::Monthly => 15,
            Self::Quarterly | Self::Semiannual | Self::Annual => 30,
        }
    }

    /// First day of the period of this frequency that holds `date`; weeks end on Friday.
    pub fn stamp(self, date: Date) -> Date {
        let months = |length: i8| {
            let back = i64::from((date.month() - 1) % length);
            shift(date.first_of_month(), (-back).months())
        };
        match self {
            Self::Daily => date,
            Self::Weekly | Self::Biweekly => Periods::from(self).stamp(date),
            Self::Monthly => date.first_of_month(),
            Self::Quarterly => months(3),
            Self::Semiannual => months(6),
            Self::Annual => date.first_of_year(),
        }
    }

    /// Whether a day is the first of a month, quarter or year, by which such periods are stamped; days and weeks
    /// have stamps of their own.
    pub fn is_stamp(self, date: Date) -> bool {
        let months = match self {
            Self::Daily | Self::Weekly | Self::Biweekly => return true,
            Self::Monthly => 1,
            Self::Quarterly => 3,
            Self::Semiannual => 6,
            Self::Annual => 12,
        };
        date.day() == 1 && (date.month() - 1) % months == 0
    }

    /// A number that the days of one period share, and no other days: what [`Self::stamp`] tells apart, for
    /// whoever walks through a whole history.
    pub fn period_number(self, date: Date) -> i32 {
        let months = || i32::from(date.year()) * 12 + i32::from(date.month()) - 1;
        match self {
            Self::Daily => day_number(date),
            Self::Weekly | Self::Biweekly => Periods::from(self).number(date),
            Self::Monthly => months(),
            Self::Quarterly => months().div_euclid(3),
            Self::Semiannual => months().div_euclid(6),
            Self::Annual => i32::from(date.year()),
        }
    }

    /// Whether no period lies between two days that carry figures. Weekly stamps move around holidays; days are ten
    /// apart at most, which no holiday is.
    pub fn follows(self, earlier: Date, later: Date) -> bool {
        let days = days_between(earlier, later);
        match self {
            Self::Daily => days <= 10,
            Self::Weekly => (4..=10).contains(&days),
            Self::Biweekly => (11..=17).contains(&days),
            Self::Monthly | Self::Quarterly | Self::Semiannual | Self::Annual => {
                self.period_number(later) - self.period_number(earlier) == 1
            }
        }
    }

    /// The period stamped `date` as a person names it: "2026-08-20", "week ending 2026-08-15", "July 2026", "2026 Q2", "2025".
    pub fn label(self, date: Date) -> String {
        match self {
            Self::Daily => date.to_string(),
            Self::Weekly => format!("week ending {date}"),
            Self::Biweekly => format!("two weeks ending {date}"),
            Self::Monthly => date.strftime("%B %Y").to_string(),
            Self::Quarterly => format!("{} Q{}", date.year(), (date.month() + 2) / 3),
            Self::Semiannual => format!("{} H{}", date.year(), (date.month() + 5) / 6),
            Self::Annual => date.year().to_string(),
        }
    }

    /// The same within a sentence: "on 2026-08-20", "in the week ending 2026-08-15", "in July 2026".
    pub fn when(self, date: Date) -> String {
        let label = self.label(date);
        match self {
            Self::Daily => format!("on {label}"),
            Self::Weekly | Self::Biweekly => format!("in the {label}"),
            Self::Monthly | Self::Quarterly | Self::Semiannual | Self::Annual => {
                format!("in {label}")
            }
        }
    }

    /// Periods in a year, for annualising; 260 days are FRED's.
    pub fn per_year(self) -> f64 {
        match self {
            Self::Daily => 260.0,
            Self::Weekly => 52.0,
            Self::Biweekly => 26.0,
            Self::Monthly => 12.0,
            Self::Quarterly => 4.0,
            Self::Semiannual => 2.0,
            Self::Annual => 1.0,
        }
    }
}

/// The periods of a frequency, of which weeks end on some day of theirs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Periods {
    /// Their length.
    pub frequency: Frequency,
    /// Day that ends a week.
    pub week_ends: Weekday,
}

impl From<Frequency> for Periods {
    /// Weeks end on Friday, as FRED's do where nothing else is said.
    fn from(frequency: Frequency) -> Self {
        Self {
            frequency,
            week_ends: Weekday::Friday,
        }
    }
}

impl Periods {
    /// A number that the days of one period share, and no other days.
    pub fn number(self, date: Date) -> i32 {
        // 1970-01-01 was a Thursday, the fourth day of its week from Monday on.
        let last = i32::from(self.week_ends.to_monday_zero_offset());
        let week = || (day_number(date) + 9 - last).div_euclid(7);
        match self.frequency {
            Frequency::Weekly => week(),
            Frequency::Biweekly => week().div_euclid(2),
            other @ Frequency::Daily
            | other @ Frequency::Monthly
            | other @ Frequency::Quarterly
            | other @ Frequency::Semiannual
            | other @ Frequency::Annual => other.period_number(date),
        }
    }

    /// The day that stands for the period of a day: its first, of weeks the last.
    pub fn stamp(self, date: Date) -> Date {
        let weeks = match self.frequency {
            Frequency::Weekly => self.number(date),
            Frequency::Biweekly => 2 * self.number(date) + 1,
            other @ Frequency::Daily
            | other @ Frequency::Monthly
            | other @ Frequency::Quarterly
            | other @ Frequency::Semiannual
            | other @ Frequency::Annual => return other.stamp(date),
        };
        let last = i32::from(self.week_ends.to_monday_zero_offset());
        day_from_number(7 * weeks + last - 3).unwrap_or(date)
    }
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
    fn periods_have_the_names_that_people_use() {
        let day = date(2026, 5, 2);
        let names = Frequency::ALL.map(|f| f.when(day));
        assert_eq!(
            names,
            [
                "on 2026-05-02",
                "in the week ending 2026-05-02",
                "in the two weeks ending 2026-05-02",
                "in May 2026",
                "in 2026 Q2",
                "in 2026 H1",
                "in 2026"
            ]
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
    fn a_period_number_tells_apart_what_a_stamp_does() {
        for frequency in Frequency::ALL {
            let days = (-200_000..60_000).filter_map(day_from_number);
            let mut before: Option<(Date, i32)> = None;
            for day in days {
                let now = (frequency.stamp(day), frequency.period_number(day));
                if let Some((stamp, number)) = before {
                    assert_eq!(stamp == now.0, number == now.1, "{frequency} {day}");
                    assert!(number <= now.1);
                }
                before = Some(now);
            }
        }
    }
}
