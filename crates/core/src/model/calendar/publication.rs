//! The day from which a figure counts as known if no vintage records it (docs/METHODS.md#past-days).

use super::{Release, releases};
use crate::catalogue::Catalogue;
use crate::indicators::months::Month;
use crate::indicators::nber;
use crate::model::frequency::{Date, add_days, days_between, shift};
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
    // The file is embedded and a test reads every row, so no row is skipped here.
    let rows = table::rows(include_str!("../../../data/calendar/days.csv"));
    for [release, period, day, _evidence] in rows.filter_map(|(_, row)| row.ok()) {
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

/// The release of each series that is published on the same day as the headline of the same period.
static RELEASE_OF: LazyLock<HashMap<&str, &Release>> = LazyLock::new(|| {
    let info = |id: &str| Catalogue::embedded().get(id);
    let pairs = releases().iter().flat_map(|release| {
        let headline = release.headline.first().and_then(|id| info(id));
        // Continued claims are a week behind the initial ones of the same release.
        let has_same_period = move |id: &&String| {
            headline.zip(info(id)).is_some_and(|(headline, info)| {
                info.frequency == headline.frequency
                    && (info.publication_lag_days - headline.publication_lag_days).abs() < 3
            })
        };
        let printed = release.headline.iter().chain(&release.series);
        let series = printed
            .filter(has_same_period)
            .chain(&release.derived_series);
        series.map(move |id| (id.as_str(), release))
    });
    pairs.collect()
});

/// The publication pattern of a series.
#[derive(Debug, Clone, Copy)]
pub struct Publication<'a> {
    info: &'a SeriesInfo,
    release: Option<&'static Release>,
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
        self.release
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
            return nber::known_from(Month::from_date(period))
                .map_or(lagged, |day| day.max(lagged));
        }
        if info.source == "Federal Reserve Board H.10" {
            return release::monday_after(period);
        }
        match self.release {
            Some(release) => release
                .recorded_day(period)
                .unwrap_or_else(|| release.latest_day(period, lagged)),
            None => release::after_disruption(&info.source, lagged),
        }
    }
}

impl Release {
    /// Returns the recorded day on which the figures of a period were published.
    pub fn recorded_day(&self, period: Date) -> Option<Date> {
        RECORDED_DAYS.get(self.id.as_str())?.get(&period).copied()
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
        let lateness = LATENESS
            .get(self.id.as_str())
            .and_then(|days| days.range(era).map(|(_, days)| *days).max());
        match lateness {
            Some(days) => add_days(day, days.max(0)),
            None => (0..self.extra_days).fold(day, |day, _| release::business_day_after(day)),
        }
    }
}
