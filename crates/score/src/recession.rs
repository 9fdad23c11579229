//! Both versions of the recession probability against the NBER's months, as known at each month's end.

use crate::detection::{self, Signal, SignalWindow};
use crate::target::{ByMonth, Row, Target};
use econoscope_core::error::Result;
use econoscope_core::indicators::months::{Month, Months, log_ratio};
use econoscope_core::indicators::nber::is_recession;
use econoscope_core::indicators::recession::CRPI;
use econoscope_core::indicators::recession::{first_term, second_term};
use econoscope_core::indicators::statistics::mean;
use econoscope_core::indicators::transform::bond_equivalent;
use econoscope_core::model::{AsOf, Knowledge, Observation};
use econoscope_data::desk::Desk;
use econoscope_data::desk::scores::ScoreTable;
use std::collections::BTreeMap;

/// From here on permits have vintages.
const REAL_TIME: Month = Month::new(1999, 8);
/// Labels 24 months old, of a target that looks 12 months ahead.
const TARGET: Target = Target {
    title: "a recession month within the next twelve, month ends of 1985-01 to 2024-07; permits as known then from \
            1999-08, conditions and premium as last revised",
    scored: [Month::new(1985, 1), Month::new(2024, 7)],
    known: |month| month.plus(-36),
    came: comes,
    parts: &[
        ("since 1999-08", |m| m >= REAL_TIME),
        ("in expansions", |m| !is_recession(m)),
    ],
};
/// First months of the fits: of spread, conditions and permits; of the yearly spread with the premium, and alone; of the
/// spread.
const FIRST: [Month; 4] = [
    Month::new(1971, 1),
    Month::new(1973, 2),
    Month::new(1962, 1),
    Month::new(1959, 1),
];
/// When a high probability counts as a warning of a recession: eighteen months.
const REACH: SignalWindow = SignalWindow {
    ahead: 548,
    behind: 0,
};
/// Where the ranges of the calibration begin.
const EDGES: [f64; 5] = [0.0, 0.15, 0.3, 0.5, 0.75];

/// A month's inputs: spread, conditions, permits as known then and as last revised, yearly spread, premium.
#[derive(Clone, Copy)]
struct Inputs {
    spread: f64,
    conditions: f64,
    permits: Option<f64>,
    revised: Option<f64>,
    year: Option<f64>,
    premium: Option<f64>,
}

pub(super) fn tables(desk: &Desk) -> Result<Vec<ScoreTable>> {
    let inputs = inputs(desk)?;
    let shipped = |permits: fn(&Inputs) -> Option<f64>| -> ByMonth {
        let at = |(month, i): (&Month, &Inputs)| {
            let second = second_term([Some(i.spread), Some(i.conditions), permits(i)])?;
            Some((*month, f64::midpoint(first_term(i.spread), second)))
        };
        inputs.range(FIRST[0]..).filter_map(at).collect()
    };
    let mut first = fitted(&inputs, FIRST[0], |i| Some([1.0, i.spread, i.conditions]));
    first.extend(fitted(&inputs, FIRST[0], |i| {
        Some([1.0, i.spread, i.conditions, i.permits?])
    }));
    let with = fitted(&inputs, FIRST[1], |i| Some([1.0, i.year?, i.premium?]));
    let without = fitted(&inputs, FIRST[2], |i| Some([1.0, i.year?]));
    let spread = inputs.iter().map(|(m, i)| (*m, first_term(i.spread)));
    let spread: ByMonth = spread.collect();
    let [known, revised] = [shipped(|i| i.permits), shipped(|i| i.revised)];
    let own = between(&spread, &first);
    let second = between(&first, &with);
    let short = between(&first, &without);
    let mut with_fallback = short.clone();
    with_fallback.extend(&second);
    let refitted = "refitted at each month, out of sample";
    let old = [
        ("these constants, which saw the sample", &known),
        ("the same on last revised figures", &revised),
        (refitted, &own),
        ("spread alone, published constants", &spread),
    ];
    let new = [
        (refitted, &second),
        ("the same without the premium", &short),
        ("CRPI refitted at each month", &own),
    ];
    let calibration = |indicator, how, by_month| {
        let title = format!("what it said{how} and what share came, the same months");
        TARGET.calibrated(indicator, &title, by_month, &EDGES)
    };
    let crossings = |indicator, name, by_month| {
        let signals = [30.0, 50.0].map(|level| crossed(name, by_month, level));
        detection::table(indicator, TARGET.scored[0], &REACH, &signals)
    };
    Ok(vec![
        TARGET.table("CRPI", &old),
        calibration("CRPI", ", these constants,", &known),
        calibration("CRPI", ", refitted,", &own),
        crossings("CRPI", "these constants", &known),
        TARGET.table("CRPI2", &new),
        calibration("CRPI2", " out of sample", &second),
        crossings("CRPI2", "out of sample", &with_fallback),
    ])
}

/// The mean of two probabilities where both are there.
fn between(a: &ByMonth, b: &ByMonth) -> ByMonth {
    let at = |(m, p): (&Month, &f64)| Some((*m, f64::midpoint(*p, *b.get(m)?)));
    a.iter().filter_map(at).collect()
}

/// When the probability stood at a level or above, by the month's end.
fn crossed(name: &str, by_month: &ByMonth, level: f64) -> Signal {
    let readings = by_month.range(TARGET.scored[0]..);
    let readings: Vec<Observation> = readings
        .map(|(m, p)| Observation::new(m.last_day(), 100.0 * p))
        .collect();
    Signal {
        name: format!("{level} or more, {name}"),
        spells: detection::at_least(level, &readings),
    }
}

/// Whether one of the next twelve months was one of a recession.
fn comes(month: Month) -> bool {
    (1..=12).any(|k| is_recession(month.plus(k)))
}

/// A probit fitted anew at each month from the first scored one on.
fn fitted<const N: usize>(
    inputs: &BTreeMap<Month, Inputs>,
    first: Month,
    pick: impl Fn(&Inputs) -> Option<[f64; N]>,
) -> ByMonth {
    let rows = inputs.range(first..);
    let rows: Vec<Row<N>> = rows.filter_map(|(m, i)| Some((*m, pick(i)?))).collect();
    TARGET.out_of_sample(&rows)
}

fn inputs(desk: &Desk) -> Result<BTreeMap<Month, Inputs>> {
    let ids = ["T10Y3M", "GS10", "TB3MS", "NFCI", "PERMIT", "EBP"];
    let set = desk.set(ids, AsOf::Latest)?;
    let rows = |id: &str| set.get(id).map_or(&[][..], |s| s.observations.as_slice());
    let [daily, conditions] = ["T10Y3M", "NFCI"].map(|id| Months::means(rows(id)));
    let [long, bill, homes, premium] =
        ["GS10", "TB3MS", "PERMIT", "EBP"].map(|id| Months::lasts(rows(id)));
    let spread = |m| {
        daily
            .get(m)
            .or_else(|| Some(long.get(m)? - bond_equivalent(bill.get(m)?)?))
    };
    let permits = |homes: &Months, m: Month| {
        let mean = |m| homes.mean3(m, 3);
        Some(100.0 * log_ratio(mean(m.plus(-1))?, mean(m.plus(-13))?)?)
    };
    let recorded = desk.recorded(["PERMIT"], desk.state()?)?;
    let mut known = recorded.first().map(Knowledge::of);
    let newest = Month::of(desk.data_date(CRPI.inputs(), AsOf::Latest)?.as_of);
    let months = FIRST[3].until(newest.plus(-1));
    let at = |m: Month| {
        let revised = permits(&homes, m);
        let then = known.as_mut().and_then(|known| {
            known.advance(m.last_day());
            let mut rows: Vec<_> = known.newest_first(m.last_day()).take(20).collect();
            rows.reverse();
            permits(&Months::lasts(&rows), m)
        });
        let year: Option<Vec<f64>> = (0..12).map(|k| spread(m.plus(-k))).collect();
        let found = Inputs {
            spread: spread(m)?,
            conditions: conditions.get(m).unwrap_or(f64::NAN),
            permits: if m < REAL_TIME { revised } else { then },
            revised,
            year: year.as_deref().and_then(mean),
            premium: premium.get(m.plus(-1)),
        };
        Some((m, found))
    };
    Ok(months.filter_map(at).collect())
}
