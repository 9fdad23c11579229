//! SERVICE_CMSI: macro stress, 0 to 100, daily (METHODS 4).
//!
//! Each input is ranked against its own past since 1986; the ranks are averaged by weight. Two profiles:
//! - full (`cmsi-v1`): applies when BAA10Y or VIXCLS, which are copyrighted and only there when an operator
//!   fetches or imports them, is current on the reference day;
//! - public: applies otherwise; made of public figures alone, so that a bundled history can answer.
//!
//! The profile is chosen once for the whole history, so that a history never mixes two definitions.

use super::blend::{Blend, Part, Rule};
use super::composite::{Band, Composite, Reading};
use super::explain::{opening, standing, without};
use super::measure::Measure;
use super::months::log_ratio;
use super::statistics::expanding_ecdf_after;
use crate::model::catalogue::round_to;
use crate::model::{Date, SeriesSet};

/// The macro stress index.
pub const CMSI: Composite = Composite {
    id: "SERVICE_CMSI",
    method: "cmsi-v1",
    name: "Macro Stress Index",
    formula: "100 · Σ wᵢ·ECDFᵢ / Σ wᵢ over the inputs present (at least 60 % of the weight); ECDFᵢ = where \
              the input stands among all its earlier days since 1986",
    source: "Ranking as in CISS (Holló, Kremer and Lo Duca 2012, ECB WP 1426); weights our own",
    inputs: &[
        "BAA10Y",
        "EBP",
        "NFCICREDIT",
        "VIXCLS",
        "NFCI",
        "ICSA",
        "DGS10",
        "DTWEXBGS",
    ],
    bands: &[
        Band {
            from: 0.0,
            name: "calm",
        },
        Band {
            from: 35.0,
            name: "normal",
        },
        Band {
            from: 60.0,
            name: "elevated",
        },
        Band {
            from: 76.0,
            name: "high",
        },
        Band {
            from: 90.0,
            name: "crisis",
        },
    ],
    since: |set, day, from| Blend::since(parts(set, day), RULE, set, day, from).history(),
    profile: |set, day| if is_full(set, day) { "full" } else { "public" },
    reading,
    interpret,
};

/// Earlier days an input needs before it is ranked.
const LEAST_PAST: usize = 504;

const RULE: Rule = Rule {
    score: |values, skip| {
        // Values that are equal but for the dust of their arithmetic must rank as equal.
        let clean: Vec<f64> = values.iter().map(|v| round_to(*v, 9)).collect();
        expanding_ecdf_after(&clean, LEAST_PAST, skip)
    },
    reach: None,
    base: 0.0,
    least_weight: 0.6,
    trend: (28, "4 weeks"),
};

const CONDITIONS: Part = Part {
    name: "Financial conditions",
    unit: "index",
    weight: 0.20,
    series: &["NFCI"],
    alternatives: &[|set, span| Measure::level(set, "NFCI", span)],
};
const LABOR: Part = Part {
    name: "Jobless claims, 4 weeks against a year ago",
    unit: "log %",
    weight: 0.15,
    series: &["ICSA"],
    alternatives: &[|set, span| {
        Measure::level(set, "ICSA", span).map(|m| m.yearly_growth_of_four_weeks())
    }],
};
const RATES: Part = Part {
    name: "Rates volatility, 21 days of DGS10",
    unit: "bp a year",
    weight: 0.10,
    series: &["DGS10"],
    alternatives: &[|set, span| {
        // Percentage points a day to basis points a year of 252 days.
        let scale = 252f64.sqrt() * 100.0;
        Measure::level(set, "DGS10", span).map(|m| m.volatility(21, scale))
    }],
};

const FULL: &[Part] = &[
    Part {
        name: "Credit spread",
        unit: "percentage points",
        weight: 0.25,
        series: &["BAA10Y", "EBP", "NFCICREDIT"],
        alternatives: &[
            |set, span| Measure::level(set, "BAA10Y", span),
            |set, span| Measure::level(set, "EBP", span),
            |set, span| Measure::level(set, "NFCICREDIT", span),
        ],
    },
    Part {
        name: "Equity volatility",
        unit: "index",
        weight: 0.20,
        series: &["VIXCLS"],
        alternatives: &[|set, span| Measure::level(set, "VIXCLS", span)],
    },
    CONDITIONS,
    LABOR,
    RATES,
    Part {
        name: "Dollar, 63 days",
        unit: "log %",
        weight: 0.10,
        series: &["DTWEXBGS"],
        alternatives: &[|set, span| {
            Measure::level(set, "DTWEXBGS", span).map(|m| m.over(63, log_ratio).scaled(100.0))
        }],
    },
];

const PUBLIC: &[Part] = &[
    Part {
        weight: 0.45,
        ..CONDITIONS
    },
    Part {
        name: "Excess bond premium",
        unit: "percentage points",
        weight: 0.25,
        series: &["EBP"],
        alternatives: &[|set, span| Measure::level(set, "EBP", span)],
    },
    Part {
        weight: 0.20,
        ..LABOR
    },
    RATES,
];

/// Whether the copyrighted inputs are there on `day`, so that the full profile applies.
fn is_full(set: &SeriesSet, day: Date) -> bool {
    ["BAA10Y", "VIXCLS"]
        .iter()
        .filter_map(|id| set.get(id))
        .any(|s| s.lookup(day).is_some())
}

fn parts(set: &SeriesSet, day: Date) -> &'static [Part] {
    if is_full(set, day) { FULL } else { PUBLIC }
}

fn blend(set: &SeriesSet, day: Date) -> Blend {
    Blend::compute(parts(set, day), RULE, set, day)
}

fn reading(set: &SeriesSet, day: Date) -> Reading {
    let blend = blend(set, day);
    let mut reading = blend.reading();
    reading
        .basis
        .extend(reading.value.and_then(|v| standing(&blend.history(), v)));
    if !is_full(set, day) {
        reading.basis.push(
            "public profile: NFCI .45, excess bond premium .25, claims .20, rates volatility .10, because \
             neither BAA10Y nor VIXCLS is current"
                .to_owned(),
        );
    }
    reading
}

fn interpret(reading: &Reading) -> String {
    let Some((sentence, value)) = opening(&CMSI, "Macro stress", reading) else {
        return without(&CMSI, reading);
    };
    let meaning = match CMSI.band(value) {
        Some("calm") => "Markets and claims are quieter than in most of their past.",
        Some("normal") => "Strains are within their usual range.",
        Some("elevated") => {
            "Strains are wider than usual; in about one day in four they were as wide or wider."
        }
        Some("high") => "Strains of this size came with recessions or market breaks.",
        _ => "Strains of this size came with systemic crises, as in the winter of 2008.",
    };
    let evidence = if reading
        .basis
        .iter()
        .any(|b| b.starts_with("public profile"))
    {
        "The public profile averages 81 in NBER recessions and 42 otherwise (1988 to 2026); rank correlation \
         with the St. Louis Fed index .61."
    } else {
        "It averages 82 in NBER recessions and 46 otherwise; rank correlation with the St. Louis Fed index .82."
    };
    format!("{sentence} {meaning} {evidence} It ranks the present; it does not forecast.")
}

#[cfg(test)]
mod tests;
