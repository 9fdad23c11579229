//! Nothing that became known later leaks into an answer about a past day: a store that was cut at the day
//! gives the same answer. And the present cuts nothing: what has arrived counts, however early it came.

use super::support::{ask, backend, now, real};
use econoscope_answers::{Backend, ENDPOINTS, Route};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::model::{Date, Observation, SeriesId, VintageObservation};
use econoscope_data::store::{Sqlite, Store, Write, WriteVintages};
use jiff::ToSpan;
use jiff::civil::date;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

/// Fields that tell when a source was read and who it is, not what is known of the economy; and what sets the present
/// beside a past day on purpose, as a field and as a line of text that begins so.
const OF_TODAY: [&str; 4] = ["generatedAt", "last_updated", "hindsight", "sources"];
const LINES_OF_TODAY: [&str; 3] = [
    "As known then and from the last revisions:",
    "Source",
    "Data by",
];

/// A store with the history that ships in the program and a row of its own: then evidence is measured from it.
fn packed() -> Arc<Sqlite> {
    let store = Sqlite::bundled().unwrap();
    let write = Write {
        id: &SeriesId::new("OWN").unwrap(),
        observations: &[Observation::new(date(1950, 1, 1), 1.0)],
        known_from: None,
        fetched_at: "2026-11-21T00:00:00Z".parse().unwrap(),
        origin: "test",
    };
    store.write(write).unwrap();
    Arc::new(store)
}

/// What a store holds of what was known on `day`: nothing that became known later.
fn cut(store: &dyn Store, day: Date) -> Arc<Sqlite> {
    let known = Sqlite::in_memory().unwrap();
    for status in store.status().unwrap() {
        let Some(info) = Catalogue::embedded().get(status.id.as_str()) else {
            continue;
        };
        let held = store.read(&status.id).unwrap().unwrap_or_default();
        let then = |r: &&VintageObservation| r.known_on(|date| info.publication_day(date)) <= day;
        let rows: Vec<VintageObservation> = held.rows().iter().filter(then).copied().collect();
        if !rows.is_empty() {
            known
                .replace_computed(WriteVintages::new(
                    &status.id,
                    &rows,
                    status.fetched_at,
                    "computed cut",
                ))
                .unwrap();
        }
    }
    Arc::new(known)
}

/// Calls that are compared for every endpoint that takes `as_of`.
fn calls(route: &Route, since: Date) -> Vec<Vec<(&'static str, String)>> {
    let tickers = |name: &'static str, ids: &[&str]| {
        ids.iter()
            .map(|id| vec![(name, (*id).to_owned())])
            .collect()
    };
    match route.spec.tool {
        "get_metric" => tickers(
            "ticker",
            &[
                "UNRATE",
                "DGS10",
                "NFCI",
                "GDPC1",
                "SERVICE_CNLI",
                "SERVICE_RNOW",
                "SERVICE_CRPI2",
                "CPIAUCSL",
                "PAYEMS",
                "INDPRO",
            ],
        ),
        "get_time_series" => {
            let mut calls: Vec<_> = tickers(
                "seriesId",
                &[
                    "T10Y3M",
                    "PERMIT",
                    "INDPRO",
                    "SERVICE_CRPI",
                    "SERVICE_CRPI2",
                    "SERVICE_CMSI",
                    "SERVICE_RNOW",
                ],
            );
            for call in &mut calls {
                call.extend([("start", "2y".into()), ("detail", "full".into())]);
            }
            calls
        }
        "explain_indicator" => tickers(
            "indicator",
            &[
                "CRPI", "RNOW", "CRPI2", "CMSI", "CNLI", "CRAI", "regime", "SAHM",
            ],
        ),
        "get_regime" => vec![
            vec![],
            vec![("start", "2y".into()), ("as_known", "true".into())],
            vec![("precedents", "true".into())],
            vec![("switches", "true".into()), ("regime", "DEFLATION".into())],
        ],
        "get_release_calendar" => vec![vec![], vec![("days", "31".into())]],
        "what_changed" => vec![vec![("since", since.to_string())]],
        _ => {
            let example = route
                .spec
                .example
                .iter()
                .map(|(k, v)| (*k, (*v).to_owned()));
            vec![example.collect()]
        }
    }
}

fn without_today(value: Value) -> Value {
    match value {
        Value::Object(object) => object
            .into_iter()
            .filter(|(name, _)| !OF_TODAY.contains(&name.as_str()))
            .map(|(name, value)| (name, without_today(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_today).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

fn of_then(text: &str) -> Vec<String> {
    let is_of_today = |line: &str| LINES_OF_TODAY.iter().any(|begin| line.starts_with(begin));
    let lines = text.lines().filter(|line| !is_of_today(line));
    lines.map(str::to_owned).collect()
}

/// Every answer about `day`, from the whole store and from the store as it was then.
fn nothing_leaks(whole: &Backend, day: Date, since: Date) {
    let then = cut(whole.desk().store().as_ref(), day);
    assert!(
        !then.status().unwrap().is_empty(),
        "nothing was known on {day}"
    );
    let then = backend(then);
    let dated = ENDPOINTS
        .iter()
        .filter(|r| r.input_schema["properties"].get("as_of").is_some());
    for route in dated {
        for mut call in calls(route, since) {
            call.push(("as_of", day.to_string()));
            let pairs: Vec<(&str, &str)> = call.iter().map(|(k, v)| (*k, v.as_str())).collect();
            let answer = |b| {
                ask(b, route.spec.tool, &pairs)
                    .map(|(json, text)| (without_today(json), of_then(&text)))
                    .map_err(|e| e.to_string())
            };
            assert_eq!(
                answer(whole),
                answer(&then),
                "{} {pairs:?}",
                route.spec.tool
            );
        }
    }
}

/// A store in which some figures were revised on a recorded day.
fn with_revisions(store: Arc<Sqlite>) -> Arc<Sqlite> {
    for id in ["UNRATE", "CPILFESL", "PERMIT"] {
        let id = SeriesId::new(id).unwrap();
        let rows: Vec<Observation> = store.read(&id).unwrap().unwrap().latest();
        let revised: Vec<Observation> = rows
            .iter()
            .filter(|o| o.date < date(2018, 1, 1))
            .map(|o| Observation::new(o.date, o.value * 1.1))
            .collect();
        let write = Write {
            id: &id,
            observations: &revised,
            known_from: Some(date(2018, 6, 15)),
            fetched_at: now(),
            origin: "fred",
        };
        assert!(store.write(write).unwrap().revised > 100);
    }
    store
}

/// One for all days: what it keeps is kept for all.
fn bundled() -> &'static Backend {
    static WHOLE: OnceLock<Backend> = OnceLock::new();
    WHOLE.get_or_init(|| backend(packed()))
}

/// A day within `days` of 1960 on which the whole store and a cut one compute the same series. From September 1981 until
/// T10Y3M began in January 1982, a cut store holds nothing of it and computes it from DGS10 and DGS3MO; the whole store
/// holds it and computes nothing for days before its first.
fn any_day(days: i64) -> impl Strategy<Value = Date> {
    let day = (0..days).prop_map(|n| date(1960, 1, 1).saturating_add(n.days()));
    day.prop_filter("T10Y3M is computed from its inputs", |day| {
        !(date(1981, 9, 1)..date(1982, 1, 5)).contains(day)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, max_shrink_iters: 0, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn answers_from_bundled_figures_hide_later_knowledge(day in any_day(24_400), back in 5..400i64) {
        nothing_leaks(bundled(), day, day.saturating_add((-back).days()));
    }

    #[test]
    fn answers_from_real_figures_hide_later_knowledge(day in any_day(24_300), back in 5..400i64) {
        nothing_leaks(&backend(real()), day, day.saturating_add((-back).days()));
    }
}

#[test]
fn answers_hide_later_knowledge_on_a_day_of_many_changes() {
    for (day, since) in [
        // The day of a report and the one before; rebasings; a shutdown; after the end of the vintages.
        (date(2009, 1, 9), date(2009, 1, 8)),
        (date(1990, 4, 30), date(1990, 3, 31)),
        (date(2010, 6, 30), date(2010, 5, 31)),
        (date(2025, 10, 31), date(2025, 9, 30)),
        (date(2026, 5, 4), date(2026, 3, 15)),
        // What weekly figures said before the monthly ones.
        (date(2008, 9, 15), date(2008, 8, 15)),
        (date(2020, 3, 26), date(2020, 2, 26)),
        (date(2020, 4, 15), date(2020, 3, 15)),
    ] {
        nothing_leaks(bundled(), day, since);
    }
}

#[test]
fn store_cut_at_a_day_gives_the_same_earlier_figures() {
    let day = date(2020, 4, 15);
    let then = backend(cut(bundled().desk().store().as_ref(), day));
    let of = |tool, call: &[(&str, &str)]| {
        let dated: Vec<_> = call
            .iter()
            .copied()
            .chain([("as_of", "2020-04-15")])
            .collect();
        ask(&then, tool, &dated).unwrap().0
    };
    let regime = of("get_regime", &[("precedents", "true")]);
    assert_eq!(regime["nowcast"]["regime"], "DEFLATION");
    assert_eq!(regime["probabilities"].as_object().unwrap().len(), 4);
    assert_eq!(
        regime["precedents"]["nearest"].as_array().unwrap().len(),
        12
    );
    let summary = of("get_macro_summary", &[]);
    assert_eq!(summary["labor"]["recession_alarm"], true);
    let second = of("explain_indicator", &[("indicator", "CRPI2")]);
    assert!(second["scores"][0]["value"].is_f64(), "{second}");
    let calendar = of("get_release_calendar", &[("days", "31")]);
    let claims = calendar["figures"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["seriesId"] == "ICSA")
        .unwrap();
    assert_eq!(claims["next"]["period"], "2020-04-11");
    assert_eq!(claims["last"]["deviations"], 40.0);
    let changed = of("what_changed", &[("since", "2020-03-15")]);
    let surprises = changed["surprises"].as_array().unwrap();
    assert_eq!(surprises[0]["id"], "ICSA", "{surprises:?}");
}

#[test]
fn recorded_revision_is_unknown_before_its_day() {
    let backend = backend(with_revisions(packed()));
    for day in [
        date(2017, 3, 1),
        date(2018, 6, 14),
        date(2018, 6, 15),
        date(2019, 2, 2),
    ] {
        nothing_leaks(&backend, day, date(2016, 12, 31));
    }
    let basis = |day: &str| {
        let call = [("ticker", "UNRATE"), ("as_of", day)];
        let (json, _) = ask(&backend, "get_metric", &call).unwrap();
        (
            json["value"].as_f64().unwrap(),
            json["knowledge"][0].clone(),
        )
    };
    // December 2017: 4.1 %; its made-up revision, 4.51, became known on 15 June 2018.
    let (value, how) = basis("2018-01-20");
    assert_eq!(value, 4.1);
    assert_eq!(how["values"], "values as known then");
    let call = [
        ("seriesId", "UNRATE"),
        ("start", "2017-12-01"),
        ("end", "2017-12-01"),
        ("as_of", "2018-06-15"),
    ];
    let (json, _) = ask(&backend, "get_time_series", &call).unwrap();
    assert_eq!(
        json["data"][0]["value"]
            .as_f64()
            .map(|v| (v * 100.0).round()),
        Some(451.0)
    );
}

#[test]
fn several_as_of_days_give_a_column_each() {
    let backend = bundled();
    let asked = |tool, arguments: &[(&str, &str)]| ask(backend, tool, arguments);
    let several = ("as_of", "latest,2008-09,2008-09-30");
    let (json, text) = asked(
        "get_time_series",
        &[("seriesId", "GDPC1"), ("start", "2008"), several],
    )
    .unwrap();
    let states = json["vintages"]["states"].as_array().unwrap();
    assert_eq!(states.len(), 2, "each day once: {json}");
    assert_eq!(
        json["end"], "2008-09-30",
        "the range that the first day has"
    );
    // Dollars of 2000 and of 2017 have no difference.
    assert!(
        states[0]["unit"].as_str().unwrap().contains("2000"),
        "{json}"
    );
    assert_eq!(json["vintages"]["rows"][0].get("revision"), None);
    assert!(
        text.contains("billions of chained 2000 dollars (+"),
        "{text}"
    );
    for (tool, arguments, why) in [
        ("get_regime", vec![several], "one day"),
        (
            "get_time_series",
            vec![("seriesId", "UNRATE"), several, ("after", "2008-01")],
            "cannot stand beside",
        ),
        (
            "get_time_series",
            vec![("seriesId", "UNRATE"), several, ("condition", "> 5")],
            "cannot stand beside",
        ),
        (
            "get_time_series",
            vec![
                ("seriesId", "UNRATE"),
                ("as_of", "2001,2002,2003,2004,2005,2006"),
            ],
            "at most 5 days",
        ),
        (
            "get_time_series",
            vec![("seriesId", "UNRATE"), ("as_of", "2008,2030")],
            "lies in the future",
        ),
    ] {
        let said = asked(tool, &arguments).unwrap_err().to_string();
        assert!(said.contains("as_of") && said.contains(why), "{said}");
    }
}

#[test]
fn bundled_history_answers_completely() {
    let backend = backend(Arc::new(Sqlite::bundled().unwrap()));
    let (regime, _) = ask(&backend, "get_regime", &[]).unwrap();
    assert_eq!(regime["as_of"], "2026-10-02");
    // Figures of August make the regime of September; permits reach July only.
    assert_eq!(regime["month"], "2026-09-01");
    let basis = regime["notes"]["regime"].as_str().unwrap();
    assert!(basis.contains("growth without PERMIT"), "{basis}");
    let (summary, _) = ask(&backend, "get_macro_summary", &[]).unwrap();
    assert_eq!(summary["dates"]["sahm_rule"], "2026-07-01", "as published");
    assert_eq!(summary["dates"]["cpi_yoy_pct"], "2026-08-01");
    assert_eq!(summary["regime"]["current"], json!("Reflation"));
}

#[test]
fn real_figures_give_the_golden_answers() {
    let store = real();
    let backend = backend(store);
    let (regime, _) = ask(&backend, "get_regime", &[]).unwrap();
    assert_eq!(
        (&regime["regime"], &regime["confidence"]),
        (&json!("REFLATION"), &json!(80.0))
    );
    assert_eq!(regime["month"], "2026-08-01");
    let (july, _) = ask(&backend, "get_regime", &[("as_of", "2026-07-31")]).unwrap();
    assert_eq!(
        (&july["confidence"], &july["runnerUp"]),
        (&json!(74.0), &json!("STAGFLATION"))
    );
    let (summary, _) = ask(&backend, "get_macro_summary", &[]).unwrap();
    assert_eq!(summary["recession_probability"], 12.6);
    assert_eq!(summary["stress_index"], 34.5);
    assert_eq!(summary["net_liquidity_trn"], 5.792);
}
