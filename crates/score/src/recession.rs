//! Scores of both versions of the recession probability against the NBER's months, as known at each month's end.

use crate::detection::{self, Signal};
use crate::evidence;
use crate::target::{ByMonth, Target, rows};
use econoscope_core::error::Result;
use econoscope_core::indicators::months::{Month, MonthlyGrid, log_ratio};
use econoscope_core::indicators::nber::is_recession;
use econoscope_core::indicators::recession::{CRPI, first_term, second_term};
use econoscope_core::indicators::statistics::mean;
use econoscope_core::indicators::transform::bond_equivalent;
use econoscope_core::model::{AsOf, Observation, VintageCursor};
use econoscope_desk::Desk;
use econoscope_desk::scores::ScoreTable;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The first month with vintages of permits.
const REAL_TIME: Month = Month::new(1999, 8);
/// Outcomes are known after 24 months, and the target looks 12 months ahead.
const TARGET: Target = Target {
    title: "a recession month within the next twelve, month ends of 1985-01 to 2024-07; permits as known then from \
            1999-08, conditions and premium as last revised",
    scored: [Month::new(1985, 1), Month::new(2024, 7)],
    last_known: |month| month.plus(-36),
    outcome: |month| (1..=12).any(|k| is_recession(month.plus(k))),
    overlap: 12,
    parts: &[
        ("since 1999-08", |m| m >= REAL_TIME),
        ("in expansions", |m| !is_recession(m)),
    ],
};
/// The target over all months with inputs of both versions, with constants from all other cycles.
const CYCLES: Target = Target {
    title: "the same target, month ends of 1973-02 to 2024-07, each cycle left out of the fit in turn",
    scored: [FIRST[1], Month::new(2024, 7)],
    ..TARGET
};
/// The target of the published yield curve: whether the month twelve months ahead is a recession month.
const CURVE: Target = Target {
    outcome: |month| is_recession(month.plus(12)),
    ..TARGET
};
/// The first month in which a choice among variants is based on ten years of scores.
const CHOICE: Month = Month::new(1995, 1);
/// First months of the fits: spread, conditions and permits; annual spread with premium; annual spread alone; spread.
const FIRST: [Month; 4] = [
    Month::new(1971, 1),
    Month::new(1973, 2),
    Month::new(1962, 1),
    Month::new(1959, 1),
];
/// The window in which a high probability is a warning of a recession: eighteen months.
const WINDOW: RangeInclusive<i64> = -548..=0;
/// Lower bounds of the ranges of the calibration.
const EDGES: [f64; 5] = [0.0, 0.15, 0.3, 0.5, 0.75];

/// The inputs of a month.
#[derive(Clone, Copy)]
struct Inputs {
    spread: f64,
    conditions: f64,
    /// Permits as known at the month's end.
    permits: Option<f64>,
    revised_permits: Option<f64>,
    annual_spread: Option<f64>,
    premium: Option<f64>,
}

type InputsByMonth = BTreeMap<Month, Inputs>;

const REFITTED: &str = "refitted at each month, out of sample";

pub(super) fn tables(desk: &Desk) -> Result<Vec<ScoreTable>> {
    let inputs = inputs(desk)?;
    // The second equation; permits are missing before their first year.
    let mut equation =
        TARGET.out_of_sample(&inputs, FIRST[0], |i| Some([1.0, i.spread, i.conditions]));
    equation.extend(TARGET.out_of_sample(&inputs, FIRST[0], first_row));
    let spread_refitted = CURVE.out_of_sample(&inputs, FIRST[3], spread_row);
    let both_refitted = midpoints(&spread_refitted, &equation);
    // Each cycle is excluded from its fit.
    let spread = CURVE.leave_one_cycle_out(&rows(&inputs, FIRST[1], spread_row));
    let equation_by_cycle = CYCLES.leave_one_cycle_out(&rows(&inputs, FIRST[1], first_row));
    let premium = CYCLES.leave_one_cycle_out(&rows(&inputs, FIRST[1], premium_row));
    let first = midpoints(&spread, &equation_by_cycle);
    let second = midpoints(&equation_by_cycle, &premium);
    let mut tables = first_version(&inputs, &equation, [&spread_refitted, &both_refitted])?;
    tables.push(CYCLES.table("CRPI", &[("each cycle left out in turn", &first)]));
    tables.extend(second_version(&inputs, &equation, &both_refitted)?);
    tables.push(CYCLES.table("CRPI2", &[("each cycle left out in turn", &second)]));
    Ok(tables)
}

/// Returns the tables of CRPI beside the published yield curve. `equation` is its second equation, refitted.
fn first_version(
    inputs: &InputsByMonth,
    equation: &ByMonth,
    [spread_refitted, both_refitted]: [&ByMonth; 2],
) -> Result<Vec<ScoreTable>> {
    let with_constants = |permits: fn(&Inputs) -> Option<f64>| -> ByMonth {
        let probability = |(month, i): (&Month, &Inputs)| {
            let second = second_term([Some(i.spread), Some(i.conditions), permits(i)])?;
            Some((*month, f64::midpoint(first_term(i.spread), second)))
        };
        inputs.range(FIRST[0]..).filter_map(probability).collect()
    };
    let shipped = with_constants(|i| i.permits);
    let revised = with_constants(|i| i.revised_permits);
    let published = inputs.iter().map(|(m, i)| (*m, first_term(i.spread)));
    let spread: ByMonth = published.collect();
    let recalibrated = TARGET.recalibrate(both_refitted, CHOICE);
    let rules = [
        ("these constants, which saw the sample", &shipped),
        ("the same on last revised figures", &revised),
        (REFITTED, &midpoints(&spread, equation)),
        ("both equations refitted, out of sample", both_refitted),
        ("spread alone, published constants", &spread),
        ("spread alone, refitted, out of sample", spread_refitted),
        ("both refitted, recalibrated, from 1995 on", &recalibrated),
    ];
    let pairs = [
        (
            "both refitted, beside spread alone, published",
            [both_refitted, &spread],
        ),
        (
            "both refitted, beside spread alone, refitted",
            [both_refitted, spread_refitted],
        ),
        (
            "recalibrated, beside both refitted, from 1995 on",
            [&recalibrated, both_refitted],
        ),
    ];
    Ok(vec![
        TARGET.table("CRPI", &rules),
        calibration_table("CRPI", ", these constants,", &shipped),
        calibration_table("CRPI", ", both equations refitted,", both_refitted),
        evidence::table("CRPI", &TARGET, &pairs)?,
        detection_table("CRPI", "these constants", &shipped),
    ])
}

/// Returns the tables of CRPI2 beside CRPI. `equation` is the one that both share, refitted.
fn second_version(
    inputs: &InputsByMonth,
    equation: &ByMonth,
    first: &ByMonth,
) -> Result<Vec<ScoreTable>> {
    let with_premium = TARGET.out_of_sample(inputs, FIRST[1], premium_row);
    let without_premium = TARGET.out_of_sample(inputs, FIRST[2], |i| Some([1.0, i.annual_spread?]));
    let second = midpoints(equation, &with_premium);
    let without_premium = midpoints(equation, &without_premium);
    // Five inputs, of which every set is tried.
    let row = |(m, i): (&Month, &Inputs)| {
        let [spread, conditions] = [i.spread, i.conditions].map(Some);
        let known = [spread, conditions, i.permits, i.annual_spread, i.premium];
        (*m, known)
    };
    let rows: Vec<_> = inputs.range(FIRST[1]..).map(row).collect();
    let best_variant = evidence::best_variant(&TARGET, &rows, CHOICE);
    let rules = [
        (REFITTED, &second),
        ("the same without the premium", &without_premium),
        ("CRPI, both equations refitted", first),
        (
            "the best by then of all sets of inputs, from 1995 on",
            &best_variant,
        ),
    ];
    let pairs = [
        ("refitted, beside CRPI with both refitted", [&second, first]),
        (
            "the best by then of all sets, beside CRPI with both refitted, from 1995 on",
            [&best_variant, first],
        ),
    ];
    let mut with_fallback = without_premium.clone();
    with_fallback.extend(&second);
    Ok(vec![
        TARGET.table("CRPI2", &rules),
        calibration_table("CRPI2", " out of sample", &second),
        evidence::table("CRPI2", &TARGET, &pairs)?,
        detection_table("CRPI2", "out of sample", &with_fallback),
    ])
}

fn calibration_table(indicator: &str, how: &str, by_month: &ByMonth) -> ScoreTable {
    let title = format!("what it said{how} and what share came, the same months");
    TARGET.calibration_table(indicator, &title, by_month, &EDGES)
}

fn detection_table(indicator: &str, name: &str, by_month: &ByMonth) -> ScoreTable {
    let readings: Vec<Observation> = by_month
        .range(TARGET.scored[0]..)
        .map(|(m, p)| Observation::new(m.last_day(), 100.0 * p))
        .collect();
    let signals = [30.0, 50.0].map(|level| {
        let periods = detection::periods_at_or_above(level, &readings);
        Signal::new(format!("{level} or more, {name}"), periods)
    });
    detection::table(indicator, TARGET.scored[0], &WINDOW, &signals)
}

/// Returns the means of two probabilities in the months that have both.
fn midpoints(a: &ByMonth, b: &ByMonth) -> ByMonth {
    let midpoint = |(m, p): (&Month, &f64)| Some((*m, f64::midpoint(*p, *b.get(m)?)));
    a.iter().filter_map(midpoint).collect()
}

/// The row of the second equation of the first version.
fn first_row(i: &Inputs) -> Option<[f64; 4]> {
    Some([1.0, i.spread, i.conditions, i.permits?])
}

/// The row of the equation that the second version adds.
fn premium_row(i: &Inputs) -> Option<[f64; 3]> {
    Some([1.0, i.annual_spread?, i.premium?])
}

/// The row of the yield curve.
fn spread_row(i: &Inputs) -> Option<[f64; 2]> {
    Some([1.0, i.spread])
}

fn inputs(desk: &Desk) -> Result<InputsByMonth> {
    let ids = ["T10Y3M", "GS10", "TB3MS", "NFCI", "PERMIT", "EBP"];
    let set = desk.series_set(ids, AsOf::Latest)?;
    let rows = |id: &str| set.get(id).map_or(&[][..], |s| s.observations.as_slice());
    let [daily, conditions] = ["T10Y3M", "NFCI"].map(|id| MonthlyGrid::from_means(rows(id)));
    let [long, bill, homes, premium] =
        ["GS10", "TB3MS", "PERMIT", "EBP"].map(|id| MonthlyGrid::from_last_values(rows(id)));
    let monthly_spread = |m| Some(long.get(m)? - bond_equivalent(bill.get(m)?)?);
    let spread = |m| daily.get(m).or_else(|| monthly_spread(m));
    let permits = |homes: &MonthlyGrid, m: Month| {
        let mean = |m| homes.three_month_mean(m, 3);
        Some(100.0 * log_ratio(mean(m.plus(-1))?, mean(m.plus(-13))?)?)
    };
    let recorded = desk.recorded_vintages(["PERMIT"])?;
    let mut knowledge = recorded.first().map(VintageCursor::new);
    let newest = Month::from_date(desk.reference_day(CRPI.inputs(), AsOf::Latest)?.as_of);
    let months = FIRST[3].through(newest.plus(-1));
    let inputs = |m: Month| {
        let revised_permits = permits(&homes, m);
        let mut known_permits = || {
            let knowledge = knowledge.as_mut()?;
            knowledge.advance(m.last_day());
            let mut rows: Vec<_> = knowledge.newest_first(m.last_day()).take(20).collect();
            rows.reverse();
            permits(&MonthlyGrid::from_last_values(&rows), m)
        };
        let year: Option<Vec<f64>> = (0..12).map(|k| spread(m.plus(-k))).collect();
        let inputs = Inputs {
            spread: spread(m)?,
            conditions: conditions.get(m).unwrap_or(f64::NAN),
            permits: if m < REAL_TIME {
                revised_permits
            } else {
                known_permits()
            },
            revised_permits,
            annual_spread: year.as_deref().and_then(mean),
            premium: premium.get(m.plus(-1)),
        };
        Some((m, inputs))
    };
    Ok(months.filter_map(inputs).collect())
}
