//! Frequencies, and the calendar arithmetic of their periods.

mod days;

pub use days::{add_days, day_from_number, day_number, days_between, shift};

use jiff::civil::Weekday;
use jiff::{Span, ToSpan};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A calendar day. Observations are dated with the first day of their period.
pub type Date = jiff::civil::Date;

/// Length of a series' period. Embedded files and recipes have its code, or the name of a calendar period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Frequency {
    /// Business or calendar days.
    #[serde(rename = "D")]
    Daily,
    /// Weeks, dated with their last day, which depends on the source (Wednesday, Friday, Saturday …).
    #[serde(rename = "W")]
    Weekly,
    /// Two weeks, dated with their last day.
    #[serde(rename = "BW")]
    Biweekly,
    /// Months, dated with their first day.
    #[serde(rename = "M", alias = "month")]
    Monthly,
    /// Quarters, dated with their first day.
    #[serde(rename = "Q", alias = "quarter")]
    Quarterly,
    /// Half-years, dated with their first day.
    #[serde(rename = "SA")]
    Semiannual,
    /// Years, dated with their first day.
    #[serde(rename = "A", alias = "year")]
    Annual,
}

/// Length of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeriodLength {
    /// Days: 1, 7 or 14.
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

    /// Returns the code of FRED and SDMX, the adjective, the name of a period, periods per year and length.
    fn facts(self) -> (&'static str, &'static str, &'static str, f64, PeriodLength) {
        match self {
            Self::Daily => ("D", "daily", "day", 260.0, PeriodLength::Days(1)),
            Self::Weekly => ("W", "weekly", "week", 52.0, PeriodLength::Days(7)),
            Self::Biweekly => ("BW", "biweekly", "two weeks", 26.0, PeriodLength::Days(14)),
            Self::Monthly => ("M", "monthly", "month", 12.0, PeriodLength::Months(1)),
            Self::Quarterly => ("Q", "quarterly", "quarter", 4.0, PeriodLength::Months(3)),
            Self::Semiannual => (
                "SA",
                "semiannual",
                "half-year",
                2.0,
                PeriodLength::Months(6),
            ),
            Self::Annual => ("A", "annual", "year", 1.0, PeriodLength::Months(12)),
        }
    }

    /// Returns the code of FRED and SDMX.
    pub fn code(self) -> &'static str {
        self.facts().0
    }

    /// Returns the adjective: "monthly".
    pub fn word(self) -> &'static str {
        self.facts().1
    }

    /// Returns the name of a period: "month".
    pub fn period_name(self) -> &'static str {
        self.facts().2
    }

    /// Returns the periods per year, for annualising. FRED counts 260 days.
    pub fn per_year(self) -> f64 {
        self.facts().3
    }

    /// Returns the length of a period.
    pub fn length(self) -> PeriodLength {
        self.facts().4
    }

    /// Returns the last day of the period dated `date`. Weeks are dated with their last day.
    pub fn period_end(self, date: Date) -> Date {
        let end = |first: Date| add_days(shift(first, self.period()), -1);
        match self {
            Self::Daily | Self::Weekly | Self::Biweekly => date,
            Self::Monthly => date.last_of_month(),
            // Some quarters are dated with the month in their middle.
            Self::Quarterly | Self::Semiannual => end(self.period_date(date)),
            Self::Annual => end(date.first_of_month()),
        }
    }

    /// Returns the length of a period as a calendar span.
    pub fn period(self) -> Span {
        match self.length() {
            PeriodLength::Days(n) => n.days(),
            PeriodLength::Months(n) => n.months(),
        }
    }

    /// Returns the days that a figure may be late beyond lag and one period before it is stale (docs/METHODS.md#staleness).
    pub fn slack_days(self) -> i64 {
        match self {
            Self::Daily | Self::Weekly | Self::Biweekly => 7,
            Self::Monthly => 15,
            Self::Quarterly | Self::Semiannual | Self::Annual => 30,
        }
    }

    /// Returns the date of the period that contains `date`: its first day, for weeks the Friday that ends them.
    pub fn period_date(self, date: Date) -> Date {
        Periods::from(self).period_date(date)
    }

    /// Returns whether a day is the first of a month, quarter or year, if periods are dated so; always true for days and
    /// weeks.
    pub fn is_period_date(self, date: Date) -> bool {
        match self.length() {
            PeriodLength::Days(_) => true,
            PeriodLength::Months(n) => date.day() == 1 && (date.month() - 1) % n == 0,
        }
    }

    /// Returns the number of the period that contains `date`, ascending without gaps. Quicker to compare than
    /// [`Self::period_date`].
    pub fn period_number(self, date: Date) -> i32 {
        Periods::from(self).number(date)
    }

    /// Returns whether two dates of figures are of adjacent periods.
    pub fn is_adjacent(self, earlier: Date, later: Date) -> bool {
        let distance = self.position(later) - self.position(earlier);
        self.adjacent_distances().contains(&distance)
    }

    /// Returns the position of a day, in days for days and weeks, else in periods.
    pub fn position(self, date: Date) -> i32 {
        match self.length() {
            PeriodLength::Days(_) => day_number(date),
            PeriodLength::Months(_) => self.period_number(date),
        }
    }

    /// Returns the distances of adjacent figures in [`Self::position`]. Dates of weeks move around holidays; days are at most ten
    /// apart, which is longer than any holiday.
    pub fn adjacent_distances(self) -> RangeInclusive<i32> {
        match self.length() {
            PeriodLength::Days(1) => i32::MIN..=10,
            PeriodLength::Days(n) => i32::from(n) - 3..=i32::from(n) + 3,
            PeriodLength::Months(_) => 1..=1,
        }
    }

    /// Returns the years between two dates: by calendar months if periods are months, else by days.
    pub fn years_between(self, from: Date, to: Date) -> f64 {
        let (unit, per_year) = match self.length() {
            PeriodLength::Days(_) => (Self::Daily, 365.25),
            PeriodLength::Months(_) => (Self::Monthly, 12.0),
        };
        f64::from(unit.period_number(to) - unit.period_number(from)) / per_year
    }

    /// Returns the name of the period dated `date`: "2026-08-20", "week ending 2026-08-15", "July 2026", "Q2 2026", "2025".
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

    /// Returns the name of the period with its preposition: "on 2026-08-20", "in the week ending 2026-08-15", "in July 2026".
    pub fn period_phrase(self, date: Date) -> String {
        let preposition = match self {
            Self::Daily => "on",
            Self::Weekly | Self::Biweekly => "in the",
            Self::Monthly | Self::Quarterly | Self::Semiannual | Self::Annual => "in",
        };
        format!("{preposition} {}", self.label(date))
    }
}

/// The periods of a frequency, with the day that ends a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Periods {
    /// Frequency.
    pub frequency: Frequency,
    /// Day that ends a week.
    pub week_ends: Weekday,
}

impl From<Frequency> for Periods {
    /// Weeks end on Friday, as FRED's do by default.
    fn from(frequency: Frequency) -> Self {
        Self {
            frequency,
            week_ends: Weekday::Friday,
        }
    }
}

impl Periods {
    /// Returns the number of the period that contains `date`.
    pub fn number(self, date: Date) -> i32 {
        let months = || i32::from(date.year()) * 12 + i32::from(date.month()) - 1;
        match self.frequency.length() {
            PeriodLength::Days(1) => day_number(date),
            // 1970-01-01 was a Thursday, the fourth day of its week from Monday on.
            PeriodLength::Days(n) => (day_number(date) + 9 - self.last_weekday())
                .div_euclid(7)
                .div_euclid(i32::from(n) / 7),
            PeriodLength::Months(n) => months().div_euclid(i32::from(n)),
        }
    }

    /// Returns the date of the period that contains `date`: its first day, for weeks the last.
    pub fn period_date(self, date: Date) -> Date {
        match self.frequency.length() {
            PeriodLength::Days(1) => date,
            PeriodLength::Days(n) => {
                let end = i32::from(n) * (self.number(date) + 1);
                day_from_number(end - 10 + self.last_weekday()).unwrap_or(date)
            }
            PeriodLength::Months(n) => {
                let first = date.month() - (date.month() - 1) % n;
                Date::new(date.year(), first, 1).unwrap_or(date)
            }
        }
    }

    /// Returns the weekday that ends a week, from Monday as 0.
    fn last_weekday(self) -> i32 {
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

    /// Parses a FRED code or adjective in any case: `D`, `daily`, `m`, `Quarterly` …
    fn from_str(text: &str) -> Result<Self, ()> {
        let name = text.trim().to_ascii_lowercase();
        let is_named = |f: &Self| name == f.word() || name.eq_ignore_ascii_case(f.code());
        Self::ALL.into_iter().find(is_named).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn periods_end_on_their_last_day() {
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
    fn periods_have_names_for_sentences() {
        let day = date(2026, 5, 2);
        let names = Frequency::ALL.map(|f| f.period_phrase(day));
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
    fn periods_are_dated_with_their_first_day_or_friday() {
        assert_eq!(
            Frequency::Quarterly.period_date(date(2026, 8, 19)),
            date(2026, 7, 1)
        );
        assert_eq!(
            Frequency::Weekly.period_date(date(2026, 8, 19)),
            date(2026, 8, 21)
        );
        assert_eq!(
            Frequency::Weekly.period_date(date(2026, 8, 21)),
            date(2026, 8, 21)
        );
        assert_eq!(
            Frequency::Weekly.period_date(date(2026, 8, 22)),
            date(2026, 8, 28)
        );
    }

    #[test]
    fn period_numbers_change_with_the_dates_of_periods() {
        for frequency in Frequency::ALL {
            let days = (-200_000..60_000).filter_map(day_from_number);
            let mut before: Option<(Date, i32)> = None;
            for day in days {
                let now = (frequency.period_date(day), frequency.period_number(day));
                if let Some((stamp, number)) = before {
                    assert_eq!(stamp == now.0, number == now.1, "{frequency} {day}");
                    assert!(number <= now.1);
                }
                before = Some(now);
            }
        }
    }
}
