//! A figure to cite: one sentence, and a permanent address that says which figure is meant and what it was.
//!
//! The address names series, period, transformation, the day as of which the figure was known, and the figure itself.
//! Each time it is opened the figure is computed again as of that day and compared with the one in the address. A later
//! sync dates what it brings by its own day and so changes no earlier day; archives of vintages loaded later tell more of
//! a past day, and another program may compute otherwise. Then the page says so.

use super::asked::PageRequest;
use super::document::Document;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::text::{digest, encoded, in_words, plain};
use super::{assets, charts, view};
use askama::Template;
use econoscope_answers::endpoints::days::parse_as_of;
use econoscope_answers::endpoints::time_series::{self, TimeSeriesAnswer};
use econoscope_core::error::{Error, Result};
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date, Frequency, Observation, SeriesInfo, untrusted};
use econoscope_data::desk::Desk;
use jiff::ToSpan;
use jiff::tz::TimeZone;
use serde_json::json;
use std::sync::Arc;

/// What a citation is told: which figure, as known when, what it was, and whether a program asks.
pub(super) const ARGUMENTS: [&str; 8] = [
    "date",
    "start",
    "end",
    "units",
    "frequency",
    "as_of",
    "check",
    "format",
];

/// Most characters of a title.
const TITLE: usize = 200;

#[derive(Template)]
#[template(path = "cite.html")]
struct Page {
    frame: Frame,
    id: String,
    title: String,
    /// The period, or the first and the last.
    period: String,
    /// The figure, or how many.
    value: String,
    unit: String,
    as_of: Date,
    sentence: String,
    /// The permanent address.
    address: String,
    /// What the record says of the figure in the address; `None` where the address has none.
    agrees: Option<bool>,
    /// The figure that the address has.
    cited: String,
    /// What kind of knowledge the figure is.
    knowledge: String,
    notices: String,
    notes: Vec<(String, String)>,
    /// Whether the day is not over.
    is_today: bool,
}

/// The figures that are meant, as known on a day.
struct Cited {
    answer: TimeSeriesAnswer,
    rows: Vec<Observation>,
    as_of: Date,
}

/// A figure with the address at which it stays.
///
/// # Errors
/// [`Error::NoData`] where no such figure was known; [`Error::NotPermitted`] for one that may not be passed on.
#[expect(
    clippy::too_many_lines,
    reason = "page and JSON name the same dozen facts, each once"
)]
pub(super) fn page(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let info = desk.resolve("series", &asked.name)?;
    desk.permit(&info)?;
    let id = desk.shown_id(&info.id);
    let is_range = !asked.given("start").is_empty() || !asked.given("end").is_empty();
    let Cited {
        answer,
        rows,
        as_of,
    } = cited(desk, asked, (&info, &id), is_range)?;
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return Err(Error::no_data(
            &id,
            "no figure of that period was known on that day",
        ));
    };
    let check = check(&rows, is_range);
    let (start, end) = (first.date.to_string(), last.date.to_string());
    let dates = match is_range {
        true => [("start", &*start), ("end", &*end)],
        false => [("date", &*end), ("end", "")],
    };
    let day = as_of.to_string();
    let rest = ["units", "frequency"].map(|name| (name, asked.given(name)));
    let told = [("as_of", &*day), ("check", &*check)];
    let query = view::query(dates.into_iter().chain(rest).chain(told));
    let path = format!("/cite/{}{query}", encoded(&id));
    let address = format!("{}{path}", desk.settings().home());
    let is_same =
        |name, value: &str| matches!(asked.given(name), "" | "max") || asked.given(name) == value;
    let agrees = asked
        .argument("check")
        .map(|given| given == check && dates.into_iter().all(|(name, value)| is_same(name, value)));
    let frequency = charts::line(&answer, "").frequency;
    let unit = answer.unit_in_words.as_deref().unwrap_or(&answer.unit);
    let (period, value) = match is_range {
        true => (
            format!(
                "{} to {}",
                period(frequency, first.date),
                period(frequency, last.date)
            ),
            format!("{} {} figures", rows.len(), frequency.word()),
        ),
        false => (period(frequency, last.date), plain(last.value)),
    };
    let title = untrusted::name(&info.title, TITLE);
    let source = untrusted::name(&info.source, TITLE);
    let service = &desk.settings().service;
    let figure = match (is_range, unit) {
        (true, unit) => format!("{value}, {unit}"),
        (false, unit) => format!("{value} {unit}"),
    };
    let sentence = format!(
        "{title} ({id}), {period}: {figure}. Source: {source}, as known on {}, from {service}, {address}",
        in_words(as_of)
    );
    let knowledge = answer.provenance.sentence();
    let range = [("start", &*start), ("end", &*end), ("as_of", &*day)];
    let figures = view::query(range.into_iter().chain(rest));
    let figures = format!("/api/public/data/{}{figures}", encoded(&id));
    if asked.given("format") == "json" {
        return Ok(Document::json(&json!({
            "citation": sentence,
            "url": address,
            "seriesId": id,
            "title": title,
            "period": period,
            "start": first.date,
            "end": last.date,
            "count": rows.len(),
            "value": (!is_range).then_some(last.value),
            "unit": unit,
            "as_of": as_of,
            "check": check,
            "agrees": agrees,
            "knowledge": answer.provenance.knowledge,
            "sources": answer.provenance.sources,
            "notes": answer.provenance.notes,
            "data": format!("{}{figures}", desk.settings().home()),
        })));
    }
    let description = format!("{title}, {period}: a figure with its permanent address.");
    let mut frame = Frame::of(
        desk,
        &format!("Cite {title}, {period}"),
        &description,
        &path,
    )?;
    frame.script = assets::path();
    let page = Page {
        cited: asked.given("check").to_owned(),
        unit: unit.to_owned(),
        is_today: as_of == desk.today(),
        notices: answer.provenance.notices(),
        notes: answer.provenance.notes.into_iter().collect(),
        frame,
        id,
        title,
        period,
        value,
        as_of,
        sentence,
        address,
        agrees,
        knowledge,
    };
    html(&page, assets::path())
}

/// What a citation says of itself, with the address of the same for programs.
impl Page {
    fn as_json(&self) -> String {
        format!("{}&format=json", self.address)
    }
}

/// The figures that are meant. Where no day is given: the last whole day on which the same was known.
#[expect(
    clippy::too_many_lines,
    reason = "one search for the day, with the reading that it repeats"
)]
fn cited(
    desk: &Desk,
    asked: &PageRequest,
    (info, id): (&Arc<SeriesInfo>, &str),
    is_range: bool,
) -> Result<Cited> {
    let read = |(start, end): (&str, &str),
                as_of: &str|
     -> Result<(TimeSeriesAnswer, Vec<Observation>)> {
        let given = [
            ("seriesId", id),
            ("start", start),
            ("end", end),
            ("as_of", as_of),
        ];
        let rest = ["units", "frequency"].map(|name| (name, asked.given(name)));
        let answer = time_series::every_row(desk, view::collected(given.into_iter().chain(rest)))?;
        let rows = match is_range {
            true => answer.data.clone(),
            false => answer.data.last().copied().into_iter().collect(),
        };
        Ok((answer, rows))
    };
    let range = match (asked.given("date"), is_range) {
        (_, true) => (asked.given("start"), asked.given("end")),
        ("", false) => ("max", ""),
        (date, false) => (date, date),
    };
    let (answer, rows) = read(range, asked.given("as_of"))?;
    let today = desk.today();
    if !asked.given("as_of").is_empty() {
        let as_of = match parse_as_of(desk, asked.argument("as_of"))? {
            AsOf::Day(day) => day,
            AsOf::Latest => today,
        };
        return Ok(Cited {
            answer,
            rows,
            as_of,
        });
    }
    let days =
        [rows.first(), rows.last()].map(|o| o.map_or_else(String::new, |o| o.date.to_string()));
    let [first, last] = &days;
    // What a sync brings later on the day of the last one counts as known on that day, too.
    let yesterday = shift(today, (-1).days());
    let held = desk.held(&info.id)?;
    let before =
        held.map(|held| shift(held.fetched_at.to_zoned(TimeZone::UTC).date(), (-1).days()));
    for day in before.into_iter().chain([yesterday]) {
        if rows.is_empty() {
            break;
        }
        let as_of = day.min(yesterday);
        match read((first, last), &as_of.to_string()) {
            Ok((answer, then)) if then == rows => {
                return Ok(Cited {
                    answer,
                    rows,
                    as_of,
                });
            }
            Ok(_) | Err(Error::NoData { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Cited {
        answer,
        rows,
        as_of: today,
    })
}

/// Where the figures of a picture are to be cited, as it stands in the picture: "macro.example/cite/UNRATE".
pub(super) fn short(desk: &Desk, id: &str) -> String {
    let home = desk.settings().home();
    let home = home.split_once("://").map_or(home, |(_, rest)| rest);
    format!("{home}/cite/{}", encoded(id))
}

/// What stands in the address for the figures: the figure itself, or a digest of the rows of a range.
fn check(rows: &[Observation], is_range: bool) -> String {
    if let ([only], false) = (rows, is_range) {
        return only.value.to_string();
    }
    let text: String = rows
        .iter()
        .map(|o| format!("{},{}\n", o.date, o.value))
        .collect();
    digest(&text)
}

/// A period as a sentence names it: "August 2026", "20 August 2026".
pub(crate) fn period(frequency: Frequency, date: Date) -> String {
    match frequency == Frequency::Daily {
        true => in_words(date),
        false => frequency.label(date),
    }
}
