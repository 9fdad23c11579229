//! Net liquidity CNLI, method cnli-v1: the Fed's assets less the Treasury's account and the reverse repo
//! facility, in trillions of dollars, on Wednesdays (docs/COMPOSITES.md#net-liquidity).
//!
//! Units are read from each series and magnitudes are checked: taking the Treasury's account for billions,
//! as many published scripts do, would be wrong by almost a trillion. A balance out of bounds gives no figure.

use super::composite::{Composite, Computation, Indicator};
use super::prose;
use super::reading::{Input, Reading, Trend};
use super::record::{LAST_STUDIED, counted};
use crate::model::frequency::{add_days, days_between};
use crate::model::{Date, Observation, Series, SeriesSet};
use jiff::civil::date;

/// Net liquidity, trillions of dollars, weekly.
pub const CNLI: Composite = Composite {
    indicator: Indicator { id: "SERVICE_CNLI" },
    computation: Computation::Formula { reading, history },
    interpret,
};

/// Change over 13 weeks, in trillions, from which liquidity is not stable (docs/COMPOSITES.md#net-liquidity).
const STEP: f64 = 0.15;

/// Greatest age of a reverse repo balance in days; without one there was no operation, hence zero
/// (docs/COMPOSITES.md#net-liquidity).
const RRP_DAYS: i64 = 7;

/// First day from which reverse repos were offered daily: from here on a missing balance is not zero.
const RRP_DAILY: Date = date(2013, 9, 23);

/// One of the three balances.
struct BalanceComponent {
    name: &'static str,
    id: &'static str,
    sign: f64,
    /// Plausible range in trillions: docs/COMPOSITES.md#net-liquidity, and a lower bound for the Treasury's account (its
    /// minimum since 2002 is 0.0037), which detects billions read as millions.
    bounds: (f64, f64),
}

const COMPONENTS: [BalanceComponent; 3] = [
    BalanceComponent {
        name: "Federal Reserve assets",
        id: "WALCL",
        sign: 1.0,
        bounds: (0.5, 20.0),
    },
    BalanceComponent {
        name: "Treasury General Account",
        id: "WTREGEN",
        sign: -1.0,
        bounds: (0.002, 3.0),
    },
    BalanceComponent {
        name: "Overnight reverse repos",
        id: "RRPONTSYD",
        sign: -1.0,
        bounds: (0.0, 5.0),
    },
];

/// A balance in trillions with its date, or why there is none.
type Balance = Result<(f64, Date), String>;

impl BalanceComponent {
    /// Returns the balance that counts on the Wednesday `week`.
    fn balance(&self, set: &SeriesSet, week: Date) -> Balance {
        let id = self.id;
        let series = match set.get(id) {
            Some(series) => series,
            // The series itself begins in 2003, later than the balance sheet.
            None if id == "RRPONTSYD" && week < RRP_DAILY => return Ok((0.0, week)),
            None => return Err(set.describe_missing(id, week)),
        };
        let balance = match id {
            "WALCL" => series.value_on(week).map(|v| Observation::new(week, v)),
            "WTREGEN" => series.fresh_observation(week),
            _ => reverse_repos(series, week),
        }
        .ok_or_else(|| format!("{id} has no figure for {week}"))?;
        let value = balance.value * trillions_per_unit(series)?;
        let date = balance.date;
        let (low, high) = self.bounds;
        if (low..=high).contains(&value) {
            Ok((value, date))
        } else {
            Err(format!(
                "{id} of {date} is {value} trillion, outside {low} to {high}: the unit must be wrong"
            ))
        }
    }

    fn input(&self, balance: Balance) -> Input {
        let value = balance.as_ref().ok().map(|(value, _)| *value);
        let description = (self.name, &[self.id][..], "trillions of dollars");
        Input {
            // Adding zero avoids a negative zero.
            contribution: value.map(|value| self.sign * value + 0.0),
            ..Input::new(description, balance)
        }
    }
}

/// Returns the newest balance up to a week old; zero in the years of rare operations without one.
fn reverse_repos(series: &Series, week: Date) -> Option<Observation> {
    let last = series.last_on_or_before(week);
    let recent = last.filter(|o| days_between(o.date, week) <= RRP_DAYS);
    recent.or_else(|| (week < RRP_DAILY).then(|| Observation::new(week, 0.0)))
}

/// Returns the trillions of dollars in one unit of the series.
fn trillions_per_unit(series: &Series) -> Result<f64, String> {
    let unit = series.info.units.to_ascii_lowercase();
    let sizes = [("million", 1e-6), ("billion", 1e-3), ("trillion", 1.0)];
    let size = sizes.into_iter().find(|(word, _)| unit.contains(word));
    size.map(|(_, factor)| factor).ok_or_else(|| {
        let id = &series.info.id;
        let units = &series.info.units;
        format!("{id} is in \"{units}\", not in dollars")
    })
}

/// Returns net liquidity on a Wednesday that has all three balances.
fn net_liquidity(set: &SeriesSet, week: Date) -> Option<f64> {
    let balances = COMPONENTS
        .iter()
        .map(|c| Some(c.sign * c.balance(set, week).ok()?.0));
    balances.sum()
}

/// Returns every week up to `day` that has all three balances, ascending; the first is of December 2002.
fn history(set: &SeriesSet, day: Date) -> Vec<Observation> {
    let weeks = set.up_to("WALCL", day).iter();
    weeks
        .filter_map(|o| Some(Observation::new(o.date, net_liquidity(set, o.date)?)))
        .collect()
}

/// Returns the newest week. An implausible or absent balance is not hidden behind an older week.
fn reading(set: &SeriesSet, day: Date) -> Reading {
    let latest = set.get("WALCL").and_then(|s| s.fresh_observation(day));
    let Some(week) = latest.map(|o| o.date) else {
        let reason = set.describe_missing("WALCL", day);
        let inputs = COMPONENTS.iter().map(|c| c.input(Err(reason.clone())));
        return Reading::without_value(day, reason.clone(), inputs.collect());
    };
    let components = COMPONENTS.iter();
    let inputs: Vec<Input> = components.map(|c| c.input(c.balance(set, week))).collect();
    if inputs.iter().any(|i| i.missing.is_some()) {
        return Reading::with_missing_inputs(week, inputs);
    }
    let value: f64 = inputs.iter().filter_map(|i| i.contribution).sum();
    let before = net_liquidity(set, add_days(week, -91));
    Reading {
        trend: Trend::between(before, value, "13 weeks"),
        ..Reading::new(week, value, inputs)
    }
}

/// Returns "expanding", "draining" or "stable" by the change over 13 weeks.
pub fn direction(change: f64) -> &'static str {
    match change {
        c if c > STEP => "expanding",
        c if c < -STEP => "draining",
        _ => "stable",
    }
}

/// Describes level and direction, and the limits of the figure.
fn interpret(reading: &Reading) -> String {
    if reading.value.is_none() {
        return prose::describe_unavailable("Net liquidity", reading);
    }
    let direction = reading
        .trend
        .map_or("Direction unknown", |t| direction(t.change));
    let record = "Since 2009 its changes over three months have not moved with shares.";
    format!(
        "{}{}. {}",
        prose::capitalize(direction),
        prose::format_trend(reading.trend.as_ref(), "trillion", 2),
        counted(record, reading.date, LAST_STUDIED),
    )
}

#[cfg(test)]
mod tests;
