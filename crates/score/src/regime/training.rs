//! Fits the bridges of the nowcast to the first prints that were known by a day.

use super::inputs_on;
use econoscope_core::error::Result;
use econoscope_core::indicators::months::{Month, MonthlyGrid};
use econoscope_core::indicators::nowcast::GASOLINE_RELEASE_DAYS;
use econoscope_core::indicators::nowcast::bridges::{self, Coefficients};
use econoscope_core::indicators::recession_now::RELEASE_DAYS;
use econoscope_core::indicators::regime::MonthlyInputs;
use econoscope_core::indicators::statistics::least_squares;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date, Observation, SeriesSet};
use econoscope_desk::Desk;
use jiff::ToSpan;

/// First month of the regressions on claims.
const FIRST: Month = Month::new(1970, 1);
/// First month of the regression on gasoline.
const FIRST_GASOLINE: Month = Month::new(1992, 1);
/// The last month that bridges are fitted to.
pub(super) const LAST_MONTH: Month = Month::new(2019, 12);
/// The minimum of months for a regression.
const MIN_MONTHS: usize = 36;

/// The day on which a first print was known, the regressors, and the print.
type TrainingRow<const N: usize> = (Date, [f64; N], f64);

/// Every first print up to [`LAST_MONTH`] with its regressors.
#[derive(Default)]
pub(super) struct TrainingData {
    payrolls: Vec<TrainingRow<4>>,
    production: Vec<TrainingRow<4>>,
    unemployment: Vec<TrainingRow<4>>,
    prices: Vec<TrainingRow<2>>,
}

impl TrainingData {
    pub(super) fn new(desk: &Desk) -> Result<Self> {
        let set = desk.series_set(["ICSA", "GASREGW"], AsOf::Latest)?;
        let weekly = [("ICSA", RELEASE_DAYS), ("GASREGW", GASOLINE_RELEASE_DAYS)]
            .map(|(id, lag)| WeeklySeries::new(&set, id, lag));
        let mut data = Self::default();
        let mut before = monthly_inputs(desk, FIRST)?;
        // Six more months for late prints.
        for end in FIRST.plus(1).through(LAST_MONTH.plus(6)) {
            let now = monthly_inputs(desk, end)?;
            data.add_prints(end.last_day(), &before, &now, &weekly);
            before = now;
        }
        Ok(data)
    }

    /// Adds the first prints between two states of the monthly inputs.
    fn add_prints(
        &mut self,
        day: Date,
        before: &MonthlyInputs,
        now: &MonthlyInputs,
        weekly: &[WeeklySeries; 2],
    ) {
        let [claims, gasoline] = weekly;
        let row = |m: Month, trend: Option<f64>, print: Option<f64>| {
            let previous = claims.moves.get(m.plus(-1))?;
            let regressors = [1.0, trend?, claims.move_by_end_of(m)?, previous];
            Some((day, regressors, print?))
        };
        let growth_rows = |months: fn(&MonthlyInputs) -> &MonthlyGrid| {
            let before = months(before);
            let now = months(now);
            let growth = |m| now.log_change(m, 1, 100.0);
            let rows = new_months(before, now)
                .filter_map(|m| row(m, bridges::momentum(before, m), growth(m)));
            rows.collect::<Vec<_>>()
        };
        self.payrolls.extend(growth_rows(|inputs| &inputs.payrolls));
        self.production
            .extend(growth_rows(|inputs| &inputs.production));
        let old = &before.unemployment;
        let new = &now.unemployment;
        let change = |m: Month| Some(new.get(m)? - new.get(m.plus(-1))?);
        let rows = new_months(old, new).filter_map(|m| row(m, bridges::drift(old, m), change(m)));
        self.unemployment.extend(rows);
        let months = new_months(&before.prices, &now.prices).filter(|m| *m >= FIRST_GASOLINE);
        self.prices.extend(months.filter_map(|m| {
            let core = before.core.log_change(m.plus(-1), 12, 100.0)?;
            let excess = now.prices.log_change(m, 1, 100.0)? - core / 12.0;
            let [_, previous] = bridges::gasoline_changes(&gasoline.moves, m)?;
            Some((day, [gasoline.move_by_end_of(m)?, previous], excess))
        }));
    }

    /// Returns the coefficients fitted to the prints known on a day. With too few prints they are those in use, for prices
    /// zero.
    pub(super) fn coefficients(&self, day: Date) -> Coefficients {
        let shipped = bridges::SHIPPED;
        Coefficients {
            payrolls: fit(&self.payrolls, day).unwrap_or(shipped.payrolls),
            production: fit(&self.production, day).unwrap_or(shipped.production),
            unemployment: fit(&self.unemployment, day).unwrap_or(shipped.unemployment),
            prices: fit(&self.prices, day).unwrap_or_default(),
        }
    }
}

fn fit<const N: usize>(rows: &[TrainingRow<N>], day: Date) -> Option<[f64; N]> {
    let known = rows.iter().filter(|row| row.0 <= day);
    let (regressors, prints): (Vec<[f64; N]>, Vec<f64>) = known.map(|row| (row.1, row.2)).unzip();
    let is_enough = regressors.len() >= MIN_MONTHS;
    is_enough.then(|| least_squares(&regressors, &prints))?
}

fn monthly_inputs(desk: &Desk, end: Month) -> Result<MonthlyInputs> {
    let day = end.last_day();
    Ok(MonthlyInputs::read(&inputs_on(desk, day)?, day))
}

/// Returns the months that were added between two states.
fn new_months(before: &MonthlyGrid, now: &MonthlyGrid) -> impl Iterator<Item = Month> {
    let span = before.last().zip(now.last()).into_iter();
    let months = span.flat_map(|(before, now)| before.plus(1).through(now));
    months.filter(|m| (FIRST..=LAST_MONTH).contains(m))
}

/// A weekly series with its monthly moves.
struct WeeklySeries<'a> {
    weeks: &'a [Observation],
    /// Days from the date of a week to its publication.
    lag: i64,
    moves: MonthlyGrid,
}

impl<'a> WeeklySeries<'a> {
    fn new(set: &'a SeriesSet, id: &str, lag: i64) -> Self {
        let weeks = set.get(id).map_or(&[][..], |s| &s.observations);
        let moves = bridges::monthly_changes(weeks);
        Self { weeks, lag, moves }
    }

    /// Returns the move of a month by the weeks published until its end.
    fn move_by_end_of(&self, m: Month) -> Option<f64> {
        let is_published = |o: &Observation| shift(o.date, self.lag.days()) <= m.last_day();
        let previous = m.plus(-1).first_day();
        let first = self.weeks.partition_point(|o| o.date < previous);
        let end = self.weeks.partition_point(is_published);
        bridges::monthly_changes(self.weeks.get(first..end)?).get(m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use econoscope_data::store::Sqlite;
    use econoscope_desk::Settings;
    use std::sync::Arc;

    #[test]
    fn shipped_bridges_are_fitted_to_all_first_prints_up_to_2019() {
        let store = Arc::new(Sqlite::bundled().unwrap());
        let desk = Desk::open(store, Settings::default(), Desk::system_clock());
        let data = TrainingData::new(&desk).unwrap();
        assert_eq!(data.payrolls.len(), 600);
        assert_eq!(data.prices.len(), 335);
        let fitted = data.coefficients(Date::MAX);
        let shipped = bridges::SHIPPED;
        let assert_close = |fitted: &[f64], shipped: &[f64]| {
            for (fitted, shipped) in fitted.iter().zip(shipped) {
                assert!(
                    (fitted - shipped).abs() <= 0.6e-6,
                    "{fitted}, shipped {shipped}"
                );
            }
        };
        assert_close(&fitted.payrolls, &shipped.payrolls);
        assert_close(&fitted.production, &shipped.production);
        assert_close(&fitted.unemployment, &shipped.unemployment);
        assert_close(&fitted.prices, &shipped.prices);
    }
}
