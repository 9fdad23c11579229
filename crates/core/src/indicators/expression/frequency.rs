//! Alignment of several series: conversion to the lowest frequency, and common dates.

use crate::error::Result;
use crate::indicators::resample::{Aggregation, aggregate};
use crate::model::frequency::{Periods, add_days};
use crate::model::{Date, Frequency, Observation, Series};
use std::borrow::Cow;
use std::sync::Arc;

/// Returns the lowest frequency among series; daily without any.
pub fn coarsest<'a>(series: impl IntoIterator<Item = &'a Series>) -> Frequency {
    let frequencies = series.into_iter().map(Series::frequency);
    frequencies.max().unwrap_or(Frequency::Daily)
}

/// Converts a series to the frequency `to`.
///
/// Days become weeks that end on the weekday of `weeks`; without `weeks` they end on Friday. Quarters stamped by a middle month are stamped by their first month, so
/// that they have common dates with others.
///
/// # Errors
/// [`crate::Error::InvalidParam`] when `to` is finer than the series.
pub fn convert(
    series: &Arc<Series>,
    to: impl Into<Periods>,
    how: Aggregation,
    weeks: Option<&Series>,
) -> Result<Arc<Series>> {
    let periods = to.into();
    let to = periods.frequency;
    if series.frequency() == to {
        let mut rows = series.observations.iter();
        if to < Frequency::Monthly || rows.all(|o| to.is_period_date(o.date)) {
            return Ok(Arc::clone(series));
        }
        let dated = (series.observations.iter())
            .map(|o| Observation::new(to.period_date(o.date), o.value))
            .collect();
        return Ok(Arc::new(Series::new(Arc::clone(&series.info), dated)));
    }
    let is_weekly = |s: &&Series| to == Frequency::Weekly && s.frequency() == to;
    let rows = match weeks.filter(is_weekly) {
        Some(weeks) if series.frequency() == Frequency::Daily => {
            aggregate_to_weeks(series, weeks, how)
        }
        _ => aggregate(series, periods, how)?,
    };
    let mut info = (*series.info).clone();
    info.frequency = to;
    Ok(Arc::new(Series::new(Arc::new(info), rows)))
}

/// Whether two series have one frequency and stamp its periods by the same month.
pub(super) fn has_same_stamps(a: &Series, b: &Series) -> bool {
    let month = |s: &Series| s.observations.last().map(|o| o.date.month().rem_euclid(3));
    a.frequency() == b.frequency() && month(a) == month(b)
}

/// Aggregates daily figures over the seven days that end on each date of `weeks`.
fn aggregate_to_weeks(days: &Series, weeks: &Series, how: Aggregation) -> Vec<Observation> {
    let mut rest = days.observations.as_slice();
    let aggregate = |week: &Observation| {
        let first = add_days(week.date, -6);
        rest = rest.get(rest.iter().take_while(|o| o.date < first).count()..)?;
        let inside = rest.iter().take_while(|o| o.date <= week.date).count();
        Some(Observation::new(week.date, how.apply(rest.get(..inside)?)?))
    };
    weeks.observations.iter().filter_map(aggregate).collect()
}

/// Returns the figures of several series of one frequency under comparable dates.
///
/// Weeks that end on different days get the Friday of the calendar week (Monday to Sunday) that holds their date. Where a
/// calendar week holds two figures, the first series gives its last, the others their first.
pub fn side_by_side<'a>(series: &[&'a Series]) -> Vec<Cow<'a, [Observation]>> {
    let is_weekly = coarsest(series.iter().copied()) == Frequency::Weekly;
    let weekday = |s: &Series| s.observations.last().map(|o| o.date.weekday());
    let mut pairs = series.windows(2);
    let is_moved = is_weekly && pairs.any(|w| matches!(w, [a, b] if weekday(a) != weekday(b)));
    let rows = |(position, one): (usize, &&'a Series)| {
        if is_moved {
            Cow::Owned(by_friday(&one.observations, position == 0))
        } else {
            Cow::Borrowed(one.observations.as_slice())
        }
    };
    series.iter().enumerate().map(rows).collect()
}

fn by_friday(rows: &[Observation], takes_last: bool) -> Vec<Observation> {
    let mut out: Vec<Observation> = Vec::with_capacity(rows.len());
    for row in rows {
        let friday = friday(row.date);
        match out.last_mut().filter(|last| last.date == friday) {
            Some(last) if takes_last => last.value = row.value,
            Some(_) => {}
            None => out.push(Observation::new(friday, row.value)),
        }
    }
    out
}

/// Returns the Friday of the week from Monday to Sunday that holds a day.
pub(super) fn friday(date: Date) -> Date {
    add_days(date, 4 - i64::from(date.weekday().to_monday_zero_offset()))
}

/// Calls `f` with each date that two ascending lists have in common, and their values.
pub(crate) fn for_each_common_date(
    a: &[Observation],
    b: &[Observation],
    mut f: impl FnMut(Date, f64, f64),
) {
    let mut rest = b.iter().peekable();
    for x in a {
        while rest.next_if(|y| y.date < x.date).is_some() {}
        if let Some(y) = rest.next_if(|y| y.date == x.date) {
            f(x.date, x.value, y.value);
        }
    }
}

/// Merges ascending dates and those of rows; each date stands once. Most rows share their dates, where a sort of all takes
/// several times as long.
fn union(dates: &[Date], rows: &[Observation]) -> Vec<Date> {
    let mut merged = Vec::with_capacity(dates.len().max(rows.len()));
    let mut rest = dates.iter().copied().peekable();
    for row in rows {
        while let Some(date) = rest.next_if(|date| *date < row.date) {
            merged.push(date);
        }
        rest.next_if_eq(&row.date);
        merged.push(row.date);
    }
    merged.extend(rest);
    merged
}

/// A table of series under all their dates, aligned as by [`side_by_side`].
pub struct AlignedSeries {
    /// The dates, ascending.
    pub dates: Vec<Date>,
    /// The figures of each series at the dates; NaN where it has none.
    pub columns: Vec<Vec<f64>>,
}

impl AlignedSeries {
    /// Aligns series.
    pub fn align(series: &[&Series]) -> Self {
        let lists = side_by_side(series);
        let dates = lists
            .iter()
            .fold(Vec::new(), |dates, rows| union(&dates, rows));
        let column = |rows: &Cow<'_, [Observation]>| {
            let mut rest = rows.iter().peekable();
            let mut value = |date: &Date| rest.next_if(|o| o.date == *date);
            let values = dates
                .iter()
                .map(|date| value(date).map_or(f64::NAN, |o| o.value));
            values.collect()
        };
        let columns = lists.iter().map(column).collect();
        Self { dates, columns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::indicators::statistics::count;
    use crate::model::frequency::{day_from_number, shift};
    use jiff::ToSpan;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// By dates in a map: the first list opens each date, in which its last figure counts, the others add to it.
    fn in_a_map(series: &[&Series], key: impl Fn(Date) -> Date) -> Vec<(Date, Vec<f64>)> {
        let mut rows: BTreeMap<Date, Vec<f64>> = BTreeMap::new();
        for (position, one) in series.iter().enumerate() {
            for o in &one.observations {
                let row = match position {
                    0 => rows.entry(key(o.date)).or_default(),
                    _ => match rows.get_mut(&key(o.date)) {
                        Some(row) => row,
                        None => continue,
                    },
                };
                if position == 0 {
                    row.clear();
                }
                if row.len() == position {
                    row.push(o.value);
                }
            }
        }
        rows.retain(|_, row| row.len() == series.len());
        rows.into_iter().collect()
    }

    fn any_weeks() -> impl Strategy<Value = Vec<(i32, f64)>> {
        (0i32..7, prop::collection::vec((0u8..10, -9.0..9.0), 1..120)).prop_map(|(first, steps)| {
            let mut day = 8_000 + first;
            let rows = steps.into_iter().map(|(kind, value)| {
                day += match kind {
                    0 => 6,
                    1 => 8,
                    2 => 3,
                    3 => 21,
                    _ => 7,
                };
                (day, value)
            });
            rows.collect()
        })
    }

    fn series(id: &str, rows: &[(i32, f64)]) -> Series {
        let info = Catalogue::embedded().get(id).unwrap().clone();
        let row =
            |(day, value): &(i32, f64)| Observation::new(day_from_number(*day).unwrap(), *value);
        Series::new(info, rows.iter().map(row).collect())
    }

    #[test]
    fn weeks_of_different_ends_move_to_friday() {
        let dates = [(22, 26), (24, 26), (26, 26), (27, 26), (28, 26), (29, 2)];
        for (day, end) in dates {
            let month = if end == 2 { 9 } else { 8 };
            let date = jiff::civil::date(2005, 8, day);
            assert_eq!(friday(date), jiff::civil::date(2005, month, end), "{date}");
        }
    }

    proptest! {
        #[test]
        fn alignment_matches_a_map_by_date(lists in prop::collection::vec(any_weeks(), 1..5), weekly: bool) {
            let id = if weekly { "ICSA" } else { "DGS10" };
            let owned: Vec<Series> = lists.iter().map(|rows| series(id, rows)).collect();
            let series: Vec<&Series> = owned.iter().collect();
            let ends: Vec<_> = series.iter().map(|s| s.observations.last().unwrap().date.weekday()).collect();
            let by_friday = weekly && ends.windows(2).any(|w| w[0] != w[1]);
            let key = |d| if by_friday { friday(d) } else { d };
            let plain = in_a_map(&series, key);
            let lists = side_by_side(&series);
            let dates: Vec<Date> = plain.iter().map(|(date, _)| *date).collect();
            let grid = AlignedSeries::align(&series);
            let has = |column: &Vec<f64>, i: usize| !column[i].is_nan();
            let common = grid.dates.iter().copied().enumerate().filter(|(i, _)| grid.columns.iter().all(|c| has(c, *i)));
            prop_assert_eq!(common.map(|row| row.1).collect::<Vec<_>>(), dates);
            if let [a, b] = lists.as_slice() {
                let mut common_rows = Vec::new();
                for_each_common_date(a, b, |date, x, y| common_rows.push((date, vec![x, y])));
                prop_assert_eq!(common_rows, plain);
            }
        }

        #[test]
        fn week_covers_the_seven_days_to_its_date(days in prop::collection::vec(1i32..5, 1..200), weeks in any_weeks()) {
            let mut day = 8_000;
            let rows: Vec<(i32, f64)> = days.iter().map(|gap| { day += gap; (day, f64::from(day % 13)) }).collect();
            let days = series("DGS10", &rows); let weeks = series("ICSA", &weeks);
            for how in [Aggregation::Average, Aggregation::Sum, Aggregation::EndOfPeriod] {
                let plain = weeks.observations.iter().filter_map(|week| {
                    let inside = days.between(shift(week.date, (-6).days()), week.date);
                    let sum: f64 = inside.iter().map(|o| o.value).sum();
                    let value = match how {
                        Aggregation::Average => sum / count(inside.len()),
                        Aggregation::Sum => sum,
                        Aggregation::EndOfPeriod => inside.last()?.value,
                    };
                    inside.last().map(|_| Observation::new(week.date, value))
                });
                prop_assert_eq!(aggregate_to_weeks(&days, &weeks, how), plain.collect::<Vec<_>>());
            }
        }
    }
}
