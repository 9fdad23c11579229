//! The tree of a formula, and the error of an invalid one.

use crate::indicators::transform::Units;
use crate::model::CalendarPeriod;
use std::collections::HashSet;

/// The functions, for error messages.
pub(super) const FUNCTIONS: &str = "yoy, mom, chg, ch1, pch, pc1, pca, cch, cca, log, abs, ma(x, n), lag(x, n), \
    ann(x, n), cagr(x, n), index(x, \"2020-02\"), real(x, \"2020-02\"), gap(a, b), not(x); macro://formulas says what each is";

/// Price index of `real( )`: consumer prices, all items, seasonally adjusted.
pub(super) const PRICES: &str = "CPIAUCSL";

/// A formula as a tree. Columns count characters from 1.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A number without a unit.
    Number(f64),
    /// A series by any of its names.
    Name {
        /// As written.
        name: String,
        /// Its column.
        column: usize,
    },
    /// The subject of a comparison without a left side: `>= 0.5`.
    Subject {
        /// The column where a name would stand.
        column: usize,
    },
    /// x op y, −x, f(x), f(x, n) or f(x, y): the function or operator, its one or two figures (two for `gap`, `real` and
    /// operators), and its column.
    Call(Function, Vec<Self>, usize),
}

/// An operator between two figures.
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
    /// x to the power y; absent where that is no number.
    Power,
    /// 1 where x > y, else 0.
    Greater,
    /// 1 where x < y, else 0.
    Less,
    /// 1 where x ≥ y, else 0.
    AtLeast,
    /// 1 where x ≤ y, else 0.
    AtMost,
    /// 1 where x = y, else 0.
    Equal,
    /// 1 where x ≠ y, else 0.
    Unequal,
    /// 1 where neither is 0, else 0.
    And,
    /// 1 where one is not 0, else 0.
    Or,
}

impl Op {
    /// Whether it compares two figures.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Greater | Self::Less | Self::AtLeast | Self::AtMost | Self::Equal | Self::Unequal
        )
    }

    /// The operator as written.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Power => "^",
            Self::Greater => ">",
            Self::Less => "<",
            Self::AtLeast => ">=",
            Self::AtMost => "<=",
            Self::Equal => "=",
            Self::Unequal => "!=",
            Self::And => "and",
            Self::Or => "or",
        }
    }
}

/// A function of one or two figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// An operator.
    Op(Op),
    /// The opposite sign.
    Negate,
    /// 1 where the figure is 0, else 0.
    Not,
    /// A transformation by FRED's code; `yoy` is `pc1`, `mom` is `pch`.
    Units(Units),
    /// Mean of n consecutive periods; absent where one is missing.
    MovingAverage(usize),
    /// The figure n periods earlier.
    Lag(usize),
    /// Percent change over n periods, compounded to a year.
    Annualised(usize),
    /// Percent a year, compounded, over n years.
    Growth(usize),
    /// Percent a year, compounded, since a time or the first requested day; absent in its first year.
    GrowthSince(Option<CalendarPeriod>),
    /// 100 at a time, or at the first observation of the requested range.
    Index(Option<CalendarPeriod>),
    /// In consumer prices of a time.
    Real(CalendarPeriod),
    /// How many percent the first lies above the second.
    Gap,
    /// Absolute value.
    Absolute,
}

/// The error of an invalid formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaError {
    /// Character it is about, from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub allowed: String,
}

impl FormulaError {
    pub(super) fn new(
        column: usize,
        problem: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Self {
        Self {
            column,
            problem: problem.into(),
            allowed: allowed.into(),
        }
    }
}

impl Expr {
    /// Returns every name in it with its column, from left to right, repeats included, and the names that functions read.
    pub fn names(&self) -> Vec<(&str, usize)> {
        match self {
            Self::Number(_) | Self::Subject { .. } => Vec::new(),
            Self::Name { name, column } => vec![(name, *column)],
            Self::Call(_, arguments, _) => arguments.iter().flat_map(Self::names).collect(),
        }
    }

    /// Returns the name that it is, if it is nothing else.
    pub fn as_name(&self) -> Option<&str> {
        if let Self::Name { name, .. } = self {
            Some(name)
        } else {
            None
        }
    }

    /// Returns the transformation that it is, and of what.
    pub fn as_transformation(&self) -> Option<(Units, &Self)> {
        if let Self::Call(Function::Units(units), arguments, _) = self {
            Some((*units, arguments.first()?))
        } else {
            None
        }
    }

    /// Returns the comparison with a number that it is: its left side, the operator and the number.
    pub fn as_bound(&self) -> Option<(&Self, Op, f64)> {
        if let Self::Call(Function::Op(op), sides, _) = self
            && let [left, Self::Number(number)] = sides.as_slice()
            && op.is_comparison()
        {
            Some((left, *op, *number))
        } else {
            None
        }
    }

    /// Returns the bases of its gaps, the second side of each `gap( )`.
    pub fn gap_bases(&self) -> Vec<&Self> {
        let Self::Call(function, arguments, _) = self else {
            return Vec::new();
        };
        let base = arguments.get(1).filter(|_| *function == Function::Gap);
        base.into_iter()
            .chain(arguments.iter().flat_map(Self::gap_bases))
            .collect()
    }

    /// Whether it or a part of it matches.
    pub fn any(&self, matches: &dyn Fn(&Self) -> bool) -> bool {
        matches(self)
            || matches!(self, Self::Call(_, arguments, _) if arguments.iter().any(|a| a.any(matches)))
    }

    /// Whether it contains a comparison.
    pub fn has_comparison(&self) -> bool {
        self.any(&|e| matches!(e, Self::Call(function, ..) if function.is_comparison()))
    }

    /// Returns the sides of its comparisons other than bare numbers, from left to right and each once.
    pub fn sides(&self) -> Vec<&Self> {
        let Self::Call(function, arguments, _) = self else {
            return Vec::new();
        };
        let is_figure = |side: &&Self| side.has_subject() || !side.names().is_empty();
        let candidates: Vec<&Self> = if function.is_comparison() {
            arguments.iter().filter(is_figure).collect()
        } else {
            arguments.iter().flat_map(Self::sides).collect()
        };
        let mut keys = HashSet::new();
        let first = candidates
            .into_iter()
            .filter(|side| keys.insert(side.cache_key()));
        first.collect()
    }

    /// Whether it contains a comparison without a left side.
    pub fn has_subject(&self) -> bool {
        self.any(&|e| matches!(e, Self::Subject { .. }))
    }

    /// Replaces each side of a comparison that is only a name of the subject by the subject.
    pub fn with_subject(self, is_subject: &dyn Fn(&str) -> bool) -> Self {
        let Self::Call(function, arguments, column) = self else {
            return self;
        };
        let side = |side: Self| {
            if let Self::Name { name, column } = &side
                && function.is_comparison()
                && is_subject(name)
            {
                return Self::Subject { column: *column };
            }
            side.with_subject(is_subject)
        };
        Self::Call(function, arguments.into_iter().map(side).collect(), column)
    }

    /// Returns a text that is equal for equal formulas, whatever their columns.
    pub(super) fn cache_key(&self) -> String {
        match self {
            Self::Number(number) => number.to_bits().to_string(),
            // Quoted, so that no name equals another kind of key.
            Self::Name { name, .. } => format!("{name:?}"),
            Self::Subject { .. } => "subject".into(),
            Self::Call(function, arguments, _) => {
                let keys: Vec<String> = arguments.iter().map(Self::cache_key).collect();
                format!("{function:?}({})", keys.join(","))
            }
        }
    }

    /// Describes the formula in words; `title` gives the text for each name.
    pub fn describe(&self, title: &dyn Fn(&str) -> String) -> String {
        let is_operation = |e: &Self| matches!(e, Self::Call(Function::Op(_), ..));
        match self {
            Self::Number(number) => number.to_string(),
            Self::Name { name, .. } => title(name),
            Self::Subject { .. } => "the series".into(),
            Self::Call(function, arguments, _) => {
                let describe = |a: &Self| {
                    if is_operation(a) && is_operation(self) {
                        format!("({})", a.describe(title))
                    } else {
                        a.describe(title)
                    }
                };
                let mut described = arguments.iter().map(describe);
                let mut next = || described.next().unwrap_or_default();
                function.describe(&next(), &next())
            }
        }
    }
}

impl Function {
    /// Whether it compares two figures.
    pub(super) fn is_comparison(self) -> bool {
        matches!(self, Self::Op(op) if op.is_comparison())
    }

    fn describe(self, x: &str, y: &str) -> String {
        match self {
            Self::Op(op) => format!("{x} {} {y}", op.sign()),
            Self::Negate => format!("-({x})"),
            Self::Not => format!("not ({x})"),
            Self::Absolute => format!("|{x}|"),
            Self::Units(Units::Level) => x.to_owned(),
            Self::Units(units) => format!("{x}, {}", units.describe()),
            Self::MovingAverage(n) => format!("{x}, mean of {n} periods"),
            Self::Lag(n) => format!("{x}, {n} periods earlier"),
            Self::Annualised(n) => format!("{x}, % over {n} periods, annualised"),
            Self::Growth(n) => format!("{x}, % a year over {n} years"),
            Self::GrowthSince(None) => format!("{x}, % a year since the start"),
            Self::GrowthSince(Some(when)) => format!("{x}, % a year since {when}"),
            Self::Index(None) => format!("{x}, start = 100"),
            Self::Index(Some(when)) => format!("{x}, {when} = 100"),
            Self::Real(when) => format!("{x}, in consumer prices of {when} by {PRICES}"),
            Self::Gap => format!("{x}, % above {y}"),
        }
    }
}
