//! SERVICE_CRAI: risk appetite, 0 to 100 with 50 neutral, daily (docs/COMPOSITES.md#risk-appetite).
//!
//! Each input is compared with its own last two years and scored; the scores are averaged by
//! weight. Two profiles, chosen once for the whole history:
//! - full (`crai-v1`): applies when both funds of a pair (IWM/SPY, HYG/LQD, SPY/TLT) are current on the
//!   reference day;
//! - FRED-only: applies otherwise; needs an equity index (NASDAQCOM or SP500) or VIXCLS and a credit spread.
//!
//! None of the bundled public series measures equities or credit, so without an operator's own figures
//! there is no reading, but a reason.

use super::blend::{DailyIndex, Part};
use super::composite::{Composite, Computation, Indicator, band};
use super::explain::{describe_reading, describe_unavailable};
use super::measure::{Measure, Proxy};
use super::reading::Reading;
use super::statistics::{normal_cdf, rolling_z};

/// The risk appetite index.
pub const CRAI: Composite = Composite {
    indicator: Indicator {
        id: "SERVICE_CRAI",
        title: "Risk Appetite Index",
        method: "crai-v1",
        summary: "risk appetite, 0 to 100, 50 is neutral: prices, volatility and credit spreads against their last two years",
        formula: "Σ wᵢ·100·Φ(zᵢ) / Σ wᵢ over the inputs present (at least 50 % of the weight); zᵢ = distance \
                  from the mean of 504 days in standard deviations, held within ±3",
        source: "Own blend of market measures in common use; weights our own",
    },
    unit: "out of 100",
    bands: &[
        band(0.0, "extreme fear"),
        band(20.0, "cautious"),
        band(40.0, "neutral"),
        band(60.0, "risk-on"),
        band(80.0, "euphoric"),
    ],
    computation: Computation::Blend(&INDEX),
    alarm: None,
    experimental: false,
    interpret,
};

const WINDOW: usize = 504;
const MIN_DAYS: usize = 252;
/// Two and a half years of credit figures, in days (docs/COMPOSITES.md#risk-appetite).
const CREDIT_PAST_DAYS: i64 = 913;

static INDEX: DailyIndex = DailyIndex {
    full: FULL,
    fallback: FRED_ONLY,
    full_requires: &[&["IWM", "SPY"], &["HYG", "LQD"], &["SPY", "TLT"]],
    fallback_basis: "FRED-only profile: equities .30, volatility .20, term structure .10, credit .25, breakevens .05, \
                  financial conditions .10, because no pair of exchange-traded funds is current",
    score: |values| {
        let z = rolling_z(values, WINDOW, MIN_DAYS, 3.0);
        z.into_iter().map(|z| z.map(normal_cdf)).collect()
    },
    base: 50.0,
    min_weight: 0.5,
};

const MOMENTUM: Part = Part {
    name: "Equities against their 125-day mean",
    unit: "log",
    weight: 0.20,
    proxies: &[
        Proxy::new(&["SPY"], momentum),
        Proxy::new(&["SP500"], momentum),
        Proxy::new(&["NASDAQCOM"], momentum),
    ],
};
const VOLATILITY: Part = Part {
    name: "Equity volatility against its 50-day mean (inverted)",
    unit: "log",
    weight: 0.15,
    proxies: &[Proxy::new(&["VIXCLS"], |m| m.relative_to_mean(50).invert())],
};
const TERM: Part = Part {
    name: "Volatility term structure, 1 to 3 months (inverted)",
    unit: "log",
    weight: 0.10,
    proxies: &[Proxy::new(&["VIXCLS", "VXVCLS"], |m| m.invert())],
};
const CREDIT: Part = Part {
    name: "Credit spread, 63 days (inverted)",
    unit: "percentage points",
    weight: 0.20,
    proxies: &[
        Proxy {
            min_history_days: CREDIT_PAST_DAYS,
            ..Proxy::new(&["BAMLH0A0HYM2"], narrowing)
        },
        Proxy::new(&["BAA10Y"], narrowing),
    ],
};

const FULL: &[Part] = &[
    MOMENTUM,
    VOLATILITY,
    TERM,
    CREDIT,
    Part {
        name: "High yield against investment grade, 20 days",
        unit: "log",
        weight: 0.10,
        proxies: &[Proxy::new(&["HYG", "LQD"], |m| m.change(20))],
    },
    Part {
        name: "Equities against long Treasuries, 20 days",
        unit: "log",
        weight: 0.10,
        proxies: &[Proxy::new(&["SPY", "TLT"], |m| m.change(20))],
    },
    Part {
        name: "Small against large companies, 60 days",
        unit: "log",
        weight: 0.10,
        proxies: &[Proxy::new(&["IWM", "SPY"], |m| m.change(60))],
    },
    Part {
        name: "Bitcoin against its 125-day mean",
        unit: "log",
        weight: 0.05,
        // It trades on every day of the year; the index has the days of the other markets only.
        proxies: &[Proxy {
            defines_days: false,
            ..Proxy::new(&["BTC"], momentum)
        }],
    },
];

const FRED_ONLY: &[Part] = &[
    Part {
        weight: 0.30,
        proxies: &[
            Proxy::new(&["NASDAQCOM"], momentum),
            Proxy::new(&["SP500"], momentum),
        ],
        ..MOMENTUM
    },
    VOLATILITY.with_weight(0.20),
    TERM,
    CREDIT.with_weight(0.25),
    Part {
        name: "Breakeven inflation, 63 days",
        unit: "percentage points",
        weight: 0.05,
        proxies: &[Proxy::new(&["T10YIE"], |m| m.change(63))],
    },
    Part {
        name: "Financial conditions, 13 weeks (inverted)",
        unit: "index points",
        weight: 0.10,
        proxies: &[Proxy::new(&["NFCI"], |m| m.change(13).invert())],
    },
];

fn momentum(level: Measure) -> Measure {
    level.relative_to_mean(125)
}

fn narrowing(spread: Measure) -> Measure {
    spread.change(63).invert()
}

fn interpret(reading: &Reading) -> String {
    let Some(sentence) = describe_reading(&CRAI, reading) else {
        return describe_unavailable(reading);
    };
    format!(
        "{sentence} It is useful against the crowd at the extremes only, and no forecast between them."
    )
}

#[cfg(test)]
mod tests;
