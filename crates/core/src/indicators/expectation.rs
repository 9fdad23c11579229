//! What the next release of a figure can be expected to say, and by how much the last one surprised
//! (docs/METHODS.md#expectations).
//!
//! A mechanical yardstick from what was known before the release, no survey of forecasters. A surprise is the first
//! print less the expectation, in the formula's measure; divided by `sd` it is in standard deviations.

use super::months::{Month, Months, log_ratio};
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
const WITHOUT_GASOLINE: (f64, Option<f64>) = (0.25, Some(0.41));

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
    // Whether it can be read is seen by the test of all six.
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
            "ICSA" => claims,
            _ => return Err("it has no formula".to_owned()),
        };
        draft(self, known)
    }

    /// An expectation beside the figure before it, and what was unusual.
    fn expected(&self, period: Date, value: f64, before: f64, note: Option<String>) -> Expectation {
        let sd = match self.kind {
            Measure::Level => self.sd * value,
            Measure::Change | Measure::LogPercent => self.sd,
        };
        Expectation {
            period,
            value,
            sd,
            p90: self.p90,
            before,
            notes: note.into_iter().collect(),
        }
    }

    /// What a state of the series says of a period, in the formula's measure; `None` where it or the period before is
    /// absent.
    pub fn printed(&self, state: &Series, period: Date) -> Option<f64> {
        let now = state.at(period)?;
        let before = || state.at(shift(period, state.frequency().period().negate()));
        match self.kind {
            Measure::Level => Some(now),
            Measure::Change => Some(now - before()?),
            Measure::LogPercent => log_ratio(now, before()?).map(|l| 100.0 * l),
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
        let rows = rows(known, id);
        let last = rows.last().ok_or_else(|| format!("{id} is not known"))?;
        let (months, _) = Months::lasts(rows).bridged();
        let last = Month::of(last.date);
        Ok(Self { id, months, last })
    }

    /// The figure so many months before the newest.
    fn back(&self, months: i32) -> Result<f64, String> {
        let month = self.last.plus(-months);
        let found = self.months.get(month);
        found.ok_or_else(|| format!("{} of {} is not known", self.id, month.name()))
    }

    /// 100 ln of the newest figure over the one so many months before, per month.
    fn growth(&self, months: i32) -> Result<f64, String> {
        let ratio = log_ratio(self.back(0)?, self.back(months)?);
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
    fn draft(&self, of: &Formula, value: f64, note: Option<String>) -> Draft {
        let (period, before) = (self.next().first_day(), self.back(0)?);
        Ok(of.expected(period, value, before, note))
    }
}

fn payrolls(of: &Formula, known: &SeriesSet) -> Draft {
    let grid = Grid::read(known, "PAYEMS")?;
    grid.draft(of, PAYROLLS_SHARE * grid.change()?, None)
}

fn unemployment(of: &Formula, known: &SeriesSet) -> Draft {
    let grid = Grid::read(known, "UNRATE")?;
    let weeks = rows(known, "ICSA");
    let moves = bridges::claims_at(&bridges::moves(weeks), grid.next());
    let held = moves.map(|m| m.clamp(-CLAIMS_CLIP, CLAIMS_CLIP));
    let notes = still_open("claims", weeks, grid.next());
    let value = bridges::step(&SHIPPED.unemployment, grid.change()?, held);
    grid.draft(of, value, notes)
}

fn prices(of: &Formula, known: &SeriesSet) -> Draft {
    let core = Grid::read(known, "CPILFESL")?;
    let all = Grid::read(known, "CPIAUCSL")?;
    if core.last != all.last {
        return Err("CPILFESL and CPIAUCSL do not end with the same month".to_owned());
    }
    let weeks = rows(known, "GASREGW");
    let gasoline = bridges::gasoline_at(&bridges::moves(weeks), all.next());
    let value = bridges::prices(&SHIPPED.prices, core.growth(12)?, gasoline);
    let mut found = all.draft(of, value, still_open("gasoline", weeks, all.next()))?;
    if gasoline.is_none() {
        let month = all.next().name();
        found.notes = vec![format!("without gasoline: GASREGW of {month} is not known")];
        (found.sd, found.p90) = WITHOUT_GASOLINE;
    }
    Ok(found)
}

fn core_prices(of: &Formula, known: &SeriesSet) -> Draft {
    let grid = Grid::read(known, "CPILFESL")?;
    let value = bridges::core_prices(grid.growth(1)?, grid.growth(12)?);
    grid.draft(of, value, None)
}

fn production(of: &Formula, known: &SeriesSet) -> Draft {
    let grid = Grid::read(known, "INDPRO")?;
    let payrolls = Grid::read(known, "PAYEMS")?;
    let growth = payrolls.months.log_change(grid.next(), 1, 100.0);
    let growth = growth.ok_or_else(|| {
        let month = grid.next().name();
        format!("it rests on the payrolls of {month}, which are not known yet")
    })?;
    let value = -0.087_07 + 0.247_4 * grid.growth(3)? + 1.782_25 * growth;
    grid.draft(of, value, None)
}

fn claims(of: &Formula, known: &SeriesSet) -> Draft {
    let four = rows(known, "ICSA").last_chunk::<4>();
    let four = four.ok_or("four weeks of ICSA are not known")?;
    let [first, .., last] = four;
    if shift(first.date, 21.days()) != last.date || four.iter().any(|o| o.value <= 0.0) {
        return Err("the last four weeks of ICSA are not whole".to_owned());
    }
    let middle = mean(&four.map(|o| o.value.ln())).unwrap_or_default();
    let value = (0.5 * last.value.ln() + 0.5 * middle).exp();
    let next = shift(last.date, 7.days());
    Ok(of.expected(next, value, last.value, None))
}

fn rows<'a>(known: &'a SeriesSet, id: &str) -> &'a [Observation] {
    known.get(id).map_or(&[], |s| &s.observations)
}

/// What of a month's weeks is still to come: "claims of 2 of 4 weeks of November 2026".
fn still_open(what: &str, weeks: &[Observation], month: Month) -> Option<String> {
    let have = weeks.iter().filter(|o| Month::of(o.date) == month).count();
    let stamps = weeks.last().map(|o| o.date.weekday());
    let first = month.first_day();
    let days = (0..i64::from(first.days_in_month())).map(|n| shift(first, n.days()));
    let all = days.filter(|day| Some(day.weekday()) == stamps).count();
    let name = month.name();
    match have {
        0 => Some(format!("no {what} of {name} known, counted as unchanged")),
        _ if have < all => Some(format!("{what} of {have} of {all} weeks of {name}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
