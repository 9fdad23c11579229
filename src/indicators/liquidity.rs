//! Net liquidity CNLI, method cnli-v1: the Fed's assets less what the Treasury and the reverse repo
//! facility hold back, in trillions of dollars, on Wednesdays (METHODS 3).
//!
//! Units are read from each series and magnitudes are checked: taking the Treasury's account for billions,
//! as many published scripts do, would be wrong by almost a trillion. Out of bounds means no figure.

use super::composite::{Composite, Input, Reading, Trend, present};
use super::prose;
use super::resample::known;
use crate::model::frequency::{days_between, shift};
use crate::model::{Date, Observation, Series, SeriesSet};
use jiff::ToSpan;
use jiff::civil::date;

/// Net liquidity, trillions of dollars, weekly.
pub const CNLI: Composite = Composite {
    id: "SERVICE_CNLI",
    method: "cnli-v1",
    name: "Net liquidity",
    formula: "WALCL - WTREGEN - RRPONTSYD in trillions of dollars, each at its Wednesday",
    source: "Federal Reserve H.4.1 and New York Fed; the common definition of net liquidity",
    inputs: &["WALCL", "WTREGEN", "RRPONTSYD"],
    bands: &[],
    since,
    profile: |_, _| "",
    reading,
    interpret,
};

/// Change over 13 weeks, in trillions, from which liquidity is not stable (METHODS 3).
const STEP: f64 = 0.15;

/// Days a reverse repo balance speaks for; none that recent means no operation, hence zero (METHODS 3).
const RRP_DAYS: i64 = 7;

/// First day from which reverse repos were offered daily: from here on a lack is a lack, not a zero.
const RRP_DAILY: Date = date(2013, 9, 23);

/// One of the three balances.
struct Leg {
    name: &'static str,
    id: &'static str,
    sign: f64,
    /// Trillions between which a balance is believable: METHODS 3, and a lower bound for the Treasury's
    /// account (its minimum since 2002 is 0.0037), which finds billions taken for millions.
    bounds: (f64, f64),
}

const LEGS: [Leg; 3] = [
    Leg {
        name: "Federal Reserve assets",
        id: "WALCL",
        sign: 1.0,
        bounds: (0.5, 20.0),
    },
    Leg {
        name: "Treasury General Account",
        id: "WTREGEN",
        sign: -1.0,
        bounds: (0.002, 3.0),
    },
    Leg {
        name: "Overnight reverse repos",
        id: "RRPONTSYD",
        sign: -1.0,
        bounds: (0.0, 5.0),
    },
];

/// A balance at a Wednesday in trillions, with the date it is of; or why there is none.
type Balance = Result<(f64, Date), String>;

impl Leg {
    /// The balance that counts at the Wednesday `week`.
    fn at(&self, set: &SeriesSet, week: Date) -> Balance {
        let series = match set.get(self.id) {
            Some(series) => series,
            // The series itself begins in 2003, later than the balance sheet.
            None if self.id == "RRPONTSYD" && week < RRP_DAILY => return Ok((0.0, week)),
            None => return Err(format!("{} is not there", self.id)),
        };
        let found = match self.id {
            "WALCL" => series.at(week).map(|v| Observation::new(week, v)),
            "WTREGEN" => series.lookup(week),
            _ => reverse_repos(series, week),
        };
        let found = found.ok_or_else(|| format!("{} has no figure for {week}", self.id))?;
        let value = found.value * per_unit(series)?;
        let (low, high) = self.bounds;
        if (low..=high).contains(&value) {
            Ok((value, found.date))
        } else {
            Err(format!(
                "{} of {} is {value} trillion, outside {low} to {high}: the unit must be wrong",
                self.id, found.date
            ))
        }
    }

    fn input(&self, balance: Balance) -> Input {
        let (value, date, missing) = match balance {
            Ok((value, date)) => (Some(value), Some(date), None),
            Err(reason) => (None, None, Some(reason)),
        };
        Input {
            name: self.name,
            series: vec![self.id],
            value,
            unit: "trillions of dollars",
            date,
            weight: 1.0 / 3.0,
            contribution: value.map(|v| self.sign * v + 0.0),
            missing,
        }
    }
}

/// The newest balance up to a week old; zero where operations were rare and none was held.
fn reverse_repos(series: &Series, week: Date) -> Option<Observation> {
    let last = series.last_on_or_before(week);
    let recent = last.filter(|o| days_between(o.date, week) <= RRP_DAYS);
    recent.or_else(|| (week < RRP_DAILY).then(|| Observation::new(week, 0.0)))
}

/// Trillions of dollars in one unit of the series.
fn per_unit(series: &Series) -> Result<f64, String> {
    let unit = series.info.units.to_ascii_lowercase();
    [("million", 1e-6), ("billion", 1e-3), ("trillion", 1.0)]
        .into_iter()
        .find(|(word, _)| unit.contains(word))
        .map(|(_, factor)| factor)
        .ok_or_else(|| {
            format!(
                "{} is in \"{}\", not in dollars",
                series.info.id, series.info.units
            )
        })
}

/// Net liquidity at a Wednesday, if all three balances can be had.
fn at(set: &SeriesSet, week: Date) -> Option<f64> {
    let mut sum = 0.0;
    for leg in &LEGS {
        sum += leg.sign * leg.at(set, week).ok()?.0;
    }
    Some(sum)
}

/// Every week from `from` to `day` whose three balances can be had, ascending; the first is of December 2002.
fn since(set: &SeriesSet, day: Date, from: Date) -> Vec<Observation> {
    let Some(assets) = set.get("WALCL") else {
        return Vec::new();
    };
    let weeks = known(assets, day);
    let first = weeks.partition_point(|o| o.date < from);
    weeks
        .get(first..)
        .unwrap_or_default()
        .iter()
        .filter_map(|o| at(set, o.date).map(|v| Observation::new(o.date, v)))
        .collect()
}

/// The newest week held. A refused or absent balance is not hidden behind an older week.
fn reading(set: &SeriesSet, day: Date) -> Reading {
    let week = set
        .get("WALCL")
        .and_then(|s| known(s, day).last().filter(|o| !s.is_stale(o.date, day)))
        .map(|o| o.date);
    let Some(week) = week else {
        let reason = match set.get("WALCL").and_then(|s| known(s, day).last()) {
            Some(o) => format!("WALCL has no current figure (newest: {})", o.date),
            None => "WALCL is not there".to_owned(),
        };
        let absent = |leg: &Leg| leg.input(Err(reason.clone()));
        return Reading::none(day, reason.clone(), LEGS.iter().map(absent).collect());
    };
    let inputs: Vec<Input> = LEGS
        .iter()
        .map(|leg| leg.input(leg.at(set, week)))
        .collect();
    let reasons: Vec<&str> = inputs.iter().filter_map(|i| i.missing.as_deref()).collect();
    if !reasons.is_empty() {
        let reason = reasons.join("; ");
        return Reading::none(week, reason, inputs);
    }
    let value: f64 = inputs.iter().filter_map(|i| i.contribution).sum();
    let before = at(set, shift(week, (-91).days()));
    Reading {
        date: week,
        value: Some(value),
        reason: None,
        base: 0.0,
        weight_present: present(&inputs),
        inputs,
        trend: before.map(|b| Trend {
            change: value - b,
            over: "13 weeks",
        }),
        basis: Vec::new(),
    }
}

/// "expanding", "draining" or "stable" by the change over 13 weeks.
pub fn direction(change: f64) -> &'static str {
    if change > STEP {
        "expanding"
    } else if change < -STEP {
        "draining"
    } else {
        "stable"
    }
}

/// Level, direction and what the figure does not say.
fn interpret(reading: &Reading) -> String {
    let Some(value) = reading.value else {
        return prose::unavailable("Net liquidity", reading);
    };
    let direction = reading
        .trend
        .map_or("Direction unknown", |t| direction(t.change));
    format!(
        "{}: {} trillion dollars in the week to {}{}. Its level moves with the S&P 500 (correlation 0.86 since 2009), \
         but that is common trend: over three months their changes correlate at -0.10, so it has no predictive power \
         for shares.",
        prose::capitalised(direction),
        prose::number(value, 3),
        reading.date,
        prose::moved(reading.trend.as_ref(), "trillion", 2),
    )
}

#[cfg(test)]
mod tests;
