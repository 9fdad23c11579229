//! Names that could be taken wrongly, what is not held, what may happen, and several of these at once.

use super::Question;
use super::derived::{Figure, all, months, newest, round};
use crate::support::rows;
use serde_json::json;

pub(super) fn questions() -> Vec<Question> {
    [names(), absent(), scenarios(), several()]
        .into_iter()
        .flatten()
        .collect()
}

fn metric(words: &'static str, name: &str) -> Question {
    Question::new(words, "get_metric", json!({ "ticker": name }))
}

fn latest(id: &str) -> (String, f64) {
    rows(id).pop().unwrap()
}

fn names() -> Vec<Question> {
    let (day, long) = latest("DGS30");
    let ((_, upper), (_, lower)) = (latest("DFEDTARU"), latest("DFEDTARL"));
    vec![
        metric(
            "What does the 30-year Treasury yield?",
            "30-year Treasury yeild",
        )
        .at("/ticker", "DGS30")
        .at("/value", long)
        .at("/date", day)
        .says(long.to_string())
        .says("read as DGS30"),
        metric("What is the Fed's target range?", "fed funds target range")
            .at("/value", upper)
            .says(upper.to_string())
            .says(format!(
                "DFEDTARL (Fed Funds Target Range - Lower): {lower} %"
            )),
        metric("What does gas cost on average?", "average daily gas price")
            .at("/ticker", "GASREGW")
            .at("/value", latest("GASREGW").1)
            .says("read as GASREGW"),
        metric("How many yen is a dollar?", "dollar yen")
            .at("/ticker", "DEXJPUS")
            .at("/value", latest("DEXJPUS").1)
            .says("it rises when the dollar does"),
        metric("What does a euro cost?", "EURUSD")
            .at("/value", latest("DEXUSEU").1)
            .says("it falls when the dollar rises"),
        metric("What does CVRP say?", "CVRP")
            .at("/ticker", "SERVICE_CRPI")
            .at("/unit", "%")
            .says("Probability of Recession within 12 Months"),
    ]
}

fn absent() -> Vec<Question> {
    let (month, prime) = latest("MPRIME");
    vec![
        metric("What is the prime rate?", "prime rate")
            .at("/value", json!(null))
            .says("MPRIME is held: the same rate as a monthly average"),
        metric("And by month?", "monthly prime rate")
            .at("/value", prime)
            .at("/date", month)
            .says(prime.to_string()),
        metric("What is the TED spread?", "TED spread")
            .at("/value", json!(null))
            .says("ended 2022-01-21; SOFR follows"),
        metric("What is bitcoin at?", "bitcoin")
            .at("/value", json!(null))
            .says("It is not loaded."),
    ]
}

/// How often something followed a starting month.
struct Share {
    hits: usize,
    starts: usize,
}

/// Share of starting months after which the value moved so within a horizon, and how many there were.
fn share(
    values: &[f64],
    horizon: usize,
    is_start: fn(f64) -> bool,
    is_hit: fn(f64, f64) -> bool,
) -> Share {
    let starts: Vec<usize> = (0..values.len() - horizon)
        .filter(|i| is_start(values[*i]))
        .collect();
    let hits = starts.iter().filter(|i| {
        values[**i + 1..=**i + horizon]
            .iter()
            .any(|u| is_hit(values[**i], *u))
    });
    Share {
        hits: hits.count(),
        starts: starts.len(),
    }
}

fn scenario(words: &'static str, query: &str, slug: &str, share: Share) -> Question {
    let Share { hits, starts } = share;
    Question::new(words, "list_scenarios", json!({ "query": query }))
        .at("/scenarios/0/slug", slug)
        .at(
            "/scenarios/0/baseRateProbability",
            round(hits as f64 / starts as f64, 3),
        )
        .says(format!("{hits} of {starts} months"))
}

fn scenarios() -> Vec<Question> {
    let ten: Vec<f64> = months("DGS10").into_values().collect();
    let sahm: Vec<f64> = rows("SAHMREALTIME")
        .into_iter()
        .filter(|(d, _)| d.as_str() >= "1960")
        .map(|(_, v)| v)
        .collect();
    vec![
        scenario("How often has the ten-year yield risen a point within a year?", "10y-up-100bp", "10y-up-100bp",
            share(&ten, 12, |_| true, |x, u| u - x >= 1.0 - 1e-9))
            .says("DGS10, mean of the month, rises by 1 or more in one of the next 12 months; counted from every month"),
        scenario("How often does the Sahm rule trigger?", "sahm rule triggers", "sahm-trigger",
            share(&sahm, 12, |x| x < 0.5 - 1e-9, |_, u| u >= 0.5 - 1e-9))
            .says("counted from months with SAHMREALTIME below 0.5")
            .at("/scenarios/0/countedFrom", "months with SAHMREALTIME below 0.5")
            .says("90 % interval"),
        Question::new("When were the recessions?", "search_glossary", json!({"q": "recession dates"}))
            .at("/results/0/slug", "nber-dating")
            .says("2020-02 to 2020-04 (2 months); 2007-12 to 2009-06 (18 months)")
            .says("1948-11 to 1949-10 (11 months)"),
        Question::new("Which recessions were there before the war?", "fetch", json!({"id": "term:recession"}))
            .at("/id", "term:recession")
            .says("1929-08 to 1933-03 (43 months)"),
    ]
}

fn several() -> Vec<Question> {
    let Figure {
        date: day,
        value: curve,
    } = newest("DGS10", "DGS2", |a, b| a - b);
    let long = newest("DGS30", "DGS5", |a, b| a - b).value;
    let core = all("PCEPILFE");
    let index = all("CPILFESL");
    let june = |all: &std::collections::BTreeMap<String, f64>| {
        round(100.0 * (all["2026-06-01"] / all["2025-06-01"] - 1.0), 2)
    };
    vec![
        Question::new("Is the long end steeper than the front?", "compare_series", json!({"series": ["2s10s", "5s30s"], "start": "2024-01-01"}))
            .at("/columns/0/latest", round(curve, 2))
            .at("/columns/1/latest", round(long, 2))
            .at("/columns/1/date", day)
            .says(round(long, 2).to_string()),
        Question::new("How do core PCE and core CPI inflation compare?", "compare_series",
            json!({"series": ["core pce inflation", "core cpi inflation"], "start": "2020-01-01", "end": "2026-06-30"}))
            .at("/columns/0/latest", june(&core))
            .at("/columns/1/latest", june(&index))
            .says(june(&core).to_string())
            .says(june(&index).to_string()),
    ]
}
