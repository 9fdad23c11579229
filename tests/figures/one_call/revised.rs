//! What was reported first and what became of it, out of the vintages.

use super::Question;
use crate::support::on;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/vintages");

/// Rows of a series' vintages: month of the observation, value, month from which it was known.
fn vintages(id: &str) -> Vec<(String, Option<f64>, String)> {
    let text = std::fs::read_to_string(format!("{FOLDER}/{id}.csv")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (
            cells[0].to_owned(),
            cells[1].parse().ok(),
            cells[2].to_owned(),
        )
    };
    text.lines().skip(1).map(row).collect()
}

/// What was known at the end of a month.
fn state(rows: &[(String, Option<f64>, String)], month: &str) -> BTreeMap<String, f64> {
    let mut state = BTreeMap::new();
    for (date, value, _) in rows.iter().filter(|row| row.2.as_str() <= month) {
        match value {
            Some(value) => state.insert(date.clone(), *value),
            None => state.remove(date),
        };
    }
    state
}

/// The first state that has a period.
fn first_state(rows: &[(String, Option<f64>, String)], date: &str) -> BTreeMap<String, f64> {
    let own = rows.iter().filter(|row| row.0 == date);
    state(rows, own.map(|row| row.2.as_str()).min().unwrap())
}

fn asked(words: &'static str, arguments: Value) -> Question {
    Question::new(words, "get_revisions", arguments).with_vintages()
}

pub(super) fn questions() -> Vec<Question> {
    let jobs = vintages("PAYEMS");
    let added = |date: &str, before: &str| {
        let first = first_state(&jobs, date);
        let now = on("PAYEMS", date) - on("PAYEMS", before);
        (first[date] - first[before], now)
    };
    let (september, now) = added("2008-09-01", "2008-08-01");
    let (december, revised) = added("2008-12-01", "2008-11-01");
    let march = jobs.iter().filter(|row| row.0 == "2025-03-01");
    let levels: Vec<f64> = march.filter_map(|row| row.1).collect();
    let output = vintages("GDPC1");
    let growth = |date: &str, before: &str| {
        let first = first_state(&output, date);
        let rate = 100.0 * ((first[date] / first[before]).powi(4) - 1.0);
        (rate * 100.0).round() / 100.0
    };
    let august = state(&jobs, "2008-09")["2008-08-01"];
    let augusts = (august, on("PAYEMS", "2008-08-01"));
    let rates = vintages("UNRATE");
    let spring = ["2008-12", "2010-01"].map(|month| state(&rates, month)["2008-06-01"]);
    let fourth = growth("2008-10-01", "2008-07-01");
    let first = growth("2009-01-01", "2008-10-01");
    vec![
        Question::new(
            "How many jobs did the country have in August 2008, as known that September and as known today?",
            "get_time_series",
            json!({"seriesId": "PAYEMS", "start": "2008-01", "as_of": "2008-09, latest"}),
        )
        .with_vintages()
        .at("/vintages/states/0/known", "2008-09-30")
        .at("/vintages/rows/7/values/0", augusts.0)
        .at("/vintages/rows/7/values/1", augusts.1)
        .at("/vintages/rows/7/revision", augusts.1 - augusts.0)
        .at("/vintages/rows/8/values/1", on("PAYEMS", "2008-09-01"))
        .says(format!("August 2008 was {}, is {}: revised {} thousand persons", augusts.0, augusts.1, augusts.1 - augusts.0))
        .says(format!("2008-08-01,{},{},{}", augusts.0, augusts.1, augusts.1 - augusts.0)),
        Question::new(
            "What was the unemployment rate of June 2008 said to be at the end of 2008, in January 2010 and now?",
            "get_time_series",
            json!({"seriesId": "UNRATE", "dates": ["2008-06"], "as_of": "2008-12,2010-01,latest"}),
        )
        .with_vintages()
        .at("/vintages/rows/0/values/0", spring[0])
        .at("/vintages/rows/0/values/1", spring[1])
        .at("/vintages/rows/0/values/2", on("UNRATE", "2008-06-01"))
        .says(format!("2008-06-01,{},{},{}", spring[0], spring[1], on("UNRATE", "2008-06-01"))),
        asked(
            "What was first reported of payrolls in each month of 2008, and what is said of it now?",
            json!({"seriesId": "PAYEMS", "date": "2008-01..2008-12"}),
        )
        .at("/periods/8/first", september)
        .at("/periods/8/now", now)
        .at("/periods/11/first", december)
        .at("/periods/11/revision", revised - december)
        .says(format!("2008-09: {september} ("))
        .says(format!("; {revised} ({})", revised - december)),
        asked(
            "How did the benchmark revision change the level of payrolls of March 2025?",
            json!({"seriesId": "PAYEMS", "date": "2025-03", "levels": true}),
        )
        .at("/levels/0/level", levels[0])
        .at("/levels/2/level", levels[2])
        .at("/levels/3/level", levels[3])
        .at("/levels/3/revision", levels[3] - levels[2])
        .says(format!("{} ({},", levels[3], levels[3] - levels[2])),
        asked(
            "What was first reported of annualized GDP growth around the turn of 2009?",
            json!({"seriesId": "real GDP growth annualized", "date": "2008Q4, 2009Q1"}),
        )
        .at("/periods/0/first", fourth)
        .at("/periods/1/first", first)
        .says(format!("2008-Q4: {fourth} ("))
        .says(format!("2009-Q1: {first} (")),
    ]
}
