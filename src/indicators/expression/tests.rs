use super::*;
use crate::indicators::resample::Aggregation;
use crate::model::frequency::shift;
use crate::model::{Catalogue, Date, Observation, Series};
use jiff::ToSpan;
use jiff::civil::date;
use std::sync::Arc;

fn series(id: &str, rows: &[(Date, f64)]) -> Arc<Series> {
    let info = Catalogue::embedded().get(id).unwrap().clone();
    let rows = rows.iter().map(|&(d, v)| Observation::new(d, v)).collect();
    Arc::new(Series::new(info, rows))
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
        "PAYEMS" => series("PAYEMS", &months(&[150_000.0, 151_500.0])),
        _ => return None,
    })
}

fn read(text: &str) -> Result<(Vec<f64>, String), Fault> {
    let scope = Scope {
        series: &lookup,
        start: date(2024, 1, 1),
        how: Aggregation::Average,
    };
    let column = evaluate(&parse(text)?, &scope)?;
    let values = column
        .series
        .observations
        .iter()
        .map(|o| (o.value * 1e6).round() / 1e6)
        .collect();
    Ok((values, column.unit.short))
}

fn said(text: &str) -> String {
    let fault = read(text).unwrap_err();
    format!("{}: {}; {}", fault.column, fault.problem, fault.allowed)
}

#[test]
fn formulas_are_computed_with_their_unit() {
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
        ("2+3*DGS2", vec![11.0, 12.5], "%"),
        ("1-2-DGS2", vec![-4.0, -4.5], "%"),
    ] {
        let (got, got_unit) = read(text).unwrap_or_else(|f| panic!("{text}: {f:?}"));
        assert_eq!((got, got_unit.as_str()), (values, unit), "{text}");
    }
}

#[test]
fn a_fault_names_the_column_and_what_is_allowed() {
    for (text, want) in [
        ("DGS10-", "7: ends too early; a series name"),
        ("DGS10 ! DGS2", "7: has \"!\" there; series names"),
        ("(DGS10", "7: ends too early; a closing parenthesis"),
        ("yoyo(DGS10)", "yoy, mom"),
        ("ma(DGS10)", "9: has \")\" there; a whole number of periods"),
        ("ma(DGS10, 0)", "a whole number of periods"),
        ("", "1: ends too early"),
        ("2+2", "1: names no series"),
        ("yoy(2)", "1: takes a function of a bare number"),
        ("1/0*DGS10", "2: divides by zero"),
        ("DGS10 + NOPE", "9: NOPE is not known"),
        (
            "DGS10+GDP",
            "6: adds figures in % and $bn; figures of one unit",
        ),
        (
            "WALCL-RRPONTSYD",
            "6: subtracts figures in $mn and $bn; figures of one size: divide those in $mn by 1e3",
        ),
        (
            "CPIAUCSL-INDPRO",
            "9: subtracts figures in Index 1982-84=100 and Index 2017=100; indices of one base",
        ),
    ] {
        let got = said(text);
        assert!(got.contains(want), "{text}: {got}");
    }
}

#[test]
fn nothing_grows_without_bound() {
    assert!(said(&"x".repeat(201)).contains("201 characters"));
    assert!(said(&format!("{}DGS10", "(".repeat(9))).contains("nested too deeply"));
    assert!(said(&"-".repeat(20)).contains("nested too deeply"));
    assert!(said(&["DGS10"; 13].join("+")).contains("13 names"));
    assert!(said("9e999").contains("ordinary size"));
    assert!(parse(&["A"; 12].join("+")).is_ok());
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_refused_in_place(text in "[A-Z0-9a-z()+*/., \"'−é-]{0,60}") {
        if let Err(fault) = parse(&text) {
            assert!(fault.column >= 1 && fault.column <= text.chars().count() + 1, "{text:?} {fault:?}");
        }
    }
}
