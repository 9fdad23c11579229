//! From one frequency to another, and only down: for users who ask for weekly, monthly, quarterly or annual figures.

use super::statistics::count;
use crate::error::{Error, Result};
use crate::model::frequency::{Periods, shift};
use crate::model::{Date, Frequency, Observation, Series, SeriesInfo};
use jiff::ToSpan;
use std::str::FromStr;

/// How several observations become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregation {
    /// Mean of those there are: rates, spreads, indices.
    Average,
    /// Sum: flows.
    Sum,
    /// Last one of the period: stocks.
    EndOfPeriod,
}

impl FromStr for Aggregation {
    type Err = ();

    /// Reads FRED's `avg`, `sum`, `eop` in any case.
    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let all = [Self::Average, Self::Sum, Self::EndOfPeriod].into_iter();
        let mut meant = all.filter(|how| text.trim().eq_ignore_ascii_case(how.code()));
        meant.next().ok_or(())
    }
}

impl Aggregation {
    /// How figures of a series are made coarser where nobody says how: amounts of a period are added, what is
    /// held or quoted on a day is taken at the end, and what is told of a month or longer is averaged
    /// (docs/METHODS.md#aggregation).
    pub fn usual(info: &SeriesInfo) -> Self {
        match info.frequency {
            _ if info.is_flow() => Self::Sum,
            Frequency::Weekly if info.units_short == "claims" => Self::Average,
            Frequency::Daily | Frequency::Weekly | Frequency::Biweekly => Self::EndOfPeriod,
            _ if info.is_stock() => Self::EndOfPeriod,
            Frequency::Monthly
            | Frequency::Quarterly
            | Frequency::Semiannual
            | Frequency::Annual => Self::Average,
        }
    }

    /// How the finer ones among series become as coarse as the others, where nobody says how: all at the end where
    /// each of them is held at a time, else as means, which rates and prices are compared by.
    pub fn usual_beside<'a>(finer: impl IntoIterator<Item = &'a SeriesInfo>) -> Self {
        let mut finer = finer.into_iter().peekable();
        match finer.peek().is_some() && finer.all(SeriesInfo::is_stock) {
            true => Self::EndOfPeriod,
            false => Self::Average,
        }
    }

    /// FRED's code, and what a figure of a coarser period is of its days, weeks or months.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Average => ("avg", "mean"),
            Self::Sum => ("sum", "sum"),
            Self::EndOfPeriod => ("eop", "last value"),
        }
    }

    /// What a figure of a coarser period is of its days, weeks or months: "last value".
    pub fn words(self) -> &'static str {
        self.names().1
    }

    /// FRED's code.
    pub fn code(self) -> &'static str {
        self.names().0
    }

    /// The one value of a period; `None` without observations, or where they come to no finite number.
    pub fn of(self, period: &[Observation]) -> Option<f64> {
        let last = period.last()?;
        let sum = || period.iter().map(|o| o.value).sum::<f64>();
        // What stays of terms that cancel is below the last digit of the largest of them: it is zero.
        let largest = || period.iter().map(|o| o.value.abs()).fold(0.0, f64::max);
        let clean = |sum: f64| match sum.abs() < 1e-14 * count(period.len()) * largest() {
            true => 0.0,
            false => sum,
        };
        let value = match self {
            Self::Average => clean(sum()) / count(period.len()),
            Self::Sum => clean(sum()),
            Self::EndOfPeriod => last.value,
        };
        value.is_finite().then_some(value)
    }
}

/// Aggregates a series to `to`, which must not be finer than the series' own frequency.
/// Gaps: a period without any observation stays absent.
///
/// # Errors
/// [`Error::InvalidParam`] when `to` is finer than the series: figures would have to be invented.
pub fn aggregate(
    series: &Series,
    to: impl Into<Periods>,
    how: Aggregation,
) -> Result<Vec<Observation>> {
    let (from, periods) = (series.frequency(), to.into());
    let to = periods.frequency;
    if to < from {
        let (own, id) = (from.code(), &series.info.id);
        let problem = format!("is finer than {id}, which is {from}");
        let allowed = format!("{own} or coarser, for example frequency={own}");
        return Err(Error::invalid("frequency", to.code(), &problem, &allowed));
    }
    let all = &series.observations;
    if to == from {
        return Ok(all.clone());
    }
    // Each row is the second of a pair before it is the first of one: its period is asked once.
    let mut before = all.first().map_or(0, |o| periods.number(o.date));
    let same = |_: &Observation, o: &Observation| {
        let own = periods.number(o.date);
        own == std::mem::replace(&mut before, own)
    };
    let whole = all.chunk_by(same).filter_map(|period| {
        let stamp = periods.stamp(period.last()?.date);
        Some(Observation::new(stamp, how.of(period)?))
    });
    Ok(whole.collect())
}

/// Whether the last period that a series would be aggregated to may still gain figures: another observation can fall into
/// it after the last one.
pub fn last_is_partial(series: &Series, to: Periods) -> bool {
    let Some(last) = series.observations.last().map(|o| o.date) else {
        return false;
    };
    let mut next = shift(last, series.frequency().period());
    // Business days: nothing is to come on a weekend.
    while series.frequency() == Frequency::Daily && next.weekday().to_monday_one_offset() > 5 {
        next = shift(next, 1.day());
    }
    let own = to.stamp(last);
    to.stamp(next) == own && next <= to.frequency.period_end(own)
}

/// A coarser period of which figures are absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShortPeriod {
    /// Stamp of the period.
    pub date: Date,
    /// Figures there are.
    pub held: usize,
    /// Figures of a whole one.
    pub whole: usize,
}

/// Periods of `to` for which months or quarters of the series are absent, the newest period among them while it lasts.
/// Of days and weeks nobody can say how many a period should have.
pub fn short_periods(series: &Series, to: Frequency) -> Vec<ShortPeriod> {
    let whole = match (series.frequency(), to) {
        (Frequency::Monthly, Frequency::Quarterly) => 3,
        (Frequency::Monthly, Frequency::Semiannual) => 6,
        (Frequency::Monthly, Frequency::Annual) => 12,
        (Frequency::Quarterly, Frequency::Semiannual) => 2,
        (Frequency::Quarterly, Frequency::Annual) => 4,
        _ => return Vec::new(),
    };
    let period = |o: &Observation| to.period_number(o.date);
    let periods = series.observations.chunk_by(|a, b| period(a) == period(b));
    let short = periods.filter(|rows| rows.len() < whole);
    let described = short.filter_map(|rows| {
        Some(ShortPeriod {
            date: to.stamp(rows.last()?.date),
            held: rows.len(),
            whole,
        })
    });
    described.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use jiff::civil::date;

    fn series(id: &str, rows: &[(Date, f64)]) -> Series {
        let info = Catalogue::embedded().get(id).unwrap().clone();
        Series::new(
            info,
            rows.iter().map(|&(d, v)| Observation::new(d, v)).collect(),
        )
    }

    #[test]
    fn days_become_months_and_the_open_month_is_flagged() {
        let s = series(
            "DGS10",
            &[
                (date(2026, 6, 29), 4.0),
                (date(2026, 6, 30), 5.0),
                (date(2026, 7, 30), 7.0),
            ],
        );
        let of = |how| aggregate(&s, Frequency::Monthly, how).unwrap();
        let values = |r: &[Observation]| r.iter().map(|o| o.value).collect::<Vec<_>>();
        assert_eq!(values(&of(Aggregation::Average)), [4.5, 7.0]);
        assert_eq!(values(&of(Aggregation::Sum)), [9.0, 7.0]);
        assert_eq!(values(&of(Aggregation::EndOfPeriod)), [5.0, 7.0]);
        assert!(last_is_partial(&s, Frequency::Monthly.into()));
        assert_eq!(of(Aggregation::Sum)[1].date, date(2026, 7, 1));
    }

    #[test]
    fn terms_that_cancel_leave_no_noise() {
        let of = |values: &[f64], how: Aggregation| {
            let row = |value: &f64| Observation::new(date(2016, 3, 4), *value);
            how.of(&values.iter().map(row).collect::<Vec<_>>())
        };
        // The week of the five-year real yield that began on 29 February 2016.
        for how in [Aggregation::Average, Aggregation::Sum] {
            assert_eq!(of(&[0.02, 0.04, 0.01, -0.03, -0.04], how), Some(0.0));
        }
        assert_eq!(of(&[1e-9, 1e-9], Aggregation::Average), Some(1e-9));
    }

    #[test]
    fn a_period_is_whole_when_only_a_weekend_is_left() {
        let partial =
            |id, day, to: Frequency| last_is_partial(&series(id, &[(day, 1.0)]), to.into());
        // 31 May 2026 is a Sunday.
        assert!(!partial("DGS10", date(2026, 5, 29), Frequency::Monthly));
        assert!(partial("DGS10", date(2026, 5, 28), Frequency::Monthly));
        assert!(!partial("UNRATE", date(2026, 6, 1), Frequency::Quarterly));
        assert!(partial("UNRATE", date(2026, 5, 1), Frequency::Quarterly));
        assert!(partial("WALCL", date(2026, 8, 19), Frequency::Monthly));
    }

    #[test]
    fn what_is_held_is_taken_at_the_end_and_what_flows_is_added() {
        let usual = |id: &str| Aggregation::usual(Catalogue::embedded().get(id).unwrap()).code();
        for (id, how) in [
            ("RRPONTSYD", "eop"),
            ("DGS10", "eop"),
            ("WALCL", "eop"),
            ("M2SL", "eop"),
            ("TOTALSL", "eop"),
            ("GFDEBTN", "eop"),
            ("ICSA", "avg"),
            ("UNRATE", "avg"),
            ("CPIAUCSL", "avg"),
            ("GDPC1", "avg"),
            ("PCE", "avg"),
            ("FGEXPND", "avg"),
            ("RSAFS", "sum"),
            ("MTSDS133FMS", "sum"),
        ] {
            assert_eq!(usual(id), how, "{id}");
        }
    }

    #[test]
    fn a_quarter_of_two_months_is_short() {
        let months = [1, 2, 3, 4, 6, 7].map(|m| (date(2025, m, 1), 1.0));
        let series = series("UNRATE", &months);
        let short = |to| short_periods(&series, to);
        let of = |month, held, whole| ShortPeriod {
            date: date(2025, month, 1),
            held,
            whole,
        };
        assert_eq!(short(Frequency::Quarterly), [of(4, 2, 3), of(7, 1, 3)]);
        assert_eq!(short(Frequency::Annual), [of(1, 6, 12)]);
        assert_eq!(short(Frequency::Monthly), []);
    }

    #[test]
    fn nothing_is_made_finer_than_it_is() {
        let s = series("UNRATE", &[(date(2026, 6, 1), 4.1)]);
        let message = aggregate(&s, Frequency::Daily, Aggregation::Average)
            .unwrap_err()
            .to_string();
        assert!(message.contains("finer than UNRATE"), "{message}");
        assert_eq!(
            aggregate(&s, Frequency::Monthly, Aggregation::Sum).unwrap(),
            s.observations
        );
    }

    #[test]
    fn what_is_held_on_the_reference_day_is_known_however_early_it_came() {
        let rows = [(date(2026, 8, 7), -0.555), (date(2026, 8, 14), -0.559)];
        let s = series("NFCI", &rows);
        assert_eq!(s.up_to(date(2026, 8, 18)).len(), 2);
        assert_eq!(s.up_to(date(2026, 8, 13)).len(), 1);
    }
}
