//! What could be known sooner: recession now and the regime's nowcast, through the door, on days of which it is on record
//! what weekly figures already said.

use super::support::{ask, backend};
use econoscope_data::store::Sqlite;
use serde_json::{Value, json};
use std::sync::Arc;

fn bundled() -> econoscope_answers::Backend {
    backend(Arc::new(Sqlite::bundled().unwrap()))
}

#[test]
fn published_regime_and_nowcast_are_separate() {
    let b = bundled();
    for (day, published, now) in [
        (
            "2008-09-15",
            ("STAGFLATION", "2008-08-01"),
            ("STAGFLATION", "2008-10-01"),
        ),
        (
            "2020-03-15",
            ("GOLDILOCKS", "2020-02-01"),
            ("GOLDILOCKS", "2020-04-01"),
        ),
        (
            "2020-03-26",
            ("GOLDILOCKS", "2020-03-01"),
            ("DEFLATION", "2020-04-01"),
        ),
        (
            "2020-04-14",
            ("GOLDILOCKS", "2020-03-01"),
            ("DEFLATION", "2020-05-01"),
        ),
    ] {
        let (json, text) = ask(&b, "get_regime", &[("as_of", day)]).unwrap();
        let of = |v: &Value| (v["regime"].clone(), v["month"].clone());
        let said = |(regime, month): (&str, &str)| (json!(regime), json!(month));
        assert_eq!(of(&json), said(published), "{day}");
        assert_eq!(of(&json["nowcast"]), said(now), "{day}");
        assert_eq!(json["nowcast"]["basis"], "nowcast");
        let label = now.0;
        let month: jiff::civil::Date = now.1.parse().unwrap();
        let begin = format!("The nowcast for {}", month.strftime("%B %Y"));
        let line = text.lines().find(|l| l.starts_with(&begin)).unwrap();
        let says = if label == published.0 {
            "the same"
        } else {
            label
        };
        assert!(
            line.to_lowercase()
                .contains(&format!("says {} ", says.to_lowercase()))
                && line.contains("not the regime of record"),
            "{line}"
        );
        let sum: f64 = json["probabilities"]
            .as_object()
            .unwrap()
            .values()
            .filter_map(Value::as_f64)
            .sum();
        assert!((sum - 100.0).abs() < 0.3, "{json}");
    }
}

#[test]
fn recession_now_leads_the_monthly_figures_of_2020() {
    let b = bundled();
    for (day, value, alarm, sahm) in [
        ("2008-09-15", 81.57, true, 1.1),
        ("2020-03-26", 100.0, false, 0.0),
        ("2020-04-15", 100.0, true, 0.3),
    ] {
        let (json, text) = ask(&b, "get_macro_summary", &[("as_of", day)]).unwrap();
        let labor = &json["labor"];
        let near = |field: &str, expected: f64| {
            let value = labor[field].as_f64().unwrap();
            assert!((value - expected).abs() < 0.05, "{day} {field} {value}");
        };
        near("recession_now", value);
        near("sahm_rule", sahm);
        assert_eq!(labor["recession_alarm"], alarm, "{day}");
        assert_eq!(text.contains("alarm on since"), alarm, "{text}");
    }
    let (json, _) = ask(&b, "get_macro_summary", &[]).unwrap();
    assert_eq!(json["labor"]["recession_now"], 0.2);
    assert_eq!(json["labor"]["recession_alarm"], false);
    let (signals, _) = ask(&b, "get_signals", &[("as_of", "2008-09-15")]).unwrap();
    let market = signals["marketSignals"].as_array().unwrap();
    let tickers: Vec<&str> = market.iter().filter_map(|m| m["ticker"].as_str()).collect();
    assert_eq!(tickers[tickers.len() - 2..], ["DCOILWTICO", "SAHMREALTIME"]);
}

#[test]
fn months_are_listed_as_of_a_day_or_as_known_at_their_end() {
    let b = bundled();
    let ask_months = |as_known| {
        let call = [
            ("start", "2020-01-15"),
            ("end", "2020-06-30"),
            ("as_known", as_known),
        ];
        let (json, text) = ask(&b, "get_regime", &call).unwrap();
        assert_eq!(json["assetViews"], json!({}));
        let months = json["months"].as_array().unwrap().clone();
        let lines = months.iter().filter(|m| {
            let month = m["month"].as_str().unwrap();
            text.lines()
                .any(|l| l.starts_with(&month[..7]) && l.contains(m["regime"].as_str().unwrap()))
        });
        assert_eq!(lines.count(), months.len(), "{text}");
        months
    };
    let labels = |months: &[Value]| -> Vec<String> {
        let line = |m: &Value| {
            format!(
                "{} {}",
                &m["month"].as_str().unwrap()[5..7],
                m["regime"].as_str().unwrap()
            )
        };
        months.iter().map(line).collect()
    };
    let revised = ask_months("false");
    assert_eq!(revised.len(), 6);
    assert!(revised.iter().all(|m| m.get("knownOn").is_none()));
    assert_eq!(labels(&revised)[4], "05 DEFLATION");
    assert_eq!(revised[4]["confidence"], 100.0);
    assert_eq!(revised[4]["runnerUp"], "STAGFLATION");
    let known = ask_months("true");
    assert_eq!(labels(&known)[2], "03 GOLDILOCKS");
    assert_eq!(known[2]["knownOn"], "2020-03-31");
    let error = ask(
        &b,
        "get_regime",
        &[("start", "2020-06-01"), ("end", "2020-01-01")],
    );
    assert!(error.unwrap_err().to_string().contains("is after end"));
}

#[test]
fn its_history_is_what_was_known_each_week() {
    let b = bundled();
    let rows = |as_of: Option<&str>| {
        let mut call = vec![
            ("seriesId", "RNOW"),
            ("start", "2008-01-01"),
            ("end", "2008-08-30"),
            ("detail", "full"),
        ];
        call.extend(as_of.map(|day| ("as_of", day)));
        let (json, text) = ask(&b, "get_time_series", &call).unwrap();
        assert!(
            text.contains("each figure as it was known when it came"),
            "{text}"
        );
        json["data"].as_array().unwrap().clone()
    };
    let now = rows(None);
    let then = rows(Some("2008-09-15"));
    assert_eq!(now.len(), 35);
    assert_eq!(now, then, "nothing of it is revised");
}
