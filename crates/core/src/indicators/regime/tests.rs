//! The verified history of docs/COMPOSITES.md#regime on real figures, and the rules on made-up ones.

use super::*;
use crate::catalogue::Catalogue;
use crate::indicators::statistics::count;
use crate::indicators::testdata;
use crate::model::series_info::round_to;
use crate::model::{Observation, Series};
use jiff::civil::date;
use std::sync::Arc;

fn real() -> SeriesSet {
    testdata::load(INPUTS)
}

#[test]
fn history_matches_the_verified_one() {
    let set = real();
    let states = history(&set, date(2026, 8, 22));
    for (year, month, regime, confidence) in [
        (1974, 6, Regime::Stagflation, 100.0),
        (1979, 6, Regime::Stagflation, 68.0),
        (1999, 6, Regime::Goldilocks, 95.0),
        (2001, 8, Regime::Stagflation, 87.0),
        (2008, 12, Regime::Deflation, 100.0),
        (2017, 6, Regime::Goldilocks, 99.0),
        (2020, 5, Regime::Deflation, 100.0),
        (2021, 6, Regime::Reflation, 100.0),
        (2022, 6, Regime::Reflation, 91.0),
        (2023, 6, Regime::Stagflation, 80.0),
        (2026, 7, Regime::Reflation, 74.0),
        (2026, 8, Regime::Reflation, 80.0),
    ] {
        let month = date(year, month, 1);
        let state = states.iter().find(|s| s.month == month).unwrap();
        assert_eq!(
            (state.regime, state.confidence),
            (regime, confidence),
            "{month}"
        );
    }
    let last = states.last().unwrap();
    assert_eq!((last.month, last.target), (date(2026, 8, 1), None));
    let july = states.iter().rev().nth(1).unwrap();
    assert_eq!(
        (july.target, july.runner_up(), july.trajectory),
        (
            Some(Regime::Stagflation),
            Regime::Stagflation,
            Trajectory::Stable
        )
    );
    assert!(
        july.basis
            .iter()
            .any(|b| b == "October 2025 bridged for UNRATE, CPILFESL and CPIAUCSL"),
        "{:?}",
        july.basis
    );
}

#[test]
fn shares_switches_and_confidence_match_the_documented_ones() {
    let set = real();
    let all = history(&set, date(2026, 8, 22));
    assert_eq!(all[0].month, date(1964, 8, 1));
    let mean = all.iter().map(|s| s.confidence).sum::<f64>() / count(all.len());
    assert_eq!(mean.round(), 84.0);
    // The printed shares are those of months with all four growth inputs; permits allow them from 1966 on.
    let full: Vec<&RegimeMonth> = all.iter().filter(|s| s.growth_parts.len() == 4).collect();
    assert_eq!(full[0].month, date(1966, 3, 1));
    let share = |r| {
        round_to(
            count(full.iter().filter(|s| s.regime == r).count()) / count(full.len()),
            2,
        )
    };
    assert_eq!(Regime::QUADRANTS.map(share), [0.20, 0.37, 0.33, 0.10]);
    let switches = full
        .windows(2)
        .filter(|w| w[0].regime != w[1].regime)
        .count();
    assert_eq!(round_to(12.0 * count(switches) / count(full.len()), 1), 0.9);
}

#[test]
fn parts_add_up_and_probabilities_sum_to_one() {
    let set = real();
    let all = history(&set, date(2026, 8, 22));
    assert!(all.len() > 700, "{} months", all.len());
    for s in all {
        let sum = |parts: &[Contributor]| parts.iter().map(|p| p.contribution).sum::<f64>();
        assert!((sum(&s.growth_parts) - s.growth).abs() < 1e-9);
        assert!((sum(&s.inflation_parts) - s.inflation).abs() < 1e-9);
        assert!((s.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(s.growth.abs() <= 3.0 && s.inflation.abs() <= 3.0 + 1e-12);
        assert!((0.0..=100.0).contains(&s.confidence));
    }
}

#[test]
fn month_appears_once_its_figures_are_out() {
    let set = real();
    let state = |d| compute(&testdata::as_of(&set, d), d).state.unwrap();
    let month = |d| state(d).month;
    // July's consumer prices came on 12 August; production and permits count from the latest days of their rules.
    assert_eq!(month(date(2026, 8, 17)), date(2026, 7, 1));
    assert_eq!(month(date(2026, 8, 18)), date(2026, 8, 1));
    assert_eq!(state(date(2026, 8, 18)).basis[0], "growth without PERMIT");
    assert_eq!(state(date(2026, 8, 20)).growth_parts.len(), 4);
}

#[test]
fn old_figures_are_late_and_missing_ones_give_a_reason() {
    let set = real();
    let late = compute(&set, date(2026, 11, 21));
    assert_eq!((late.regime, late.reason), (Regime::Reflation, None));
    let (since, why) = late.late.unwrap();
    assert_eq!(since, date(2026, 10, 15));
    assert!(
        why.contains("August 2026 are missing: INDPRO, PAYEMS"),
        "{why}"
    );
    assert_eq!(late.state.unwrap().month, date(2026, 8, 1));
    assert_eq!(compute(&set, date(2026, 10, 14)).late, None);
    assert!(compute(&set, date(2026, 10, 15)).late.is_some());
    let none = compute(&SeriesSet::default(), date(2026, 8, 22));
    assert_eq!(none.regime, Regime::Unknown);
    assert!(none.reason.unwrap().contains("not loaded: INDPRO"));
}

#[test]
fn axis_changes_sides_only_well_past_zero() {
    assert!(is_high(true, -0.10));
    assert!(!is_high(true, -0.11));
    assert!(!is_high(false, 0.10));
    assert!(is_high(false, 0.11));
}

#[test]
fn target_needs_a_quarter_of_the_probability() {
    let label = Regime::Reflation;
    let confidence = |g, i| 100.0 * label.probability(probabilities(g, i, PUBLISHED));
    let target = |g, i| target(label, probabilities(g, i, PUBLISHED));
    assert_eq!(
        (confidence(2.0, 2.0).round(), target(2.0, 2.0)),
        (100.0, None)
    );
    assert_eq!(target(0.05, 2.0), Some(Regime::Stagflation));
    assert!(confidence(-0.09, -0.09) < CONTESTED);
}

#[test]
fn growth_needs_three_of_its_four_inputs() {
    let full = real();
    let without = |gone: &[&str]| {
        let rest = full.iter().filter(|s| !gone.contains(&s.info.id.as_str()));
        compute(&rest.cloned().collect(), date(2026, 8, 22))
    };
    let three = without(&["PAYEMS"]).state.unwrap();
    let weights: f64 = three.growth_parts.iter().map(|p| p.weight).sum();
    assert!((weights - 1.0).abs() < 1e-12);
    assert_eq!(three.basis[0], "growth without PAYEMS");
    assert_eq!(without(&["PAYEMS", "PERMIT"]).regime, Regime::Unknown);
    assert_eq!(without(&["CPILFESL"]).regime, Regime::Unknown);
}

#[test]
fn constant_figures_give_no_history() {
    let flat = |id: &str| {
        let rows =
            (0..200).map(|k| Observation::new(Month::new(2000, 1).plus(k).first_day(), 100.0));
        Arc::new(Series::new(
            Catalogue::embedded().get(id).unwrap().clone(),
            rows.collect(),
        ))
    };
    let set: SeriesSet = INPUTS.iter().map(|id| flat(id)).collect();
    assert_eq!(history(&set, date(2020, 1, 1)), vec![]);
}
