//! One frequency for several series: the finer ones are made coarser, never the other way round.

use super::super::resample::{Aggregation, aggregate};
use super::super::statistics::count;
use crate::error::Result;
use crate::model::frequency::shift;
use crate::model::{Date, Frequency, Observation, Series};
use jiff::ToSpan;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The lowest frequency among series.
pub fn coarsest<'a>(series: impl IntoIterator<Item = &'a Series>) -> Frequency {
    series
        .into_iter()
        .map(Series::frequency)
        .max()
        .unwrap_or(Frequency::Daily)
}

/// A series at frequency `to`. Days become weeks that end as the weeks of `weeks` do, where that is given;
/// else weeks end on Friday.
///
/// # Errors
/// [`crate::Error::InvalidParam`] when `to` is finer than the series.
pub fn convert(
    series: &Series,
    to: Frequency,
    how: Aggregation,
    weeks: Option<&Series>,
) -> Result<Series> {
    if series.frequency() == to {
        return Ok(series.clone());
    }
    let rows = match weeks.filter(|w| w.frequency() == Frequency::Weekly && to == w.frequency()) {
        Some(weeks) if series.frequency() == Frequency::Daily => by_week(series, weeks, how),
        _ => aggregate(series, to, how)?.observations,
    };
    let mut info = (*series.info).clone();
    info.frequency = to;
    Ok(Series::new(Arc::new(info), rows))
}

/// Daily figures over the seven days that end on each date of `weeks`.
fn by_week(days: &Series, weeks: &Series, how: Aggregation) -> Vec<Observation> {
    weeks
        .observations
        .iter()
        .filter_map(|week| {
            let inside = days.between(shift(week.date, (-6).days()), week.date);
            let last = inside.last()?.value;
            let sum: f64 = inside.iter().map(|o| o.value).sum();
            let value = match how {
                Aggregation::Average => sum / count(inside.len()),
                Aggregation::Sum => sum,
                Aggregation::EndOfPeriod => last,
            };
            Some(Observation::new(week.date, value))
        })
        .collect()
}

/// Figures of several series of one frequency on the dates that all of them have.
/// Weeks that end on different days are taken together by the Friday that ends or follows them.
pub fn join(series: &[&Series]) -> Vec<(Date, Vec<f64>)> {
    let weekly = coarsest(series.iter().copied()) == Frequency::Weekly;
    let weekday = |s: &Series| s.observations.last().map(|o| o.date.weekday());
    let same_day = series
        .windows(2)
        .all(|w| matches!(w, [a, b] if weekday(a) == weekday(b)));
    let key = |date: Date| {
        if weekly && !same_day {
            Frequency::Weekly.stamp(date)
        } else {
            date
        }
    };
    let mut rows: BTreeMap<Date, Vec<f64>> = BTreeMap::new();
    for (position, one) in series.iter().enumerate() {
        for o in &one.observations {
            match rows.entry(key(o.date)) {
                std::collections::btree_map::Entry::Vacant(new) if position == 0 => {
                    new.insert(vec![o.value]);
                }
                std::collections::btree_map::Entry::Vacant(_) => {}
                std::collections::btree_map::Entry::Occupied(mut row) => {
                    let row = row.get_mut();
                    if row.len() == position {
                        row.push(o.value);
                    } else if let Some(last) = row.last_mut().filter(|_| position == 0) {
                        *last = o.value;
                    }
                }
            }
        }
    }
    rows.into_iter()
        .filter(|(_, values)| values.len() == series.len())
        .collect()
}
