//! From tree to figures.
//!
//! Functions work at the frequency of what stands inside them; two sides of different frequency meet at
//! the lower one, and all comparisons of a formula at the lowest of its series: 1 and 0 have no mean. Dates that
//! cannot be computed are absent. What stands twice is computed once, and every function walks once through its
//! figures, so that the work is known before it is done ([`super::price`]).

use super::column::Column;
use super::frequency::{coarsest, convert};
use super::functions::apply;
use super::operate::{binary, compute};
use super::scope::{Scope, Value};
use super::tree::{Expr, Fault, Function, Op};
use crate::model::{Frequency, Series};
use std::collections::HashMap;
use std::sync::Arc;

/// Evaluates formulas in one scope.
pub struct Evaluation<'a> {
    scope: Scope<'a>,
    /// At which the comparisons of this formula are made.
    compared: Frequency,
    /// What functions and operations have given, by what they are.
    done: HashMap<String, Value>,
}

/// Evaluates a formula.
///
/// # Errors
/// A [`Fault`] for a name that is not in the scope, units that cannot be added, or a formula without a series.
pub fn evaluate(expr: &Expr, scope: Scope<'_>) -> Result<Column, Fault> {
    Evaluation::new(scope).column(expr)
}

impl<'a> Evaluation<'a> {
    /// Nothing is computed yet.
    pub fn new(scope: Scope<'a>) -> Self {
        Self {
            scope,
            compared: Frequency::Daily,
            done: HashMap::new(),
        }
    }

    /// The figures of a formula.
    ///
    /// # Errors
    /// As [`evaluate`].
    pub fn column(&mut self, expr: &Expr) -> Result<Column, Fault> {
        if expr.compares() {
            let names = expr.names();
            let series = names
                .iter()
                .filter_map(|(name, _)| (self.scope.series)(name));
            let subject = self.scope.subject.iter().filter(|_| expr.has_subject());
            let subject = subject.map(|column| Arc::clone(&column.series));
            let series: Vec<Arc<Series>> = series.chain(subject).collect();
            let lowest = coarsest(series.iter().map(|s| &**s));
            let compared = self
                .scope
                .frequency
                .map_or(lowest, |asked| asked.max(lowest));
            if compared != self.compared {
                self.done.clear();
            }
            self.compared = compared;
        }
        match self.value(expr)? {
            Value::Column(column) => Ok(column),
            Value::Number(_) => Err(Fault::new(
                1,
                "names no series",
                "a formula with a series, for example DGS10-DGS2",
            )),
        }
    }

    fn value(&mut self, expr: &Expr) -> Result<Value, Fault> {
        let (function, arguments, at) = match expr {
            Expr::Number(number) => return Ok(Value::Number(*number)),
            Expr::Name { name, column } => return self.named(name, *column).map(Value::Column),
            Expr::Subject { column } => {
                let about = self.scope.subject.clone().map(Value::Column);
                let allowed = "a series before the comparison, for example DGS10 > 4";
                return about.ok_or_else(|| Fault::new(*column, "names no series", allowed));
            }
            Expr::Call {
                function,
                arguments,
                column,
            } => (*function, arguments, *column),
        };
        let key = expr.key();
        if let Some(done) = self.done.get(&key) {
            return Ok(done.clone());
        }
        let values = arguments.iter().map(|a| self.value(a));
        let mut values = values.collect::<Result<Vec<_>, _>>()?;
        if function.is_comparison() {
            let sides = values.into_iter().map(|side| self.to_compare(side, at));
            values = sides.collect::<Result<_, _>>()?;
        }
        let value = called((function, at), values, &self.scope)?;
        self.done.insert(key, value.clone());
        Ok(value)
    }

    fn named(&self, name: &str, column: usize) -> Result<Column, Fault> {
        let series = (self.scope.series)(name);
        series
            .map(Column::of)
            .ok_or_else(|| Fault::new(column, format!("{name} is not known"), "a series' name"))
    }

    /// A side of a comparison at the frequency of all comparisons.
    fn to_compare(&self, value: Value, at: usize) -> Result<Value, Fault> {
        let Value::Column(column) = value else {
            return Ok(value);
        };
        let own = column.series.frequency();
        let to = self.compared.max(own);
        if to == own {
            return Ok(Value::Column(column));
        }
        let series = convert(&column.series, to, self.scope.how, None)
            .map_err(|e| Fault::new(at, e.to_string(), "series of any frequency"))?;
        Ok(Value::Column(Column {
            series,
            unit: column.unit,
        }))
    }
}

fn called(
    (function, at): (Function, usize),
    values: Vec<Value>,
    scope: &Scope<'_>,
) -> Result<Value, Fault> {
    let mut values = values.into_iter();
    match (function, values.next(), values.next()) {
        (Function::Op(op), Some(left), Some(right)) => binary((op, at), left, right, scope.how),
        (Function::Negate, Some(Value::Number(x)), _) => Ok(Value::Number(-x)),
        (_, Some(Value::Column(first)), second) => {
            let second = match second {
                Some(Value::Column(column)) => Some(column),
                Some(Value::Number(_)) | None => None,
            };
            apply((function, at), first, second, scope).map(Value::Column)
        }
        (Function::Not, Some(Value::Number(x)), _) => Ok(Value::Number(
            compute(Op::Equal, x, 0.0).unwrap_or_default(),
        )),
        (_, _, _) => Err(Fault::new(
            at,
            "takes a function of a bare number",
            "a function of a series, for example yoy(CPIAUCSL)",
        )),
    }
}
