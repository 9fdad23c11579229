//! Observations and their vintages.

use super::frequency::{Date, Frequency, add_days, days_between};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// One number for one period. A missing value is an absent observation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(description = "One row.")]
pub struct Observation {
    /// First day of the period (weekly: the day that ends it).
    #[schemars(description = "First day of the period.")]
    pub date: Date,
    /// Finite value in the series' own unit.
    #[schemars(description = "In the series' unit.")]
    pub value: f64,
}

impl Observation {
    /// Creates an observation.
    pub fn new(date: Date, value: f64) -> Self {
        Self { date, value }
    }
}

/// An observation with the day it became known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VintageObservation {
    /// First day of the period.
    pub date: Date,
    /// Day from which this value was known. `None` for values of a first load, whose day is estimated from the series'
    /// publication lag.
    pub known_from: Option<Date>,
    /// Finite value in the series' own unit. `None` if the date was withdrawn from that day on, until a later row gives it
    /// again (a rebasing with a shorter history).
    pub value: Option<f64>,
}

impl VintageObservation {
    /// Creates a row from an observation.
    pub fn new(observation: &Observation, known_from: Option<Date>) -> Self {
        Self {
            date: observation.date,
            known_from,
            value: Some(observation.value),
        }
    }

    /// Returns the day it became known: the recorded day, or the estimate of `publication_day` for its date.
    pub fn known_on(&self, publication_day: impl Fn(Date) -> Date) -> Date {
        self.known_from
            .unwrap_or_else(|| publication_day(self.date))
    }
}

/// The day whose state of the data is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AsOf {
    /// The current state.
    Latest,
    /// The state at the end of that day.
    Day(Date),
}

/// Every stored value of a series, ordered by date, then by `known_from` (`None` first), each pair once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vintages {
    rows: Vec<VintageObservation>,
}

impl Vintages {
    /// Creates vintages from rows in any order. Of several rows of a date and day the last one counts.
    pub fn new(mut rows: Vec<VintageObservation>) -> Self {
        let key = |row: &VintageObservation| (row.date, row.known_from);
        if !rows.is_sorted_by(|a, b| key(a) < key(b)) {
            rows.sort_by_key(key);
            rows.dedup_by(|later, kept| {
                let is_same = key(later) == key(kept);
                if is_same {
                    *kept = *later;
                }
                is_same
            });
        }
        Self { rows }
    }

    /// Returns every row.
    pub fn rows(&self) -> &[VintageObservation] {
        &self.rows
    }

    /// Returns the newest value of each date, ascending, without withdrawn dates.
    pub fn latest(&self) -> Vec<Observation> {
        self.newest_of_each_date(|_| true)
    }

    /// Returns what was known on `day`: for each date the newest value with `known_from` on or before it.
    /// A row without `known_from` counts as known from its `publication_day`, which must not be earlier for a later date
    /// (docs/METHODS.md#past-days).
    pub fn as_of(&self, day: Date, publication_day: impl Fn(Date) -> Date) -> Vec<Observation> {
        self.newest_of_each_date(self.is_known_on(day, publication_day))
    }

    /// Returns the test whether a row was known on `day`.
    fn is_known_on(
        &self,
        day: Date,
        publication_day: impl Fn(Date) -> Date,
    ) -> impl Fn(&VintageObservation) -> bool {
        // Publication days ascend, so a binary search finds the first date that was not published.
        let published = |row: &VintageObservation| publication_day(row.date) <= day;
        let unpublished = self.rows.get(self.rows.partition_point(published));
        let end = unpublished.map_or(Date::MAX, |row| row.date);
        move |row| row.known_from.map_or(row.date < end, |known| known <= day)
    }

    /// Returns the rows of the figures known on `day`, the newest first: those dated up to `end`, back to the first one dated
    /// `start` or earlier. Both ends at [`Date::MAX`] give the newest figure alone.
    pub fn known_rows(
        &self,
        day: Date,
        publication_day: impl Fn(Date) -> Date,
        range: RangeInclusive<Date>,
    ) -> Vec<&VintageObservation> {
        let is_known = self.is_known_on(day, publication_day);
        let mut rows: Vec<&VintageObservation> = Vec::new();
        let mut previous = None;
        let known = self.rows.iter().rev().filter(|row| is_known(row));
        for row in known.filter(|row| row.date <= *range.end()) {
            if rows.last().is_some_and(|last| last.date <= *range.start()) {
                break;
            }
            // Of the rows of a date the last one counts; without a value it is a withdrawal.
            if previous != Some(row.date) {
                rows.extend(row.value.map(|_| row));
            }
            previous = Some(row.date);
        }
        rows
    }

    /// Returns the days from `since` on that are the estimated publication day of a figure without a recorded one. What
    /// counts from such a day is of the state in which that figure was read, and may have been revised in between.
    pub fn estimated_days(
        &self,
        since: Date,
        publication_day: impl Fn(Date) -> Date,
    ) -> BTreeSet<Date> {
        let earlier = |row: &VintageObservation| publication_day(row.date) < since;
        let begin = self.rows.partition_point(earlier);
        let later = self.rows.get(begin..).unwrap_or_default();
        let dates = later.chunk_by(|a, b| a.date == b.date);
        let estimated = dates.filter_map(|rows| {
            let day = publication_day(rows.first()?.date);
            let known = rows.iter().take_while(|row| row.known_from <= Some(day));
            known.last()?.known_from.is_none().then_some(day)
        });
        estimated.collect()
    }

    /// Returns the first recorded day on which a figure became known.
    pub fn first_recorded_day(&self) -> Option<Date> {
        self.rows.iter().filter_map(|row| row.known_from).min()
    }

    /// Returns the last recorded day up to `day` on which a figure became known.
    pub fn last_change_by(&self, day: Date) -> Option<Date> {
        let days = self.rows.iter().filter_map(|row| row.known_from);
        days.filter(|known| *known <= day).max()
    }

    fn newest_of_each_date(
        &self,
        is_known: impl Fn(&VintageObservation) -> bool,
    ) -> Vec<Observation> {
        let mut observations: Vec<Observation> = Vec::new();
        for row in self.rows.iter().filter(|r| is_known(r)) {
            observations.pop_if(|last| last.date == row.date);
            observations.extend(row.value.map(|value| Observation::new(row.date, value)));
        }
        observations
    }
}

/// Guesses the frequency from the median gap between rows.
pub fn guess_frequency(rows: &[Observation]) -> Frequency {
    let gap = |[a, b]: &[Observation; 2]| days_between(a.date, b.date);
    let mut gaps: Vec<i64> = rows.array_windows().map(gap).collect();
    gaps.sort_unstable();
    match gaps.get(gaps.len() / 2).copied().unwrap_or(1) {
        ..=4 => Frequency::Daily,
        5..=20 => Frequency::Weekly,
        21..=60 => Frequency::Monthly,
        61..=200 => Frequency::Quarterly,
        _ => Frequency::Annual,
    }
}

/// Returns the estimated publication day of a figure: its period's end plus the publication lag.
pub fn lagged_publication_day(date: Date, frequency: Frequency, lag_days: i64) -> Date {
    add_days(frequency.period_end(date), lag_days)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn row(day: i8, from: Option<i8>, value: f64) -> VintageObservation {
        VintageObservation {
            date: date(2026, 1, day),
            known_from: from.map(|d| date(2026, 2, d)),
            value: Some(value),
        }
    }

    #[test]
    fn withdrawn_date_is_absent_until_a_later_row() {
        let withdrawn = VintageObservation {
            value: None,
            ..row(2, Some(10), 0.0)
        };
        let v = Vintages::new(vec![
            row(1, Some(5), 1.0),
            row(2, Some(5), 2.0),
            withdrawn,
            row(2, Some(20), 2.5),
            row(3, Some(5), 3.0),
            VintageObservation {
                value: None,
                ..row(3, Some(20), 0.0)
            },
        ]);
        let values = |d| -> Vec<f64> {
            let rows = v.as_of(date(2026, 2, d), |date| {
                lagged_publication_day(date, Frequency::Monthly, 5)
            });
            rows.iter().map(|o| o.value).collect()
        };
        assert_eq!(values(9), [1.0, 2.0, 3.0]);
        assert_eq!(values(10), [1.0, 3.0]);
        assert_eq!(values(20), [1.0, 2.5]);
        assert_eq!(v.latest().len(), 2);
    }

    #[test]
    fn as_of_returns_only_what_was_known() {
        let v = Vintages::new(vec![
            row(1, Some(20), 3.0),
            row(1, None, 1.0),
            row(1, Some(10), 2.0),
        ]);
        let as_of = |d| {
            v.as_of(date(2026, 2, d), |date| {
                lagged_publication_day(date, Frequency::Monthly, 5)
            })
        };
        assert_eq!(as_of(4), vec![]);
        assert_eq!(as_of(5), vec![Observation::new(date(2026, 1, 1), 1.0)]);
        assert_eq!(as_of(10), vec![Observation::new(date(2026, 1, 1), 2.0)]);
        assert_eq!(v.latest(), vec![Observation::new(date(2026, 1, 1), 3.0)]);
        let newest = |d| {
            let lagged = |date| lagged_publication_day(date, Frequency::Monthly, 5);
            let rows = v.known_rows(date(2026, 2, d), lagged, Date::MAX..=Date::MAX);
            rows.first().map(|row| **row)
        };
        assert_eq!(
            [newest(4), newest(5), newest(10)],
            [None, Some(row(1, None, 1.0)), Some(row(1, Some(10), 2.0))]
        );
        let changed = |d| v.last_change_by(date(2026, 2, d)).map(|day| day.day());
        assert_eq!(
            [changed(9), changed(10), changed(27)],
            [None, Some(10), Some(20)]
        );
        assert_eq!(v.first_recorded_day(), Some(date(2026, 2, 10)));
    }

    proptest::proptest! {
        #[test]
        fn binary_search_agrees_with_a_check_of_every_row(
            drawn in proptest::collection::vec(
                (0i32..900, proptest::option::of(0i32..900), proptest::option::of(0.0..9.0)),
                0..60,
            ),
            number in 0i32..1_000, lag in 0i64..60,
        ) {
            let day_of = |n: i32| crate::model::frequency::day_from_number(20_000 + n).unwrap();
            let day = day_of(number);
            for frequency in Frequency::ALL {
                let rows = drawn.iter().map(|(date, known_from, value)| VintageObservation {
                    date: frequency.period_date(day_of(*date)),
                    known_from: known_from.map(day_of),
                    value: *value,
                });
                let vintages = Vintages::new(rows.collect());
                let is_known = |row: &&VintageObservation| row.known_on(|date| lagged_publication_day(date, frequency, lag)) <= day;
                let known = Vintages::new(vintages.rows().iter().filter(is_known).copied().collect());
                assert_eq!(vintages.as_of(day, |date| lagged_publication_day(date, frequency, lag)), known.latest());
                let lagged = |date| lagged_publication_day(date, frequency, lag);
                let newest = vintages.known_rows(day, lagged, Date::MAX..=Date::MAX);
                let value = |row: &&VintageObservation| Observation::new(row.date, row.value.unwrap());
                assert_eq!(newest.iter().map(value).collect::<Vec<_>>(), known.latest().last().copied().into_iter().collect::<Vec<_>>());
                let range = day_of(300)..=day_of(600);
                let rows = vintages.known_rows(day, lagged, range.clone());
                let from = known.latest().iter().map(|o| o.date).rfind(|date| date <= range.start());
                let in_range = |o: &Observation| o.date >= from.unwrap_or(*range.start()) && o.date <= *range.end();
                assert_eq!(rows.iter().rev().map(value).collect::<Vec<_>>(), known.latest().into_iter().filter(in_range).collect::<Vec<_>>());
            }
        }
    }
}
