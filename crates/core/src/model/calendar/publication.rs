//! The day from which a figure counts as known where no vintage records it (docs/METHODS.md#past-days).

use super::{Release, releases};
use crate::catalogue::Catalogue;
use crate::indicators::months::Month;
use crate::indicators::nber;
use crate::model::frequency::{Date, days_between, days_later, shift};
use crate::model::series_info::SeriesInfo;
use crate::model::{observation, release, table};
use jiff::ToSpan;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

/// Days of releases that came within so many months of a period tell how late it can have been.
const ERA_MONTHS: i64 = 60;

/// From this period on the rules hold for every recorded day; a test sees to it.
const RULED_SINCE: Date = jiff::civil::date(2020, 7, 1);

/// The recorded days of every release, by the period of its figures.
static DAYS: LazyLock<HashMap<&str, BTreeMap<Date, Date>>> = LazyLock::new(|| {
    let mut days: HashMap<&str, BTreeMap<Date, Date>> = HashMap::new();
    // The file is fixed at build time and a test reads every row of it.
    let rows = table::rows(include_str!("../../../data/calendar/days.csv"));
    for [release, period, day, _evidence] in rows.filter_map(|(_, row)| row.ok()) {
        if let (Ok(period), Ok(day)) = (period.parse(), day.parse()) {
            days.entry(release).or_default().insert(period, day);
        }
    }
    days
});

/// By how many days each recorded day was later than the latest one by today's rule, shutdowns apart.
static LATENESS: LazyLock<HashMap<&str, BTreeMap<Date, i64>>> = LazyLock::new(|| {
    let of = |release: &'static Release| {
        let days = DAYS.get(release.id.as_str())?;
        let is_normal = |day| release::resumed(&release.agency, day) == day;
        let normal = days.iter().filter(|(_, day)| is_normal(**day));
        let late = normal.filter_map(|(period, day)| {
            Some((
                *period,
                days_between(release.due_for(*period)?.latest, *day),
            ))
        });
        Some((release.id.as_str(), late.collect()))
    };
    releases().iter().filter_map(of).collect()
});

/// The release of each series whose figures come on the day of the headline of the same period.
static RELEASES: LazyLock<HashMap<&str, &Release>> = LazyLock::new(|| {
    let info = |id: &str| Catalogue::embedded().get(id);
    let with = releases().iter().flat_map(|release| {
        let first = release.headline.first().and_then(|id| info(id));
        let all = release.headline.iter().chain(&release.series);
        // Continued claims lie a week behind the initial ones they come with.
        let of_the_same_period = move |id: &&String| {
            let pair = first.zip(info(id));
            pair.is_some_and(|(first, own)| {
                own.frequency == first.frequency
                    && (own.publication_lag_days - first.publication_lag_days).abs() < 3
            })
        };
        let all = all.filter(of_the_same_period).chain(&release.follows);
        all.map(move |id| (id.as_str(), release))
    });
    with.collect()
});

/// How the figures of a series come out.
#[derive(Debug, Clone, Copy)]
pub struct Publication<'a> {
    info: &'a SeriesInfo,
    release: Option<&'static Release>,
}

impl<'a> Publication<'a> {
    /// That of a series.
    pub fn of(info: &'a SeriesInfo) -> Self {
        Self {
            info,
            release: RELEASES.get(info.id.as_str()).copied(),
        }
    }

    /// Whether the series comes with a release of the calendar.
    pub fn has_release(&self) -> bool {
        self.release.is_some()
    }

    /// The day from which the figure of the period stamped `period` counts as known:
    /// - that on which its release came, where it is recorded;
    /// - else the latest one that such a release has had: by its rule, or as late after its period as any within five
    ///   years; where a shutdown of the government holds it up, the end of the disruption;
    /// - of exchange rates (H.10), the Monday after;
    /// - of recessions, that on which the turning point was announced;
    /// - of all others, the period's end and the usual lag.
    ///
    /// Never earlier for a later period.
    pub fn day(&self, period: Date) -> Date {
        let info = self.info;
        let usual = observation::known_by(period, info.frequency, info.publication_lag_days);
        if info.id.as_str() == "USREC" {
            return nber::known_from(Month::of(period)).map_or(usual, |day| day.max(usual));
        }
        if info.source == "Federal Reserve Board H.10" {
            return release::monday_after(period);
        }
        match self.release {
            Some(release) => release
                .came(period)
                .unwrap_or_else(|| release.at_latest(period, usual)),
            None => release::resumed(&info.source, usual),
        }
    }
}

impl Release {
    /// The day on which the figures of a period came, where it is recorded.
    pub fn came(&self, period: Date) -> Option<Date> {
        DAYS.get(self.id.as_str())?.get(&period).copied()
    }

    /// The latest day on which the figures of a period can have come, unless a later period is recorded before it.
    fn at_latest(&'static self, period: Date, usual: Date) -> Date {
        let by_rule = self.due_for(period).map_or(usual, |due| due.latest);
        let day = match period < RULED_SINCE {
            true => self.as_late_as_then(period, by_rule),
            false => by_rule,
        };
        let day = match self.stops {
            true => release::resumed(&self.agency, day),
            false => day,
        };
        let recorded = DAYS.get(self.id.as_str());
        let mut later = recorded
            .into_iter()
            .flat_map(|d| d.range(days_later(period, 1)..));
        later.next().map_or(day, |(_, next)| day.min(*next))
    }

    /// A day by the rule, as much later as any recorded day within five years was.
    fn as_late_as_then(&self, period: Date, by_rule: Date) -> Date {
        let era = shift(period, (-ERA_MONTHS).months())..=shift(period, ERA_MONTHS.months());
        let recorded = LATENESS.get(self.id.as_str());
        let then = recorded
            .into_iter()
            .flat_map(|late| late.range(era.clone()));
        match then.map(|(_, days)| *days).max() {
            Some(days) => days_later(by_rule, days.max(0)),
            None => (0..self.margin).fold(by_rule, |day, _| release::business_day_after(day)),
        }
    }
}
