//! Net liquidity CNLI, method cnli-v1: the Fed's assets less what the Treasury and the reverse repo
//! facility hold back, in trillions of dollars, on Wednesdays (docs/METHODS.md#net-liquidity).
//!
//! Units are read from each series and magnitudes are checked: taking the Treasury's account for billions,
//! as many published scripts do, would be wrong by almost a trillion. Out of bounds means no figure.

use super::composite::{Composite, Computation, Indicator, Listing};
use super::prose;
use super::reading::{Input, Reading, Trend, not_current};
use crate::model::frequency::{days_between, shift};
use crate::model::{Date, Frequency, Observation, Series, SeriesSet};
use jiff::ToSpan;
use jiff::civil::date;

/// Net liquidity, trillions of dollars, weekly.
pub const CNLI: Composite = Composite {
    about: Indicator {
        id: "SERVICE_CNLI",
        title: "Net Liquidity",
        method: "cnli-v1",
        summary: "net liquidity, trillions of USD: Federal Reserve assets less the Treasury's account and reverse repos",
        formula: "WALCL - WTREGEN - RRPONTSYD in trillions of dollars, each at its Wednesday",
        source: "Federal Reserve H.4.1 and New York Fed; the common definition of net liquidity",
        listing: Some(Listing {
            units: "Trillions of dollars",
            units_short: "$tn",
            frequency: Frequency::Weekly,
            made_from: "H.4.1 and the New York Fed",
            publication_lag_days: 1,
            decimals: 3,
            term: "Net liquidity index",
            aliases: &["cnli", "net liquidity", "service_cnli", "fed net liquidity"],
            meaning: "Federal Reserve total assets less the Treasury's cash account and overnight reverse repos, in \
                     trillions of dollars, each Wednesday. A 13-week change above +0.15 reads as expanding, below \
                     -0.15 as draining, else stable. Its fit with share prices is a shared trend, not a forecast.",
            related: &[
                "fed-balance-sheet",
                "treasury-general-account",
                "on-rrp",
                "spurious-correlation",
            ],
            series: &["WALCL", "WTREGEN", "RRPONTSYD"],
        }),
    },
    unit: "$ trillion",
    bands: &[],
    alarm: None,
    experimental: false,
    computation: Computation::Own {
        inputs: &["WALCL", "WTREGEN", "RRPONTSYD"],
        reading,
        history,
    },
    interpret,
};

/// Change over 13 weeks, in trillions, from which liquidity is not stable (docs/METHODS.md#net-liquidity).
const STEP: f64 = 0.15;

/// Days a reverse repo balance speaks for; none that recent means no operation, hence zero
/// (docs/METHODS.md#net-liquidity).
const RRP_DAYS: i64 = 7;

/// First day from which reverse repos were offered daily: from here on a lack is a lack, not a zero.
const RRP_DAILY: Date = date(2013, 9, 23);

/// One of the three balances.
struct BalanceComponent {
    name: &'static str,
    id: &'static str,
    sign: f64,
    /// Trillions between which a balance is believable: docs/METHODS.md#net-liquidity, and a lower bound for the
    /// Treasury's account (its minimum since 2002 is 0.0037), which finds billions taken for millions.
    bounds: (f64, f64),
}

const fn leg(
    name: &'static str,
    id: &'static str,
    sign: f64,
    bounds: (f64, f64),
) -> BalanceComponent {
    BalanceComponent {
        name,
        id,
        sign,
        bounds,
    }
}

const LEGS: [BalanceComponent; 3] = [
    leg("Federal Reserve assets", "WALCL", 1.0, (0.5, 20.0)),
    leg("Treasury General Account", "WTREGEN", -1.0, (0.002, 3.0)),
    leg("Overnight reverse repos", "RRPONTSYD", -1.0, (0.0, 5.0)),
];

/// A balance at a Wednesday in trillions, with the date it is of; or why there is none.
type Balance = Result<(f64, Date), String>;

impl BalanceComponent {
    /// The balance that counts at the Wednesday `week`.
    fn at(&self, set: &SeriesSet, week: Date) -> Balance {
        let series = match set.get(self.id) {
            Some(series) => series,
            // The series itself begins in 2003, later than the balance sheet.
            None if self.id == "RRPONTSYD" && week < RRP_DAILY => return Ok((0.0, week)),
            None => return Err(format!("{} is not loaded", self.id)),
        };
        let found = match self.id {
            "WALCL" => series.at(week).map(|v| Observation::new(week, v)),
            "WTREGEN" => series.lookup(week),
            _ => reverse_repos(series, week),
        };
        let found = found.ok_or_else(|| format!("{} has no figure for {week}", self.id))?;
        let value = found.value * per_unit(series)?;
        let ((low, high), id, date) = (self.bounds, self.id, found.date);
        if (low..=high).contains(&value) {
            return Ok((value, date));
        }
        let outside = format!("outside {low} to {high}: the unit must be wrong");
        Err(format!("{id} of {date} is {value} trillion, {outside}"))
    }

    fn input(&self, balance: Balance) -> Input {
        let found = balance.as_ref().ok().copied();
        let points = found.map(|(value, _)| self.sign * value + 0.0);
        let what = (self.name, &[self.id][..], "trillions of dollars");
        Input {
            contribution: points,
            ..Input::of(what, found, balance.err())
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
    let sizes = [("million", 1e-6), ("billion", 1e-3), ("trillion", 1.0)];
    let found = sizes.into_iter().find(|(word, _)| unit.contains(word));
    found.map(|(_, factor)| factor).ok_or_else(|| {
        let (id, units) = (&series.info.id, &series.info.units);
        format!("{id} is in \"{units}\", not in dollars")
    })
}

/// Net liquidity at a Wednesday, if all three balances can be had.
fn at(set: &SeriesSet, week: Date) -> Option<f64> {
    let balances = LEGS
        .iter()
        .map(|leg| Some(leg.sign * leg.at(set, week).ok()?.0));
    balances.sum()
}

/// Every week up to `day` whose three balances can be had, ascending; the first is of December 2002.
fn history(set: &SeriesSet, day: Date) -> Vec<Observation> {
    let weeks = set.up_to("WALCL", day).iter();
    let known = weeks.filter_map(|o| Some(Observation::new(o.date, at(set, o.date)?)));
    known.collect()
}

/// The newest week held. A refused or absent balance is not hidden behind an older week.
fn reading(set: &SeriesSet, day: Date) -> Reading {
    let fresh = set.get("WALCL").and_then(|s| s.lookup(day));
    let Some(week) = fresh.map(|o| o.date) else {
        let newest = set.up_to("WALCL", day).last().map(|o| o.date);
        let reason = not_current("WALCL", newest);
        let inputs = LEGS.iter().map(|leg| leg.input(Err(reason.clone())));
        return Reading::none(day, reason.clone(), inputs.collect());
    };
    let inputs = LEGS.iter().map(|leg| leg.input(leg.at(set, week)));
    let inputs: Vec<Input> = inputs.collect();
    if inputs.iter().any(|i| i.missing.is_some()) {
        return Reading::lacking(week, inputs);
    }
    let value: f64 = inputs.iter().filter_map(|i| i.contribution).sum();
    Reading {
        trend: Trend::since(at(set, shift(week, (-91).days())), value, "13 weeks"),
        ..Reading::of(week, value, inputs)
    }
}

/// "expanding", "draining" or "stable" by the change over 13 weeks.
pub fn direction(change: f64) -> &'static str {
    match change {
        c if c > STEP => "expanding",
        c if c < -STEP => "draining",
        _ => "stable",
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
         but that is common trend: over three months their changes correlate at -0.10: no short-run correlation \
         with shares.",
        prose::capitalised(direction),
        prose::number(value, 3),
        reading.date,
        prose::moved(reading.trend.as_ref(), "trillion", 2),
    )
}

#[cfg(test)]
mod tests;
