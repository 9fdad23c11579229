//! The public profile against an independent computation, and what must hold for any figures.

use super::*;
use crate::catalogue::Catalogue;
use crate::indicators::testdata::{as_of, load, stand_in};
use crate::model::{Date, Observation, Series, SeriesSet};
use jiff::civil::date;
use proptest::prelude::*;
use std::sync::Arc;

const PUBLIC_INPUTS: &[&str] = &["NFCI", "EBP", "ICSA", "DGS10"];
const TODAY: Date = date(2026, 8, 23);

fn value_at(history: &[Observation], day: Date) -> f64 {
    let i = history.binary_search_by_key(&day, |o| o.date).unwrap();
    history[i].value
}

#[test]
fn public_profile_matches_an_independent_computation() {
    // pandas over the same files, by the definition and not by this code.
    let set = load(PUBLIC_INPUTS);
    let history = CMSI.history(&set, TODAY);
    for (day, want) in [
        (date(1988, 1, 8), 66.841_584),
        (date(1990, 10, 11), 60.497_491_638_795_99),
        (date(2008, 11, 20), 99.556_923_345_556_16),
        (date(2017, 6, 15), 35.817_344_345_616_27),
        (date(2020, 4, 15), 79.894_776_728_459_85),
        (date(2023, 3, 15), 68.221_308_833_010_98),
        (date(2024, 12, 31), 50.217_045_920_459_206),
        (date(2026, 8, 20), 34.516_150_188_555_5),
    ] {
        let got = value_at(&history, day);
        assert!((got - want).abs() < 1e-6, "{day}: {got} {want}");
    }
    assert_eq!(history.len(), 9661);
    assert!(history.iter().all(|o| (0.0..=100.0).contains(&o.value)));
}

#[test]
fn reading_adds_up_and_names_stale_inputs() {
    let set = load(PUBLIC_INPUTS);
    let reading = CMSI.reading(&set, TODAY);
    assert_eq!(reading.date, date(2026, 8, 20));
    let sum: f64 = reading.inputs.iter().filter_map(|i| i.contribution).sum();
    assert!((reading.base + sum - reading.value.unwrap()).abs() < 1e-9);
    assert!((reading.weight_present - 0.75).abs() < 1e-9);
    let premium = &reading.inputs[1];
    assert_eq!(
        premium.missing.as_deref(),
        Some("newest figure of 2025-03-01 is too old for 2026-08-20")
    );
    let text = (CMSI.interpret)(&reading);
    for part in [
        "Calm, down 3.6 points over 4 weeks; 25 % of its weight has no figure: excess bond premium.",
        "81 in recessions",
        "no forecast",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn one_current_copyrighted_input_selects_the_full_profile() {
    let mut set = load(&["NFCI", "EBP", "ICSA", "DGS10", "DTWEXBGS", "T10Y2Y"]);
    stand_in(&mut set, "VIXCLS", "T10Y2Y");
    let reading = CMSI.reading(&set, TODAY);
    assert_eq!(reading.inputs.len(), 6);
    // The premium is stale and the dollar index ends in July: .20 + .20 + .15 + .10 are left.
    assert!((reading.weight_present - 0.65).abs() < 1e-9);
    assert!(reading.value.is_some());
    // In 2020 the premium stood in for the spread.
    let earlier = CMSI.reading(&set, date(2020, 6, 1));
    assert_eq!(earlier.inputs[0].series, ["EBP"]);
    assert!((earlier.weight_present - 1.0).abs() < 1e-9);
}

#[test]
fn too_little_weight_gives_a_reason() {
    let set = load(&["ICSA", "DGS10"]);
    let reading = CMSI.reading(&set, TODAY);
    assert_eq!(reading.value, None);
    assert_eq!(
        reading.reason.as_deref(),
        Some("only 30 % of its weight is present, 60 % are needed")
    );
    assert!(
        (CMSI.interpret)(&reading).contains("missing: NFCI, EBP"),
        "{}",
        (CMSI.interpret)(&reading)
    );
    assert!(CMSI.history(&set, TODAY).is_empty());
    let nothing = CMSI.reading(&SeriesSet::default(), TODAY);
    assert_eq!(
        nothing.reason.as_deref(),
        Some("none of its inputs is there")
    );
    let late = CMSI.reading(&load(PUBLIC_INPUTS), date(2027, 2, 1));
    assert!(late.value.is_none() && late.reason.unwrap().contains("too old"));
}

#[test]
fn weekly_figures_continue_the_index_without_daily_ones() {
    let set = load(&["NFCI", "EBP", "ICSA"]);
    let day = date(2024, 6, 10);
    let history = CMSI.history(&as_of(&set, day), day);
    assert_eq!(history.last().unwrap().date, date(2024, 6, 6));
}

#[test]
fn history_does_not_use_later_figures() {
    let set = load(PUBLIC_INPUTS);
    let whole = CMSI.history(&set, TODAY);
    for day in [
        date(2020, 3, 20),
        date(2009, 1, 5),
        date(1991, 2, 28),
        date(2024, 7, 7),
    ] {
        let known = as_of(&set, day);
        let cut = CMSI.history(&known, day);
        assert_eq!(whole[..cut.len()], cut[..], "{day}");
        assert!(cut.last().unwrap().date <= day);
        let reading = CMSI.reading(&known, day);
        assert_eq!(reading.value, cut.last().map(|o| o.value));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn index_stays_within_bounds(seed in prop::collection::vec(-1e9f64..1e9, 40), holes in 1usize..90) {
        let days = |step: i64, n: usize| (0..n).map(move |i| crate::model::frequency::shift(date(1984, 1, 6), jiff::Span::new().days(step * i as i64)));
        let set: SeriesSet = [("NFCI", 7, 400), ("ICSA", 7, 400), ("DGS10", 1, 3000), ("EBP", 1, 0)]
            .into_iter()
            .map(|(id, step, n)| {
                let info = Catalogue::embedded().get(id).unwrap().clone();
                let rows = days(step, n)
                    .enumerate()
                    .filter(|(i, _)| (i / 700) % 2 == 0 || i % (holes + 1) != 0)
                    .map(|(i, d)| Observation::new(d, seed[(i * 7 + n) % seed.len()]))
                    .collect();
                Arc::new(Series::new(info, rows))
            })
            .collect();
        let history = CMSI.history(&set, date(1992, 1, 1));
        prop_assert!(history.iter().all(|o| (0.0..=100.0).contains(&o.value)));
        prop_assert!(history.is_sorted_by(|a, b| a.date < b.date));
    }
}
