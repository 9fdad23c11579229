//! Questions people ask, and answers computed without the program: out of the CSV files by plain arithmetic
//! here, or, where that takes more (regime, recession probability, spread of moves), by a reading of
//! docs/METHODS.md in Python whose results are pasted with the question they answer.

use super::support::{ask, backend, now, on, real, rows};
use econoscope_answers::Backend;
use econoscope_data::store::Sqlite;
use serde_json::Value;
use std::sync::Arc;

fn answer(backend: &Backend, tool: &str, arguments: &[(&str, &str)]) -> (Value, String) {
    ask(backend, tool, arguments).unwrap_or_else(|e| panic!("{tool} {arguments:?}: {e}"))
}

fn close(value: &Value, expected: f64, within: f64) {
    let number = value.as_f64().unwrap_or(f64::NAN);
    assert!(
        (number - expected).abs() <= within,
        "{number}, expected {expected}"
    );
}

#[test]
fn what_was_the_regime_on_1_december_2008_as_known_then() {
    let b = backend(real());
    let (json, text) = answer(&b, "get_regime", &[("as_of", "2008-12-01")]);
    // regime(2008-12-01) = November 2008, STAGFLATION, 99 %, growth -2.95, inflation 0.2618; today's
    // figures make December 2008 DEFLATION 100.
    assert_eq!(
        (json["regime"].as_str(), json["month"].as_str()),
        (Some("STAGFLATION"), Some("2008-11-01"))
    );
    close(&json["confidence"], 99.0, 0.0);
    close(&json["growthScore"], -2.95, 0.005);
    close(&json["inflationScore"], 0.26, 0.005);
    assert!(
        text.contains("As known on 1 December 2008. Only the last revisions are held of "),
        "{text}"
    );
}

#[test]
fn what_was_the_regime_at_other_times_as_known_then() {
    let b = backend(real());
    // regime(day) for each day.
    let known = [
        ("1999-06-30", "GOLDILOCKS", 95.0),
        ("2022-06-20", "REFLATION", 91.0),
        ("2026-07-31", "REFLATION", 74.0),
        ("2026-08-21", "REFLATION", 80.0),
    ];
    for (day, regime, confidence) in known {
        let (json, _) = answer(&b, "get_regime", &[("as_of", day)]);
        assert_eq!(json["regime"], regime, "{day}");
        close(&json["confidence"], confidence, 0.0);
    }
}

#[test]
fn why_is_the_recession_probability_what_it_is() {
    let b = backend(real());
    let (json, text) = answer(
        &b,
        "explain_indicator",
        &[("indicator", "CRPI"), ("as_of", "2026-08-21")],
    );
    // crpi(2026-08-21): S = 0.798571, F = -0.557, B = 0.284293, probability 12.625986.
    let score = &json["scores"][0];
    close(&score["value"], 12.625_986, 0.0001);
    let inputs = json["inputs"].as_array().unwrap();
    for (i, expected) in [0.798_571, -0.557, 0.284_293].iter().enumerate() {
        close(&inputs[i]["value"], *expected, 0.0001);
    }
    let sum: f64 = inputs.iter().filter_map(|i| i["points"].as_f64()).sum();
    close(
        &score["value"],
        score["base"].as_f64().unwrap() + sum,
        0.001,
    );
    assert!(
        text.contains("Term spread") && text.contains("12.6"),
        "{text}"
    );
    assert!(
        !text.contains("CRPI2") && !json.to_string().contains("CRPI2"),
        "one probability: {text}"
    );
}

#[test]
fn what_was_the_recession_probability_in_january_2009() {
    let b = backend(real());
    let call = [("indicator", "crpi"), ("as_of", "2009-01-31")];
    let (json, _) = answer(&b, "explain_indicator", &call);
    // crpi(2009-01-31) = 49.936869: the last NFCI of January was not out yet (49.84 with it).
    close(&json["scores"][0]["value"], 49.936_869, 0.0001);
}

#[test]
fn contributions_add_up_for_every_indicator() {
    let b = backend(real());
    for day in ["2009-03-02", "2020-04-15", "2026-08-21"] {
        for indicator in ["CRPI", "RNOW", "CNLI", "CMSI", "regime"] {
            let call = [("indicator", indicator), ("as_of", day)];
            let (json, text) = answer(&b, "explain_indicator", &call);
            let scores = json["scores"].as_array().unwrap();
            assert!(!scores.is_empty(), "{indicator} {day}: {json}");
            for score in scores {
                let of = |key: &str| -> f64 {
                    let inputs = json["inputs"].as_array().unwrap().iter();
                    let own = inputs.filter(|i| i["score"] == score["name"]);
                    own.filter_map(|i| i[key].as_f64()).sum()
                };
                close(
                    &score["value"],
                    score["base"].as_f64().unwrap() + of("points"),
                    0.001,
                );
                let weights = of("weight");
                // Where nothing is weighted no weight is shown.
                let whole = if matches!(indicator, "CMSI" | "regime") {
                    1.0
                } else {
                    0.0
                };
                assert!(
                    (weights - whole).abs() <= 0.01,
                    "{indicator} {day}: {weights}"
                );
            }
            assert!(
                !json["moved"].as_str().unwrap().is_empty() && text.len() < 6_000,
                "{text}"
            );
        }
    }
}

#[test]
fn why_is_there_no_narrative_index() {
    let b = backend(Arc::new(Sqlite::bundled().unwrap()));
    let (json, _) = answer(&b, "explain_indicator", &[("indicator", "NVI")]);
    assert_eq!(json["scores"][0]["value"], Value::Null);
    assert_eq!(json["notes"]["value"], "no narrative feed configured");
}

#[test]
fn what_is_net_liquidity_made_of() {
    let b = backend(real());
    let (json, _) = answer(&b, "explain_indicator", &[("indicator", "CNLI")]);
    let day = "2026-08-19";
    let parts = [
        on("WALCL", day) / 1e6,
        -on("WTREGEN", day) / 1e6,
        -on("RRPONTSYD", day) / 1e3,
    ];
    for (i, part) in parts.iter().enumerate() {
        close(&json["inputs"][i]["points"], *part, 0.00005);
    }
    close(&json["scores"][0]["value"], parts.iter().sum(), 0.00005);
    assert_eq!(json["scores"][0]["date"], day);
}

#[test]
fn what_changed_since_1_march_2026() {
    let b = backend(real());
    let call = [("since", "2026-03-01"), ("as_of", "2026-08-21")];
    let (json, text) = answer(&b, "what_changed", &call);
    let change = |id: &str| {
        let found = json["changes"]
            .as_array()
            .unwrap()
            .iter()
            .find(|c| c["id"] == id);
        found.unwrap_or_else(|| panic!("{id}: {text}")).clone()
    };
    // unusual(DGS10, 2026-02-27, 2026-08-20): +0.72, 1.188 sd of 5,004 moves; WTI +32.8418 %, 1.173 sd.
    let yield_ = change("DGS10");
    close(
        &yield_["change"],
        on("DGS10", "2026-08-20") - on("DGS10", "2026-02-27"),
        0.001,
    );
    close(&yield_["unusual"], 1.188, 0.01);
    close(&change("DCOILWTICO")["change"], 32.84, 0.005);
    close(&change("DCOILWTICO")["unusual"], 1.173, 0.01);
    assert_eq!(json["regime"]["now"], "REFLATION");
    let ranks: Vec<f64> = json["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["unusual"].as_f64().unwrap().abs())
        .collect();
    assert!(ranks.is_sorted_by(|a, b| a >= b), "{ranks:?}");
    assert!(text.len() < 3_500, "{} characters", text.len());
}

#[test]
fn what_was_the_ten_year_yield_on_9_march_2020() {
    let b = backend(real());
    let (json, _) = answer(
        &b,
        "get_metric",
        &[("ticker", "10y"), ("as_of", "2020-03-10")],
    );
    assert_eq!(json["date"], "2020-03-09");
    close(&json["value"], on("DGS10", "2020-03-09"), 0.0);
}

#[test]
fn what_was_known_of_unemployment_on_1_and_on_8_may_2020() {
    let b = backend(real());
    for (day, month) in [("2020-05-01", "2020-03-01"), ("2020-05-08", "2020-04-01")] {
        let (json, _) = answer(
            &b,
            "get_metric",
            &[("ticker", "unemployment rate"), ("as_of", day)],
        );
        assert_eq!(json["date"], month);
        close(&json["value"], on("UNRATE", month), 0.0);
    }
}

#[test]
fn when_is_the_next_unemployment_figure_due() {
    let b = backend(real());
    // The newest report that is still to come, that of November 2026: Friday 4 December.
    let (json, text) = answer(&b, "get_metric", &[("ticker", "UNRATE")]);
    assert_eq!(
        (json["nextRelease"].as_str(), json["stale"].as_bool()),
        (Some("2026-12-04"), Some(true))
    );
    assert!(
        text.contains("Employment report; expected, not announced"),
        "{text}"
    );
    let (json, _) = answer(&b, "get_metric", &[("ticker", "DGS10")]);
    assert_eq!(json["nextRelease"], "2026-11-23");
}

#[test]
fn what_is_inflation_and_why_is_there_none_for_october_2026() {
    let b = backend(real());
    let call = [
        ("seriesId", "CPIAUCSL"),
        ("start", "2025-09-01"),
        ("units", "pc1"),
        ("detail", "points"),
    ];
    let (json, text) = answer(&b, "get_time_series", &call);
    let expected = 100.0 * (on("CPIAUCSL", "2026-07-01") / on("CPIAUCSL", "2025-07-01") - 1.0);
    close(&json["summary"]["last"]["value"], expected, 1e-9);
    assert!(text.contains("% from a year earlier"), "{text}");
    let dates: Vec<&str> = json["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|r| r["date"].as_str())
        .collect();
    assert!(
        !dates.contains(&"2025-10-01") && dates.contains(&"2025-11-01"),
        "{dates:?}"
    );
}

#[test]
fn how_high_was_unemployment_ever() {
    let b = backend(real());
    let (json, _) = answer(
        &b,
        "get_time_series",
        &[("seriesId", "UNRATE"), ("start", "max")],
    );
    let all = rows("UNRATE");
    let top = all.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert_eq!(json["summary"]["max"]["date"], top.0.as_str());
    close(&json["summary"]["max"]["value"], top.1, 0.0);
    let count = u32::try_from(all.len()).unwrap();
    let mean = all.iter().map(|r| r.1).sum::<f64>() / f64::from(count);
    close(&json["summary"]["mean"], mean, 0.001);
    assert_eq!(json["reduction"]["from_rows"], all.len());
    let last = all.last().unwrap().1;
    let below = u32::try_from(all.iter().filter(|r| r.1 < last).count()).unwrap();
    let equal = u32::try_from(all.iter().filter(|r| r.1 == last).count()).unwrap();
    let rank = 100.0 * (f64::from(below) + f64::from(equal) / 2.0) / f64::from(count);
    close(&json["summary"]["percentile"], rank, 0.06);
}

#[test]
fn what_was_the_average_ten_year_yield_in_2025() {
    let b = backend(real());
    let call = [
        ("seriesId", "10y"),
        ("start", "2025-01-01"),
        ("end", "2025-12-31"),
        ("frequency", "a"),
        ("aggregation", "avg"),
    ];
    let (json, _) = answer(&b, "get_time_series", &call);
    let days: Vec<f64> = rows("DGS10")
        .iter()
        .filter(|r| r.0.starts_with("2025"))
        .map(|r| r.1)
        .collect();
    assert_eq!(
        (days.len(), json["frequency"].as_str()),
        (249, Some("annual"))
    );
    close(
        &json["data"][0]["value"],
        days.iter().sum::<f64>() / 249.0,
        1e-9,
    );
}

#[test]
fn how_many_jobs_were_added_in_july_2026() {
    let b = backend(real());
    let call = [
        ("seriesId", "payrolls"),
        ("start", "2026-07-01"),
        ("units", "chg"),
    ];
    let (json, _) = answer(&b, "get_time_series", &call);
    close(
        &json["data"][0]["value"],
        on("PAYEMS", "2026-07-01") - on("PAYEMS", "2026-06-01"),
        1e-9,
    );
}

#[test]
fn how_fast_did_the_economy_grow_in_the_second_quarter_of_2026() {
    let b = backend(real());
    let call = [
        ("seriesId", "GDPC1"),
        ("start", "2026-04-01"),
        ("units", "pca"),
    ];
    let (json, _) = answer(&b, "get_time_series", &call);
    let growth = 100.0 * ((on("GDPC1", "2026-04-01") / on("GDPC1", "2026-01-01")).powi(4) - 1.0);
    close(&json["data"][0]["value"], growth, 1e-9);
}

#[test]
fn when_was_net_liquidity_highest() {
    let b = backend(real());
    let (json, _) = answer(
        &b,
        "get_time_series",
        &[("seriesId", "CNLI"), ("start", "max")],
    );
    let day = "2021-09-15";
    // Reverse repos of the day itself: 1,081.342 billion.
    let peak = on("WALCL", day) / 1e6 - on("WTREGEN", day) / 1e6 - on("RRPONTSYD", day) / 1e3;
    assert_eq!(json["summary"]["max"]["date"], day);
    close(&json["summary"]["max"]["value"], peak, 0.000_005_01);
}

#[test]
fn did_the_sahm_rule_trigger_in_summer_2024() {
    let b = backend(real());
    let (json, text) = answer(&b, "get_macro_summary", &[("as_of", "2024-08-06")]);
    assert_eq!(json["dates"]["sahm_rule"], "2024-07-01");
    close(
        &json["labor"]["sahm_rule"],
        on("SAHMREALTIME", "2024-07-01"),
        0.0,
    );
    assert!(
        on("SAHMREALTIME", "2024-07-01") >= 0.5 && text.contains("Sahm rule 0.53"),
        "{text}"
    );
}

#[test]
fn what_did_the_curve_look_like_at_the_end_of_2019() {
    let b = backend(real());
    let (json, _) = answer(&b, "get_macro_summary", &[("as_of", "2019-12-31")]);
    let ten = on("DGS10", "2019-12-30");
    let two = on("DGS2", "2019-12-30");
    close(&json["key_rates"]["10y"], ten, 0.0);
    close(
        &json["key_rates"]["spread_2s10s_bps"],
        100.0 * (ten - two),
        0.05,
    );
    close(
        &json["inflation"]["cpi_yoy_pct"],
        100.0 * (on("CPIAUCNS", "2019-11-01") / on("CPIAUCNS", "2018-11-01") - 1.0),
        0.05,
    );
}

#[test]
fn what_is_the_vix_where_nobody_may_pass_it_on() {
    let b = backend(real());
    let (series, text) = answer(&b, "get_time_series", &[("seriesId", "VIX")]);
    assert_eq!(series["rowCount"], 0);
    assert!(text.contains("It is not loaded."), "{text}");
    let (json, _) = answer(&b, "get_macro_summary", &[]);
    assert_eq!(json["volatility"]["vix"], Value::Null);
    assert_eq!(json["notes"]["vix"], "VIXCLS is not loaded");
}

#[test]
fn give_me_this_years_jobless_claims_as_csv() {
    let b = backend(real());
    let call = [
        ("seriesId", "ICSA"),
        ("start", "2026-01-01"),
        ("detail", "csv"),
    ];
    let (json, text) = answer(&b, "get_time_series", &call);
    let mine: Vec<String> = rows("ICSA")
        .iter()
        .filter(|r| r.0.as_str() >= "2026-01-01")
        .map(|r| format!("{},{}", r.0, r.1))
        .collect();
    assert!(text.contains(&mine.join("\n")), "{text}");
    assert_eq!(json["data"].as_array().map(Vec::len), Some(mine.len()));
}

#[test]
fn unanswerable_questions_say_what_to_do() {
    let b = backend(Arc::new(Sqlite::bundled().unwrap()));
    let said = |tool, call: &[(&str, &str)]| ask(&b, tool, call).unwrap_err().to_string();
    let finer = said(
        "get_time_series",
        &[("seriesId", "UNRATE"), ("frequency", "d")],
    );
    assert!(
        finer.starts_with("frequency=\"D\" is finer than UNRATE, which is monthly"),
        "{finer}"
    );
    let alone = said(
        "get_time_series",
        &[("seriesId", "UNRATE"), ("aggregation", "avg")],
    );
    assert!(alone.contains("no meaning without frequency"), "{alone}");
    let many = said(
        "get_time_series",
        &[("seriesId", "UNRATE"), ("max_points", "500")],
    );
    assert!(many.contains("from 1 to 400"), "{many}");
    let which = said("explain_indicator", &[("indicator", "retail sales")]);
    assert!(
        which.contains("CRPI, RNOW, CRPI2, CNLI, CMSI, CRAI, NVI, regime"),
        "{which}"
    );
    let late = said("what_changed", &[("since", "2026-11-20")]);
    assert!(late.contains("leaves no time"), "{late}");
    let tomorrow = now().strftime("%Y-%m-22").to_string();
    assert!(said("get_regime", &[("as_of", &tomorrow)]).contains("lies in the future"));
}

#[test]
fn five_years_of_a_daily_series_fit_a_small_window() {
    let count = |b: &Backend, call: &[(&str, &str)]| {
        let (json, text) = answer(b, "get_time_series", call);
        let tokens = tiktoken_rs::o200k_base().unwrap();
        let of = |text: &str| tokens.encode_ordinary(text).len();
        // A host shows its model one of both.
        of(&text).max(of(&json.to_string()))
    };
    for store in [Arc::new(Sqlite::bundled().unwrap()), real()] {
        let b = &backend(store);
        for id in ["DGS10", "DCOILWTICO", "T10Y2Y"] {
            let n = count(b, &[("seriesId", id), ("start", "5y")]);
            println!("{id}, 5 years: {n} tokens");
            assert!(n <= 1_500, "{id}: {n} tokens");
            let n = count(b, &[("seriesId", id)]);
            println!("{id}, a year: {n} tokens");
            assert!(n <= 1_500, "{id}, a year: {n} tokens");
        }
    }
}
