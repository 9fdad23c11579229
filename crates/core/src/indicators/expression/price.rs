//! Cost of formulas, estimated before they are computed.
//!
//! A step is one pass over a figure, some two nanoseconds; what takes longer counts as several. As in the
//! evaluation, equal parts count once.

use super::tree::{Expr, Function, Op};
use crate::indicators::transform::Units;
use std::collections::HashMap;

/// Cost of formulas over series of known length.
pub struct CostEstimate<'a> {
    rows: &'a dyn Fn(&str) -> usize,
    /// Number of resulting figures by [`Expr::cache_key`].
    lengths: HashMap<String, usize>,
    steps: usize,
}

impl<'a> CostEstimate<'a> {
    /// Starts at zero; `rows` returns the number of figures behind a name.
    pub fn new(rows: &'a dyn Fn(&str) -> usize) -> Self {
        Self {
            rows,
            lengths: HashMap::new(),
            steps: 0,
        }
    }

    /// Adds a formula and returns the largest number of figures that it can have.
    pub fn add(&mut self, expr: &Expr) -> usize {
        let (function, arguments) = match expr {
            Expr::Number(_) => return 0,
            Expr::Name { name, .. } => return (self.rows)(name),
            // The empty name stands for the subject of the scope.
            Expr::Subject { .. } => return (self.rows)(""),
            Expr::Call(function, arguments, _) => (*function, arguments),
        };
        let key = expr.cache_key();
        if let Some(length) = self.lengths.get(&key) {
            return *length;
        }
        let lengths: Vec<usize> = arguments.iter().map(|a| self.add(a)).collect();
        // A bare number has no rows.
        let series = lengths.iter().copied().filter(|length| *length > 0);
        let combined = if matches!(function, Function::Op(_)) {
            series.min()
        } else {
            series.max()
        };
        let length = combined.unwrap_or(0);
        let steps = lengths.iter().sum::<usize>() * weight(function);
        self.lengths.insert(key, length);
        self.steps = self.steps.saturating_add(steps);
        length
    }

    /// Returns the steps of all formulas so far.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

/// Steps per figure.
fn weight(function: Function) -> usize {
    match function {
        Function::Op(Op::And | Op::Or) | Function::Negate | Function::Not | Function::Absolute => 2,
        Function::Op(Op::Add | Op::Subtract | Op::Multiply | Op::Divide) | Function::Index(_) => 4,
        Function::Op(Op::Power) | Function::GrowthSince(_) => 20,
        // Comparisons are first converted to their common frequency.
        Function::Op(_) => 6,
        Function::Units(units) => steps(units),
        Function::MovingAverage(_) | Function::Lag(_) => 8,
        Function::Annualised(_) => 24,
        Function::Growth(_) => 80,
        Function::Real(_) | Function::Gap => 12,
    }
}

/// Returns the steps of a transformation per figure: looking back takes some, logarithms more.
pub fn steps(units: Units) -> usize {
    match units {
        Units::Level => 0,
        Units::Change | Units::Percent | Units::ChangeYear | Units::PercentYear | Units::Log => 8,
        Units::LogChange | Units::LogChangeAnnualised => 14,
        Units::PercentAnnualised => 20,
    }
}
