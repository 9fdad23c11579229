//! Recession now against the NBER's months, beside simpler rules on the same days.

use crate::detection::{self, Signal, SignalWindow, at_least};
use crate::evidence;
use crate::target::{ByMonth, Row, Target};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::indicators::months::{Month, Months};
use econoscope_core::indicators::nber::is_recession;
use econoscope_core::indicators::recession_now::{
    RNOW, claims_gap, path_by, payroll_growth, thursday,
};
use econoscope_core::indicators::sahm;
use econoscope_core::indicators::statistics::{dot, normal_cdf};
use econoscope_core::model::series_info::round_to;
use econoscope_core::model::{AsOf, Date, Knowledge, Observation, Recorded};
use econoscope_data::desk::Desk;
use econoscope_data::desk::scores::ScoreTable;

const FIRST: Month = Month::new(1968, 1);
/// When an alarm belongs to a recession.
const REACH: SignalWindow = SignalWindow {
    ahead: 180,
    behind: 60,
};
/// Sahm gaps count as no more than this in the probit.
const HIGHEST_GAP: f64 = 1.5;
/// A label counts as known after 24 months. Constants never learn from 2020 and 2021, when claims stayed high after the
/// trough.
const TARGET: Target = Target {
    title: "this month is a recession month, out of sample, month ends of 1979-01 to 2024-12",
    scored: [Month::new(1979, 1), Month::new(2024, 12)],
    known: |month| Month::new(2019, 12).min(month.plus(-24)),
    came: is_recession,
    overlap: 12,
    parts: &[("since 1985", |m| m >= Month::new(1985, 1))],
};
/// From here on a choice among variants has ten years of scores to go by.
const CHOICE: Month = Month::new(1989, 1);
/// Where the ranges of the calibration begin.
const EDGES: [f64; 5] = [0.0, 0.05, 0.2, 0.5, 0.8];

/// What was known at a month's end.
struct MonthEnd {
    month: Month,
    /// Claims and payrolls of the index.
    drivers: [f64; 2],
    /// Sahm gap of its newest month.
    sahm: Option<Observation>,
    /// Production over six months, percent annualised, within ±10.
    production: Option<f64>,
}

pub(super) fn tables(desk: &Desk) -> Result<Vec<ScoreTable>> {
    let recorded = desk.recorded(["ICSA", "PAYEMS", "UNRATE", "INDPRO"])?;
    let ends = month_ends(&recorded);
    let rows: Vec<Row<3>> = picked(&ends, |e| Some(with_constant(e.drivers)));
    let own = TARGET.out_of_sample(&rows);
    let with = |e: &MonthEnd| Some([1.0, e.drivers[0]]);
    let claims = TARGET.out_of_sample(&picked(&ends, with));
    let with = |e: &MonthEnd| Some([1.0, e.sahm?.value.min(HIGHEST_GAP)]);
    let sahm = TARGET.out_of_sample(&picked(&ends, with));
    let with = |e: &MonthEnd| Some([1.0, e.drivers[1], e.production?]);
    let activity = TARGET.out_of_sample(&picked(&ends, with));
    let inputs = |e: &MonthEnd| {
        let [claims, payrolls] = e.drivers.map(Some);
        let sahm = e.sahm.map(|gap| gap.value.min(HIGHEST_GAP));
        (e.month, [claims, payrolls, sahm, e.production])
    };
    let inputs: Vec<_> = ends.iter().map(inputs).collect();
    let variants = evidence::variants(&TARGET, &inputs);
    let best = evidence::chosen(&TARGET, &variants, CHOICE);
    let cycles = TARGET.cycles_left_out(&rows);
    let pairs = [
        ("recession now, beside claims alone", [&own, &claims]),
        ("recession now, beside the Sahm gap", [&own, &sahm]),
        (
            "recession now, beside the best by then of all sets, from 1989 on",
            [&own, &best],
        ),
    ];
    let rules = [
        ("recession now", &own),
        ("claims alone", &claims),
        ("Sahm gap, probit", &sahm),
        ("payrolls and production", &activity),
        ("each cycle left out in turn", &cycles),
        (
            "the best by then of all sets of inputs, from 1989 on",
            &best,
        ),
    ];
    let shown: ByMonth = own.iter().map(|(m, p)| (*m, round_to(*p, 3))).collect();
    let title = "what the index said and what share came, the same months, by its shown value";
    let signals = signals(desk, &recorded, &ends, &rows)?;
    Ok(vec![
        TARGET.table("RNOW", &rules),
        TARGET.calibrated("RNOW", title, &shown, &EDGES),
        evidence::table("RNOW", &TARGET, &pairs),
        detection::table("RNOW", TARGET.scored[0], &REACH, &signals),
    ])
}

/// Some inputs of each month end that has them.
fn picked<const N: usize>(
    ends: &[MonthEnd],
    pick: impl Fn(&MonthEnd) -> Option<[f64; N]>,
) -> Vec<Row<N>> {
    let row = |e: &MonthEnd| Some((e.month, pick(e)?));
    ends.iter().filter_map(row).collect()
}

fn with_constant([claims, payrolls]: [f64; 2]) -> [f64; 3] {
    [1.0, claims, payrolls]
}

/// The ends of all months; of `recorded` all four series are needed, in the order in which they were asked for.
fn month_ends(recorded: &[Recorded]) -> Vec<MonthEnd> {
    let [claims, payrolls, jobless, production] = recorded else {
        return Vec::new();
    };
    let mut known = [claims, payrolls, jobless, production].map(Knowledge::of);
    let at = |month: Month| {
        let day = month.last_day();
        known.iter_mut().for_each(|series| series.advance(day));
        let [claims, payrolls, jobless, production] = &known;
        let (_, c) = claims_gap(claims.newest_first(day))?;
        let (_, p) = payroll_growth(payrolls.newest_first(day), day)?;
        let mut rates: Vec<Observation> = jobless.newest_first(day).collect();
        rates.reverse();
        let mut output: Vec<Observation> = production.newest_first(day).take(8).collect();
        output.reverse();
        let output = Months::lasts(&output);
        let growth = output.last().and_then(|m| output.log_change(m, 6, 200.0));
        Some(MonthEnd {
            month,
            drivers: [c, p],
            sahm: sahm::history(&rates).last().copied(),
            production: growth.map(|g| g.clamp(-10.0, 10.0)),
        })
    };
    FIRST.until(TARGET.scored[1]).filter_map(at).collect()
}

/// The alarm with the frozen constants and with those of each month, and the Sahm rule on the days of its reports.
fn signals(
    desk: &Desk,
    recorded: &[Recorded],
    ends: &[MonthEnd],
    rows: &[Row<3>],
) -> Result<Vec<Signal>> {
    let Some(rule) = RNOW.alarm else {
        return Ok(Vec::new());
    };
    let until = desk.data_date(RNOW.inputs(), AsOf::Latest)?.as_of;
    let on_thursdays = |mut path: Vec<Observation>| {
        path.iter_mut().for_each(|o| o.date = thursday(o.date));
        rule.spells(&path)
    };
    let report = Catalogue::embedded()
        .get("UNRATE")
        .and_then(|info| Catalogue::release_of(info));
    let mut sahm: Vec<Observation> = ends.iter().filter_map(|e| e.sahm).collect();
    sahm.dedup_by_key(|o| o.date);
    let due = |o: &Observation| Some(Observation::new(report?.due_for(o.date)?.day, o.value));
    let sahm: Vec<Observation> = sahm.iter().filter_map(due).collect();
    let signal = |name: &str, spells| Signal {
        name: name.to_owned(),
        spells,
    };
    Ok(vec![
        signal(
            "alarm, these constants",
            on_thursdays(desk.as_known_up_to(&RNOW, until)?),
        ),
        signal(
            "alarm, out of sample",
            on_thursdays(weeks_out_of_sample(recorded, rows, until)),
        ),
        signal("Sahm rule, 0.5 or more", at_least(sahm::TRIGGER, &sahm)),
    ])
}

/// The index of every Thursday with the coefficients of its month.
fn weeks_out_of_sample(recorded: &[Recorded], rows: &[Row<3>], until: Date) -> Vec<Observation> {
    let (mut newest, mut found) = (None, [0.0; 3]);
    path_by(recorded, until, |day, drivers| {
        let month = Some(Month::of(day)).filter(|month| *month >= TARGET.scored[0])?;
        if newest.replace(month) != Some(month) {
            found = TARGET.learnt(rows, month, found).unwrap_or(found);
        }
        Some(100.0 * normal_cdf(dot(&with_constant(drivers), &found)))
    })
}
