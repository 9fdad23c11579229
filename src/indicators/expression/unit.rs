//! Units of formulas: what may be added, and what a product or quotient is called.

use super::Op;
use crate::model::SeriesInfo;

/// A unit as it is shown, and the kind that decides what it may be added to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// For a narrow place: "%".
    pub short: String,
    /// Two units of one kind may be added; empty where nothing is known of it.
    kind: String,
}

/// Steps of a thousand that dividing or multiplying by 1000 walks along.
const LADDERS: [&[&str]; 2] = [&["$", "$k", "$mn", "$bn", "$tn"], &["thous", "mn", "bn"]];

impl Unit {
    /// A unit that is its own kind.
    pub fn new(short: &str) -> Self {
        let percent = short.starts_with('%') || matches!(short, "pp" | "Percent");
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
        if self.is_percent() {
            Self {
                short: "pp".into(),
                kind: self.kind.clone(),
            }
        } else {
            self.clone()
        }
    }

    /// The unit of `self op other`.
    ///
    /// # Errors
    /// Why the two cannot be added, and what to do.
    pub(super) fn combine(&self, op: Op, other: &Self) -> Result<Self, (String, String)> {
        match op {
            Op::Multiply => Ok(self.times(other)),
            Op::Divide => Ok(self.per(other)),
            Op::Add | Op::Subtract if self.kind.is_empty() => Ok(other.clone()),
            Op::Add | Op::Subtract if other.kind.is_empty() => Ok(self.clone()),
            Op::Subtract if self.kind == other.kind => Ok(self.difference()),
            Op::Add if self.kind == other.kind => Ok(if self.short == "pp" {
                other.clone()
            } else {
                self.clone()
            }),
            Op::Add | Op::Subtract => Err(self.refusal(op, other)),
        }
    }

    fn refusal(&self, op: Op, other: &Self) -> (String, String) {
        let verb = if op == Op::Add { "adds" } else { "subtracts" };
        let problem = format!("{verb} figures in {} and {}", self.named(), other.named());
        let steps = self
            .step()
            .zip(other.step())
            .filter(|((a, _), (b, _))| a == b);
        let allowed = match steps {
            Some(((_, a), (_, b))) => {
                let smaller = if a < b { &self.short } else { &other.short };
                let factor = format!("1e{}", 3 * a.abs_diff(b));
                format!("figures of one size: divide those in {smaller} by {factor}")
            }
            None if self.short == "index" && other.short == "index" => {
                "indices of one base: wrap both in index( ), which makes each 100 at the start"
                    .into()
            }
            None => {
                "figures of one unit; multiply, divide, or take yoy( ) or index( ) of both".into()
            }
        };
        (problem, allowed)
    }

    fn named(&self) -> &str {
        if self.short == "index" {
            &self.kind
        } else {
            &self.short
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
        if self.kind == other.kind && !self.kind.is_empty() {
            return Self::new("ratio");
        }
        match other.short.as_str() {
            "ratio" | "" => self.clone(),
            unit => Self::new(&format!("{}/{unit}", self.short)),
        }
    }

    /// The unit after multiplying by a bare number: a thousand moves along $, $mn, $bn; a hundred turns
    /// percent into basis points and a ratio into percent. Other numbers leave it as it is.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        let near = |x: f64| (factor / x - 1.0).abs() < 1e-9;
        if near(100.0) && self.is_percent() {
            return Self::new("bp");
        }
        if near(0.01) && self.short == "bp" {
            return Self::new("pp");
        }
        if near(100.0) && self.short == "ratio" {
            return Self::new("%");
        }
        let Some((ladder, step)) = self.step() else {
            return self.clone();
        };
        let (_, tail) = split(&self.short);
        for moved in 1..=4usize {
            let size = 1000f64.powi(i32::try_from(moved).unwrap_or(1));
            let to = if near(1.0 / size) {
                step.checked_add(moved)
            } else if near(size) {
                step.checked_sub(moved)
            } else {
                continue;
            };
            let unit = to.and_then(|i| LADDERS.get(ladder)?.get(i));
            return unit.map_or_else(|| Self::new(""), |unit| Self::new(&format!("{unit}{tail}")));
        }
        self.clone()
    }

    /// Ladder and step on it.
    fn step(&self) -> Option<(usize, usize)> {
        let (base, _) = split(&self.short);
        LADDERS
            .iter()
            .enumerate()
            .find_map(|(i, ladder)| Some((i, ladder.iter().position(|s| *s == base)?)))
    }
}

/// "$bn 2017" is "$bn" and " 2017": prices of a base year keep it.
fn split(short: &str) -> (&str, &str) {
    short.split_at(short.find(' ').unwrap_or(short.len()))
}
