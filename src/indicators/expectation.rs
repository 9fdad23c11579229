//! What the next release of a figure can be expected to say, and by how much the last one surprised
//! (docs/METHODS.md#expectations).
//!
//! A mechanical yardstick from what was known before the release, no survey of forecasters. A surprise is the first
//! print less the expectation, in the formula's measure; divided by `sd` it is in standard deviations.

use super::months::{Month, Months};
use super::nowcast::bridges::{self, SHIPPED};
use super::statistics::mean;
use crate::model::frequency::shift;
use crate::model::{Date, Observation, Series, SeriesSet};
use jiff::ToSpan;
use serde::Deserialize;
use std::sync::LazyLock;

/// Claims move the expected unemployment rate by no more than this, percent (docs/METHODS.md#expectations).
const CLAIMS_CLIP: f64 = 30.0;

/// Share of the mean of the last three changes of payrolls that is expected of the next.
const PAYROLLS_SHARE: f64 = 0.85;

/// Standard deviation and 90th percentile of errors for CPIAUCSL where gasoline is not known: measured from the vintages
/// as the others, 2010-01..2026-02 without 2020-03..2021-06, n 176.
const WITHOUT_GASOLINE: (f64, f64) = (0.25, 0.41);

/// What of a series is expected and printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Measure {
    /// Change from the period before, in the series' unit.
    Change,
    /// 100 ln of a month over the month before: percent.
    LogPercent,
    /// The level.
    Level,
}

/// A series with a formula for its next release.
#[derive(Debug, Deserialize)]
pub struct Formula {
    /// The series.
    pub id: &'static str,
    /// Every series the formula reads.
    pub inputs: Vec<&'static str>,
    /// What is expected, in words.
    pub measure: &'static str,
    /// Unit of the measure.
    pub unit: &'static str,
    /// Decimals shown.
    pub decimals: i32,
    /// The formula in words.
    pub formula: &'static str,
    /// Its record beside the naive one, in words.
    pub record: &'static str,
    /// What must be said wherever the expectation is.
    pub caveat: Option<String>,
    /// Of the errors; of levels as a share of them.
    sd: f64,
    p90: Option<f64>,
    kind: Measure,
}

/// Period, value, and what was unusual; or why there is none.
type Draft = Result<Expectation, String>;

/// What a release can be expected to say.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// Stamp of the period.
    pub period: Date,
    /// In the formula's measure.
    pub value: f64,
    /// Standard deviation of what came around what was expected.
    pub sd: f64,
    /// Nine in ten came within this; none measured for claims.
    pub p90: Option<f64>,
    /// Level of the series in the period before.
    pub before: f64,
    /// What was unusual: inputs absent, weeks still to come.
    pub notes: Vec<String>,
}

/// Every series with a formula, in the order in which they are shown.
pub static FORMULAS: LazyLock<Vec<Formula>> = LazyLock::new(|| {
    let read = serde_json::from_str(include_str!("../../data/expectations.json"));
    read.unwrap_or_default()
});

impl Formula {
    /// The formula for a series.
    pub fn of(id: &str) -> Option<&'static Self> {
        FORMULAS.iter().find(|formula| formula.id == id)
    }

    /// What the release after the newest one known can be expected to say.
    ///
    /// # Errors
    /// Why there is no expectation, as half a sentence.
    pub fn expect(&self, known: &SeriesSet) -> Result<Expectation, String> {
        let draft = match self.id {
            "PAYEMS" => payrolls,
            "UNRATE" => unemployment,
            "CPIAUCSL" => prices,
            "CPILFESL" => core_prices,
            "INDPRO" => production,
            _ => claims,
        };
        let mut found = draft(known)?;
        if found.sd.is_nan() {
            (found.sd, found.p90) = match self.kind {
                Measure::Level => (self.sd * found.value, self.p90),
                Measure::Change | Measure::LogPercent => (self.sd, self.p90),
            };
        }
        Ok(found)
    }

    /// What a state of the series says of a period, in the formula's measure; `None` where it or the period before is
    /// absent.
    pub fn printed(&self, state: &Series, period: Date) -> Option<f64> {
        let now = state.at(period)?;
        let before = || state.at(shift(period, state.frequency().period().negate()));
        match self.kind {
            Measure::Level => Some(now),
            Measure::Change => Some(now - before()?),
            Measure::LogPercent => super::months::log_ratio(now, before()?).map(|l| 100.0 * l),
        }
    }
}

/// A monthly series with gaps of one month bridged, and its newest month.
struct Grid {
    id: &'static str,
    months: Months,
    last: Month,
}

impl Grid {
    fn read(known: &SeriesSet, id: &'static str) -> Result<Self, String> {
        let rows = known.get(id).map_or(&[][..], |s| &s.observations);
        let (months, _) = Months::lasts(rows).bridged();
        let last = rows.last().ok_or_else(|| format!("{id} is not known"))?;
        Ok(Self {
            id,
            months,
            last: Month::of(last.date),
        })
    }

    /// The figure so many months before the newest.
    fn back(&self, months: i32) -> Result<f64, String> {
        let month = self.last.plus(-months);
        let found = self.months.get(month);
        found.ok_or_else(|| format!("{} of {} is not known", self.id, month.name()))
    }

    /// 100 ln of the newest figure over the one so many months before, per month.
    fn growth(&self, months: i32) -> Result<f64, String> {
        let ratio = super::months::log_ratio(self.back(0)?, self.back(months)?);
        let ratio = ratio.ok_or_else(|| format!("{} is not positive", self.id))?;
        Ok(100.0 * ratio / f64::from(months))
    }

    /// The mean change of the last three months.
    fn change(&self) -> Result<f64, String> {
        Ok((self.back(0)? - self.back(3)?) / 3.0)
    }

    fn next(&self) -> Month {
        self.last.plus(1)
    }

    /// An expectation for the next month.
    fn draft(&self, value: f64, notes: Option<String>) -> Draft {
        let period = self.next().first_day();
        Ok(drafted(period, (value, self.back(0)?), notes))
    }
}

/// An expectation beside the figure before it; its spread is the formula's.
fn drafted(period: Date, (value, before): (f64, f64), notes: Option<String>) -> Expectation {
    Expectation {
        period,
        value,
        sd: f64::NAN,
        p90: None,
        before,
        notes: notes.into_iter().collect(),
    }
}

fn payrolls(known: &SeriesSet) -> Draft {
    let grid = Grid::read(known, "PAYEMS")?;
    grid.draft(PAYROLLS_SHARE * grid.change()?, None)
}

fn unemployment(known: &SeriesSet) -> Draft {
    let grid = Grid::read(known, "UNRATE")?;
    let weeks = weeks(known, "ICSA");
    let moves = bridges::claims_at(&bridges::moves(weeks), grid.next());
    let held = moves.map(|m| m.clamp(-CLAIMS_CLIP, CLAIMS_CLIP));
    let notes = still_open("claims", weeks, grid.next());
    let value = bridges::step(&SHIPPED.unemployment, grid.change()?, held);
    grid.draft(value, notes)
}

fn prices(known: &SeriesSet) -> Draft {
    let core = Grid::read(known, "CPILFESL")?;
    let all = Grid::read(known, "CPIAUCSL")?;
    if core.last != all.last {
        return Err("CPILFESL and CPIAUCSL do not end with the same month".to_owned());
    }
    let weeks = weeks(known, "GASREGW");
    let gasoline = bridges::gasoline_at(&bridges::moves(weeks), all.next());
    let value = bridges::prices(&SHIPPED.prices, core.growth(12)?, gasoline);
    let note = match gasoline {
        None => Some(format!(
            "without gasoline: GASREGW of {} is not known",
            all.next().name()
        )),
        Some(_) => still_open("gasoline", weeks, all.next()),
    };
    let mut found = all.draft(value, note)?;
    if gasoline.is_none() {
        let (sd, p90) = WITHOUT_GASOLINE;
        (found.sd, found.p90) = (sd, Some(p90));
    }
    Ok(found)
}

fn core_prices(known: &SeriesSet) -> Draft {
    let grid = Grid::read(known, "CPILFESL")?;
    let value = bridges::core_prices(grid.growth(1)?, grid.growth(12)?);
    grid.draft(value, None)
}

fn production(known: &SeriesSet) -> Draft {
    let grid = Grid::read(known, "INDPRO")?;
    let payrolls = Grid::read(known, "PAYEMS")?;
    let growth = payrolls.months.log_change(grid.next(), 1, 100.0);
    let growth = growth.ok_or_else(|| {
        let month = grid.next().name();
        format!("it rests on the payrolls of {month}, which are not known yet")
    })?;
    let value = -0.087_07 + 0.247_4 * grid.growth(3)? + 1.782_25 * growth;
    grid.draft(value, None)
}

fn claims(known: &SeriesSet) -> Draft {
    let four = weeks(known, "ICSA").last_chunk::<4>();
    let four = four.ok_or("four weeks of ICSA are not known")?;
    let [first, .., last] = four;
    if shift(first.date, 21.days()) != last.date || four.iter().any(|o| o.value <= 0.0) {
        return Err("the last four weeks of ICSA are not whole".to_owned());
    }
    let logs = four.map(|o| o.value.ln());
    let middle = mean(&logs).ok_or("four weeks of ICSA are not known")?;
    let value = (0.5 * last.value.ln() + 0.5 * middle).exp();
    let next = shift(last.date, 7.days());
    Ok(drafted(next, (value, last.value), None))
}

fn weeks<'a>(known: &'a SeriesSet, id: &str) -> &'a [Observation] {
    known.get(id).map_or(&[], |s| &s.observations)
}

/// What of a month's weeks is still to come: "claims of 2 of 4 weeks of November 2026".
fn still_open(what: &str, weeks: &[Observation], month: Month) -> Option<String> {
    let have = weeks.iter().filter(|o| Month::of(o.date) == month).count();
    let stamps = weeks.last().map(|o| o.date.weekday());
    let days = (0..31).map(|n: i64| shift(month.first_day(), n.days()));
    let of_month = days.take_while(|day| *day <= month.last_day());
    let all = of_month.filter(|day| Some(day.weekday()) == stamps).count();
    let name = month.name();
    match have {
        0 => Some(format!("no {what} of {name} known, counted as unchanged")),
        _ if have < all => Some(format!("{what} of {have} of {all} weeks of {name}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
