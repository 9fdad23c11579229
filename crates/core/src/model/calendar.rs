//! The release calendar: which agency publishes which series, and on which day (docs/RELEASES.md#release-calendar).
//!
//! The days are those that agencies announced ([`AnnouncedDays`]); without an announcement they follow from rules
//! (`data/calendar/releases.toml`) and from the federal holidays of today's law, with the earliest and latest day of past
//! releases.

mod announced;
mod meetings;
mod publication;
mod target;

pub use announced::{AnnouncedDay, AnnouncedDays, CalendarRow};
pub use meetings::{Meeting, MeetingKind, is_meeting_name, meetings};
pub use publication::Publication;
pub use target::{TargetChange, target_changes};

use super::frequency::{Date, Frequency, days_between, shift};
use super::release;
use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The time zone of the release times.
pub const ZONE: &str = "America/New_York";

/// A release and its rule.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Identifier for URLs and arguments: `cpi`.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Agency with its usual abbreviation.
    pub agency: String,
    /// Time of day in [`ZONE`].
    pub at: Time,
    /// Frequency of its figures.
    pub frequency: Frequency,
    /// Months from the start of the period to the month of release; zero for weeks.
    #[serde(default, rename = "back")]
    lag_months: i64,
    /// Months of the year in which it is published; all if empty.
    #[serde(default)]
    months: Vec<i8>,
    rule: Rule,
    /// The rule in words.
    pub words: String,
    /// Business days by which it has been early.
    #[serde(default, rename = "early")]
    max_days_early: i64,
    /// Business days by which it has been late.
    #[serde(default, rename = "late")]
    max_days_late: i64,
    /// Its headline series.
    #[serde(default)]
    pub headline: Vec<String>,
    /// Its other series.
    #[serde(default)]
    series: Vec<String>,
    /// The series that it revises, for a release without first prints.
    pub revises: Option<String>,
    /// Series that others compute from its figures on the same day.
    #[serde(default, rename = "follows")]
    derived_series: Vec<String>,
    /// Whether a government shutdown delays it.
    #[serde(default, rename = "stops")]
    is_delayed_by_shutdowns: bool,
    /// Business days added if no day is recorded within five years of a period.
    #[serde(default, rename = "margin")]
    extra_days: i64,
}

/// The rule for a release's days.
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

/// How a holiday moves a weekly release.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Holiday {
    /// A holiday on its day moves it to the business day before.
    Before,
    /// A holiday on its day moves it to the business day after.
    After,
    /// A holiday on its day or earlier in the week moves it a day later.
    Week,
}

/// A scheduled release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScheduledRelease {
    /// The release.
    pub release: &'static Release,
    /// Announced day, or the day by the rule.
    pub day: Date,
    /// Earliest day, by how early the release has been.
    pub earliest: Date,
    /// Latest day, by how late the release has been without government shutdowns.
    pub latest: Date,
    /// Date of the period of its figures.
    pub period: Date,
    /// The agency's announcement of the day; `None` by the rule.
    pub announced: Option<AnnouncedDay>,
}

impl ScheduledRelease {
    /// Returns the time of day in [`ZONE`].
    pub fn at(&self) -> Time {
        let announced = self.announced.and_then(|announced| announced.at);
        announced.unwrap_or(self.release.at)
    }
}

/// Returns the time zone of the release times, by the rule in force since 2007, which no system has to know.
pub fn eastern() -> TimeZone {
    static EASTERN: LazyLock<TimeZone> =
        LazyLock::new(|| TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap_or(TimeZone::UTC));
    EASTERN.clone()
}

static RELEASES: LazyLock<Vec<Release>> = LazyLock::new(|| {
    // The file is embedded and a test reads it, so the list is not empty.
    let mut file: HashMap<String, Vec<Release>> =
        toml::from_str(include_str!("../../data/calendar/releases.toml")).unwrap_or_default();
    file.remove("release").unwrap_or_default()
});

/// Returns every release of the calendar, in the order of the file.
pub fn releases() -> &'static [Release] {
    &RELEASES
}

impl Release {
    /// Returns whether it has the first prints of a series.
    pub fn prints(&self, id: &str) -> bool {
        self.headline.iter().chain(&self.series).any(|s| s == id)
    }

    /// Returns whether it revises an earlier print of a series.
    pub fn revises(&self, id: &str) -> bool {
        self.revises.as_deref() == Some(id)
    }

    /// Returns whether a name means this release: its identifier or a part of its name. The estimates of GDP share one name.
    pub fn has_name(&self, text: &str) -> bool {
        let name = text.trim().to_ascii_lowercase();
        let is_part = name.len() > 2 && self.name.to_ascii_lowercase().contains(&name);
        is_part || self.id.split('-').next() == Some(&name) || self.id == name
    }

    /// Returns whether its agency has this name: "BLS", "census".
    pub fn is_of(&self, agency: &str) -> bool {
        let name = agency.trim().to_ascii_lowercase();
        self.agency.to_ascii_lowercase().contains(&name)
    }

    /// Returns the scheduled releases from `from` to `to`, both included.
    pub fn scheduled(
        &'static self,
        from: Date,
        to: Date,
    ) -> impl Iterator<Item = ScheduledRelease> {
        // A holiday or an early report can move a release into another week or month, so one more on either side is checked.
        let (first, step, days) = if let Rule::Weekly { weekday, .. } = self.rule {
            (on_weekday(shift(from, (-7).days()), weekday), 7.days(), 7)
        } else {
            (shift(from.first_of_month(), (-1).month()), 1.month(), 28)
        };
        let starts = (0..days_between(from, to) / days + 4).map(move |n| shift(first, step * n));
        let all = starts.filter_map(|start| self.schedule(start));
        all.filter(move |due| (from..=to).contains(&due.day))
    }

    /// Returns the scheduled release of the figures of a period.
    pub fn scheduled_for(&'static self, period: Date) -> Option<ScheduledRelease> {
        self.schedule(shift(period, self.lag()))
    }

    /// Returns the release of the week with the nominal day `start`, or of the month that begins with `start`.
    fn schedule(&'static self, start: Date) -> Option<ScheduledRelease> {
        if !self.months.is_empty() && !self.months.contains(&start.month()) {
            return None;
        }
        let day = self.rule.day(start)?;
        let late = (0..self.max_days_late).fold(day, |day, _| release::business_day_after(day));
        let is_quarterly = !self.months.is_empty();
        Some(ScheduledRelease {
            release: self,
            day,
            earliest: (0..self.max_days_early).fold(day, |day, _| business_day_before(day)),
            // The last Thursday of a month may be the 24th, and an estimate of GDP still comes in that month.
            latest: if is_quarterly {
                late.min(day.last_of_month())
            } else {
                late
            },
            period: shift(start, -self.lag()),
            announced: None,
        })
    }

    /// Returns the span from the date of a period to the nominal day of its week, or to the first day of the month of release.
    fn lag(&self) -> Span {
        if let Rule::Weekly { lag, .. } = self.rule {
            return lag.days();
        }
        self.lag_months.months()
    }
}

impl Rule {
    /// Returns the day in the month that begins with `start`, or in the week with the nominal day `start`.
    fn day(self, start: Date) -> Option<Date> {
        match self {
            Self::Employment => Some(employment_report(start)),
            Self::ReportWeek { weekday } => {
                let report = employment_report(start);
                let from_monday = i64::from(report.weekday().to_monday_zero_offset());
                let monday = shift(report, (-from_monday).days());
                let day = on_weekday(monday, weekday);
                let delay = i64::from(!release::is_business_day(monday));
                Some(release::business_day_from(shift(day, delay.days())))
            }
            Self::BusinessDay { nth } => {
                let first = release::business_day_from(start);
                Some((1..nth).fold(first, |day, _| release::business_day_after(day)))
            }
            Self::NthWeekday { nth, weekday } => {
                let weekday = Weekday::from_monday_one_offset(weekday).ok()?;
                let day = start.nth_weekday_of_month(nth, weekday).ok()?;
                Some(if nth < 0 {
                    release::business_day_until(day)
                } else {
                    release::business_day_from(day)
                })
            }
            Self::Weekly { holiday, .. } => Some(holiday.move_day(start)),
        }
    }
}

impl Holiday {
    fn move_day(self, day: Date) -> Date {
        match self {
            Self::Before => release::business_day_until(day),
            Self::After => release::business_day_from(day),
            Self::Week => {
                let from_monday = i64::from(day.weekday().to_monday_zero_offset());
                let mut week = (0..=from_monday).map(|n| shift(day, (-n).days()));
                if week.all(release::is_business_day) {
                    day
                } else {
                    release::business_day_after(day)
                }
            }
        }
    }
}

/// Returns the day of the employment report in the month that begins with `month`.
fn employment_report(month: Date) -> Date {
    release::employment_friday(shift(month, (-1).month()))
}

/// Returns the last business day before a day.
fn business_day_before(day: Date) -> Date {
    release::business_day_until(shift(day, (-1).day()))
}

/// Returns the first such weekday on or after a day; 1 is Monday.
fn on_weekday(day: Date, weekday: i8) -> Date {
    let ahead = (weekday - day.weekday().to_monday_one_offset()).rem_euclid(7);
    shift(day, i64::from(ahead).days())
}

#[cfg(test)]
mod tests;
