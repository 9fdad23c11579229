//! The evidence behind the asset views: the documented table, and its measurement from stored series.
//!
//! Method: log return of a month's mean price over the month before (bonds: a twelfth of last month's
//! mean 10-year yield less 8 times its change), by the regime of the month before; means in percent a year;
//! t of Welch for the difference of means. From the public series this gives the table's dollar row exactly,
//! oil within 2 points and 0.2 of t, bonds within 0.2 points and 0.1 of t on months since 1966.

use super::asset::Asset;
use crate::indicators::months::{Month, MonthlyGrid};
use crate::indicators::regime::Regime;
use crate::indicators::statistics::{mean, welch_t};
use crate::model::{Date, SeriesSet, table};
use std::sync::LazyLock;

/// Returns of an asset in a regime and elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Mean return in months after a month of the regime, percent a year.
    pub in_regime: f64,
    /// Mean return in all other months, percent a year.
    pub elsewhere: f64,
    /// t statistic of the difference.
    pub t: f64,
    /// Whether the record in the regime is essentially one cycle, so that conviction stays low.
    pub one_cycle: bool,
    /// Data and start of the measurement, as a sentence without its full stop.
    pub basis: String,
    /// First month of documented figures, where the study states it.
    pub since: Option<Month>,
    /// The months behind measured figures; `None` for documented ones, whose study does not state them.
    pub sample: Option<Sample>,
}

/// Months whose returns were compared, each by the regime of the month before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Months that followed a month of the regime.
    pub inside: usize,
    /// Months that followed any other.
    pub outside: usize,
    /// The first month.
    pub from: Month,
    /// The last month.
    pub to: Month,
}

/// Months a series must have before its own figures replace the documented ones: fifteen years.
const MIN_MONTHS: usize = 180;
/// Months in the regime, and elsewhere, that a mean needs.
const MIN_IN_REGIME: usize = 24;
/// Duration of a 10-year note at par, rounded, in years.
const DURATION: f64 = 8.0;

/// The documented evidence with the names of its regime and asset.
static TABLE: LazyLock<Vec<(&str, &str, Evidence)>> = LazyLock::new(|| {
    let parse = |row: Result<[&'static str; 8], String>| {
        let [regime, asset, figures @ .., one_cycle, since, basis] = row.ok()?;
        let [in_regime, elsewhere, t] = figures.map(|figure| figure.parse().ok());
        let evidence = Evidence {
            in_regime: in_regime?,
            elsewhere: elsewhere?,
            t: t?,
            one_cycle: one_cycle == "yes",
            basis: format!("Reference study: {basis}"),
            since: since.parse().ok().map(Month::from_date),
            sample: None,
        };
        Some((regime, asset, evidence))
    };
    let rows = table::rows(include_str!("../../../data/evidence.csv"));
    rows.filter_map(|(_, row)| parse(row)).collect()
});

/// Returns the documented evidence; `None` for an unknown regime.
pub fn documented(regime: Regime, asset: Asset) -> Option<Evidence> {
    let names = (regime.name(), asset.key);
    let mut rows = TABLE.iter();
    let row = rows.find(|(regime, asset, _)| (*regime, *asset) == names);
    row.map(|(.., evidence)| evidence.clone())
}

/// Measures the evidence from stored figures up to `day`, by the regime of each month.
///
/// Reads BTC, SPY, DCOILWTICO or MCOILWTICO, GLD, DTWEXBGS and DGS10. `None` with less than fifteen years of
/// returns, or under 24 months in the regime or outside it: the documented figures are then better evidence.
pub fn measured(
    asset: Asset,
    regime: Regime,
    regimes: &[(Month, Regime)],
    set: &SeriesSet,
    day: Date,
) -> Option<Evidence> {
    let ids = asset.series.iter();
    let mut monthly = ids.map(|id| (id, MonthlyGrid::from_means(set.up_to(id, day))));
    let (id, monthly) = monthly.find(|(_, months)| months.iter().count() > MIN_MONTHS)?;
    let returns = if asset.key == "bonds" {
        bond_returns(&monthly)
    } else {
        log_returns(&monthly)
    };
    let since = returns.first()?;
    let basis = format!(
        "Measured from the store: monthly averages of {id} since {}",
        since.name()
    );
    compare(&returns, regimes, regime).map(|evidence| Evidence { basis, ..evidence })
}

/// Compares the mean `returns` (percent a month) after months of `regime` and after all others, with t of Welch.
///
/// `None` with fewer than 180 months in common, or under 24 on either side. The basis is empty.
pub(super) fn compare(
    returns: &MonthlyGrid,
    regimes: &[(Month, Regime)],
    regime: Regime,
) -> Option<Evidence> {
    let after = regimes.iter().filter_map(|(month, label)| {
        let next = month.plus(1);
        Some((*label == regime, next, returns.get(next)?))
    });
    let (inside, outside): (Vec<_>, Vec<_>) = after.partition(|(is_inside, ..)| *is_inside);
    let fewest = inside.len().min(outside.len());
    let is_enough = inside.len() + outside.len() >= MIN_MONTHS && fewest >= MIN_IN_REGIME;
    let months = inside.iter().chain(&outside).map(|(_, month, _)| *month);
    let ends = months.clone().min().zip(months.max());
    let (from, to) = ends.filter(|_| is_enough)?;
    let [own, others] =
        [&inside, &outside].map(|rows| rows.iter().map(|(.., value)| *value).collect::<Vec<f64>>());
    Some(Evidence {
        in_regime: 12.0 * mean(&own)?,
        elsewhere: 12.0 * mean(&others)?,
        t: welch_t(&own, &others)?,
        one_cycle: false,
        basis: String::new(),
        since: None,
        sample: Some(Sample {
            inside: inside.len(),
            outside: outside.len(),
            from,
            to,
        }),
    })
}

/// Returns 100·ln(Pₜ / Pₜ₋₁) of monthly prices; absent where either month is, or a price is not positive.
pub(super) fn log_returns(prices: &MonthlyGrid) -> MonthlyGrid {
    prices.map(|month, _| prices.log_change(month, 1, 100.0))
}

/// Returns the monthly return in percent of a constant-maturity 10-year note, from its mean yields in percent.
///
/// Formula: yₜ₋₁/12 − 8·(yₜ − yₜ₋₁).
pub(super) fn bond_returns(yields: &MonthlyGrid) -> MonthlyGrid {
    yields.map(|month, now| {
        let before = yields.get(month.plus(-1))?;
        Some(before / 12.0 - DURATION * (now - before))
    })
}
