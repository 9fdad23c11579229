//! Worked values of docs/COMPOSITES.md#recession-probability on real figures, and the laws of the attribution.

use super::*;
use crate::indicators::shapley::shapley;
use crate::indicators::testdata;
use crate::model::series_info::round_to;
use jiff::civil::date;
use proptest::prelude::*;

const ALL: [&str; 5] = ["T10Y3M", "GS10", "TB3MS", "NFCI", "PERMIT"];

fn at(s: f64, f: f64, b: f64) -> f64 {
    round_to(probability([Some(s), Some(f), Some(b)]).unwrap(), 2)
}

#[test]
fn documented_inputs_give_the_documented_values() {
    assert_eq!(at(-1.735, -0.205, -20.459), 75.45);
    assert_eq!(at(2.388, 2.334, -62.092), 49.84);
    assert_eq!(at(2.349, -0.550, 10.031), 1.65);
    assert_eq!(at(0.733, -0.535, -1.252), 13.99);
}

#[test]
fn real_series_give_the_documented_values() {
    let set = testdata::load(&ALL);
    let history = CRPI.history(&set, date(2026, 8, 31));
    let month = |y, m| {
        let stamp = date(y, m, 1);
        let row = history.iter().find(|o| o.date == stamp).unwrap();
        round_to(row.value, 2)
    };
    assert_eq!(month(2023, 5), 75.44);
    assert_eq!(month(2009, 1), 49.83);
    assert_eq!(month(2015, 6), 1.65);
    assert_eq!(month(2026, 7), 13.99);
    assert!(history.len() > 800, "{}", history.len());
}

#[test]
fn current_month_uses_the_days_so_far() {
    let set = testdata::load(&ALL);
    let r = reading(&set, date(2026, 8, 22));
    assert_eq!(r.date, date(2026, 8, 1));
    assert_eq!(round_to(r.value.unwrap(), 1), 12.6);
    assert_eq!(r.basis, ["month to date"]);
    assert_eq!(CRPI.band(r.value.unwrap()), Some("low"));
    let text = interpret(&r);
    assert!(
        text.starts_with("Low, down ") && text.contains("; not odds. "),
        "{text}"
    );
    assert!(text.contains(" in 8 of 325 months under 15 %;"), "{text}");
    // Each value has the count of its own band.
    for (value, count) in [(15.0, "31 of 77"), (49.9, "34 of 42"), (50.4, "7 of 31")] {
        let mut past = r.clone();
        past.value = Some(value);
        past.date = date(2008, 12, 1);
        let text = interpret(&past);
        assert!(text.contains(count), "{text}");
        assert!(text.contains("Counted with later years: out of"), "{text}");
    }
}

#[test]
fn newest_figures_stand_in_early_in_a_month() {
    let set = testdata::load(&ALL);
    let day = date(2026, 8, 2);
    let r = reading(&testdata::as_of(&set, day), day);
    assert_eq!(
        r.basis,
        [
            "month to date",
            "term spread of 2026-07-31",
            "NFCI of 2026-07-24",
            "permits up to June 2026"
        ]
    );
    assert!(r.value.is_some());
}

#[test]
fn stale_inputs_give_a_reason_instead_of_a_figure() {
    let set = testdata::load(&ALL);
    let r = reading(&set, date(2026, 11, 21));
    assert_eq!(r.value, None);
    assert!(
        r.reason.as_deref().unwrap().contains("newest: 2026-08-21"),
        "{r:?}"
    );
    let last = CRPI
        .history(&set, date(2026, 11, 21))
        .last()
        .copied()
        .unwrap();
    assert_eq!(last.date, date(2026, 8, 1));
}

#[test]
fn monthly_averages_stand_in_for_the_daily_spread() {
    let set = testdata::load(&["GS10", "TB3MS", "NFCI", "PERMIT"]);
    let r = reading(&set, date(2026, 6, 20));
    assert!(
        r.basis
            .iter()
            .any(|b| b.contains("monthly averages of May 2026")),
        "{:?}",
        r.basis
    );
    let with = testdata::load(&ALL);
    let gap = r.value.unwrap() - reading(&with, date(2026, 6, 20)).value.unwrap();
    assert!(gap.abs() < 5.0, "{gap}");
}

#[test]
fn each_set_of_missing_inputs_has_its_probit() {
    let p = probability;
    let s = Some(1.0);
    let f = Some(-0.5);
    let b = Some(2.0);
    for lacking in [[s, f, None], [s, None, b], [s, None, None], [None, f, b]] {
        assert!(p(lacking).is_some_and(|v| (0.0..=100.0).contains(&v)));
    }
    assert_eq!(p([None, None, b]), None);
    assert_eq!(p([None, None, None]), None);
    let first = normal_cdf(-0.5333 - 0.6330);
    let second = normal_cdf(-0.2057 - 0.4567);
    assert_eq!(p([s, None, None]), Some(50.0 * (first + second)));
}

#[test]
fn history_ends_with_the_reading() {
    let set = testdata::load(&ALL);
    for day in [
        date(1975, 6, 17),
        date(1982, 1, 20),
        date(2008, 12, 15),
        date(2026, 8, 3),
        date(2026, 8, 22),
    ] {
        let r = reading(&set, day);
        let last = CRPI.history(&set, day).last().copied().unwrap();
        assert_eq!((Some(last.value), last.date), (r.value, r.date));
    }
}

proptest! {
    #[test]
    fn base_and_contributions_add_up(s in prop::option::of(-4.0..5.0f64), f in prop::option::of(-1.0..4.0f64), b in prop::option::of(-90.0..60.0f64)) {
        let drivers = [s, f, b];
        prop_assert_eq!(shapley(drivers, USUAL, probability).is_some(), probability(drivers).is_some());
        if let Some((base, points)) = shapley(drivers, USUAL, probability) {
            let sum: f64 = base + points.iter().flatten().sum::<f64>();
            prop_assert!((sum - probability(drivers).unwrap()).abs() < 1e-9);
        }
    }
}
