//! Transforms of daily and weekly figures that the market indices are made of.
//!
//! Windows count observations (trading days), as markets do, or calendar weeks. A window that spans an
//! interruption of the series has no value: a change over a hole of months is not a change over 63 days.

use super::expression::meet;
use super::months::log_ratio;
use super::statistics::{Moments, rolling_moments};
use crate::model::frequency::{Length, days_between, days_later, shift};
use crate::model::observation::known_by;
use crate::model::{Date, Frequency, Observation, Series, SeriesSet};
use jiff::ToSpan;
use std::sync::Arc;

/// A way to measure something from series.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// The series; two are taken as the logarithm of the first over the second on common dates.
    pub series: &'static [&'static str],
    /// What is made of them.
    transform: fn(Measure) -> Measure,
    /// Days of the first series that must lie before a figure; 0 where its transform says enough.
    past_days: i64,
    /// Whether its days are days of an index; not for what trades on holidays.
    sets_days: bool,
}

impl Way {
    /// The transform of one series, or of the ratio of two.
    pub const fn of(series: &'static [&'static str], transform: fn(Measure) -> Measure) -> Self {
        Self {
            series,
            transform,
            past_days: 0,
            sets_days: true,
        }
    }

    /// The series as it is.
    pub const fn level(series: &'static [&'static str]) -> Self {
        Self::of(series, |m| m)
    }

    /// The same, once so many days of the first series lie before.
    pub const fn after(self, past_days: i64) -> Self {
        Self { past_days, ..self }
    }

    /// The same on days that others set.
    pub const fn on_days_of_others(self) -> Self {
        let sets_days = false;
        Self { sets_days, ..self }
    }

    /// The figures from the first day read to the reference day; `None` where a series has nothing.
    pub fn measure(&self, set: &SeriesSet, (start, day): (Date, Date)) -> Option<Measure> {
        let mut read = self.series.iter().map(|id| {
            let source = set.get(id)?;
            let rows = source.up_to(day);
            let first = rows.partition_point(|o| o.date < start);
            let rows = rows.get(first..).filter(|rows| !rows.is_empty())?;
            Some((source, rows))
        });
        let (source, rows) = read.next()??;
        let mut rows = rows.to_vec();
        for other in read {
            let mut both = Vec::with_capacity(rows.len());
            meet(&rows, other?.1, |date, a, b| {
                both.extend(finite(date, log_ratio(a, b)))
            });
            rows = both;
        }
        let first = source.observations.first()?.date;
        let usable_from = (self.past_days > 0).then(|| shift(first, self.past_days.days()));
        Some((self.transform)(Measure {
            from: self.series,
            series: Series::new(Arc::clone(&source.info), rows),
            sets_days: self.sets_days,
            usable_from,
            until: weekday_up_to(day),
        }))
    }
}

/// Rows of which there are at most `most`, and mostly nearly so many.
fn collected(rows: impl Iterator<Item = Observation>, most: usize) -> Vec<Observation> {
    let mut out = Vec::with_capacity(most);
    out.extend(rows);
    out
}

/// An input after its transform, with what is needed to place it on the calendar.
#[derive(Debug, Clone)]
pub struct Measure {
    /// Series it was read from.
    pub from: &'static [&'static str],
    /// The first source's description over the transformed figures.
    pub series: Series,
    /// Whether its days are days of the index.
    pub sets_days: bool,
    /// First day on which it may be used, where it needs a longer past than its transform.
    pub usable_from: Option<Date>,
    /// Last weekday up to the reference day: from here on everything held counts.
    until: Date,
}

impl Measure {
    /// The newest value on each of `days` (ascending), unless it is stale (docs/METHODS.md#staleness).
    ///
    /// A daily figure belongs to its own day; a coarser one counts from its typical publication day
    /// (docs/METHODS.md#conversion), or from the reference day when it came earlier than that.
    pub fn on(&self, days: &[Date]) -> impl Iterator<Item = Option<Observation>> {
        let rows = self.series.observations.iter();
        // From when each speaks is asked once, not on every day, and until when only of those that speak for later days.
        let mut rest = rows.map(|o| (self.since(o.date), *o)).peekable();
        let mut newest: Option<(Observation, Option<Date>)> = None;
        days.iter().map(move |day| {
            while let Some((_, o)) = rest.next_if(|(since, _)| since <= day) {
                newest = Some((o, None));
            }
            let (o, until) = newest.as_mut()?;
            let is_fresh = o.date == *day
                || *day <= *until.get_or_insert_with(|| self.series.info.fresh_until(o.date));
            is_fresh.then_some(*o)
        })
    }

    /// First day of the index on which the figure stamped `date` counts.
    pub fn since(&self, date: Date) -> Date {
        match self.series.frequency() == Frequency::Daily {
            true => date,
            false => usually_public(&self.series, date).min(self.until),
        }
    }

    /// Change over `n` observations. Formula: f(xₜ, xₜ₋ₙ).
    pub fn over(mut self, n: usize, change: fn(f64, f64) -> Option<f64>) -> Self {
        let all = &self.series.observations;
        let both = all.iter().zip(all.iter().skip(n));
        let whole = both.filter(|(before, now)| self.unbroken(before.date, now.date, n));
        let change = |now: &Observation, before: f64| finite(now.date, change(now.value, before));
        let changes = whole.filter_map(|(before, now)| change(now, before.value));
        self.series.observations = collected(changes, all.len());
        self
    }

    /// Distance from the mean of the last `n` observations, in logarithms. Formula: ln(xₜ / MAₙ(x)ₜ).
    pub fn against_mean(self, n: usize) -> Self {
        self.windows(n, |value, window| log_ratio(value, window.mean()))
    }

    /// Standard deviation of the last `n` changes from one observation to the next, times `scale`.
    pub fn volatility(self, n: usize, scale: f64) -> Self {
        let changes = self.over(1, difference);
        changes.windows(n, |_, window| window.sd()).scaled(scale)
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
            let then = days_later(now.date, -364);
            while year_ago.next_if(|o| o.date < then).is_some() {}
            let before = year_ago.peek().filter(|o| o.date == then)?;
            finite(now.date, log_ratio(now.value, before.value))
        };
        self.series.observations = means.iter().filter_map(growth).collect();
        self.scaled(100.0)
    }

    /// Every value times `factor`.
    pub fn scaled(mut self, factor: f64) -> Self {
        let rows = self.series.observations.iter_mut();
        rows.for_each(|o| o.value *= factor);
        self
    }

    /// A value from each observation and the moments of the `n` that end with it.
    fn windows(mut self, n: usize, value: impl Fn(f64, &Moments) -> Option<f64>) -> Self {
        let all = &self.series.observations;
        let values: Vec<f64> = all.iter().map(|o| o.value).collect();
        let reach = n.saturating_sub(1);
        let ends = all.iter().zip(rolling_moments(&values, n)).skip(reach);
        let whole = all.iter().zip(ends);
        let whole = whole.filter(|(first, (now, _))| self.unbroken(first.date, now.date, reach));
        let figure = |now: &Observation, window| finite(now.date, value(now.value, &window));
        let rows = whole.filter_map(|(_, (now, window))| figure(now, window));
        self.series.observations = collected(rows, all.len());
        self
    }

    /// Whether so many steps of the series can lie between two days without a hole of two weeks.
    fn unbroken(&self, from: Date, to: Date, steps: usize) -> bool {
        let steps = i64::try_from(steps).unwrap_or(i64::MAX / 512);
        let usual = match self.series.frequency().length() {
            // Five trading days a week, less holidays.
            Length::Days(1) => steps * 8 / 5,
            Length::Days(n) => steps * i64::from(n),
            Length::Months(n) => steps * 31 * i64::from(n),
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
    let value = value.filter(|v| v.is_finite());
    value.map(|v| Observation::new(date, v))
}

/// The day on which a figure is public by its usual lag: part of the method, and the same for every year.
fn usually_public(series: &Series, date: Date) -> Date {
    let info = &series.info;
    known_by(date, info.frequency, info.publication_lag_days)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use jiff::civil::date;

    #[test]
    fn a_figure_is_seen_from_its_publication_day_until_it_is_stale() {
        // NFCI: a Friday's figure is public five days later.
        let rows = [(date(2026, 8, 7), -0.555), (date(2026, 8, 14), -0.559)];
        let rows = rows.map(|(day, value)| Observation::new(day, value));
        let info = Catalogue::embedded().get("NFCI").unwrap().clone();
        let set: SeriesSet = [Arc::new(Series::new(info, rows.to_vec()))]
            .into_iter()
            .collect();
        let span = (date(2026, 1, 1), date(2026, 9, 30));
        let measure = Way::level(&["NFCI"]).measure(&set, span).unwrap();
        let days = [11, 12, 18, 19].map(|d| date(2026, 8, d));
        let days = [&days[..], &[date(2026, 9, 2), date(2026, 9, 3)]].concat();
        let values = measure.on(&days).map(|o| o.map(|o| o.value));
        let early = Some(-0.555);
        let late = Some(-0.559);
        assert_eq!(
            values.collect::<Vec<_>>(),
            [None, early, early, late, late, None]
        );
    }
}
