//! From tree to figures.
//!
//! Functions work at the frequency of what stands inside them; two sides of different frequency meet at
//! the lower one. Dates that cannot be computed are absent.

use super::frequency::{coarsest, convert, join};
use super::{Expr, Fault, Function, Op, Unit};
use crate::indicators::resample::Aggregation;
use crate::indicators::statistics::count;
use crate::indicators::transform::Units;
use crate::model::frequency::shift;
use crate::model::{Date, Frequency, Observation, Series};
use jiff::ToSpan;
use std::sync::Arc;

/// What a formula is evaluated in.
pub struct Scope<'a> {
    /// The series behind a name.
    pub series: &'a dyn Fn(&str) -> Option<Arc<Series>>,
    /// First day asked for; `index( )` is 100 at the first observation from here on.
    pub start: Date,
    /// How finer figures become coarser.
    pub how: Aggregation,
}

/// Figures with their unit. The series' description is that of the first name in the formula, at the
/// frequency and with the decimals of the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Figures.
    pub series: Series,
    /// Their unit.
    pub unit: Unit,
}

enum Value {
    Number(f64),
    Column(Column),
}

/// Evaluates a formula.
///
/// # Errors
/// A [`Fault`] for a name that is not in the scope, units that cannot be added, or a formula without a series.
pub fn evaluate(expr: &Expr, scope: &Scope<'_>) -> Result<Column, Fault> {
    match value(expr, scope)? {
        Value::Column(column) => Ok(column),
        Value::Number(_) => Err(Fault::new(
            1,
            "names no series",
            "a formula with a series, for example DGS10-DGS2",
        )),
    }
}

fn value(expr: &Expr, scope: &Scope<'_>) -> Result<Value, Fault> {
    Ok(match expr {
        Expr::Number(number) => Value::Number(*number),
        Expr::Name { name, column } => {
            let series = (scope.series)(name).ok_or_else(|| {
                Fault::new(*column, format!("{name} is not known"), "a series' name")
            })?;
            Value::Column(Column {
                unit: Unit::of(&series.info),
                series: (*series).clone(),
            })
        }
        Expr::Negate(inner) => match value(inner, scope)? {
            Value::Number(x) => Value::Number(-x),
            Value::Column(c) => Value::Column(c.each(|x| Some(-x))),
        },
        Expr::Binary {
            op,
            left,
            right,
            column,
        } => binary(
            (*op, *column),
            value(left, scope)?,
            value(right, scope)?,
            scope.how,
        )?,
        Expr::Call {
            function,
            argument,
            column,
        } => match value(argument, scope)? {
            Value::Column(inner) => Value::Column(apply(*function, inner, scope.start)),
            Value::Number(_) => {
                return Err(Fault::new(
                    *column,
                    "takes a function of a bare number",
                    "a function of a series, for example yoy(CPIAUCSL)",
                ));
            }
        },
    })
}

fn binary(
    (op, at): (Op, usize),
    left: Value,
    right: Value,
    how: Aggregation,
) -> Result<Value, Fault> {
    Ok(match (left, right) {
        (Value::Number(a), Value::Number(b)) => {
            let result = compute(op, a, b)
                .ok_or_else(|| Fault::new(at, "divides by zero", "a divisor other than zero"))?;
            Value::Number(result)
        }
        (Value::Column(a), Value::Number(b)) => {
            let unit = match op {
                Op::Add | Op::Subtract => a.unit.clone(),
                Op::Multiply => a.unit.scaled(b),
                Op::Divide => a.unit.scaled(1.0 / b),
            };
            Value::Column(Column {
                unit,
                ..a.each(|x| compute(op, x, b))
            })
        }
        (Value::Number(a), Value::Column(b)) => {
            let unit = match op {
                Op::Add | Op::Subtract => b.unit.clone(),
                Op::Multiply => b.unit.scaled(a),
                Op::Divide => Unit::new(&format!("1/{}", b.unit.short)),
            };
            Value::Column(Column {
                unit,
                ..b.each(|x| compute(op, a, x))
            })
        }
        (Value::Column(a), Value::Column(b)) => Value::Column(both((op, at), &a, &b, how)?),
    })
}

fn both((op, at): (Op, usize), a: &Column, b: &Column, how: Aggregation) -> Result<Column, Fault> {
    let unit = a
        .unit
        .combine(op, &b.unit)
        .map_err(|(problem, allowed)| Fault::new(at, problem, allowed))?;
    let to = coarsest([&a.series, &b.series]);
    let meet = |one: &Series, other: &Series| {
        convert(one, to, how, Some(other))
            .map_err(|e| Fault::new(at, e.to_string(), "series of any frequency"))
    };
    let (x, y) = (meet(&a.series, &b.series)?, meet(&b.series, &a.series)?);
    let rows = join(&[&x, &y])
        .into_iter()
        .filter_map(|(date, pair)| match pair.as_slice() {
            [x, y] => compute(op, *x, *y).map(|v| Observation::new(date, v)),
            _ => None,
        })
        .collect();
    let mut info = (*a.series.info).clone();
    info.frequency = to;
    info.decimals = decimals(op, info.decimals, b.series.info.decimals);
    info.publication_lag_days = info
        .publication_lag_days
        .max(b.series.info.publication_lag_days);
    Ok(Column {
        series: Series::new(Arc::new(info), rows),
        unit,
    })
}

fn decimals(op: Op, a: u8, b: u8) -> u8 {
    match op {
        Op::Add | Op::Subtract => a.max(b),
        Op::Multiply | Op::Divide => a.max(b).max(4),
    }
}

fn compute(op: Op, x: f64, y: f64) -> Option<f64> {
    let result = match op {
        Op::Add => x + y,
        Op::Subtract => x - y,
        Op::Multiply => x * y,
        Op::Divide => x / y,
    };
    result.is_finite().then_some(result)
}

impl Column {
    fn each(self, f: impl Fn(f64) -> Option<f64>) -> Self {
        let rows = self
            .series
            .observations
            .iter()
            .filter_map(|o| f(o.value).map(|v| Observation::new(o.date, v)))
            .collect();
        self.with(rows)
    }

    fn with(self, rows: Vec<Observation>) -> Self {
        Self {
            series: Series::new(self.series.info, rows),
            unit: self.unit,
        }
    }

    /// The column transformed by one of FRED's codes, with the unit that follows.
    pub fn transformed(self, units: Units) -> Self {
        let rows = units.apply(&self.series);
        let unit = match units {
            Units::Level => self.unit.clone(),
            Units::Change | Units::ChangeYear => self.unit.difference(),
            Units::Log => Unit::new("log"),
            Units::Percent
            | Units::PercentYear
            | Units::PercentAnnualised
            | Units::LogChange
            | Units::LogChangeAnnualised => Unit::new("%"),
        };
        let mut info = (*self.series.info).clone();
        info.decimals = match units {
            Units::Level | Units::Change | Units::ChangeYear => info.decimals,
            Units::Log => 4,
            Units::Percent
            | Units::PercentYear
            | Units::PercentAnnualised
            | Units::LogChange
            | Units::LogChangeAnnualised => 2,
        };
        Self {
            series: Series::new(Arc::new(info), rows),
            unit,
        }
    }
}

fn apply(function: Function, column: Column, start: Date) -> Column {
    match function {
        Function::Units(units) => column.transformed(units),
        Function::Absolute => column.each(|x| Some(x.abs())),
        Function::MovingAverage(n) => {
            let rows = column
                .series
                .observations
                .windows(n)
                .filter_map(|w| {
                    let sum: f64 = w.iter().map(|o| o.value).sum();
                    Some(Observation::new(w.last()?.date, sum / count(n)))
                })
                .collect();
            column.with(rows)
        }
        Function::Lag(n) => {
            let rows = lagged(&column.series, n);
            column.with(rows)
        }
        Function::Index => {
            let rows = &column.series.observations;
            let base = rows.iter().find(|o| o.date >= start).map(|o| o.value);
            let indexed = column.each(|x| {
                let ratio = 100.0 * x / base.filter(|b| *b > 0.0)?;
                ratio.is_finite().then_some(ratio)
            });
            Column {
                unit: Unit::new("index, start = 100"),
                ..indexed
            }
        }
    }
}

/// Figures moved to the date n periods later; days by position, since days without a figure do not count.
fn lagged(series: &Series, n: usize) -> Vec<Observation> {
    let rows = &series.observations;
    let n_periods = i64::try_from(n).unwrap_or(0);
    let later = |date: Date| match series.frequency() {
        Frequency::Daily => date,
        Frequency::Weekly => shift(date, (7 * n_periods).days()),
        Frequency::Monthly => shift(date, n_periods.months()),
        Frequency::Quarterly => shift(date, (3 * n_periods).months()),
        Frequency::Annual => shift(date, n_periods.years()),
    };
    match series.frequency() {
        Frequency::Daily => rows
            .iter()
            .skip(n)
            .zip(rows)
            .map(|(now, before)| Observation::new(now.date, before.value))
            .collect(),
        Frequency::Weekly | Frequency::Monthly | Frequency::Quarterly | Frequency::Annual => rows
            .iter()
            .map(|o| Observation::new(later(o.date), o.value))
            .collect(),
    }
}
