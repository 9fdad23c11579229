//! The day from which a figure counts as known if no vintage records it (docs/METHODS.md#past-days).

use super::{Release, releases};
use crate::catalogue::Catalogue;
use crate::indicators::months::Month;
use crate::indicators::nber;
use crate::model::frequency::{Date, Frequency, add_days, days_between, shift};
use crate::model::series_info::SeriesInfo;
use crate::model::{observation, release, table};
use jiff::ToSpan;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

/// The latest possible day of a release is estimated from recorded days within this many months of the period.
const ERA_MONTHS: i64 = 60;

/// From this period on the rules hold for every recorded day, which a test checks.
const RULES_HOLD_SINCE: Date = jiff::civil::date(2020, 7, 1);

/// The recorded days of every release, by the period of its figures.
static RECORDED_DAYS: LazyLock<HashMap<&str, BTreeMap<Date, Date>>> = LazyLock::new(|| {
    let mut days: HashMap<&str, BTreeMap<Date, Date>> = HashMap::new();
    let rows = table::embedded(include_str!("../../../data/calendar/days.csv"));
    for [release, period, day, _evidence] in rows {
        if let (Ok(period), Ok(day)) = (period.parse(), day.parse()) {
            days.entry(release).or_default().insert(period, day);
        }
    }
    days
});

/// By how many days each recorded day was later than the latest day of today's rule, without shutdowns.
static LATENESS: LazyLock<HashMap<&str, BTreeMap<Date, i64>>> = LazyLock::new(|| {
    let lateness = |release: &'static Release| {
        let days = RECORDED_DAYS.get(release.id.as_str())?.iter();
        let normal = days.filter(|(_, day)| release.after_disruption(**day) == **day);
        let lateness = normal.filter_map(|(period, day)| {
            let latest = release.scheduled_for(*period)?.latest;
            Some((*period, days_between(latest, *day)))
        });
        Some((release.id.as_str(), lateness.collect()))
    };
    releases().iter().filter_map(lateness).collect()
});

/// The release of a series, and how many days its periods are behind the headline's: continued claims a week.
#[derive(Debug, Clone, Copy)]
struct ReleaseOf {
    release: &'static Release,
    days_behind: i64,
}

/// The release of each series that is published on the same day as its headline.
static RELEASE_OF: LazyLock<HashMap<&str, ReleaseOf>> = LazyLock::new(|| {
    let info = |id: &str| Catalogue::embedded().get(id);
    let pairs = releases().iter().flat_map(|release| {
        let headline = release.headline.first().and_then(|id| info(id));
        let days_behind = move |id: &String| {
            let (headline, info) = headline.zip(info(id))?;
            let days = info.publication_lag_days - headline.publication_lag_days;
            let is_week = info.frequency == Frequency::Weekly && days == 7;
            let is_same = days.abs() < 3;
            let days = if is_week { days } else { 0 };
            (info.frequency == headline.frequency && (is_week || is_same)).then_some(days)
        };
        let all = release.headline.iter().chain(&release.series);
        let printed = all.filter_map(move |id| Some((id, days_behind(id)?)));
        let derived = release.derived_series.iter().map(|id| (id, 0));
        printed.chain(derived).map(move |(id, days_behind)| {
            let release_of = ReleaseOf {
                release,
                days_behind,
            };
            (id.as_str(), release_of)
        })
    });
    pairs.collect()
});

/// The publication pattern of a series.
#[derive(Debug, Clone, Copy)]
pub struct Publication<'a> {
    info: &'a SeriesInfo,
    release: Option<ReleaseOf>,
}

impl<'a> Publication<'a> {
    /// Returns the pattern of a series.
    pub fn new(info: &'a SeriesInfo) -> Self {
        Self {
            info,
            release: RELEASE_OF.get(info.id.as_str()).copied(),
        }
    }

    /// Returns the release of the calendar on whose day the series is published.
    pub fn release(&self) -> Option<&'static Release> {
        self.release.map(|of| of.release)
    }

    /// Returns the period of the release that has the figure of `period`: continued claims are a week behind.
    pub fn headline_period(&self, period: Date) -> Date {
        add_days(period, self.release.map_or(0, |of| of.days_behind))
    }

    /// Returns the day from which the figure of `period` counts as known. Never earlier for a later period.
    /// - Series of a release: the recorded day, else the latest possible one: by the rule, or as late after the rule as any
    ///   recorded day within five years, or the end of a government shutdown.
    /// - Exchange rates (H.10): the Monday after.
    /// - Recessions: the day on which the turning point was announced.
    /// - All others: the period's end and the publication lag.
    pub fn day(&self, period: Date) -> Date {
        let info = self.info;
        let lagged =
            observation::lagged_publication_day(period, info.frequency, info.publication_lag_days);
        if info.id.as_str() == "USREC" {
            let known = nber::known_from(Month::from_date(period));
            return known.map_or(lagged, |day| day.max(lagged));
        }
        if info.source == "Federal Reserve Board H.10" {
            return release::monday_after(period);
        }
        match self.release {
            Some(of) => of.release.day_or(self.headline_period(period), lagged),
            None => release::after_disruption(&info.source, lagged),
        }
    }
}

impl Release {
    /// Returns the recorded day on which the figures of a period were published.
    pub fn recorded_day(&self, period: Date) -> Option<Date> {
        RECORDED_DAYS.get(self.id.as_str())?.get(&period).copied()
    }

    /// Returns the day from which the figures of a period count as known: the recorded one, else the latest possible.
    pub fn day_of(&'static self, period: Date) -> Date {
        self.day_or(period, period)
    }

    fn day_or(&'static self, period: Date, lagged: Date) -> Date {
        (self.recorded_day(period)).unwrap_or_else(|| self.latest_day(period, lagged))
    }

    /// Returns the latest day on which the figures of a period can have been published: not after the recorded day of a later
    /// period.
    fn latest_day(&'static self, period: Date, lagged: Date) -> Date {
        let mut day = self.scheduled_for(period).map_or(lagged, |due| due.latest);
        if period < RULES_HOLD_SINCE {
            day = self.with_lateness(period, day);
        }
        if self.is_delayed_by_shutdowns {
            day = self.after_disruption(day);
        }
        let recorded = RECORDED_DAYS.get(self.id.as_str());
        let next = recorded.and_then(|days| days.range(add_days(period, 1)..).next());
        next.map_or(day, |(_, next)| day.min(*next))
    }

    fn after_disruption(&self, day: Date) -> Date {
        release::after_disruption(&self.agency, day)
    }

    /// Adds the largest lateness of a recorded day within five years.
    fn with_lateness(&self, period: Date, day: Date) -> Date {
        let era = shift(period, (-ERA_MONTHS).months())..=shift(period, ERA_MONTHS.months());
        let lateness = LATENESS.get(self.id.as_str());
        match lateness.and_then(|days| days.range(era).map(|(_, days)| *days).max()) {
            Some(days) => add_days(day, days.max(0)),
            None => (0..self.extra_days).fold(day, |day, _| release::business_day_after(day)),
        }
    }
}
