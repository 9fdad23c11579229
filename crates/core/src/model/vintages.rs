//! Vintages beside today's values: rows from which each day answers from one state.
//!
//! Vintages hold what was published from one day to another; today's values reach further to both sides, in the base
//! years of today. On no day may the two be mixed: a growth rate over the seam would measure a rebasing.

use super::frequency::{Date, shift};
use super::observation::{Known, Observation};
use super::series_info::SeriesInfo;
use jiff::ToSpan;
use std::collections::{BTreeMap, BTreeSet};

/// Vintages with the rows that set them apart from today's values, of which nobody knows since when they were known:
///
/// - Before the first vintage today's values count, each from its publication lag on.
/// - From the first vintage on the vintages count alone: what today's values have and the vintages had not yet, or not at
///   all, is withdrawn until a vintage gives it.
/// - From the day on which the figure after the last vintage was due today's values count again. Where there is no such
///   figure the vintages reach as far as today's values do: they stay, and today's fill in what they never had.
///
/// Shape: by date, then by day of knowledge, each pair once.
pub fn beside(info: &SeriesInfo, today: &[Observation], vintages: &[Known]) -> Vec<Known> {
    let mut rows = vintages.to_vec();
    let given = || vintages.iter().filter(|row| row.value.is_some());
    let Some(begin) = given().filter_map(|row| row.known_from).min() else {
        return rows;
    };
    let first = given().filter(|row| row.known_from == Some(begin));
    let first: BTreeSet<Date> = first.map(|row| row.date).collect();
    let ever: BTreeSet<Date> = given().map(|row| row.date).collect();
    // The first date to come that no vintage has: there they end, whatever single row may follow.
    let next = today
        .iter()
        .find(|o| Some(&o.date) > first.last() && !ever.contains(&o.date));
    let spanned = |date: Date| next.is_none_or(|next| date < next.date);
    let mut add = |date, day, value| {
        rows.push(Known {
            date,
            known_from: Some(day),
            value,
        });
    };
    let unknown = |o: &&Observation| spanned(o.date) && !first.contains(&o.date);
    for o in today.iter().filter(unknown) {
        add(o.date, begin, None);
    }
    let inside = given().filter(|row| spanned(row.date));
    let newest = inside
        .filter_map(|row| row.known_from)
        .max()
        .unwrap_or(begin);
    let due = next.map(|o| info.known_by(o.date));
    let end = due.map_or(newest, |due| due.max(shift(newest, 1.day())));
    let mut ends = state(vintages.iter().filter(|row| row.known_from <= Some(newest)));
    ends.retain(|date, _| spanned(*date));
    for o in today.iter().filter(|o| spanned(o.date)) {
        let is_kept = |value| value == o.value || due.is_none();
        if !ends.remove(&o.date).is_some_and(is_kept) {
            add(o.date, end, Some(o.value));
        }
    }
    for date in ends.into_keys().filter(|_| due.is_some()) {
        add(date, end, None);
    }
    rows.sort_by_key(|row| (row.date, row.known_from));
    rows.dedup_by_key(|row| (row.date, row.known_from));
    rows
}

/// What vintages come to: the newest value of each date that is not withdrawn.
fn state<'a>(vintages: impl Iterator<Item = &'a Known>) -> BTreeMap<Date, f64> {
    let mut newest: BTreeMap<Date, (Option<Date>, Option<f64>)> = BTreeMap::new();
    for row in vintages {
        let held = newest.entry(row.date).or_default();
        if row.known_from >= held.0 {
            *held = (row.known_from, row.value);
        }
    }
    let given = newest.into_iter();
    given
        .filter_map(|(date, (_, value))| Some((date, value?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::model::Vintages;
    use jiff::civil::date;

    fn month(month: i8) -> Date {
        date(2010, month, 1)
    }

    /// Today's values of a year, ten times what they were when the vintages were published.
    fn held(vintages: &[(i8, Date, Option<f64>)]) -> Vintages {
        let info = Catalogue::embedded().get("INDPRO").unwrap();
        let today = (1..=8).map(|m| Observation::new(month(m), 10.0 * f64::from(m)));
        let today: Vec<Observation> = today.collect();
        let known = |&(m, day, value): &(i8, Date, Option<f64>)| Known {
            date: month(m),
            known_from: Some(day),
            value,
        };
        let vintages: Vec<Known> = vintages.iter().map(known).collect();
        let mut rows = beside(info, &today, &vintages);
        rows.extend(today.iter().map(|o| Known::new(o, None)));
        Vintages::new(rows)
    }

    #[test]
    fn each_day_answers_from_one_state() {
        let (may, june) = (date(2010, 5, 21), date(2010, 6, 17));
        let info = Catalogue::embedded().get("INDPRO").unwrap();
        let v = held(&[
            (2, may, Some(2.0)),
            (3, may, Some(3.0)),
            (4, may, Some(4.0)),
            (2, june, None),
            (4, june, Some(4.5)),
            (5, june, Some(5.0)),
        ]);
        let on = |day| -> Vec<f64> {
            let known = v.as_of(day, |date| info.known_by(date));
            known.iter().map(|o| o.value).collect()
        };
        // No day of 2010 is recorded: a month's figure counts from the latest on which it can have come.
        assert_eq!(info.known_by(month(4)), date(2010, 5, 20));
        assert_eq!(on(date(2010, 5, 20)), [10.0, 20.0, 30.0, 40.0]);
        assert_eq!(on(may), [2.0, 3.0, 4.0]);
        assert_eq!(
            on(date(2010, 6, 16)),
            [2.0, 3.0, 4.0],
            "May is not out before its day"
        );
        assert_eq!(on(june), [3.0, 4.5, 5.0]);
        assert_eq!(on(date(2010, 7, 20)), [3.0, 4.5, 5.0]);
        assert_eq!(on(date(2010, 7, 21)), [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
        assert_eq!(v.latest().len(), 8);
    }

    #[test]
    fn vintages_that_reach_as_far_as_today_stay() {
        let v = held(&[
            (7, date(2010, 8, 17), Some(7.0)),
            (8, date(2010, 9, 17), Some(8.0)),
        ]);
        let values: Vec<f64> = v.latest().iter().map(|o| o.value).collect();
        assert_eq!(values, [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 7.0, 8.0]);
        assert_eq!(held(&[]).latest().len(), 8);
    }
}
