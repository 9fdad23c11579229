//! Units of formulas: which may be added, and the names of products and quotients.

use super::tree::{FormulaError, Op};
use crate::model::SeriesInfo;

/// A unit as displayed, and the kind that decides what it may be added to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The unit as displayed: "%".
    pub short: String,
    /// Two units of one kind may be added; empty where it is not known.
    kind: String,
}

/// The unit of a series whose source states none, in words.
pub const UNSTATED: &str = "unit not stated";

/// The unit of comparisons.
const BOOLEAN: &str = "1 = true, 0 = false";

/// Units in steps of a thousand, along which multiplying or dividing by 1000 moves.
const LADDERS: [&[&str]; 2] = [&["$", "$k", "$mn", "$bn", "$tn"], &["thous", "mn", "bn"]];

impl Unit {
    /// Builds a unit that is its own kind.
    pub fn new(short: &str) -> Self {
        let is_percent =
            short.starts_with('%') || matches!(short, "pp" | "Percent" | "percentage points");
        Self {
            short: short.to_owned(),
            kind: if is_percent { "%" } else { short }.to_owned(),
        }
    }

    /// Returns a series' unit. Indices are of one kind when they have the same base period.
    pub fn from_series(info: &SeriesInfo) -> Self {
        let mut unit = Self::new(&info.units_short);
        if info.units_short == "index" {
            unit.kind.clone_from(&info.units);
        } else if info.units == UNSTATED {
            // Not the unit of any other series.
            unit.kind = format!("{UNSTATED}: {}", info.id);
        }
        unit
    }

    /// Builds a unit with the kind of another.
    fn with_kind_of(short: &str, other: &Self) -> Self {
        Self {
            short: short.to_owned(),
            kind: other.kind.clone(),
        }
    }

    /// Returns the unit of what is 1 or 0.
    pub(super) fn boolean() -> Self {
        Self::new(BOOLEAN)
    }

    /// Whether it is the unit of what is 1 or 0.
    pub fn is_boolean(&self) -> bool {
        self.short == BOOLEAN
    }

    /// Whether it is percent or percentage points.
    pub fn is_percent(&self) -> bool {
        self.kind == "%"
    }

    /// Returns the unit of a difference between two figures of this unit: percentage points for percent.
    pub fn difference(&self) -> Self {
        if self.is_percent() {
            Self::with_kind_of("pp", self)
        } else {
            self.clone()
        }
    }

    /// Returns the unit of `self op other`, and the factor that first converts `other` to the size of `self`: $mn over $bn
    /// is a ratio, $bn less $mn is $bn.
    ///
    /// # Errors
    /// A [`FormulaError`] when the two cannot be added or compared.
    pub(super) fn combine(
        &self,
        op: Op,
        other: &Self,
        position: usize,
    ) -> Result<(Self, f64), FormulaError> {
        let is_known = !self.kind.is_empty() && !other.kind.is_empty();
        let factor = if is_known {
            self.conversion_factor(other)
        } else {
            Some(1.0)
        };
        Ok(match (op, factor) {
            (Op::And | Op::Or, _) => (Self::boolean(), 1.0),
            (Op::Multiply, _) => (self.times(other), 1.0),
            (Op::Power, _) => (Self::new(""), 1.0),
            (Op::Divide, Some(factor)) if is_known => (Self::new("ratio"), factor),
            (Op::Divide, _) => (self.per(other), 1.0),
            (_, None) => return Err(self.mismatch(op, other, position)),
            (op, Some(factor)) if op.is_comparison() => (Self::boolean(), factor),
            (_, Some(factor)) if self.kind.is_empty() => (other.clone(), factor),
            (_, Some(factor)) if other.kind.is_empty() => (self.clone(), factor),
            (Op::Subtract, Some(factor)) => (self.difference(), factor),
            (_, Some(factor)) if self.short == "pp" => (other.clone(), factor),
            (_, Some(factor)) => (self.clone(), factor),
        })
    }

    /// Returns the factor that converts figures in `other` to this unit; `None` where there is none.
    fn conversion_factor(&self, other: &Self) -> Option<f64> {
        match (self.kind.as_str(), other.kind.as_str()) {
            (a, b) if a == b => return Some(1.0),
            ("%", "bp") => return Some(0.01),
            ("bp", "%") => return Some(100.0),
            _ => {}
        }
        let ((ladder, step), (other_ladder, other_step)) = (self.step()?, other.step()?);
        let is_same = ladder == other_ladder && split(&self.short).1 == split(&other.short).1;
        is_same.then(|| 1000f64.powi(other_step - step))
    }

    /// Returns the unit in consumer prices of a time.
    ///
    /// # Errors
    /// A [`FormulaError`] for a unit without prices.
    pub(super) fn in_prices_of(
        &self,
        when: &dyn std::fmt::Display,
        position: usize,
    ) -> Result<Self, FormulaError> {
        let (base, tail) = split(&self.short);
        let is_money = base.starts_with('$') || base == "index" || self.kind.is_empty();
        if is_money && !tail.contains("real") && !tail.contains(|c: char| c.is_ascii_digit()) {
            return Ok(Self::new(&format!("{} {when} prices", self.short)));
        }
        let problem = format!("applies real( ) to figures in {}", self.name());
        let allowed =
            "money at the prices of its day, for example real(CES0500000003, \"2026-07\")";
        Err(FormulaError::new(position, problem, allowed))
    }

    fn mismatch(&self, op: Op, other: &Self, position: usize) -> FormulaError {
        let verbs = [(Op::Add, "adds"), (Op::Subtract, "subtracts")];
        let own = verbs.iter().find(|(sum, _)| *sum == op);
        let verb = own.map_or("compares", |(_, verb)| verb);
        let problem = format!("{verb} figures in {} and {}", self.name(), other.name());
        let allowed = if self.short == "index" && other.short == "index" {
            "indices of one base: wrap both in index( ), which makes each 100 at the start"
        } else {
            "figures of one unit; multiply, divide, or take yoy( ) or index( ) of both"
        };
        FormulaError::new(position, problem, allowed)
    }

    /// The unit for an error message; of an index with its base.
    fn name(&self) -> &str {
        match self.short.as_str() {
            "index" => &self.kind,
            short => short,
        }
    }

    fn times(&self, other: &Self) -> Self {
        match (self.short.as_str(), other.short.as_str()) {
            ("ratio" | "", _) => other.clone(),
            (_, "ratio" | "") => self.clone(),
            (a, b) => Self::new(&format!("{a}·{b}")),
        }
    }

    fn per(&self, other: &Self) -> Self {
        match other.short.as_str() {
            "ratio" | "" => self.clone(),
            unit => Self::new(&format!("{}/{unit}", self.short)),
        }
    }

    /// Returns the unit of `self op number`.
    pub(super) fn op_number(&self, op: Op, number: f64) -> Self {
        match (op, self.short.as_str()) {
            (Op::Add | Op::Subtract, _) => self.clone(),
            (Op::Multiply, _) => self.scale(number),
            (Op::Divide, _) => self.scale(1.0 / number),
            (Op::Power, "ratio" | "") => self.clone(),
            (Op::Power, _) if number == 1.0 => self.clone(),
            (Op::Power, _) => Self::new(""),
            (_, _) => Self::boolean(),
        }
    }

    /// Returns the unit of `number op self`.
    pub(super) fn number_op(&self, number: f64, op: Op) -> Self {
        match (op, number) {
            (Op::Divide, _) => Self::new(&format!("1/{}", self.short)),
            (Op::Power, _) => Self::new(""),
            (op, number) => self.op_number(op, number),
        }
    }

    /// Returns the unit after multiplying by a bare number: a thousand moves along $, $mn, $bn; a hundred turns
    /// percent into basis points and a ratio into percent. Other numbers leave it as it is.
    fn scale(&self, factor: f64) -> Self {
        let is_factor = |x: f64| (factor / x - 1.0).abs() < 1e-9;
        match self.short.as_str() {
            _ if is_factor(100.0) && self.is_percent() => return Self::new("bp"),
            "bp" if is_factor(0.01) => return Self::new("pp"),
            "ratio" if is_factor(100.0) => return Self::new("%"),
            _ if is_factor(0.01) && self.is_percent() => return Self::new("ratio"),
            _ => {}
        }
        // Figures a thousand times as large are in a unit one step down.
        let steps = (-4..=4).find(|steps| *steps != 0 && is_factor(1000f64.powi(-steps)));
        let (Some((ladder, step)), Some(steps)) = (self.step(), steps) else {
            return self.clone();
        };
        let (_, tail) = split(&self.short);
        let unit = usize::try_from(step + steps).ok();
        match (unit.and_then(|i| ladder.get(i)).copied(), tail) {
            (None, _) => Self::new(""),
            // Thousands of dollars to a thousand are dollars to one.
            (Some("$k"), "/thous") | (Some("$mn"), "/mn") => Self::new("$ each"),
            (Some(unit), tail) => Self::new(&format!("{unit}{tail}")),
        }
    }

    /// Returns its ladder and its step on it.
    fn step(&self) -> Option<(&'static [&'static str], i32)> {
        let (base, _) = split(&self.short);
        LADDERS.into_iter().find_map(|ladder| {
            let (step, _) = (0..).zip(ladder).find(|(_, unit)| **unit == base)?;
            Some((ladder, step))
        })
    }
}

/// Splits a unit into its size and the rest: "$bn 2017" into "$bn" and " 2017", "$bn/thous" into "$bn" and "/thous".
fn split(short: &str) -> (&str, &str) {
    short.split_at(short.find([' ', '/']).unwrap_or(short.len()))
}
