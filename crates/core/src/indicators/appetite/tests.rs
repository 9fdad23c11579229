//! The mathematics against an independent computation, with free series standing in for market prices.

use super::*;
use crate::catalogue::Catalogue;
use crate::indicators::testdata::{as_of, load, stand_in};
use crate::model::{Date, Observation, Series, SeriesSet};
use jiff::ToSpan;
use jiff::civil::date;
use std::sync::Arc;

/// Which free series gives its ups and downs to which market price.
const STAND_INS: [(&str, &str); 4] = [
    ("NASDAQCOM", "DCOILBRENTEU"),
    ("VIXCLS", "DEXUSAL"),
    ("VXVCLS", "DEXSZUS"),
    ("BAA10Y", "T10Y2Y"),
];
const FUND_STAND_INS: [(&str, &str); 5] = [
    ("SPY", "DCOILBRENTEU"),
    ("IWM", "DGS20"),
    ("HYG", "DGS5"),
    ("LQD", "DGS7"),
    ("TLT", "DEXSZUS"),
];
const FREE: &[&str] = &[
    "DCOILBRENTEU",
    "DEXUSAL",
    "DEXSZUS",
    "T10Y2Y",
    "T10YIE",
    "NFCI",
    "DGS20",
    "DGS5",
    "DGS7",
];
const TODAY: Date = date(2026, 8, 23);

fn with(pairs: &[(&str, &str)]) -> SeriesSet {
    let mut set = load(FREE);
    pairs
        .iter()
        .for_each(|(id, from)| stand_in(&mut set, id, from));
    set
}

fn assert_golden(history: &[Observation], golden: &[(Date, f64)]) {
    for &(day, want) in golden {
        let i = history.binary_search_by_key(&day, |o| o.date).unwrap();
        let got = history[i].value;
        assert!((got - want).abs() < 1e-8, "{day}: {got} {want}");
    }
}

#[test]
fn fred_only_profile_matches_an_independent_computation() {
    let set = with(&STAND_INS);
    let history = CRAI.history(&set, TODAY);
    let golden = [
        (date(1990, 8, 15), 45.459_612_068_556_865),
        (date(1998, 9, 30), 39.795_685_812_897_43),
        (date(2008, 10, 10), 30.813_740_795_375_66),
        (date(2013, 1, 15), 37.623_503_963_430_61),
        (date(2019, 6, 3), 37.391_638_226_268_256),
        (date(2023, 6, 15), 45.170_322_028_561_38),
        (date(2026, 7, 20), 58.825_455_175_295_82),
    ];
    assert_golden(&history, &golden);
    assert_eq!(history.len(), 10196);
    assert!(history.iter().all(|o| (0.0..=100.0).contains(&o.value)));
}

#[test]
fn full_profile_matches_an_independent_computation() {
    let mut set = with(&STAND_INS);
    FUND_STAND_INS
        .iter()
        .for_each(|(id, from)| stand_in(&mut set, id, from));
    let history = CRAI.history(&set, date(2026, 7, 21));
    let golden = [
        (date(1990, 8, 15), 36.372_564_890_782_98),
        (date(1998, 9, 30), 34.240_322_289_940_76),
        (date(2008, 10, 10), 37.662_752_781_617_53),
        (date(2013, 1, 15), 43.813_677_778_200_33),
        (date(2019, 6, 3), 30.075_345_642_618_597),
        (date(2023, 6, 15), 42.862_740_026_662_564),
        (date(2026, 7, 20), 65.354_499_081_053_09),
    ];
    assert_golden(&history, &golden);
}

#[test]
fn reading_adds_up_from_fifty() {
    let set = with(&STAND_INS);
    let reading = CRAI.reading(&set, TODAY);
    let sum: f64 = reading.inputs.iter().filter_map(|i| i.contribution).sum();
    assert_eq!(reading.base, 50.0);
    assert!((50.0 + sum - reading.value.unwrap()).abs() < 1e-9);
    let text = (CRAI.interpret)(&reading);
    assert!(text.contains("against the crowd"), "{text}");
}

#[test]
fn public_series_alone_give_no_index() {
    let set = load(&["T10YIE", "NFCI", "DGS10"]);
    let reading = CRAI.reading(&set, TODAY);
    assert_eq!(reading.value, None);
    assert_eq!(
        reading.reason.as_deref(),
        Some("only 15 % of its weight is present, 50 % are needed")
    );
    let text = (CRAI.interpret)(&reading);
    assert!(
        text.contains("NASDAQCOM or SP500") && text.contains("BAMLH0A0HYM2 or BAA10Y"),
        "{text}"
    );
    assert!(CRAI.history(&SeriesSet::default(), TODAY).is_empty());
}

#[test]
fn high_yield_spreads_need_two_and_a_half_years() {
    let mut set = with(&STAND_INS);
    let spreads = set
        .get("T10Y2Y")
        .unwrap()
        .between(date(2020, 1, 2), date(2026, 8, 20))
        .to_vec();
    let info = Catalogue::embedded().get("BAMLH0A0HYM2").unwrap().clone();
    set.insert(Arc::new(Series::new(info, spreads)));
    let credit = |day| CRAI.reading(&set, day).inputs[3].series.clone();
    assert_eq!(credit(date(2022, 7, 1)), ["BAA10Y"]);
    assert_eq!(credit(date(2022, 7, 8)), ["BAMLH0A0HYM2"]);
}

#[test]
fn history_does_not_use_later_figures() {
    let set = with(&STAND_INS);
    let whole = CRAI.history(&set, TODAY);
    for day in [date(2020, 3, 20), date(1999, 1, 5), date(1991, 2, 28)] {
        let known = as_of(&set, day);
        let cut = CRAI.history(&known, day);
        assert_eq!(whole[..cut.len()], cut[..], "{day}");
        assert!(cut.len() > 500 && cut.last().unwrap().date <= day);
        assert_eq!(CRAI.reading(&known, day).value, cut.last().map(|o| o.value));
    }
}

#[test]
fn bitcoin_adds_no_days_to_the_index() {
    let mut set = with(&STAND_INS);
    let before = CRAI.history(&set, TODAY).len();
    let info = Catalogue::embedded().get("BTC").unwrap().clone();
    let rows = (0..900i64).map(|i| {
        let day = crate::model::frequency::shift(date(2020, 1, 1), i.days());
        Observation::new(
            day,
            9000.0 + 10.0 * f64::from(i32::try_from(i % 97).unwrap()),
        )
    });
    set.insert(Arc::new(Series::new(info, rows.collect())));
    assert_eq!(CRAI.history(&set, TODAY).len(), before);
}
