//! The growth and inflation scores of a month, and their parts.

use crate::indicators::months::{Month, MonthlyGrid};
use crate::indicators::prose::{format_list, join};
use crate::indicators::statistics::rolling_z;
use crate::model::{Date, SeriesSet};
use std::collections::BTreeMap;

/// Every series the regime reads.
pub const INPUTS: &[&str] = &[
    "INDPRO", "PAYEMS", "UNRATE", "PERMIT", "CPILFESL", "CPIAUCSL",
];

/// Figures before this month are left out: the swings of war and demobilisation would widen every z-score
/// of the 1950s and 1960s. FRED-MD begins here, too, and it reproduces the verified history of
/// docs/COMPOSITES.md#regime (June 1974 with confidence 100; 99 with all figures since 1919).
const FIRST: Month = Month::new(1959, 1);

/// Months of a z-score's window, and the fewest it may hold (docs/COMPOSITES.md#regime).
const WINDOW: usize = 240;
const MIN_WINDOW: usize = 60;

/// Scores are limited to ±3 (docs/COMPOSITES.md#regime).
const CLIP: f64 = 3.0;

/// Inflation target: 2.5 % CPI is about 2 % PCE (docs/COMPOSITES.md#regime).
const TARGET: f64 = 2.5;

/// Number of growth inputs.
pub const GROWTH_INPUTS: usize = 4;

/// Growth inputs that must be present (docs/COMPOSITES.md#regime).
const MIN_INPUTS: usize = 3;

/// One part of a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contributor {
    /// What it measures.
    pub name: &'static str,
    /// Series it comes from.
    pub series: &'static str,
    /// The measured change.
    pub value: f64,
    /// Unit of `value`.
    pub unit: &'static str,
    /// Weight in the score after renormalisation.
    pub weight: f64,
    /// What it adds to the score.
    pub contribution: f64,
}

/// Builds a part without a measurement.
const fn part(
    name: &'static str,
    series: &'static str,
    unit: &'static str,
    weight: f64,
) -> Contributor {
    Contributor {
        name,
        series,
        value: 0.0,
        unit,
        weight,
        contribution: 0.0,
    }
}

/// Definition of a growth input: the part, its figures, and their change in a month.
type GrowthDefinition = (
    Contributor,
    fn(&MonthlyInputs) -> &MonthlyGrid,
    fn(&MonthlyGrid, Month) -> Option<f64>,
);

/// The growth inputs and their weights (docs/COMPOSITES.md#regime).
const GROWTH: [GrowthDefinition; GROWTH_INPUTS] = [
    (
        part(
            "Industrial production",
            "INDPRO",
            "log % annualized over 6 months",
            0.3,
        ),
        |inputs| &inputs.production,
        |grid, m| grid.log_change(m, 6, 200.0),
    ),
    (
        part("Payrolls", "PAYEMS", "log % annualized over 3 months", 0.3),
        |inputs| &inputs.payrolls,
        |grid, m| grid.log_change(m, 3, 400.0),
    ),
    (
        part(
            "Unemployment",
            "UNRATE",
            "percentage points of fall over 6 months",
            0.2,
        ),
        |inputs| &inputs.unemployment,
        // At least two of three months, as in docs/COMPOSITES.md#sahm-rule.
        |grid, m| Some(grid.three_month_mean(m.plus(-6), 2)? - grid.three_month_mean(m, 2)?),
    ),
    (
        part("Building permits", "PERMIT", "log % over a year", 0.2),
        |inputs| &inputs.permits,
        MonthlyGrid::yearly_log_change_of_means,
    ),
];
const CORE: Contributor = part("Core inflation", "CPILFESL", "log % over a year", 0.35);
const HEADLINE: Contributor = part("Headline inflation", "CPIAUCSL", "log % over a year", 0.35);
const MOMENTUM: Contributor = part(
    "Core momentum",
    "CPILFESL",
    "points, 6 months annualized less a year",
    0.3,
);

/// The figures by month, as public on a day, with gaps of one month interpolated.
#[derive(Debug, Clone)]
pub struct MonthlyInputs {
    /// INDPRO.
    pub production: MonthlyGrid,
    /// PAYEMS.
    pub payrolls: MonthlyGrid,
    /// UNRATE.
    pub unemployment: MonthlyGrid,
    /// PERMIT.
    pub permits: MonthlyGrid,
    /// CPILFESL.
    pub core: MonthlyGrid,
    /// CPIAUCSL.
    pub prices: MonthlyGrid,
    interpolated: Vec<(&'static str, Month)>,
}

impl MonthlyInputs {
    /// Reads the figures that a set has up to `day`.
    pub fn read(set: &SeriesSet, day: Date) -> Self {
        let mut interpolated = Vec::new();
        let mut read = |id: &'static str| {
            let published = MonthlyGrid::from_last_values(set.up_to(id, day)).starting_at(FIRST);
            let (grid, filled) = published.interpolate_gaps();
            interpolated.extend(filled.into_iter().map(|m| (id, m)));
            grid
        };
        Self {
            production: read("INDPRO"),
            payrolls: read("PAYEMS"),
            unemployment: read("UNRATE"),
            permits: read("PERMIT"),
            core: read("CPILFESL"),
            prices: read("CPIAUCSL"),
            interpolated,
        }
    }
}

/// The monthly inputs, and the growth inputs with their scores.
pub(super) struct Axes {
    growth: [GrowthInput; GROWTH_INPUTS],
    inputs: MonthlyInputs,
}

/// A growth input with its changes and their z-scores by month.
struct GrowthInput {
    part: Contributor,
    changes: MonthlyGrid,
    scores: MonthlyGrid,
}

impl Axes {
    pub(super) fn new(inputs: MonthlyInputs) -> Self {
        let growth = GROWTH.map(|(part, grid, change)| {
            let grid = grid(&inputs);
            let changes = grid.map(|month, _| change(grid, month));
            let values: Vec<f64> = changes.iter().map(|(_, v)| v).collect();
            let scores = rolling_z(&values, WINDOW, MIN_WINDOW, CLIP);
            let scores = changes.iter().zip(scores);
            GrowthInput {
                part,
                scores: MonthlyGrid::new(scores.filter_map(|((m, _), z)| Some((m, z?)))),
                changes,
            }
        });
        Self { growth, inputs }
    }

    /// Iterates over the months up to `last` that have both scores, with the parts of growth and of inflation; figures
    /// are those of the month before.
    pub(super) fn months(
        &self,
        last: Month,
    ) -> impl Iterator<Item = (Month, Vec<Contributor>, Vec<Contributor>)> {
        FIRST.through(last).filter_map(|m| {
            let figures = m.plus(-1);
            Some((m, self.growth(figures)?, self.inflation(figures)?))
        })
    }

    fn growth(&self, month: Month) -> Option<Vec<Contributor>> {
        let part = |input: &GrowthInput| {
            Some(Contributor {
                value: input.changes.get(month)?,
                contribution: input.scores.get(month)?,
                ..input.part
            })
        };
        let mut parts: Vec<Contributor> = self.growth.iter().filter_map(part).collect();
        let total: f64 = parts.iter().map(|p| p.weight).sum();
        for part in &mut parts {
            part.weight /= total;
            part.contribution *= part.weight;
        }
        (parts.len() >= MIN_INPUTS).then_some(parts)
    }

    fn inflation(&self, month: Month) -> Option<Vec<Contributor>> {
        let core = self.inputs.core.log_change(month, 12, 100.0)?;
        let headline = self.inputs.prices.log_change(month, 12, 100.0)?;
        let momentum = self.inputs.core.log_change(month, 6, 200.0)? - core;
        let level = f64::midpoint(core, headline) - TARGET;
        // Clipping the level shrinks both of its halves alike, so that the parts still add up.
        let shrink = (CLIP / level.abs()).min(1.0);
        let level = |part: Contributor, value: f64| Contributor {
            value,
            contribution: part.weight * shrink * (value - TARGET),
            ..part
        };
        Some(vec![
            level(CORE, core),
            level(HEADLINE, headline),
            Contributor {
                value: momentum,
                contribution: MOMENTUM.weight * momentum.clamp(-CLIP, CLIP),
                ..MOMENTUM
            },
        ])
    }

    /// Describes what was unusual about a month: growth inputs absent, and months interpolated among those it uses.
    pub(super) fn basis(&self, month: Month, growth: &[Contributor]) -> Vec<String> {
        let inputs = GROWTH.iter().map(|(part, ..)| part.series);
        let absent = inputs.filter(|id| growth.iter().all(|p| p.series != *id));
        // The furthest look-back is a mean of three months, a year earlier.
        let used = month.plus(-15)..month;
        let gaps = self.inputs.interpolated.iter();
        let mut bridged: BTreeMap<Month, Vec<String>> = BTreeMap::new();
        for (id, gap) in gaps.filter(|(_, gap)| used.contains(gap)) {
            bridged.entry(*gap).or_default().push((*id).to_owned());
        }
        let bridges = bridged
            .iter()
            .map(|(month, ids)| format!("{} bridged for {}", month.name(), format_list(ids)));
        absent
            .map(|id| format!("growth without {id}"))
            .chain(bridges)
            .collect()
    }
}

/// Explains which inputs the regime needs and why it lacks some on `day`.
pub(super) fn missing_inputs(set: &SeriesSet, day: Date) -> String {
    let absent = INPUTS.iter().filter(|id| set.up_to(id, day).is_empty());
    let reasons: Vec<String> = absent.map(|id| set.describe_missing(id, day)).collect();
    let unloaded = reasons
        .iter()
        .filter_map(|why| why.strip_suffix(" is not loaded"));
    let others = reasons
        .iter()
        .filter(|why| !why.ends_with(" is not loaded"));
    let mut text =
        "CPILFESL, CPIAUCSL and three of INDPRO, PAYEMS, UNRATE and PERMIT with six years of \
                    history are needed"
            .to_owned();
    if unloaded.clone().next().is_some() {
        text += &format!("; not loaded: {}", join(unloaded, ", "));
    }
    text.extend(others.map(|why| format!("; {why}")));
    text
}
