//! Small formulas over series, as people write them: `DGS10-DGS2`, `yoy(CPIAUCSL)`, `ma(ICSA, 4)/1000`.
//!
//! Text becomes a tree ([`parse`]), the tree becomes figures with a unit ([`evaluate`]). Nothing here can
//! loop, call out or grow: length, depth and the number of names are bounded. What does not fit is a
//! [`Fault`] that names the column, the problem and what would be right. Units are checked where they are
//! known: percent is not added to dollars, millions are not added to billions.

mod evaluate;
mod frequency;
mod grammar;
mod unit;

pub use evaluate::{Column, Scope, evaluate};
pub use frequency::{coarsest, convert, join};
pub use grammar::{MOST_CHARACTERS, MOST_DEPTH, MOST_NAMES, parse};
pub use unit::Unit;

use super::transform::Units;

/// What may be called.
pub const FUNCTIONS: &str =
    "yoy, mom, chg, ch1, pch, pc1, pca, cch, cca, log, ma(x, n), lag(x, n), index, abs";

/// A formula as a tree. Columns count characters from 1.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A number without a unit.
    Number(f64),
    /// A series by any of its names.
    Name {
        /// As written.
        name: String,
        /// Where it stands.
        column: usize,
    },
    /// −x.
    Negate(Box<Self>),
    /// x op y.
    Binary {
        /// Which operation.
        op: Op,
        /// Left side.
        left: Box<Self>,
        /// Right side.
        right: Box<Self>,
        /// Where the operator stands.
        column: usize,
    },
    /// f(x) or f(x, n).
    Call {
        /// Which function.
        function: Function,
        /// Its argument.
        argument: Box<Self>,
        /// Where it stands.
        column: usize,
    },
}

/// The four operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// x + y.
    Add,
    /// x − y.
    Subtract,
    /// x · y.
    Multiply,
    /// x / y; absent where y is zero.
    Divide,
}

/// What can be done to one series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// A transformation by FRED's code; `yoy` is `pc1`, `mom` is `pch`.
    Units(Units),
    /// Mean of the last n observations.
    MovingAverage(usize),
    /// The figure n periods earlier.
    Lag(usize),
    /// 100 at the first observation of the range asked for.
    Index,
    /// Absolute value.
    Absolute,
}

/// Why a formula cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Character it is about, from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub allowed: String,
}

impl Fault {
    fn new(column: usize, problem: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self {
            column,
            problem: problem.into(),
            allowed: allowed.into(),
        }
    }
}

impl Expr {
    /// Every name in it with its column, from left to right, repeats included.
    pub fn names(&self) -> Vec<(&str, usize)> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Name { name, column } => vec![(name, *column)],
            Self::Negate(inner)
            | Self::Call {
                argument: inner, ..
            } => inner.names(),
            Self::Binary { left, right, .. } => {
                let mut names = left.names();
                names.extend(right.names());
                names
            }
        }
    }
}

#[cfg(test)]
mod tests;
