//! Small formulas over series, as people write them: `DGS10-DGS2`, `ma(ICSA, 4)/1000`, `FEDFUNDS > yoy(CPILFESL)`.
//!
//! Text becomes a tree ([`parse`]), the tree becomes figures with a unit ([`evaluate`]). Nothing here can
//! loop, call out or grow: length, depth and the number of names are bounded. What does not fit is a
//! [`Fault`] that names the column, the problem and what would be right. Units are checked where they are
//! known: percent is not added to dollars, and millions and billions meet as one of them (docs/FORMULAS.md).

mod column;
mod evaluate;
mod frequency;
mod functions;
mod grammar;
mod operate;
mod parser;
mod price;
mod scope;
mod tree;
mod unit;

pub use column::Column;
pub use evaluate::{Evaluation, evaluate};
pub(crate) use frequency::meet;
pub use frequency::{Grid, coarsest, convert, side_by_side};
pub use grammar::{MAX_CHARACTERS, parse};
pub use price::{Price, steps};
pub use scope::Scope;
pub use tree::{Expr, Fault, Function, Op};
pub use unit::Unit;

#[cfg(test)]
mod tests;
