//! What comes when: a page of the next weeks, and the same as a calendar to subscribe to (RFC 5545).

use super::asked::PageRequest;
use super::document::Document;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::text::{changed, dashed, in_words, places, readable};
use super::view::query;
use askama::Template;
use econoscope_answers::endpoints::Endpoint;
use econoscope_answers::endpoints::release_calendar::{
    CalendarAnswer, LastPrint, Params, ReleaseEvent, ScheduledFigure, brings,
};
use econoscope_core::error::{Error, Result};
use econoscope_core::format::{Unit, signed};
use econoscope_core::indicators::prose::{capitalised, joined};
use econoscope_core::model::Date;
use econoscope_core::model::calendar::releases;
use econoscope_data::desk::Desk;
use icalendar::{Calendar, Component, Event, EventStatus, Property};
use jiff::tz::TimeZone;
use std::sync::LazyLock;

/// Arguments that the page and the calendar know.
pub(super) const ARGUMENTS: [&str; 2] = ["series", "agency"];

/// Days on the page: every monthly release once.
const PAGE_DAYS: u8 = 35;
/// Days in a calendar that programs subscribe to: every quarterly release once.
const SUBSCRIBED_DAYS: u8 = 100;

/// How often programs look again.
const AGAIN: &str = "PT6H";

/// The zone of release times, by the rule of its law since 2007: programs get instants.
static EASTERN: LazyLock<TimeZone> =
    LazyLock::new(|| TimeZone::posix("EST5EDT,M3.2.0,M11.1.0").unwrap_or(TimeZone::UTC));

/// Agencies as their readers are shown them.
const AGENCIES: [(&str, &str); 6] = [
    ("", "All"),
    ("BLS", "Labor Statistics"),
    ("BEA", "Economic Analysis"),
    ("Census", "Census"),
    ("Fed", "Federal Reserve"),
    ("DOL", "Department of Labor"),
];

#[derive(Template)]
#[template(path = "calendar.html")]
struct Page<'a> {
    frame: Frame,
    asked: &'a PageRequest,
    answer: CalendarAnswer,
    /// Where programs subscribe to the same.
    subscribe: String,
}

/// The next weeks as a page.
///
/// # Errors
/// [`Error::InvalidParam`] for a release or an agency that is not known.
pub(super) fn page(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let description = "When US economic figures come out, what to expect of each, and how much the last ones \
                       surprised.";
    let page = Page {
        answer: read(desk, asked, PAGE_DAYS)?,
        frame: Frame::of(desk, "Release calendar", description, "/calendar")?,
        subscribe: format!(
            "{}/calendar.ics{}",
            desk.settings().home(),
            query(asked.all(&ARGUMENTS))
        ),
        asked,
    };
    html(&page, "")
}

/// The same as a calendar to subscribe to.
///
/// # Errors
/// As [`page`].
pub(super) fn subscription(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let answer = read(desk, asked, SUBSCRIBED_DAYS)?;
    let stamp = instant(desk.today(), "00:00")?;
    let mut calendar = empty(desk, "US economic releases");
    for event in &answer.events {
        let figures = answer
            .figures
            .iter()
            .filter(|f| event.series.contains(&f.series_id));
        calendar.push(entry(desk, event, &figures.collect::<Vec<_>>(), &stamp)?);
    }
    Ok(Document::calendar(calendar.to_string()))
}

/// A calendar without entries.
pub(super) fn empty(desk: &Desk, name: &str) -> Calendar {
    let service = &desk.settings().service;
    let mut calendar = Calendar::empty();
    for (name, value) in [
        ("VERSION", "2.0".to_owned()),
        ("PRODID", format!("-//{service}//Release calendar//EN")),
        ("CALSCALE", "GREGORIAN".to_owned()),
        ("X-PUBLISHED-TTL", AGAIN.to_owned()),
    ] {
        calendar.append_property(Property::new(name, value));
    }
    let again = Property::new("REFRESH-INTERVAL", AGAIN)
        .add_parameter("VALUE", "DURATION")
        .done();
    calendar.append_property(again);
    calendar.name(&format!("{name}, {service}"));
    calendar
}

fn read(desk: &Desk, asked: &PageRequest, days: u8) -> Result<CalendarAnswer> {
    let [series, agency] = ARGUMENTS.map(|name| asked.argument(name));
    Params::local(desk, &Params::of(days, series, agency))
}

/// The releases of each day.
fn days(events: &[ReleaseEvent]) -> impl Iterator<Item = &[ReleaseEvent]> {
    events.chunk_by(|a, b| a.date == b.date)
}

pub(super) fn measure(f: &ScheduledFigure) -> String {
    let measure = f.measure.as_deref().unwrap_or_default();
    let unit = f.unit.as_ref();
    unit.map_or_else(String::new, |unit| {
        format!("{}, {unit}", capitalised(measure))
    })
}

/// A figure as it is printed: changes carry their sign, levels do not.
pub(super) fn figure(f: &ScheduledFigure, value: f64) -> String {
    match f.measure.as_deref() {
        Some("level") | None => unit(f).write(value, digits(value)),
        Some(_) => changed(&unit(f), value, digits(value)),
    }
}

/// Decimals of a figure, at most two: more than that no agency prints.
fn digits(value: f64) -> usize {
    places(value).min(if value.abs() < 10.0 { 2 } else { 1 })
}

fn unit(f: &ScheduledFigure) -> Unit {
    Unit::of(f.unit.as_deref().unwrap_or_default(), "")
}

/// The same without what is counted, and in a small font behind it what is.
pub(super) fn parts(f: &ScheduledFigure, value: f64) -> (String, String) {
    let (level, after) = unit(f).parts(value, digits(value));
    match f.measure.as_deref() {
        Some("level") | None => (level, after),
        Some(_) => (unit(f).change(value, digits(value)), after),
    }
}

/// "+29,000 (+0.3 sd)".
pub(super) fn surprise(f: &ScheduledFigure, print: &LastPrint) -> Option<String> {
    let (surprise, deviations) = print.surprise.zip(print.deviations)?;
    let by = unit(f).change(surprise, digits(surprise));
    Some(format!("{by} ({} sd)", signed(deviations, 1)))
}

/// What the next release can be expected to say: "+43,000 people for October 2026, within 177,000 people in nine of ten cases".
pub(super) fn next(f: &ScheduledFigure) -> String {
    let next = match (&f.next, &f.missing) {
        (Some(e), _) => {
            let within = |by: f64| {
                let by = unit(f).write(by, digits(by));
                format!(", within {by} in nine of ten cases")
            };
            let within = e.p90.map_or_else(String::new, within);
            let notes = e.notes.iter().map(|note| format!("; {note}"));
            let notes: String = notes.collect();
            format!("{} for {}{within}{notes}", figure(f, e.value), e.period)
        }
        (None, Some(why)) => format!("Nothing is expected: {why}"),
        (None, None) => "No formula".to_owned(),
    };
    let caveat = f.caveat.as_ref().map(|c| format!("; {c}"));
    readable(&(next + &caveat.unwrap_or_default()))
}

/// What came last: "September 2026: +29,000 people, published on 2 October 2026; expected +44,000, surprise …".
fn last(f: &ScheduledFigure) -> String {
    dashed(f.last.as_ref(), |print| {
        let told = joined(against(f, print), ", ");
        let told = if told.is_empty() {
            told
        } else {
            format!("; {told}")
        };
        let value = figure(f, print.value);
        readable(&format!("{}: {value}, {}{told}", print.period, came(print)))
    })
}

/// "expected +44,000", "surprise −15,000 (−0.1 sd)"; why there is none.
pub(super) fn against(f: &ScheduledFigure, print: &LastPrint) -> Vec<String> {
    match (&print.expected, surprise(f, print)) {
        (Some(e), Some(surprise)) => vec![
            format!("expected {}", parts(f, e.value).0),
            format!("surprise {surprise}"),
        ],
        _ => print.missing.iter().map(|why| readable(why)).collect(),
    }
}

/// When a figure came out: "published on 2 October 2026", "published by about 2 October 2026".
pub(super) fn came(print: &LastPrint) -> String {
    let on = if print.recorded { "on" } else { "by about" };
    format!("published {on} {}", in_words(print.date))
}

/// "66,300 people on average, under 142,000 people in nine of ten cases".
pub(super) fn revised(f: &ScheduledFigure) -> String {
    dashed(f.usual_revision.as_ref(), |u| {
        let unit = Unit::of(&u.unit, "");
        let [mean, most] = [u.mean_abs, u.p90_abs].map(|by| unit.write(by, digits(by)));
        format!("{mean} on average, under {most} in nine of ten cases")
    })
}

/// A release as an entry that stays the same entry when its day moves.
fn entry(
    desk: &Desk,
    event: &ReleaseEvent,
    figures: &[&ScheduledFigure],
    stamp: &str,
) -> Result<Event> {
    let mut entry = Event::with_uid(&format!("{}-{}@econoscope", event.release, event.period));
    let around = event.between.map_or_else(String::new, |[first, last]| {
        format!("; {first} to {last} by past releases")
    });
    let is_announced = event.basis != "rule";
    let mut about = match is_announced {
        true => format!(
            "{} of {}: {}. {}.",
            event.name, event.period, event.rule, event.agency
        ),
        false => format!(
            "Expected by rule, not announced: {}{around}. Figures of {}. {}.",
            event.rule, event.period, event.agency
        ),
    };
    for f in figures
        .iter()
        .filter(|f| f.next.as_ref().is_some_and(|e| e.period == event.period))
    {
        let (measure, next) = (measure(f), next(f));
        about += &format!("\n{} ({}), {measure}: {next}", f.name, f.series_id);
    }
    entry
        .summary(&match is_announced {
            true => event.name.clone(),
            false => format!("{}, {} (expected)", event.name, event.period),
        })
        // Lines are folded by bytes: a sign of three would be torn.
        .description(&about.replace('−', "-"))
        .status(match is_announced {
            true => EventStatus::Confirmed,
            false => EventStatus::Tentative,
        })
        .append_property(("DTSTAMP", stamp))
        .append_property(("TRANSP", "TRANSPARENT"))
        .append_property((
            "URL",
            desk.settings()
                .address("/calendar", "macro://calendar")
                .as_str(),
        ));
    if event.time.is_empty() {
        // A meeting without a known hour takes its whole day.
        entry.append_property(
            Property::new("DTSTART", event.date.strftime("%Y%m%d").to_string())
                .add_parameter("VALUE", "DATE")
                .done(),
        );
    } else {
        entry
            .append_property(("DTSTART", instant(event.date, &event.time)?.as_str()))
            .append_property(("DURATION", "PT15M"));
    }
    Ok(entry)
}

/// A day and time of the zone as an instant: 20261204T133000Z.
fn instant(day: Date, time: &str) -> Result<String> {
    let at: jiff::civil::Time = time
        .parse()
        .map_err(|e| Error::internal("reading a time of release", e))?;
    let zoned = day.to_datetime(at).to_zoned(EASTERN.clone());
    let zoned = zoned.map_err(|e| Error::internal("placing a time of release", e))?;
    let utc = zoned.timestamp().to_zoned(TimeZone::UTC);
    Ok(utc.strftime("%Y%m%dT%H%M%SZ").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn times_are_those_of_new_york_all_the_year() {
        let at = |day| instant(day, "08:30").unwrap();
        assert_eq!(at(date(2026, 12, 4)), "20261204T133000Z");
        assert_eq!(at(date(2026, 7, 2)), "20260702T123000Z");
        // Clocks change on 14 March and 7 November 2027.
        assert_eq!(at(date(2027, 3, 12)), "20270312T133000Z");
        assert_eq!(at(date(2027, 3, 15)), "20270315T123000Z");
        assert_eq!(at(date(2027, 11, 8)), "20271108T133000Z");
    }
}
