//! The golden values on the vintages of their days.

use super::*;
use crate::indicators::regime::Regime;
use crate::indicators::testdata;
use jiff::civil::date;

fn inputs() -> Vec<&'static str> {
    regime::INPUTS.iter().chain(&WEEKLY).copied().collect()
}

fn close(a: f64, b: f64, tolerance: f64, context: &str) {
    assert!((a - b).abs() <= tolerance, "{context}: {a}, expected {b}");
}

#[test]
fn vintages_give_the_golden_values() {
    let stagflation = Regime::Stagflation;
    let goldilocks = Regime::Goldilocks;
    let reflation = Regime::Reflation;
    let deflation = Regime::Deflation;
    for (day, to, claims, growth, inflation, labels) in [
        (
            date(2008, 10, 31),
            Month::new(2008, 10),
            [2.3956, 6.9147],
            [-2.4393, -2.5045],
            [0.8338, 0.5940],
            [stagflation, stagflation],
        ),
        (
            date(2020, 3, 31),
            Month::new(2020, 3),
            [168.3387, -2.4901],
            [0.3008, -1.8147],
            [-0.1782, -0.4074],
            [goldilocks, deflation],
        ),
        (
            date(2020, 4, 14),
            Month::new(2020, 4),
            [96.6217, 240.7815],
            [0.2757, -2.2367],
            [-0.1782, -0.9969],
            [goldilocks, deflation],
        ),
        (
            date(2026, 8, 20),
            Month::new(2026, 8),
            [1.3439, -9.0490],
            [0.1890, 0.1900],
            [0.2256, 0.1640],
            [reflation, reflation],
        ),
    ] {
        let set = testdata::known(&inputs(), day);
        let now = compute(&set, day, day).unwrap();
        let published = regime::compute(&set, day).state.unwrap();
        let context = day.to_string();
        assert_eq!(Month::from_date(now.claims_week), to, "{context}");
        assert_eq!(now.state.month, to.plus(1).first_day(), "{context}");
        close(now.claims[0], claims[0], 5e-5, &context);
        close(now.claims[1], claims[1], 5e-5, &context);
        close(published.growth, growth[0], 5e-5, &context);
        close(now.state.growth, growth[1], 5e-5, &context);
        close(published.inflation, inflation[0], 5e-5, &context);
        // The study's coefficients of gasoline, which are printed here, had one first print more.
        close(now.state.inflation, inflation[1], 5e-4, &context);
        assert_eq!([published.regime, now.state.regime], labels, "{context}");
    }
}

#[test]
fn fills_of_october_2008_match_the_documented_ones() {
    let day = date(2008, 10, 31);
    let now = compute(&testdata::known(&inputs(), day), day, day).unwrap();
    for (series, value) in [
        ("INDPRO", 106.2845),
        ("PAYEMS", 137_175.77),
        ("UNRATE", 6.2453),
        ("PERMIT", 805.0),
        ("CPILFESL", 217.3631),
        ("CPIAUCSL", 217.5724),
    ] {
        let fills: Vec<&Fill> = now.fills.iter().filter(|f| f.series == series).collect();
        assert_eq!(fills.len(), 1, "{series}");
        assert_eq!(fills[0].month, Month::new(2008, 10));
        close(fills[0].value, value, 0.006_f64.min(value * 1e-5), series);
    }
    assert!(now.inputs_missing.is_empty());
}

#[test]
fn missing_gasoline_is_named() {
    let day = date(2026, 8, 20);
    let now = compute(&testdata::known(&inputs(), day), day, day).unwrap();
    assert_eq!(now.inputs_missing, ["GASREGW"]);
}

#[test]
fn old_or_missing_inputs_give_reasons() {
    let day = date(2020, 4, 15);
    let set = testdata::known(&inputs(), day);
    let without = |gone: &str| -> SeriesSet {
        let rest = set.iter().filter(|s| s.info.id.as_str() != gone);
        rest.cloned().collect()
    };
    assert_eq!(
        compute(&without("ICSA"), day, day).unwrap_err(),
        "ICSA is not loaded"
    );
    assert!(
        compute(&set, day, date(2020, 4, 20))
            .unwrap_err()
            .contains("2020-04-04")
    );
    assert!(
        compute(&without("CPIAUCSL"), day, day)
            .unwrap_err()
            .contains("CPIAUCSL")
    );
    let permits = compute(&without("PERMIT"), day, day).unwrap();
    assert_eq!(permits.inputs_missing, ["PERMIT"]);
    assert_eq!(permits.state.growth_parts.len(), 3);
    let old = testdata::stamped_up_to(&testdata::known(&["CPILFESL"], day), date(2019, 12, 1));
    let mut late = without("CPILFESL");
    late.insert(std::sync::Arc::clone(old.iter().next().unwrap()));
    assert!(
        compute(&late, day, day)
            .unwrap_err()
            .contains("CPILFESL ends with December 2019")
    );
}
