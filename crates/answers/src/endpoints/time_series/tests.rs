//! Detail, format and rows of answers over one made-up series.

mod arithmetic;

use super::*;
use crate::Arguments;
use crate::render::measured::FigureKind;
use crate::route::{decode, schema};
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
            service: String::new(),
            text: "Data by Econoscope; source: Federal Reserve Board H.15".into(),
            url: "http://127.0.0.1:8080".into(),
            terms: "Free.".into(),
        },
        frequency: Some("daily".into()),
        kind: Some(daily()),
        ..TimeSeriesAnswer::default()
    }
}

fn params(request: Value) -> Params {
    let arguments: Arguments = request.as_object().cloned().unwrap();
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

fn fitted(rows: i64, arguments: Value) -> TimeSeriesAnswer {
    let params = params(arguments);
    shape::fit_rows(output(days(rows)), &params, Some("http://x.example")).unwrap()
}

#[test]
fn default_answer_follows_the_contract() {
    let out = fitted(6_000, json!({"seriesId": "DGS10"}));
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
fn summary_covers_all_rows_and_shows_few() {
    let out = fitted(
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
fn csv_rows_are_in_text_and_structure() {
    let arguments = params(json!({"seriesId": "DGS10", "detail": "csv", "max_points": "200"}));
    let out = shape::fit_rows(output(days(800)), &arguments, Some("http://x.example")).unwrap();
    let answer = Params::render(&out, &arguments).unwrap();
    let value: Value = serde_json::from_slice(&answer.json).unwrap();
    assert_eq!(value["data"].as_array().map(Vec::len), Some(out.data.len()));
    assert!(answer.csv.is_none());
    assert_eq!(answer.text.matches("\n20").count(), out.data.len());
    let all = fitted(750, json!({"seriesId": "DGS10", "detail": "csv"}));
    assert_eq!(all.row_count, 750);
}

#[test]
fn csv_format_has_every_row_except_for_summaries() {
    for (detail, lines) in [
        (Value::Null, 801),
        (json!("full"), 801),
        (json!("summary"), 116),
    ] {
        let arguments = params(json!({"seriesId": "DGS10", "detail": detail, "format": "csv"}));
        let out = shape::fit_rows(output(days(800)), &arguments, None).unwrap();
        let answer = Params::render(&out, &arguments).unwrap();
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
fn upstream_answers_about_other_series_are_refused() {
    let today = date(2026, 11, 21);
    let outcome = |id: &str, rows: Vec<Observation>| {
        let mut answer = output(rows);
        answer.series_id = id.to_owned();
        let params = params(json!({"seriesId": "10y"}));
        forwarded::received(answer, &params, today)
            .map(drop)
            .map_err(|e| e.to_string())
    };
    assert_eq!(outcome("DGS10", days(9)), Ok(()));
    assert!(
        outcome("CPIAUCSL", days(9))
            .unwrap_err()
            .contains("is of CPIAUCSL")
    );
    let mut reversed = days(9);
    reversed.reverse();
    let repeated = [days(3), days(3)].concat();
    for rows in [reversed, repeated] {
        assert!(outcome("DGS10", rows).unwrap_err().contains("out of order"));
    }
    // The upstream may know other names for series that are unknown here.
    assert_eq!(outcome("SERIES_OF_THEIRS", days(9)), Ok(()));
}

/// Returns the text of an answer over the bundled history.
fn asked(request: Value) -> String {
    let desk = econoscope_desk::testing::TestDesk::bundled()
        .on("2026-11-21")
        .open();
    let params = params(request);
    match Params::local(&desk, &params) {
        Ok(answer) => Params::text(&answer, &params),
        Err(error) => error.to_string(),
    }
}

#[test]
fn events_by_name_are_followed() {
    let text = asked(json!({"seriesId": "DGS10", "after": "first rate cuts", "horizons": ["6m"]}));
    for part in [
        "\n1995-07-06,6.05,-0.36",
        "\n2024-09-18,3.70,",
        "Mean of 6 events, +6m: ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = asked(
        json!({"seriesId": "UNRATE", "after": "T10Y2Y < -0.3", "frequency": "m", "horizons": ["1y"]}),
    );
    assert!(text.contains("Mean of ") && text.contains("+1y"), "{text}");
    let text = asked(json!({"seriesId": "DGS10", "after": "the first cut of the cake"}));
    assert!(
        text.contains("FOMC 2022, NBER peaks") && text.contains("T10Y2Y < 0"),
        "{text}"
    );
}

#[test]
fn ranges_before_a_series_name_no_day_of_1700() {
    for (request, parts) in [
        (
            json!({"seriesId": "cpi", "start": "max", "end": "1900"}),
            ["no observation up to 1900-12-31", "begins "],
        ),
        (
            json!({"seriesId": "cpi", "start": "max", "end": "1920"}),
            ["CPIAUCNS", ": 96 rows."],
        ),
        (
            json!({"seriesId": "SOFR", "start": "2000", "end": "2010"}),
            ["SOFR begins 2018-04-03", "FEDFUNDS ("],
        ),
        (
            json!({"seriesId": "UNRATE", "start": "1940", "end": "1945"}),
            ["UNRATE begins 1948-01-01", "from 1940-01-01 to 1945-12-31"],
        ),
        (
            json!({"seriesId": "VIXCLS", "start": "max"}),
            ["no observation up to 2026-11-21", "VIXCLS"],
        ),
    ] {
        let text = asked(request.clone());
        assert!(
            parts.iter().all(|part| text.contains(part)),
            "{request}: {text}"
        );
        assert!(!text.contains("1700"), "{request}: {text}");
    }
}
