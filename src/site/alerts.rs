//! Alerts: the crossings of a condition as an Atom feed (RFC 4287) and as an iCalendar (RFC 5545).

use super::calendar::{all_day, new_calendar, new_event, render_calendar};
use super::prelude::*;
use super::scenarios::scenario_condition;
use crate::alerts::{Alert, MAX_ALERTS, id, sources};
use econoscope_answers::conditions::{Crossings, crossings};
use econoscope_desk::Settings;
use econoscope_desk::texts::scenarios::Scenario;
use icalendar::Component;

#[derive(Template)]
#[template(path = "alerts.html")]
struct Page {
    frame: Frame,
    /// The condition as typed.
    condition: String,
    /// Why the condition cannot be shown; empty otherwise.
    problem: String,
    /// The crossings, and the newest of them.
    found: Option<(Crossings, Vec<Alert>)>,
    /// Titles and conditions of scenarios.
    examples: Vec<(String, String)>,
}

/// Describes how often a condition was crossed: "Crossed 14 times since January 1976; not met now."
fn describe(crossings: &Crossings) -> String {
    let times = match crossings.crossings.len() {
        0 => "Never crossed".to_owned(),
        1 => "Crossed once".to_owned(),
        count => format!("Crossed {count} times"),
    };
    let since = crossings.range.map_or_else(String::new, |(first, last)| {
        let [first, last] = [first, last].map(|day| period(day, crossings.frequency));
        format!(" from {first} to {last}")
    });
    let state = if crossings.met { "met" } else { "not met" };
    format!("{times}{since}; {state} now.")
}

/// Arguments of the page: a condition, or the parts of one that compares a series with a number.
pub(super) const ARGUMENTS: [&str; 4] = ["condition", "series", "side", "level"];

/// Returns the condition of a request; empty without one.
fn condition(request: &PageRequest) -> String {
    let [whole, series, side, level] = ARGUMENTS.map(|name| request.form_value(name));
    if whole.is_empty() && !series.is_empty() && !level.is_empty() {
        let operator = if side.is_empty() { ">" } else { side };
        return format!("{series} {operator} {level}");
    }
    whole.to_owned()
}

/// Renders the page of a condition, or examples.
///
/// # Errors
/// Any error of the store.
pub(super) fn page(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let condition = condition(request);
    let example =
        |scenario: &Scenario| Some((scenario.title.clone(), scenario_condition(scenario)?));
    let mut page = Page {
        frame: Frame::of(desk, "/alerts"),
        condition,
        problem: String::new(),
        found: None,
        examples: desk.scenarios().into_iter().filter_map(example).collect(),
    };
    if page.condition.is_empty() {
        return render_page(&page);
    }
    match crossings(desk, &page.condition) {
        Ok(crossings) => {
            let alerts = alerts(desk, &crossings)?;
            page.found = Some((crossings, alerts));
            render_page(&page)
        }
        Err(error) if error.code() == "internal" => Err(error),
        Err(error) => {
            page.problem = error.to_string();
            Ok(render_page(&page)?.with_error(&error))
        }
    }
}

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
        let [id, title, text] = [&*alert.id, &alert.title, &alert.description];
        let mut event = new_event(id, title, text, &stamp, &alert.page);
        calendar.push(event.append_property(all_day(alert.known_on)).done());
    }
    Ok(render_calendar(&calendar))
}

/// Returns the newest alerts, the latest first.
fn alerts(desk: &Desk, crossings: &Crossings) -> Result<Vec<Alert>> {
    let newest = crossings.crossings.iter().rev().take(MAX_ALERTS);
    let alert = |crossing| Alert::new(desk, crossings, crossing);
    newest.map(alert).collect()
}
