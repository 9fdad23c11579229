//! Knowing sooner: the regime with every input filled to the month of the newest claims (docs/METHODS.md#nowcast).
//!
//! An overlay on the published regime, and never the regime of record: months that are not out yet are filled by
//! [`bridges`], then the regime's own rules run on.

pub mod bridges;

use super::months::{Month, Months};
use super::recession_now::claims_out;
use super::regime::{self, Errors, MonthlyInputs, Outlook, RegimeMonth};
use crate::model::frequency::days_later;
use crate::model::{Date, SeriesSet};
use bridges::Coefficients;

/// Weekly series that tell of months not out yet.
pub const WEEKLY: [&str; 2] = ["ICSA", "GASREGW"];

/// Errors of scores whose newest inputs are filled.
pub const ERRORS: Errors = Errors {
    growth: 0.15,
    inflation: 0.10,
};

/// Where it is wrong, for every answer that shows it.
pub const LIMITS: &str = "A nowcast, not the regime of record. It fails when claims jump for one state or one storm (October \
    2005), after a slump (September 2020: DEFLATION became GOLDILOCKS two months early), while growth is near zero, and in \
    a month less than a week old (2020-03-15 still said GOLDILOCKS).";

/// Months that may be filled.
const MOST: i32 = 3;
/// Days after its stamp on which the gasoline price of a week is out.
pub const GASOLINE_OUT_AFTER: i64 = 1;
/// The series that growth can do without: one that ends too early is left as it is.
const OPTIONAL: [&str; 2] = ["INDPRO", "PERMIT"];

/// A figure that is not published yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Fill {
    /// Series.
    pub series: &'static str,
    /// Month.
    pub month: Month,
    /// What it is taken to be, in the series' own unit.
    pub value: f64,
    /// From what.
    pub how: &'static str,
}

/// The regime from filled figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Nowcast {
    /// The month after the newest figures, as the regime counts.
    pub state: RegimeMonth,
    /// Saturday of the newest week of claims.
    pub claims_week: Date,
    /// Claims of the newest month and of the one before against their months before, percent.
    pub claims: [f64; 2],
    /// What was filled, by series and month.
    pub fills: Vec<Fill>,
    /// What was missing where something else served.
    pub inputs_missing: Vec<&'static str>,
}

/// The nowcast from what was known on `day`; `weekly` is the day for which weekly figures speak.
///
/// # Errors
/// Why there is none, in words.
pub fn at(set: &SeriesSet, day: Date, weekly: Date) -> Result<Nowcast, String> {
    with(set, (day, weekly), bridges::SHIPPED)
}

/// [`at`] with bridges of other coefficients, to judge those that could be had at a time.
///
/// # Errors
/// As [`at`].
pub fn with(
    set: &SeriesSet,
    (day, weekly): (Date, Date),
    bridges: Coefficients,
) -> Result<Nowcast, String> {
    let (week, claims) = claims_out(set, weekly)?;
    let gasoline = set.up_to("GASREGW", weekly);
    let out = gasoline.partition_point(|o| days_later(o.date, GASOLINE_OUT_AFTER) <= weekly);
    let to = Month::of(week);
    let moves = bridges::moves(claims);
    let mut filling = FillState {
        figures: MonthlyInputs::read(set, day),
        to,
        fills: Vec::new(),
        inputs_missing: Vec::new(),
    };
    filling.by_claims(&moves, &bridges)?;
    filling.prices(
        &bridges::moves(gasoline.get(..out).unwrap_or_default()),
        &bridges,
    )?;
    let state = regime::months(filling.figures, to.plus(1), ERRORS).pop();
    let state = state.filter(|s| Month::of(s.month) == to.plus(1));
    let month = to.name();
    let short = || format!("the figures do not reach {month} with all that is filled");
    let state = state.ok_or_else(short)?;
    Ok(Nowcast {
        state,
        claims_week: week,
        claims: bridges::claims_at(&moves, to),
        fills: filling.fills,
        inputs_missing: filling.inputs_missing,
    })
}

/// [`at`] beside what is published on the day: a nowcast of an older month is none.
///
/// # Errors
/// As [`at`].
pub fn after(
    published: &Outlook,
    set: &SeriesSet,
    (day, weekly): (Date, Date),
) -> Result<Nowcast, String> {
    let now = at(set, day, weekly)?;
    let newest = published.state.as_ref().map(|s| s.month);
    match newest > Some(now.state.month) {
        true => Err("the monthly figures reach further than the weekly ones".to_owned()),
        false => Ok(now),
    }
}

/// Figures on their way to being complete.
struct FillState {
    figures: MonthlyInputs,
    to: Month,
    fills: Vec<Fill>,
    inputs_missing: Vec<&'static str>,
}

impl FillState {
    /// All but consumer prices.
    fn by_claims(&mut self, claims: &Months, b: &Coefficients) -> Result<(), String> {
        let with_claims = "its own momentum and initial claims";
        let by_claims = |of: [f64; 4]| {
            move |grid: &Months, m: Month| {
                let momentum = bridges::momentum(grid, m)?;
                let step = bridges::step(&of, momentum, bridges::claims_at(claims, m));
                grown(grid, m, step)
            }
        };
        let (payrolls, production) = (by_claims(b.payrolls), by_claims(b.production));
        let unemployment = |grid: &Months, m: Month| {
            let (last, drift) = (grid.get(m.plus(-1))?, bridges::drift(grid, m)?);
            Some(last + bridges::step(&b.unemployment, drift, bridges::claims_at(claims, m)))
        };
        let permits = |grid: &Months, m: Month| grid.get(m.plus(-1));
        let core = |grid: &Months, m: Month| {
            let before = m.plus(-1);
            let yearly = grid.log_change(before, 12, 100.0)?;
            let step = bridges::core_prices(grid.log_change(before, 1, 100.0)?, yearly / 12.0);
            grown(grid, m, step)
        };
        self.series("PAYEMS", |g| &mut g.payrolls, with_claims, payrolls)?;
        self.series("UNRATE", |g| &mut g.unemployment, with_claims, unemployment)?;
        self.series("INDPRO", |g| &mut g.production, with_claims, production)?;
        self.series("PERMIT", |g| &mut g.permits, "unchanged", permits)?;
        self.series("CPILFESL", |g| &mut g.core, "its own momentum", core)
    }

    fn prices(&mut self, gasoline: &Months, b: &Coefficients) -> Result<(), String> {
        let core = self.figures.core.clone();
        let last = self.figures.prices.last();
        let mut to_fill = last.into_iter().flat_map(|m| m.plus(1).until(self.to));
        let how = match to_fill.any(|m| bridges::gasoline_at(gasoline, m).is_none()) {
            true => {
                self.inputs_missing.push("GASREGW");
                "core's momentum, without gasoline where its price is missing"
            }
            false => "core's momentum and gasoline",
        };
        let prices = |grid: &Months, m: Month| {
            let yearly = core.log_change(m.plus(-1), 12, 100.0)?;
            let gasoline = bridges::gasoline_at(gasoline, m);
            grown(grid, m, bridges::prices(&b.prices, yearly / 12.0, gasoline))
        };
        self.series("CPIAUCSL", |g| &mut g.prices, how, prices)
    }

    /// Fills a series, each month from those before it.
    fn series(
        &mut self,
        series: &'static str,
        grid: fn(&mut MonthlyInputs) -> &mut Months,
        how: &'static str,
        next: impl Fn(&Months, Month) -> Option<f64>,
    ) -> Result<(), String> {
        let grid = grid(&mut self.figures);
        let last = match grid.last() {
            Some(last) if last.plus(MOST) >= self.to => last,
            _ if OPTIONAL.contains(&series) => {
                self.inputs_missing.push(series);
                return Ok(());
            }
            None => return Err(format!("{series} is not loaded")),
            Some(last) => {
                let (last, to) = (last.name(), self.to.name());
                return Err(format!(
                    "{series} ends with {last}, more than {MOST} months before {to}"
                ));
            }
        };
        for month in last.plus(1).until(self.to) {
            let value = next(grid, month)
                .ok_or_else(|| format!("{series} of {} cannot be filled", month.name()))?;
            grid.put(month, value);
            self.fills.push(Fill {
                series,
                month,
                value,
                how,
            });
        }
        Ok(())
    }
}

/// The month before, moved by a step in percent.
fn grown(grid: &Months, month: Month, step: f64) -> Option<f64> {
    Some(grid.get(month.plus(-1))? * (step / 100.0).exp())
}

#[cfg(test)]
mod tests;
