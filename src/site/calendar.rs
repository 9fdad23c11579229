//! The release calendar: a page of the coming weeks, and an iCalendar (RFC 5545) to subscribe to.

use super::prelude::*;
use super::text::value_decimals;
use econoscope_answers::Endpoint;
use econoscope_answers::endpoints::release_calendar::{
    ANNOUNCED, CalendarAnswer, LastPrint, Params, ReleaseEvent, ScheduledFigure, describe_content,
};
use econoscope_core::format::{Unit, signed};
use econoscope_core::model::calendar::{eastern, releases};
use icalendar::{Calendar, Component, Event, EventStatus, Property};
use jiff::tz::TimeZone;

/// Arguments of the page and of the iCalendar.
pub(super) const ARGUMENTS: [&str; 2] = ["series", "agency"];

/// Days on the page: enough for every monthly release.
const PAGE_DAYS: u8 = 35;
/// Days in the iCalendar: enough for every quarterly release.
const SUBSCRIPTION_DAYS: u8 = 100;

/// How often calendar programs refresh, as an ISO 8601 duration.
const REFRESH_INTERVAL: &str = "PT6H";

#[derive(Template)]
#[template(path = "calendar.html")]
struct Page<'a> {
    frame: Frame,
    request: &'a PageRequest,
    answer: CalendarAnswer,
    /// Address of the iCalendar.
    subscription: String,
}

/// Renders the page.
///
/// # Errors
/// [`Error::InvalidParam`] for an unknown release or agency.
pub(super) fn page(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let query = query_string(request.form_values(&ARGUMENTS));
    render_page(&Page {
        answer: fetch(desk, request, PAGE_DAYS)?,
        frame: Frame::of(desk, "/calendar"),
        subscription: format!("{}/calendar.ics{query}", desk.settings().home()),
        request,
    })
}

/// Renders the iCalendar.
///
/// # Errors
/// As [`page`].
pub(super) fn subscription(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let answer = fetch(desk, request, SUBSCRIPTION_DAYS)?;
    let stamp = format_instant(desk.today(), "00:00")?;
    let mut calendar = new_calendar(desk, "US economic releases");
    for event in &answer.events {
        calendar.push(calendar_event(desk, event, &answer.figures, &stamp)?);
    }
    Ok(render_calendar(&calendar))
}

/// Creates an iCalendar without events.
pub(super) fn new_calendar(desk: &Desk, name: &str) -> Calendar {
    let service = &desk.settings().service;
    let product = format!("-//{service}//Release calendar//EN");
    let mut refresh = Property::new("REFRESH-INTERVAL", REFRESH_INTERVAL);
    refresh.add_parameter("VALUE", "DURATION");
    // The library escapes text values (RFC 5545, 3.3.11) of summaries and descriptions alone.
    let escape = |c: char| match c {
        '\\' | ',' | ';' => format!("\\{c}"),
        c => c.to_string(),
    };
    let title: String = format!("{name}, {service}").chars().map(escape).collect();
    let mut calendar = Calendar::empty();
    calendar
        .append_property(("VERSION", "2.0"))
        .append_property(("PRODID", product.as_str()))
        .append_property(("CALSCALE", "GREGORIAN"))
        .append_property(("X-PUBLISHED-TTL", REFRESH_INTERVAL))
        .append_property(refresh)
        .name(&title);
    calendar
}

/// Creates an event that leaves its reader available, without a start. `stamp` is an instant as of [`format_instant`].
pub(super) fn new_event(
    id: &str,
    title: &str,
    description: &str,
    stamp: &str,
    page: &str,
) -> Event {
    let mut event = Event::with_uid(id);
    event
        .summary(title)
        .description(description)
        .append_property(("DTSTAMP", stamp))
        .append_property(("TRANSP", "TRANSPARENT"))
        .append_property(("URL", page));
    event
}

/// Creates the property for the start of an event that takes its whole day.
pub(super) fn all_day(date: Date) -> Property {
    let mut start = Property::new("DTSTART", date.strftime("%Y%m%d").to_string());
    start.add_parameter("VALUE", "DATE").done()
}

pub(super) fn render_calendar(calendar: &Calendar) -> Document {
    Document::data("text/calendar; charset=utf-8", calendar.to_string())
}

fn fetch(desk: &Desk, request: &PageRequest, days: u8) -> Result<CalendarAnswer> {
    let [series, agency] = ARGUMENTS.map(|name| request.argument(name));
    Params::local(desk, &Params::new(days, series, agency))
}

/// Groups events by day.
fn events_by_day(events: &[ReleaseEvent]) -> impl Iterator<Item = &[ReleaseEvent]> {
    events.chunk_by(|a, b| a.date == b.date)
}

/// Formats measure and unit of a figure: "Change, people".
pub(super) fn format_measure(figure: &ScheduledFigure) -> String {
    let measure = figure.measure.as_deref().unwrap_or_default();
    // Differences of logarithms in percent; the page of methods says so.
    let measure = match measure.split_once(", log") {
        Some((change, _)) => format!("percent {change}"),
        None => measure.to_owned(),
    };
    match figure.unit.as_deref() {
        None => String::new(),
        Some("%") if measure.starts_with("percent") => capitalize(&measure),
        Some(unit) => format!("{}, {unit}", capitalize(&measure)),
    }
}

/// Formats a value of a figure with its unit. A change has a sign, a level has none.
pub(super) fn format_value(figure: &ScheduledFigure, value: f64) -> String {
    let (value, unit) = format_parts(figure, value);
    format!("{value} {unit}").trim_end().to_owned()
}

pub(super) fn is_level(figure: &ScheduledFigure) -> bool {
    matches!(figure.measure.as_deref(), Some("level") | None)
}

/// Returns the decimals of a value, at most two, as agencies print.
fn decimals(value: f64) -> usize {
    value_decimals(value).min(if value.abs() < 10.0 { 2 } else { 1 })
}

fn unit(figure: &ScheduledFigure) -> Unit {
    Unit::parse(figure.unit.as_deref().unwrap_or_default(), "")
}

/// Formats a value as number and unit.
pub(super) fn format_parts(figure: &ScheduledFigure, value: f64) -> (String, String) {
    let (level, after) = unit(figure).format_parts(value, decimals(value));
    if is_level(figure) {
        return (level, after);
    }
    (unit(figure).format_change(value, decimals(value)), after)
}

/// Formats a surprise with its size in standard deviations: "+29,000 (+0.3 sd)".
pub(super) fn format_surprise(figure: &ScheduledFigure, print: &LastPrint) -> Option<String> {
    let (surprise, deviations) = print.surprise.zip(print.deviations)?;
    let surprise = unit(figure).format_change(surprise, decimals(surprise));
    Some(format!("{surprise} ({} sd)", signed(deviations, 1)))
}

/// Describes the expectation for the next release: "+43,000 people for October 2026, within 177,000 people in nine of ten
/// cases".
pub(super) fn describe_next(figure: &ScheduledFigure) -> String {
    let next = match (&figure.next, &figure.missing) {
        (Some(e), _) => {
            let interval = e.p90.map_or_else(String::new, |p90| {
                let p90 = unit(figure).write(p90, decimals(p90));
                format!(", within {p90} in nine of ten cases")
            });
            let notes: String = e.notes.iter().map(|note| format!("; {note}")).collect();
            let value = format_value(figure, e.value);
            format!("{value} for {}{interval}{notes}", e.period)
        }
        (None, Some(reason)) => format!("Nothing is expected: {reason}"),
        (None, None) => "No expectation: no formula is published for this figure".to_owned(),
    };
    let caveat = figure.caveat.as_deref().unwrap_or_default();
    format_dates(&(next + &enclosed("; ", caveat, "")))
}

/// Describes the last release: "September 2026: +29,000 people, published on 2 October 2026; expected +44,000, surprise …".
fn describe_last(figure: &ScheduledFigure) -> String {
    format_or_dash(figure.last.as_ref(), |print| {
        let value = format_value(figure, print.value);
        let text = format!("{}: {value}, {}", print.period, describe_publication(print));
        let surprise = join(describe_surprise(figure, print), ", ");
        format_dates(&(text + &enclosed("; ", &surprise, "")))
    })
}

/// Describes expectation and surprise of a print: "expected +44,000" and "surprise −15,000 (−0.1 sd)", or the reason why
/// there is none.
pub(super) fn describe_surprise(figure: &ScheduledFigure, print: &LastPrint) -> Vec<String> {
    match (&print.expected, format_surprise(figure, print)) {
        (Some(e), Some(surprise)) => vec![
            format!("expected {}", format_parts(figure, e.value).0),
            format!("surprise {surprise}"),
        ],
        _ => Vec::from_iter(print.missing.as_deref().map(format_dates)),
    }
}

/// Describes the day of a print: "published on 2 October 2026", or "published by about" an estimated day.
pub(super) fn describe_publication(print: &LastPrint) -> String {
    let on = if print.recorded { "on" } else { "by about" };
    format!("published {on} {}", format_day(print.date))
}

/// Describes usual revisions: "66,300 people on average, at most 142,000 people in nine of ten cases".
pub(super) fn describe_revisions(figure: &ScheduledFigure) -> String {
    format_or_dash(figure.usual_revision.as_ref(), |usual| {
        let unit = Unit::parse(&usual.unit, "");
        let [mean, p90] = [usual.mean_abs, usual.p90_abs].map(|v| unit.write(v, decimals(v)));
        format!("{mean} on average, at most {p90} in nine of ten cases")
    })
}

/// Builds the event of a release. Its identifier stays the same when its day moves.
fn calendar_event(
    desk: &Desk,
    release: &ReleaseEvent,
    figures: &[ScheduledFigure],
    stamp: &str,
) -> Result<Event> {
    let ReleaseEvent {
        name,
        period,
        rule,
        agency,
        ..
    } = release;
    let mut status = EventStatus::Confirmed;
    let mut summary = name.clone();
    let mut description = format!("{name} of {period}: {rule}. {agency}.");
    if release.basis != ANNOUNCED {
        let range = release.between.map_or_else(String::new, |[first, last]| {
            format!("; {first} to {last} by past releases")
        });
        status = EventStatus::Tentative;
        summary += &format!(", {period} (expected)");
        description = format!(
            "Expected by rule, not announced: {rule}{range}. Figures of {period}. {agency}."
        );
    }
    let is_due = |f: &&ScheduledFigure| f.next.as_ref().is_some_and(|e| e.period == *period);
    let is_own = |f: &&ScheduledFigure| release.series.contains(&f.series_id);
    for figure in figures.iter().filter(is_own).filter(is_due) {
        let name = &figure.name;
        let id = &figure.series_id;
        let measure = format_measure(figure);
        let next = describe_next(figure);
        description += &format!("\n{name} ({id}), {measure}: {next}");
    }
    let page = desk.settings().address("/calendar", "calendar");
    let id = format!("{}-{period}@econoscope", release.release);
    // Lines are folded by bytes, which would split a minus sign of three bytes.
    let ascii_description = description.replace('−', "-");
    let mut event = new_event(&id, &summary, &ascii_description, stamp, &page);
    event.status(status);
    if release.time.is_empty() {
        event.append_property(all_day(release.date));
    } else {
        let start = format_instant(release.date, &release.time)?;
        event
            .append_property(("DTSTART", start.as_str()))
            .append_property(("DURATION", "PT15M"));
    }
    Ok(event)
}

/// Formats an Eastern time of a day as an instant: 20261204T133000Z.
fn format_instant(day: Date, time: &str) -> Result<String> {
    let fault = |e| Error::internal("converting the time of a release to UTC", e);
    let clock_time: jiff::civil::Time = time
        .parse()
        .map_err(|e| Error::internal("parsing the time of a release", e))?;
    let local = day.to_datetime(clock_time);
    let zoned = local.to_zoned(eastern()).map_err(fault)?;
    let utc = zoned.timestamp().to_zoned(TimeZone::UTC);
    Ok(utc.strftime("%Y%m%dT%H%M%SZ").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn release_times_follow_daylight_saving_in_new_york() {
        let at = |day| format_instant(day, "08:30").unwrap();
        assert_eq!(at(date(2026, 12, 4)), "20261204T133000Z");
        assert_eq!(at(date(2026, 7, 2)), "20260702T123000Z");
        // Clocks change on 14 March and 7 November 2027.
        assert_eq!(at(date(2027, 3, 12)), "20270312T133000Z");
        assert_eq!(at(date(2027, 3, 15)), "20270315T123000Z");
        assert_eq!(at(date(2027, 11, 8)), "20271108T133000Z");
    }
}
