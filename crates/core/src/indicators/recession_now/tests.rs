//! The golden values on real figures, and the rules on made-up ones.

use super::*;
use crate::indicators::testdata;
use crate::model::series_info::round_to;
use jiff::civil::date;

fn close(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{a}, expected {b}");
}

#[test]
fn vintages_give_the_golden_values() {
    for (day, c, p, value) in [
        (date(2001, 3, 31), 25.4642, 1.1966, 87.30),
        (date(2008, 8, 31), 22.0535, -0.4329, 80.83),
        (date(2024, 8, 31), 6.4683, 1.2848, 10.25),
        (date(2026, 3, 26), -6.7648, 0.0429, 0.24),
    ] {
        let known = testdata::known(&[CLAIMS, PAYROLLS], day);
        let reading = reading(&known, day);
        close(reading.inputs[0].value.unwrap(), c, 5e-5);
        close(reading.inputs[1].value.unwrap(), p, 5e-5);
        close(reading.value.unwrap(), value, 5e-3);
        let sum: f64 = reading.inputs.iter().filter_map(|i| i.contribution).sum();
        close(reading.base + sum, reading.value.unwrap(), 1e-9);
    }
}

fn weeks(values: impl Iterator<Item = f64>) -> Vec<Observation> {
    let row =
        |(back, value): (i64, f64)| Observation::new(add_days(date(2020, 3, 28), -7 * back), value);
    (0..).zip(values).map(row).collect()
}

#[test]
fn four_weeks_compare_with_the_median_of_a_year() {
    // The newest four weeks are 300; of the year before every mean is 200 but for those the jump reaches into.
    let values = (0..60).map(|back| if back < 4 { 300.0 } else { 200.0 });
    let (week, gap) = claims_gap(weeks(values).into_iter()).unwrap();
    assert_eq!(week, date(2020, 3, 28));
    close(gap, 100.0 * 1.5f64.ln(), 1e-9);
    let tenfold = (0..60).map(|back| if back < 4 { 2000.0 } else { 200.0 });
    assert_eq!(claims_gap(weeks(tenfold).into_iter()).unwrap().1, 60.0);
    let mut one_gone = weeks((0..61).map(|_| 200.0));
    one_gone.remove(30);
    assert_eq!(claims_gap(one_gone.into_iter()), None);
    assert_eq!(claims_gap(weeks((0..59).map(|_| 200.0)).into_iter()), None);
}

#[test]
fn payrolls_are_at_most_three_months_old() {
    let month = |m: i32, v| Observation::new(Month::new(2025, m).first_day(), v);
    let rows = [month(8, 102.0), month(7, 101.0), month(5, 100.0)];
    let on = |d| payroll_growth(rows.into_iter(), d);
    let (newest, growth) = on(date(2025, 11, 30)).unwrap();
    assert_eq!(newest, Month::new(2025, 8));
    close(growth, 6.0, 1e-9);
    assert_eq!(on(date(2025, 12, 1)), None);
    assert_eq!(
        payroll_growth(rows[1..].iter().copied(), date(2025, 8, 1)),
        None,
        "April is gone"
    );
}

#[test]
fn old_week_gives_a_reason_instead_of_a_value() {
    let set = testdata::load(&[CLAIMS, PAYROLLS]);
    let at = |day| reading(&set, day);
    assert_eq!(at(date(2026, 8, 29)).date, date(2026, 8, 15));
    assert!(at(date(2026, 8, 29)).value.is_some());
    let late = at(date(2026, 8, 30));
    assert_eq!(late.value, None);
    assert!(late.reason.unwrap().contains("2026-08-15"));
    let none = reading(&SeriesSet::default(), date(2026, 8, 29));
    assert_eq!(
        none.reason.unwrap(),
        "ICSA is not loaded; PAYEMS is not loaded"
    );
    let no_payrolls = reading(&testdata::load(&[CLAIMS]), date(2026, 8, 29));
    assert_eq!(no_payrolls.date, date(2026, 8, 29));
    assert_eq!(no_payrolls.value, None);
    assert!(no_payrolls.inputs.iter().all(|i| i.contribution.is_none()));
    assert_eq!(no_payrolls.reason.unwrap(), "PAYEMS is not loaded");
}

#[test]
fn real_time_alarms_match_the_documented_ones() {
    let recorded = testdata::recorded(&[CLAIMS, PAYROLLS]);
    let path = path(&recorded, date(2026, 8, 22));
    assert_eq!(path.last().unwrap().date, date(2026, 8, 15));
    assert!(path.len() > 3_000, "{}", path.len());
    let spells = RNOW.indicator.definition().alarm.unwrap().periods(&path);
    let thursdays =
        |s: &super::super::alarm::AlarmPeriod| (release_day(s.from), s.to.map(release_day));
    let since_1979: Vec<_> = spells
        .iter()
        .map(thursdays)
        .filter(|s| s.0.year() >= 1979)
        .collect();
    let day = |y, m, d| date(y, m, d);
    assert_eq!(
        since_1979,
        [
            (day(1980, 5, 1), Some(day(1980, 10, 30))),
            (day(1981, 12, 10), Some(day(1982, 8, 12))),
            (day(1982, 9, 16), Some(day(1982, 12, 2))),
            (day(1990, 11, 15), Some(day(1991, 6, 13))),
            (day(2001, 2, 22), Some(day(2002, 1, 10))),
            (day(2008, 8, 14), Some(day(2009, 7, 30))),
            (day(2020, 4, 2), Some(day(2020, 11, 12))),
        ]
    );
}

#[test]
fn each_week_uses_what_was_known_on_its_thursday() {
    let recorded = testdata::recorded(&[CLAIMS, PAYROLLS]);
    let whole = path(&recorded, date(2020, 4, 30));
    for day in [date(1990, 11, 15), date(2008, 9, 15), date(2020, 4, 2)] {
        let then = path(&recorded, day);
        assert_eq!(then, whole[..then.len()]);
        let last = then.last().unwrap();
        let thursday = release_day(last.date);
        let known = testdata::known(&[CLAIMS, PAYROLLS], thursday);
        assert_eq!(
            reading(&known, thursday).value.map(|v| round_to(v, 9)),
            Some(round_to(last.value, 9))
        );
    }
}
