//! Two sides and what stands between them.

use super::column::{Column, Noise};
use super::frequency::{coarsest, convert, meet, same_stamps, side_by_side};
use super::scope::Value;
use super::tree::{Fault, Op};
use crate::indicators::resample::Aggregation;
use crate::model::{Observation, Series};
use std::sync::Arc;

pub(super) fn binary(
    (op, at): (Op, usize),
    left: Value,
    right: Value,
    how: Aggregation,
) -> Result<Value, Fault> {
    Ok(match (left, right) {
        (Value::Number(a), Value::Number(b)) => {
            let allowed = "a divisor other than zero, and a power that is a number";
            let result = compute(op, a, b)
                .ok_or_else(|| Fault::new(at, "divides by zero or has no number", allowed))?;
            Value::Number(result)
        }
        (Value::Column(a), Value::Number(b)) => {
            let unit = a.unit.before_number(op, b);
            let limits = limits(op, a.largest(), b.abs());
            let column = a.each(|x| computed(op, x, b, limits));
            Value::Column(settled(op, column).named(unit))
        }
        (Value::Number(a), Value::Column(b)) => {
            let unit = b.unit.after_number(a, op);
            let limits = limits(op, a.abs(), b.largest());
            let column = b.each(|x| computed(op, a, x, limits));
            Value::Column(settled(op, column).named(unit))
        }
        (Value::Column(a), Value::Column(b)) => Value::Column(both((op, at), &a, &b, how)?),
    })
}

/// Two columns at the lower of their frequencies, on their common dates.
pub(super) fn both(
    (op, at): (Op, usize),
    a: &Column,
    b: &Column,
    how: Aggregation,
) -> Result<Column, Fault> {
    let refused = |(problem, allowed): (String, String)| Fault::new(at, problem, allowed);
    let (unit, factor) = a.unit.combine(op, &b.unit).map_err(refused)?;
    let to = coarsest([&*a.series, &*b.series]);
    // Of one stamp, odd as it may be, they meet as they are.
    let met = a.series.frequency() == to && same_stamps(&a.series, &b.series);
    let convert = |one: &Arc<Series>, other: &Series| {
        if met {
            return Ok(Arc::clone(one));
        }
        convert(one, to, how, Some(other))
            .map_err(|e| Fault::new(at, e.to_string(), "series of any frequency"))
    };
    let x = convert(&a.series, &b.series)?;
    let y = convert(&b.series, &a.series)?;
    let limits = limits(op, a.largest(), b.largest() * factor);
    let mut rows = Vec::with_capacity(x.observations.len().min(y.observations.len()));
    if let [x, y] = side_by_side(&[&x, &y]).as_slice() {
        meet(x, y, |date, x, y| {
            let value = computed(op, x, y * factor, limits);
            rows.extend(value.map(|v| Observation::new(date, v)));
        });
    }
    let (mut info, other) = ((*a.series.info).clone(), &b.series.info);
    info.frequency = to;
    info.decimals = info.decimals.max(other.decimals);
    if matches!(op, Op::Multiply | Op::Divide | Op::Power) {
        info.decimals = info.decimals.max(4);
    }
    info.publication_lag_days = info.publication_lag_days.max(other.publication_lag_days);
    let series = Arc::new(Series::new(Arc::new(info), rows));
    Ok(settled(op, Column { series, unit }))
}

/// Of figures up to such sizes: the divisor below which there is but the noise of a zero, and the noise that is taken off
/// at once, which makes ties and zeros of sums and comparisons.
fn limits(op: Op, left: f64, right: f64) -> (f64, Option<Noise>) {
    let is_sum = matches!(op, Op::Add | Op::Subtract) || op.is_comparison();
    let noise = is_sum.then(|| Noise::beside(left.max(right)));
    (1e-12 * right, noise)
}

/// Products and quotients without the noise behind their digits, which are counted from the largest.
fn settled(op: Op, column: Column) -> Column {
    if !matches!(op, Op::Multiply | Op::Divide | Op::Power) {
        return column;
    }
    let noise = Noise::among(column.largest());
    column.each(|x| Some(noise.off(x)))
}

fn computed(op: Op, x: f64, y: f64, (least, noise): (f64, Option<Noise>)) -> Option<f64> {
    match (op, noise) {
        (Op::Divide, _) if y.abs() <= least => None,
        (op, Some(noise)) if op.is_comparison() => compute(op, noise.off(x - y), 0.0),
        (op, Some(noise)) => compute(op, x, y).map(|v| noise.off(v)),
        (op, None) => compute(op, x, y),
    }
}

/// One figure; `None` where it is no finite number.
fn compute(op: Op, x: f64, y: f64) -> Option<f64> {
    let truth = |is: bool| f64::from(u8::from(is));
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
