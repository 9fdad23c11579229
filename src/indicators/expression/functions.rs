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
        (Function::Not, _) => column
            .each(|x| Some(f64::from(u8::from(x == 0.0))))
            .named(Unit::truth()),
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

/// Of each figure, the position from which on no period is missing up to it.
fn whole_from(series: &Series) -> Vec<usize> {
    let rows = &series.observations;
    let mut from = 0;
    let before = rows.iter().map(|o| Some(o.date));
    let pairs = std::iter::once(None).chain(before).zip(rows).enumerate();
    pairs
        .map(|(position, (before, now))| {
            if before.is_some_and(|day| !series.frequency().follows(day, now.date)) {
                from = position;
            }
            from
        })
        .collect()
}

/// The mean of n periods that follow each other, under the date of the last.
fn averages(series: &Series, n: usize) -> Vec<Observation> {
    let rows = &series.observations;
    let values: Vec<f64> = rows.iter().map(|o| o.value).collect();
    let skipped = n.saturating_sub(1);
    let ends = rows
        .iter()
        .zip(whole_from(series))
        .enumerate()
        .skip(skipped);
    let means = ends.zip(rolling_sums(&values, n));
    let whole = means.filter(|((position, (_, from)), _)| position + 1 >= from + n);
    whole
        .map(|((_, (end, _)), sum)| Observation::new(end.date, sum / count(n)))
        .filter(|o| o.value.is_finite())
        .collect()
}

/// Figures moved to the date n periods later; days by position, since days without a figure do not count.
fn lagged(series: &Series, n: usize) -> Vec<Observation> {
    let rows = &series.observations;
    let periods = i64::try_from(n).unwrap_or(0);
    let later = |date: Date| match series.frequency().length() {
        Length::Days(days) => days_later(date, i64::from(days) * periods),
        Length::Months(months) => shift(date, (i64::from(months) * periods).months()),
    };
    if series.frequency() != Frequency::Daily {
        let moved = rows
            .iter()
            .map(|o| Observation::new(later(o.date), o.value));
        return moved.collect();
    }
    let days = rows.iter().zip(whole_from(series)).enumerate().skip(n);
    days.zip(rows)
        .filter(|((position, (_, from)), _)| *position >= from + n)
        .map(|((_, (now, _)), before)| Observation::new(now.date, before.value))
        .collect()
}

/// Figures moved to the date n years later, where there is one.
fn years_later(series: &Series, n: usize) -> Vec<Observation> {
    let back = -i64::try_from(n).unwrap_or(0);
    let before = |date: Date| {
        let day = shift(date, back.years());
        match series.frequency() < Frequency::Monthly {
            true => series.lookup(day).map(|o| o.value),
            false => series.at(day),
        }
    };
    let rows = series.observations.iter();
    rows.filter_map(|o| Some(Observation::new(o.date, before(o.date)?)))
        .collect()
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
    let years = |date: Date| series.frequency().years_between(base.date, date);
    let rows = series.observations.iter();
    rows.map(|o| (o, years(o.date)))
        .filter(|(_, years)| *years >= 1.0)
        .filter_map(|(o, years)| {
            Some(Observation::new(
                o.date,
                compound(o.value, base.value, years)?,
            ))
        })
        .collect()
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
    let inside = match (own < Frequency::Monthly, when.length) {
        (true, Frequency::Daily) => {
            return match series.lookup(when.from) {
                Some(found) => Ok(Some(found)),
                None => Err(unreached(series, when, at)),
            };
        }
        (true, _) => series.between(when.from, when.to()),
        (false, _) => series.between(own.stamp(when.from), when.to()),
    };
    let due = match own.length() {
        Length::Days(_) => 1,
        Length::Months(_) => (months_in(when.length) / months_in(own)).max(1),
    };
    let is_over = own >= Frequency::Monthly || rows.last().is_some_and(|o| o.date >= when.to());
    let values: Vec<f64> = inside.iter().map(|o| o.value).collect();
    match (inside.get(inside.len() / 2), mean(&values)) {
        (Some(middle), Some(mean)) if count(inside.len()) >= f64::from(due) && is_over => {
            Ok(Some(Observation::new(middle.date, mean)))
        }
        (_, _) => Err(unreached(series, when, at)),
    }
}

fn unreached(series: &Series, when: When, at: usize) -> Fault {
    let problem = format!("has not all of {} for {when}", series.info.id);
    let ends = series.observations.first().zip(series.observations.last());
    let allowed = ends.map(|(first, last)| format!("a time from {} to {}", first.date, last.date));
    Fault::new(
        at,
        problem,
        allowed.unwrap_or_else(|| "a series with figures".into()),
    )
}

/// Figures in the consumer prices of a time: each divided by the prices of its own period.
fn real(column: Column, prices: &Column, when: When, at: usize) -> Result<Column, Fault> {
    let refused = |(problem, allowed): (String, String)| Fault::new(at, problem, allowed);
    let unit = column.unit.in_prices(&when).map_err(refused)?;
    let rows = &prices.series.observations;
    let grid = Months::new(rows.iter().map(|o| (Month::of(o.date), o.value)));
    let of = |first: Month, months: i32| {
        let values: Option<Vec<f64>> = (0..months).map(|n| grid.get(first.plus(n))).collect();
        values.and_then(|values| mean(&values)).filter(|v| *v > 0.0)
    };
    let months = months_in(when.length);
    let base = of(Month::of(when.from), months).ok_or_else(|| {
        let newest = rows
            .last()
            .map_or_else(String::new, |o| o.date.strftime("%Y-%m").to_string());
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
