//! The past months most like the month of the regime, and what followed them.

use crate::prelude::*;
use econoscope_core::indicators::precedents::{CLOSE, Precedents, SKILL};

/// A past month.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrecedentMonth {
    /// First day of the month.
    pub month: Date,
    /// Distance in standard deviations of growth, inflation, term spread and financial conditions.
    pub distance: f64,
    /// Whether a recession month followed within a year.
    pub recession: bool,
}

/// What followed over a year.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Mean over the precedents.
    pub mean: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Precedents with a value.
    pub n: usize,
}

/// The precedents: a history lesson, no forecast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrecedentsAnswer {
    /// Reference month.
    pub month: Date,
    /// False: no close precedent, the nearest lies further away than 95 of 100 since 1985.
    pub close: bool,
    /// Distance of the nearest.
    pub novelty: f64,
    /// The nearest first, a year apart.
    pub nearest: Vec<PrecedentMonth>,
    /// What followed within a year.
    pub followed: Vec<Outcome>,
    /// Number with a recession within a year.
    pub recessions: usize,
    /// Measured skill.
    pub skill: String,
}

impl PrecedentsAnswer {
    pub(super) fn new(precedents: &Precedents) -> Self {
        let nearest = precedents.nearest.iter().map(|p| PrecedentMonth {
            month: p.month,
            distance: round_to(p.distance, 3),
            recession: p.recession,
        });
        let followed = precedents.outcomes.iter().map(|f| Outcome {
            name: f.name.to_owned(),
            unit: f.unit.to_owned(),
            mean: round_to(f.sample.mean, 3),
            min: round_to(f.sample.min, 2),
            max: round_to(f.sample.max, 2),
            n: f.sample.count,
        });
        Self {
            month: precedents.month,
            close: precedents.is_close(),
            novelty: round_to(precedents.novelty(), 3),
            nearest: nearest.collect(),
            followed: followed.collect(),
            recessions: precedents.recessions(),
            skill: SKILL.to_owned(),
        }
    }

    /// Describes the precedents in a paragraph.
    pub(super) fn describe(&self) -> String {
        let nearest = self.nearest.iter();
        let months = nearest.map(|p| format!("{} ({})", p.month.strftime("%Y-%m"), p.distance));
        let close = if self.close {
            String::new()
        } else {
            let novelty = self.novelty;
            let nearest =
                format!("the nearest lies at {novelty}, 95 of 100 since 1985 within {CLOSE}");
            format!("No close precedent: {nearest}. ")
        };
        let followed = self.followed.iter().map(|f| {
            let [mean, min, max] = [f.mean, f.min, f.max].map(|v| format_signed(v, 2));
            format!("{} {mean} {} ({min} to {max}, n {})", f.name, f.unit, f.n)
        });
        format!(
            "\nMonths most like {} (distance): {}. {close}In the year after: {}; a recession in {} of {}. A history \
             lesson, no forecast: {}.",
            self.month.strftime("%B %Y"),
            join(months, ", "),
            join(followed, "; "),
            self.recessions,
            self.nearest.len(),
            self.skill
        )
    }
}
