//! The shapes an answer takes, over one made-up series.

use super::*;
use crate::endpoints::{Arguments, decode, schema};
use crate::model::frequency::shift;
use jiff::ToSpan;
use jiff::civil::date;
use serde_json::{Value, json};

/// An answer with these rows and all else in place.
pub(super) fn output(data: Vec<Row>) -> Output {
    Output {
        series_id: "DGS10".into(),
        display_name: "10-Year Treasury Constant Maturity".into(),
        unit: "%".into(),
        start: date(2021, 8, 23),
        end: date(2026, 8, 22),
        row_count: data.len(),
        truncated: false,
        data,
        attribution: Credit {
            text: "Data by Econoscope; source: Federal Reserve Board H.15".into(),
            url: "http://127.0.0.1:8080".into(),
            terms: "Free.".into(),
        },
        frequency: Some("daily".into()),
        source: None,
        summary: None,
        reduction: None,
        all_rows: None,
        picture: None,
        provenance: Provenance::default(),
    }
}

fn params(given: Value) -> Params {
    let arguments: Arguments = given.as_object().cloned().unwrap();
    decode::params(&decode::check(&schema::input::<Params>(), arguments).unwrap()).unwrap()
}

fn days(n: i64) -> Vec<Row> {
    let row = |i: i64| Row {
        date: shift(date(2005, 1, 3), i.days()),
        value: 4.0 + f64::from(i32::try_from(i % 100).unwrap()) / 100.0,
    };
    (0..n).map(row).collect()
}

fn shaped(rows: i64, given: Value) -> Output {
    let params = params(given);
    output(days(rows)).shaped(&params, 4, "http://x.example")
}

#[test]
fn without_detail_the_shape_is_the_contracts() {
    let out = shaped(6_000, json!({"seriesId": "DGS10"}));
    assert_eq!(
        (out.row_count, out.truncated, out.data.len()),
        (5_000, true, 5_000)
    );
    let value = serde_json::to_value(&out).unwrap();
    for name in ["summary", "reduction", "all_rows"] {
        assert_eq!(value.get(name), None, "{name}");
    }
}

#[test]
fn a_summary_speaks_of_all_rows_and_shows_few() {
    let out = shaped(
        6_000,
        json!({"seriesId": "DGS10", "detail": "summary", "units": "PC1"}),
    );
    let reduction = out.reduction.clone().unwrap();
    assert_eq!(
        (reduction.from_rows, reduction.to_rows),
        (6_000, out.data.len())
    );
    assert!(out.data.len() <= 60 && !out.truncated);
    assert_eq!(out.summary.as_ref().unwrap().first, days(1)[0]);
    assert_eq!(
        out.all_rows.as_deref(),
        Some(
            "http://x.example/api/public/data/DGS10?start=2021-08-23&end=2026-08-22&format=csv&units=pc1"
        )
    );
    let text = words::summary(&out);
    assert!(text.lines().count() < 40, "{text}");
    assert!(text.contains("6000 rows. Latest 4.99 on"), "{text}");
}

#[test]
fn csv_stands_in_the_text_and_not_twice() {
    let given = params(json!({"seriesId": "DGS10", "detail": "csv", "max_points": "200"}));
    let out = output(days(800)).shaped(&given, 4, "http://x.example");
    let answer = GetTimeSeries::render(&out, &given).unwrap();
    let value: Value = serde_json::from_slice(&answer.json).unwrap();
    assert_eq!(value["data"], json!([]));
    assert!(answer.csv.is_none());
    assert_eq!(answer.text.matches("\n20").count(), out.data.len());
    let all = shaped(800, json!({"seriesId": "DGS10", "detail": "csv"}));
    assert_eq!(all.row_count, 800);
}

#[test]
fn csv_as_a_format_has_every_row_whatever_an_edge_prefers() {
    let given = params(json!({"seriesId": "DGS10", "detail": "summary", "format": "csv"}));
    let out = output(days(800)).shaped(&given, 4, "http://x.example");
    let answer = GetTimeSeries::render(&out, &given).unwrap();
    let csv = answer.csv.unwrap();
    assert_eq!(csv.body.iter().filter(|b| **b == b'\n').count(), 801);
}
