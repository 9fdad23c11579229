//! The two scores of a month and what they are made of.

use crate::indicators::months::{Month, Months, log_ratio};
use crate::indicators::resample::known_or_none;
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

/// A score and its parts.
pub(super) struct Score {
    pub(super) score: f64,
    pub(super) parts: Vec<Contributor>,
}

/// A growth input: what it is, its changes and their z-scores by month.
struct Growth {
    spec: &'static Spec,
    changes: Months,
    scores: Months,
}

/// What a part measures.
struct Spec {
    name: &'static str,
    series: &'static str,
    unit: &'static str,
    weight: f64,
}

const fn spec(name: &'static str, series: &'static str, unit: &'static str, weight: f64) -> Spec {
    Spec {
        name,
        series,
        unit,
        weight,
    }
}

impl Spec {
    fn part(&self, value: f64, weight: f64, contribution: f64) -> Contributor {
        Contributor {
            name: self.name,
            series: self.series,
            value,
            unit: self.unit,
            weight,
            contribution,
        }
    }
}

/// The inputs and their weights (docs/METHODS.md#regime).
static GROWTH: [Spec; GROWTH_INPUTS] = [
    spec(
        "Industrial production",
        "INDPRO",
        "% annualised over 6 months",
        0.3,
    ),
    spec("Payrolls", "PAYEMS", "% annualised over 3 months", 0.3),
    spec(
        "Unemployment",
        "UNRATE",
        "percentage points of fall over 6 months",
        0.2,
    ),
    spec("Building permits", "PERMIT", "% over a year", 0.2),
];
static CORE: Spec = spec("Core inflation", "CPILFESL", "% over a year", 0.35);
static HEADLINE: Spec = spec("Headline inflation", "CPIAUCSL", "% over a year", 0.35);
static MOMENTUM: Spec = spec(
    "Core momentum",
    "CPILFESL",
    "points, 6 months annualised less a year",
    0.3,
);

/// The figures by month, cut at what was public on a day, with gaps of one month bridged.
#[derive(Debug, Clone)]
pub struct Grids {
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

impl Grids {
    /// What a set says of a day.
    pub fn read(set: &SeriesSet, day: Date) -> Self {
        let mut bridged = Vec::new();
        let mut read = |id: &'static str| {
            let public = Months::lasts(known_or_none(set.get(id), day)).since(FIRST);
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
    grids: Grids,
}

impl Axes {
    pub(super) fn of(grids: Grids) -> Self {
        let growth = measured(&grids);
        Self { growth, grids }
    }

    /// Every month up to `last` whose both scores can be computed, with the scores; figures are those of
    /// the month before.
    pub(super) fn months(&self, last: Month) -> impl Iterator<Item = (Month, Score, Score)> {
        FIRST.up_to(last).filter_map(|m| {
            let figures = m.plus(-1);
            Some((m, self.growth(figures)?, self.inflation(figures)?))
        })
    }

    fn growth(&self, month: Month) -> Option<Score> {
        let present = || {
            self.growth
                .iter()
                .filter_map(move |g| Some((g, g.changes.get(month)?, g.scores.get(month)?)))
        };
        if present().count() < FEWEST_INPUTS {
            return None;
        }
        let total: f64 = present().map(|(g, _, _)| g.spec.weight).sum();
        let part = |(g, value, z): (&Growth, f64, f64)| {
            let weight = g.spec.weight / total;
            g.spec.part(value, weight, weight * z)
        };
        Some(Score::sum(present().map(part).collect()))
    }

    fn inflation(&self, month: Month) -> Option<Score> {
        let core = self.grids.core.log_change(month, 12, 100.0)?;
        let headline = self.grids.prices.log_change(month, 12, 100.0)?;
        let momentum = self.grids.core.log_change(month, 6, 200.0)? - core;
        let level = f64::midpoint(core, headline) - TARGET;
        // Clipping the level shrinks both of its halves alike, so that the parts still add up.
        let shrink = if level.abs() > CLIP {
            CLIP / level.abs()
        } else {
            1.0
        };
        let level = |spec: &Spec, rate| {
            spec.part(rate, spec.weight, spec.weight * shrink * (rate - TARGET))
        };
        let held = momentum.clamp(-CLIP, CLIP);
        Some(Score::sum(vec![
            level(&CORE, core),
            level(&HEADLINE, headline),
            MOMENTUM.part(momentum, MOMENTUM.weight, MOMENTUM.weight * held),
        ]))
    }

    /// What was unusual about a month: growth inputs absent, gaps bridged within its figures' reach.
    pub(super) fn basis(&self, month: Month, growth: &Score) -> Vec<String> {
        let series = self.growth.iter().map(|g| g.spec.series);
        let absent = series.filter(|id| growth.parts.iter().all(|p| p.series != *id));
        // The furthest look-back is a mean of three months, a year earlier.
        let reach = month.plus(-15)..month;
        let bridged = self
            .grids
            .bridged
            .iter()
            .filter(|(_, gap)| reach.contains(gap));
        absent
            .map(|id| format!("growth without {id}"))
            .chain(bridged.map(|(id, gap)| format!("bridged {id} of {}", gap.name())))
            .collect()
    }
}

/// The changes and scores of the growth inputs, in the order of [`GROWTH`].
fn measured(grids: &Grids) -> Vec<Growth> {
    let (production, payrolls) = (&grids.production, &grids.payrolls);
    let (jobless, permits) = (&grids.unemployment, &grids.permits);
    // At least two of three months of the unemployment rate, as in docs/METHODS.md#sahm-rule.
    let slack = |m| jobless.mean3(m, 2);
    let homes = |m| permits.mean3(m, 3);
    let changes = [
        changes(production, |m| production.log_change(m, 6, 200.0)),
        changes(payrolls, |m| payrolls.log_change(m, 3, 400.0)),
        changes(jobless, |m| Some(slack(m.plus(-6))? - slack(m)?)),
        changes(permits, |m| {
            log_ratio(homes(m)?, homes(m.plus(-12))?).map(|l| 100.0 * l)
        }),
    ];
    let described = GROWTH.iter().zip(changes);
    described.map(|(spec, c)| Growth::new(spec, c)).collect()
}

impl Growth {
    fn new(spec: &'static Spec, changes: Months) -> Self {
        let values: Vec<f64> = changes.iter().map(|(_, v)| v).collect();
        let z = rolling_z(&values, WINDOW, FEWEST, CLIP);
        let scored = changes.iter().zip(z);
        let scores = Months::new(scored.filter_map(|((m, _), z)| z.map(|z| (m, z))));
        Self {
            spec,
            changes,
            scores,
        }
    }
}

impl Score {
    fn sum(parts: Vec<Contributor>) -> Self {
        Self {
            score: parts.iter().map(|p| p.contribution).sum(),
            parts,
        }
    }
}

fn changes(of: &Months, change: impl Fn(Month) -> Option<f64>) -> Months {
    Months::new(of.iter().filter_map(|(m, _)| change(m).map(|v| (m, v))))
}

/// What keeps the regime from being computed on `day`.
pub(super) fn lacking(set: &SeriesSet, day: Date) -> String {
    let absent: Vec<&str> = INPUTS
        .iter()
        .copied()
        .filter(|id| known_or_none(set.get(id), day).is_empty())
        .collect();
    let needs = "CPILFESL, CPIAUCSL and three of INDPRO, PAYEMS, UNRATE and PERMIT with six years of \
                 history are needed";
    if absent.is_empty() {
        needs.to_owned()
    } else {
        format!("{needs}; not loaded: {}", absent.join(", "))
    }
}
