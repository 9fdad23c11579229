//! Bridges: how the next month of a monthly series usually follows from its past and from weekly figures that are
//! out sooner (docs/METHODS.md#bridges).
//!
//! Steps are in percent (100 ln of a month over the month before); those of the unemployment rate in percentage
//! points. Fitted to 1970-2019, gasoline to 1992-2019.

use crate::indicators::months::{Month, Months, log_ratio};
use crate::indicators::statistics::{average, dot};
use crate::model::Observation;

/// Years before, of which the same month tells how gasoline usually moves in it.
const USUAL_YEARS: i32 = 11;

/// How far the mean of each month's weeks lies from that of the month before, percent. A month counts with the weeks
/// there are of it; after one without any there is no figure.
pub fn moves(weeks: &[Observation]) -> Months {
    let means = Months::means(weeks);
    let step = |(m, now): (Month, f64)| Some((m, 100.0 * log_ratio(now, means.get(m.plus(-1))?)?));
    Months::new(means.iter().filter_map(step))
}

/// Claims of a month and of the one before, percent; one of which nothing is known counts as none.
pub fn claims_at(moves: &Months, month: Month) -> [f64; 2] {
    [month, month.plus(-1)].map(|m| moves.get(m).unwrap_or(0.0))
}

/// Gasoline's move of a month, and the mean of the same calendar month in up to eleven earlier years, percent.
pub fn gasoline_at(moves: &Months, month: Month) -> Option<[f64; 2]> {
    let earlier = (1..=USUAL_YEARS).filter_map(|years| moves.get(month.plus(-12 * years)));
    Some([moves.get(month)?, average(earlier)?])
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
    /// CPIAUCSL, percent: gasoline's move, and its usual one.
    pub prices: [f64; 2],
}

/// Those that every answer uses (docs/METHODS.md#bridges); `desk/scores/regime/lessons.rs` finds them anew.
pub const SHIPPED: Coefficients = Coefficients {
    payrolls: [0.029_227, 0.686_757, -0.010_914, -0.008_232],
    production: [0.069_204, 0.490_269, -0.045_126, -0.034_942],
    unemployment: [-0.000_341, 0.260_299, 0.009_969, 0.010_081],
    prices: [0.043_664, -0.022_778],
};

/// The next step of a series from the mean step of its last three months and two months' claims.
pub fn step(of: &[f64; 4], mean_of_three: f64, [claims, before]: [f64; 2]) -> f64 {
    dot(&[1.0, mean_of_three, claims, before], of)
}

/// CPILFESL: from its last step and the mean step of its last twelve months, percent.
pub fn core_prices(last: f64, mean_of_twelve: f64) -> f64 {
    0.25 * last + 0.75 * mean_of_twelve
}

/// CPIAUCSL: from core's mean step of twelve months and gasoline's move beside its usual one, percent. Without gasoline
/// the two terms drop.
pub fn prices(of: &[f64; 2], core_mean_of_twelve: f64, gasoline: Option<[f64; 2]>) -> f64 {
    core_mean_of_twelve + dot(&gasoline.unwrap_or_default(), of)
}

/// The mean step of the three months before, percent.
pub fn momentum(grid: &Months, month: Month) -> Option<f64> {
    let before = month.plus(-1);
    Some(100.0 * log_ratio(grid.get(before)?, grid.get(before.plus(-3))?)? / 3.0)
}

/// The mean step of a rate over the three months before.
pub fn drift(grid: &Months, month: Month) -> Option<f64> {
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
    fn steps_are_the_printed_ones() {
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
    fn every_coefficient_counts() {
        close(step(&SHIPPED.payrolls, 0.0, [0.0; 2]), 0.029_227);
        close(step(&SHIPPED.payrolls, 1.0, [1.0, 0.0]), 0.705_07);
        close(step(&SHIPPED.payrolls, 0.0, [0.0, 10.0]), -0.053_093);
        close(step(&SHIPPED.production, 1.0, [0.0; 2]), 0.559_473);
        close(step(&SHIPPED.production, 0.0, [10.0, 10.0]), -0.731_476);
    }

    #[test]
    fn months_are_means_of_the_weeks_there_are() {
        let week = |m, d, v| Observation::new(date(2020, m, d), v);
        let weeks = [week(1, 4, 100.0), week(1, 11, 300.0), week(2, 1, 400.0)];
        let moves = moves(&weeks);
        let february = Month::new(2020, 2);
        let step = 100.0 * 2f64.ln();
        assert_eq!(claims_at(&moves, february), [step, 0.0]);
        assert_eq!(claims_at(&moves, february.plus(1)), [0.0, step]);
        assert_eq!(gasoline_at(&moves, february), None, "no year before");
    }

    #[test]
    fn the_usual_move_is_that_of_eleven_years_at_most() {
        let january = |year| (Month::new(year, 1), f64::from(year));
        let moves = Months::new((2000..=2020).map(january));
        assert_eq!(
            gasoline_at(&moves, Month::new(2020, 1)),
            Some([2020.0, 2014.0])
        );
        assert_eq!(
            gasoline_at(&moves, Month::new(2001, 1)),
            Some([2001.0, 2000.0])
        );
        assert_eq!(gasoline_at(&moves, Month::new(2000, 1)), None);
    }
}
