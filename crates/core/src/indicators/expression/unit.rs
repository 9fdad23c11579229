//! Units of formulas: what may be added, and what a product or quotient is called.

use super::tree::Op;
use crate::model::SeriesInfo;

/// A unit as it is shown, and the kind that decides what it may be added to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// For a narrow place: "%".
    pub short: String,
    /// Two units of one kind may be added; empty where nothing is known of it.
    kind: String,
}

/// The unit of comparisons.
const TRUTH: &str = "1 = true, 0 = false";

/// Steps of a thousand that dividing or multiplying by 1000 walks along.
const LADDERS: [&[&str]; 2] = [&["$", "$k", "$mn", "$bn", "$tn"], &["thous", "mn", "bn"]];

impl Unit {
    /// A unit that is its own kind.
    pub fn new(short: &str) -> Self {
        let percent =
            short.starts_with('%') || matches!(short, "pp" | "Percent" | "percentage points");
        Self {
            short: short.to_owned(),
            kind: if percent { "%" } else { short }.to_owned(),
        }
    }

    /// A series' unit. Indices are of one kind when they have the same base period.
    pub fn of(info: &SeriesInfo) -> Self {
        let mut unit = Self::new(&info.units_short);
        if info.units_short == "index" {
            unit.kind.clone_from(&info.units);
        }
        unit
    }

    /// Whether it is a percentage of some kind.
    pub fn is_percent(&self) -> bool {
        self.kind == "%"
    }

    /// The unit of a difference between two figures of this unit: percentage points for percent.
    pub fn difference(&self) -> Self {
        match self.is_percent() {
            true => Self::derived("pp", self),
            false => self.clone(),
        }
    }

    /// The unit of `self op other`, and the factor that brings `other` to the size of `self` before: $mn over $bn is a
    /// ratio, $bn less $mn is $bn.
    ///
    /// # Errors
    /// Why the two cannot be added or compared, and what to do.
    pub(super) fn combine(&self, op: Op, other: &Self) -> Result<(Self, f64), (String, String)> {
        let known = !self.kind.is_empty() && !other.kind.is_empty();
        let factor = match known {
            true => self.size_of(other),
            false => Some(1.0),
        };
        let result = match (op, factor) {
            (Op::And | Op::Or, _) => (Self::truth(), 1.0),
            (Op::Multiply, _) => (self.times(other), 1.0),
            (Op::Power, _) => (Self::new(""), 1.0),
            (Op::Divide, Some(factor)) if known => (Self::new("ratio"), factor),
            (Op::Divide, _) => (self.per(other), 1.0),
            (_, None) => return Err(self.refusal(op, other)),
            (op, Some(factor)) if op.is_comparison() => (Self::truth(), factor),
            (_, Some(factor)) if self.kind.is_empty() => (other.clone(), factor),
            (_, Some(factor)) if other.kind.is_empty() => (self.clone(), factor),
            (Op::Subtract, Some(factor)) => (self.difference(), factor),
            (_, Some(factor)) if self.short == "pp" => (other.clone(), factor),
            (_, Some(factor)) => (self.clone(), factor),
        };
        Ok(result)
    }

    /// What figures in `other` are multiplied by to be in this unit; `None` where no factor does that.
    fn size_of(&self, other: &Self) -> Option<f64> {
        if self.kind == other.kind {
            return Some(1.0);
        }
        match (self.kind.as_str(), other.kind.as_str()) {
            ("%", "bp") => return Some(0.01),
            ("bp", "%") => return Some(100.0),
            _ => {}
        }
        let ((ladder, step), (same, from)) = (self.step()?, other.step()?);
        let of_one_kind = ladder == same && split(&self.short).1 == split(&other.short).1;
        of_one_kind.then(|| 1000f64.powi(from - step))
    }

    /// Of what is 1 or 0.
    pub(super) fn truth() -> Self {
        Self::new(TRUTH)
    }

    /// Whether it is 1 or 0.
    pub fn is_truth(&self) -> bool {
        self.short == TRUTH
    }

    /// The unit in consumer prices of a time.
    ///
    /// # Errors
    /// Why it has no prices, and what has.
    pub(super) fn in_prices(&self, when: &dyn std::fmt::Display) -> Result<Self, (String, String)> {
        let (base, tail) = split(&self.short);
        let is_money = base.starts_with('$') || base == "index" || self.kind.is_empty();
        if is_money && !tail.contains("real") && !tail.contains(|c: char| c.is_ascii_digit()) {
            return Ok(Self::new(&format!("{} {when} prices", self.short)));
        }
        Err((
            format!("takes real( ) of figures in {}", self.named()),
            "money at the prices of its day, for example real(CES0500000003, \"2026-07\")".into(),
        ))
    }

    fn refusal(&self, op: Op, other: &Self) -> (String, String) {
        let sums = [(Op::Add, "adds"), (Op::Subtract, "subtracts")];
        let verb = sums.iter().find(|(sum, _)| *sum == op);
        let verb = verb.map_or("compares", |(_, verb)| verb);
        let problem = format!("{verb} figures in {} and {}", self.named(), other.named());
        let allowed = match self.short == "index" && other.short == "index" {
            true => "indices of one base: wrap both in index( ), which makes each 100 at the start",
            false => "figures of one unit; multiply, divide, or take yoy( ) or index( ) of both",
        };
        (problem, allowed.to_owned())
    }

    fn named(&self) -> &str {
        match self.short.as_str() {
            "index" => &self.kind,
            short => short,
        }
    }

    fn times(&self, other: &Self) -> Self {
        match (self.short.as_str(), other.short.as_str()) {
            ("ratio" | "", unit) => Self::derived(unit, other),
            (unit, "ratio" | "") => Self::derived(unit, self),
            (a, b) => Self::new(&format!("{a}·{b}")),
        }
    }

    fn derived(short: &str, like: &Self) -> Self {
        Self {
            short: short.to_owned(),
            kind: like.kind.clone(),
        }
    }

    fn per(&self, other: &Self) -> Self {
        match other.short.as_str() {
            "ratio" | "" => self.clone(),
            unit => Self::new(&format!("{}/{unit}", self.short)),
        }
    }

    /// The unit of `self op number`.
    pub(super) fn before_number(&self, op: Op, number: f64) -> Self {
        match (op, self.short.as_str()) {
            (Op::Add | Op::Subtract, _) => self.clone(),
            (Op::Multiply, _) => self.scaled(number),
            (Op::Divide, _) => self.scaled(1.0 / number),
            (Op::Power, "ratio" | "") => self.clone(),
            (Op::Power, _) if number == 1.0 => self.clone(),
            (Op::Power, _) => Self::new(""),
            (_, _) => Self::truth(),
        }
    }

    /// The unit of `number op self`.
    pub(super) fn after_number(&self, number: f64, op: Op) -> Self {
        match (op, number) {
            (Op::Divide, _) => Self::new(&format!("1/{}", self.short)),
            (Op::Power, _) => Self::new(""),
            (op, number) => self.before_number(op, number),
        }
    }

    /// The unit after multiplying by a bare number: a thousand moves along $, $mn, $bn; a hundred turns
    /// percent into basis points and a ratio into percent. Other numbers leave it as it is.
    fn scaled(&self, factor: f64) -> Self {
        let near = |x: f64| (factor / x - 1.0).abs() < 1e-9;
        match self.short.as_str() {
            _ if near(100.0) && self.is_percent() => return Self::new("bp"),
            "bp" if near(0.01) => return Self::new("pp"),
            "ratio" if near(100.0) => return Self::new("%"),
            _ if near(0.01) && self.is_percent() => return Self::new("ratio"),
            _ => {}
        }
        // A thousand times as many are a step down.
        let steps = (-4..=4).find(|steps| *steps != 0 && near(1000f64.powi(-steps)));
        let (Some((ladder, step)), Some(steps)) = (self.step(), steps) else {
            return self.clone();
        };
        let (_, tail) = split(&self.short);
        let unit = usize::try_from(step + steps).ok();
        let unit = unit.and_then(|i| ladder.get(i));
        match (unit.copied(), tail) {
            (None, _) => Self::new(""),
            // Thousands of dollars to a thousand are dollars to one.
            (Some("$k"), "/thous") | (Some("$mn"), "/mn") => Self::new("$ each"),
            (Some(unit), tail) => Self::new(&format!("{unit}{tail}")),
        }
    }

    /// Ladder and step on it.
    fn step(&self) -> Option<(&'static [&'static str], i32)> {
        let (base, _) = split(&self.short);
        let at = |ladder: &'static [&str]| {
            Some((ladder, (0..).zip(ladder).find(|(_, s)| **s == base)?.0))
        };
        LADDERS.into_iter().find_map(at)
    }
}

/// "$bn 2017" is "$bn" and " 2017", "$bn/thous" is "$bn" and "/thous": what is not a size is kept.
fn split(short: &str) -> (&str, &str) {
    short.split_at(short.find([' ', '/']).unwrap_or(short.len()))
}
