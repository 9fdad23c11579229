//! Aggregation of a series to a lower frequency.

use super::statistics::count;
use super::transform::Units;
use crate::error::{Error, Result};
use crate::model::frequency::{Periods, shift};
use crate::model::{Date, Frequency, Observation, Series, SeriesInfo};
use jiff::ToSpan;

/// How several observations become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregation {
    /// Mean of the present ones: rates, spreads, indices.
    Average,
    /// Sum: flows.
    Sum,
    /// Last one of the period: stocks.
    EndOfPeriod,
}

impl Aggregation {
    /// Every aggregation with FRED's code.
    pub const CODES: [(&'static str, Self); 3] = [
        ("avg", Self::Average),
        ("sum", Self::Sum),
        ("eop", Self::EndOfPeriod),
    ];

    /// Returns the default for a series: flows are summed, stocks and prices of a day are taken at the end of the period,
    /// and other monthly or longer figures are averaged (docs/METHODS.md#aggregation).
    pub fn default_for(info: &SeriesInfo) -> Self {
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

    /// Returns the default for series that are combined with coarser ones: the end of the period where all are stocks, else
    /// the mean, by which rates and prices are compared.
    pub fn default_for_mixed<'a>(finer: impl IntoIterator<Item = &'a SeriesInfo>) -> Self {
        let mut infos = finer.into_iter().peekable();
        if infos.peek().is_some() && infos.all(SeriesInfo::is_stock) {
            Self::EndOfPeriod
        } else {
            Self::Average
        }
    }

    /// Describes an aggregated figure: "last value".
    pub fn describe(self) -> &'static str {
        match self {
            Self::Average => "mean",
            Self::Sum => "sum",
            Self::EndOfPeriod => "last value",
        }
    }

    /// Returns FRED's code.
    pub fn code(self) -> &'static str {
        let known = Self::CODES.iter().find(|(_, how)| *how == self);
        known.map_or("", |(code, _)| code)
    }

    /// Aggregates the observations of a period; `None` without any, or where the result is not finite.
    pub fn apply(self, period: &[Observation]) -> Option<f64> {
        let last = period.last()?;
        let sum = || {
            let sum: f64 = period.iter().map(|o| o.value).sum();
            // The remainder of terms that cancel is below the last digit of the largest of them: it is zero.
            let largest = period.iter().map(|o| o.value.abs()).fold(0.0, f64::max);
            if sum.abs() < 1e-14 * count(period.len()) * largest {
                0.0
            } else {
                sum
            }
        };
        let value = match self {
            Self::Average => sum() / count(period.len()),
            Self::Sum => sum(),
            Self::EndOfPeriod => last.value,
        };
        value.is_finite().then_some(value)
    }
}

/// Aggregates a series to `to`, which must not be finer than the series' own frequency.
///
/// Gaps: a period without any observation stays absent.
///
/// # Errors
/// [`Error::InvalidParam`] when `to` is finer than the series: figures would have to be invented.
pub fn aggregate(
    series: &Series,
    to: impl Into<Periods>,
    how: Aggregation,
) -> Result<Vec<Observation>> {
    let from = series.frequency();
    let periods = to.into();
    let to = periods.frequency;
    if to < from {
        let code = from.code();
        let id = &series.info.id;
        let problem = format!("is finer than {id}, which is {from}");
        let allowed = format!("{code} or coarser, for example frequency={code}");
        return Err(Error::invalid("frequency", to.code(), &problem, &allowed));
    }
    let rows = &series.observations;
    if to == from {
        return Ok(rows.clone());
    }
    // Pairs overlap, so that the period of each row is computed only once.
    let mut previous = rows.first().map_or(0, |o| periods.number(o.date));
    let is_same = |_: &Observation, o: &Observation| {
        let number = periods.number(o.date);
        number == std::mem::replace(&mut previous, number)
    };
    let aggregated = rows.chunk_by(is_same).filter_map(|period| {
        let date = periods.period_date(period.last()?.date);
        Some(Observation::new(date, how.apply(period)?))
    });
    Ok(aggregated.collect())
}

/// Whether the last aggregated period may still gain figures: another observation can fall into
/// it after the last one.
pub fn last_is_partial(series: &Series, to: Periods) -> bool {
    let Some(last) = series.observations.last().map(|o| o.date) else {
        return false;
    };
    let mut next = shift(last, series.frequency().period());
    // Business days: there is no figure on a weekend.
    while series.frequency() == Frequency::Daily && next.weekday().to_monday_one_offset() > 5 {
        next = shift(next, 1.day());
    }
    let period = to.period_date(last);
    to.period_date(next) == period && next <= to.frequency.period_end(period)
}

/// An aggregated period with missing figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShortPeriod {
    /// First day of the period.
    pub date: Date,
    /// Figures present.
    pub present: usize,
    /// Figures of a whole period.
    pub whole: usize,
}

/// Returns the periods of `to` with missing months or quarters, the newest one among them while it lasts.
///
/// Empty for days and weeks, whose number in a period is not fixed.
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
            date: to.period_date(rows.last()?.date),
            present: rows.len(),
            whole,
        })
    });
    described.collect()
}

/// Transforms levels that were aggregated from a series.
///
/// A change to or from a period that lacks months compares the months that both periods have: eight months of this year are
/// not set against the whole year before.
pub fn changes(
    series: &Series,
    levels: &Series,
    how: Aggregation,
    units: Units,
) -> Vec<Observation> {
    let to = levels.frequency();
    let rows = units.apply(levels);
    let short: Vec<Date> = short_periods(series, to).iter().map(|p| p.date).collect();
    let Some(back) = units
        .lookback(to)
        .filter(|_| how != Aggregation::EndOfPeriod)
    else {
        return rows;
    };
    let number = |date| series.frequency().period_number(date);
    let months_of = |date, other: Date| -> Vec<Observation> {
        let months = series.between(date, to.period_end(date));
        let offset = number(other) - number(date);
        let other_months = series.between(other, to.period_end(other)).iter();
        let others: Vec<i32> = other_months.map(|o| number(o.date) - offset).collect();
        let is_in_both = |o: &&Observation| others.contains(&number(o.date));
        months.iter().filter(is_in_both).copied().collect()
    };
    let compare = |row: Observation| {
        let base = shift(row.date, back.negate());
        if !short.contains(&row.date) && !short.contains(&base) {
            return Some(row);
        }
        let before = how.apply(&months_of(base, row.date))?;
        let now = how.apply(&months_of(row.date, base))?;
        let dates = [(base, before), (row.date, now)];
        let pair = dates.map(|(date, level)| Observation::new(date, level));
        units
            .apply(&Series::new(levels.info.clone(), pair.into()))
            .pop()
    };
    rows.into_iter().filter_map(compare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;
    use crate::indicators::testdata::series;
    use jiff::civil::date;

    #[test]
    fn days_become_months_and_the_last_is_partial() {
        let s = series(
            "DGS10",
            &[
                (date(2026, 6, 29), 4.0),
                (date(2026, 6, 30), 5.0),
                (date(2026, 7, 30), 7.0),
            ],
        );
        let monthly = |how| aggregate(&s, Frequency::Monthly, how).unwrap();
        let values = |r: &[Observation]| r.iter().map(|o| o.value).collect::<Vec<_>>();
        assert_eq!(values(&monthly(Aggregation::Average)), [4.5, 7.0]);
        assert_eq!(values(&monthly(Aggregation::Sum)), [9.0, 7.0]);
        assert_eq!(values(&monthly(Aggregation::EndOfPeriod)), [5.0, 7.0]);
        assert!(last_is_partial(&s, Frequency::Monthly.into()));
        assert_eq!(monthly(Aggregation::Sum)[1].date, date(2026, 7, 1));
    }

    #[test]
    fn cancelling_terms_leave_no_noise() {
        let of = |values: &[f64], how: Aggregation| {
            let row = |value: &f64| Observation::new(date(2016, 3, 4), *value);
            how.apply(&values.iter().map(row).collect::<Vec<_>>())
        };
        // The week of the five-year real yield that began on 29 February 2016.
        for how in [Aggregation::Average, Aggregation::Sum] {
            assert_eq!(of(&[0.02, 0.04, 0.01, -0.03, -0.04], how), Some(0.0));
        }
        assert_eq!(of(&[1e-9, 1e-9], Aggregation::Average), Some(1e-9));
    }

    #[test]
    fn period_with_only_a_weekend_left_is_whole() {
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
    fn default_aggregation_fits_stocks_and_flows() {
        let usual =
            |id: &str| Aggregation::default_for(Catalogue::embedded().get(id).unwrap()).code();
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
    fn quarter_of_two_months_is_short() {
        let months = [1, 2, 3, 4, 6, 7].map(|m| (date(2025, m, 1), 1.0));
        let series = series("UNRATE", &months);
        let short = |to| short_periods(&series, to);
        let of = |month, present, whole| ShortPeriod {
            date: date(2025, month, 1),
            present,
            whole,
        };
        assert_eq!(short(Frequency::Quarterly), [of(4, 2, 3), of(7, 1, 3)]);
        assert_eq!(short(Frequency::Annual), [of(1, 6, 12)]);
        assert_eq!(short(Frequency::Monthly), []);
    }

    #[test]
    fn finer_frequency_is_an_error() {
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
    fn early_figures_count_from_the_reference_day() {
        let rows = [(date(2026, 8, 7), -0.555), (date(2026, 8, 14), -0.559)];
        let s = series("NFCI", &rows);
        assert_eq!(s.up_to(date(2026, 8, 18)).len(), 2);
        assert_eq!(s.up_to(date(2026, 8, 13)).len(), 1);
    }
}
