//! Scores of the current recession probability against the NBER's months, beside simpler rules.

use crate::detection::{self, Signal, periods_at_or_above};
use crate::evidence;
use crate::target::{ByMonth, Row, Target, rows};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::Result;
use econoscope_core::indicators::months::{Month, MonthlyGrid};
use econoscope_core::indicators::nber::is_recession;
use econoscope_core::indicators::recession_now::{
    RNOW, claims_gap, path_with, payroll_growth, release_day,
};
use econoscope_core::indicators::sahm;
use econoscope_core::indicators::statistics::{dot, normal_cdf};
use econoscope_core::model::series_info::round_to;
use econoscope_core::model::{AsOf, Date, Observation, SeriesVintages, VintageCursor};
use econoscope_desk::Desk;
use econoscope_desk::scores::ScoreTable;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

const FIRST: Month = Month::new(1968, 1);
/// The window in which an alarm belongs to a recession.
const WINDOW: RangeInclusive<i64> = -180..=60;
/// The limit of Sahm gaps in the probit.
const MAX_GAP: f64 = 1.5;
/// Outcomes are known after 24 months. Fits exclude 2020 and 2021, when claims stayed high after the trough.
const TARGET: Target = Target {
    title: "this month is a recession month, out of sample, month ends of 1979-01 to 2024-12",
    scored: [Month::new(1979, 1), Month::new(2024, 12)],
    last_known: |month| Month::new(2019, 12).min(month.plus(-24)),
    outcome: is_recession,
    overlap: 12,
    parts: &[("since 1985", |m| m >= Month::new(1985, 1))],
};
/// The first month in which a choice among variants is based on ten years of scores.
const CHOICE: Month = Month::new(1989, 1);
/// Lower bounds of the ranges of the calibration.
const EDGES: [f64; 5] = [0.0, 0.05, 0.2, 0.5, 0.8];

/// The inputs as known at a month's end.
struct MonthEnd {
    /// Claims and payrolls of the index.
    drivers: [f64; 2],
    /// Sahm gap of the newest month.
    sahm: Option<Observation>,
    /// Growth of production over six months in percent at an annual rate, within ±10.
    production: Option<f64>,
}

pub(super) fn tables(desk: &Desk) -> Result<Vec<ScoreTable>> {
    let recorded = desk.recorded_vintages(["ICSA", "PAYEMS", "UNRATE", "INDPRO"])?;
    let ends = month_ends(&recorded);
    let rows: Vec<Row<3>> = rows(&ends, FIRST, |e| Some(with_constant(e.drivers)));
    let index = TARGET.refit(&rows);
    let claims = TARGET.out_of_sample(&ends, FIRST, |e| Some([1.0, e.drivers[0]]));
    let sahm = TARGET.out_of_sample(&ends, FIRST, |e| Some([1.0, e.gap()?]));
    let activity = TARGET.out_of_sample(&ends, FIRST, |e| Some([1.0, e.drivers[1], e.production?]));
    let inputs = |(month, e): (&Month, &MonthEnd)| {
        let [claims, payrolls] = e.drivers.map(Some);
        (*month, [claims, payrolls, e.gap(), e.production])
    };
    let inputs: Vec<_> = ends.iter().map(inputs).collect();
    let best_variant = evidence::best_variant(&TARGET, &inputs, CHOICE);
    let cycles = TARGET.leave_one_cycle_out(&rows);
    let pairs = [
        ("recession now, beside claims alone", [&index, &claims]),
        ("recession now, beside the Sahm gap", [&index, &sahm]),
        (
            "recession now, beside the best by then of all sets, from 1989 on",
            [&index, &best_variant],
        ),
    ];
    let rules = [
        ("recession now", &index),
        ("claims alone", &claims),
        ("Sahm gap, probit", &sahm),
        ("payrolls and production", &activity),
        ("each cycle left out in turn", &cycles),
        (
            "the best by then of all sets of inputs, from 1989 on",
            &best_variant,
        ),
    ];
    let rounded: ByMonth = index.iter().map(|(m, p)| (*m, round_to(*p, 3))).collect();
    let title = "what the index said and what share came, the same months, by its shown value";
    let signals = signals(desk, &recorded, &ends, &rows)?;
    Ok(vec![
        TARGET.table("RNOW", &rules),
        TARGET.calibration_table("RNOW", title, &rounded, &EDGES),
        evidence::table("RNOW", &TARGET, &pairs)?,
        detection::table("RNOW", TARGET.scored[0], &WINDOW, &signals),
    ])
}

impl MonthEnd {
    /// Returns the limited Sahm gap.
    fn gap(&self) -> Option<f64> {
        self.sahm.map(|gap| gap.value.min(MAX_GAP))
    }
}

fn with_constant([claims, payrolls]: [f64; 2]) -> [f64; 3] {
    [1.0, claims, payrolls]
}

/// Returns the inputs of all month ends; empty unless `recorded` has all four series in their order.
fn month_ends(recorded: &[SeriesVintages]) -> BTreeMap<Month, MonthEnd> {
    let [claims, payrolls, jobless, production] = recorded else {
        return BTreeMap::new();
    };
    let mut knowledge = [claims, payrolls, jobless, production].map(VintageCursor::new);
    let month_end = |month: Month| {
        let day = month.last_day();
        knowledge.iter_mut().for_each(|series| series.advance(day));
        let [claims, payrolls, jobless, production] = &knowledge;
        let (_, c) = claims_gap(claims.newest_first(day))?;
        let (_, p) = payroll_growth(payrolls.newest_first(day), day)?;
        let mut rates: Vec<Observation> = jobless.newest_first(day).collect();
        rates.reverse();
        let mut output: Vec<Observation> = production.newest_first(day).take(8).collect();
        output.reverse();
        let output = MonthlyGrid::from_last_values(&output);
        let growth = output.last().and_then(|m| output.log_change(m, 6, 200.0));
        let end = MonthEnd {
            drivers: [c, p],
            sahm: sahm::history(&rates).last().copied(),
            production: growth.map(|g| g.clamp(-10.0, 10.0)),
        };
        Some((month, end))
    };
    FIRST
        .through(TARGET.scored[1])
        .filter_map(month_end)
        .collect()
}

/// Returns the alarm with the constants in use and out of sample, and the Sahm rule on the days of its reports.
fn signals(
    desk: &Desk,
    recorded: &[SeriesVintages],
    ends: &BTreeMap<Month, MonthEnd>,
    rows: &[Row<3>],
) -> Result<Vec<Signal>> {
    let Some(rule) = RNOW.indicator.definition().alarm else {
        return Ok(Vec::new());
    };
    let until = desk.reference_day(RNOW.inputs(), AsOf::Latest)?.as_of;
    let on_thursdays = |mut path: Vec<Observation>| {
        path.iter_mut().for_each(|o| o.date = release_day(o.date));
        rule.periods(&path)
    };
    let unemployment = Catalogue::embedded().get("UNRATE");
    let report = unemployment.and_then(|info| Catalogue::release_of(info));
    let mut months: Vec<Observation> = ends.values().filter_map(|e| e.sahm).collect();
    months.dedup_by_key(|o| o.date);
    let published = |o: &Observation| {
        let day = report?.scheduled_for(o.date)?.day;
        Some(Observation::new(day, o.value))
    };
    let sahm: Vec<Observation> = months.iter().filter_map(published).collect();
    let shipped = on_thursdays(desk.real_time_history(&RNOW, until)?);
    let refitted = on_thursdays(weeks_out_of_sample(recorded, rows, until));
    let signals = [
        ("alarm, these constants", shipped),
        ("alarm, out of sample", refitted),
        (
            "Sahm rule, 0.5 or more",
            periods_at_or_above(sahm::TRIGGER, &sahm),
        ),
    ];
    Ok(signals
        .map(|(name, periods)| Signal::new(name, periods))
        .into())
}

/// Returns the index of every Thursday with the coefficients of its month.
fn weeks_out_of_sample(
    recorded: &[SeriesVintages],
    rows: &[Row<3>],
    until: Date,
) -> Vec<Observation> {
    let mut fitted_month = None;
    let mut coefficients = [0.0; 3];
    path_with(recorded, until, |day, drivers| {
        let month = Some(Month::from_date(day)).filter(|month| *month >= TARGET.scored[0])?;
        if fitted_month.replace(month) != Some(month) {
            let fitted = TARGET.fit(rows, month, coefficients);
            coefficients = fitted.unwrap_or(coefficients);
        }
        Some(100.0 * normal_cdf(dot(&with_constant(drivers), &coefficients)))
    })
}
