//! What a server that is locked to a past day may send: no sentence of a fixed text that names a later day.
//!
//! Figures come from a locked desk. Texts that ship with the program (descriptions, terms, scenarios, methods, the record) were
//! written later, and so they are filtered where they leave the program, with everything else.

use axum::body::{Body, to_bytes};
use axum::response::Response;
use econoscope_core::indicators::record;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{CalendarPeriod, Date};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, DATE, ETAG, HeaderValue};
use jiff::ToSpan;
use serde_json::{Map, Value};

/// Most bytes of a body that is filtered.
const MAX_BYTES: usize = 64 << 20;
/// The year in which texts of the program were written. They name at most the ten years after it: a larger number is no year.
const WRITTEN: i16 = 2026;
/// Days ahead for which releases and meetings are scheduled.
const HORIZON: i64 = 400;
/// Words of sentences about what is scheduled, which name later days.
const SCHEDULED: [&str; 7] = [
    "due",
    "next",
    "scheduled",
    "announced",
    "release",
    "meeting",
    "expected",
];

/// Filters one JSON message.
pub(crate) fn filter_json(message: &mut Value, day: Date) {
    match message {
        Value::String(text) => filter_string(text, day),
        Value::Array(items) => {
            items.iter_mut().for_each(|item| filter_json(item, day));
        }
        Value::Object(members) => filter_members(members, day),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn filter_members(members: &mut Map<String, Value>, day: Date) {
    members.retain(|name, _| name != "record");
    // The id of a message is the caller's, and versions of the protocol are days.
    let kept = ["id", "protocolVersion"];
    let texts = members
        .iter_mut()
        .filter(|member| !kept.contains(&member.0.as_str()));
    texts.for_each(|member| filter_json(member.1, day));
}

/// Filters a string: JSON as such, a date alone unless it is far ahead, anything else by its sentences.
fn filter_string(text: &mut String, day: Date) {
    if text.starts_with(['{', '['])
        && let Ok(mut value) = serde_json::from_str::<Value>(text)
    {
        filter_json(&mut value, day);
        *text = value.to_string();
    } else if let Ok(date) = text.parse::<Date>() {
        if date > shift(day, HORIZON.days()) {
            text.clear();
        }
    } else {
        *text = filter_text(text, day);
    }
}

/// Removes the lines and sentences that name a later day, and those of the record of the indicators.
pub(crate) fn filter_text(text: &str, day: Date) -> String {
    let is_kept = |sentence: &&str| !names_later_day(sentence, day) && !record::contains(sentence);
    let mut filtered = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if is_kept(&line) {
            filtered += line;
            continue;
        }
        let end = if line.ends_with('\n') { "\n" } else { "" };
        let marked = line.trim_end().replace(". ", ". \0").replace("; ", "; \0");
        let sentences = marked.split('\0').filter(is_kept);
        sentences.for_each(|sentence| filtered += sentence);
        filtered += end;
    }
    filtered
}

/// Whether a sentence names a later day, month or year, other than one that is scheduled.
fn names_later_day(sentence: &str, day: Date) -> bool {
    let lower = sentence.to_ascii_lowercase();
    let is_schedule = SCHEDULED.iter().any(|word| lower.contains(word));
    let horizon = if is_schedule { HORIZON } else { 0 };
    let last = shift(day, horizon.days());
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .collect();
    let is_later = |text: &str| CalendarPeriod::parse(text).is_ok_and(|period| period.from > last);
    let is_year = |word: &str| {
        let year = word.parse::<i16>().ok().filter(|_| word.len() == 4);
        year.is_some_and(|year| (last.year() + 1..=last.year().max(WRITTEN) + 10).contains(&year))
    };
    words.iter().any(|word| {
        if word.contains('-') {
            is_later(word)
        } else {
            is_year(word)
        }
    }) || words.windows(2).any(|pair| is_later(&pair.join(" ")))
}

/// Filters the body of a response, and sets its date to the day.
pub(crate) async fn filter_response(response: Response, day: Date) -> Response {
    let (mut head, body) = response.into_parts();
    let noon = day.strftime("%a, %d %b %Y 12:00:00 GMT").to_string();
    if let Ok(date) = HeaderValue::from_str(&noon) {
        head.headers.insert(DATE, date);
    }
    let header = head.headers.get(CONTENT_TYPE).cloned();
    let kind = header
        .as_ref()
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let has = |parts: [&str; 3]| parts.iter().any(|part| kind.contains(part));
    if !has(["text", "json", "xml"]) || has(["event-stream", "css", "javascript"]) {
        return Response::from_parts(head, body);
    }
    let Ok(bytes) = to_bytes(body, MAX_BYTES).await else {
        return Response::from_parts(head, Body::empty());
    };
    let text = String::from_utf8_lossy(&bytes);
    let filtered = match serde_json::from_str::<Value>(&text) {
        Ok(mut value) => {
            filter_json(&mut value, day);
            value.to_string()
        }
        Err(_) if kind.contains("ml") => filter_markup(&text, day),
        Err(_) => filter_text(&text, day),
    };
    head.headers.remove(CONTENT_LENGTH);
    head.headers.remove(ETAG);
    Response::from_parts(head, Body::from(filtered))
}

/// Filters the text between the tags of HTML, XML or SVG.
fn filter_markup(text: &str, day: Date) -> String {
    let mut filtered = String::with_capacity(text.len());
    for part in text.split_inclusive('>') {
        let (shown, tag) = part.split_at(part.find('<').unwrap_or(part.len()));
        filtered += &filter_text(shown, day);
        filtered += tag;
    }
    filtered
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use serde_json::json;

    const DAY: Date = date(2008, 6, 30);

    #[test]
    fn sentences_that_name_later_days_are_removed() {
        for (text, left) in [
            ("Rates fell. It ended in September 2008.", "Rates fell. "),
            (
                "Known by 2008-06-12. Revised on 2009-01-09.",
                "Known by 2008-06-12. ",
            ),
            ("Over 1979 to 2024 no gain is shown", ""),
            ("2008-05-01,2045\n2008-09-01,5\n", "2008-05-01,2045\n\n"),
            (
                "The next release is due on 2008-07-03.",
                "The next release is due on 2008-07-03.",
            ),
            ("The next meeting after 2012 is unknown.", ""),
            (
                "Starts were 2068 thousand in May 2008.",
                "Starts were 2068 thousand in May 2008.",
            ),
        ] {
            assert_eq!(filter_text(text, DAY), left, "{text}");
        }
        assert_eq!(
            filter_markup("<p title=a>In 2020.</p><b>In 2007.</b>", DAY),
            "<p title=a></p><b>In 2007.</b>"
        );
    }

    #[test]
    fn json_is_filtered_at_any_depth() {
        let mut value = json!({"record": [1], "a": ["It rose in 2019.", 2019], "b": "{\"c\":\"As of 2021-01-01\"}", "d": "2008-07-03", "e": "2019-07-03"});
        filter_json(&mut value, DAY);
        assert_eq!(
            value,
            json!({"a": ["", 2019], "b": "{\"c\":\"\"}", "d": "2008-07-03", "e": ""})
        );
    }
}
