//! Switches of regime, returns in a named one and what an alarm knew, each held against the months they are made of.

use super::support::{ask, backend, real, rows};
use econoscope_data::store::Sqlite;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Month and regime of every month, as the listing has them.
fn listed(backend: &econoscope_answers::Backend) -> Vec<(String, String)> {
    let (json, _) = ask(backend, "get_regime", &[("start", "max")]).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let months = json["months"].as_array().unwrap().iter();
    months
        .map(|m| (text(&m["month"]), text(&m["regime"])))
        .collect()
}

#[test]
fn switches_match_the_listed_months() {
    let b = backend(real());
    let months = listed(&b);
    let mut expected: Vec<Value> = Vec::new();
    for pair in months.windows(2).filter(|pair| pair[0].1 != pair[1].1) {
        if let Some(last) = expected.last_mut() {
            last["to"] = json!(pair[0].0);
        }
        let before = &pair[0].1;
        let regime = &pair[1].1;
        expected.push(json!({"from": pair[1].0, "before": before, "regime": regime}));
    }
    expected.reverse();
    let (json, text) = ask(&b, "get_regime", &[("switches", "true")]).unwrap();
    let told = json["switches"].as_array().unwrap();
    assert_eq!((told.len(), json.get("months")), (40, None));
    for (told, expected) in told.iter().zip(&expected) {
        let length = months
            .iter()
            .filter(|(month, _)| {
                let to = expected["to"].as_str().unwrap_or("9999");
                expected["from"].as_str().unwrap() <= month.as_str() && month.as_str() <= to
            })
            .count();
        let mut with_months = expected.clone();
        with_months["months"] = json!(length);
        assert_eq!(*told, with_months);
        let line = format!("- {}: ", &expected["from"].as_str().unwrap()[..7]);
        assert!(text.contains(&line), "{text}");
    }
    let note = json["notes"]["switches"].as_str().unwrap();
    assert!(
        note.starts_with(&format!("the newest 40 of {}", expected.len())),
        "{note}"
    );
    // A range has the switches within it, each with its whole length.
    let call = [("start", "2020-01"), ("end", "2020-06")];
    let (json, _) = ask(&b, "get_regime", &call).unwrap();
    assert_eq!(json["months"].as_array().unwrap().len(), 6);
    let within = expected.iter().filter(|switch| {
        let from = switch["from"].as_str().unwrap();
        ("2020-01-01"..="2020-06-30").contains(&from)
    });
    assert_eq!(json["switches"].as_array().unwrap().len(), within.count());
}

#[test]
fn regime_returns_are_those_of_the_following_months() {
    let b = backend(real());
    let mut days: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (date, value) in rows("DTWEXBGS") {
        days.entry(format!("{}-01", &date[..7]))
            .or_default()
            .push(value);
    }
    let mean = |month: &str| {
        let values = days.get(month)?;
        Some(values.iter().sum::<f64>() / values.len() as f64)
    };
    let months = listed(&b);
    let mut inside = Vec::new();
    let mut outside = Vec::new();
    for pair in months.windows(2) {
        if let (Some(before), Some(after)) = (mean(&pair[0].0), mean(&pair[1].0)) {
            let side = if pair[0].1 == "STAGFLATION" {
                &mut inside
            } else {
                &mut outside
            };
            side.push(100.0 * (after / before).ln());
        }
    }
    let yearly = |returns: &[f64]| {
        let rate = 12.0 * returns.iter().sum::<f64>() / returns.len() as f64;
        (rate * 10.0).round() / 10.0
    };
    let (json, text) = ask(&b, "get_regime", &[("regime", "stagflation")]).unwrap();
    let dollar = &json["assetViews"]["dollar"];
    assert_eq!(dollar["inRegime"], yearly(&inside));
    assert_eq!(dollar["elsewhere"], yearly(&outside));
    assert_eq!(dollar["months"], inside.len());
    assert_eq!(dollar["otherMonths"], outside.len());
    let from = dollar["from"].as_str().unwrap();
    let to = dollar["to"].as_str().unwrap();
    let sample = format!(
        "Months from {} to {}: {} of it, {} others.",
        &from[..7],
        &to[..7],
        inside.len(),
        outside.len()
    );
    assert!(
        from == "2006-02-01" && text.contains(&sample),
        "{sample}\n{text}"
    );
    let mut own = months.iter().filter(|m| m.1 == "STAGFLATION");
    assert_eq!(json["named"]["months"], own.clone().count());
    assert_eq!(json["named"]["last"], own.next_back().unwrap().0.as_str());
    assert_eq!(json["regime"], "REFLATION", "the present one stays");
    assert!(
        text.contains("not the present regime, which is REFLATION"),
        "{text}"
    );
    let (_, text) = ask(&b, "get_regime", &[("regime", "Reflation")]).unwrap();
    assert!(
        text.contains("Assets in REFLATION (the present regime)"),
        "{text}"
    );
    let refused = ask(&b, "get_regime", &[("regime", "boom")]).unwrap_err();
    let all = "GOLDILOCKS, REFLATION, STAGFLATION, DEFLATION";
    assert!(refused.to_string().contains(all), "{refused}");
}

#[test]
fn alarm_lists_a_recession_once_it_was_announced() {
    let b = backend(Arc::new(Sqlite::bundled().unwrap()));
    for (day, on, recession) in [
        ("2008-09-15", true, None),
        ("2008-12-01", true, Some("since 2008-01")),
        ("2009-08-15", false, Some("since 2008-01")),
        ("2010-09-20", false, Some("2008-01 to 2009-06")),
    ] {
        for indicator in ["RNOW", "SAHM"] {
            let call = [("indicator", indicator), ("as_of", day)];
            let (json, text) = ask(&b, "explain_indicator", &call).unwrap();
            let last = &json["alarm"]["periods"][0];
            assert_eq!(last["recession"].as_str(), recession, "{indicator} {day}");
            if indicator == "RNOW" {
                assert_eq!(json["alarm"]["on"], on, "{day}");
                assert_eq!(last["off"].is_null(), on, "{day}");
                assert_eq!(text.contains("; on now."), on, "{text}");
            }
        }
    }
}
