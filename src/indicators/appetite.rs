//! SERVICE_CRAI: risk appetite, 0 to 100 with 50 neutral, daily (METHODS 5).
//!
//! Each input is set against its own last two years and turned into a score; the scores are averaged by
//! weight. Two profiles, chosen once for the whole history:
//! - full (`crai-v1`): applies when both funds of a pair (IWM/SPY, HYG/LQD, SPY/TLT) are current on the
//!   reference day;
//! - FRED-only: applies otherwise; needs an equity index (NASDAQCOM or SP500) or VIXCLS and a credit spread.
//!
//! None of the bundled public series measures equities or credit, so without an operator's own figures
//! there is no reading, and that is said.

use super::blend::{Blend, Part, Rule};
use super::composite::{Band, Composite, Reading};
use super::explain::{opening, standing, without};
use super::measure::{Measure, difference};
use super::months::log_ratio;
use super::statistics::{normal_cdf, rolling_z_after};
use crate::model::frequency::shift;
use crate::model::{Date, SeriesSet};
use jiff::ToSpan;

/// The risk appetite index.
pub const CRAI: Composite = Composite {
    id: "SERVICE_CRAI",
    method: "crai-v1",
    name: "Risk Appetite Index",
    formula: "Σ wᵢ·100·Φ(zᵢ) / Σ wᵢ over the inputs present (at least 50 % of the weight); zᵢ = distance \
              from the mean of 504 days in standard deviations, held within ±3",
    source: "Own blend of market measures in common use; weights our own",
    inputs: &[
        "SPY",
        "SP500",
        "NASDAQCOM",
        "VIXCLS",
        "VXVCLS",
        "BAMLH0A0HYM2",
        "BAA10Y",
        "HYG",
        "LQD",
        "TLT",
        "IWM",
        "BTC",
        "T10YIE",
        "NFCI",
    ],
    bands: &[
        Band {
            from: 0.0,
            name: "extreme fear",
        },
        Band {
            from: 20.0,
            name: "cautious",
        },
        Band {
            from: 40.0,
            name: "neutral",
        },
        Band {
            from: 60.0,
            name: "risk-on",
        },
        Band {
            from: 80.0,
            name: "euphoric",
        },
    ],
    since: |set, day, from| Blend::since(parts(set, day), RULE, set, day, from).history(),
    profile: |set, day| {
        if is_full(set, day) {
            "full"
        } else {
            "FRED-only"
        }
    },
    reading,
    interpret,
};

const WINDOW: usize = 504;
const LEAST_DAYS: usize = 252;
/// Two and a half years of credit figures, in days (METHODS 5).
const CREDIT_PAST_DAYS: i64 = 913;

const RULE: Rule = Rule {
    score: |values, skip| {
        let z = rolling_z_after(values, WINDOW, LEAST_DAYS, 3.0, skip);
        z.into_iter().map(|z| z.map(normal_cdf)).collect()
    },
    reach: Some(WINDOW),
    base: 50.0,
    least_weight: 0.5,
    trend: (28, "4 weeks"),
};

const MOMENTUM: Part = Part {
    name: "Equities against their 125-day mean",
    unit: "log",
    weight: 0.20,
    series: &["SPY", "SP500", "NASDAQCOM"],
    alternatives: &[
        |set, span| momentum(set, "SPY", span),
        |set, span| momentum(set, "SP500", span),
        |set, span| momentum(set, "NASDAQCOM", span),
    ],
};
const VOLATILITY: Part = Part {
    name: "Equity volatility against its 50-day mean (inverted)",
    unit: "log",
    weight: 0.15,
    series: &["VIXCLS"],
    alternatives: &[|set, span| {
        Measure::level(set, "VIXCLS", span).map(|m| m.against_mean(50).scaled(-1.0))
    }],
};
const TERM: Part = Part {
    name: "Volatility term structure, 1 to 3 months (inverted)",
    unit: "log",
    weight: 0.10,
    series: &["VIXCLS", "VXVCLS"],
    alternatives: &[|set, span| ratio(set, ("VIXCLS", "VXVCLS"), span).map(|m| m.scaled(-1.0))],
};
const CREDIT: Part = Part {
    name: "Credit spread, 63 days (inverted)",
    unit: "percentage points",
    weight: 0.20,
    series: &["BAMLH0A0HYM2", "BAA10Y"],
    alternatives: &[
        |set, span| {
            let first = set.get("BAMLH0A0HYM2")?.observations.first()?.date;
            let usable_from = Some(shift(first, CREDIT_PAST_DAYS.days()));
            narrowing(set, "BAMLH0A0HYM2", span).map(|m| Measure { usable_from, ..m })
        },
        |set, span| narrowing(set, "BAA10Y", span),
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
        series: &["HYG", "LQD"],
        alternatives: &[|set, span| ratio_change(set, ("HYG", "LQD"), 20, span)],
    },
    Part {
        name: "Equities against long Treasuries, 20 days",
        unit: "log",
        weight: 0.10,
        series: &["SPY", "TLT"],
        alternatives: &[|set, span| ratio_change(set, ("SPY", "TLT"), 20, span)],
    },
    Part {
        name: "Small against large companies, 60 days",
        unit: "log",
        weight: 0.10,
        series: &["IWM", "SPY"],
        alternatives: &[|set, span| ratio_change(set, ("IWM", "SPY"), 60, span)],
    },
    Part {
        name: "Bitcoin against its 125-day mean",
        unit: "log",
        weight: 0.05,
        series: &["BTC"],
        alternatives: &[|set, span| {
            // It trades on every day of the year; the index keeps to the days of the other markets.
            momentum(set, "BTC", span).map(|m| Measure {
                sets_days: false,
                ..m
            })
        }],
    },
];

const FRED_ONLY: &[Part] = &[
    Part {
        weight: 0.30,
        series: &["NASDAQCOM", "SP500"],
        alternatives: &[
            |set, span| momentum(set, "NASDAQCOM", span),
            |set, span| momentum(set, "SP500", span),
        ],
        ..MOMENTUM
    },
    Part {
        weight: 0.20,
        ..VOLATILITY
    },
    TERM,
    Part {
        weight: 0.25,
        ..CREDIT
    },
    Part {
        name: "Breakeven inflation, 63 days",
        unit: "percentage points",
        weight: 0.05,
        series: &["T10YIE"],
        alternatives: &[|set, span| {
            Measure::level(set, "T10YIE", span).map(|m| m.over(63, difference))
        }],
    },
    Part {
        name: "Financial conditions, 13 weeks (inverted)",
        unit: "index points",
        weight: 0.10,
        series: &["NFCI"],
        alternatives: &[|set, span| {
            Measure::level(set, "NFCI", span).map(|m| m.over(13, difference).scaled(-1.0))
        }],
    },
];

fn momentum(set: &SeriesSet, id: &'static str, span: (Date, Date)) -> Option<Measure> {
    Measure::level(set, id, span).map(|m| m.against_mean(125))
}

fn narrowing(set: &SeriesSet, id: &'static str, span: (Date, Date)) -> Option<Measure> {
    Measure::level(set, id, span).map(|m| m.over(63, difference).scaled(-1.0))
}

fn ratio(
    set: &SeriesSet,
    (top, bottom): (&'static str, &'static str),
    span: (Date, Date),
) -> Option<Measure> {
    let bottom = Measure::level(set, bottom, span)?;
    Measure::level(set, top, span).map(|m| m.joined(&bottom, log_ratio))
}

fn ratio_change(
    set: &SeriesSet,
    pair: (&'static str, &'static str),
    days: usize,
    span: (Date, Date),
) -> Option<Measure> {
    ratio(set, pair, span).map(|m| m.over(days, difference))
}

/// Whether a pair of funds is there on `day`, so that the full profile applies.
fn is_full(set: &SeriesSet, day: Date) -> bool {
    let current = |id| set.get(id).is_some_and(|s| s.lookup(day).is_some());
    [("IWM", "SPY"), ("HYG", "LQD"), ("SPY", "TLT")]
        .iter()
        .any(|(a, b)| current(a) && current(b))
}

fn parts(set: &SeriesSet, day: Date) -> &'static [Part] {
    if is_full(set, day) { FULL } else { FRED_ONLY }
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
            "FRED-only profile: equities .30, volatility .20, term structure .10, credit .25, breakevens .05, \
             financial conditions .10, because no pair of exchange-traded funds is current"
                .to_owned(),
        );
    }
    reading
}

fn interpret(reading: &Reading) -> String {
    let Some((sentence, value)) = opening(&CRAI, "Risk appetite", reading) else {
        return without(&CRAI, reading);
    };
    let meaning = match CRAI.band(value) {
        Some("extreme fear") => {
            "Investors shun risk; after such days equities rose somewhat more than usual."
        }
        Some("cautious") => "Investors lean away from risk.",
        Some("neutral") => "Investors lean neither way.",
        Some("risk-on") => "Investors lean towards risk.",
        _ => "Investors reach for risk.",
    };
    format!(
        "{sentence} {meaning} Equities' next 20 days by bucket of 20 points, lowest first: 1.6, 0.5, 0.9, 0.7 \
         and 0.4 %: useful against the crowd at the extremes only, and no forecast between them."
    )
}

#[cfg(test)]
mod tests;
