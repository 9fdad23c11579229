//! From one frequency to another: only down, and by the day a figure was known.
//!
//! Aggregating serves users who ask for weekly, monthly, quarterly or annual figures. The cursor and
//! [`known_on`] serve histories: a past day never sees a figure before its typical publication day.

use super::statistics::count;
use crate::error::{Error, Result};
use crate::model::frequency::shift;
use crate::model::observation::known_by;
use crate::model::{Date, Frequency, Observation, Series};
use jiff::ToSpan;
use std::str::FromStr;

/// How several observations become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregation {
    /// Mean of those there are: rates, spreads, indices.
    Average,
    /// Sum: flows.
    Sum,
    /// Last one of the period: stocks.
    EndOfPeriod,
}

impl FromStr for Aggregation {
    type Err = ();

    /// Reads FRED's `avg`, `sum`, `eop` in any case.
    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        match text.trim().to_ascii_lowercase().as_str() {
            "avg" => Ok(Self::Average),
            "sum" => Ok(Self::Sum),
            "eop" => Ok(Self::EndOfPeriod),
            _ => Err(()),
        }
    }
}

/// Observations of a coarser frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct Resampled {
    /// Ascending; stamped as that frequency stamps.
    pub observations: Vec<Observation>,
    /// Whether the last period may still gain figures.
    pub last_is_partial: bool,
}

/// Aggregates a series to `to`, which must not be finer than the series' own frequency.
/// Gaps: a period without any observation stays absent.
///
/// # Errors
/// [`Error::InvalidParam`] when `to` is finer than the series: figures would have to be invented.
pub fn aggregate(series: &Series, to: Frequency, how: Aggregation) -> Result<Resampled> {
    let from = series.frequency();
    if to < from {
        return Err(Error::invalid(
            "frequency",
            to.code(),
            &format!("is finer than {}, which is {from}", series.info.id),
            &format!(
                "{} or coarser, for example frequency={}",
                from.code(),
                from.code()
            ),
        ));
    }
    let all = &series.observations;
    if to == from {
        return Ok(Resampled {
            observations: all.clone(),
            last_is_partial: false,
        });
    }
    let same = |a: &Observation, b: &Observation| to.stamp(a.date) == to.stamp(b.date);
    let observations = all
        .chunk_by(same)
        .filter_map(|period| one(period, how).map(|(d, v)| Observation::new(to.stamp(d), v)))
        .collect();
    Ok(Resampled {
        observations,
        last_is_partial: all.last().is_some_and(|o| may_grow(o.date, from, to)),
    })
}

fn one(period: &[Observation], how: Aggregation) -> Option<(Date, f64)> {
    let last = period.last()?;
    let sum = || period.iter().map(|o| o.value).sum::<f64>();
    let value = match how {
        Aggregation::Average => sum() / count(period.len()),
        Aggregation::Sum => sum(),
        Aggregation::EndOfPeriod => last.value,
    };
    Some((last.date, value)).filter(|_| value.is_finite())
}

/// Whether another observation can fall into the period after the one stamped `last`.
fn may_grow(last: Date, from: Frequency, to: Frequency) -> bool {
    let end = to.period_end(to.stamp(last));
    let mut next = shift(last, from.period());
    if from == Frequency::Daily {
        // Business days: nothing is to come on a weekend.
        while next.weekday().to_monday_one_offset() > 5 {
            next = shift(next, 1.day());
        }
    }
    to.stamp(next) == to.stamp(last) && next <= end
}

/// The part of a series that is not stamped later than the reference day (METHODS 0.3).
///
/// The series holds what was known on that day, so nothing else is cut: a figure that came before its
/// typical publication day is known all the same.
pub fn known(series: &Series, day: Date) -> &[Observation] {
    let end = series.observations.partition_point(|o| o.date <= day);
    series.observations.get(..end).unwrap_or(&[])
}

/// [`known`] of a series that may not be there at all.
pub fn known_or_none(series: Option<&Series>, day: Date) -> &[Observation] {
    series.map_or(&[], |s| known(s, day))
}

/// The day the figure stamped `date` is taken to be public.
pub fn known_on(series: &Series, date: Date) -> Date {
    known_by(
        date,
        series.info.frequency,
        series.info.publication_lag_days,
    )
}

/// As-of look-ups L(s, d) by availability on ascending days, in one pass over the series (METHODS 0.4, 0.8).
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    series: &'a Series,
    next: usize,
}

impl<'a> Cursor<'a> {
    /// Before the first observation.
    pub fn new(series: &'a Series) -> Self {
        Self { series, next: 0 }
    }

    /// Index of the newest observation public on `day`, however old. Days must not go back.
    pub fn index(&mut self, day: Date) -> Option<usize> {
        let rest = self.series.observations.get(self.next..).unwrap_or(&[]);
        let public = |o: &&Observation| o.date <= day && known_on(self.series, o.date) <= day;
        self.next += rest.iter().take_while(public).count();
        self.next.checked_sub(1)
    }

    /// The newest observation public on `day` unless it is stale. Days must not go back.
    pub fn at(&mut self, day: Date) -> Option<Observation> {
        let index = self.index(day)?;
        let last = self.series.observations.get(index).copied()?;
        (!self.series.is_stale(last.date, day)).then_some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Catalogue;
    use jiff::civil::date;

    fn series(id: &str, rows: &[(Date, f64)]) -> Series {
        let info = Catalogue::embedded().get(id).unwrap().clone();
        Series::new(
            info,
            rows.iter().map(|&(d, v)| Observation::new(d, v)).collect(),
        )
    }

    #[test]
    fn days_become_months_and_the_open_month_is_flagged() {
        let s = series(
            "DGS10",
            &[
                (date(2026, 6, 29), 4.0),
                (date(2026, 6, 30), 5.0),
                (date(2026, 7, 30), 7.0),
            ],
        );
        let of = |how| aggregate(&s, Frequency::Monthly, how).unwrap();
        let values = |r: &Resampled| r.observations.iter().map(|o| o.value).collect::<Vec<_>>();
        assert_eq!(values(&of(Aggregation::Average)), [4.5, 7.0]);
        assert_eq!(values(&of(Aggregation::Sum)), [9.0, 7.0]);
        assert_eq!(values(&of(Aggregation::EndOfPeriod)), [5.0, 7.0]);
        assert!(of(Aggregation::Sum).last_is_partial);
        assert_eq!(of(Aggregation::Sum).observations[1].date, date(2026, 7, 1));
    }

    #[test]
    fn a_period_is_whole_when_only_a_weekend_is_left() {
        let partial = |id, day, to| {
            aggregate(&series(id, &[(day, 1.0)]), to, Aggregation::Average)
                .unwrap()
                .last_is_partial
        };
        // 31 May 2026 is a Sunday.
        assert!(!partial("DGS10", date(2026, 5, 29), Frequency::Monthly));
        assert!(partial("DGS10", date(2026, 5, 28), Frequency::Monthly));
        assert!(!partial("UNRATE", date(2026, 6, 1), Frequency::Quarterly));
        assert!(partial("UNRATE", date(2026, 5, 1), Frequency::Quarterly));
        assert!(partial("WALCL", date(2026, 8, 19), Frequency::Monthly));
    }

    #[test]
    fn nothing_is_made_finer_than_it_is() {
        let s = series("UNRATE", &[(date(2026, 6, 1), 4.1)]);
        let message = aggregate(&s, Frequency::Daily, Aggregation::Average)
            .unwrap_err()
            .to_string();
        assert!(message.contains("finer than UNRATE"), "{message}");
        assert_eq!(
            aggregate(&s, Frequency::Monthly, Aggregation::Sum)
                .unwrap()
                .observations,
            s.observations
        );
    }

    #[test]
    fn a_figure_is_seen_from_its_publication_day_until_it_is_stale() {
        // NFCI: a Friday's figure is public five days later.
        let s = series(
            "NFCI",
            &[(date(2026, 8, 7), -0.555), (date(2026, 8, 14), -0.559)],
        );
        let mut cursor = Cursor::new(&s);
        let mut at = |d| cursor.at(d).map(|o| o.value);
        assert_eq!(at(date(2026, 8, 11)), None);
        assert_eq!(at(date(2026, 8, 12)), Some(-0.555));
        assert_eq!(at(date(2026, 8, 18)), Some(-0.555));
        assert_eq!(at(date(2026, 8, 19)), Some(-0.559));
        assert_eq!(at(date(2026, 9, 2)), Some(-0.559));
        assert_eq!(at(date(2026, 9, 3)), None);
        // What is held on the reference day is known, however early it came.
        assert_eq!(known(&s, date(2026, 8, 18)).len(), 2);
        assert_eq!(known(&s, date(2026, 8, 13)).len(), 1);
    }
}
