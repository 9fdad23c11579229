//! Combines vintages with today's values so that each day has either the one or the other.
//!
//! Vintages cover a span of publication days; today's values reach further back and forward, in today's base years. No day may
//! mix the two: a growth rate across the seam would measure a rebasing.

use super::frequency::{Date, shift};
use super::observation::{VintageObservation, Vintages};
use super::series_info::SeriesInfo;
use jiff::ToSpan;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the vintages with additional rows that separate them from today's values, whose `known_from` is not recorded, or
/// is an estimate for values of a later reading:
///
/// - Before the first vintage today's values count, each from its publication day.
/// - From the first vintage on only vintages count: dates that they do not have yet are withdrawn until a vintage has them.
/// - From the publication day of the figure after the last vintage on, today's values count again. Without such a figure the
///   vintages are as recent as today's values: they stay, and today's values only fill their gaps.
///
/// Ordered by date, then by `known_from`, each pair once.
pub fn merge_with_latest(
    info: &SeriesInfo,
    today: &Vintages,
    vintages: &[VintageObservation],
) -> Vec<VintageObservation> {
    let mut rows = vintages.to_vec();
    let valued = || vintages.iter().filter(|row| row.value.is_some());
    let Some(begin) = valued().filter_map(|row| row.known_from).min() else {
        return rows;
    };
    let first: BTreeSet<Date> = valued()
        .filter(|row| row.known_from == Some(begin))
        .map(|row| row.date)
        .collect();
    let all: BTreeSet<Date> = valued().map(|row| row.date).collect();
    // The vintages end before the first later date that none of them has, even if a single row follows.
    let dates = today.latest();
    let next = dates
        .iter()
        .find(|o| Some(&o.date) > first.last() && !all.contains(&o.date));
    let is_covered = |date: Date| next.is_none_or(|next| date < next.date);
    let row = |date, day, value| VintageObservation {
        date,
        known_from: Some(day),
        value,
    };
    let missing = dates
        .iter()
        .filter(|o| is_covered(o.date) && !first.contains(&o.date));
    rows.extend(missing.map(|o| row(o.date, begin, None)));
    let days = valued().filter(|row| is_covered(row.date));
    let last = days.filter_map(|row| row.known_from).max().unwrap_or(begin);
    let next_day = next.map(|o| info.publication_day(o.date));
    let end = next_day.map_or(last, |day| day.max(shift(last, 1.day())));
    // The values of the last vintage, which today's replace unless they are equal.
    let known = vintages.iter().filter(|row| row.known_from <= Some(last));
    let last_vintage = Vintages::new(known.copied().collect()).latest();
    let replaced = last_vintage.iter().filter(|o| is_covered(o.date));
    let mut values: BTreeMap<Date, f64> = replaced.map(|o| (o.date, o.value)).collect();
    // A later reading counts after the vintages as before them: from its own day.
    let by_end = today
        .rows()
        .iter()
        .filter(|row| row.known_from <= Some(end));
    let today_then = Vintages::new(by_end.copied().collect()).latest();
    for o in today_then.iter().filter(|o| is_covered(o.date)) {
        let is_kept = |value| value == o.value || next_day.is_none();
        if !values.remove(&o.date).is_some_and(is_kept) {
            rows.push(row(o.date, end, Some(o.value)));
        }
    }
    let dropped = values.into_keys().filter(|_| next_day.is_some());
    rows.extend(dropped.map(|date| row(date, end, None)));
    rows.sort_by_key(|row| (row.date, row.known_from));
    rows.dedup_by_key(|row| (row.date, row.known_from));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use jiff::civil::date;

    fn month(month: i8) -> Date {
        date(2010, month, 1)
    }

    /// Combines vintages with today's values of eight months, which are ten times as large.
    fn combined(printed: &[(i8, Date, Option<f64>)]) -> Vintages {
        let info = Catalogue::embedded().get("INDPRO").unwrap();
        let undated = |m| VintageObservation {
            date: month(m),
            known_from: None,
            value: Some(10.0 * f64::from(m)),
        };
        let today = Vintages::new((1..=8).map(undated).collect());
        let row = |&(m, day, value): &(i8, Date, Option<f64>)| VintageObservation {
            date: month(m),
            known_from: Some(day),
            value,
        };
        let vintages: Vec<VintageObservation> = printed.iter().map(row).collect();
        let mut rows = merge_with_latest(info, &today, &vintages);
        rows.extend(today.rows());
        Vintages::new(rows)
    }

    #[test]
    fn each_day_has_values_of_one_state() {
        let may = date(2010, 5, 21);
        let june = date(2010, 6, 17);
        let info = Catalogue::embedded().get("INDPRO").unwrap();
        let v = combined(&[
            (2, may, Some(2.0)),
            (3, may, Some(3.0)),
            (4, may, Some(4.0)),
            (2, june, None),
            (4, june, Some(4.5)),
            (5, june, Some(5.0)),
        ]);
        let on = |day| -> Vec<f64> {
            let rows = v.as_of(day, |date| info.publication_day(date));
            rows.iter().map(|o| o.value).collect()
        };
        // No day of 2010 is recorded: a month's figure counts from the latest on which it can have come.
        assert_eq!(info.publication_day(month(4)), date(2010, 5, 20));
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
    fn vintages_as_recent_as_today_stay() {
        let v = combined(&[
            (7, date(2010, 8, 17), Some(7.0)),
            (8, date(2010, 9, 17), Some(8.0)),
        ]);
        let values: Vec<f64> = v.latest().iter().map(|o| o.value).collect();
        assert_eq!(values, [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 7.0, 8.0]);
        assert_eq!(combined(&[]).latest().len(), 8);
    }
}
