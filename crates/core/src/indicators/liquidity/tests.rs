//! Golden weeks of docs/COMPOSITES.md#net-liquidity on real figures, and the guards.

use super::*;
use crate::indicators::testdata;
use crate::model::series_info::round_to;
use std::sync::Arc;

fn real() -> SeriesSet {
    testdata::load(&CNLI.inputs())
}

/// The set with one series' values changed.
fn with(
    set: &SeriesSet,
    id: &str,
    change: impl Fn(Observation) -> Option<Observation>,
) -> SeriesSet {
    let series = set.get(id).unwrap();
    let rows = series
        .observations
        .iter()
        .copied()
        .filter_map(change)
        .collect();
    let mut changed = set.clone();
    changed.insert(Arc::new(Series::new(series.info.clone(), rows)));
    changed
}

#[test]
fn golden_weeks_match() {
    let set = real();
    let weeks = CNLI.history(&set, date(2026, 8, 22));
    let at = |y, m, d| {
        let week = date(y, m, d);
        round_to(weeks.iter().find(|o| o.date == week).unwrap().value, 3)
    };
    assert_eq!(at(2021, 9, 15), 7.137);
    assert_eq!(at(2022, 4, 13), 6.603);
    assert_eq!(at(2022, 12, 28), 5.830);
    assert_eq!(at(2025, 12, 31), 5.697);
    assert_eq!(at(2026, 8, 19), 5.792);
    let top = weeks
        .iter()
        .max_by(|a, b| a.value.total_cmp(&b.value))
        .unwrap();
    assert_eq!(top.date, date(2021, 9, 15));
    assert_eq!(weeks[0].date, date(2002, 12, 18));
    assert_eq!(weeks.len(), set.get("WALCL").unwrap().observations.len());
}

#[test]
fn reading_adds_up_and_ends_the_history() {
    let set = real();
    for day in [
        date(2026, 8, 20),
        date(2026, 8, 19),
        date(2013, 9, 20),
        date(2004, 5, 5),
    ] {
        let known = testdata::as_of(&set, day);
        let r = reading(&known, day);
        let sum = r.base + r.inputs.iter().filter_map(|i| i.contribution).sum::<f64>();
        assert_eq!(r.value, Some(sum));
        let last = CNLI.history(&known, day).last().copied().unwrap();
        assert_eq!((last.date, Some(last.value)), (r.date, r.value));
    }
    // Wednesday's figures are published on Thursday.
    let day = date(2026, 8, 19);
    let known = testdata::as_of(&set, day);
    assert_eq!(reading(&known, day).date, date(2026, 8, 12));
    // … and count at once where they are loaded.
    assert_eq!(reading(&set, day).date, day);
    let text = interpret(&reading(&set, date(2026, 8, 20)));
    assert!(
        text.starts_with("Stable, down 0.12 trillion over 13 weeks."),
        "{text}"
    );
    assert!(
        text.contains("over three months have not moved with shares"),
        "{text}"
    );
}

#[test]
fn implausible_balances_are_rejected() {
    let set = real();
    let wrong = with(&set, "WTREGEN", |o| {
        Some(Observation::new(o.date, o.value / 1e3))
    });
    let r = reading(&wrong, date(2026, 8, 22));
    assert_eq!(r.value, None);
    assert!(
        r.reason
            .as_deref()
            .unwrap()
            .contains("the unit must be wrong"),
        "{r:?}"
    );
    assert_eq!(CNLI.history(&wrong, date(2026, 8, 22)), vec![]);
    let huge = with(&set, "RRPONTSYD", |o| {
        Some(Observation::new(o.date, o.value * 1e3 + 6e3))
    });
    assert_eq!(reading(&huge, date(2026, 8, 22)).value, None);
}

#[test]
fn units_are_read_from_the_series() {
    let set = real();
    let mut info = set.get("WTREGEN").unwrap().info.as_ref().clone();
    info.units = "Billions of dollars".into();
    let rows = (set.get("WTREGEN").unwrap().observations.iter())
        .map(|o| Observation::new(o.date, o.value / 1e3))
        .collect();
    let mut billions = set.clone();
    billions.insert(Arc::new(Series::new(Arc::new(info), rows)));
    let day = date(2026, 8, 22);
    let value = |s: &SeriesSet| round_to(reading(s, day).value.unwrap(), 9);
    assert_eq!(value(&billions), value(&set));
}

#[test]
fn missing_reverse_repos_are_zero_only_before_2013() {
    let set = real();
    let none = |from: Date| {
        let thinned = with(&set, "RRPONTSYD", |o| Some(o).filter(|o| o.date < from));
        let day = crate::model::frequency::add_days(from, 14);
        reading(&testdata::as_of(&thinned, day), day)
    };
    assert!(none(date(2012, 1, 4)).value.is_some());
    // The series begins on 7 February 2003: on a day before, it is as if it were not there.
    let early = date(2002, 12, 20);
    assert_eq!(
        reading(&set, early),
        reading(&testdata::as_of(&set, early), early)
    );
    assert_eq!(reading(&set, early).inputs[2].contribution, Some(0.0));
    let lack = none(date(2026, 7, 1));
    assert!(
        lack.reason
            .unwrap()
            .contains("RRPONTSYD has no figure for 2026-07-08")
    );
}

#[test]
fn missing_balance_sheet_gives_a_reason() {
    let set = real();
    let late = reading(&set, date(2026, 11, 21));
    assert!(late.reason.unwrap().contains("newest: 2026-08-19"));
    let empty = reading(&SeriesSet::default(), date(2026, 8, 22));
    assert_eq!((empty.value, empty.inputs.len()), (None, 3));
    assert_eq!(
        interpret(&empty),
        "Net liquidity is not available: WALCL is not loaded."
    );
}

#[test]
fn direction_follows_the_change_over_13_weeks() {
    assert_eq!(direction(0.16), "expanding");
    assert_eq!(direction(-0.16), "draining");
    assert_eq!(direction(0.15), "stable");
}
