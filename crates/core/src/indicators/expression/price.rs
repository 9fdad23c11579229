//! What formulas will cost, told before they are computed.
//!
//! A step is a figure that is walked over once, some two nanoseconds; what takes longer counts as several. Like
//! the evaluation, a price counts what stands twice once.

use super::tree::{Expr, Function, Op};
use crate::indicators::transform::Units;
use std::collections::HashMap;

/// Prices formulas over series of known length.
pub struct Price<'a> {
    rows: &'a dyn Fn(&str) -> usize,
    /// Figures that come out, by what is computed.
    known: HashMap<String, usize>,
    steps: usize,
}

impl<'a> Price<'a> {
    /// Nothing is priced yet; `rows` are the figures behind a name.
    pub fn new(rows: &'a dyn Fn(&str) -> usize) -> Self {
        Self {
            rows,
            known: HashMap::new(),
            steps: 0,
        }
    }

    /// Adds a formula; the most figures that it gives.
    pub fn add(&mut self, expr: &Expr) -> usize {
        let (function, arguments) = match expr {
            Expr::Number(_) => return 0,
            Expr::Name { name, .. } => return (self.rows)(name),
            // The rows of what a condition is about.
            Expr::Subject { .. } => return (self.rows)(""),
            Expr::Call(function, arguments, _) => (*function, arguments),
        };
        let key = expr.key();
        if let Some(rows) = self.known.get(&key) {
            return *rows;
        }
        let of: Vec<usize> = arguments.iter().map(|a| self.add(a)).collect();
        // A bare number has no rows.
        let series = of.iter().copied().filter(|rows| *rows > 0);
        let rows = match matches!(function, Function::Op(_)) {
            true => series.min(),
            false => series.max(),
        };
        let rows = rows.unwrap_or(0);
        let steps = of.iter().sum::<usize>() * weight(function);
        self.known.insert(key, rows);
        self.steps = self.steps.saturating_add(steps);
        rows
    }

    /// Steps of all formulas so far.
    pub fn steps(&self) -> usize {
        self.steps
    }
}

/// Steps for each figure.
fn weight(function: Function) -> usize {
    match function {
        Function::Op(Op::And | Op::Or) => 2,
        Function::Op(Op::Add | Op::Subtract | Op::Multiply | Op::Divide) => 4,
        Function::Op(Op::Power) => 20,
        // Comparisons: set to the frequency of all of them first.
        Function::Op(_) => 6,
        Function::Units(units) => steps(units),
        Function::MovingAverage(_) | Function::Lag(_) => 8,
        Function::Annualised(_) => 24,
        Function::GrowthSince(_) => 20,
        Function::Growth(_) => 80,
        Function::Real(_) | Function::Gap => 12,
        Function::Negate | Function::Not | Function::Absolute => 2,
        Function::Index(_) => 4,
    }
}

/// Steps of a transformation for each figure: looking back takes some, logarithms more.
pub fn steps(units: Units) -> usize {
    match units {
        Units::Level => 0,
        Units::Change | Units::Percent | Units::ChangeYear | Units::PercentYear => 8,
        Units::Log => 8,
        Units::LogChange | Units::LogChangeAnnualised => 14,
        Units::PercentAnnualised => 20,
    }
}
