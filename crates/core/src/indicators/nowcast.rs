//! Nowcast of the regime, with every input filled to the month of the newest claims (docs/COMPOSITES.md#nowcast).
//!
//! An overlay on the published regime, and never the regime of record: unpublished months are filled by
//! [`bridges`], then the regime's own rules apply.

pub mod bridges;

use super::months::{Month, MonthlyGrid};
use super::recession_now::published_claims;
use super::regime::{self, MonthlyInputs, RegimeMonth, RegimeReading, StandardErrors};
use crate::model::frequency::add_days;
use crate::model::{Date, SeriesSet};
use bridges::Coefficients;

/// Weekly series from which unpublished months are filled.
pub const WEEKLY: [&str; 2] = ["ICSA", "GASREGW"];

/// Errors of scores whose newest inputs are filled.
pub const ERRORS: StandardErrors = StandardErrors {
    growth: 0.15,
    inflation: 0.10,
};

/// The limits of the nowcast, for every answer that shows it.
pub const LIMITS: &str = "A nowcast, not the regime of record. It fails when claims jump for one state or one storm (October \
    2005), after a slump (September 2020: DEFLATION became GOLDILOCKS two months early), while growth is near zero, and in \
    a month less than a week old (2020-03-15 still said GOLDILOCKS).";

/// Months that may be filled.
const MAX_FILLED: i32 = 3;
/// Days after its date on which the gasoline price of a week is published.
pub const GASOLINE_RELEASE_DAYS: i64 = 1;
/// The series that growth can do without: one that ends too early is not filled.
const OPTIONAL: [&str; 2] = ["INDPRO", "PERMIT"];

/// An estimate of an unpublished figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Fill {
    /// Series.
    pub series: &'static str,
    /// Month.
    pub month: Month,
    /// Estimate in the series' own unit.
    pub value: f64,
    /// Its sources.
    pub basis: &'static str,
}

/// The regime from filled figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Nowcast {
    /// The month after the newest figures, as the regime counts.
    pub state: RegimeMonth,
    /// Saturday of the newest week of claims.
    pub claims_week: Date,
    /// Changes of claims in the newest month and in the one before, percent.
    pub claims: [f64; 2],
    /// Filled figures, by series and month.
    pub fills: Vec<Fill>,
    /// Absent inputs that another one replaced.
    pub inputs_missing: Vec<&'static str>,
}

/// Computes the nowcast from what was known on `day`; `weekly` is the reference day of the weekly series.
///
/// # Errors
/// Why there is none, in words.
pub fn compute(set: &SeriesSet, day: Date, weekly: Date) -> Result<Nowcast, String> {
    compute_with(set, day, weekly, bridges::SHIPPED)
}

/// Computes the nowcast with other coefficients, to evaluate those that could be estimated at a time.
///
/// # Errors
/// As [`compute`].
pub fn compute_with(
    set: &SeriesSet,
    day: Date,
    weekly: Date,
    bridges: Coefficients,
) -> Result<Nowcast, String> {
    let (claims_week, claims) = published_claims(set, weekly)?;
    let gasoline = set.up_to("GASREGW", add_days(weekly, -GASOLINE_RELEASE_DAYS));
    let target = Month::from_date(claims_week);
    let claims = bridges::monthly_changes(claims);
    let mut filling = FillState {
        set,
        day,
        figures: MonthlyInputs::read(set, day),
        target,
        fills: Vec::new(),
        inputs_missing: Vec::new(),
    };
    filling.fill_from_claims(&claims, &bridges)?;
    filling.fill_prices(&bridges::monthly_changes(gasoline), &bridges)?;
    let state = regime::classify_months(filling.figures, target.plus(1), ERRORS)
        .pop()
        .filter(|s| Month::from_date(s.month) == target.plus(1))
        .ok_or_else(|| {
            let month = target.name();
            format!("the figures do not reach {month} with all that is filled")
        })?;
    Ok(Nowcast {
        state,
        claims_week,
        claims: bridges::claims_changes(&claims, target),
        fills: filling.fills,
        inputs_missing: filling.inputs_missing,
    })
}

/// Computes the nowcast unless the published regime has a newer month.
///
/// # Errors
/// As [`compute`].
pub fn compute_after(
    published: &RegimeReading,
    set: &SeriesSet,
    day: Date,
    weekly: Date,
) -> Result<Nowcast, String> {
    let nowcast = compute(set, day, weekly)?;
    let newest = published.state.as_ref().map(|s| s.month);
    if newest > Some(nowcast.state.month) {
        Err("the monthly figures reach further than the weekly ones".to_owned())
    } else {
        Ok(nowcast)
    }
}

/// Monthly inputs while they are filled up to a target month.
struct FillState<'a> {
    set: &'a SeriesSet,
    day: Date,
    figures: MonthlyInputs,
    target: Month,
    fills: Vec<Fill>,
    inputs_missing: Vec<&'static str>,
}

impl FillState<'_> {
    /// Fills all series but consumer prices.
    fn fill_from_claims(&mut self, claims: &MonthlyGrid, b: &Coefficients) -> Result<(), String> {
        let with_claims = "its own momentum and initial claims";
        let claims_step = |coefficients: [f64; 4]| {
            move |grid: &MonthlyGrid, m: Month| {
                let claims = bridges::claims_changes(claims, m);
                let step = bridges::step(&coefficients, bridges::momentum(grid, m)?, claims);
                apply_step(grid, m, step)
            }
        };
        let payrolls = claims_step(b.payrolls);
        let production = claims_step(b.production);
        let unemployment = |grid: &MonthlyGrid, m: Month| {
            let claims = bridges::claims_changes(claims, m);
            let step = bridges::step(&b.unemployment, bridges::drift(grid, m)?, claims);
            Some(grid.get(m.plus(-1))? + step)
        };
        let permits = |grid: &MonthlyGrid, m: Month| grid.get(m.plus(-1));
        let core = |grid: &MonthlyGrid, m: Month| {
            let before = m.plus(-1);
            let yearly = grid.log_change(before, 12, 100.0)?;
            let step = bridges::core_prices(grid.log_change(before, 1, 100.0)?, yearly / 12.0);
            apply_step(grid, m, step)
        };
        self.fill("PAYEMS", |f| &mut f.payrolls, with_claims, payrolls)?;
        self.fill("UNRATE", |f| &mut f.unemployment, with_claims, unemployment)?;
        self.fill("INDPRO", |f| &mut f.production, with_claims, production)?;
        self.fill("PERMIT", |f| &mut f.permits, "unchanged", permits)?;
        self.fill("CPILFESL", |f| &mut f.core, "its own momentum", core)
    }

    fn fill_prices(&mut self, gasoline: &MonthlyGrid, b: &Coefficients) -> Result<(), String> {
        let core = self.figures.core.clone();
        let last = self.figures.prices.last();
        let mut months = last
            .into_iter()
            .flat_map(|m| m.plus(1).through(self.target));
        let how = if months.any(|m| bridges::gasoline_changes(gasoline, m).is_none()) {
            self.inputs_missing.push("GASREGW");
            "core's momentum, without gasoline where its price is missing"
        } else {
            "core's momentum and gasoline"
        };
        let prices = |grid: &MonthlyGrid, m: Month| {
            let yearly = core.log_change(m.plus(-1), 12, 100.0)?;
            let gasoline = bridges::gasoline_changes(gasoline, m);
            apply_step(grid, m, bridges::prices(&b.prices, yearly / 12.0, gasoline))
        };
        self.fill("CPIAUCSL", |f| &mut f.prices, how, prices)
    }

    /// Fills a series up to the target month, each month from those before it.
    fn fill(
        &mut self,
        series: &'static str,
        grid: fn(&mut MonthlyInputs) -> &mut MonthlyGrid,
        how: &'static str,
        next: impl Fn(&MonthlyGrid, Month) -> Option<f64>,
    ) -> Result<(), String> {
        let grid = grid(&mut self.figures);
        let last = match grid.last() {
            Some(last) if last.plus(MAX_FILLED) >= self.target => last,
            _ if OPTIONAL.contains(&series) => {
                self.inputs_missing.push(series);
                return Ok(());
            }
            None => return Err(self.set.describe_missing(series, self.day)),
            Some(last) => {
                let [end, target] = [last, self.target].map(Month::name);
                return Err(format!(
                    "{series} ends with {end}, more than {MAX_FILLED} months before {target}"
                ));
            }
        };
        for month in last.plus(1).through(self.target) {
            let value = next(grid, month)
                .ok_or_else(|| format!("{series} of {} cannot be filled", month.name()))?;
            grid.set(month, value);
            self.fills.push(Fill {
                series,
                month,
                value,
                basis: how,
            });
        }
        Ok(())
    }
}

/// Returns the figure of the month before, moved by a step in percent.
fn apply_step(grid: &MonthlyGrid, month: Month, step: f64) -> Option<f64> {
    Some(grid.get(month.plus(-1))? * (step / 100.0).exp())
}

#[cfg(test)]
mod tests;
