//! SERVICE_CMSI: macro stress, 0 to 100, daily (docs/COMPOSITES.md#macro-stress).
//!
//! Each input is ranked in its own past since 1986; the ranks are averaged by weight. Two profiles:
//! - full (`cmsi-v1`): applies when BAA10Y or VIXCLS, which are copyrighted and present only when an operator
//!   fetches or imports them, is current on the reference day;
//! - public: applies otherwise; made of public figures alone, so that a bundled history suffices.
//!
//! The profile is chosen once for the whole history, so that a history never mixes two definitions.

use super::blend::{DailyIndex, Part};
use super::composite::{Composite, Computation, Indicator, band};
use super::explain::{describe_reading, describe_unavailable};
use super::measure::Proxy;
use super::reading::Reading;
use super::record::{LAST_STUDIED, counted};
use super::statistics::expanding_ecdf;
use crate::model::series_info::round_to;

/// The macro stress index.
pub const CMSI: Composite = Composite {
    indicator: Indicator {
        id: "SERVICE_CMSI",
        title: "Macro Stress Index",
        method: "cmsi-v1",
        summary: "macro stress, 0 to 100: credit, volatility, financial conditions, jobless claims and the dollar, each \
                  ranked in its own past",
        formula: "100 · Σ wᵢ·ECDFᵢ / Σ wᵢ over the inputs present (at least 60 % of the weight); ECDFᵢ = where \
                  the input stands among all its earlier days since 1986",
        source: "Ranking as in CISS (Holló, Kremer and Lo Duca 2012, ECB WP 1426); weights our own",
    },
    unit: "out of 100",
    bands: &[
        band(0.0, "calm"),
        band(35.0, "normal"),
        band(60.0, "elevated"),
        band(76.0, "high"),
        band(90.0, "crisis"),
    ],
    computation: Computation::Blend(&INDEX),
    alarm: None,
    experimental: false,
    interpret,
};

/// Earlier days an input needs before it is ranked.
const MIN_HISTORY: usize = 504;

static INDEX: DailyIndex = DailyIndex {
    full: FULL,
    fallback: PUBLIC,
    full_requires: &[&["BAA10Y"], &["VIXCLS"]],
    fallback_basis: "public profile: NFCI .45, excess bond premium .25, claims .20, rates volatility .10, because \
                  neither BAA10Y nor VIXCLS is current",
    score: |values| {
        // Values that differ only by rounding noise must rank as equal.
        let clean: Vec<f64> = values.iter().map(|v| round_to(*v, 9)).collect();
        expanding_ecdf(&clean, MIN_HISTORY)
    },
    base: 0.0,
    min_weight: 0.6,
};

const CONDITIONS: Part = Part {
    name: "Financial conditions",
    unit: "index",
    weight: 0.20,
    proxies: &[Proxy::level(&["NFCI"])],
};
const LABOR: Part = Part {
    name: "Jobless claims, 4 weeks against a year ago",
    unit: "log %",
    weight: 0.15,
    proxies: &[Proxy::new(&["ICSA"], |m| {
        m.yearly_growth_of_four_week_mean()
    })],
};
const RATES: Part = Part {
    name: "Rates volatility, 21 days of DGS10",
    unit: "bp a year",
    weight: 0.10,
    // Percentage points a day to basis points a year of 252 days.
    proxies: &[Proxy::new(&["DGS10"], |m| {
        m.volatility(21, 252f64.sqrt() * 100.0)
    })],
};

const FULL: &[Part] = &[
    Part {
        name: "Credit spread",
        unit: "percentage points",
        weight: 0.25,
        proxies: &[
            Proxy::level(&["BAA10Y"]),
            Proxy::level(&["EBP"]),
            Proxy::level(&["NFCICREDIT"]),
        ],
    },
    Part {
        name: "Equity volatility",
        unit: "index",
        weight: 0.20,
        proxies: &[Proxy::level(&["VIXCLS"])],
    },
    CONDITIONS,
    LABOR,
    RATES,
    Part {
        name: "Dollar, 63 days",
        unit: "log %",
        weight: 0.10,
        proxies: &[Proxy::new(&["DTWEXBGS"], |m| m.log_change(63).scale(100.0))],
    },
];

const PUBLIC: &[Part] = &[
    CONDITIONS.with_weight(0.45),
    Part {
        name: "Excess bond premium",
        unit: "percentage points",
        weight: 0.25,
        proxies: &[Proxy::level(&["EBP"])],
    },
    LABOR.with_weight(0.20),
    RATES,
];

fn interpret(reading: &Reading) -> String {
    let Some(sentence) = describe_reading(&CMSI, reading) else {
        return describe_unavailable(reading);
    };
    let is_public = reading.basis.iter().any(|b| b == INDEX.fallback_basis);
    let averages = if is_public {
        "81 in recessions and 42"
    } else {
        "82 in recessions and 46"
    };
    let record =
        format!("It averages {averages} otherwise; it ranks the present and is no forecast.");
    format!(
        "{sentence} {}",
        counted(&record, reading.date, LAST_STUDIED)
    )
}

#[cfg(test)]
mod tests;
