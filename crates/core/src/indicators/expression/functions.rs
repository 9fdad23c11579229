//! What functions make of figures: by the calendar, so that a missing period is never counted as another.

use super::column::{Column, Noise};
use super::frequency::meet;
use super::operate::both;
use super::scope::Scope;
use super::tree::{Fault, Function, Op, PRICES};
use super::unit::Unit;
use crate::indicators::months::{Month, Months, log_ratio};
use crate::indicators::statistics::{count, mean, rolling_sums};
use crate::model::frequency::{Length, days_later, shift};
use crate::model::{Date, Frequency, Observation, Series, When};
use jiff::ToSpan;

/// Applies a function to one column, or to two.
///
/// # Errors
/// A [`Fault`] for a time that the figures do not reach, and for units that the function has no meaning for.
pub(super) fn apply(
    (function, at): (Function, usize),
    column: Column,
    second: Option<Column>,
    scope: &Scope<'_>,
) -> Result<Column, Fault> {
    let rows = &column.series.observations;
    Ok(match (function, second) {
        (Function::Units(units), _) => column.transformed(units),
        (Function::Negate, _) => column.each(|x| Some(-x)),
        (Function::Not, _) => {
            let not = column.each(|x| Some(f64::from(u8::from(x == 0.0))));
            not.named(Unit::truth())
        }
        (Function::Absolute, _) => column.each(|x| Some(x.abs())),
        (Function::MovingAverage(n), _) => {
            let rows = averages(&column.series, n);
            settled(column, rows)
        }
        (Function::Lag(n), _) => {
            let rows = lagged(&column.series, n);
            column.with(rows)
        }
        (Function::Annualised(n), _) => {
            let years = count(n) / column.series.frequency().per_year();
            let rows = growth(rows, &lagged(&column.series, n), years);
            settled(column, rows).named(Unit::new("%"))
        }
        (Function::Growth(n), _) => {
            let before = years_later(&column.series, n);
            let rows = growth(rows, &before, count(n));
            settled(column, rows).named(Unit::new("%"))
        }
        (Function::GrowthSince(when), _) => {
            let base = base(&column.series, when, scope.start, at)?;
            let rows = base.map(|base| since(&column.series, base));
            settled(column, rows.unwrap_or_default()).named(Unit::new("%"))
        }
        (Function::Index(when), _) => {
            let base = base(&column.series, when, scope.start, at)?;
            let base = base.map(|o| o.value).filter(|base| *base > 0.0);
            let unit = match when {
                None => Unit::new("index, start = 100"),
                Some(when) => Unit::new(&format!("index, {when} = 100")),
            };
            let noise = Noise::beside(100.0);
            let index = |x| base.map(|base| noise.off(100.0 * x / base));
            column.each(index).named(unit)
        }
        (Function::Real(when), Some(prices)) => real(column, &prices, when, at)?,
        (Function::Gap, Some(other)) => gap(&column, &other, scope, at)?,
        (Function::Op(_), _) | (Function::Real(_) | Function::Gap, None) => {
            let allowed = "two series, for example gap(GDPC1, GDPPOT)";
            return Err(Fault::new(at, "takes a number for a series", allowed));
        }
    })
}

fn settled(column: Column, rows: Vec<Observation>) -> Column {
    let noise = Noise::beside(column.largest());
    column.with(rows).each(|x| Some(noise.off(x)))
}

/// The positions of the figures before which so many periods follow each other without one missing.
fn whole(series: &Series, periods: usize) -> impl Iterator<Item = (usize, Observation)> {
    let rows = series.observations.iter().copied().enumerate();
    let (mut from, mut before) = (0, None);
    rows.filter(move |(position, now)| {
        let follows = |day| series.frequency().follows(day, now.date);
        if !before.replace(now.date).is_none_or(follows) {
            from = *position;
        }
        *position >= from + periods
    })
}

/// The mean of n periods that follow each other, under the date of the last.
fn averages(series: &Series, n: usize) -> Vec<Observation> {
    let values: Vec<f64> = series.observations.iter().map(|o| o.value).collect();
    let (before, sums) = (n.saturating_sub(1), rolling_sums(&values, n));
    let mean = |(position, end): (usize, Observation)| {
        let sum = sums.get(position - before)?;
        Some(Observation::new(end.date, sum / count(n))).filter(|o| o.value.is_finite())
    };
    whole(series, before).filter_map(mean).collect()
}

/// Figures moved to the date n periods later; days by position, since days without a figure do not count.
fn lagged(series: &Series, n: usize) -> Vec<Observation> {
    let rows = &series.observations;
    let periods = i64::try_from(n).unwrap_or(0);
    let later = |date: Date| match series.frequency().length() {
        Length::Days(days) => days_later(date, i64::from(days) * periods),
        Length::Months(months) => shift(date, (i64::from(months) * periods).months()),
    };
    if series.frequency() == Frequency::Daily {
        let moved = |(at, now): (usize, Observation)| {
            Some(Observation::new(now.date, rows.get(at - n)?.value))
        };
        return whole(series, n).filter_map(moved).collect();
    }
    let moved = |o: &Observation| Observation::new(later(o.date), o.value);
    rows.iter().map(moved).collect()
}

/// Figures moved to the date n years later, where there is one.
fn years_later(series: &Series, n: usize) -> Vec<Observation> {
    let back = -i64::try_from(n).unwrap_or(0);
    let moved = |o: &Observation| {
        let day = shift(o.date, back.years());
        let before = match series.frequency() < Frequency::Monthly {
            true => series.lookup(day)?.value,
            false => series.at(day)?,
        };
        Some(Observation::new(o.date, before))
    };
    series.observations.iter().filter_map(moved).collect()
}

/// Percent a year, compounded over so many years, between figures of the same date.
fn growth(now: &[Observation], before: &[Observation], years: f64) -> Vec<Observation> {
    let mut rows = Vec::with_capacity(now.len());
    meet(now, before, |date, now, before| {
        rows.extend(compound(now, before, years).map(|v| Observation::new(date, v)));
    });
    rows
}

fn compound(now: f64, before: f64, years: f64) -> Option<f64> {
    let rate = log_ratio(now, before).map(|growth| 100.0 * (growth / years).exp_m1());
    rate.filter(|rate| rate.is_finite())
}

/// Percent a year since a figure, from a year after it on.
fn since(series: &Series, base: Observation) -> Vec<Observation> {
    let rate = |o: &Observation| {
        let years = series.frequency().years_between(base.date, o.date);
        let rate = compound(o.value, base.value, years).filter(|_| years >= 1.0)?;
        Some(Observation::new(o.date, rate))
    };
    series.observations.iter().filter_map(rate).collect()
}

/// The figure of a time, the mean of several; without a time the first from the start on, if there is one.
fn base(
    series: &Series,
    when: Option<When>,
    start: Date,
    at: usize,
) -> Result<Option<Observation>, Fault> {
    let rows = &series.observations;
    let Some(when) = when else {
        return Ok(rows.iter().find(|o| o.date >= start).copied());
    };
    let own = series.frequency();
    let is_fine = own < Frequency::Monthly;
    let (from, due) = match is_fine {
        true => (when.from, 1),
        false => (
            own.stamp(when.from),
            (months_in(when.length) / months_in(own)).max(1),
        ),
    };
    let found = match is_fine && when.length == Frequency::Daily {
        true => series.lookup(when.from),
        false => {
            let inside = series.between(from, when.to());
            let is_over = !is_fine || rows.last().is_some_and(|o| o.date >= when.to());
            let values: Vec<f64> = inside.iter().map(|o| o.value).collect();
            let middle = inside.get(inside.len() / 2).map(|o| o.date);
            let whole = middle.zip(mean(&values));
            let whole = whole.filter(|_| count(inside.len()) >= f64::from(due) && is_over);
            whole.map(|(date, mean)| Observation::new(date, mean))
        }
    };
    found.map(Some).ok_or_else(|| {
        let problem = format!("has not all of {} for {when}", series.info.id);
        let ends = rows.first().zip(rows.last());
        let ends = ends.map(|(first, last)| format!("a time from {} to {}", first.date, last.date));
        let allowed = ends.unwrap_or_else(|| "a series with figures".into());
        Fault::new(at, problem, allowed)
    })
}

/// Figures in the consumer prices of a time: each divided by the prices of its own period.
fn real(column: Column, prices: &Column, when: When, at: usize) -> Result<Column, Fault> {
    let refused = |(problem, allowed): (String, String)| Fault::new(at, problem, allowed);
    let unit = column.unit.in_prices(&when).map_err(refused)?;
    let rows = &prices.series.observations;
    let grid = Months::lasts(rows);
    let of = |first: Month, months: i32| {
        let values: Option<Vec<f64>> = (0..months).map(|n| grid.get(first.plus(n))).collect();
        values.and_then(|values| mean(&values)).filter(|v| *v > 0.0)
    };
    let months = months_in(when.length);
    let base = of(Month::of(when.from), months).ok_or_else(|| {
        let newest = rows.last().map(|o| o.date.strftime("%Y-%m").to_string());
        let newest = newest.unwrap_or_default();
        let problem = format!("has no consumer prices ({PRICES}) for all of {when}");
        let allowed =
            format!("a published month up to {newest}, the newest: real(x, \"{newest}\")");
        Fault::new(at, problem, allowed)
    })?;
    let own = column.series.frequency();
    let months = months_in(own);
    let mut known: Option<(Month, Option<f64>)> = None;
    let mut out = Vec::with_capacity(column.series.observations.len());
    for o in &column.series.observations {
        let month = match own < Frequency::Monthly {
            true => Month::of(o.date),
            false => Month::of(own.stamp(o.date)),
        };
        let price = match known {
            Some((same, price)) if same == month => price,
            _ => of(month, months),
        };
        known = Some((month, price));
        out.extend(price.map(|price| Observation::new(o.date, o.value * base / price)));
    }
    Ok(settled(column, out).named(unit))
}

/// Months whose prices a period has: of what is shorter than a month, that of the month.
fn months_in(length: Frequency) -> i32 {
    match length.length() {
        Length::Days(_) => 1,
        Length::Months(n) => i32::from(n),
    }
}

/// How many percent one column lies above another.
fn gap(a: &Column, b: &Column, scope: &Scope<'_>, at: usize) -> Result<Column, Fault> {
    if a.unit.is_percent() && b.unit.is_percent() {
        let allowed = "a difference in points, a - b, or gap( ) of two levels";
        return Err(Fault::new(at, "takes percent of percentages", allowed));
    }
    let refused = |(problem, allowed): (String, String)| Fault::new(at, problem, allowed);
    a.unit.combine(Op::Subtract, &b.unit).map_err(refused)?;
    let positive = b.clone().each(|x| (x > 0.0).then_some(x));
    let ratio = both((Op::Divide, at), a, &positive, scope.how)?;
    let noise = Noise::beside(ratio.largest());
    let percent = ratio.each(|x| Some(noise.off(100.0 * (x - 1.0))));
    Ok(percent.named(Unit::new("%")))
}
