mod properties;

use super::*;
use crate::indicators::resample::Aggregation;
use crate::indicators::testdata;
use crate::model::frequency::shift;
use crate::model::{Date, Observation, Series};
use jiff::ToSpan;
use jiff::civil::date;
use std::sync::Arc;

fn series(id: &str, rows: &[(Date, f64)]) -> Arc<Series> {
    Arc::new(testdata::series(id, rows))
}

fn months(values: &[f64]) -> Vec<(Date, f64)> {
    (0i64..)
        .zip(values)
        .map(|(i, v)| (shift(date(2024, 1, 1), i.months()), *v))
        .collect()
}

fn lookup(name: &str) -> Option<Arc<Series>> {
    let week = |d| date(2026, 8, d);
    Some(match name {
        "DGS10" => series(
            "DGS10",
            &[(week(18), 4.0), (week(19), 4.2), (week(20), 4.4)],
        ),
        "DGS2" => series("DGS2", &[(week(18), 3.0), (week(20), 3.5)]),
        "WALCL" => series("WALCL", &[(week(12), 7_000_000.0), (week(19), 6_500_000.0)]),
        "RRPONTSYD" => series(
            "RRPONTSYD",
            &[(week(18), 2.0), (week(19), 4.0), (week(20), 90.0)],
        ),
        "CPIAUCSL" => series(
            "CPIAUCSL",
            &months(
                &[100.0; 12]
                    .into_iter()
                    .chain([103.0, 105.0])
                    .collect::<Vec<_>>(),
            ),
        ),
        "INDPRO" => series("INDPRO", &months(&[100.0, 50.0])),
        "GDP" => series("GDP", &[(date(2024, 1, 1), 28_000.0)]),
        "GFDEBTN" => series("GFDEBTN", &[(date(2024, 1, 1), 35_000_000.0)]),
        "AHETPI" => series("AHETPI", &months(&[20.0; 16])),
        "GAPPED" => series(
            "UNRATE",
            &[(8, 4.3), (9, 4.4), (11, 4.5), (12, 4.7)].map(|(m, v)| (date(2025, m, 1), v)),
        ),
        "PAYEMS" => series("PAYEMS", &months(&[150_000.0, 151_500.0])),
        _ => return None,
    })
}

fn read(text: &str) -> Result<(Vec<f64>, String), FormulaError> {
    let scope = Scope {
        series: &lookup,
        subject: lookup("DGS2").map(Column::new),
        start: date(2024, 1, 1),
        aggregation: Aggregation::Average,
        frequency: None,
    };
    let column = evaluate(&parse(text)?, scope)?;
    let values = column
        .series
        .observations
        .iter()
        .map(|o| (o.value * 1e6).round() / 1e6)
        .collect();
    Ok((values, column.unit.short))
}

fn fault(text: &str) -> String {
    let error = read(text).unwrap_err();
    format!("{}: {}; {}", error.column, error.problem, error.allowed)
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of formulas")]
fn formulas_give_figures_and_units() {
    for (text, values, unit) in [
        ("DGS10-DGS2", vec![1.0, 0.9], "pp"),
        ("(DGS10 - DGS2) * 100", vec![100.0, 90.0], "bp"),
        ("yoy(CPIAUCSL)", vec![3.0, 5.0], "%"),
        ("-DGS2", vec![-3.0, -3.5], "%"),
        ("abs(-DGS2)", vec![3.0, 3.5], "%"),
        ("ma(DGS10, 2)", vec![4.1, 4.3], "%"),
        ("lag(DGS10, 1)", vec![4.0, 4.2], "%"),
        ("lag(PAYEMS, 1)", vec![150_000.0, 151_500.0], "thous"),
        ("mom(PAYEMS)", vec![1.0], "%"),
        ("chg(PAYEMS)", vec![1_500.0], "thous"),
        ("PAYEMS/1000", vec![150.0, 151.5], "mn"),
        ("index(PAYEMS)", vec![100.0, 101.0], "index, start = 100"),
        (
            "index(PAYEMS)-index(INDPRO)",
            vec![0.0, 51.0],
            "index, start = 100",
        ),
        ("WALCL/1000-RRPONTSYD", vec![6_497.0], "$bn"),
        ("WALCL/1e6", vec![7.0, 6.5], "$tn"),
        ("DGS10/DGS2", vec![1.333333, 1.257143], "ratio"),
        ("DGS10/DGS2*100", vec![133.333333, 125.714286], "%"),
        ("GDP/PAYEMS", vec![0.185738], "$bn/thous"),
        ("WALCL-RRPONTSYD", vec![6_497_000.0], "$mn"),
        ("GFDEBTN/GDP", vec![1.25], "ratio"),
        ("GFDEBTN/GDP*100", vec![125.0], "%"),
        ("GFDEBTN/1000/GDP*100", vec![125.0], "%"),
        ("GDP/PAYEMS*1e6", vec![185_737.976783], "$ each"),
        ("gap(GFDEBTN, GDP)", vec![25.0], "%"),
        ("2^3^2*DGS2/DGS2", vec![512.0, 512.0], "ratio"),
        ("-DGS2^2", vec![-9.0, -12.25], ""),
        ("((1+DGS2/100)^4-1)*100", vec![12.550881, 14.752300], "%"),
        ("DGS2 > 3", vec![0.0, 1.0], "1 = true, 0 = false"),
        (
            ">= 3 and not (DGS10 = 4.4 or DGS2 != 3)",
            vec![1.0, 0.0],
            "1 = true, 0 = false",
        ),
        ("DGS10 - DGS2 <= 0.9", vec![0.0, 1.0], "1 = true, 0 = false"),
        ("WALCL ≥ 7000*1000", vec![1.0, 0.0], "1 = true, 0 = false"),
        ("RRPONTSYD*0.1 > WALCL", vec![0.0], "1 = true, 0 = false"),
        ("ma(GAPPED, 2)", vec![4.35, 4.6], "%"),
        ("ma(GAPPED, 3)", vec![], "%"),
        ("chg(GAPPED)", vec![0.1, 0.2], "pp"),
        (
            "ann(CPIAUCSL, 1)",
            vec![0.0; 11]
                .into_iter()
                .chain([42.576089, 25.957749])
                .collect(),
            "%",
        ),
        ("ann(CPIAUCSL, 12)", vec![3.0, 5.0], "%"),
        ("cagr(CPIAUCSL, 1)", vec![3.0, 5.0], "%"),
        ("cagr(CPIAUCSL)", vec![3.0, 4.606664], "%"),
        ("cagr(CPIAUCSL, \"2024-02\")", vec![5.0], "%"),
        (
            "index(INDPRO, \"2024-02\")",
            vec![200.0, 100.0],
            "index, 2024-02 = 100",
        ),
        (
            "index(INDPRO, 2024-01)",
            vec![100.0, 50.0],
            "index, 2024-01 = 100",
        ),
        (
            "index(DGS10, \"2026-08-23\")",
            vec![90.909091, 95.454545, 100.0],
            "index, 2026-08-23 = 100",
        ),
        ("2+3*DGS2", vec![11.0, 12.5], "%"),
        ("1-2-DGS2", vec![-4.0, -4.5], "%"),
    ] {
        let (got, got_unit) = read(text).unwrap_or_else(|f| panic!("{text}: {f:?}"));
        assert_eq!((got, got_unit.as_str()), (values, unit), "{text}");
    }
}

#[test]
fn errors_name_the_column_and_what_is_allowed() {
    for (text, want) in [
        ("DGS10-", "7: ends too early; a series name"),
        ("DGS10 ! DGS2", "7: has an unexpected \"!\"; series names"),
        ("(DGS10", "7: ends too early; a closing parenthesis"),
        ("yoyo(DGS10)", "yoy, mom"),
        (
            "ma(DGS10)",
            "9: has an unexpected \")\"; a whole number of periods",
        ),
        (
            "ma(DGS10, 0)",
            "11: has an unexpected \"0\"; a whole number of periods",
        ),
        ("", "1: ends too early"),
        ("2+2", "1: names no series"),
        ("yoy(2)", "1: applies a function to a number"),
        ("1/0*DGS10", "2: divides by zero"),
        ("DGS10 + NOPE", "9: NOPE is not known"),
        (
            "DGS10+GDP",
            "6: adds figures in % and $bn; figures of one unit",
        ),
        ("DGS10 > GDP", "7: compares figures in % and $bn"),
        (
            "1 < DGS2 < 3",
            "10: has an unexpected \"<\"; one comparison at a time",
        ),
        ("gap(DGS10, DGS2)", "1: is a gap between percentages"),
        (
            "gap(GDP)",
            "8: has an unexpected \")\"; a comma and a second series",
        ),
        (
            "real(AHETPI, \"2025-03\")",
            "1: has no consumer prices (CPIAUCSL) for all of 2025-03; a published month up to 2025-02, the newest",
        ),
        (
            "real(AHETPI)",
            "12: has an unexpected \")\"; a year, quarter, month or day",
        ),
        (
            "real(DGS10, \"2024-03\")",
            "1: applies real( ) to figures in %",
        ),
        (
            "index(INDPRO, \"2031\")",
            "1: lacks figures of INDPRO for 2031; a time from 2024-01-01 to 2024-02-01",
        ),
        ("9^99^99*DGS10", "2: divides by zero or is not finite"),
        (
            "CPIAUCSL-INDPRO",
            "9: subtracts figures in Index 1982-84=100 and Index 2017=100; indices of one base",
        ),
    ] {
        let got = fault(text);
        assert!(got.contains(want), "{text}: {got}");
    }
}

#[test]
fn real_uses_the_prices_of_each_month() {
    // Prices stand at 100 for a year, then 103 and 105; the wage has two months more.
    let (got, unit) = read("real(AHETPI, \"2025-02\")").unwrap();
    assert_eq!(unit, "$/hr 2025-02 prices");
    assert_eq!(got.len(), 14);
    assert_eq!((got[0], got[12], got[13]), (21.0, 20.38835, 20.0));
}

#[test]
fn rounding_noise_is_neither_divisor_nor_difference() {
    // 4.3 and 4.4 differ by 0.10000000000000053.
    for (text, want) in [
        ("chg(GAPPED) = 0.1", vec![1.0, 0.0]),
        ("1/(chg(GAPPED) - 0.1)", vec![10.0]),
        ("GAPPED/(GAPPED - GAPPED)", vec![]),
    ] {
        assert_eq!(read(text).unwrap().0, want, "{text}");
    }
}

#[test]
fn comparisons_use_the_lowest_frequency_of_a_formula() {
    // The mean of the three days is 4.2, of the two 3.25, in the month of which there is no price.
    let (got, _) = read("DGS10 > 4.1 and DGS2 < 3.3 or CPIAUCSL > 1").unwrap();
    assert_eq!(got, Vec::<f64>::new());
    let scope = Scope {
        series: &lookup,
        subject: None,
        start: date(2024, 1, 1),
        aggregation: Aggregation::EndOfPeriod,
        frequency: Some(crate::model::Frequency::Monthly),
    };
    let column = evaluate(&parse("DGS10 > 4.3").unwrap(), scope).unwrap();
    let month = Observation::new(date(2026, 8, 1), 1.0);
    assert_eq!(column.series.observations, [month]);
}

#[test]
fn length_depth_and_names_are_bounded() {
    assert!(fault(&"x".repeat(201)).contains("201 characters"));
    assert!(fault(&format!("{}DGS10", "(".repeat(9))).contains("nested too deeply"));
    assert!(fault(&"-".repeat(20)).contains("nested too deeply"));
    assert!(fault(&["DGS10"; 13].join("+")).contains("13 names"));
    assert!(fault(&format!("DGS10{}", "^2".repeat(9))).contains("nested too deeply"));
    assert!(parse(&format!("{}DGS10", "not ".repeat(40))).is_ok());
    assert!(fault("9e999").contains("ordinary size"));
    assert!(parse(&["A"; 12].join("+")).is_ok());
}

proptest::proptest! {
    #[test]
    fn any_text_parses_or_fails_at_a_column(text in "(and|or|not|[A-Z0-9a-z()+*/^<>=!., \"'−≥é-]){0,60}") {
        if let Err(fault) = parse(&text) {
            assert!(fault.column >= 1 && fault.column <= text.chars().count() + 1, "{text:?} {fault:?}");
        }
    }
}

#[test]
fn names_may_have_several_words() {
    let names = |text: &str| {
        let tree = parse(text).unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
        let names: Vec<String> = tree
            .names()
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        names.join(", ")
    };
    for (text, want) in [
        ("yoy(core cpi) - fed funds", "core cpi, fed funds"),
        ("100 * wages / ma(gas prices, 4)", "wages, gas prices"),
        ("10 year treasury - 2y", "10 year treasury, 2y"),
        (
            "unemployment rate > 5 and not fed funds < 2",
            "unemployment rate, fed funds",
        ),
        ("gap(real gdp, potential gdp)", "real gdp, potential gdp"),
    ] {
        assert_eq!(names(text), want, "{text}");
    }
    for wrong in ["core cpi 2020", "cpi yoy(DGS2)", "core cpi and", "2 3"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}
