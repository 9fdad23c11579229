//! A formula as a tree, and what is wrong with one that cannot be used.

use crate::indicators::transform::Units;
use crate::model::When;

/// What may be called.
pub(super) const FUNCTIONS: &str = "yoy, mom, chg, ch1, pch, pc1, pca, cch, cca, log, abs, ma(x, n), lag(x, n), \
    ann(x, n), cagr(x, n), index(x, \"2020-02\"), real(x, \"2020-02\"), gap(a, b), not(x); macro://formulas says what each is";

/// Prices that `real( )` is in: consumer prices, all items, seasonally adjusted.
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
        /// Where it stands.
        column: usize,
    },
    /// What a condition is about where it names nothing: the series itself in `>= 0.5`.
    Subject {
        /// Where it would stand.
        column: usize,
    },
    /// x op y, −x, f(x), f(x, n) or f(x, y): which function or operation, its figures (one, and a second of `gap`, `real`
    /// and of operations), and where it stands; of an operation, where the operator does.
    Call(Function, Vec<Self>, usize),
}

/// What stands between two figures.
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
    /// Whether it sets two figures against each other.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Greater | Self::Less | Self::AtLeast | Self::AtMost | Self::Equal | Self::Unequal
        )
    }

    /// As it is written.
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

/// What can be done to one series, or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// What stands between two figures.
    Op(Op),
    /// The other sign.
    Negate,
    /// 1 where it is 0, else 0.
    Not,
    /// A transformation by FRED's code; `yoy` is `pc1`, `mom` is `pch`.
    Units(Units),
    /// Mean of n periods that follow each other; absent where one is missing.
    MovingAverage(usize),
    /// The figure n periods earlier.
    Lag(usize),
    /// Percent change over n periods, compounded to a year.
    Annualised(usize),
    /// Percent a year, compounded, over n years.
    Growth(usize),
    /// Percent a year, compounded, since a time or the first day asked for; absent in its first year.
    GrowthSince(Option<When>),
    /// 100 at a time, or at the first observation of the range asked for.
    Index(Option<When>),
    /// In consumer prices of a time.
    Real(When),
    /// How many percent the first lies above the second.
    Gap,
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
    /// Every name in it with its column, from left to right, repeats included; those that a function reads, too.
    pub fn names(&self) -> Vec<(&str, usize)> {
        match self {
            Self::Number(_) | Self::Subject { .. } => Vec::new(),
            Self::Name { name, column } => vec![(name, *column)],
            Self::Call(_, arguments, _) => arguments.iter().flat_map(Self::names).collect(),
        }
    }

    /// What its gaps are counted from, the second side of each `gap( )`.
    pub fn bases(&self) -> Vec<&Self> {
        let Self::Call(function, arguments, _) = self else {
            return Vec::new();
        };
        let own = arguments.get(1).filter(|_| *function == Function::Gap);
        own.into_iter()
            .chain(arguments.iter().flat_map(Self::bases))
            .collect()
    }

    /// Whether it or a part of it is wanted.
    pub fn any(&self, wanted: &dyn Fn(&Self) -> bool) -> bool {
        wanted(self)
            || matches!(self, Self::Call(_, arguments, _) if arguments.iter().any(|a| a.any(wanted)))
    }

    /// Whether it is 1 or 0 of some comparison.
    pub fn compares(&self) -> bool {
        self.any(&|e| matches!(e, Self::Call(function, ..) if function.is_comparison()))
    }

    /// What its comparisons are made of, bare numbers aside, from left to right and each once.
    pub fn sides(&self) -> Vec<&Self> {
        let Self::Call(function, arguments, _) = self else {
            return Vec::new();
        };
        let is_figure = |side: &&Self| side.has_subject() || !side.names().is_empty();
        let mut sides: Vec<&Self> = Vec::new();
        let all: Vec<&Self> = match function.is_comparison() {
            true => arguments.iter().filter(is_figure).collect(),
            false => arguments.iter().flat_map(Self::sides).collect(),
        };
        for side in all {
            if sides.iter().all(|known| known.key() != side.key()) {
                sides.push(side);
            }
        }
        sides
    }

    fn is_operation(&self) -> bool {
        matches!(self, Self::Call(Function::Op(_), ..))
    }

    /// Whether it is about a series that it does not name.
    pub fn has_subject(&self) -> bool {
        self.any(&|e| matches!(e, Self::Subject { .. }))
    }

    /// Each side of a comparison that is nothing but a name for which `is_subject` becomes the subject.
    pub fn about(self, is_subject: &dyn Fn(&str) -> bool) -> Self {
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
            side.about(is_subject)
        };
        let arguments = arguments.into_iter().map(side).collect();
        Self::Call(function, arguments, column)
    }

    /// What it is, wherever it stands.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Number(number) => number.to_bits().to_string(),
            // Quoted, so that no name can pass for something else.
            Self::Name { name, .. } => format!("{name:?}"),
            Self::Subject { .. } => "subject".into(),
            Self::Call(function, arguments, _) => {
                let keys: Vec<String> = arguments.iter().map(Self::key).collect();
                format!("{function:?}({})", keys.join(","))
            }
        }
    }

    /// In words, with what each name stands for.
    pub fn in_words(&self, title: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Name { name, .. } => title(name),
            Self::Subject { .. } => "the series".into(),
            Self::Call(function, arguments, _) => {
                let words = |a: &Self| match a.is_operation() && self.is_operation() {
                    true => format!("({})", a.in_words(title)),
                    false => a.in_words(title),
                };
                let mut arguments = arguments.iter().map(words);
                let mut next = || arguments.next().unwrap_or_default();
                function.in_words(&next(), &next())
            }
        }
    }
}

impl Function {
    /// Whether it sets two figures against each other.
    pub(super) fn is_comparison(self) -> bool {
        matches!(self, Self::Op(op) if op.is_comparison())
    }

    fn in_words(self, x: &str, y: &str) -> String {
        match self {
            Self::Op(op) => format!("{x} {} {y}", op.sign()),
            Self::Negate => format!("-({x})"),
            Self::Not => format!("not ({x})"),
            Self::Absolute => format!("|{x}|"),
            Self::Units(Units::Level) => x.to_owned(),
            Self::Units(units) => format!("{x}, {}", units.words()),
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
