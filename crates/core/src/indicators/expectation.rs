//! Expectation of the next release of a series, and the surprise of the last one
//! (docs/RELEASES.md#expectations).
//!
//! A mechanical forecast from what was known before the release, no survey of forecasters. A surprise is the first
//! print less the expectation, in the formula's measure; divided by `sd` it is in standard deviations.

use super::months::{Month, MonthlyGrid, log_ratio};
use super::nowcast::bridges::{self, SHIPPED};
use super::record;
use super::statistics::{count, dot, least_squares, mean, quantile};
use crate::model::frequency::{add_days, shift};
use crate::model::{Date, Observation, Series, SeriesSet};
use serde::Deserialize;
use std::sync::LazyLock;

/// Claims move the expected unemployment rate by no more than this, percent (docs/RELEASES.md#expectations).
const CLAIMS_CLIP: f64 = 30.0;

/// Share of the mean of the last three changes of payrolls that is expected of the next.
const PAYROLLS_SHARE: f64 = 0.85;

/// Standard deviation and 90th percentile of errors for CPIAUCSL without gasoline: measured from the vintages
/// as the others, 2010-01..2026-02 without 2020-03..2021-06, n 176.
const WITHOUT_GASOLINE: (f64, Option<f64>) = (0.25, Some(0.41));

/// Months of the regression of PCE prices on consumer prices.
const REGRESSION_MONTHS: i32 = 120;

/// Fewest of these months with a change of both.
const MIN_REGRESSION_MONTHS: usize = 108;

/// The measure in which a series is expected and printed.
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

/// The formula for the next release of a series.
#[derive(Debug, Deserialize)]
pub struct Formula {
    /// The series.
    pub id: &'static str,
    /// Every series the formula reads.
    pub inputs: Vec<&'static str>,
    /// The measure in words.
    pub measure: &'static str,
    /// Unit of the measure.
    pub unit: &'static str,
    /// Decimals shown.
    pub decimals: i32,
    /// The formula in words.
    pub formula: &'static str,
    /// A caveat that must be shown with the expectation.
    pub caveat: Option<String>,
    /// Standard deviation of the errors; of levels as a share of them; 0 where each expectation brings its own.
    #[serde(default)]
    sd: f64,
    p90: Option<f64>,
    kind: Measure,
}

/// The expected value of a release.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// First day of the period.
    pub period: Date,
    /// Expected value in the formula's measure.
    pub value: f64,
    /// Standard deviation of the errors.
    pub sd: f64,
    /// 90th percentile of absolute errors; not measured for claims.
    pub p90: Option<f64>,
    /// Level of the series in the period before.
    pub before: f64,
    /// What was unusual: inputs absent, weeks still to come.
    pub notes: Vec<String>,
}

/// Every series with a formula, in the order in which they are shown.
pub static FORMULAS: LazyLock<Vec<Formula>> = LazyLock::new(|| {
    let formulas = serde_json::from_str(include_str!("../../data/expectations.json"));
    // The test of all seven formulas fails for a file that cannot be read.
    formulas.unwrap_or_default()
});

impl Formula {
    /// Returns the formula for a series.
    pub fn for_series(id: &str) -> Option<&'static Self> {
        FORMULAS.iter().find(|formula| formula.id == id)
    }

    /// Returns its record in real time beside a naive forecast, a sentence printed by `econoscope-score`.
    pub fn record(&self) -> &'static str {
        record::sentence(&format!("expectation {}", self.id))
    }

    /// Computes the expectation for the release after the newest one in the set.
    ///
    /// # Errors
    /// Why there is no expectation, as a clause.
    pub fn forecast(&self, known: &SeriesSet) -> Result<Expectation, String> {
        match self.id {
            "PAYEMS" => self.payrolls(known),
            "UNRATE" => self.unemployment(known),
            "CPIAUCSL" => self.prices(known),
            "CPILFESL" => self.core_prices(known),
            "INDPRO" => self.production(known),
            "ICSA" => self.claims(known),
            "PCEPI" => self.consumption_prices(known),
            _ => Err("it has no formula".to_owned()),
        }
    }

    /// Builds an expectation with the formula's errors.
    fn build(&self, period: Date, value: f64, before: f64, note: Option<String>) -> Expectation {
        let is_level = self.kind == Measure::Level;
        Expectation {
            period,
            value,
            sd: self.sd * if is_level { value } else { 1.0 },
            p90: self.p90,
            before,
            notes: note.into_iter().collect(),
        }
    }

    /// Builds an expectation for the month after the newest of a series.
    fn next_month(
        &self,
        series: &MonthlySeries,
        value: f64,
        note: Option<String>,
    ) -> Result<Expectation, String> {
        let period = series.next().first_day();
        let before = series.lag(0)?;
        Ok(self.build(period, value, before, note))
    }

    /// Returns the value of a period in the formula's measure; `None` where it or the period before is absent.
    pub fn value_of(&self, series: &Series, period: Date) -> Option<f64> {
        let now = series.value_on(period)?;
        let before = || series.value_on(shift(period, series.frequency().period().negate()));
        match self.kind {
            Measure::Level => Some(now),
            Measure::Change => Some(now - before()?),
            Measure::LogPercent => log_ratio(now, before()?).map(|l| 100.0 * l),
        }
    }

    fn payrolls(&self, known: &SeriesSet) -> Result<Expectation, String> {
        let payrolls = MonthlySeries::read(known, "PAYEMS")?;
        self.next_month(&payrolls, PAYROLLS_SHARE * payrolls.change()?, None)
    }

    fn unemployment(&self, known: &SeriesSet) -> Result<Expectation, String> {
        let unemployment = MonthlySeries::read(known, "UNRATE")?;
        let weeks = rows(known, "ICSA");
        let month = unemployment.next();
        let claims = bridges::claims_changes(&bridges::monthly_changes(weeks), month)
            .map(|m| m.clamp(-CLAIMS_CLIP, CLAIMS_CLIP));
        let value = bridges::step(&SHIPPED.unemployment, unemployment.change()?, claims);
        self.next_month(&unemployment, value, missing_weeks("claims", weeks, month))
    }

    fn prices(&self, known: &SeriesSet) -> Result<Expectation, String> {
        let core = MonthlySeries::read(known, "CPILFESL")?;
        let all = MonthlySeries::read(known, "CPIAUCSL")?;
        if core.last != all.last {
            return Err("CPILFESL and CPIAUCSL do not end with the same month".to_owned());
        }
        let weeks = rows(known, "GASREGW");
        let month = all.next();
        let gasoline = bridges::gasoline_changes(&bridges::monthly_changes(weeks), month);
        let value = bridges::prices(&SHIPPED.prices, core.growth(12)?, gasoline);
        let note = missing_weeks("gasoline", weeks, month);
        let mut expectation = self.next_month(&all, value, note)?;
        if gasoline.is_none() {
            let note = format!("without gasoline: GASREGW of {} is not known", month.name());
            expectation.notes = vec![note];
            (expectation.sd, expectation.p90) = WITHOUT_GASOLINE;
        }
        Ok(expectation)
    }

    fn core_prices(&self, known: &SeriesSet) -> Result<Expectation, String> {
        let core = MonthlySeries::read(known, "CPILFESL")?;
        let value = bridges::core_prices(core.growth(1)?, core.growth(12)?);
        self.next_month(&core, value, None)
    }

    fn production(&self, known: &SeriesSet) -> Result<Expectation, String> {
        let production = MonthlySeries::read(known, "INDPRO")?;
        let payrolls = MonthlySeries::read(known, "PAYEMS")?;
        let month = production.next();
        let name = month.name();
        let missing = || format!("it rests on the payrolls of {name}, which are not known yet");
        let change = payrolls.months.log_change(month, 1, 100.0);
        let growth = change.ok_or_else(missing)?;
        let value = -0.087_07 + 0.247_4 * production.growth(3)? + 1.782_25 * growth;
        self.next_month(&production, value, None)
    }

    fn claims(&self, known: &SeriesSet) -> Result<Expectation, String> {
        let weeks = rows(known, "ICSA")
            .last_chunk::<4>()
            .ok_or("four weeks of ICSA are not known")?;
        let [first, .., last] = weeks;
        if add_days(first.date, 21) != last.date || weeks.iter().any(|o| o.value <= 0.0) {
            return Err("the last four weeks of ICSA are not whole".to_owned());
        }
        let mean = mean(&weeks.map(|o| o.value.ln())).unwrap_or_default();
        let value = (0.5 * last.value.ln() + 0.5 * mean).exp();
        let next = add_days(last.date, 7);
        Ok(self.build(next, value, last.value, None))
    }

    /// Regresses changes of PCE prices on those of consumer prices. Errors are the residuals, which are known on the day too.
    fn consumption_prices(&self, known: &SeriesSet) -> Result<Expectation, String> {
        let spent = MonthlySeries::read(known, "PCEPI")?;
        let consumer = MonthlySeries::read(known, "CPIAUCSL")?;
        let month = spent.next();
        let row = |m: Month| Some([1.0, consumer.months.log_change(m, 1, 100.0)?]);
        let name = month.name();
        let missing = || format!("it rests on the CPI of {name}, which is not known yet");
        let now = row(month).ok_or_else(missing)?;
        let months = month.plus(-REGRESSION_MONTHS).through(spent.last);
        let pairs = months.filter_map(|m| Some((row(m)?, spent.months.log_change(m, 1, 100.0)?)));
        let (rows, changes): (Vec<[f64; 2]>, Vec<f64>) = pairs.unzip();
        let fit = least_squares(&rows, &changes)
            .filter(|_| rows.len() >= MIN_REGRESSION_MONTHS)
            .ok_or("too few months of PCEPI and CPIAUCSL are known")?;
        let residuals = rows.iter().zip(&changes);
        let mut errors: Vec<f64> = residuals.map(|(r, c)| (c - dot(r, &fit)).abs()).collect();
        errors.sort_by(f64::total_cmp);
        let squares: f64 = errors.iter().map(|e| e * e).sum();
        let mut expectation = self.next_month(&spent, dot(&now, &fit), None)?;
        expectation.sd = (squares / (count(errors.len()) - 2.0)).sqrt();
        expectation.p90 = quantile(&errors, 90);
        Ok(expectation)
    }
}

/// A monthly series with gaps of one month interpolated, and its newest month.
struct MonthlySeries {
    id: &'static str,
    months: MonthlyGrid,
    last: Month,
}

impl MonthlySeries {
    fn read(known: &SeriesSet, id: &'static str) -> Result<Self, String> {
        let rows = rows(known, id);
        let last = rows.last().ok_or_else(|| format!("{id} is not known"))?;
        let (months, _) = MonthlyGrid::from_last_values(rows).interpolate_gaps();
        let last = Month::from_date(last.date);
        Ok(Self { id, months, last })
    }

    /// Returns the figure this many months before the newest.
    fn lag(&self, months: i32) -> Result<f64, String> {
        let month = self.last.plus(-months);
        let figure = self.months.get(month);
        figure.ok_or_else(|| format!("{} of {} is not known", self.id, month.name()))
    }

    /// Returns the growth over this many months to the newest, in percent (100 ln) per month.
    fn growth(&self, months: i32) -> Result<f64, String> {
        let growth = log_ratio(self.lag(0)?, self.lag(months)?)
            .ok_or_else(|| format!("{} is not positive", self.id))?;
        Ok(100.0 * growth / f64::from(months))
    }

    /// Returns the mean change of the last three months.
    fn change(&self) -> Result<f64, String> {
        Ok((self.lag(0)? - self.lag(3)?) / 3.0)
    }

    fn next(&self) -> Month {
        self.last.plus(1)
    }
}

fn rows<'a>(known: &'a SeriesSet, id: &str) -> &'a [Observation] {
    known.get(id).map_or(&[], |s| &s.observations)
}

/// Describes a month whose weeks are incomplete: "claims of 2 of 4 weeks of November 2026".
fn missing_weeks(subject: &str, weeks: &[Observation], month: Month) -> Option<String> {
    let in_month = weeks.iter().filter(|o| Month::from_date(o.date) == month);
    let published = in_month.count();
    let weekday = weeks.last().map(|o| o.date.weekday());
    let first = month.first_day();
    let days = (0..i64::from(first.days_in_month())).map(|n| add_days(first, n));
    let all = days.filter(|day| Some(day.weekday()) == weekday).count();
    let name = month.name();
    match published {
        0 => Some(format!(
            "no {subject} of {name} known, counted as unchanged"
        )),
        _ if published < all => Some(format!("{subject} of {published} of {all} weeks of {name}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
