//! Operators between numbers and columns.

use super::Value;
use super::column::{Column, Noise};
use super::frequency::{coarsest, convert, for_each_common_date, has_same_stamps, side_by_side};
use super::tree::{FormulaError, Op};
use crate::indicators::resample::Aggregation;
use crate::model::{Observation, Series};
use std::sync::Arc;

pub(super) fn apply_operator(
    op: Op,
    position: usize,
    left: Value,
    right: Value,
    how: Aggregation,
) -> Result<Value, FormulaError> {
    Ok(match (left, right) {
        (Value::Number(a), Value::Number(b)) => {
            let allowed = "a divisor other than zero, and a power that is a number";
            let result = compute(op, a, b);
            Value::Number(result.ok_or_else(|| {
                FormulaError::new(position, "divides by zero or is not finite", allowed)
            })?)
        }
        (Value::Column(a), Value::Number(b)) => {
            let unit = a.unit.op_number(op, b);
            let operator = PreciseOperator::new(op, a.largest(), b.abs());
            let column = a.map(|x| operator.compute(x, b));
            Value::Column(operator.remove_noise(column).with_unit(unit))
        }
        (Value::Number(a), Value::Column(b)) => {
            let unit = b.unit.number_op(a, op);
            let operator = PreciseOperator::new(op, a.abs(), b.largest());
            let column = b.map(|x| operator.compute(a, x));
            Value::Column(operator.remove_noise(column).with_unit(unit))
        }
        (Value::Column(a), Value::Column(b)) => {
            Value::Column(combine_columns(op, position, &a, &b, how)?)
        }
    })
}

/// Combines two columns at the lower of their frequencies, on their common dates.
pub(super) fn combine_columns(
    op: Op,
    position: usize,
    a: &Column,
    b: &Column,
    how: Aggregation,
) -> Result<Column, FormulaError> {
    let (unit, factor) = a.unit.combine(op, &b.unit, position)?;
    let frequency = coarsest([&*a.series, &*b.series]);
    // Equal stamps, even unusual ones, need no conversion.
    let is_aligned = has_same_stamps(&a.series, &b.series);
    let convert = |one: &Arc<Series>, other: &Series| {
        if is_aligned {
            Ok(Arc::clone(one))
        } else {
            convert(one, frequency, how, Some(other))
                .map_err(|e| FormulaError::new(position, e.to_string(), "series of any frequency"))
        }
    };
    let left = convert(&a.series, &b.series)?;
    let right = convert(&b.series, &a.series)?;
    let mut operator = PreciseOperator::new(op, a.largest(), b.largest() * factor);
    if b.series.frequency() != frequency {
        // What is left of a sum of changes that cancel is the noise of each, whose ninth decimal is rounded.
        operator.min_divisor *= 1e4;
    }
    let mut rows = Vec::with_capacity(left.observations.len().min(right.observations.len()));
    if let [left, right] = side_by_side(&[&left, &right]).as_slice() {
        for_each_common_date(left, right, |date, x, y| {
            let value = operator.compute(x, y * factor);
            rows.extend(value.map(|v| Observation::new(date, v)));
        });
    }
    let mut info = (*a.series.info).clone();
    let other = &b.series.info;
    info.frequency = frequency;
    info.decimals = info.decimals.max(other.decimals);
    if operator.is_product {
        info.decimals = info.decimals.max(4);
    }
    info.publication_lag_days = info.publication_lag_days.max(other.publication_lag_days);
    let series = Arc::new(Series::new(Arc::new(info), rows));
    Ok(operator.remove_noise(Column { series, unit }))
}

/// An operator with the rounding noise of its arguments' sizes.
struct PreciseOperator {
    op: Op,
    is_product: bool,
    /// A smaller divisor is the noise of a zero.
    min_divisor: f64,
    /// Noise that is removed from each sum and comparison, so that ties and zeros are exact.
    noise: Option<Noise>,
}

impl PreciseOperator {
    fn new(op: Op, largest_left: f64, largest_right: f64) -> Self {
        let is_sum = matches!(op, Op::Add | Op::Subtract) || op.is_comparison();
        Self {
            op,
            is_product: matches!(op, Op::Multiply | Op::Divide | Op::Power),
            min_divisor: 1e-12 * largest_right,
            noise: is_sum.then(|| Noise::of_sums(largest_left.max(largest_right))),
        }
    }

    fn compute(&self, x: f64, y: f64) -> Option<f64> {
        match (self.op, self.noise) {
            (Op::Divide, _) if y.abs() <= self.min_divisor => None,
            (op, Some(noise)) if op.is_comparison() => compute(op, noise.remove(x - y), 0.0),
            (op, Some(noise)) => compute(op, x, y).map(|v| noise.remove(v)),
            (op, None) => compute(op, x, y),
        }
    }

    /// Removes the noise of products and quotients, whose digits count from the largest.
    fn remove_noise(&self, column: Column) -> Column {
        if !self.is_product {
            return column;
        }
        let noise = Noise::of_products(column.largest());
        column.map(|x| Some(noise.remove(x)))
    }
}

/// Computes one figure; `None` where the result is not finite.
fn compute(op: Op, x: f64, y: f64) -> Option<f64> {
    let truth = |is_true: bool| f64::from(u8::from(is_true));
    let result = match op {
        Op::Add => x + y,
        Op::Subtract => x - y,
        Op::Multiply => x * y,
        Op::Divide => x / y,
        Op::Power => x.powf(y),
        Op::Greater => truth(x > y),
        Op::Less => truth(x < y),
        Op::AtLeast => truth(x >= y),
        Op::AtMost => truth(x <= y),
        Op::Equal => truth(x == y),
        Op::Unequal => truth(x != y),
        Op::And => truth(x != 0.0 && y != 0.0),
        Op::Or => truth(x != 0.0 || y != 0.0),
    };
    result.is_finite().then_some(result)
}
