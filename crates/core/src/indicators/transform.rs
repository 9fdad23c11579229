//! Changes, growth rates and spreads of a series, by the calendar and never by position.
//!
//! "A year ago" is that calendar period or nothing: October 2025 was never published for UNRATE and the
//! CPI, and counting twelve rows back would compare the wrong months (docs/METHODS.md#gaps).

mod lookback;

use super::months::log_ratio;
use crate::model::frequency::add_days;
use crate::model::series_info::round_to;
use crate::model::{Date, Frequency, Observation, Series};
use jiff::Span;
use lookback::Lookback;
use std::str::FromStr;

/// Changes of the newest value over 7 and 30 days, in the series' own unit (docs/METHODS.md#changes).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Changes {
    /// Against 7 days earlier; daily and weekly series only.
    pub week: Option<f64>,
    /// Against 30 days earlier; monthly series: against the month before.
    pub month: Option<f64>,
}

/// Returns the changes of the newest value on or before `day`, measured from that value's own date.
///
/// Missing: quarterly and annual series have none, nor has a date whose counterpart is absent or stale.
/// Rounded to the series' decimals plus two.
pub fn changes(series: &Series, day: Date) -> Changes {
    let Some(last) = series.last_on_or_before(day) else {
        return Changes::default();
    };
    let change = |earlier: f64| series.info.round(last.value - earlier);
    let back = |days: i64| Some(series.fresh_observation(add_days(last.date, -days))?.value);
    let previous = || Lookback::new(series).period(last.date);
    let (week, month) = match series.frequency() {
        Frequency::Daily => (back(7), back(30)),
        Frequency::Weekly => (previous(), back(30)),
        Frequency::Biweekly => (None, back(30)),
        Frequency::Monthly => (None, previous()),
        Frequency::Quarterly | Frequency::Semiannual | Frequency::Annual => (None, None),
    };
    Changes {
        week: week.map(change),
        month: month.map(change),
    }
}

/// Returns the value one year before `date`.
///
/// Daily: the newest one up to that day last year, unless stale. Weekly: 52 weeks back, give or take a day.
/// Longer periods: the same period of last year, or nothing.
pub fn year_earlier(series: &Series, date: Date) -> Option<f64> {
    Lookback::new(series).year(date)
}

/// Returns the percent change of the value of `date` against a year earlier (docs/METHODS.md#inflation-rate).
///
/// Missing: when either is absent, or the base is not positive.
pub fn year_on_year(series: &Series, date: Date) -> Option<f64> {
    percent(series.value_on(date)?, year_earlier(series, date)?)
}

/// Returns the newest computable percent change against a year earlier up to `day`, with its own date.
///
/// A month whose base was never published is passed over.
pub fn latest_year_on_year(series: &Series, day: Date) -> Option<Observation> {
    let mut newest_first = series.up_to(day).iter().rev();
    newest_first.find_map(|o| Some(Observation::new(o.date, year_on_year(series, o.date)?)))
}

/// Returns `100·(a/b − 1)`; `None` unless the base is positive and the result finite.
fn percent(a: f64, b: f64) -> Option<f64> {
    (b > 0.0)
        .then(|| 100.0 * (a / b - 1.0))
        .filter(|v| v.is_finite())
}

/// Returns `100·(long − short)` in basis points, one decimal, on the newest date up to `day` that both have.
pub fn spread_bps(long: &Series, short: &Series, day: Date) -> Option<Observation> {
    let mut newest_first = long.up_to(day).iter().rev();
    newest_first.find_map(|o| {
        let spread = bps(o.value - short.value_on(o.date)?);
        Some(Observation::new(o.date, spread))
    })
}

/// Converts percentage points to basis points, rounded to one decimal (docs/METHODS.md#spreads).
pub fn bps(percentage_points: f64) -> f64 {
    round_to(100.0 * percentage_points, 1)
}

/// Converts the discount of a three-month bill to its bond-equivalent yield, both in percent.
///
/// Formula: 100·(365·d/100)/(360 − 91·d/100), docs/METHODS.md#stand-ins. `None` for a discount of 100 % or more.
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

    /// Describes the result, as words that follow the name of a series.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Level => "as published",
            Self::Change => "change from the period before",
            Self::ChangeYear => "change from a year earlier",
            Self::Percent => "% change from the period before",
            Self::PercentYear => "% change from a year earlier",
            Self::PercentAnnualised => "% change from the period before, annualized",
            Self::LogChange => "log % change from the period before",
            Self::LogChangeAnnualised => "log % change from the period before, annualized",
            Self::Log => "natural logarithm",
        }
    }

    /// Whether the result is in the series' own unit, or in points of it.
    pub fn is_in_own_unit(self) -> bool {
        matches!(self, Self::Level | Self::Change | Self::ChangeYear)
    }

    /// Returns how far back a change looks; `None` for what is no change.
    pub(super) fn lookback(self, frequency: Frequency) -> Option<Span> {
        match self {
            Self::Level | Self::Log => None,
            Self::ChangeYear | Self::PercentYear => Some(Frequency::Annual.period()),
            Self::Change
            | Self::Percent
            | Self::PercentAnnualised
            | Self::LogChange
            | Self::LogChangeAnnualised => Some(frequency.period()),
        }
    }

    /// Transforms a series; dates that cannot be computed are absent.
    ///
    /// Units: changes are in the series' own unit, all others in percent, the logarithm without one.
    /// A year holds 260 daily, 52 weekly, 26, 12, 4, 2 or 1 periods.
    pub fn apply(self, series: &Series) -> Vec<Observation> {
        if self == Self::Level {
            return series.observations.clone();
        }
        let per_year = series.frequency().per_year();
        let mut lookback = Lookback::new(series);
        let mut rows = Vec::with_capacity(series.observations.len());
        for o in &series.observations {
            let base = match self {
                Self::Level | Self::Log => Some(1.0),
                Self::ChangeYear | Self::PercentYear => lookback.year(o.date),
                Self::Change
                | Self::Percent
                | Self::PercentAnnualised
                | Self::LogChange
                | Self::LogChangeAnnualised => lookback.period(o.date),
            };
            let value = base
                .and_then(|base| self.compute(o.value, base, per_year))
                .filter(|v| v.is_finite());
            rows.extend(value.map(|v| Observation::new(o.date, v)));
        }
        rows
    }

    fn compute(self, value: f64, base: f64, per_year: f64) -> Option<f64> {
        match self {
            Self::Level => Some(value),
            Self::Change | Self::ChangeYear => Some(value - base),
            Self::Percent | Self::PercentYear => percent(value, base),
            Self::PercentAnnualised => Some(100.0 * (per_year * log_ratio(value, base)?).exp_m1()),
            Self::LogChange => Some(100.0 * log_ratio(value, base)?),
            Self::LogChangeAnnualised => Some(100.0 * per_year * log_ratio(value, base)?),
            Self::Log => log_ratio(value, base),
        }
    }
}

impl FromStr for Units {
    type Err = ();

    /// Parses a FRED code in any case.
    fn from_str(text: &str) -> Result<Self, ()> {
        let code = text.trim();
        let mut all = Self::ALL.into_iter();
        let units = all.find(|(c, _)| code.eq_ignore_ascii_case(c));
        units.map(|(_, units)| units).ok_or(())
    }
}

#[cfg(test)]
mod tests;
