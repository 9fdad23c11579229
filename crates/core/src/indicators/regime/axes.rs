//! The two scores of a month and what they are made of.

use crate::indicators::months::{Month, Months, log_ratio};
use crate::indicators::statistics::rolling_z;
use crate::model::{Date, SeriesSet};

/// Every series the regime reads.
pub const INPUTS: &[&str] = &[
    "INDPRO", "PAYEMS", "UNRATE", "PERMIT", "CPILFESL", "CPIAUCSL",
];

/// Figures before this month are left out: the swings of war and demobilisation would widen every z-score
/// of the 1950s and 1960s. It is where FRED-MD begins, and it reproduces the verified history of
/// docs/METHODS.md#regime (June 1974 with confidence 100; 99 with all figures since 1919).
const FIRST: Month = Month::new(1959, 1);

/// Months of a z-score's window, and the fewest it may hold (docs/METHODS.md#regime).
const WINDOW: usize = 240;
const FEWEST: usize = 60;

/// Scores are held within ±3 (docs/METHODS.md#regime).
const CLIP: f64 = 3.0;

/// Inflation that counts as target: 2.5 % CPI is about 2 % PCE (docs/METHODS.md#regime).
const TARGET: f64 = 2.5;

/// How many inputs growth has.
pub const GROWTH_INPUTS: usize = 4;

/// Growth inputs that must be present (docs/METHODS.md#regime).
const FEWEST_INPUTS: usize = 3;

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

/// A part that is not measured yet.
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

/// An input of growth: the part, its figures, and their change in a month.
type Input = (
    Contributor,
    fn(&MonthlyInputs) -> &Months,
    fn(&Months, Month) -> Option<f64>,
);

/// The inputs and their weights (docs/METHODS.md#regime).
const GROWTH: [Input; GROWTH_INPUTS] = [
    (
        part(
            "Industrial production",
            "INDPRO",
            "% annualized over 6 months",
            0.3,
        ),
        |grids| &grids.production,
        |grid, m| grid.log_change(m, 6, 200.0),
    ),
    (
        part("Payrolls", "PAYEMS", "% annualized over 3 months", 0.3),
        |grids| &grids.payrolls,
        |grid, m| grid.log_change(m, 3, 400.0),
    ),
    (
        part(
            "Unemployment",
            "UNRATE",
            "percentage points of fall over 6 months",
            0.2,
        ),
        |grids| &grids.unemployment,
        // At least two of three months, as in docs/METHODS.md#sahm-rule.
        |grid, m| Some(grid.mean3(m.plus(-6), 2)? - grid.mean3(m, 2)?),
    ),
    (
        part("Building permits", "PERMIT", "% over a year", 0.2),
        |grids| &grids.permits,
        |grid, m| Some(100.0 * log_ratio(grid.mean3(m, 3)?, grid.mean3(m.plus(-12), 3)?)?),
    ),
];
const CORE: Contributor = part("Core inflation", "CPILFESL", "% over a year", 0.35);
const HEADLINE: Contributor = part("Headline inflation", "CPIAUCSL", "% over a year", 0.35);
const MOMENTUM: Contributor = part(
    "Core momentum",
    "CPILFESL",
    "points, 6 months annualized less a year",
    0.3,
);

/// The figures by month, cut at what was public on a day, with gaps of one month bridged.
#[derive(Debug, Clone)]
pub struct MonthlyInputs {
    /// INDPRO.
    pub production: Months,
    /// PAYEMS.
    pub payrolls: Months,
    /// UNRATE.
    pub unemployment: Months,
    /// PERMIT.
    pub permits: Months,
    /// CPILFESL.
    pub core: Months,
    /// CPIAUCSL.
    pub prices: Months,
    bridged: Vec<(&'static str, Month)>,
}

impl MonthlyInputs {
    /// What a set says of a day.
    pub fn read(set: &SeriesSet, day: Date) -> Self {
        let mut bridged = Vec::new();
        let mut read = |id: &'static str| {
            let public = Months::lasts(set.up_to(id, day)).since(FIRST);
            let (grid, filled) = public.bridged();
            bridged.extend(filled.into_iter().map(|m| (id, m)));
            grid
        };
        Self {
            production: read("INDPRO"),
            payrolls: read("PAYEMS"),
            unemployment: read("UNRATE"),
            permits: read("PERMIT"),
            core: read("CPILFESL"),
            prices: read("CPIAUCSL"),
            bridged,
        }
    }
}

/// Everything the scores are read from.
pub(super) struct Axes {
    growth: Vec<Growth>,
    grids: MonthlyInputs,
}

/// A growth input with its changes and their z-scores by month.
struct Growth {
    part: Contributor,
    changes: Months,
    scores: Months,
}

impl Axes {
    pub(super) fn of(grids: MonthlyInputs) -> Self {
        let measured = |input| Growth::of(input, &grids);
        let growth = GROWTH.into_iter().map(measured).collect();
        Self { growth, grids }
    }

    /// Every month up to `last` whose both scores can be computed, with the parts of growth and of inflation; figures
    /// are those of the month before.
    pub(super) fn months(
        &self,
        last: Month,
    ) -> impl Iterator<Item = (Month, Vec<Contributor>, Vec<Contributor>)> {
        FIRST.until(last).filter_map(|m| {
            let figures = m.plus(-1);
            Some((m, self.growth(figures)?, self.inflation(figures)?))
        })
    }

    fn growth(&self, month: Month) -> Option<Vec<Contributor>> {
        let found = self.growth.iter().filter_map(|g| {
            let (value, contribution) = (g.changes.get(month)?, g.scores.get(month)?);
            Some(Contributor {
                value,
                contribution,
                ..g.part
            })
        });
        let mut parts: Vec<Contributor> = found.collect();
        let total: f64 = parts.iter().map(|p| p.weight).sum();
        for part in &mut parts {
            part.weight /= total;
            part.contribution *= part.weight;
        }
        (parts.len() >= FEWEST_INPUTS).then_some(parts)
    }

    fn inflation(&self, month: Month) -> Option<Vec<Contributor>> {
        let core = self.grids.core.log_change(month, 12, 100.0)?;
        let headline = self.grids.prices.log_change(month, 12, 100.0)?;
        let momentum = self.grids.core.log_change(month, 6, 200.0)? - core;
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

    /// What was unusual about a month: growth inputs absent, gaps bridged within its figures' reach.
    pub(super) fn basis(&self, month: Month, growth: &[Contributor]) -> Vec<String> {
        let inputs = GROWTH.iter().map(|(part, ..)| part.series);
        let absent = inputs.filter(|id| growth.iter().all(|p| p.series != *id));
        // The furthest look-back is a mean of three months, a year earlier.
        let reach = month.plus(-15)..month;
        let gaps = self.grids.bridged.iter();
        let bridged = gaps.filter(|(_, gap)| reach.contains(gap));
        absent
            .map(|id| format!("growth without {id}"))
            .chain(bridged.map(|(id, gap)| format!("bridged {id} of {}", gap.name())))
            .collect()
    }
}

impl Growth {
    fn of((part, grid, change): Input, grids: &MonthlyInputs) -> Self {
        let grid = grid(grids);
        let changes = Months::new(grid.iter().filter_map(|(m, _)| Some((m, change(grid, m)?))));
        let values: Vec<f64> = changes.iter().map(|(_, v)| v).collect();
        let scored = changes.iter().zip(rolling_z(&values, WINDOW, FEWEST, CLIP));
        let scores = Months::new(scored.filter_map(|((m, _), z)| Some((m, z?))));
        Self {
            part,
            changes,
            scores,
        }
    }
}

/// What keeps the regime from being computed on `day`.
pub(super) fn lacking(set: &SeriesSet, day: Date) -> String {
    let inputs = INPUTS.iter().copied();
    let absent = inputs.filter(|id| set.up_to(id, day).is_empty());
    let absent: Vec<&str> = absent.collect();
    let needs = "CPILFESL, CPIAUCSL and three of INDPRO, PAYEMS, UNRATE and PERMIT with six years of \
                 history are needed";
    match absent.as_slice() {
        [] => needs.to_owned(),
        absent => format!("{needs}; not loaded: {}", absent.join(", ")),
    }
}
