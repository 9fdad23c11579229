//! The shapes an answer takes, over one made-up series.

mod arithmetic;

use super::*;
use crate::endpoints::measured::FigureKind;
use crate::endpoints::{Arguments, decode, schema};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::indicators::transform::Units;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Frequency, Observation, Series};
use jiff::ToSpan;
use jiff::civil::date;
use serde_json::{Value, json};
use std::sync::Arc;

/// An answer with these rows and all else in place.
fn output(data: Vec<Observation>) -> TimeSeriesAnswer {
    TimeSeriesAnswer {
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
        kind: Some(daily()),
        ..TimeSeriesAnswer::default()
    }
}

fn params(given: Value) -> Params {
    let arguments: Arguments = given.as_object().cloned().unwrap();
    decode::params(&decode::check(&schema::input::<Params>(), arguments).unwrap()).unwrap()
}

fn days(n: i64) -> Vec<Observation> {
    let row = |i: i64| Observation {
        date: shift(date(2005, 1, 3), i.days()),
        value: 4.0 + f64::from(i32::try_from(i % 100).unwrap()) / 100.0,
    };
    (0..n).map(row).collect()
}

fn daily() -> FigureKind {
    let info = Catalogue::embedded().get("DGS10").unwrap().clone();
    let series = Series::new(info, Vec::new());
    FigureKind::new(&series, Units::Level, Frequency::Daily)
}

fn shaped(rows: i64, given: Value) -> TimeSeriesAnswer {
    let params = params(given);
    shape::fit_rows(output(days(rows)), &params, Some("http://x.example")).unwrap()
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
    assert!(out.data.len() <= 31 && !out.truncated);
    assert_eq!(out.summary.as_ref().unwrap().first, days(1)[0]);
    assert_eq!(
        out.all_rows.as_deref(),
        Some(
            "http://x.example/api/public/data/DGS10?start=2021-08-23&end=2026-08-22&units=pc1&format=csv"
        )
    );
    let text = out.render_text(false);
    assert!(text.lines().count() < 40, "{text}");
    assert!(text.contains("6000 rows. Latest 4.99 on"), "{text}");
}

#[test]
fn rows_as_csv_stand_in_the_text_and_in_the_structure() {
    let given = params(json!({"seriesId": "DGS10", "detail": "csv", "max_points": "200"}));
    let out = shape::fit_rows(output(days(800)), &given, Some("http://x.example")).unwrap();
    let answer = Params::render(&out, &given).unwrap();
    let value: Value = serde_json::from_slice(&answer.json).unwrap();
    assert_eq!(value["data"].as_array().map(Vec::len), Some(out.data.len()));
    assert!(answer.csv.is_none());
    assert_eq!(answer.text.matches("\n20").count(), out.data.len());
    let all = shaped(750, json!({"seriesId": "DGS10", "detail": "csv"}));
    assert_eq!(all.row_count, 750);
}

#[test]
fn csv_as_a_format_has_every_row_unless_a_summary_is_asked_for() {
    for (detail, lines) in [
        (Value::Null, 801),
        (json!("full"), 801),
        (json!("summary"), 116),
    ] {
        let given = params(json!({"seriesId": "DGS10", "detail": detail, "format": "csv"}));
        let out = shape::fit_rows(output(days(800)), &given, None).unwrap();
        let answer = Params::render(&out, &given).unwrap();
        let csv = answer.csv.unwrap();
        assert_eq!(csv.body.split(|b| *b == b'\n').count(), lines + 1);
        assert!(
            answer
                .text
                .starts_with(std::str::from_utf8(&csv.body).unwrap())
        );
        assert_eq!(
            answer.text.contains("all: macro://series/DGS10.csv?"),
            lines < 801
        );
    }
}

#[test]
fn an_upstreams_answer_is_of_the_series_that_was_asked_for_and_in_order() {
    let today = date(2026, 11, 21);
    let said = |id: &str, rows: Vec<Observation>| {
        let mut answer = output(rows);
        answer.series_id = id.to_owned();
        let asked = params(json!({"seriesId": "10y"}));
        forwarded::received(answer, &asked, today)
            .map(drop)
            .map_err(|e| e.to_string())
    };
    assert_eq!(said("DGS10", days(9)), Ok(()));
    assert!(
        said("CPIAUCSL", days(9))
            .unwrap_err()
            .contains("is of CPIAUCSL")
    );
    let mut turned = days(9);
    turned.reverse();
    let twice = [days(3), days(3)].concat();
    for rows in [turned, twice] {
        assert!(said("DGS10", rows).unwrap_err().contains("out of order"));
    }
    // What nobody here knows may be called otherwise there.
    assert_eq!(said("SERIES_OF_THEIRS", days(9)), Ok(()));
}
