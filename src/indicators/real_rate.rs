//! SERVICE_CRRT: the policy rate less inflation, monthly.

use super::composite::{Composite, Computation, Indicator, Listing, band};
use super::explain::{opening, without};
use super::months::{Month, Months};
use super::reading::{Input, Reading};
use super::resample::known_or_none;
use crate::model::{Date, Frequency, Observation, SeriesSet};

/// The real policy rate.
pub const CRRT: Composite = Composite {
    about: Indicator {
        id: "SERVICE_CRRT",
        title: "Real Policy Rate (experimental)",
        method: "crrt-v1",
        summary: "real policy rate, percent: the federal funds rate less core PCE inflation of a year",
        formula: "FEDFUNDS - 100·(PCEPILFE / PCEPILFE twelve months before - 1)",
        source: "Federal Reserve H.15 and BEA; the usual definition",
        listing: Some(Listing {
            units: "Percent",
            units_short: "%",
            frequency: Frequency::Monthly,
            made_from: "H.15 and the BEA",
            publication_lag_days: 30,
            decimals: 2,
            term: "Real policy rate",
            aliases: &["service_crrt", "real federal funds rate index"],
            meaning: "The federal funds rate less core PCE inflation over a year, monthly and on trial. Below 0.5 percent \
                      is read as loose, above 2 as tight.",
            related: &["cnli"],
            series: &["FEDFUNDS", "PCEPILFE"],
        }),
    },
    unit: "%",
    bands: &[
        band(-100.0, "loose"),
        band(0.5, "neutral"),
        band(2.0, "tight"),
    ],
    computation: Computation::Own {
        inputs: &["FEDFUNDS", "PCEPILFE"],
        reading,
        history,
    },
    alarm: None,
    experimental: true,
    interpret: |reading| match opening(&CRRT, "The real policy rate", reading) {
        Some((sentence, _)) => sentence,
        None => without(&CRRT, reading),
    },
};

/// A month of which both figures are known: the rate, and prices against those of a year before in percent.
fn months(set: &SeriesSet, day: Date) -> impl Iterator<Item = (Date, f64, f64)> {
    let prices = Months::lasts(known_or_none(set.get("PCEPILFE"), day));
    let rates = known_or_none(set.get("FEDFUNDS"), day).iter();
    rates.filter_map(move |rate| {
        let month = Month::of(rate.date);
        let inflation = prices.get(month)? / prices.get(month.plus(-12))? - 1.0;
        Some((rate.date, rate.value, 100.0 * inflation))
    })
}

/// Every month up to `day` of which both are known, ascending.
fn history(set: &SeriesSet, day: Date) -> Vec<Observation> {
    let months = months(set, day);
    months
        .map(|(date, rate, inflation)| Observation::new(date, rate - inflation))
        .collect()
}

fn reading(set: &SeriesSet, day: Date) -> Reading {
    let newest = months(set, day).last();
    let input = |name, id, value: Option<f64>, sign: f64| Input {
        name,
        series: vec![id],
        value,
        unit: "percent",
        date: newest.map(|(date, ..)| date),
        weight: None,
        contribution: value.map(|value| sign * value),
        missing: value.is_none().then(|| "no month has both".to_owned()),
    };
    let inputs = vec![
        input(
            "Federal funds rate",
            "FEDFUNDS",
            newest.map(|(_, rate, _)| rate),
            1.0,
        ),
        input(
            "Core inflation",
            "PCEPILFE",
            newest.map(|(.., inflation)| inflation),
            -1.0,
        ),
    ];
    match newest {
        Some((date, rate, inflation)) => Reading::of(date, rate - inflation, inputs),
        None => Reading::none(day, "no month has both of its inputs".into(), inputs),
    }
}
