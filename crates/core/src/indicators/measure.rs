//! Transforms of daily and weekly figures for the market indices.
//!
//! Windows count observations (trading days), as markets do, or calendar weeks. A window that spans an
//! interruption of the series has no value: a change over a hole of months is not a change over 63 days.

use super::expression::for_each_common_date;
use super::months::log_ratio;
use super::statistics::{Moments, rolling_moments};
use crate::model::frequency::{PeriodLength, add_days, days_between, shift};
use crate::model::observation::lagged_publication_day;
use crate::model::{Date, Frequency, Observation, Series, SeriesSet, Timeliness};
use jiff::ToSpan;
use std::sync::Arc;

/// A step of a transform.
type Step = fn(Measure, usize) -> Measure;

/// Reads a step, and over how many figures it goes: "change 63", "inverted".
fn parse_step(text: &str) -> Option<(Step, usize)> {
    let digits = text.find(|c: char| c.is_ascii_digit());
    let (name, figures) = text.split_at(digits.unwrap_or(text.len()));
    let step: Step = match name.trim_end() {
        "change" => Measure::change,
        "log change" => |m, n| m.compare(n, log_ratio),
        "against mean" => |m, n| m.map_windows(n, |value, window| log_ratio(value, window.mean())),
        "volatility" => |m, n| {
            let deviations = m.change(1).map_windows(n, |_, window| window.sd());
            // Percentage points a day to basis points a year of 252 days.
            deviations.scale(252f64.sqrt() * 100.0)
        },
        "growth of four weeks" => |m, _| m.yearly_growth_of_four_week_mean(),
        "percent" => |m, _| m.scale(100.0),
        "inverted" => |m, _| m.scale(-1.0),
        _ => return None,
    };
    Some((step, figures.parse().unwrap_or_default()))
}

/// Series that can measure a part of an index, with the transform to apply.
#[derive(Debug)]
pub struct Proxy {
    /// The series; of two, the logarithm of the first over the second on common dates is taken.
    pub series: Vec<&'static str>,
    /// Steps of the transform of the figures, each with its number of figures.
    pub transform: Vec<(Step, usize)>,
    /// Days of the first series required before a figure; 0 where the transform requires enough.
    pub min_history_days: i64,
    /// Whether its dates are days of the index; false for what trades on holidays.
    pub defines_days: bool,
}

impl Proxy {
    /// Reads the last columns of a row of `data/index_parts.csv`; `None` for an unknown step.
    pub(super) fn parse([series, steps, history, defines_days]: [&'static str; 4]) -> Option<Self> {
        let texts = steps.split("; ").filter(|step| !step.is_empty());
        Some(Self {
            series: series.split('/').collect(),
            transform: texts.map(parse_step).collect::<Option<_>>()?,
            min_history_days: history.parse().ok()?,
            defines_days: defines_days == "yes",
        })
    }

    /// Computes the figures from `start` to the reference day; `None` where a series is not in the set.
    pub fn measure(&'static self, set: &SeriesSet, start: Date, day: Date) -> Option<Measure> {
        let (first, rest) = self.series.split_first()?;
        let source = set.get(first)?;
        let mut rows = source.between(start, day).to_vec();
        for id in rest {
            let mut ratios = Vec::with_capacity(rows.len());
            for_each_common_date(&rows, set.get(id)?.between(start, day), |date, a, b| {
                ratios.extend(finite(date, log_ratio(a, b)));
            });
            rows = ratios;
        }
        let first_day = source.observations.first()?.date;
        let usable_from = shift(first_day, self.min_history_days.days());
        let measure = Measure {
            proxy: self,
            series: Series::new(Arc::clone(&source.info), rows),
            usable_from: (self.min_history_days > 0).then_some(usable_from),
            last_weekday: weekday_up_to(day),
        };
        let steps = self.transform.iter();
        Some(steps.fold(measure, |measure, (step, n)| step(measure, *n)))
    }
}

/// Transformed figures of a proxy, with what is needed to place them on the calendar.
#[derive(Debug, Clone)]
pub struct Measure {
    /// Its definition.
    pub proxy: &'static Proxy,
    /// The transformed figures, under the first source's description.
    pub series: Series,
    /// First day on which it may be used, where it needs a longer history than its transform.
    pub usable_from: Option<Date>,
    /// Last weekday up to the reference day: every figure counts from here on.
    last_weekday: Date,
}

impl Measure {
    /// Returns the newest value on each of `days` (ascending), unless it is stale (docs/METHODS.md#staleness).
    ///
    /// A daily figure belongs to its own day; a coarser one counts from its typical publication day
    /// (docs/METHODS.md#conversion), or from the reference day when it was published earlier.
    pub fn values_on(&self, days: &[Date]) -> impl Iterator<Item = Option<Observation>> {
        let rows = self.series.observations.iter();
        // The first and last day of a figure cost calendar arithmetic: the first is computed once per figure, the last only
        // when a later day needs it.
        let mut rest = rows.map(|o| (self.effective_from(o.date), *o)).peekable();
        let mut newest: Option<(Observation, Option<Date>)> = None;
        days.iter().map(move |day| {
            while let Some((_, o)) = rest.next_if(|(from, _)| from <= day) {
                newest = Some((o, None));
            }
            let (o, fresh_until) = newest.as_mut()?;
            let is_fresh = o.date == *day
                || *day
                    <= *fresh_until.get_or_insert_with(|| {
                        Timeliness::current_until(&self.series.info, o.date)
                    });
            is_fresh.then_some(*o)
        })
    }

    /// Returns the first day of the index on which the figure of `date` counts.
    pub fn effective_from(&self, date: Date) -> Date {
        let info = &self.series.info;
        if info.frequency == Frequency::Daily {
            return date;
        }
        // By the usual lag, which is part of the method and the same for every year.
        lagged_publication_day(date, info.frequency, info.publication_lag_days)
            .min(self.last_weekday)
    }

    /// Takes the change over `n` observations. Formula: xₜ − xₜ₋ₙ.
    fn change(self, n: usize) -> Self {
        self.compare(n, |now, before| Some(now - before))
    }

    fn compare(mut self, n: usize, change: fn(f64, f64) -> Option<f64>) -> Self {
        let rows = &self.series.observations;
        let pairs = rows.iter().zip(rows.iter().skip(n));
        let whole = pairs.filter(|(before, now)| self.is_continuous(before.date, now.date, n));
        let changes =
            whole.filter_map(|(before, now)| finite(now.date, change(now.value, before.value)));
        self.series.observations = changes.collect();
        self
    }

    /// Takes the growth of the mean of four weeks over the same weeks 52 weeks before, in log percent.
    ///
    /// Weeks are looked up by date; where one of the eight is absent there is no value.
    /// Formula: 100·ln(ma4(x)ₜ / ma4(x)ₜ₋₃₆₄ days).
    fn yearly_growth_of_four_week_mean(mut self) -> Self {
        let weeks = self.series.observations.windows(4);
        let means: Vec<Observation> = weeks.filter_map(mean_of_four_weeks).collect();
        let moved = means
            .iter()
            .map(|o| Observation::new(add_days(o.date, 364), o.value));
        let year_ago: Vec<Observation> = moved.collect();
        self.series.observations.clear();
        for_each_common_date(&means, &year_ago, |date, now, before| {
            let growth = finite(date, log_ratio(now, before));
            self.series.observations.extend(growth);
        });
        self.scale(100.0)
    }

    /// Multiplies every value by `factor`.
    fn scale(mut self, factor: f64) -> Self {
        let rows = self.series.observations.iter_mut();
        rows.for_each(|o| o.value *= factor);
        self
    }

    /// Computes a value from each observation and the moments of the `n` that end with it.
    fn map_windows(mut self, n: usize, value: impl Fn(f64, &Moments) -> Option<f64>) -> Self {
        let rows = &self.series.observations;
        let values: Vec<f64> = rows.iter().map(|o| o.value).collect();
        let steps = n.saturating_sub(1);
        let ends = rows.iter().zip(rolling_moments(&values, n)).skip(steps);
        let windows = rows.iter().zip(ends);
        let whole =
            windows.filter(|(first, (last, _))| self.is_continuous(first.date, last.date, steps));
        let figures =
            whole.filter_map(|(_, (last, window))| finite(last.date, value(last.value, &window)));
        self.series.observations = figures.collect();
        self
    }

    /// Whether this many steps of the series can lie between two days without a hole of two weeks.
    fn is_continuous(&self, from: Date, to: Date, steps: usize) -> bool {
        let steps = i64::try_from(steps).unwrap_or(i64::MAX / 512);
        let usual = match self.series.frequency().length() {
            // Five trading days a week, less holidays.
            PeriodLength::Days(1) => steps * 8 / 5,
            PeriodLength::Days(n) => steps * i64::from(n),
            PeriodLength::Months(n) => steps * 31 * i64::from(n),
        };
        days_between(from, to) <= usual + 14
    }
}

/// Returns `day`, or the Friday before it on a weekend: the last possible day of an index.
fn weekday_up_to(day: Date) -> Date {
    let days_after_friday = day.weekday().to_monday_one_offset() - 5;
    add_days(day, -i64::from(days_after_friday.max(0)))
}

fn mean_of_four_weeks(weeks: &[Observation]) -> Option<Observation> {
    let last = weeks.last()?.date;
    let sum: f64 = weeks.iter().map(|w| w.value).sum();
    let is_whole = days_between(weeks.first()?.date, last) == 21;
    is_whole.then(|| Observation::new(last, sum / 4.0))
}

fn finite(date: Date, value: Option<f64>) -> Option<Observation> {
    value
        .filter(|v| v.is_finite())
        .map(|v| Observation::new(date, v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use jiff::civil::date;
    use std::sync::LazyLock;

    #[test]
    fn figure_counts_from_publication_until_stale() {
        // NFCI: a Friday's figure is public five days later.
        let rows = [(date(2026, 8, 7), -0.555), (date(2026, 8, 14), -0.559)]
            .map(|(day, value)| Observation::new(day, value));
        let info = Catalogue::embedded().get("NFCI").unwrap().clone();
        let set: SeriesSet = [Arc::new(Series::new(info, rows.to_vec()))]
            .into_iter()
            .collect();
        let start = date(2026, 1, 1);
        let day = date(2026, 9, 30);
        static NFCI: LazyLock<Proxy> =
            LazyLock::new(|| Proxy::parse(["NFCI", "", "0", "yes"]).unwrap());
        let measure = NFCI.measure(&set, start, day).unwrap();
        let days = [11, 12, 18, 19].map(|d| date(2026, 8, d));
        let days = [&days[..], &[date(2026, 9, 2), date(2026, 9, 3)]].concat();
        let values = measure.values_on(&days).map(|o| o.map(|o| o.value));
        let early = Some(-0.555);
        let late = Some(-0.559);
        assert_eq!(
            values.collect::<Vec<_>>(),
            [None, early, early, late, late, None]
        );
    }
}
