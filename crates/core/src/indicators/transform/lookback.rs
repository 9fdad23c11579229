//! The figure a period or a year before each observation, in one pass over the series.
//!
//! One answer transforms a whole history; a search and calendar arithmetic for each of its days would be most of
//! the cost.

use crate::indicators::months::Month;
use crate::model::frequency::{PeriodLength, add_days, days_between};
use crate::model::{Date, Frequency, Observation, Series};

/// Looks up earlier figures for ascending dates.
pub(super) struct Lookback<'a> {
    series: &'a Series,
    /// Position of the first observation after the last day searched.
    next: usize,
}

impl<'a> Lookback<'a> {
    pub(super) fn new(series: &'a Series) -> Self {
        Self { series, next: 0 }
    }

    /// Returns the value one period before a date.
    ///
    /// Daily: the newest one before it, unless stale. Otherwise the calendar's period before, or nothing.
    pub(super) fn period(&mut self, date: Date) -> Option<f64> {
        match self.series.frequency().length() {
            PeriodLength::Days(1) => self.fresh(add_days(date, -1)),
            PeriodLength::Days(n) => self.near(add_days(date, -i64::from(n))),
            PeriodLength::Months(n) => months_earlier(self.series, date, i32::from(n)),
        }
    }

    /// Returns the value one year before a date ([`super::year_earlier`]).
    pub(super) fn year(&mut self, date: Date) -> Option<f64> {
        match self.series.frequency().length() {
            PeriodLength::Days(1) => self.fresh(add_days(date, -days_in_year_before(date))),
            PeriodLength::Days(_) => self.near(add_days(date, -364)),
            PeriodLength::Months(_) => months_earlier(self.series, date, 12),
        }
    }

    /// Returns the observation nearest to a date within a day: weekly dates move by one around holidays.
    fn near(&mut self, date: Date) -> Option<f64> {
        let before = self.newest(date);
        let after = self.series.observations.get(self.next).copied();
        let mut around = before.into_iter().chain(after);
        let nearest = around.find(|o| days_between(o.date, date).abs() <= 1)?;
        Some(nearest.value)
    }

    /// Returns the newest observation on or before a date, unless stale.
    fn fresh(&mut self, date: Date) -> Option<f64> {
        let newest = self.newest(date)?;
        // A daily figure may be as old as its lag, one day and the slack.
        let max_age = self.series.info.publication_lag_days + 1 + Frequency::Daily.slack_days();
        (days_between(newest.date, date) <= max_age).then_some(newest.value)
    }

    fn newest(&mut self, date: Date) -> Option<Observation> {
        let rows = &self.series.observations;
        if self.next == 0 {
            // The first date is often the only one and far from the start; those after it are near.
            self.next = rows.partition_point(|o| o.date <= date);
        } else {
            let rest = rows.get(self.next..).unwrap_or(&[]);
            self.next += rest.iter().take_while(|o| o.date <= date).count();
        }
        rows.get(self.next.checked_sub(1)?).copied()
    }
}

/// Returns the value exactly `months` calendar months before `date`, if that month has one.
fn months_earlier(series: &Series, date: Date, months: i32) -> Option<f64> {
    series.value_on(Month::from_date(date).plus(-months).first_day())
}

/// Returns the days back to the same day of the year before; to the 28th from the 29th of February.
fn days_in_year_before(date: Date) -> i64 {
    let year = i32::from(date.year()) - i32::from(date.month() <= 2);
    let is_leap = date.in_leap_year() && (date.month(), date.day()) == (2, 29)
        || year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    365 + i64::from(is_leap)
}

#[cfg(test)]
mod tests {
    use super::super::Units;
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::model::frequency::{day_from_number, day_number, shift};
    use jiff::ToSpan;
    use proptest::prelude::*;

    /// The definition in docs/METHODS.md, for one day.
    fn by_definition(series: &Series, date: Date, year: bool) -> Option<f64> {
        let months = |n| months_earlier(series, date, n);
        let back = |days: i64, years: i64| shift(shift(date, (-days).days()), (-years).years());
        let near = |day: Date| {
            let around = [0, -1, 1].map(|d: i64| shift(day, d.days()));
            around.into_iter().find_map(|d| series.value_on(d))
        };
        match (series.frequency(), year) {
            (Frequency::Daily, false) => series.fresh_observation(back(1, 0)).map(|o| o.value),
            (Frequency::Daily, true) => series.fresh_observation(back(0, 1)).map(|o| o.value),
            (Frequency::Weekly, false) => near(back(7, 0)),
            (Frequency::Weekly, true) => near(back(364, 0)),
            (Frequency::Monthly, false) => months(1),
            (Frequency::Quarterly, false) => months(3),
            (_, _) => months(12),
        }
    }

    fn any_series() -> impl Strategy<Value = Series> {
        let gaps = prop::collection::vec((1i32..40, 0.1..100.0), 0..400);
        let id = prop::sample::select(vec!["DGS10", "ICSA", "UNRATE", "GDP"]);
        (gaps, id, -200_000i32..40_000, 1i32..12).prop_map(|(gaps, id, first, step)| {
            let info = Catalogue::embedded().get(id).unwrap().clone();
            let mut day = first;
            let mut rows: Vec<Observation> = Vec::new();
            for (gap, value) in gaps {
                day += match info.frequency {
                    Frequency::Daily => gap.min(step),
                    Frequency::Weekly => [1, 6, 7, 8][usize::try_from(gap % 4).unwrap()],
                    Frequency::Biweekly
                    | Frequency::Monthly
                    | Frequency::Quarterly
                    | Frequency::Semiannual
                    | Frequency::Annual => 28 + gap,
                };
                let mut date = day_from_number(day).unwrap();
                // Weeks move by a day around holidays.
                if info.frequency != Frequency::Weekly {
                    date = info.frequency.period_date(date);
                }
                if rows.last().is_none_or(|last| last.date < date) {
                    rows.push(Observation::new(date, value));
                }
            }
            Series::new(info, rows)
        })
    }

    proptest! {
        #[test]
        fn one_pass_matches_a_search_for_each_day(series in any_series()) {
            for (units, year) in [(Units::Change, false), (Units::ChangeYear, true)] {
                let change = |o: &Observation| {
                    let value = o.value - by_definition(&series, o.date, year)?;
                    Some(Observation::new(o.date, value))
                };
                let plain: Vec<Observation> = series.observations.iter().filter_map(change).collect();
                prop_assert_eq!(units.apply(&series), plain);
            }
        }
    }

    #[test]
    fn leap_day_looks_back_to_the_28th() {
        for day in (-90_000..30_000).filter_map(day_from_number) {
            let before = i64::from(day_number(day)) - days_in_year_before(day);
            assert_eq!(
                before,
                i64::from(day_number(shift(day, (-1).year()))),
                "{day}"
            );
        }
    }
}
