//! Functions of columns: by the calendar, so that a missing period is never replaced by another.

use super::Scope;
use super::column::{Column, Noise};
use super::frequency::for_each_common_date;
use super::operate::combine_columns;
use super::tree::{FormulaError, Function, Op, PRICES};
use super::unit::Unit;
use crate::indicators::months::{Month, MonthlyGrid, compound_rate};
use crate::indicators::statistics::{count, mean, rolling_sums};
use crate::model::frequency::{PeriodLength, add_days, shift};
use crate::model::{CalendarPeriod, Date, Frequency, Observation, Series};
use jiff::ToSpan;

/// Applies a function to one column, or to two.
///
/// # Errors
/// A [`FormulaError`] for a time without figures, and for units that the function is not defined for.
pub(super) fn apply_function(
    function: Function,
    position: usize,
    column: Column,
    second: Option<Column>,
    scope: &Scope<'_>,
) -> Result<Column, FormulaError> {
    let series = &column.series;
    Ok(match (function, second) {
        (Function::Units(units), _) => column.transform(units),
        (Function::Negate, _) => column.map(|x| Some(-x)),
        (Function::Not, _) => {
            let not = column.map(|x| Some(f64::from(u8::from(x == 0.0))));
            not.with_unit(Unit::boolean())
        }
        (Function::Absolute, _) => column.map(|x| Some(x.abs())),
        (Function::MovingAverage(n), _) => without_noise(&column, moving_averages(series, n)),
        (Function::Lag(n), _) => column.with_rows(lag(series, n)),
        (Function::Annualised(n), _) => {
            let years = count(n) / series.frequency().per_year();
            let rows = growth(&series.observations, &lag(series, n), years);
            without_noise(&column, rows).with_unit(Unit::new("%"))
        }
        (Function::Growth(n), _) => {
            let rows = growth(&series.observations, &lag_years(series, n), count(n));
            without_noise(&column, rows).with_unit(Unit::new("%"))
        }
        (Function::GrowthSince(when), _) => {
            let base = base(series, when, scope.start, position)?;
            let rows = base.map(|base| growth_since(series, base));
            without_noise(&column, rows.unwrap_or_default()).with_unit(Unit::new("%"))
        }
        (Function::Index(when), _) => {
            let base = base(series, when, scope.start, position)?.map(|o| o.value);
            let noise = Noise::of_sums(100.0);
            let index = |x| Some(noise.remove(100.0 * x / base.filter(|base| *base > 0.0)?));
            let time = when.map_or("start".to_owned(), |when| when.to_string());
            let unit = Unit::new(&format!("index, {time} = 100"));
            column.map(index).with_unit(unit)
        }
        (Function::Real(when), Some(prices)) => deflate(column, &prices, when, position)?,
        (Function::Gap, Some(other)) => gap(&column, &other, scope, position)?,
        (Function::Op(_), _) | (Function::Real(_) | Function::Gap, None) => {
            let problem = "has a number where a series is required";
            let allowed = "two series, for example gap(GDPC1, GDPPOT)";
            return Err(FormulaError::new(position, problem, allowed));
        }
    })
}

/// Replaces the rows of a column, with the noise of its size removed.
fn without_noise(column: &Column, rows: Vec<Observation>) -> Column {
    let noise = Noise::of_sums(column.largest());
    column.with_rows(rows).map(|x| Some(noise.remove(x)))
}

/// Iterates over the figures, with their positions, that come after `periods` consecutive periods.
fn after_consecutive(
    series: &Series,
    periods: usize,
) -> impl Iterator<Item = (usize, Observation)> {
    let rows = series.observations.iter().copied().enumerate();
    let mut first = 0;
    let mut previous = None;
    rows.filter(move |(position, now)| {
        let follows = |day| series.frequency().is_adjacent(day, now.date);
        if !previous.replace(now.date).is_none_or(follows) {
            first = *position;
        }
        *position >= first + periods
    })
}

/// Returns the means of n consecutive periods, under the date of the last.
fn moving_averages(series: &Series, n: usize) -> Vec<Observation> {
    let values: Vec<f64> = series.observations.iter().map(|o| o.value).collect();
    let before = n.saturating_sub(1);
    let sums = rolling_sums(&values, n);
    let mean = |(position, end): (usize, Observation)| {
        let sum = sums.get(position - before)?;
        Some(Observation::new(end.date, sum / count(n))).filter(|o| o.value.is_finite())
    };
    after_consecutive(series, before).filter_map(mean).collect()
}

/// Moves figures to the date n periods later; days by position, because days without a figure do not count.
fn lag(series: &Series, n: usize) -> Vec<Observation> {
    let rows = &series.observations;
    if series.frequency() == Frequency::Daily {
        let earlier = |(position, now): (usize, Observation)| {
            Some(Observation::new(now.date, rows.get(position - n)?.value))
        };
        return after_consecutive(series, n).filter_map(earlier).collect();
    }
    let periods = i64::try_from(n).unwrap_or(0);
    let later = |date: Date| match series.frequency().length() {
        PeriodLength::Days(days) => add_days(date, i64::from(days) * periods),
        PeriodLength::Months(months) => shift(date, (i64::from(months) * periods).months()),
    };
    let moved = rows
        .iter()
        .map(|o| Observation::new(later(o.date), o.value));
    moved.collect()
}

/// Returns, under the date of each figure, the figure n years earlier, where there is one.
fn lag_years(series: &Series, n: usize) -> Vec<Observation> {
    let back = -i64::try_from(n).unwrap_or(0);
    let earlier = |o: &Observation| {
        let day = shift(o.date, back.years());
        let value = if series.frequency() < Frequency::Monthly {
            series.fresh_observation(day)?.value
        } else {
            series.value_on(day)?
        };
        Some(Observation::new(o.date, value))
    };
    series.observations.iter().filter_map(earlier).collect()
}

/// Returns percent a year, compounded over a number of years, between figures of the same date.
fn growth(now: &[Observation], before: &[Observation], years: f64) -> Vec<Observation> {
    let mut rows = Vec::with_capacity(now.len());
    for_each_common_date(now, before, |date, now, before| {
        rows.extend(compound_rate(now, before, years).map(|v| Observation::new(date, v)));
    });
    rows
}

/// Returns percent a year since a figure, from a year after it on.
fn growth_since(series: &Series, base: Observation) -> Vec<Observation> {
    let rate = |o: &Observation| {
        let years = series.frequency().years_between(base.date, o.date);
        let rate = compound_rate(o.value, base.value, years).filter(|_| years >= 1.0)?;
        Some(Observation::new(o.date, rate))
    };
    series.observations.iter().filter_map(rate).collect()
}

/// Returns the base of an index: the figure of a time, the mean of several; without a time the first from `start` on.
fn base(
    series: &Series,
    when: Option<CalendarPeriod>,
    start: Date,
    position: usize,
) -> Result<Option<Observation>, FormulaError> {
    let rows = &series.observations;
    let Some(when) = when else {
        return Ok(rows.iter().find(|o| o.date >= start).copied());
    };
    let frequency = series.frequency();
    let is_fine = frequency < Frequency::Monthly;
    let base = if is_fine && when.length == Frequency::Daily {
        series.fresh_observation(when.from)
    } else {
        let (from, periods) = if is_fine {
            (when.from, 1)
        } else {
            (
                frequency.period_date(when.from),
                (months_in(when.length) / months_in(frequency)).max(1),
            )
        };
        let inside = series.between(from, when.last_day());
        let is_over = !is_fine || rows.last().is_some_and(|o| o.date >= when.last_day());
        let is_whole = is_over && count(inside.len()) >= f64::from(periods);
        let values: Vec<f64> = inside.iter().map(|o| o.value).collect();
        let middle = inside.get(inside.len() / 2).filter(|_| is_whole);
        middle.and_then(|o| Some(Observation::new(o.date, mean(&values)?)))
    };
    base.map(Some).ok_or_else(|| {
        let problem = format!("lacks figures of {} for {when}", series.info.id);
        let allowed = match (rows.first(), rows.last()) {
            (Some(first), Some(last)) => format!("a time from {} to {}", first.date, last.date),
            _ => "a series with figures".into(),
        };
        FormulaError::new(position, problem, allowed)
    })
}

/// Converts figures to the consumer prices of a time: each divided by the prices of its own period.
fn deflate(
    column: Column,
    prices: &Column,
    when: CalendarPeriod,
    position: usize,
) -> Result<Column, FormulaError> {
    let unit = column.unit.in_prices_of(&when, position)?;
    let rows = &prices.series.observations;
    let grid = MonthlyGrid::from_last_values(rows);
    let mean_price = |first: Month, months: i32| {
        let values: Option<Vec<f64>> = (0..months).map(|n| grid.get(first.plus(n))).collect();
        mean(&values?).filter(|v| *v > 0.0)
    };
    let base =
        mean_price(Month::from_date(when.from), months_in(when.length)).ok_or_else(|| {
            let month = |o: &Observation| o.date.strftime("%Y-%m").to_string();
            let newest = rows.last().map(month).unwrap_or_default();
            let problem = format!("has no consumer prices ({PRICES}) for all of {when}");
            let allowed =
                format!("a published month up to {newest}, the newest: real(x, \"{newest}\")");
            FormulaError::new(position, problem, allowed)
        })?;
    let frequency = column.series.frequency();
    let month = |o: &Observation| {
        Month::from_date(if frequency < Frequency::Monthly {
            o.date
        } else {
            frequency.period_date(o.date)
        })
    };
    let observations = &column.series.observations;
    // Figures of one month share its price.
    let runs = observations.chunk_by(|a, b| month(a) == month(b));
    let deflated = runs.filter_map(|run| {
        let price = mean_price(month(run.first()?), months_in(frequency))?;
        Some(
            run.iter()
                .map(move |o| Observation::new(o.date, o.value * base / price)),
        )
    });
    let deflated_rows = deflated.flatten().collect();
    Ok(without_noise(&column, deflated_rows).with_unit(unit))
}

/// Months of prices for a period: one for what is shorter than a month.
fn months_in(frequency: Frequency) -> i32 {
    match frequency.length() {
        PeriodLength::Days(_) => 1,
        PeriodLength::Months(n) => i32::from(n),
    }
}

/// Returns by how many percent one column lies above another.
fn gap(a: &Column, b: &Column, scope: &Scope<'_>, position: usize) -> Result<Column, FormulaError> {
    if a.unit.is_percent() && b.unit.is_percent() {
        let problem = "is a gap between percentages";
        let allowed = "a difference in points, a - b, or gap( ) of two levels";
        return Err(FormulaError::new(position, problem, allowed));
    }
    // Figures that cannot be subtracted have no gap.
    a.unit.combine(Op::Subtract, &b.unit, position)?;
    let positive = b.map(|x| (x > 0.0).then_some(x));
    let ratio = combine_columns(Op::Divide, position, a, &positive, scope.aggregation)?;
    let noise = Noise::of_sums(ratio.largest());
    let percent = ratio.map(|x| Some(noise.remove(100.0 * (x - 1.0))));
    Ok(percent.with_unit(Unit::new("%")))
}
