//! Recession probability, second version, CRPI2, method crpi-v2, experimental: docs/METHODS.md#second-version.
//!
//! A twelve-month target asks for the spread of the past year, not of this month alone, and for the excess bond premium.
//! It stands beside the first version and never in its place.

use super::inputs::{BANDS, Found, Sources, basis as stand_ins, drivers, second_term};
use crate::indicators::composite::{Composite, Computation, Indicator, Listing};
use crate::indicators::months::Month;
use crate::indicators::prose;
use crate::indicators::reading::{Input, Reading, Trend};
use crate::indicators::record::sentence;
use crate::indicators::shapley::attributed;
use crate::indicators::statistics::{mean, normal_cdf};
use crate::model::{Date, Frequency, Observation, SeriesSet};

/// Recession probability of the second version, 0 to 100, monthly.
pub const CRPI2: Composite = Composite {
    about: Indicator {
        id: "SERVICE_CRPI2",
        title: "Recession Probability (second version; experimental)",
        method: "crpi-v2",
        summary: "experimental: probability of a US recession within 12 months, 0 to 100, from the term spread of the past \
                  year, the excess bond premium, financial conditions and building permits; beside CRPI, never in its place",
        formula: "100 * (p1 + p2) / 2; p1 = Phi(-0.4101 - 0.4916 S + 0.8150 F - 0.0268 B) as in CRPI; p2 = Phi(0.0529 - 1.0036 \
                  A + 1.3910 E), without E Phi(0.0089 - 0.8060 A); A = mean of S over twelve months; E = excess bond premium \
                  of the month before",
        source: "Own probits, p2 on 1973-02 to 2024-07, 618 months, without E on 1962-01 to 2024-07, 751 months; excess bond \
                 premium: Favara, Gilchrist, Lewis and Zakrajsek 2016. 57 probits and 14 averages were tried",
        listing: Some(Listing {
            units: "Percent",
            units_short: "%",
            frequency: Frequency::Monthly,
            made_from: "yields, NFCI, permits and EBP",
            publication_lag_days: 0,
            decimals: 1,
            term: "Recession probability index, second version",
            aliases: &["crpi2", "service_crpi2", "second recession probability"],
            meaning: "On trial beside the recession probability index: the mean of its second probit and of one on \
                     the past year's term spread and the excess bond premium. What it is worth beside the first one is in its \
                     record.",
            related: &["crpi", "probit", "10y-3m-spread", "excess-bond-premium"],
            series: &["T10Y3M", "NFCI", "PERMIT", "EBP"],
        }),
    },
    unit: "%",
    bands: BANDS,
    computation: Computation::Own {
        inputs: &["T10Y3M", "GS10", "TB3MS", "NFCI", "PERMIT", "EBP"],
        reading,
        history,
    },
    alarm: None,
    experimental: true,
    interpret,
};

/// S, F, B of the first version, then A and E.
type FiveInputs = [Option<f64>; 5];

/// Means of the five over the months of the fits: the reference of the contributions.
const USUAL: [f64; 5] = [1.423, 0.019, 0.338, 1.431, 0.065];

/// The two terms; `None` without the yearly spread or without the first.
fn terms([s, f, b, a, e]: FiveInputs) -> Option<[f64; 2]> {
    let a = a?;
    let second = match e {
        Some(e) => 0.0529 - 1.0036 * a + 1.3910 * e,
        None => 0.0089 - 0.8060 * a,
    };
    Some([second_term([s, f, b])?, normal_cdf(second)])
}

/// The probability, 0 to 100.
fn probability(five: FiveInputs) -> Option<f64> {
    let value = terms(five).map(|[p1, p2]| 50.0 * (p1 + p2));
    value.filter(|v| v.is_finite())
}

/// The first three of a month with what stands in for them, and all five.
fn five(sources: &Sources<'_>, month: Month) -> ([Option<Found>; 3], FiveInputs) {
    let spread = |back: i32| Some(sources.spread(month.plus(-back))?.value);
    let year: Option<Vec<f64>> = (0..12).map(spread).collect();
    let found = sources.month(month);
    let [s, f, b] = drivers(&found);
    let premium = sources.premium(month.plus(-1));
    (found, [s, f, b, year.as_deref().and_then(mean), premium])
}

fn history(set: &SeriesSet, day: Date) -> Vec<Observation> {
    let sources = Sources::read(set, day);
    sources.path(|m| probability(five(&sources, m).1))
}

fn reading(set: &SeriesSet, day: Date) -> Reading {
    let sources = Sources::read(set, day);
    let month = Month::of(day);
    let (found, all) = five(&sources, month);
    let inputs = inputs(&sources, &found, all, month);
    let mut reading = attributed(month.first_day(), inputs, USUAL, probability);
    if let Some((value, [p1, p2])) = reading.value.zip(terms(all)) {
        let before = probability(five(&sources, month.plus(-3)).1);
        reading.trend = Trend::since(before, value, "3 months");
        let both = format!("p1 {:.2} %, p2 {:.2} %", 100.0 * p1, 100.0 * p2);
        let without = "fallback without the excess bond premium (ebp: false)";
        let without = all[4].is_none().then(|| without.to_owned());
        reading.basis = [both].into_iter().chain(without).collect();
        reading.basis.extend(stand_ins(&found));
    }
    reading
}

fn inputs(
    sources: &Sources<'_>,
    found: &[Option<Found>; 3],
    [.., year, premium]: FiveInputs,
    month: Month,
) -> [Input; 5] {
    let before = month.plus(-1);
    let (yields, unit) = (&["T10Y3M", "GS10", "TB3MS"][..], "percentage points");
    let spread = ("Term spread of the past year", yields, unit);
    let bonds = ("Excess bond premium", &["EBP"][..], unit);
    let no_year = "the term spread lacks one of the last twelve months".to_owned();
    let no_premium = format!("EBP of {} is not loaded", before.name());
    let [s, f, b] = sources.inputs(found);
    let year = year.map(|v| (v, month.first_day()));
    let premium = premium.map(|v| (v, before.first_day()));
    [
        s,
        f,
        b,
        Input::of(spread, year, Some(no_year)),
        Input::of(bonds, premium, Some(no_premium)),
    ]
}

/// The band and the evidence, in sentences.
fn interpret(reading: &Reading) -> String {
    let Some(value) = reading.value else {
        return prose::unavailable("The experimental recession probability", reading);
    };
    let basis = reading.basis.join("; ");
    format!(
        "Experimental. {}: {value:.1} % that an NBER recession month falls within the next 12 months{} ({basis}). {} \
         It gave a false alarm from 2023-01 to 2024-07.",
        prose::capitalised(CRPI2.band(value).unwrap_or_default()),
        prose::moved(reading.trend.as_ref(), "points", 1),
        sentence("CRPI2"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indicators::testdata;
    use jiff::civil::date;

    #[test]
    fn golden_values_come_out_of_the_current_figures() {
        let Computation::Own { inputs, .. } = CRPI2.computation else {
            panic!("it has a formula of its own");
        };
        let set = testdata::load(inputs);
        for (month, five, [p1, p2], value) in [
            (
                (2000, 12),
                [-0.6965, -0.0676, -2.3047, 0.0325, 1.6150],
                [47.57, 98.83],
                73.20,
            ),
            (
                (2015, 6),
                [2.3486, -0.5505, 10.0308, 2.2045, 0.0560],
                [1.12, 1.87],
                1.50,
            ),
            (
                (2023, 5),
                [-1.7345, -0.2052, -20.4591, -0.4273, 0.1759],
                [79.49, 76.62],
                78.06,
            ),
            (
                (2026, 7),
                [0.7327, -0.5352, -1.2519, 0.4204, f64::NAN],
                [12.04, 37.07],
                24.56,
            ),
        ] {
            let month = Month::new(month.0, month.1);
            let (_, found) = super::five(&Sources::read(&set, date(2026, 8, 22)), month);
            for (found, expected) in found.into_iter().zip(five) {
                assert!(
                    found.map_or(expected.is_nan(), |v| (v - expected).abs() <= 5.1e-5),
                    "{found:?} {expected}"
                );
            }
            let [a, b] = terms(found).unwrap();
            assert!(
                (100.0 * a - p1).abs() <= 0.0051 && (100.0 * b - p2).abs() <= 0.0051,
                "{a} {b}"
            );
            assert!(
                (probability(found).unwrap() - value).abs() <= 0.0051,
                "{value}"
            );
        }
    }

    #[test]
    fn a_lack_is_flagged_or_leaves_no_value() {
        let set = testdata::load(&["T10Y3M", "GS10", "TB3MS", "NFCI", "PERMIT", "EBP"]);
        let now = reading(&set, date(2026, 8, 22));
        assert!(
            now.basis.iter().any(|b| b.contains("ebp: false")),
            "{:?}",
            now.basis
        );
        let then = reading(&set, date(2024, 6, 30));
        assert!(
            !then.basis.iter().any(|b| b.contains("ebp: false")),
            "{:?}",
            then.basis
        );
        assert_eq!(probability([Some(1.0), None, None, None, Some(0.0)]), None);
        assert_eq!(probability([None, None, Some(1.0), Some(1.0), None]), None);
    }
}
