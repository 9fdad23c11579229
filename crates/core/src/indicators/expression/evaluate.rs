//! From tree to figures.
//!
//! Functions work at the frequency of what stands inside them; two sides of different frequency meet at
//! the lower one, and all comparisons of a formula at the lowest of its series: 1 and 0 have no mean. Dates that
//! cannot be computed are absent. What stands twice is computed once, and every function walks once through its
//! figures, so that the work is known before it is done ([`super::price`]).

use super::column::Column;
use super::frequency::convert;
use super::functions::apply;
use super::operate::binary;
use super::scope::{Scope, Value};
use super::tree::{Expr, Fault, Function};
use crate::model::{Frequency, Series};
use std::collections::HashMap;
use std::sync::Arc;

/// Evaluates formulas in one scope.
pub struct Evaluation<'a> {
    scope: Scope<'a>,
    /// At which the comparisons of this formula are made.
    compared: Frequency,
    /// The first weekly series of the formula.
    weeks: Option<Arc<Series>>,
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
            weeks: None,
            done: HashMap::new(),
        }
    }

    /// The figures of a formula.
    ///
    /// # Errors
    /// As [`evaluate`].
    pub fn column(&mut self, expr: &Expr) -> Result<Column, Fault> {
        if expr.compares() {
            let names = expr.names().into_iter();
            let series = names.filter_map(|(name, _)| (self.scope.series)(name));
            let subject = self.scope.subject.iter().filter(|_| expr.has_subject());
            let subject = subject.map(|column| Arc::clone(&column.series));
            let own: Vec<Arc<Series>> = series.chain(subject).collect();
            self.weeks = own
                .iter()
                .find(|s| s.frequency() == Frequency::Weekly)
                .cloned();
            let own = own.iter().map(|series| series.frequency());
            // Frequencies ascend from the finest.
            let compared = own.chain(self.scope.frequency).max();
            let compared = compared.unwrap_or(Frequency::Daily);
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

    /// One side of the comparisons of the formula that was evaluated last, at the frequency at which it was compared.
    ///
    /// # Errors
    /// As [`evaluate`].
    pub fn side(&mut self, expr: &Expr) -> Result<Column, Fault> {
        let value = self.value(expr)?;
        match self.to_compare(value, 1)? {
            Value::Column(column) => Ok(column),
            Value::Number(_) => Err(Fault::new(1, "names no series", "a series")),
        }
    }

    fn value(&mut self, expr: &Expr) -> Result<Value, Fault> {
        let (function, arguments, at) = match expr {
            Expr::Number(number) => return Ok(Value::Number(*number)),
            Expr::Name { name, column } => return self.named(name, *column),
            Expr::Subject { column } => {
                let about = self.scope.subject.clone().map(Value::Column);
                let allowed = "a series before the comparison, for example DGS10 > 4";
                return about.ok_or_else(|| Fault::new(*column, "names no series", allowed));
            }
            Expr::Call(function, arguments, column) => (*function, arguments, *column),
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

    fn named(&self, name: &str, column: usize) -> Result<Value, Fault> {
        let series = (self.scope.series)(name);
        let value = series.map(|series| Value::Column(Column::of(series)));
        value.ok_or_else(|| Fault::new(column, format!("{name} is not known"), "a series' name"))
    }

    /// A side of a comparison at the frequency of all comparisons; its weeks end as those of a weekly series in it do.
    fn to_compare(&self, mut value: Value, at: usize) -> Result<Value, Fault> {
        if let Value::Column(Column { series, .. }) = &mut value
            && series.frequency() < self.compared
        {
            *series = convert(series, self.compared, self.scope.how, self.weeks.as_deref())
                .map_err(|e| Fault::new(at, e.to_string(), "series of any frequency"))?;
        }
        Ok(value)
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
        (Function::Not, Some(Value::Number(x)), _) => {
            Ok(Value::Number(f64::from(u8::from(x == 0.0))))
        }
        (_, _, _) => Err(Fault::new(
            at,
            "takes a function of a bare number",
            "a function of a series, for example yoy(CPIAUCSL)",
        )),
    }
}
