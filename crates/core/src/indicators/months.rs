//! Months as numbers, and monthly figures on a calendar grid.
//!
//! A look-up "twelve months earlier" must return that calendar month or nothing. On a grid with one slot per
//! month this is one step, and a month that was never published (October 2025) is an empty slot.

use super::statistics::count;
use crate::model::{Date, Frequency, Observation};
use jiff::civil::date;

/// A calendar month, stored as a count of months so that it can be added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(i32);

impl Month {
    /// Returns the month that holds `day`.
    pub fn from_date(day: Date) -> Self {
        Self::new(i32::from(day.year()), i32::from(day.month()))
    }

    /// Builds a month from its year and its number, 1 to 12.
    pub const fn new(year: i32, month: i32) -> Self {
        Self(year * 12 + month - 1)
    }

    /// Returns its first day, the date of monthly figures.
    pub fn first_day(self) -> Date {
        let year = i16::try_from(self.0.div_euclid(12)).unwrap_or(i16::MAX);
        let month = i8::try_from(self.0.rem_euclid(12) + 1).unwrap_or(1);
        Date::new(year, month, 1).unwrap_or(date(9999, 12, 1))
    }

    /// Returns its last day.
    pub fn last_day(self) -> Date {
        Frequency::Monthly.period_end(self.first_day())
    }

    /// Returns the month this many months later; earlier when negative.
    pub const fn plus(self, months: i32) -> Self {
        Self(self.0.saturating_add(months))
    }

    /// Iterates over the months from this one to `last`, both included.
    pub fn through(self, last: Self) -> impl Iterator<Item = Self> {
        (self.0..=last.0).map(Self)
    }

    /// Returns the number of months since an earlier one.
    pub const fn since(self, earlier: Self) -> i32 {
        self.0.saturating_sub(earlier.0)
    }

    /// Formats the month: "July 2026".
    pub fn name(self) -> String {
        self.first_day().strftime("%B %Y").to_string()
    }
}

/// Monthly figures on a grid: one slot per calendar month, empty where there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct MonthlyGrid {
    first: Month,
    slots: Vec<Option<f64>>,
}

impl MonthlyGrid {
    /// Builds a grid from (month, value) pairs, ascending by month; of two for one month the later wins.
    pub fn new(pairs: impl IntoIterator<Item = (Month, f64)>) -> Self {
        let mut grid = Self {
            first: Month(0),
            slots: Vec::new(),
        };
        for (month, value) in pairs {
            grid.set(month, value);
        }
        grid
    }

    /// Takes the last figure of each month (stocks, docs/METHODS.md#conversion).
    pub fn from_last_values(observations: &[Observation]) -> Self {
        let pairs = observations.iter();
        Self::new(pairs.map(|o| (Month::from_date(o.date), o.value)))
    }

    /// Takes the mean of each month's figures (rates, spreads and indices, docs/METHODS.md#conversion).
    pub fn from_means(observations: &[Observation]) -> Self {
        Self::aggregate(observations, |month| {
            let sum: f64 = month.iter().map(|o| o.value).sum();
            Some(sum / count(month.len()))
        })
    }

    /// Reduces each month's observations to one figure, or none.
    pub fn aggregate(
        observations: &[Observation],
        figure: impl Fn(&[Observation]) -> Option<f64>,
    ) -> Self {
        let months =
            observations.chunk_by(|a, b| Month::from_date(a.date) == Month::from_date(b.date));
        Self::new(months.filter_map(|m| Some((Month::from_date(m.first()?.date), figure(m)?))))
    }

    /// Computes a figure, or none, from each month and its figure.
    #[must_use]
    pub fn map(&self, figure: impl Fn(Month, f64) -> Option<f64>) -> Self {
        let figures = self.iter();
        Self::new(figures.filter_map(|(month, value)| Some((month, figure(month, value)?))))
    }

    /// Sets a month's figure; one before the first month of the grid is dropped.
    pub fn set(&mut self, month: Month, value: f64) {
        if self.slots.is_empty() {
            self.first = month;
        }
        let Ok(index) = usize::try_from(month.since(self.first)) else {
            return;
        };
        if index >= self.slots.len() {
            self.slots.resize(index + 1, None);
        }
        if let Some(slot) = self.slots.get_mut(index) {
            *slot = Some(value).filter(|v| v.is_finite());
        }
    }

    /// Returns the month's figure, if there is one.
    pub fn get(&self, month: Month) -> Option<f64> {
        let index = usize::try_from(month.since(self.first)).ok()?;
        self.slots.get(index).copied().flatten()
    }

    /// Iterates over the months that have a figure, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (Month, f64)> {
        let months = (self.first.0..).map(Month).zip(&self.slots);
        months.filter_map(|(m, v)| Some((m, (*v)?)))
    }

    /// Returns the first month of the grid.
    pub fn first(&self) -> Option<Month> {
        (!self.slots.is_empty()).then_some(self.first)
    }

    /// Returns the newest month that has a figure.
    pub fn last(&self) -> Option<Month> {
        let index = self.slots.iter().rposition(Option::is_some)?;
        Some(self.first.plus(i32::try_from(index).ok()?))
    }

    /// Returns the grid without the months before `month`.
    #[must_use]
    pub fn starting_at(&self, month: Month) -> Self {
        Self::new(self.iter().filter(|(m, _)| *m >= month))
    }

    /// Returns the mean of the month and the two before it; `None` with fewer than `min` of the three.
    pub fn three_month_mean(&self, month: Month, min: usize) -> Option<f64> {
        let values: Vec<f64> = (0..3).filter_map(|k| self.get(month.plus(-k))).collect();
        (values.len() >= min.max(1)).then(|| values.iter().sum::<f64>() / count(values.len()))
    }

    /// Returns `100 · ln` of the mean of three months over that of the same months a year before.
    pub fn yearly_log_change_of_means(&self, month: Month) -> Option<f64> {
        let mean = |m| self.three_month_mean(m, 3);
        log_ratio(mean(month)?, mean(month.plus(-12))?).map(|l| 100.0 * l)
    }

    /// Returns `factor · ln(x_t / x_{t−back})`; `None` when either month is absent or not positive.
    pub fn log_change(&self, month: Month, back: i32, factor: f64) -> Option<f64> {
        log_ratio(self.get(month)?, self.get(month.plus(-back))?).map(|l| factor * l)
    }

    /// Returns the grid with each gap of a single month filled log-linearly, and the months that were filled.
    ///
    /// For composites only (docs/METHODS.md#gaps): published transforms must leave the gap. A gap at the end, a
    /// longer one, or one beside a value that is not positive stays.
    pub fn interpolate_gaps(&self) -> (Self, Vec<Month>) {
        let mut grid = self.clone();
        let mut filled = Vec::new();
        let months = (self.first.0..).map(Month).zip(&self.slots);
        for (month, _) in months.filter(|(_, slot)| slot.is_none()) {
            let neighbours = self.get(month.plus(-1)).zip(self.get(month.plus(1)));
            if let Some((before, after)) = neighbours.filter(|(a, b)| *a > 0.0 && *b > 0.0) {
                grid.set(month, (before * after).sqrt());
                filled.push(month);
            }
        }
        (grid, filled)
    }
}

/// Returns `ln(a / b)`; `None` unless both are positive.
pub fn log_ratio(a: f64, b: f64) -> Option<f64> {
    (a > 0.0 && b > 0.0).then(|| (a / b).ln())
}

/// Returns percent a year, compounded; `None` unless both are positive and the rate is finite.
pub fn compound_rate(now: f64, before: f64, years: f64) -> Option<f64> {
    let rate = log_ratio(now, before).map(|growth| 100.0 * (growth / years).exp_m1());
    rate.filter(|rate| rate.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> MonthlyGrid {
        MonthlyGrid::new([(Month::new(2025, 9), 4.0), (Month::new(2025, 11), 9.0)])
    }

    #[test]
    fn month_arithmetic_crosses_years() {
        let november = Month::from_date(date(2025, 11, 20));
        assert_eq!(november, Month::new(2025, 11));
        assert_eq!(november.plus(2).first_day(), date(2026, 1, 1));
        assert_eq!(november.plus(-11).last_day(), date(2024, 12, 31));
        assert_eq!(november.name(), "November 2025");
    }

    #[test]
    fn unpublished_month_stays_empty() {
        let g = grid();
        assert_eq!(g.get(Month::new(2025, 10)), None);
        assert_eq!(g.log_change(Month::new(2025, 11), 1, 100.0), None);
        assert_eq!(g.three_month_mean(Month::new(2025, 11), 3), None);
        assert_eq!(g.three_month_mean(Month::new(2025, 11), 2), Some(6.5));
    }

    #[test]
    fn one_month_gap_is_filled_log_linearly() {
        let (g, filled) = grid().interpolate_gaps();
        assert_eq!(g.get(Month::new(2025, 10)), Some(6.0));
        assert_eq!(filled, [Month::new(2025, 10)]);
        let wide = MonthlyGrid::new([(Month::new(2025, 9), 4.0), (Month::new(2025, 12), 9.0)]);
        assert_eq!(wide.interpolate_gaps(), (wide.clone(), vec![]));
    }

    #[test]
    fn means_average_the_days_of_each_month() {
        let day = |m, d, v| Observation::new(date(2026, m, d), v);
        let g = MonthlyGrid::from_means(&[day(1, 2, 1.0), day(1, 30, 3.0), day(3, 2, 5.0)]);
        let pairs: Vec<_> = g.iter().collect();
        assert_eq!(
            pairs,
            [(Month::new(2026, 1), 2.0), (Month::new(2026, 3), 5.0)]
        );
        assert_eq!(
            MonthlyGrid::from_last_values(&[day(1, 2, 1.0), day(1, 30, 3.0)])
                .get(Month::new(2026, 1)),
            Some(3.0)
        );
        assert_eq!(
            g.starting_at(Month::new(2026, 2)).first(),
            Some(Month::new(2026, 3))
        );
    }
}
