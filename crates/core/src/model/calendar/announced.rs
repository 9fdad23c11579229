//! Release days that agencies announced in their calendars (docs/RELEASES.md#release-calendar).

use super::{Publication, Release, ScheduledRelease};
use crate::model::frequency::{Date, Frequency, add_days, days_between, shift};
use crate::model::series_info::SeriesInfo;
use crate::model::table;
use jiff::civil::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// An announcement without a period is of the release by rule that is nearest to it, within so many days.
const MAX_DISTANCE_DAYS: i64 = 12;
/// The same for weekly releases.
const MAX_WEEKLY_DISTANCE_DAYS: i64 = 3;
/// Days around a range in which a rule may place a release that was announced for a day of the range.
const MARGIN_DAYS: i64 = 100;

/// A row of an agency's calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarRow {
    /// Name of the release, as the agency writes it.
    pub name: String,
    /// Day in New York.
    pub day: Date,
    /// Time of day in New York, if there is one.
    pub at: Option<Time>,
    /// A day of the period of its figures, if the calendar has it.
    pub period: Option<Date>,
}

/// A release day that an agency announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnouncedDay {
    /// The day.
    pub day: Date,
    /// Time of day in New York, if it was announced, too.
    pub at: Option<Time>,
    /// Day on which the announcement was first read.
    pub read: Date,
}

/// Announced days, by release and by period. FOMC meetings and minutes have their own day as period.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AnnouncedDays(BTreeMap<String, BTreeMap<Date, AnnouncedDay>>);

/// The name of a release in a calendar.
#[derive(Deserialize)]
struct Name {
    release: String,
    calendar: String,
    /// Folded, as names are compared.
    name: String,
}

/// The names in the order in which calendars are preferred, an agency's own first.
static NAMES: LazyLock<Vec<Name>> = LazyLock::new(|| {
    let mut names: Vec<Name> = table::records(include_str!("../../../data/calendar/announced.csv"));
    names.iter_mut().for_each(|n| n.name = fold(&n.name));
    names
});

/// Returns the letters and digits of a name in lower case: agencies change the rest from year to year.
fn fold(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// Where an announcement belongs: the release, the period, and the distance from the day by rule.
struct Place {
    release: &'static str,
    period: Date,
    distance: i64,
}

impl AnnouncedDays {
    /// Returns the days of one calendar's rows. A day that was known before keeps the day on which it was first read.
    ///
    /// # Errors
    /// Says that no row names a release of this program: the calendar has changed.
    pub fn from_rows(
        calendar: &str,
        rows: &[CalendarRow],
        read: Date,
        before: &Self,
    ) -> Result<Self, String> {
        let mut placed: Vec<(Place, AnnouncedDay)> = Vec::new();
        for row in rows {
            let name = fold(&row.name);
            let named = NAMES
                .iter()
                .filter(|n| n.calendar == calendar && n.name == name);
            let places = named.filter_map(|name| place(&name.release, row));
            let Some(place) = places.min_by_key(|place| place.distance) else {
                continue;
            };
            let CalendarRow { day, at, .. } = *row;
            let known = before.find(place.release, place.period);
            let same = known.filter(|known| (known.day, known.at) == (day, at));
            let read = same.map_or(read, |known| known.read);
            placed.push((place, AnnouncedDay { day, at, read }));
        }
        if placed.is_empty() {
            return Err("it names no release that is known here".to_owned());
        }
        // Of several days for one period the nearest to the rule counts.
        placed.sort_by_key(|(place, _)| -place.distance);
        let mut days = Self::default();
        for (place, day) in placed {
            let of_release = days.0.entry(place.release.to_owned()).or_default();
            of_release.insert(place.period, day);
        }
        Ok(days)
    }

    /// Joins the days of several calendars. Of two days for one period that of the preferred calendar counts.
    pub fn join(calendars: &BTreeMap<String, Self>) -> Self {
        let mut all = Self::default();
        for name in NAMES.iter() {
            let calendar = calendars.get(&name.calendar);
            let days = calendar.and_then(|c| c.0.get(&name.release));
            let of_release = all.0.entry(name.release.clone()).or_default();
            for (period, day) in days.into_iter().flatten() {
                of_release.entry(*period).or_insert(*day);
            }
        }
        all
    }

    /// Returns the days that had been read by a day.
    #[must_use]
    pub fn known_on(&self, day: Date) -> Self {
        let mut known = self.clone();
        for days in known.0.values_mut() {
            days.retain(|_, announced| announced.read <= day);
        }
        known
    }

    /// Returns the number of days from a day on.
    pub fn count_from(&self, day: Date) -> usize {
        let days = self.0.values().flat_map(BTreeMap::values);
        days.filter(|announced| announced.day >= day).count()
    }

    /// Iterates over the announced days of a release, by its identifier: "fomc".
    pub fn of(&self, release: &str) -> impl Iterator<Item = &AnnouncedDay> {
        self.0.get(release).into_iter().flat_map(BTreeMap::values)
    }

    fn find(&self, release: &str, period: Date) -> Option<AnnouncedDay> {
        self.0.get(release)?.get(&period).copied()
    }

    /// Returns the releases from `from` to `to`, both included: on the announced day where there is one, else by the rule.
    pub fn scheduled(
        &self,
        release: &'static Release,
        from: Date,
        to: Date,
    ) -> Vec<ScheduledRelease> {
        let by_rule = release.scheduled(add_days(from, -MARGIN_DAYS), add_days(to, MARGIN_DAYS));
        let mut due: Vec<ScheduledRelease> = by_rule.map(|due| self.announce(due)).collect();
        due.retain(|due| (from..=to).contains(&due.day));
        due.sort_by_key(|due| due.day);
        due
    }

    /// Returns a scheduled release with its announced day, if there is one.
    pub fn announce(&self, due: ScheduledRelease) -> ScheduledRelease {
        let Some(announced) = self.find(&due.release.id, due.period) else {
            return due;
        };
        let day = announced.day;
        ScheduledRelease {
            day,
            earliest: day,
            latest: day,
            announced: Some(announced),
            ..due
        }
    }

    /// Returns the day announced for the figure after the one dated `last`.
    pub fn next_day(&self, info: &SeriesInfo, last: Date) -> Option<AnnouncedDay> {
        let publication = Publication::new(info);
        let next = shift(last, info.frequency.period());
        self.find(
            &publication.release()?.id,
            publication.headline_period(next),
        )
    }
}

/// Returns where a row belongs if it is of a release; `None` if the rule has no period near its day.
fn place(id: &'static str, row: &CalendarRow) -> Option<Place> {
    let at = |period, distance| Place {
        release: id,
        period,
        distance,
    };
    let Some(release) = super::releases().iter().find(|r| r.id == id) else {
        return Some(at(row.day, 0));
    };
    if let Some(period) = row.period {
        return Some(at(release.frequency.period_date(period), 0));
    }
    let is_weekly = release.frequency == Frequency::Weekly;
    let reach = if is_weekly {
        MAX_WEEKLY_DISTANCE_DAYS
    } else {
        MAX_DISTANCE_DAYS
    };
    let near = release.scheduled(add_days(row.day, -reach), add_days(row.day, reach));
    let places = near.map(|due| at(due.period, days_between(due.day, row.day).abs()));
    places.min_by_key(|place| place.distance)
}

#[cfg(test)]
mod tests;
