//! One number for one period, and what was known of it when.

use super::frequency::{Date, Frequency, days_later};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// Pairs a day with a value.
    pub fn new(date: Date, value: f64) -> Self {
        Self { date, value }
    }
}

/// An observation with the day it became known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// First day of the period.
    pub date: Date,
    /// Day from which this value was known; `None` = it came with a first load, and the day
    /// must be estimated from the series' publication lag.
    pub known_from: Option<Date>,
    /// Finite value in the series' own unit; `None` = withdrawn: from that day on the series has no such date, until
    /// it is given again (a rebasing that came with a shorter history).
    pub value: Option<f64>,
}

impl Known {
    /// An observation with the day from which it was known.
    pub fn new(observation: &Observation, known_from: Option<Date>) -> Self {
        Self {
            date: observation.date,
            known_from,
            value: Some(observation.value),
        }
    }

    /// The day it became known: the recorded one, or else what `public` says of its date.
    pub fn known_on(&self, public: impl Fn(Date) -> Date) -> Date {
        self.known_from.unwrap_or_else(|| public(self.date))
    }
}

/// Which state of knowledge is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AsOf {
    /// Everything known now.
    Latest,
    /// What was known at the end of that day.
    Day(Date),
}

/// All that is stored of a series: every value ever seen, ordered by date, then by `known_from`
/// (an estimated one first).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vintages {
    rows: Vec<Known>,
}

impl Vintages {
    /// Takes rows in any order and puts them in theirs.
    pub fn new(mut rows: Vec<Known>) -> Self {
        if !rows.is_sorted_by_key(|r| (r.date, r.known_from)) {
            rows.sort_by_key(|r| (r.date, r.known_from));
        }
        Self { rows }
    }

    /// Every row.
    pub fn rows(&self) -> &[Known] {
        &self.rows
    }

    /// The newest value of each date; withdrawn dates are left out.
    /// Shape: ascending, one per date, gaps stay gaps.
    pub fn latest(&self) -> Vec<Observation> {
        self.pick(|_| true)
    }

    /// What was known on `day`: for each date the newest value with `known_from` on or before it.
    /// A row without `known_from` counts as known from the day that `public` says of its date, which is never earlier
    /// for a later date (docs/METHODS.md#past-days).
    pub fn as_of(&self, day: Date, public: impl Fn(Date) -> Date) -> Vec<Observation> {
        let estimated = self.estimated(day, public);
        self.pick(|row| {
            row.known_from
                .map_or(row.date < estimated, |known| known <= day)
        })
    }

    /// The first date of which a row without `known_from` counts as not yet known on `day`. The later a period,
    /// the later its figure, so that a few days are asked about and not every row.
    fn estimated(&self, day: Date, public: impl Fn(Date) -> Date) -> Date {
        let known = |row: &Known| public(row.date) <= day;
        let at = self.rows.partition_point(known);
        self.rows.get(at).map_or(Date::MAX, |row| row.date)
    }

    /// The row of the newest figure known on `day`; `None` when none was known.
    pub fn newest(&self, day: Date, public: impl Fn(Date) -> Date) -> Option<&Known> {
        let estimated = self.estimated(day, public);
        let known = |row: &&Known| row.known_from.map_or(row.date < estimated, |d| d <= day);
        let mut withdrawn = None;
        self.rows.iter().rev().filter(known).find(|row| {
            if row.value.is_none() {
                withdrawn = Some(row.date);
            }
            withdrawn != Some(row.date)
        })
    }

    /// The first day on which a figure is recorded to have become known.
    pub fn recorded_from(&self) -> Option<Date> {
        self.rows.iter().filter_map(|row| row.known_from).min()
    }

    /// The newest day up to `day` on which a figure is recorded to have become known.
    pub fn changed_by(&self, day: Date) -> Option<Date> {
        let days = self.rows.iter().filter_map(|row| row.known_from);
        days.filter(|known| *known <= day).max()
    }

    fn pick(&self, known: impl Fn(&Known) -> bool) -> Vec<Observation> {
        let mut out: Vec<Observation> = Vec::new();
        for row in self.rows.iter().filter(|r| known(r)) {
            if out.last().is_some_and(|last| last.date == row.date) {
                out.pop();
            }
            out.extend(row.value.map(|value| Observation::new(row.date, value)));
        }
        out
    }
}

/// The day a figure is taken to be public: its period's end plus the typical publication lag.
pub fn known_by(date: Date, frequency: Frequency, lag_days: i64) -> Date {
    days_later(frequency.period_end(date), lag_days)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn known(day: i8, from: Option<i8>, value: f64) -> Known {
        Known {
            date: date(2026, 1, day),
            known_from: from.map(|d| date(2026, 2, d)),
            value: Some(value),
        }
    }

    #[test]
    fn a_withdrawn_date_is_absent_until_it_is_given_again() {
        let withdrawn = Known {
            value: None,
            ..known(2, Some(10), 0.0)
        };
        let v = Vintages::new(vec![
            known(1, Some(5), 1.0),
            known(2, Some(5), 2.0),
            withdrawn,
            known(2, Some(20), 2.5),
            known(3, Some(5), 3.0),
            Known {
                value: None,
                ..known(3, Some(20), 0.0)
            },
        ]);
        let at = |d| -> Vec<f64> {
            let rows = v.as_of(date(2026, 2, d), |date| {
                known_by(date, Frequency::Monthly, 5)
            });
            rows.iter().map(|o| o.value).collect()
        };
        assert_eq!(at(9), [1.0, 2.0, 3.0]);
        assert_eq!(at(10), [1.0, 3.0]);
        assert_eq!(at(20), [1.0, 2.5]);
        assert_eq!(v.latest().len(), 2);
    }

    #[test]
    fn as_of_sees_only_what_was_known() {
        let v = Vintages::new(vec![
            known(1, Some(20), 3.0),
            known(1, None, 1.0),
            known(1, Some(10), 2.0),
        ]);
        let at = |d| {
            v.as_of(date(2026, 2, d), |date| {
                known_by(date, Frequency::Monthly, 5)
            })
        };
        assert_eq!(at(4), vec![]);
        assert_eq!(at(5), vec![Observation::new(date(2026, 1, 1), 1.0)]);
        assert_eq!(at(10), vec![Observation::new(date(2026, 1, 1), 2.0)]);
        assert_eq!(v.latest(), vec![Observation::new(date(2026, 1, 1), 3.0)]);
        let newest = |d| {
            v.newest(date(2026, 2, d), |date| {
                known_by(date, Frequency::Monthly, 5)
            })
            .copied()
        };
        assert_eq!(
            [newest(4), newest(5), newest(10)],
            [
                None,
                Some(known(1, None, 1.0)),
                Some(known(1, Some(10), 2.0))
            ]
        );
        let changed = |d| v.changed_by(date(2026, 2, d)).map(|day| day.day());
        assert_eq!(
            [changed(9), changed(10), changed(27)],
            [None, Some(10), Some(20)]
        );
        assert_eq!(v.recorded_from(), Some(date(2026, 2, 10)));
    }

    proptest::proptest! {
        #[test]
        fn what_was_known_is_what_each_row_says(
            rows in proptest::collection::vec(
                (0i32..900, proptest::option::of(0i32..900), proptest::option::of(0.0..9.0)),
                0..60,
            ),
            day in 0i32..1_000, lag in 0i64..60,
        ) {
            let of = |n: i32| crate::model::frequency::day_from_number(20_000 + n).unwrap();
            let day = of(day);
            for frequency in Frequency::ALL {
                let rows = rows.iter().map(|(date, known, value)| Known {
                    date: frequency.stamp(of(*date)),
                    known_from: known.map(of),
                    value: *value,
                });
                let all = Vintages::new(rows.collect());
                let known = |row: &&Known| row.known_on(|date| known_by(date, frequency, lag)) <= day;
                let plain = Vintages::new(all.rows().iter().filter(known).copied().collect());
                assert_eq!(all.as_of(day, |date| known_by(date, frequency, lag)), plain.latest());
                let newest = all.newest(day, |date| known_by(date, frequency, lag));
                let newest = newest.map(|row| (row.date, row.value));
                let last = plain.latest().last().map(|o| (o.date, Some(o.value)));
                assert_eq!(newest, last);
            }
        }
    }
}
