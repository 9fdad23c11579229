//! The rule on the documented table, and the table's public rows measured afresh.

use super::*;
use crate::indicators::months::{Month, MonthlyGrid};
use crate::indicators::regime;
use crate::indicators::testdata::load;
use crate::model::SeriesSet;
use evidence::{bond_returns, compare, log_returns};
use jiff::civil::date;

const TODAY: crate::model::Date = date(2026, 8, 23);

fn asset(key: &str) -> Asset {
    Asset::ALL
        .into_iter()
        .find(|asset| asset.key == key)
        .unwrap()
}

fn documented_view(regime: Regime, confidence: f64, asset: Asset) -> (Direction, Conviction) {
    let all = views(regime, Some(confidence), |_| None);
    let view = all.iter().find(|v| v.asset == asset).unwrap();
    (view.direction, view.conviction)
}

#[test]
fn views_follow_the_documented_table() {
    use Conviction::{Low, Medium};
    use Direction::{Bearish, Bullish, Neutral};
    for (regime, want) in [
        (
            Regime::Goldilocks,
            [
                (Neutral, Low),
                (Neutral, Low),
                (Bearish, Medium),
                (Bearish, Medium),
                (Neutral, Low),
                (Bearish, Medium),
            ],
        ),
        (
            Regime::Reflation,
            [
                (Bearish, Low),
                (Neutral, Low),
                (Neutral, Low),
                (Neutral, Low),
                (Neutral, Low),
                (Neutral, Low),
            ],
        ),
        (
            Regime::Stagflation,
            [
                (Neutral, Low),
                (Neutral, Low),
                (Neutral, Low),
                (Neutral, Low),
                (Bullish, Medium),
                (Bullish, Medium),
            ],
        ),
        (
            Regime::Deflation,
            [
                (Bullish, Low),
                (Neutral, Low),
                (Bullish, Medium),
                (Bullish, Medium),
                (Bearish, Medium),
                (Neutral, Low),
            ],
        ),
    ] {
        let got: Vec<_> = views(regime, Some(90.0), |_| None)
            .iter()
            .map(|v| (v.direction, v.conviction))
            .collect();
        assert_eq!(got, want, "{regime:?}");
    }
}

#[test]
fn words_for_a_difference_follow_its_t_statistic() {
    let mut evidence = documented(Regime::Stagflation, asset("bonds")).unwrap();
    let mut words = |t| {
        evidence.t = t;
        thesis(asset("bonds"), Regime::Stagflation, None, &evidence)
    };
    assert!(words(-CLEAR_T).contains("a clear difference"));
    assert!(words(CLEAR_T - 0.01).contains("a difference of some weight"));
    assert!(words(-DIRECTION_T).contains("a difference of some weight"));
    assert!(words(DIRECTION_T - 0.01).contains("no clear difference"));
}

#[test]
fn uncertain_regime_lowers_conviction_but_not_direction() {
    let bonds = |confidence| documented_view(Regime::Stagflation, confidence, asset("bonds"));
    assert_eq!(bonds(50.0), (Direction::Bullish, Conviction::Medium));
    assert_eq!(bonds(49.0), (Direction::Bullish, Conviction::Low));
}

#[test]
fn each_asset_has_evidence_in_each_regime() {
    for regime in Regime::QUADRANTS {
        for asset in Asset::ALL {
            assert!(documented(regime, asset).is_some(), "{regime:?} {asset:?}");
        }
    }
}

#[test]
fn thesis_cites_its_figures() {
    let all = views(Regime::Stagflation, Some(45.0), |_| None);
    assert_eq!(
        all[5].thesis,
        "10-year Treasuries returned 9.5 % a year in Stagflation months against 4.3 % in others: a clear \
         difference, though of 48 such tests about two come out clear by chance. Reference study: returns from DGS10 with a \
         duration of 8 years. The regime itself is held with 45 % only, which lowers conviction."
    );
    assert!(
        all[0].thesis.starts_with("Bitcoin returned 62 % a year"),
        "{}",
        all[0].thesis
    );
    assert!(
        all[0]
            .thesis
            .ends_with("about one cycle, so conviction is low."),
        "{}",
        all[0].thesis
    );
    assert!(
        !all[1].thesis.contains("lowers conviction"),
        "{}",
        all[1].thesis
    );
}

#[test]
fn unknown_regime_gives_neutral_views() {
    let all = views(Regime::Unknown, None, |_| None);
    assert_eq!(all.len(), 6);
    assert!(
        all.iter()
            .all(|v| v.direction == Direction::Neutral && v.conviction == Conviction::Low)
    );
    assert!(all[0].thesis.contains("unknown"));
}

/// Series of the regime and of the public assets, with the regime of each month.
fn real() -> (SeriesSet, Vec<(Month, Regime)>) {
    let mut ids = regime::INPUTS.to_vec();
    ids.extend(["DGS10", "DCOILWTICO", "DTWEXBGS"]);
    let set = load(&ids);
    let states = regime::history(&set, TODAY);
    let labels = states
        .iter()
        .map(|s| (Month::from_date(s.month), s.regime))
        .collect();
    (set, labels)
}

#[test]
fn dollar_series_gives_the_documented_row() {
    let (set, labels) = real();
    for regime in Regime::QUADRANTS {
        let got = measured(asset("dollar"), regime, &labels, &set, TODAY).unwrap();
        let want = documented(regime, asset("dollar")).unwrap();
        assert!(
            (got.in_regime - want.in_regime).abs() < 0.06,
            "{regime:?} {got:?}"
        );
        assert!(
            (got.elsewhere - want.elsewhere).abs() < 0.06,
            "{regime:?} {got:?}"
        );
        assert!((got.t - want.t).abs() < 0.06, "{regime:?} {got:?}");
        assert_eq!(
            got.basis,
            "Measured from the store: monthly averages of DTWEXBGS since February 2006"
        );
    }
}

#[test]
fn oil_and_bond_series_are_near_the_documented_rows() {
    let (set, labels) = real();
    let monthly = |id| MonthlyGrid::from_means(&set.get(id).unwrap().observations);
    let oil = log_returns(&monthly("DCOILWTICO"));
    let bonds = bond_returns(&monthly("DGS10")).starting_at(Month::new(1966, 1));
    for (asset, returns, points, of_t) in [
        (asset("oil"), oil, 2.0, 0.2),
        (asset("bonds"), bonds, 0.2, 0.1),
    ] {
        for regime in Regime::QUADRANTS {
            let got = compare(&returns, &labels, regime).unwrap();
            let want = documented(regime, asset).unwrap();
            assert!(
                (got.in_regime - want.in_regime).abs() < points,
                "{asset:?} {regime:?} {got:?}"
            );
            assert!(
                (got.elsewhere - want.elsewhere).abs() < points,
                "{asset:?} {regime:?} {got:?}"
            );
            assert!(
                (got.t - want.t).abs() < of_t,
                "{asset:?} {regime:?} {got:?}"
            );
        }
    }
}

#[test]
fn measured_evidence_needs_a_long_history() {
    let (set, labels) = real();
    let own = |regime, day| measured(asset("dollar"), regime, &labels, &set, day);
    assert!(own(Regime::Goldilocks, date(2026, 8, 23)).is_some());
    assert_eq!(own(Regime::Goldilocks, date(2018, 1, 1)), None);
    assert_eq!(
        measured(asset("gold"), Regime::Goldilocks, &labels, &set, TODAY),
        None
    );
    let all = views(Regime::Deflation, Some(80.0), |a| {
        measured(a, Regime::Deflation, &labels, &set, TODAY)
    });
    assert!(
        all[4].thesis.contains("since February 2006"),
        "{}",
        all[4].thesis
    );
    assert!(
        all[3].thesis.contains("prices since 1971"),
        "{}",
        all[3].thesis
    );
}
