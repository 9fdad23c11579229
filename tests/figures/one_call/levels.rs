//! What is it now, and what was it on a day.

use super::Question;
use crate::support::{by, on, rows};
use serde_json::{Value, json};

fn now(words: &'static str, ticker: &str) -> Question {
    Question::new(words, "get_metric", json!({ "ticker": ticker }))
}

fn series(words: &'static str, arguments: Value) -> Question {
    Question::new(words, "get_time_series", arguments)
}

fn latest(id: &str) -> (String, f64) {
    rows(id).pop().unwrap()
}

pub(super) fn questions() -> Vec<Question> {
    [levels(), moments(), absences()]
        .into_iter()
        .flatten()
        .collect()
}

fn levels() -> Vec<Question> {
    let (day, ten) = latest("DGS10");
    let jobs = (on("PAYEMS", "2026-07-01"), on("PAYEMS", "2026-06-01"));
    let prices = 100.0 * (on("CPIAUCSL", "2026-07-01") / on("CPIAUCSL", "2025-07-01") - 1.0);
    let gdp = on("GDPC1", "2026-04-01");
    let (week, claims) = latest("ICSA");
    let rate = (on("UNRATE", "2026-07-01"), on("UNRATE", "2025-07-01"));
    let (euro_day, euro) = latest("DEXUSEU");
    let (gas_week, gas) = latest("GASREGW");
    let (nfci_week, nfci) = latest("NFCI");
    vec![
        now("What is the 10-year Treasury yield?", "10y")
            .at("/value", ten)
            .at("/date", day.as_str())
            .says(format!("{ten} % on {day} (daily)")),
        now(
            "What's the unemployment rate, and is it higher than a year ago?",
            "unemployment rate",
        )
        .at("/value", rate.0)
        .at("/changes/unit", "points")
        .says(format!("{} %, SA, in July 2026", rate.0))
        .says(format!(
            "{:+.1} points from a year earlier",
            rate.0 - rate.1
        )),
        now(
            "How many people are on US payrolls, and how many were added last month?",
            "payrolls",
        )
        .at("/value", jobs.0)
        .at("/changes/30d", jobs.0 - jobs.1)
        .at("/changes/unit", "thousand persons")
        .says(format!("{} thousand persons, SA, in July 2026", jobs.0))
        .says(format!(
            "{:+} thousand persons over a month",
            jobs.0 - jobs.1
        )),
        now(
            "How much have consumer prices risen over the year?",
            "CPIAUCSL",
        )
        .at("/value", on("CPIAUCSL", "2026-07-01"))
        .says(format!("{prices:+.1} % from a year earlier")),
        now("How big is the US economy in real terms?", "GDPC1")
            .at("/value", gdp)
            .at("/unitInWords", "billion 2017 dollars, annual rate, SA")
            .says(format!(
                "${} trillion (2017 dollars), annual rate, SA, in Q2 2026",
                (gdp * 1e3).round() / 1e6
            )),
        now("What were the latest jobless claims?", "ICSA")
            .at("/value", claims)
            .at("/date", week.as_str())
            .says(format!("{claims} claims, SA, in the week ending {week}")),
        now("How many dollars does a euro cost?", "DEXUSEU")
            .at("/value", euro)
            .says(format!("{euro} USD per EUR on {euro_day}")),
        now("What does a gallon of regular gasoline cost?", "GASREGW")
            .at("/value", gas)
            .says(format!("{gas} $/gal in the week ending {gas_week}")),
        now("Are financial conditions tight?", "NFCI")
            .at("/value", nfci)
            .says(format!("{nfci} index in the week ending {nfci_week}")),
        now("What is net liquidity?", "CNLI")
            .at("/value", rounded(liquidity("2026-08-19"), 5))
            .says(format!(
                "{:.3} trillion dollars in the week ending 2026-08-19",
                liquidity("2026-08-19")
            )),
    ]
}

/// docs/COMPOSITES.md#net-liquidity, on a day that all three have.
fn liquidity(day: &str) -> f64 {
    on("WALCL", day) / 1e6 - on("WTREGEN", day) / 1e6 - on("RRPONTSYD", day) / 1e3
}

fn moments() -> Vec<Question> {
    let (friday, ten) = by("DGS10", "2023-03-11");
    let years = ["2006-08-15", "2016-08-15", "2026-08-14"].map(|day| on("DGS2", day));
    let growth = 100.0 * ((on("GDPC1", "2020-04-01") / on("GDPC1", "2020-01-01")).powi(4) - 1.0);
    let inflation = 100.0 * (on("CPIAUCNS", "2022-06-01") / on("CPIAUCNS", "2021-06-01") - 1.0);
    let lost = on("PAYEMS", "2020-04-01") - on("PAYEMS", "2020-03-01");
    let oil = on("DCOILWTICO", "2020-04-20");
    vec![
        series("Where did the 10-year close on Saturday 11 March 2023, after SVB failed?",
            json!({"seriesId": "DGS10", "dates": ["2023-03-11"]}))
            .at("/points/0/value", ten)
            .at("/points/0/date", friday.as_str())
            .at("/points/0/note", "Saturday; Friday's")
            .says(format!("2023-03-11: {ten:.2} on {friday} (Saturday; Friday's)")),
        series("What was the two-year yield in mid-August 2006, 2016 and 2026?",
            json!({"seriesId": "2y", "dates": ["2006-08-15", "2016-08-15", "2026-08-14"]}))
            .at("/points/0/value", years[0])
            .at("/points/1/value", years[1])
            .at("/points/2/value", years[2])
            .at("/points/2/change", rounded(years[2] - years[1], 2))
            .says(format!("2016-08-15: {:.2}, change {:+.2} points", years[1], years[1] - years[0]))
            .says(format!("2026-08-14: {:.2}, change {:+.2} points", years[2], years[2] - years[1])),
        series("How high was unemployment in April 2020?",
            json!({"seriesId": "UNRATE", "start": "2020-04-01", "end": "2020-04-01"}))
            .at("/points/0/value", on("UNRATE", "2020-04-01"))
            .says(format!("{:.1} in April 2020", on("UNRATE", "2020-04-01"))),
        series("And in the middle of that month?", json!({"seriesId": "UNRATE", "start": "2020-04-15", "end": "2020-04-15"}))
            .at("/points/0/date", "2020-04-01")
            .at("/points/0/value", on("UNRATE", "2020-04-01"))
            .says("2020-04-15: 14.8 in April 2020"),
        series("What did oil close at the day it went negative?", json!({"seriesId": "WTI", "dates": "2020-04-20"}))
            .at("/points/0/value", oil)
            .says(format!("2020-04-20: {oil:.2}")),
        series("How fast did GDP shrink in the second quarter of 2020, annualised?",
            json!({"seriesId": "GDPC1", "units": "pca", "start": "2020-04-01", "end": "2020-04-01"}))
            .at("/points/0/value", rounded(growth, 9))
            .says(format!("{growth:.2} in Q2 2020")),
        series("What was headline inflation in June 2022?",
            json!({"seriesId": "CPIAUCNS", "units": "pc1", "dates": ["2022-06-30"]}))
            .at("/points/0/value", rounded(inflation, 9))
            .at("/unit", "% from a year earlier")
            .says(format!("{inflation:.2} in June 2022")),
        series("How many jobs were lost in April 2020?",
            json!({"seriesId": "payrolls", "units": "chg", "dates": ["2020-04-30"]}))
            .at("/points/0/value", lost)
            .says(format!("{lost} in April 2020"))
            .says("thousand persons, change from the period before"),
        series("What was a pound worth before the mini-budget of September 2022, and the Monday after?",
            json!({"seriesId": "DEXUSUK", "dates": ["2022-09-22", "2022-09-26"]}))
            .at("/points/0/value", on("DEXUSUK", "2022-09-22"))
            .at("/points/1/change_pct", rounded(100.0 * (on("DEXUSUK", "2022-09-26") / on("DEXUSUK", "2022-09-22") - 1.0), 2))
            .says(format!("2022-09-22: {:.4}", on("DEXUSUK", "2022-09-22")))
            .says(format!("{:+.2} %", 100.0 * (on("DEXUSUK", "2022-09-26") / on("DEXUSUK", "2022-09-22") - 1.0))),
    ]
}

fn absences() -> Vec<Question> {
    let (christmas_eve, ten) = by("DGS10", "2024-12-25");
    let (first, _) = rows("DFII10").swap_remove(0);
    vec![
        series(
            "What was the 10-year on Christmas Day 2024?",
            json!({"seriesId": "DGS10", "dates": ["2024-12-25"]}),
        )
        .at("/points/0/value", ten)
        .at("/points/0/date", christmas_eve.as_str())
        .says("(Wednesday, no figure; Tuesday's)"),
        series(
            "What was unemployment in October 2025?",
            json!({"seriesId": "UNRATE", "dates": ["2025-10-15"]}),
        )
        .at("/points/0/date", "2025-09-01")
        .at("/points/0/value", on("UNRATE", "2025-09-01"))
        .says("October 2025: never published; September 2025's"),
        series(
            "What was the ten-year real yield in 1990?",
            json!({"seriesId": "DFII10", "dates": ["1990-01-02"]}),
        )
        .at("/points/0/value", Value::Null)
        .at("/points/0/note", format!("begins on {first}"))
        .says(format!("1990-01-02: begins on {first}")),
        series(
            "Where was the 10-year yesterday?",
            json!({"seriesId": "DGS10", "dates": ["2026-11-20"]}),
        )
        .at("/points/0/value", Value::Null)
        .says("no figure, a newer figure was due by 30 August 2026 but is not loaded; the newest is of 2026-08-20"),
    ]
}

pub(super) fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (value * scale).round() / scale
}
