//! Alerts: each crossing of a condition as an entry of an Atom feed (RFC 4287) and of a calendar (RFC 5545).
//!
//! A crossing is one entry. Its identifier is made of the condition and the day of the figure that crossed, so that it is
//! the same after every sync that does not move that day.

use super::asked::PageRequest;
use super::calendar;
use super::document::Document;
use super::questions::Answers;
use super::text::{digest, encoded};
use askama::Template;
use econoscope_answers::endpoints::condition::{Crossing, Crossings, crossings};
use econoscope_core::error::Result;
use econoscope_core::format::period;
use econoscope_core::model::{Date, untrusted};
use econoscope_data::desk::Desk;
use icalendar::{Component, Event, Property};
use std::collections::BTreeSet;

/// What a feed is told.
pub(super) const ARGUMENTS: [&str; 1] = ["condition"];

/// Most entries: the newest.
const MAX_ENTRIES: usize = 50;
/// Most characters of a source's name.
const MAX_SOURCE: usize = 200;

#[derive(Template)]
#[template(path = "alerts.atom", escape = "html")]
struct Feed {
    condition: String,
    service: String,
    base: String,
    /// The query that names the condition.
    query: String,
    id: String,
    sources: String,
    updated: Date,
    entries: Vec<Entry>,
}

struct Entry {
    id: String,
    date: Date,
    title: String,
    told: String,
    /// The chart around the day.
    link: String,
}

/// The crossings of a condition as a feed.
///
/// # Errors
/// What the condition's evaluation says.
pub(super) fn feed(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let found = crossings(desk, asked.given("condition"))?;
    let entries = entries(desk, &found);
    let feed = Feed {
        service: desk.settings().service.clone(),
        base: desk.settings().home().to_owned(),
        query: format!("condition={}", encoded(&found.condition)),
        id: id(&found.condition, "feed"),
        sources: sources(&found),
        updated: entries
            .first()
            .map_or(jiff::civil::date(1970, 1, 1), |e| e.date),
        condition: found.condition,
        entries,
    };
    let text = feed.render();
    let text = text.map_err(|e| econoscope_core::Error::internal("rendering a feed", e))?;
    Ok(Document::feed(text))
}

/// The same as a calendar, each crossing a day.
///
/// # Errors
/// As [`feed`].
pub(super) fn calendar(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let found = crossings(desk, asked.given("condition"))?;
    let mut calendar = calendar::empty(desk, &found.condition);
    for entry in entries(desk, &found) {
        let day = entry.date.strftime("%Y%m%d").to_string();
        let mut event = Event::with_uid(&entry.id);
        event
            .summary(&entry.title)
            .description(&entry.told)
            .append_property(("DTSTAMP", format!("{day}T000000Z").as_str()))
            .append_property(("TRANSP", "TRANSPARENT"))
            .append_property(("URL", entry.link.as_str()))
            .append_property(
                Property::new("DTSTART", &day)
                    .add_parameter("VALUE", "DATE")
                    .done(),
            );
        calendar.push(event);
    }
    Ok(Document::calendar(calendar.to_string()))
}

/// The newest crossings first.
fn entries(desk: &Desk, found: &Crossings) -> Vec<Entry> {
    let newest = found.all.iter().rev().take(MAX_ENTRIES);
    newest
        .map(|crossing| entry(desk, found, crossing))
        .collect()
}

fn entry(desk: &Desk, found: &Crossings, crossing: &Crossing) -> Entry {
    let (condition, date) = (&found.condition, crossing.date);
    let period = period(date, found.frequency);
    let (says, meets) = match crossing.met {
        true => ("met", "meets"),
        false => ("no longer met", "no longer meets"),
    };
    let names: Vec<String> = found
        .series
        .iter()
        .map(|info| desk.shown_id(&info.id))
        .collect();
    let end = desk.today();
    let view = match names.as_slice() {
        [only] => format!(
            "/series/{}?start={}&end={end}",
            encoded(only),
            date.first_of_year()
        ),
        many => format!("/compare?series={}", encoded(&many.join(","))),
    };
    Entry {
        id: id(condition, &date.to_string()),
        date,
        title: format!("{condition}: {says} since {period}"),
        told: format!(
            "The {} figure for {period} {meets} the condition {condition}. Figures as last revised. {}",
            found.frequency.word(),
            sources(found)
        ),
        link: format!("{}{view}", desk.settings().home()),
    }
}

/// Who measures what the condition is about.
fn sources(found: &Crossings) -> String {
    let names = found
        .series
        .iter()
        .map(|info| untrusted::name(&info.source, MAX_SOURCE));
    let mut seen = BTreeSet::new();
    let names: Vec<String> = names.filter(|name| seen.insert(name.clone())).collect();
    format!("Source: {}.", names.join(", "))
}

/// An identifier that is the same as long as condition and day are.
fn id(condition: &str, what: &str) -> String {
    let plain: String = condition.chars().filter(|c| !c.is_whitespace()).collect();
    let short = digest(&plain.to_ascii_uppercase());
    format!("urn:econoscope:alert:{short}:{what}")
}
