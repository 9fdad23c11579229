//! One fresh series among old ones: every figure stands on its own date, and no series ages or freshens another.

use super::support::{ask, backend, now};
use econoscope_core::model::{Observation, SeriesId};
use econoscope_data::store::{Sqlite, Store, Write};
use econoscope_desk::composites::refresh;
use econoscope_desk::testing::TestDesk;
use serde_json::Value;
use std::sync::Arc;

/// The bundled history, and with it the one figure given, as an import leaves them.
fn bundled_and(row: Option<(&str, &str, f64)>) -> Arc<Sqlite> {
    let store = Arc::new(Sqlite::bundled().unwrap());
    if let Some((id, day, value)) = row {
        let write = Write {
            id: &SeriesId::new(id).unwrap(),
            observations: &[Observation::new(day.parse().unwrap(), value)],
            known_from: None,
            fetched_at: now(),
            origin: "file fresh.csv",
        };
        store.write(write).unwrap();
        refresh(&TestDesk::over(store.clone()).at(now()).open()).unwrap();
    }
    store
}

/// The parts of an answer that are figures, by the name of their tool.
fn figures(store: Arc<Sqlite>) -> Vec<(&'static str, Value)> {
    let backend = backend(store);
    let parts = [
        (
            "get_macro_summary",
            &[
                "regime",
                "recession_probability",
                "stress_index",
                "net_liquidity_trn",
                "key_rates",
                "labor",
                "inflation",
                "dates",
            ][..],
        ),
        (
            "get_regime",
            &[
                "regime",
                "confidence",
                "month",
                "growthScore",
                "inflationScore",
                "nowcast",
                "as_of",
            ],
        ),
        ("get_signals", &["convexIndices", "marketSignals"]),
    ];
    let of = |(tool, fields): (&'static str, &[&str])| {
        let (json, _) = ask(&backend, tool, &[]).unwrap();
        let part = |field: &&str| (format!("{tool}.{field}"), json[*field].clone());
        (tool, fields.iter().map(part).collect())
    };
    parts.into_iter().map(of).collect()
}

#[test]
fn new_figure_changes_only_its_own_series() {
    let before = figures(bundled_and(None));
    let mut after = figures(bundled_and(Some(("DGS10", "2026-11-20", 4.52))));
    let summary = &mut after[0].1;
    assert_eq!(summary["get_macro_summary.key_rates"]["10y"], 4.52);
    assert_eq!(summary["get_macro_summary.dates"]["10y"], "2026-11-20");
    // All others are as they were.
    summary["get_macro_summary.key_rates"]["10y"] =
        before[0].1["get_macro_summary.key_rates"]["10y"].clone();
    summary["get_macro_summary.dates"]["10y"] =
        before[0].1["get_macro_summary.dates"]["10y"].clone();
    let market = |found: &mut Vec<(&str, Value)>| {
        let signals = found[2].1["get_signals.marketSignals"]
            .as_array_mut()
            .unwrap();
        signals.retain(|signal| signal["ticker"] != "DGS10");
    };
    let mut before = before;
    market(&mut before);
    market(&mut after);
    assert_eq!(before, after);
}

#[test]
fn own_series_does_not_change_other_reference_days() {
    let before = figures(bundled_and(None));
    assert_eq!(
        before,
        figures(bundled_and(Some(("MY_OWN", "2026-11-01", 1.0))))
    );
    let backend = backend(bundled_and(Some(("MY_OWN", "2026-11-01", 1.0))));
    for (tool, field, argument) in [
        ("get_metric", "ticker", "DGS10"),
        ("get_time_series", "seriesId", "DGS2"),
    ] {
        let (json, _) = ask(&backend, tool, &[(field, argument)]).unwrap();
        assert_eq!(json["as_of"], "2026-08-21", "{tool}");
    }
}

#[test]
fn late_figure_has_the_day_it_was_due() {
    let backend = backend(bundled_and(None));
    let (json, text) = ask(&backend, "get_metric", &[("ticker", "DGS10")]).unwrap();
    assert_eq!(json["late"]["value"], "2026-08-30");
    assert!(
        text.contains("A newer figure was due by 30 August 2026 but is not loaded."),
        "{text}"
    );
    let on = |day| {
        ask(
            &backend,
            "get_metric",
            &[("ticker", "DGS10"), ("as_of", day)],
        )
        .unwrap()
        .0
    };
    assert_eq!(on("2026-08-29")["late"], Value::Null);
    let then = on("2026-09-10");
    assert_eq!(
        (&then["late"]["value"], &then["date"]),
        (&"2026-08-30".into(), &"2026-08-20".into())
    );
}
