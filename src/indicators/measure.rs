//! Transforms of daily and weekly figures that the market indices are made of.
//!
//! Windows count observations (trading days), as markets do, or calendar weeks. A window that spans an
//! interruption of the series has no value: a change over a hole of months is not a change over 63 days.

use super::months::log_ratio;
use super::resample::{known, known_on};
use super::statistics::{Moments, rolling_moments};
use crate::model::frequency::{days_between, shift};
use crate::model::{Date, Frequency, Observation, Series, SeriesSet};
use jiff::ToSpan;
use std::sync::Arc;

/// An input after its transform, with what is needed to place it on the calendar.
#[derive(Debug, Clone)]
pub struct Measure {
    /// Series it was read from.
    pub from: Vec<&'static str>,
    /// The first source's description over the transformed figures.
    pub series: Series,
    /// Whether its days are days of the index; false for what trades on holidays.
    pub sets_days: bool,
    /// First day on which it may be used, where it needs a longer past than its transform.
    pub usable_from: Option<Date>,
    /// Last weekday up to the reference day: from here on everything held counts.
    pub until: Date,
    /// Whether figures from before the first day read were left out.
    pub cut: bool,
}

impl Measure {
    /// The series as it is, from `start` to the reference day `day`; `None` when there is nothing.
    pub fn level(set: &SeriesSet, id: &'static str, (start, day): (Date, Date)) -> Option<Self> {
        let source = set.get(id)?;
        let public = known(source, day);
        let first = public.partition_point(|o| o.date < start);
        let observations = public.get(first..).filter(|o| !o.is_empty())?.to_vec();
        Some(Self {
            from: vec![id],
            series: Series::new(Arc::clone(&source.info), observations),
            sets_days: true,
            usable_from: None,
            until: weekday_up_to(day),
            cut: first > 0,
        })
    }

    /// This and another joined on their common dates; nothing where one side is absent.
    pub fn joined(self, other: &Self, join: fn(f64, f64) -> Option<f64>) -> Self {
        let mut right = other.series.observations.iter().peekable();
        let both = |left: &Observation| {
            while right.next_if(|r| r.date < left.date).is_some() {}
            let right = right.peek().filter(|r| r.date == left.date)?;
            finite(left.date, join(left.value, right.value))
        };
        let observations = self.series.observations.iter().filter_map(both).collect();
        let mut joined = self.clone();
        joined.from.extend(&other.from);
        joined.cut |= other.cut;
        joined.series.observations = observations;
        joined
    }

    /// The newest value on each of `days` (ascending), unless it is stale (METHODS 0.4).
    ///
    /// A daily figure belongs to its own day; a coarser one counts from its typical publication day (METHODS
    /// 0.8), or from the reference day when it came earlier than that.
    pub fn on(&self, days: &[Date]) -> Vec<Option<Observation>> {
        let mut rest = self.series.observations.iter().peekable();
        let mut newest: Option<Observation> = None;
        // Lag and slack alone carry a figure this far; only older ones need the calendar.
        let surely_fresh =
            self.series.info.publication_lag_days + self.series.frequency().slack_days();
        let place = |day: &Date| {
            while let Some(next) = rest.next_if(|o| self.since(o.date) <= *day) {
                newest = Some(*next);
            }
            newest.filter(|o| {
                days_between(o.date, *day) <= surely_fresh || !self.series.is_stale(o.date, *day)
            })
        };
        days.iter().map(place).collect()
    }

    /// First day of the index on which the figure stamped `date` counts.
    pub fn since(&self, date: Date) -> Date {
        match self.series.frequency() {
            Frequency::Daily => date,
            Frequency::Weekly | Frequency::Monthly | Frequency::Quarterly | Frequency::Annual => {
                known_on(&self.series, date).min(self.until)
            }
        }
    }

    /// Change over `n` observations. Formula: f(xₜ, xₜ₋ₙ).
    pub fn over(mut self, n: usize, change: fn(f64, f64) -> Option<f64>) -> Self {
        let all = &self.series.observations;
        self.series.observations = all
            .iter()
            .zip(all.iter().skip(n))
            .filter(|(before, now)| self.unbroken(before.date, now.date, n))
            .filter_map(|(before, now)| finite(now.date, change(now.value, before.value)))
            .collect();
        self
    }

    /// Distance from the mean of the last `n` observations, in logarithms. Formula: ln(xₜ / MAₙ(x)ₜ).
    pub fn against_mean(self, n: usize) -> Self {
        self.windows(n, |value, window| log_ratio(value, window.mean()))
    }

    /// Standard deviation of the last `n` changes from one observation to the next, times `scale`.
    pub fn volatility(self, n: usize, scale: f64) -> Self {
        self.over(1, difference)
            .windows(n, |_, window| window.sd())
            .scaled(scale)
    }

    /// Growth of the mean of four weeks over the same weeks 52 weeks before, in log percent.
    ///
    /// Weeks are looked up by date; where one of the eight is absent there is nothing.
    /// Formula: 100·ln(ma4(x)ₜ / ma4(x)ₜ₋₃₆₄ days).
    pub fn yearly_growth_of_four_weeks(mut self) -> Self {
        let weeks = self.series.observations.windows(4);
        let means: Vec<Observation> = weeks.filter_map(mean_of_four_weeks).collect();
        let mut year_ago = means.iter().peekable();
        let growth = |now: &Observation| {
            let then = shift(now.date, (-364).days());
            while year_ago.next_if(|o| o.date < then).is_some() {}
            let before = year_ago.peek().filter(|o| o.date == then)?;
            finite(now.date, log_ratio(now.value, before.value))
        };
        self.series.observations = means.iter().filter_map(growth).collect();
        self.scaled(100.0)
    }

    /// Every value times `factor`.
    pub fn scaled(mut self, factor: f64) -> Self {
        self.series
            .observations
            .iter_mut()
            .for_each(|o| o.value *= factor);
        self
    }

    /// A value from each observation and the moments of the `n` that end with it.
    fn windows(mut self, n: usize, value: impl Fn(f64, &Moments) -> Option<f64>) -> Self {
        let all = &self.series.observations;
        let values: Vec<f64> = all.iter().map(|o| o.value).collect();
        let reach = n.saturating_sub(1);
        let ends = all.iter().zip(rolling_moments(&values, n)).skip(reach);
        self.series.observations = all
            .iter()
            .zip(ends)
            .filter(|(first, (now, _))| self.unbroken(first.date, now.date, reach))
            .filter_map(|(_, (now, window))| finite(now.date, value(now.value, &window)))
            .collect();
        self
    }

    /// Whether so many steps of the series can lie between two days without a hole of two weeks.
    fn unbroken(&self, from: Date, to: Date, steps: usize) -> bool {
        let steps = i64::try_from(steps).unwrap_or(i64::MAX / 512);
        let usual = match self.series.frequency() {
            // Five trading days a week, less holidays.
            Frequency::Daily => steps * 8 / 5,
            Frequency::Weekly => steps * 7,
            Frequency::Monthly => steps * 31,
            Frequency::Quarterly => steps * 92,
            Frequency::Annual => steps * 366,
        };
        days_between(from, to) <= usual + 14
    }
}

/// now − before.
pub fn difference(now: f64, before: f64) -> Option<f64> {
    Some(now - before)
}

/// `day`, or the Friday before it on a weekend: the last day on which an index can stand.
fn weekday_up_to(day: Date) -> Date {
    let beyond_friday = day.weekday().to_monday_one_offset() - 5;
    shift(day, (-i64::from(beyond_friday.max(0))).days())
}

fn mean_of_four_weeks(weeks: &[Observation]) -> Option<Observation> {
    let (first, last) = (weeks.first()?, weeks.last()?);
    let sum: f64 = weeks.iter().map(|w| w.value).sum();
    (days_between(first.date, last.date) == 21).then(|| Observation::new(last.date, sum / 4.0))
}

fn finite(date: Date, value: Option<f64>) -> Option<Observation> {
    value
        .filter(|v| v.is_finite())
        .map(|v| Observation::new(date, v))
}
