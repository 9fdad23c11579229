//! Bridge equations: the next month of a monthly series from its past and from weekly figures that are
//! published sooner (docs/COMPOSITES.md#bridges).
//!
//! Steps are in percent (100 ln of a month over the month before); those of the unemployment rate in percentage
//! points. Fitted to 1970-2019, gasoline to 1992-2019.

use crate::indicators::months::{Month, MonthlyGrid};
use crate::indicators::statistics::{average, dot};
use crate::model::Observation;

/// Earlier years whose same calendar month gives gasoline's usual change.
const USUAL_YEARS: i32 = 11;

/// Returns the change of each month's mean of weekly figures from the month before, percent.
///
/// A month counts with the weeks it has; there is no figure after a month without weeks.
pub fn monthly_changes(weeks: &[Observation]) -> MonthlyGrid {
    let means = MonthlyGrid::from_means(weeks);
    means.map(|m, _| means.log_change(m, 1, 100.0))
}

/// Returns the changes of claims in a month and in the one before, percent; 0 where they are not known.
pub fn claims_changes(changes: &MonthlyGrid, month: Month) -> [f64; 2] {
    [month, month.plus(-1)].map(|m| changes.get(m).unwrap_or(0.0))
}

/// Returns gasoline's change in a month, and the mean of the same calendar month in up to eleven earlier years, percent.
pub fn gasoline_changes(changes: &MonthlyGrid, month: Month) -> Option<[f64; 2]> {
    let earlier = (1..=USUAL_YEARS).filter_map(|years| changes.get(month.plus(-12 * years)));
    Some([changes.get(month)?, average(earlier)?])
}

/// Coefficients of the bridges that are regressions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficients {
    /// PAYEMS, percent: the constant, the mean step of its last three months, claims of the month and of the one before.
    pub payrolls: [f64; 4],
    /// INDPRO, percent: the same.
    pub production: [f64; 4],
    /// UNRATE, percentage points: the same.
    pub unemployment: [f64; 4],
    /// CPIAUCSL, percent: gasoline's change, and its usual one.
    pub prices: [f64; 2],
}

/// The coefficients in use (docs/COMPOSITES.md#bridges); `crates/score/src/regime/lessons.rs` re-estimates them.
pub const SHIPPED: Coefficients = Coefficients {
    payrolls: [0.029_227, 0.686_757, -0.010_914, -0.008_232],
    production: [0.069_204, 0.490_269, -0.045_126, -0.034_942],
    unemployment: [-0.000_341, 0.260_299, 0.009_969, 0.010_081],
    prices: [0.043_664, -0.022_778],
};

/// Returns the next step of a series from the mean step of its last three months and the claims of two months.
pub fn step(coefficients: &[f64; 4], mean_of_three: f64, [claims, before]: [f64; 2]) -> f64 {
    dot(&[1.0, mean_of_three, claims, before], coefficients)
}

/// Returns the next step of CPILFESL, percent, from its last step and the mean step of its last twelve months.
pub fn core_prices(last: f64, mean_of_twelve: f64) -> f64 {
    0.25 * last + 0.75 * mean_of_twelve
}

/// Returns the next step of CPIAUCSL, percent, from core's mean step of twelve months, gasoline's change and its usual one.
/// Without gasoline the two terms drop.
pub fn prices(
    coefficients: &[f64; 2],
    core_mean_of_twelve: f64,
    gasoline: Option<[f64; 2]>,
) -> f64 {
    core_mean_of_twelve + dot(&gasoline.unwrap_or_default(), coefficients)
}

/// Returns the mean step of the three months before, percent.
pub fn momentum(grid: &MonthlyGrid, month: Month) -> Option<f64> {
    Some(grid.log_change(month.plus(-1), 3, 100.0)? / 3.0)
}

/// Returns the mean step of a rate over the three months before.
pub fn drift(grid: &MonthlyGrid, month: Month) -> Option<f64> {
    Some((grid.get(month.plus(-1))? - grid.get(month.plus(-4))?) / 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 0.0005, "{a}, expected {b}");
    }

    #[test]
    fn steps_match_the_documented_ones() {
        // October 2008, from the figures known before each report.
        close(step(&SHIPPED.unemployment, 0.2, [2.396, 6.915]), 0.145);
        close(
            step(&SHIPPED.unemployment, (6.1 - 5.5) / 3.0, [2.3956, 6.9147]),
            6.2453 - 6.1,
        );
        close(
            prices(&SHIPPED.prices, 0.2029, Some([-19.348, -3.213])),
            -0.569,
        );
        close(core_prices(0.1411, 0.2029), 0.187);
        assert_eq!(prices(&SHIPPED.prices, 0.2029, None), 0.2029);
    }

    #[test]
    fn each_coefficient_affects_the_step() {
        close(step(&SHIPPED.payrolls, 0.0, [0.0; 2]), 0.029_227);
        close(step(&SHIPPED.payrolls, 1.0, [1.0, 0.0]), 0.705_07);
        close(step(&SHIPPED.payrolls, 0.0, [0.0, 10.0]), -0.053_093);
        close(step(&SHIPPED.production, 1.0, [0.0; 2]), 0.559_473);
        close(step(&SHIPPED.production, 0.0, [10.0, 10.0]), -0.731_476);
    }

    #[test]
    fn months_are_means_of_their_known_weeks() {
        let week = |m, d, v| Observation::new(date(2020, m, d), v);
        let weeks = [week(1, 4, 100.0), week(1, 11, 300.0), week(2, 1, 400.0)];
        let changes = monthly_changes(&weeks);
        let february = Month::new(2020, 2);
        let step = 100.0 * 2f64.ln();
        assert_eq!(claims_changes(&changes, february), [step, 0.0]);
        assert_eq!(claims_changes(&changes, february.plus(1)), [0.0, step]);
        assert_eq!(gasoline_changes(&changes, february), None, "no year before");
    }

    #[test]
    fn usual_change_uses_at_most_eleven_years() {
        let january = |year| (Month::new(year, 1), f64::from(year));
        let changes = MonthlyGrid::new((2000..=2020).map(january));
        assert_eq!(
            gasoline_changes(&changes, Month::new(2020, 1)),
            Some([2020.0, 2014.0])
        );
        assert_eq!(
            gasoline_changes(&changes, Month::new(2001, 1)),
            Some([2001.0, 2000.0])
        );
        assert_eq!(gasoline_changes(&changes, Month::new(2000, 1)), None);
    }
}
