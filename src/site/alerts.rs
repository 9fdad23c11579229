//! Alerts: each crossing of a condition as an entry of an Atom feed (RFC 4287) and of a calendar (RFC 5545).

use super::asked::PageRequest;
use super::calendar;
use super::document::Document;
use super::questions::Answers;
use super::text::encoded;
use crate::alerts::{Alert, MAX_ALERTS, id, sources};
use askama::Template;
use econoscope_answers::endpoints::condition::{Crossings, crossings};
use econoscope_core::error::Result;
use econoscope_core::model::Date;
use econoscope_data::desk::Desk;
use icalendar::{Component, Event, Property};

/// What a feed is told.
pub(super) const ARGUMENTS: [&str; 1] = ["condition"];

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
    entries: Vec<Alert>,
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
            .description(&entry.description)
            .append_property(("DTSTAMP", format!("{day}T000000Z").as_str()))
            .append_property(("TRANSP", "TRANSPARENT"))
            .append_property(("URL", entry.page.as_str()))
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
fn entries(desk: &Desk, found: &Crossings) -> Vec<Alert> {
    let newest = found.all.iter().rev().take(MAX_ALERTS);
    newest
        .map(|crossing| Alert::new(desk, found, crossing))
        .collect()
}
