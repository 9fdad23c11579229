//! The API of the Bureau of Labor Statistics: many series in one POST, few years in each, few questions a day.
//!
//! Two of its refusals come as success: a span of too many years gives the oldest ones, and a spent quota is HTTP 200.

use super::cells::Found;
use super::dates;
use super::shape::{Ask, Feed, Line};
use crate::error::quote;
use crate::model::Date;
use serde::Deserialize;
use serde_json::json;

/// Series and years in a question without a key; with one the source allows twice as many of both.
const MAX_SERIES: usize = 25;
const MAX_YEARS: i16 = 10;
/// The first year of any of its series.
const FIRST_YEAR: i16 = 1913;

#[derive(Deserialize)]
struct Answer {
    status: String,
    #[serde(default)]
    message: Vec<String>,
    #[serde(rename = "Results", default)]
    results: Option<Results>,
}

#[derive(Deserialize, Default)]
struct Results {
    #[serde(default)]
    series: Vec<OneSeries>,
}

#[derive(Deserialize)]
struct OneSeries {
    #[serde(rename = "seriesID")]
    id: String,
    data: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    year: String,
    period: String,
    value: String,
}

/// The questions: newest years first, so that a quota that runs out leaves the past for tomorrow.
pub(super) fn asks(feed: &Feed, wanted: &[&Line], from: Option<Date>, today: Date) -> Vec<Ask> {
    let first = from.map_or(FIRST_YEAR.max(today.year() - 2 * MAX_YEARS + 1), Date::year);
    let mut asks = Vec::new();
    let mut end = today.year();
    while end >= first {
        let start = first.max(end - MAX_YEARS + 1);
        for lines in wanted.chunks(MAX_SERIES) {
            let ids: Vec<&str> = lines.iter().map(|line| line.field.as_str()).collect();
            let body = json!({
                "seriesid": ids, "startyear": start.to_string(), "endyear": end.to_string()
            });
            asks.push(Ask {
                url: feed.url.clone(),
                post: Some(body.to_string()),
                key: None,
            });
        }
        end = start - 1;
    }
    asks
}

/// The place of a line, a date, and the cell.
///
/// # Errors
/// Says what the source says; a message about a shortened span is a refusal, whatever the status.
pub(super) fn read(body: &[u8], lines: &[&Line]) -> Result<Vec<Found>, String> {
    let answer: Answer = serde_json::from_slice(body).map_err(|e| format!("it is no JSON: {e}"))?;
    let said = quote(&answer.message.join(" "));
    if answer.status != "REQUEST_SUCCEEDED" {
        return Err(format!("{}: \"{said}\"", quote(&answer.status)));
    }
    if answer
        .message
        .iter()
        .any(|m| m.contains("has been reduced"))
    {
        return Err(format!("it is cut: \"{said}\""));
    }
    let mut found = Vec::new();
    for series in answer.results.unwrap_or_default().series {
        let Some(place) = lines.iter().position(|line| line.field == series.id) else {
            continue;
        };
        // Averages of years and halves are of no period.
        let periods = series.data.into_iter();
        for row in periods.filter(|row| row.period.starts_with(['M', 'Q'])) {
            let year: Option<i16> = row.year.parse().ok();
            let year = year.filter(|year| (1000..=9999).contains(year));
            let year = year.ok_or_else(|| format!("\"{}\" is not a year", quote(&row.year)))?;
            let Some(date) = dates::period(&format!("{year}{}", row.period)) else {
                continue;
            };
            found.push((place, date, row.value));
        }
    }
    Ok(found)
}

/// Whether the day's questions are used up.
pub fn is_spent(body: &[u8]) -> bool {
    let answer: Option<Answer> = serde_json::from_slice(body).ok();
    answer.is_some_and(|a| {
        let spent = a
            .message
            .iter()
            .any(|m| m.contains("threshold") || m.contains("limit"));
        a.status == "REQUEST_NOT_PROCESSED" && spent
    })
}
