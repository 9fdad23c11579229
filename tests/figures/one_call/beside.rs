//! What an answer says beside its figure: the level behind a change, which days were counted, what is late, and what is
//! not here.

use super::Question;
use super::derived::{Figure, newest};
use super::levels::rounded;
use crate::support::{between, by, on, rows};
use serde_json::{Value, json};

fn series(words: &'static str, arguments: Value) -> Question {
    Question::new(words, "get_time_series", arguments)
}

/// The row so many rows after the one that speaks for a day.
fn rows_later(id: &str, day: &str, count: usize) -> (String, f64) {
    let all = rows(id);
    let at = all.iter().rposition(|row| row.0.as_str() <= day).unwrap();
    all[at + count].clone()
}

pub(super) fn questions() -> Vec<Question> {
    [labor(), counted(), elsewhere()]
        .into_iter()
        .flatten()
        .collect()
}

fn labor() -> Vec<Question> {
    let rate = ["2026-07-01", "2026-06-01", "2025-07-01"].map(|month| on("UNRATE", month));
    let jobs = ["2026-07-01", "2026-06-01"].map(|month| on("PAYEMS", month));
    let prices = ["2026-07-01", "2025-07-01"].map(|month| on("CPIAUCSL", month));
    vec![
        Question::new(
            "How is the labor market, in jobs and unemployment?",
            "get_macro_summary",
            json!({}),
        )
        .at("/labor/unemployment_rate_pct", rate[0])
        .at(
            "/labor/unemployment_change_pp",
            rounded(rate[0] - rate[1], 1),
        )
        .at("/labor/payrolls_thousands", jobs[0])
        .at("/labor/payrolls_change_thousands", jobs[0] - jobs[1])
        .at("/dates/payrolls", "2026-07-01")
        .says(format!(
            "unemployment fell by {:.1} points to {} %",
            rate[1] - rate[0],
            rate[0]
        ))
        .says(format!(
            "payrolls fell by {} thousand in July 2026 to {} thousand",
            jobs[1] - jobs[0],
            econoscope_core::format::number(jobs[0], 0)
        )),
        Question::new(
            "What was unemployment a year ago, and what is it now?",
            "get_metric",
            json!({ "ticker": "UNRATE" }),
        )
        .at("/value", rate[0])
        .says(format!("from a year earlier ({:.1})", rate[2])),
        series(
            "How far are consumer prices above a year ago, and what are the two index levels?",
            json!({"seriesId": "CPIAUCSL", "units": "pc1", "start": "2026-01", "end": "2026-07"}),
        )
        .at(
            "/summary/last/value",
            rounded(100.0 * (prices[0] / prices[1] - 1.0), 14),
        )
        .says(format!(
            "Level: {} in July 2026, {} a year earlier.",
            prices[0], prices[1]
        )),
    ]
}

fn counted() -> Vec<Question> {
    let start = by("DGS10", "2008-09-15").1;
    let (day, trading) = rows_later("DGS10", "2008-09-15", 250);
    let (calendar_day, calendar) = by("DGS10", "2009-05-23");
    let recent = between("DGS10", "", "2026-08-20");
    let (last, _) = recent.last().unwrap().clone();
    vec![
        series(
            "Where was the 10-year 250 trading days after Lehman?",
            json!({"seriesId": "DGS10", "after": "2008-09-15", "horizons": ["250 trading days"]}),
        )
        .at("/points/1/horizon", "250td")
        .at("/points/1/date", day.as_str())
        .at("/points/1/change", rounded(trading - start, 2))
        .says(format!("+250td, {day}: {trading:.2}"))
        .says("250td: trading days"),
        series(
            "Where was it 250 days after?",
            json!({"seriesId": "DGS10", "after": "2008-09-15", "horizons": ["250d"]}),
        )
        .at("/points/1/date", calendar_day.as_str())
        .at("/points/1/value", calendar)
        .says("250d: calendar days"),
        series(
            "What was the 10-year on 10 November 2026?",
            json!({"seriesId": "DGS10", "dates": ["2026-11-10"]}),
        )
        .at("/points/0/value", Value::Null)
        .says(format!(
            "no figure, a newer figure was due by 30 August 2026 but is not loaded; the newest is of {last}"
        )),
    ]
}

fn elsewhere() -> Vec<Question> {
    let Figure {
        date: day,
        value: middle,
    } = newest("DFEDTARU", "DFEDTARL", |upper, lower| (upper + lower) / 2.0);
    vec![
        Question::new(
            "What is the midpoint of the Fed's target range?",
            "get_metric",
            json!({ "ticker": "midpoint of the target range" }),
        )
        .at("/value", middle)
        .at("/date", day.as_str())
        .says(format!("{middle} % on {day}"))
        .says("computed here from (DFEDTARU+DFEDTARL)/2"),
        Question::new(
            "Is there a series of German unemployment?",
            "search_series",
            json!({ "query": "German unemployment" }),
        )
        .at("/elsewhere", "\"German unemployment\" is not carried: it is a foreign series; the nearest here is of the United States. Nearest: UNRATE (Unemployment Rate (U-3)).")
        .says("Nearest: UNRATE"),
        Question::new(
            "And of unemployment in California?",
            "search",
            json!({ "query": "unemployment in California" }),
        )
        .at("/results/0/id", "series:CAUR")
        .at("/results/0/title", "Unemployment Rate, California")
        .says("{\"id\":\"series:CAUR\",\"title\":\"Unemployment Rate, California\""),
        Question::new(
            "And of unemployment in Puerto Rico?",
            "search",
            json!({ "query": "unemployment in Puerto Rico" }),
        )
        .at("/elsewhere", "\"unemployment in Puerto Rico\" is not carried: no series here is of Puerto Rico alone. Nearest: UNRATE (Unemployment Rate (U-3)).")
        .says("no series here is of Puerto Rico alone. Nearest: UNRATE"),
        Question::new(
            "How often have the VIX at 40 and the Sahm signal come?",
            "list_scenarios",
            json!({ "query": "vix-40, sahm-trigger" }),
        )
        .at("/count", 2)
        .at("/scenarios/0/slug", "vix-40")
        .at("/scenarios/1/slug", "sahm-trigger")
        .says("(vix-40, bearish)")
        .says("(sahm-trigger, bearish)"),
    ]
}
