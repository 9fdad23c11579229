//! Both versions of the recession probability against the NBER's months, as known at each month's end.

use crate::detection::{self, Signal, SignalWindow};
use crate::evidence;
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
    overlap: 12,
    parts: &[
        ("since 1999-08", |m| m >= REAL_TIME),
        ("in expansions", |m| !is_recession(m)),
    ],
};
/// The same over all months that both versions have inputs for, constants from all other cycles.
const CYCLES: Target = Target {
    title: "the same target, month ends of 1973-02 to 2024-07, each cycle left out of the fit in turn",
    scored: [FIRST[1], Month::new(2024, 7)],
    ..TARGET
};
/// From here on a choice among variants has ten years of scores to go by.
const CHOICE: Month = Month::new(1995, 1);
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

/// What each rule said of every month.
struct Rules {
    known: ByMonth,
    revised: ByMonth,
    own: ByMonth,
    both: ByMonth,
    spread: ByMonth,
    spread_refitted: ByMonth,
    recalibrated: ByMonth,
    second: ByMonth,
    short: ByMonth,
    best: ByMonth,
}

impl Rules {
    fn of(inputs: &BTreeMap<Month, Inputs>) -> Self {
        let shipped = |permits: fn(&Inputs) -> Option<f64>| -> ByMonth {
            let at = |(month, i): (&Month, &Inputs)| {
                let second = second_term([Some(i.spread), Some(i.conditions), permits(i)])?;
                Some((*month, f64::midpoint(first_term(i.spread), second)))
            };
            inputs.range(FIRST[0]..).filter_map(at).collect()
        };
        let mut first = fitted(inputs, FIRST[0], |i| Some([1.0, i.spread, i.conditions]));
        first.extend(fitted(inputs, FIRST[0], |i| {
            Some([1.0, i.spread, i.conditions, i.permits?])
        }));
        let with = fitted(inputs, FIRST[1], |i| Some([1.0, i.year?, i.premium?]));
        let without = fitted(inputs, FIRST[2], |i| Some([1.0, i.year?]));
        let spread = inputs.iter().map(|(m, i)| (*m, first_term(i.spread)));
        let spread: ByMonth = spread.collect();
        // As published, it learns whether the month twelve months ahead is one of a recession.
        let alone = Target {
            came: comes_in_twelve,
            ..TARGET
        };
        let spreads = rows(inputs, FIRST[3], |i| Some([1.0, i.spread]));
        let spread_refitted = alone.out_of_sample(&spreads);
        let both = between(&spread_refitted, &first);
        Self {
            known: shipped(|i| i.permits),
            revised: shipped(|i| i.revised),
            own: between(&spread, &first),
            recalibrated: TARGET.recalibrated(&both, CHOICE),
            second: between(&first, &with),
            short: between(&first, &without),
            best: evidence::chosen(&TARGET, &variants(inputs), CHOICE),
            both,
            spread,
            spread_refitted,
        }
    }

    fn first_version(&self, cycles: &ByMonth) -> Vec<ScoreTable> {
        let rules = [
            ("these constants, which saw the sample", &self.known),
            ("the same on last revised figures", &self.revised),
            (REFITTED, &self.own),
            ("both equations refitted, out of sample", &self.both),
            ("spread alone, published constants", &self.spread),
            (
                "spread alone, refitted, out of sample",
                &self.spread_refitted,
            ),
            (
                "both refitted, recalibrated, from 1995 on",
                &self.recalibrated,
            ),
        ];
        let pairs = [
            (
                "both refitted, beside spread alone, published",
                [&self.both, &self.spread],
            ),
            (
                "both refitted, beside spread alone, refitted",
                [&self.both, &self.spread_refitted],
            ),
            (
                "recalibrated, beside both refitted, from 1995 on",
                [&self.recalibrated, &self.both],
            ),
        ];
        vec![
            TARGET.table("CRPI", &rules),
            calibrated("CRPI", ", these constants,", &self.known),
            calibrated("CRPI", ", both equations refitted,", &self.both),
            evidence::table("CRPI", &TARGET, &pairs),
            crossings("CRPI", "these constants", &self.known),
            CYCLES.table("CRPI", &[("each cycle left out in turn", cycles)]),
        ]
    }

    fn second_version(&self, cycles: &ByMonth) -> Vec<ScoreTable> {
        let rules = [
            (REFITTED, &self.second),
            ("the same without the premium", &self.short),
            ("CRPI, both equations refitted", &self.both),
            (
                "the best by then of all sets of inputs, from 1995 on",
                &self.best,
            ),
        ];
        let pairs = [
            (
                "refitted, beside CRPI with both refitted",
                [&self.second, &self.both],
            ),
            (
                "the best by then of all sets, beside CRPI with both refitted, from 1995 on",
                [&self.best, &self.both],
            ),
        ];
        let mut with_fallback = self.short.clone();
        with_fallback.extend(&self.second);
        vec![
            TARGET.table("CRPI2", &rules),
            calibrated("CRPI2", " out of sample", &self.second),
            evidence::table("CRPI2", &TARGET, &pairs),
            crossings("CRPI2", "out of sample", &with_fallback),
            CYCLES.table("CRPI2", &[("each cycle left out in turn", cycles)]),
        ]
    }
}

const REFITTED: &str = "refitted at each month, out of sample";

pub(super) fn tables(desk: &Desk) -> Result<Vec<ScoreTable>> {
    let inputs = inputs(desk)?;
    let rules = Rules::of(&inputs);
    let [first, second] = cycles(&inputs);
    let mut tables = rules.first_version(&first);
    tables.extend(rules.second_version(&second));
    Ok(tables)
}

fn calibrated(indicator: &str, how: &str, by_month: &ByMonth) -> ScoreTable {
    let title = format!("what it said{how} and what share came, the same months");
    TARGET.calibrated(indicator, &title, by_month, &EDGES)
}

fn crossings(indicator: &str, name: &str, by_month: &ByMonth) -> ScoreTable {
    let signals = [30.0, 50.0].map(|level| crossed(name, by_month, level));
    detection::table(indicator, TARGET.scored[0], &REACH, &signals)
}

/// Both versions with each cycle left out of their fits in turn.
fn cycles(inputs: &BTreeMap<Month, Inputs>) -> [ByMonth; 2] {
    let alone = Target {
        came: comes_in_twelve,
        ..CYCLES
    };
    let from = FIRST[1];
    let spread = alone.cycles_left_out(&rows(inputs, from, |i| Some([1.0, i.spread])));
    let first = rows(inputs, from, |i| {
        Some([1.0, i.spread, i.conditions, i.permits?])
    });
    let first = CYCLES.cycles_left_out(&first);
    let with = CYCLES.cycles_left_out(&rows(inputs, from, |i| Some([1.0, i.year?, i.premium?])));
    [between(&spread, &first), between(&first, &with)]
}

/// One probit for every set of the five inputs, refitted at each month.
fn variants(inputs: &BTreeMap<Month, Inputs>) -> Vec<ByMonth> {
    let of = |(m, i): (&Month, &Inputs)| {
        let own = [
            Some(i.spread),
            Some(i.conditions),
            i.permits,
            i.year,
            i.premium,
        ];
        (*m, own)
    };
    let rows: Vec<_> = inputs.range(FIRST[1]..).map(of).collect();
    evidence::variants(&TARGET, &rows)
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

/// Whether the month twelve months ahead was one of a recession: what the published curve learnt.
fn comes_in_twelve(month: Month) -> bool {
    is_recession(month.plus(12))
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
    TARGET.out_of_sample(&rows(inputs, first, pick))
}

/// Some inputs of the months that have them.
fn rows<const N: usize>(
    inputs: &BTreeMap<Month, Inputs>,
    first: Month,
    pick: impl Fn(&Inputs) -> Option<[f64; N]>,
) -> Vec<Row<N>> {
    let from = inputs.range(first..);
    from.filter_map(|(m, i)| Some((*m, pick(i)?))).collect()
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
    let recorded = desk.recorded(["PERMIT"])?;
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
