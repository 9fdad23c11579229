//! Releases of figures: who publishes what, and the day on which it can be expected
//! (docs/METHODS.md#release-calendar).
//!
//! The days come from rules (`data/calendar/releases.toml`) and the federal holidays of today's law. A rule is no
//! announcement: each day stands with the days around it on which such releases have come.

mod meetings;
mod publication;

pub use meetings::{Meeting, MeetingKind, is_meeting, meetings};
pub use publication::Publication;

use super::frequency::{Date, Frequency, days_between, shift};
use super::release;
use jiff::ToSpan;
use jiff::civil::{Time, Weekday};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The zone of all times of day here.
pub const ZONE: &str = "America/New_York";

/// A release and its rule.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// For addresses and arguments: `cpi`.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Who publishes it, with the abbreviation people use.
    pub agency: String,
    /// Time of day in [`ZONE`].
    pub at: Time,
    /// Period of its figures.
    pub frequency: Frequency,
    /// Months between the month of release and the start of the period; none for weeks.
    #[serde(default)]
    back: i64,
    /// Months of the year in which it comes; empty: all.
    #[serde(default)]
    months: Vec<i8>,
    rule: Rule,
    /// The rule for people.
    pub words: String,
    /// Business days by which it has come before its day.
    #[serde(default)]
    early: i64,
    /// Business days by which it has come after its day.
    #[serde(default)]
    late: i64,
    /// Series people wait for.
    #[serde(default)]
    pub headline: Vec<String>,
    /// Other series that come with them.
    #[serde(default)]
    series: Vec<String>,
    /// The series whose earlier print it revises, for a release that prints nothing first.
    pub revises: Option<String>,
    /// Series that others make of its figures on the same day.
    #[serde(default)]
    follows: Vec<String>,
    /// Whether a shutdown of the government delays it.
    #[serde(default)]
    stops: bool,
    /// Business days that are allowed in addition where no day is known within five years of a period.
    #[serde(default)]
    margin: i64,
}

/// The pattern of a release's days.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum Rule {
    Employment,
    ReportWeek {
        weekday: i8,
    },
    BusinessDay {
        nth: usize,
    },
    NthWeekday {
        nth: i8,
        weekday: i8,
    },
    Weekly {
        weekday: i8,
        lag: i64,
        holiday: Holiday,
    },
}

/// What a holiday does to a weekly release.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Holiday {
    /// On its day: it comes the business day before.
    Before,
    /// On its day: it comes the business day after.
    After,
    /// On its day or on an earlier one of the week: it comes a day later.
    Week,
}

/// A day on which a release can be expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Due {
    /// What comes.
    pub release: &'static Release,
    /// The day by its rule.
    pub day: Date,
    /// The first day on which it may come, by how early such releases have been.
    pub earliest: Date,
    /// The last one, by how late they have been; shutdowns of the government apart.
    pub latest: Date,
    /// Stamp of the period of its figures.
    pub period: Date,
}

static RELEASES: LazyLock<Vec<Release>> = LazyLock::new(|| {
    // The file is fixed at build time and a test reads it, so an empty list cannot ship.
    let file = toml::from_str(include_str!("../../data/calendar/releases.toml"));
    let mut file: HashMap<String, Vec<Release>> = file.unwrap_or_default();
    file.remove("release").unwrap_or_default()
});

/// Every release of the calendar, in the order of its file.
pub fn releases() -> &'static [Release] {
    &RELEASES
}

impl Release {
    /// Whether figures of a series come with it first.
    pub fn brings(&self, id: &str) -> bool {
        self.headline.iter().chain(&self.series).any(|s| s == id)
    }

    /// Whether it revises an earlier print of a series.
    pub fn revises(&self, id: &str) -> bool {
        self.revises.as_deref() == Some(id)
    }

    /// Whether a person calls it so: by its identifier, or by a part of its name. The estimates of GDP are one.
    pub fn is_called(&self, name: &str) -> bool {
        let name = name.trim().to_ascii_lowercase();
        let is_part = name.len() > 2 && self.name.to_ascii_lowercase().contains(&name);
        is_part || self.id.split('-').next() == Some(&name) || self.id == name
    }

    /// Whether it is of the agency that a person names: "BLS", "census".
    pub fn is_of(&self, agency: &str) -> bool {
        let agency = agency.trim().to_ascii_lowercase();
        self.agency.to_ascii_lowercase().contains(&agency)
    }

    /// The days from `from` to `to`, both included, on which it can be expected.
    pub fn due(&'static self, from: Date, to: Date) -> impl Iterator<Item = Due> {
        // A holiday or an early report may carry a day over the end of its week or month: one more on either side.
        let weekly = self.rule.week();
        let (first, days) = match weekly {
            Some((weekday, _)) => (on_weekday(shift(from, (-7).days()), weekday), 7),
            None => (shift(from.first_of_month(), (-1).month()), 28),
        };
        let within = (0..days_between(from, to) / days + 4).map(move |n| match weekly {
            Some(_) => shift(first, (7 * n).days()),
            None => shift(first, n.months()),
        });
        let all = within.filter_map(|begin| self.expected(begin));
        all.filter(move |due| (from..=to).contains(&due.day))
    }

    /// The day on which figures of the period stamped so can be expected.
    pub fn due_for(&'static self, period: Date) -> Option<Due> {
        self.expected(match self.rule.week() {
            Some((_, lag)) => shift(period, lag.days()),
            None => shift(period, self.back.months()),
        })
    }

    /// The release of the week whose nominal day is given, or of the month that begins then.
    fn expected(&'static self, begin: Date) -> Option<Due> {
        if !self.months.is_empty() && !self.months.contains(&begin.month()) {
            return None;
        }
        let day = self.rule.day(begin)?;
        let period = match self.rule.week() {
            Some((_, lag)) => shift(begin, (-lag).days()),
            None => shift(begin, (-self.back).months()),
        };
        Some(Due {
            release: self,
            day,
            earliest: (0..self.early).fold(day, |day, _| before(day)),
            latest: (0..self.late).fold(day, |day, _| release::business_day_after(day)),
            period,
        })
    }
}

impl Rule {
    /// Weekday, and days after the stamp of the week, of a weekly release.
    fn week(self) -> Option<(i8, i64)> {
        if let Self::Weekly { weekday, lag, .. } = self {
            return Some((weekday, lag));
        }
        None
    }

    /// The day in the month that begins with `begin`, or of the week that has `begin` for its nominal day.
    fn day(self, begin: Date) -> Option<Date> {
        match self {
            Self::Employment => Some(report(begin)),
            Self::ReportWeek { weekday } => {
                let report = report(begin);
                let monday = shift(
                    report,
                    (-i64::from(report.weekday().to_monday_zero_offset())).days(),
                );
                let day = on_weekday(monday, weekday);
                let late = i64::from(!release::is_business_day(monday));
                Some(release::business_day_from(shift(day, late.days())))
            }
            Self::BusinessDay { nth } => {
                let first = release::business_day_from(begin);
                Some((1..nth).fold(first, |day, _| release::business_day_after(day)))
            }
            Self::NthWeekday { nth, weekday } => {
                let day = nth_weekday(begin, nth, weekday)?;
                Some(match nth < 0 {
                    true => release::business_day_until(day),
                    false => release::business_day_from(day),
                })
            }
            Self::Weekly { holiday, .. } => Some(holiday.moves(begin)),
        }
    }
}

impl Holiday {
    fn moves(self, day: Date) -> Date {
        match self {
            Self::Before => release::business_day_until(day),
            Self::After => release::business_day_from(day),
            Self::Week => {
                let earlier = i64::from(day.weekday().to_monday_zero_offset());
                let mut week = (0..=earlier).map(|back| shift(day, (-back).days()));
                match week.all(release::is_business_day) {
                    true => day,
                    false => release::business_day_after(day),
                }
            }
        }
    }
}

/// The day of the employment report in the month that begins with `month`.
fn report(month: Date) -> Date {
    release::employment_friday(shift(month, (-1).month()))
}

/// The business day before.
fn before(day: Date) -> Date {
    release::business_day_until(shift(day, (-1).day()))
}

/// The first such weekday on or after a day; 1 is Monday.
fn on_weekday(day: Date, weekday: i8) -> Date {
    let ahead = (weekday - day.weekday().to_monday_one_offset()).rem_euclid(7);
    shift(day, i64::from(ahead).days())
}

fn nth_weekday(month: Date, nth: i8, weekday: i8) -> Option<Date> {
    let weekday = Weekday::from_monday_one_offset(weekday).ok()?;
    month.nth_weekday_of_month(nth, weekday).ok()
}

#[cfg(test)]
mod tests;
