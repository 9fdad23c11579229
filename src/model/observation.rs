//! One number for one period, and what was known of it when.

use super::Date;
use super::frequency::{Frequency, days_between, shift};
use jiff::ToSpan;

/// One number for one period. A missing value is an absent observation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// First day of the period (weekly: the day that ends it).
    pub date: Date,
    /// Finite value in the series' own unit.
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
    /// Finite value in the series' own unit.
    pub value: f64,
}

impl Known {
    /// The day it became known: the recorded one, or else [`known_by`].
    pub fn known_on(&self, frequency: Frequency, lag_days: i64) -> Date {
        self.known_from
            .unwrap_or_else(|| known_by(self.date, frequency, lag_days))
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

    /// The newest value of each date.
    /// Shape: ascending, one per date, gaps stay gaps.
    pub fn latest(&self) -> Vec<Observation> {
        self.pick(|_| true)
    }

    /// What was known on `day`: for each date the newest value with `known_from` on or before it.
    /// A row without `known_from` counts as known `lag_days` after its period's end (METHODS 0.1).
    pub fn as_of(&self, day: Date, frequency: Frequency, lag_days: i64) -> Vec<Observation> {
        self.pick(|row| row.known_on(frequency, lag_days) <= day)
    }

    /// Whether any row carries a recorded day instead of an estimated one.
    pub fn has_recorded_days(&self) -> bool {
        self.rows.iter().any(|r| r.known_from.is_some())
    }

    /// Whether the newest figure known on `day` carries a recorded day; `None` when none was known.
    pub fn is_recorded(&self, day: Date, frequency: Frequency, lag_days: i64) -> Option<bool> {
        let known = |row: &&Known| row.known_on(frequency, lag_days) <= day;
        let newest = self.rows.iter().rev().find(known)?;
        Some(newest.known_from.is_some())
    }

    fn pick(&self, known: impl Fn(&Known) -> bool) -> Vec<Observation> {
        let mut out: Vec<Observation> = Vec::with_capacity(self.rows.len());
        for row in self.rows.iter().filter(|r| known(r)) {
            match out.last_mut() {
                Some(last) if last.date == row.date => last.value = row.value,
                _ => out.push(Observation::new(row.date, row.value)),
            }
        }
        out
    }
}

/// The day a figure is taken to be public: its period's end plus the typical publication lag.
pub fn known_by(date: Date, frequency: Frequency, lag_days: i64) -> Date {
    shift(frequency.period_end(date), lag_days.days())
}

/// Whether the last figure is too old to speak for `day`: older, counted from its period's end,
/// than lag, one period and the frequency's slack together (METHODS 0.4).
pub fn is_stale(last: Date, day: Date, frequency: Frequency, lag_days: i64) -> bool {
    let end = frequency.period_end(last);
    let one_period = days_between(last, shift(last, frequency.period()));
    days_between(end, day) > lag_days + one_period + frequency.slack_days()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn known(day: i8, from: Option<i8>, value: f64) -> Known {
        Known {
            date: date(2026, 1, day),
            known_from: from.map(|d| date(2026, 2, d)),
            value,
        }
    }

    #[test]
    fn as_of_sees_only_what_was_known() {
        let v = Vintages::new(vec![
            known(1, Some(20), 3.0),
            known(1, None, 1.0),
            known(1, Some(10), 2.0),
        ]);
        let at = |d| v.as_of(date(2026, 2, d), Frequency::Monthly, 5);
        assert_eq!(at(4), vec![]);
        assert_eq!(at(5), vec![Observation::new(date(2026, 1, 1), 1.0)]);
        assert_eq!(at(10), vec![Observation::new(date(2026, 1, 1), 2.0)]);
        assert_eq!(v.latest(), vec![Observation::new(date(2026, 1, 1), 3.0)]);
        let recorded = |d| v.is_recorded(date(2026, 2, d), Frequency::Monthly, 5);
        assert_eq!(
            [recorded(4), recorded(5), recorded(10)],
            [None, Some(false), Some(true)]
        );
    }

    #[test]
    fn staleness_counts_from_the_end_of_the_period() {
        // July ends on the 31st; 14 days lag, 31 of a period and 15 of slack carry it to 29 September.
        let stale = |d| is_stale(date(2026, 7, 1), d, Frequency::Monthly, 14);
        assert!(!stale(date(2026, 9, 29)));
        assert!(stale(date(2026, 9, 30)));
    }
}
