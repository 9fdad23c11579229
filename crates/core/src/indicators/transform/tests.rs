//! Transforms on worked cases and on the real series with its missing month.

use super::*;
use crate::indicators::months::Month;
use crate::indicators::testdata::{self, series};
use jiff::civil::date;
use proptest::prelude::*;

#[test]
fn year_on_year_follows_the_calendar_across_a_gap() {
    let set = testdata::load(&["CPIAUCSL", "CPIAUCNS"]);
    let sa = set.get("CPIAUCSL").unwrap();
    assert_eq!(sa.value_on(date(2025, 10, 1)), None);
    let july = year_on_year(sa, date(2026, 7, 1)).unwrap();
    assert_eq!(round_to(july, 2), 3.30);
    assert_eq!(
        round_to(year_on_year(sa, date(2022, 6, 1)).unwrap(), 2),
        8.98
    );
    let nsa = set.get("CPIAUCNS").unwrap();
    assert_eq!(
        round_to(year_on_year(nsa, date(2022, 6, 1)).unwrap(), 2),
        9.06
    );
}

#[test]
fn month_without_a_base_is_passed_over() {
    let row = |y, m, v| (date(y, m, 1), v);
    let s = series(
        "CPIAUCNS",
        &[
            row(2025, 9, 100.0),
            row(2025, 11, 101.0),
            row(2026, 9, 103.0),
            row(2026, 10, 104.0),
        ],
    );
    assert_eq!(year_on_year(&s, date(2026, 10, 1)), None);
    let latest = latest_year_on_year(&s, date(2026, 11, 21)).unwrap();
    assert_eq!(
        (latest.date, round_to(latest.value, 9)),
        (date(2026, 9, 1), 3.0)
    );
}

#[test]
fn daily_changes_bridge_holidays_but_not_long_gaps() {
    let s = series(
        "DGS10",
        &[
            (date(2026, 7, 2), 4.00),
            (date(2026, 7, 24), 4.10),
            (date(2026, 8, 3), 4.40),
        ],
    );
    // 27 July looks back to the 24th; 4 July to the 2nd.
    assert_eq!(
        changes(&s, date(2026, 8, 20)),
        Changes {
            week: Some(0.3),
            month: Some(0.4)
        }
    );
    let gap = series("DGS10", &[(date(2026, 6, 1), 4.0), (date(2026, 8, 3), 4.4)]);
    assert_eq!(changes(&gap, date(2026, 8, 3)), Changes::default());
}

#[test]
fn weekly_changes_accept_dates_moved_by_a_day() {
    let s = series(
        "WALCL",
        &[
            (date(2026, 7, 22), 10.0),
            (date(2026, 8, 13), 11.0),
            (date(2026, 8, 19), 13.0),
        ],
    );
    // The stamp of 12 August stands on the 13th; 20 July has nothing before it.
    assert_eq!(
        changes(&s, date(2026, 8, 20)),
        Changes {
            week: Some(2.0),
            month: None
        }
    );
}

#[test]
fn monthly_changes_count_months_and_quarters_have_none() {
    let s = series(
        "UNRATE",
        &[(date(2026, 2, 1), 4.2), (date(2026, 3, 1), 4.3)],
    );
    assert_eq!(
        changes(&s, date(2026, 3, 1)),
        Changes {
            week: None,
            month: Some(0.1)
        }
    );
    let quarterly = series("GDP", &[(date(2026, 1, 1), 1.0), (date(2026, 4, 1), 2.0)]);
    assert_eq!(changes(&quarterly, date(2026, 8, 1)), Changes::default());
}

#[test]
fn fred_codes_work_on_a_quarterly_series() {
    let s = series(
        "GDP",
        &[
            (date(2025, 4, 1), 80.0),
            (date(2026, 1, 1), 90.0),
            (date(2026, 4, 1), 99.0),
        ],
    );
    let last = |code: &str| {
        let units: Units = code.parse().unwrap();
        round_to(units.apply(&s).last().unwrap().value, 6)
    };
    assert_eq!(last("lin"), 99.0);
    assert_eq!(last("chg"), 9.0);
    assert_eq!(last("CH1"), 19.0);
    assert_eq!(last("pch"), 10.0);
    assert_eq!(last("pc1"), 23.75);
    assert_eq!(last("pca"), 46.41);
    assert_eq!(last("cch"), 9.531018);
    assert_eq!(last("cca"), 38.124072);
    assert_eq!(last("log"), 4.59512);
    assert_eq!(Units::Change.apply(&s).len(), 1);
    assert!("bps".parse::<Units>().is_err());
}

#[test]
fn spreads_use_the_newest_common_date() {
    let long = series(
        "DGS10",
        &[(date(2026, 8, 19), 4.50), (date(2026, 8, 20), 4.69)],
    );
    let short = series("DGS2", &[(date(2026, 8, 19), 4.13)]);
    assert_eq!(
        spread_bps(&long, &short, date(2026, 8, 21)),
        Some(Observation::new(date(2026, 8, 19), 37.0))
    );
    assert_eq!(spread_bps(&long, &short, date(2026, 8, 18)), None);
}

#[test]
fn computed_spread_matches_the_published_one() {
    let set = testdata::load(&["DGS10", "DGS2", "T10Y2Y"]);
    let long = set.get("DGS10").unwrap();
    let short = set.get("DGS2").unwrap();
    let published = set
        .get("T10Y2Y")
        .unwrap()
        .between(date(2010, 1, 1), date(2026, 12, 31));
    let mut compared = 0;
    for o in published {
        let ours = spread_bps(long, short, o.date).filter(|s| s.date == o.date);
        if let Some(ours) = ours {
            assert_eq!(ours.value, bps(o.value), "{}", o.date);
            compared += 1;
        }
    }
    assert!(compared > 4_000, "{compared} of {}", published.len());
}

#[test]
fn bill_yield_is_above_its_discount() {
    assert_eq!(round_to(bond_equivalent(5.0).unwrap(), 4), 5.1343);
    assert_eq!(bond_equivalent(400.0), None);
}

proptest! {
    #[test]
    fn transforms_give_only_finite_numbers(values in prop::collection::vec(-1e12..1e12f64, 1..40)) {
        let rows: Vec<_> = values
            .iter()
            .enumerate()
            .map(|(i, &v)| (Month::new(2020, 1).plus(i32::try_from(i).unwrap()).first_day(), v))
            .collect();
        let s = series("UNRATE", &rows);
        for (_, units) in Units::ALL {
            prop_assert!(units.apply(&s).iter().all(|o| o.value.is_finite()));
        }
    }
}
