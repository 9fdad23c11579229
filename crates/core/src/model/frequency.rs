//! How long a period is, and the calendar arithmetic that follows from it.

mod days;

pub use days::{day_from_number, day_number, days_between, days_later, shift};

use jiff::civil::Weekday;
use jiff::{Span, ToSpan};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;
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

/// How long a period is by the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Days: 1, or those of whole weeks.
    Days(i8),
    /// Months.
    Months(i8),
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

    /// Code of FRED and SDMX, word, name of a period, periods in a year and length.
    fn facts(self) -> (&'static str, &'static str, &'static str, f64, Length) {
        match self {
            Self::Daily => ("D", "daily", "day", 260.0, Length::Days(1)),
            Self::Weekly => ("W", "weekly", "week", 52.0, Length::Days(7)),
            Self::Biweekly => ("BW", "biweekly", "two weeks", 26.0, Length::Days(14)),
            Self::Monthly => ("M", "monthly", "month", 12.0, Length::Months(1)),
            Self::Quarterly => ("Q", "quarterly", "quarter", 4.0, Length::Months(3)),
            Self::Semiannual => ("SA", "semiannual", "half-year", 2.0, Length::Months(6)),
            Self::Annual => ("A", "annual", "year", 1.0, Length::Months(12)),
        }
    }

    /// Code of FRED and SDMX.
    pub fn code(self) -> &'static str {
        self.facts().0
    }

    /// The word for a sentence: "monthly".
    pub fn word(self) -> &'static str {
        self.facts().1
    }

    /// What a period is called: "month".
    pub fn period_name(self) -> &'static str {
        self.facts().2
    }

    /// Periods in a year, for annualising; 260 days are FRED's.
    pub fn per_year(self) -> f64 {
        self.facts().3
    }

    /// How long a period is.
    pub fn length(self) -> Length {
        self.facts().4
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
        match self.length() {
            Length::Days(n) => n.days(),
            Length::Months(n) => n.months(),
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
        Periods::from(self).stamp(date)
    }

    /// Whether a day is the first of a month, quarter or year, by which such periods are stamped; days and weeks
    /// have stamps of their own.
    pub fn is_stamp(self, date: Date) -> bool {
        match self.length() {
            Length::Days(_) => true,
            Length::Months(n) => date.day() == 1 && (date.month() - 1) % n == 0,
        }
    }

    /// A number that the days of one period share, and no other days: what [`Self::stamp`] tells apart, for
    /// whoever walks through a whole history.
    pub fn period_number(self, date: Date) -> i32 {
        Periods::from(self).number(date)
    }

    /// Whether no period lies between two days that carry figures.
    pub fn follows(self, earlier: Date, later: Date) -> bool {
        self.next()
            .contains(&(self.place(later) - self.place(earlier)))
    }

    /// Where a day stands, in days or in periods.
    pub fn place(self, date: Date) -> i32 {
        match self.length() {
            Length::Days(_) => day_number(date),
            Length::Months(_) => self.period_number(date),
        }
    }

    /// How far apart the places of neighbours are. Weekly stamps move around holidays; days are ten apart at most,
    /// which no holiday is.
    pub fn next(self) -> RangeInclusive<i32> {
        match self.length() {
            Length::Days(1) => i32::MIN..=10,
            Length::Days(n) => i32::from(n) - 3..=i32::from(n) + 3,
            Length::Months(_) => 1..=1,
        }
    }

    /// Years between two stamps: by the calendar's months where periods are months, else in days.
    pub fn years_between(self, from: Date, to: Date) -> f64 {
        let periods = |of: Self| f64::from(of.period_number(to) - of.period_number(from));
        match self.length() {
            Length::Days(_) => periods(Self::Daily) / 365.25,
            Length::Months(_) => periods(Self::Monthly) / 12.0,
        }
    }

    /// The period stamped `date` as a person names it: "2026-08-20", "week ending 2026-08-15", "July 2026", "Q2 2026", "2025".
    pub fn label(self, date: Date) -> String {
        match self {
            Self::Daily => date.to_string(),
            Self::Weekly => format!("week ending {date}"),
            Self::Biweekly => format!("two weeks ending {date}"),
            Self::Monthly => date.strftime("%B %Y").to_string(),
            Self::Quarterly => format!("Q{} {}", (date.month() + 2) / 3, date.year()),
            Self::Semiannual => format!("H{} {}", (date.month() + 5) / 6, date.year()),
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
        let months = || i32::from(date.year()) * 12 + i32::from(date.month()) - 1;
        match self.frequency.length() {
            Length::Days(1) => day_number(date),
            // 1970-01-01 was a Thursday, the fourth day of its week from Monday on.
            Length::Days(n) => (day_number(date) + 9 - self.last_of_week())
                .div_euclid(7)
                .div_euclid(i32::from(n) / 7),
            Length::Months(n) => months().div_euclid(i32::from(n)),
        }
    }

    /// The day that stands for the period of a day: its first, of weeks the last.
    pub fn stamp(self, date: Date) -> Date {
        match self.frequency.length() {
            Length::Days(1) => date,
            Length::Days(n) => {
                let after = i32::from(n) * (self.number(date) + 1);
                day_from_number(after - 10 + self.last_of_week()).unwrap_or(date)
            }
            Length::Months(n) => {
                let first = date.month() - (date.month() - 1) % n;
                Date::new(date.year(), first, 1).unwrap_or(date)
            }
        }
    }

    /// The day that ends a week, from Monday as 0.
    fn last_of_week(self) -> i32 {
        i32::from(self.week_ends.to_monday_zero_offset())
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
                "in Q2 2026",
                "in H1 2026",
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
