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
use super::text::{digest, encoded, in_words, plain, readable};
use super::{assets, charts, view};
use askama::Template;
use econoscope_answers::endpoints::days::parse_as_of;
use econoscope_answers::endpoints::time_series::{self, TimeSeriesAnswer};
use econoscope_core::error::{Error, Result};
use econoscope_core::format::period;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date, Observation, SeriesInfo, untrusted};
use econoscope_data::desk::Desk;
use jiff::ToSpan;
use jiff::tz::TimeZone;
use serde_json::json;

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
pub(super) fn page(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let info = desk.resolve("series", &asked.name)?;
    desk.permit(&info)?;
    let request = Request {
        desk,
        asked,
        id: desk.shown_id(&info.id),
        is_range: !asked.given("start").is_empty() || !asked.given("end").is_empty(),
    };
    let citation = Citation::of(&request, &info, request.cited(&info)?)?;
    match asked.given("format") {
        "json" => Ok(citation.json(&request)),
        _ => citation.page(&request),
    }
}

/// What is to be cited.
struct Request<'a> {
    desk: &'a Desk,
    asked: &'a PageRequest,
    id: String,
    is_range: bool,
}

/// A figure, or those of a range, with what is said of it.
struct Citation {
    cited: Cited,
    title: String,
    first: Date,
    last: Observation,
    period: String,
    /// The figure, or how many.
    value: String,
    /// Path and query of the permanent address.
    path: String,
    address: String,
    check: String,
    agrees: Option<bool>,
    sentence: String,
}

impl Citation {
    /// What is said of some figures.
    ///
    /// # Errors
    /// [`Error::NoData`] where there is none.
    fn of(request: &Request, info: &SeriesInfo, cited: Cited) -> Result<Self> {
        let Request { desk, id, .. } = request;
        let (Some(first), Some(last)) = (cited.rows.first(), cited.rows.last()) else {
            return Err(Error::no_data(
                id,
                "no figure of that period was known on that day",
            ));
        };
        let (first, last) = (first.date, *last);
        let (path, check, agrees) = request.address(&cited, (first, last.date));
        let address = format!("{}{path}", desk.settings().home());
        let frequency = charts::line(&cited.answer, "").frequency;
        let (period, value) = match request.is_range {
            true => (
                format!(
                    "{} to {}",
                    period(first, frequency),
                    period(last.date, frequency)
                ),
                format!("{} {} figures", cited.rows.len(), frequency.word()),
            ),
            false => (period(last.date, frequency), plain(last.value)),
        };
        let between = if request.is_range { ", " } else { " " };
        let title = untrusted::name(&info.title, TITLE);
        let sentence = format!(
            "{title} ({id}), {period}: {value}{between}{}. Source: {}, as known on {}, from {}, {address}",
            in_full(cited.unit()),
            untrusted::name(&info.source, TITLE),
            in_words(cited.as_of),
            desk.settings().service
        );
        Ok(Self {
            cited,
            title,
            first,
            last,
            period,
            value,
            path,
            address,
            check,
            agrees,
            sentence,
        })
    }

    /// The citation for programs.
    fn json(self, request: &Request) -> Document {
        let Cited {
            answer,
            rows,
            as_of,
        } = &self.cited;
        let [start, end, day] = [self.first, self.last.date, *as_of].map(|day| day.to_string());
        let range = [("start", &*start), ("end", &*end), ("as_of", &*day)];
        let query = view::query(range.into_iter().chain(request.rest()));
        let home = request.desk.settings().home();
        Document::json(&json!({
            "citation": self.sentence,
            "url": self.address,
            "seriesId": request.id,
            "title": self.title,
            "period": self.period,
            "start": self.first,
            "end": self.last.date,
            "count": rows.len(),
            "value": (!request.is_range).then_some(self.last.value),
            "unit": self.cited.unit(),
            "as_of": as_of,
            "check": self.check,
            "agrees": self.agrees,
            "knowledge": answer.provenance.knowledge,
            "sources": answer.provenance.sources,
            "notes": answer.provenance.notes,
            "data": format!("{home}/api/public/data/{}{query}", encoded(&request.id)),
        }))
    }

    /// The citation for readers.
    fn page(self, request: &Request) -> Result<Document> {
        let (desk, title, period) = (request.desk, self.title, self.period);
        let description = format!("{title}, {period}: a figure with its permanent address.");
        let heading = format!("Cite {title}, {period}");
        let mut frame = Frame::of(desk, &heading, &description, &self.path)?;
        frame.script = assets::path();
        let unit = in_full(self.cited.unit());
        let Cited { answer, as_of, .. } = self.cited;
        let page = Page {
            frame,
            id: request.id.clone(),
            title,
            period,
            value: self.value,
            unit,
            as_of,
            sentence: self.sentence,
            address: self.address,
            agrees: self.agrees,
            cited: request.asked.given("check").to_owned(),
            knowledge: answer.provenance.sentence(),
            notices: answer.provenance.notices(),
            notes: answer.provenance.notes.into_iter().collect(),
            is_today: as_of == desk.today(),
        };
        html(&page, assets::path())
    }
}

/// What a citation says of itself, with the address of the same for programs.
impl Page {
    fn as_json(&self) -> String {
        format!("{}&format=json", self.address)
    }
}

impl Cited {
    fn unit(&self) -> &str {
        let words = self.answer.unit_in_words.as_deref();
        words.unwrap_or(&self.answer.unit)
    }
}

impl Request<'_> {
    /// The transformation.
    fn rest(&self) -> [(&str, &str); 2] {
        ["units", "frequency"].map(|name| (name, self.asked.given(name)))
    }

    /// Path and query of the permanent address, what stands in it for the figures, and whether the address that was asked
    /// for has the same; `None` where it has none.
    fn address(
        &self,
        cited: &Cited,
        (first, last): (Date, Date),
    ) -> (String, String, Option<bool>) {
        let check = check(&cited.rows, self.is_range);
        let [start, end, day] = [first, last, cited.as_of].map(|day| day.to_string());
        let dates = match self.is_range {
            true => [("start", &*start), ("end", &*end)],
            false => [("date", &*end), ("end", "")],
        };
        let told = [("as_of", &*day), ("check", &*check)];
        let query = view::query(dates.into_iter().chain(self.rest()).chain(told));
        let is_same = |(name, value): (&str, &str)| {
            matches!(self.asked.given(name), "" | "max") || self.asked.given(name) == value
        };
        let agrees = self.asked.argument("check");
        let agrees = agrees.map(|given| given == check && dates.into_iter().all(is_same));
        (format!("/cite/{}{query}", encoded(&self.id)), check, agrees)
    }

    /// The figures from one day to another as known on a day: all of a range, else the last.
    fn read(&self, (start, end): (&str, &str), as_of: &str) -> Result<Cited> {
        let given = [
            ("seriesId", &*self.id),
            ("start", start),
            ("end", end),
            ("as_of", as_of),
        ];
        let arguments = view::collected(given.into_iter().chain(self.rest()));
        let answer = time_series::every_row(self.desk, arguments)?;
        let rows = match self.is_range {
            true => answer.data.clone(),
            false => answer.data.last().copied().into_iter().collect(),
        };
        let as_of = match as_of {
            "" => AsOf::Latest,
            day => parse_as_of(self.desk, Some(day))?,
        };
        Ok(Cited {
            answer,
            rows,
            as_of: match as_of {
                AsOf::Day(day) => day,
                AsOf::Latest => self.desk.today(),
            },
        })
    }

    /// The figures that are meant. Where no day is given: as of the last whole day on which the same was known.
    fn cited(&self, info: &SeriesInfo) -> Result<Cited> {
        let asked = self.asked;
        let range = match (asked.given("date"), self.is_range) {
            (_, true) => (asked.given("start"), asked.given("end")),
            ("", false) => ("max", ""),
            (date, false) => (date, date),
        };
        let now = self.read(range, asked.given("as_of"))?;
        let (true, Some(first), Some(last)) = (
            asked.given("as_of").is_empty(),
            now.rows.first(),
            now.rows.last(),
        ) else {
            return Ok(now);
        };
        let (first, last) = (first.date.to_string(), last.date.to_string());
        for day in self.whole_days(info)? {
            match self.read((&first, &last), &day.to_string()) {
                Ok(then) if then.rows == now.rows => return Ok(then),
                Ok(_) | Err(Error::NoData { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(now)
    }

    /// Days that are over, as of which what is known now may have been known: the one before the last sync, for what a
    /// sync brings later on its day counts as known on that day, too; and yesterday.
    fn whole_days(&self, info: &SeriesInfo) -> Result<impl Iterator<Item = Date>> {
        let before = |day: Date| shift(day, (-1).days());
        let yesterday = before(self.desk.today());
        let held = self.desk.held(&info.id)?;
        let synced = held.map(|held| before(held.fetched_at.to_zoned(TimeZone::UTC).date()));
        let synced = synced.map(|day| day.min(yesterday));
        Ok(synced.into_iter().chain([yesterday]))
    }
}

/// Where the figures of a picture are to be cited, as it stands in the picture: "macro.example/cite/UNRATE".
pub(super) fn short(desk: &Desk, id: &str) -> String {
    let home = desk.settings().home();
    let home = home.split_once("://").map_or(home, |(_, rest)| rest);
    format!("{home}/cite/{}", encoded(id))
}

/// A unit without abbreviations: "%, seasonally adjusted".
fn in_full(unit: &str) -> String {
    match unit.strip_suffix(", SA") {
        Some(unit) => format!("{unit}, seasonally adjusted"),
        None => unit.to_owned(),
    }
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
