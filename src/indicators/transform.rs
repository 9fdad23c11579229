//! Changes, growth rates and spreads of a series, by the calendar and never by position.
//!
//! "A year ago" is that calendar period or nothing: October 2025 was never published for UNRATE and the
//! CPI, and counting twelve rows back would quietly compare the wrong months (METHODS 0.2, 0.5-0.7).

use super::months::{Month, log_ratio};
use crate::model::catalogue::round_to;
use crate::model::frequency::shift;
use crate::model::{Date, Frequency, Observation, Series};
use jiff::ToSpan;
use std::str::FromStr;

/// Changes of the newest value over 7 and 30 days, in the series' own unit (METHODS 0.5).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Changes {
    /// Against 7 days earlier; daily and weekly series only.
    pub week: Option<f64>,
    /// Against 30 days earlier; monthly series: against the month before.
    pub month: Option<f64>,
}

/// Changes of the newest value on or before `day`, measured from that value's own date.
///
/// Missing: quarterly and annual series have none, nor has a date whose counterpart is absent or stale.
/// Rounded to the series' decimals plus two.
pub fn changes(series: &Series, day: Date) -> Changes {
    let Some(last) = series.last_on_or_before(day) else {
        return Changes::default();
    };
    let against = |earlier: Option<f64>| earlier.map(|v| series.info.round(last.value - v));
    let back = |days: i64| {
        series
            .lookup(shift(last.date, (-days).days()))
            .map(|o| o.value)
    };
    match series.frequency() {
        Frequency::Daily => Changes {
            week: against(back(7)),
            month: against(back(30)),
        },
        Frequency::Weekly => Changes {
            week: against(near(series, shift(last.date, (-7).days()))),
            month: against(back(30)),
        },
        Frequency::Monthly => Changes {
            week: None,
            month: against(months_earlier(series, last.date, 1)),
        },
        Frequency::Quarterly | Frequency::Annual => Changes::default(),
    }
}

/// The value stamped exactly `months` calendar months before `date`, if that month has one.
pub fn months_earlier(series: &Series, date: Date, months: i32) -> Option<f64> {
    series.at(Month::of(date).plus(-months).first_day())
}

/// The observation nearest to `date` within a day: weekly stamps move by one around holidays.
fn near(series: &Series, date: Date) -> Option<f64> {
    [0, -1, 1]
        .iter()
        .find_map(|&d: &i64| series.at(shift(date, d.days())))
}

/// The value one period before `date`.
/// Daily: the newest one before it, unless stale. Otherwise the calendar's period before, or nothing.
fn period_earlier(series: &Series, date: Date) -> Option<f64> {
    match series.frequency() {
        Frequency::Daily => series.lookup(shift(date, (-1).days())).map(|o| o.value),
        Frequency::Weekly => near(series, shift(date, (-7).days())),
        Frequency::Monthly => months_earlier(series, date, 1),
        Frequency::Quarterly => months_earlier(series, date, 3),
        Frequency::Annual => months_earlier(series, date, 12),
    }
}

/// The value one year before `date`.
/// Daily: the newest one up to that day last year, unless stale. Weekly: 52 weeks back, give or take a day.
/// Longer periods: the same period of last year, or nothing.
pub fn year_earlier(series: &Series, date: Date) -> Option<f64> {
    match series.frequency() {
        Frequency::Daily => series.lookup(shift(date, (-1).year())).map(|o| o.value),
        Frequency::Weekly => near(series, shift(date, (-364).days())),
        Frequency::Monthly | Frequency::Quarterly | Frequency::Annual => {
            months_earlier(series, date, 12)
        }
    }
}

/// Percent change of the value stamped `date` against a year earlier (METHODS 0.2, 0.7).
/// Missing: when either is absent, or the base is not positive.
pub fn year_on_year(series: &Series, date: Date) -> Option<f64> {
    percent(series.at(date)?, year_earlier(series, date)?)
}

/// The newest computable percent change against a year earlier up to `day`, with its own date: a month
/// whose base was never published is passed over, not guessed.
pub fn latest_year_on_year(series: &Series, day: Date) -> Option<Observation> {
    let end = series.observations.partition_point(|o| o.date <= day);
    let known = series.observations.get(..end)?;
    known
        .iter()
        .rev()
        .find_map(|o| year_on_year(series, o.date).map(|v| Observation::new(o.date, v)))
}

/// `100·(a/b − 1)`; `None` unless the base is positive and the result finite.
fn percent(a: f64, b: f64) -> Option<f64> {
    (b > 0.0)
        .then(|| 100.0 * (a / b - 1.0))
        .filter(|v| v.is_finite())
}

/// `100·(long − short)` in basis points, one decimal, on the newest date up to `day` that both have.
pub fn spread_bps(long: &Series, short: &Series, day: Date) -> Option<Observation> {
    let end = long.observations.partition_point(|o| o.date <= day);
    let (at, other) = long
        .observations
        .get(..end)?
        .iter()
        .rev()
        .find_map(|o| short.at(o.date).map(|s| (o, s)))?;
    Some(Observation::new(at.date, bps(at.value - other)))
}

/// Percentage points as basis points, rounded to one decimal (METHODS 0.6).
pub fn bps(percentage_points: f64) -> f64 {
    round_to(100.0 * percentage_points, 1)
}

/// Bond-equivalent yield in percent of a three-month bill quoted on a discount basis, in percent.
/// Formula: 100·(365·d/100)/(360 − 91·d/100), METHODS 1. Missing when the quote is absurdly high.
pub fn bond_equivalent(discount: f64) -> Option<f64> {
    let d = discount / 100.0;
    Some(100.0 * (365.0 * d) / (360.0 - 91.0 * d)).filter(|_| d < 1.0)
}

/// A transformation by FRED's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Units {
    /// `lin`: as published.
    Level,
    /// `chg`: change against the period before.
    Change,
    /// `ch1`: change against a year earlier.
    ChangeYear,
    /// `pch`: percent change against the period before.
    Percent,
    /// `pc1`: percent change against a year earlier.
    PercentYear,
    /// `pca`: percent change against the period before, compounded to a year.
    PercentAnnualised,
    /// `cch`: 100 times the change of the natural logarithm.
    LogChange,
    /// `cca`: the same, times the periods of a year.
    LogChangeAnnualised,
    /// `log`: natural logarithm.
    Log,
}

impl Units {
    /// Every transformation with its code.
    pub const ALL: [(&'static str, Self); 9] = [
        ("lin", Self::Level),
        ("chg", Self::Change),
        ("ch1", Self::ChangeYear),
        ("pch", Self::Percent),
        ("pc1", Self::PercentYear),
        ("pca", Self::PercentAnnualised),
        ("cch", Self::LogChange),
        ("cca", Self::LogChangeAnnualised),
        ("log", Self::Log),
    ];

    /// The series transformed; dates that cannot be computed are absent.
    /// Units: changes are in the series' own unit, all others in percent, the logarithm without one.
    /// A year holds 252 daily, 52 weekly, 12, 4 or 1 periods.
    pub fn apply(self, series: &Series) -> Vec<Observation> {
        series
            .observations
            .iter()
            .filter_map(|o| {
                self.one(series, *o)
                    .filter(|v| v.is_finite())
                    .map(|v| Observation::new(o.date, v))
            })
            .collect()
    }

    fn one(self, series: &Series, o: Observation) -> Option<f64> {
        let before = || period_earlier(series, o.date);
        let year = || year_earlier(series, o.date);
        let per_year = series.frequency().per_year();
        match self {
            Self::Level => Some(o.value),
            Self::Change => Some(o.value - before()?),
            Self::ChangeYear => Some(o.value - year()?),
            Self::Percent => percent(o.value, before()?),
            Self::PercentYear => percent(o.value, year()?),
            Self::PercentAnnualised => {
                log_ratio(o.value, before()?).map(|growth| 100.0 * (per_year * growth).exp_m1())
            }
            Self::LogChange => log_ratio(o.value, before()?).map(|growth| 100.0 * growth),
            Self::LogChangeAnnualised => {
                log_ratio(o.value, before()?).map(|growth| 100.0 * per_year * growth)
            }
            Self::Log => log_ratio(o.value, 1.0),
        }
    }
}

impl FromStr for Units {
    type Err = ();

    /// Reads a FRED code in any case.
    fn from_str(text: &str) -> Result<Self, ()> {
        let code = text.trim();
        Self::ALL
            .iter()
            .find(|(c, _)| code.eq_ignore_ascii_case(c))
            .map(|(_, units)| *units)
            .ok_or(())
    }
}

#[cfg(test)]
mod tests;
