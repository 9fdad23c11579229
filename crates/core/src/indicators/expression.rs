//! Small formulas over series: `DGS10-DGS2`, `ma(ICSA, 4)/1000`, `FEDFUNDS > yoy(CPILFESL)` (docs/FORMULAS.md).
//!
//! [`parse`] turns text into a tree, [`evaluate`] turns the tree into figures with a unit. Length, depth and the number
//! of names are bounded, and there are no loops. An invalid formula gives a [`FormulaError`] with the column, the problem and
//! what is allowed. Units are checked where they are known: percent is not added to dollars, and millions and billions
//! are converted.
//!
//! Functions work at the frequency of their arguments; the two sides of an operation are converted to the lower
//! frequency, and all comparisons of a formula to the lowest of its series, because 1 and 0 have no mean. Dates that
//! cannot be computed are absent. Equal parts are computed once, and every function passes once over its figures, so
//! that the work is known in advance ([`CostEstimate`]).

mod column;
mod frequency;
mod functions;
mod operate;
mod parser;
mod price;
mod tree;
mod unit;

pub use column::Column;
pub(crate) use frequency::for_each_common_date;
pub use frequency::{AlignedSeries, coarsest, convert, side_by_side};
pub use parser::{MAX_CHARACTERS, parse};
pub use price::{CostEstimate, steps};
pub use tree::{Expr, FormulaError, Function, Op};
pub use unit::{UNSTATED, Unit};

use crate::indicators::resample::Aggregation;
use crate::model::{Date, Frequency, Series};
use functions::apply_function;
use operate::apply_operator;
use std::collections::HashMap;
use std::sync::Arc;

/// The context in which a formula is evaluated.
pub struct Scope<'a> {
    /// Looks up the series of a name.
    pub series: &'a dyn Fn(&str) -> Option<Arc<Series>>,
    /// The left side of comparisons that omit it.
    pub subject: Option<Column>,
    /// First requested day; `index( )` is 100 at the first observation from this day on.
    pub start: Date,
    /// How figures are aggregated to a lower frequency.
    pub aggregation: Aggregation,
    /// Frequency of comparisons, where it is lower than that of their series.
    pub frequency: Option<Frequency>,
}

/// The value of a part of a formula.
#[derive(Clone)]
enum Value {
    Number(f64),
    Column(Column),
}

/// Evaluates formulas in one scope.
pub struct Evaluation<'a> {
    scope: Scope<'a>,
    /// Frequency of the comparisons of this formula.
    comparison_frequency: Frequency,
    /// The first weekly series of the formula, whose weeks the comparisons use.
    weekly: Option<Arc<Series>>,
    /// Results of functions and operations by [`Expr::cache_key`].
    results: HashMap<String, Value>,
}

/// Evaluates a formula.
///
/// # Errors
/// A [`FormulaError`] for a name that is not in the scope, units that cannot be added, or a formula without a series.
pub fn evaluate(expr: &Expr, scope: Scope<'_>) -> Result<Column, FormulaError> {
    Evaluation::new(scope).column(expr)
}

impl<'a> Evaluation<'a> {
    /// Creates an evaluation without results.
    pub fn new(scope: Scope<'a>) -> Self {
        Self {
            scope,
            comparison_frequency: Frequency::Daily,
            weekly: None,
            results: HashMap::new(),
        }
    }

    /// Evaluates a formula.
    ///
    /// # Errors
    /// As [`evaluate`].
    pub fn column(&mut self, expr: &Expr) -> Result<Column, FormulaError> {
        if expr.has_comparison() {
            let names = expr.names().into_iter();
            let named = names.filter_map(|(name, _)| (self.scope.series)(name));
            let subject = self.scope.subject.iter().filter(|_| expr.has_subject());
            let subject_series = subject.map(|column| Arc::clone(&column.series));
            let series: Vec<Arc<Series>> = named.chain(subject_series).collect();
            let mut weekly = series.iter().filter(|s| s.frequency() == Frequency::Weekly);
            self.weekly = weekly.next().cloned();
            let lowest = coarsest(series.iter().map(|s| &**s));
            // Frequencies ascend from the highest.
            let frequency = self.scope.frequency.map_or(lowest, |f| f.max(lowest));
            if frequency != self.comparison_frequency {
                self.results.clear();
            }
            self.comparison_frequency = frequency;
        }
        let allowed = "a formula with a series, for example DGS10-DGS2";
        match self.value(expr)? {
            Value::Column(column) => Ok(column),
            Value::Number(_) => Err(FormulaError::new(1, "names no series", allowed)),
        }
    }

    /// Evaluates one side of the comparisons of the formula that was evaluated last, at their frequency.
    ///
    /// # Errors
    /// As [`evaluate`].
    pub fn side(&mut self, expr: &Expr) -> Result<Column, FormulaError> {
        let value = self.value(expr)?;
        match self.convert_side(value, 1)? {
            Value::Column(column) => Ok(column),
            Value::Number(_) => Err(FormulaError::new(1, "names no series", "a series")),
        }
    }

    fn value(&mut self, expr: &Expr) -> Result<Value, FormulaError> {
        let (function, arguments, position) = match expr {
            Expr::Number(number) => return Ok(Value::Number(*number)),
            Expr::Name { name, column } => {
                let series = (self.scope.series)(name).ok_or_else(|| {
                    FormulaError::new(*column, format!("{name} is not known"), "a series' name")
                })?;
                return Ok(Value::Column(Column::new(series)));
            }
            Expr::Subject { column } => {
                let subject = self.scope.subject.clone().map(Value::Column);
                let allowed = "a series before the comparison, for example DGS10 > 4";
                return subject
                    .ok_or_else(|| FormulaError::new(*column, "names no series", allowed));
            }
            Expr::Call(function, arguments, column) => (*function, arguments, *column),
        };
        let key = expr.cache_key();
        if let Some(value) = self.results.get(&key) {
            return Ok(value.clone());
        }
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = self.value(argument)?;
            values.push(if function.is_comparison() {
                self.convert_side(value, position)?
            } else {
                value
            });
        }
        let value = call(function, position, values, &self.scope)?;
        self.results.insert(key, value.clone());
        Ok(value)
    }

    /// Converts a side of a comparison to the frequency of all comparisons; weeks end as those of the weekly series do.
    fn convert_side(&self, mut value: Value, position: usize) -> Result<Value, FormulaError> {
        let frequency = self.comparison_frequency;
        if let Value::Column(Column { series, .. }) = &mut value
            && series.frequency() < frequency
        {
            let how = self.scope.aggregation;
            *series = convert(series, frequency, how, self.weekly.as_deref()).map_err(|e| {
                FormulaError::new(position, e.to_string(), "series of any frequency")
            })?;
        }
        Ok(value)
    }
}

fn call(
    function: Function,
    position: usize,
    arguments: Vec<Value>,
    scope: &Scope<'_>,
) -> Result<Value, FormulaError> {
    let mut values = arguments.into_iter();
    match (function, values.next(), values.next()) {
        (Function::Op(op), Some(left), Some(right)) => {
            apply_operator(op, position, left, right, scope.aggregation)
        }
        (_, Some(Value::Column(first)), second) => {
            let second = match second {
                Some(Value::Column(column)) => Some(column),
                Some(Value::Number(_)) | None => None,
            };
            apply_function(function, position, first, second, scope).map(Value::Column)
        }
        (Function::Negate, Some(Value::Number(x)), _) => Ok(Value::Number(-x)),
        (Function::Not, Some(Value::Number(x)), _) => {
            Ok(Value::Number(f64::from(u8::from(x == 0.0))))
        }
        (_, _, _) => {
            let allowed = "a function of a series, for example yoy(CPIAUCSL)";
            Err(FormulaError::new(
                position,
                "applies a function to a number",
                allowed,
            ))
        }
    }
}

#[cfg(test)]
mod tests;
