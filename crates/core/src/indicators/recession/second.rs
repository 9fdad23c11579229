//! Recession probability, second version, CRPI2, method crpi-v2, experimental: docs/COMPOSITES.md#second-version.
//!
//! Adds the spread of the past year and the excess bond premium to the first version, which it does not replace.

use super::inputs::{self, Drivers, Sources, second_term};
use crate::indicators::composite::{Composite, Computation, Indicator};
use crate::indicators::months::Month;
use crate::indicators::prose;
use crate::indicators::reading::{Input, Reading, Trend};
use crate::indicators::record::sentence;
use crate::indicators::shapley::attributed_reading;
use crate::indicators::statistics::{mean, normal_cdf};
use crate::model::{Date, Observation, SeriesSet};

/// Recession probability of the second version, 0 to 100, monthly.
pub const CRPI2: Composite = Composite {
    indicator: Indicator {
        id: "SERVICE_CRPI2",
    },
    computation: Computation::Formula { reading, history },
    interpret,
};

/// S, F, B of the first version, then A and E.
type FiveInputs = [Option<f64>; 5];

/// Means of the five inputs over the months of the fits: the reference of the contributions.
const USUAL: [f64; 5] = [1.423, 0.019, 0.338, 1.431, 0.065];

/// Returns the two probits, 0 to 1; `None` without the yearly spread or without the first probit.
fn terms([s, f, b, a, e]: FiveInputs) -> Option<[f64; 2]> {
    let second = match (a?, e) {
        (a, Some(e)) => 0.0529 - 1.0036 * a + 1.3910 * e,
        (a, None) => 0.0089 - 0.8060 * a,
    };
    Some([second_term([s, f, b])?, normal_cdf(second)])
}

/// Returns the probability, 0 to 100.
fn probability(inputs: FiveInputs) -> Option<f64> {
    let value = terms(inputs).map(|[p1, p2]| 50.0 * (p1 + p2));
    value.filter(|v| v.is_finite())
}

/// Returns the drivers of the first version in a month, and all five inputs.
fn month_inputs(sources: &Sources<'_>, month: Month) -> (Drivers, FiveInputs) {
    let spread = |back: i32| Some(sources.spread(month.plus(-back))?.value);
    let year: Option<Vec<f64>> = (0..12).map(spread).collect();
    let drivers = sources.drivers(month);
    let [s, f, b] = inputs::values(&drivers);
    let premium = sources.premium.get(month.plus(-1));
    (drivers, [s, f, b, year.as_deref().and_then(mean), premium])
}

fn history(set: &SeriesSet, day: Date) -> Vec<Observation> {
    let sources = Sources::read(set, day);
    sources.path(|m| probability(month_inputs(&sources, m).1))
}

fn reading(set: &SeriesSet, day: Date) -> Reading {
    let sources = Sources::read(set, day);
    let month = Month::from_date(day);
    let before = month.plus(-1);
    let (drivers, values) = month_inputs(&sources, month);
    let [.., year, premium] = values;
    let [s, f, b] = sources.inputs(&drivers);
    let unit = "percentage points";
    let year_input = Input::new(
        (
            "Term spread of the past year",
            &["T10Y3M", "GS10", "TB3MS"],
            unit,
        ),
        year.map(|v| (v, month.first_day()))
            .ok_or_else(|| "the term spread lacks one of the last twelve months".to_owned()),
    );
    let no_premium = || {
        if set.up_to("EBP", day).is_empty() {
            set.describe_missing("EBP", day)
        } else {
            format!("EBP has no figure of {}", before.name())
        }
    };
    let dated_premium = premium.map(|v| (v, before.first_day()));
    let premium_input = Input::new(
        ("Excess bond premium", &["EBP"], unit),
        dated_premium.ok_or_else(no_premium),
    );
    let inputs = [s, f, b, year_input, premium_input];
    let mut reading = attributed_reading(month.first_day(), inputs, USUAL, probability);
    if let Some((value, [p1, p2])) = reading.value.zip(terms(values)) {
        let before = probability(month_inputs(&sources, month.plus(-3)).1);
        reading.trend = Trend::between(before, value, "3 months");
        let terms = format!("p1 {:.2} %, p2 {:.2} %", 100.0 * p1, 100.0 * p2);
        reading.basis.push(terms);
        if premium.is_none() {
            let fallback = "fallback without the excess bond premium (ebp: false)";
            reading.basis.push(fallback.to_owned());
        }
        reading.basis.extend(inputs::basis(&drivers));
    }
    reading
}

/// Describes the band and the evidence.
fn interpret(reading: &Reading) -> String {
    let Some(value) = reading.value else {
        return prose::describe_unavailable("The experimental recession probability", reading);
    };
    let basis = reading.basis.join("; ");
    format!(
        "Experimental. {}: {value:.1} % that an NBER recession month falls within the next 12 months{} ({basis}). {} \
         It gave a false alarm from 2023-01 to 2024-07.",
        prose::capitalize(CRPI2.band(value).unwrap_or_default()),
        prose::format_trend(reading.trend.as_ref(), "points", 1),
        sentence("CRPI2"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::indicators::testdata;
    use jiff::civil::date;

    #[test]
    fn current_figures_give_the_golden_values() {
        let set = testdata::load(&CRPI2.inputs());
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
            let (_, inputs) = month_inputs(&Sources::read(&set, date(2026, 8, 22)), month);
            for (actual, expected) in inputs.into_iter().zip(five) {
                assert!(
                    actual.map_or(expected.is_nan(), |v| (v - expected).abs() <= 5.1e-5),
                    "{actual:?} {expected}"
                );
            }
            let [a, b] = terms(inputs).unwrap();
            assert!(
                (100.0 * a - p1).abs() <= 0.0051 && (100.0 * b - p2).abs() <= 0.0051,
                "{a} {b}"
            );
            assert!(
                (probability(inputs).unwrap() - value).abs() <= 0.0051,
                "{value}"
            );
        }
    }

    #[test]
    fn missing_input_is_noted_or_gives_no_value() {
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
