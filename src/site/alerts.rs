//! Alerts: the crossings of a condition as an Atom feed (RFC 4287) and as an iCalendar (RFC 5545).

use super::calendar::{all_day, new_calendar, new_event, render_calendar};
use super::frame::render;
use super::prelude::*;
use super::text::encode_segment;
use crate::alerts::{Alert, MAX_ALERTS, id, sources};
use econoscope_answers::conditions::{Crossings, crossings};
use econoscope_core::model::Date;
use econoscope_desk::Settings;
use icalendar::Component;

#[derive(Template)]
#[template(path = "alerts.atom", escape = "html")]
struct Feed<'a> {
    settings: &'a Settings,
    crossings: &'a Crossings,
    updated: Date,
    alerts: Vec<Alert>,
}

/// Renders the feed.
///
/// # Errors
/// Any error of the condition.
pub(super) fn feed(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let crossings = crossings(desk, request.form_value("condition"))?;
    let alerts = alerts(desk, &crossings)?;
    let newest = alerts.iter().map(|alert| alert.known_on).max();
    let text = render(&Feed {
        settings: desk.settings(),
        crossings: &crossings,
        updated: newest.unwrap_or(jiff::civil::date(1970, 1, 1)),
        alerts,
    })?;
    Ok(Document::data("application/atom+xml; charset=utf-8", text))
}

/// Renders the calendar. Each crossing takes the day on which its figure was published.
///
/// # Errors
/// As [`feed`].
pub(super) fn calendar(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let crossings = crossings(desk, request.form_value("condition"))?;
    let mut calendar = new_calendar(desk, &crossings.condition);
    for alert in alerts(desk, &crossings)? {
        let stamp = alert.known_on.strftime("%Y%m%dT000000Z").to_string();
        let id = &alert.id;
        let title = &alert.title;
        let description = &alert.description;
        let mut event = new_event(id, title, description, &stamp, &alert.page);
        calendar.push(event.append_property(all_day(alert.known_on)).done());
    }
    Ok(render_calendar(&calendar))
}

/// Returns the newest alerts, the latest first.
fn alerts(desk: &Desk, crossings: &Crossings) -> Result<Vec<Alert>> {
    let newest = crossings.crossings.iter().rev().take(MAX_ALERTS);
    newest
        .map(|crossing| Alert::new(desk, crossings, crossing))
        .collect()
}
