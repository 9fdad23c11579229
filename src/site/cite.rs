//! Citations: one sentence for a figure, and a permanent address that contains the figure.
//!
//! The address names series, period, transformation, the day on which the figure was known, and the figure itself. Each
//! visit computes the figure again as of that day and compares it with the one in the address. A later sync records its
//! figures under its own day and so changes no earlier day. An archive of vintages loaded later may change a past day, and
//! so may another version of this program; the page then reports the difference.

use super::charts;
use super::figure::Figure;
use super::prelude::*;
use super::text::{digest, unit_name};
use econoscope_answers::dates::parse_as_of;
use econoscope_answers::endpoints::time_series::{self, TimeSeriesAnswer};
use econoscope_answers::render::error_bar;
use econoscope_answers::render::provenance::Vintage;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::untrusted;
use jiff::ToSpan;
use jiff::tz::TimeZone;
use serde_json::json;
use std::ops::RangeInclusive;

/// Arguments besides those of the view.
pub(super) const ARGUMENTS: [&str; 4] = ["date", "check", "values", "format"];

const BIBTEX: &str = "application/x-bibtex; charset=utf-8";
const RIS: &str = "application/x-research-info-systems; charset=utf-8";

/// Maximum characters of a title.
const MAX_TITLE: usize = 200;

#[derive(Template)]
#[template(path = "cite.html")]
struct Page<'a> {
    frame: Frame,
    query: &'a Query<'a>,
    figures: &'a CitedFigures,
    title: String,
    /// The period, or the first and the last of a range.
    period: String,
    /// The figure, or the number of figures of a range.
    value: String,
    /// The vintage of the figure: "as known on 31 December 2008".
    vintage: String,
    sentence: String,
    /// The permanent address.
    address: String,
    check: String,
    /// Whether the record has the figure of the requested address; `None` where that address has none.
    agrees: Option<bool>,
    /// Path of the figures in the API.
    data: String,
}

/// The citation for BibTeX.
#[derive(Template)]
#[template(path = "cite.bib", escape = "none")]
struct Bibtex<'a> {
    page: &'a Page<'a>,
}

impl Bibtex<'_> {
    /// Escapes what has a meaning in TeX.
    fn escape(&self, text: impl AsRef<str>) -> String {
        let escape = |c: char| match c {
            '%' | '&' | '#' | '$' | '_' => format!("\\{c}"),
            '\\' | '~' | '^' | '{' | '}' => String::new(),
            c => c.to_string(),
        };
        text.as_ref().chars().map(escape).collect()
    }
}

/// The citation for programs that read RIS.
#[derive(Template)]
#[template(path = "cite.ris", escape = "none")]
struct Ris<'a> {
    page: &'a Page<'a>,
}

/// Renders the citation of a figure or of a range.
///
/// # Errors
/// [`Error::NoData`] where no such figure was known; [`Error::NotPermitted`] for one that may not be passed on.
pub(super) fn page(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let info = desk.resolve("series", &request.name)?;
    desk.check_permitted(&info)?;
    let query = Query {
        desk,
        request,
        id: desk.display_id(&info.id),
        is_range: request.argument("start").is_some() || request.argument("end").is_some(),
    };
    let mut figures = query.figures(&info)?;
    if let (false, Some(last)) = (query.is_range, figures.answer.data.last()) {
        let bar = error_bar::describe(desk, &info, last.date, AsOf::Day(figures.as_of))?;
        figures.answer.provenance.note("revision", bar);
    }
    let page = Page::new(&query, &info, &figures)?;
    match request.form_value("format") {
        "json" => Ok(page.to_json()),
        "bibtex" => Ok(Document::data(BIBTEX, render(&Bibtex { page: &page })?)),
        "ris" => Ok(Document::data(RIS, render(&Ris { page: &page })?)),
        _ => render_page(&page),
    }
}

/// The figures to cite.
struct Query<'a> {
    desk: &'a Desk,
    request: &'a PageRequest,
    id: String,
    is_range: bool,
}

/// Figures as known on a day.
struct CitedFigures {
    /// The answer with the cited rows: all rows of a range, else the last one.
    answer: TimeSeriesAnswer,
    as_of: Date,
}

impl<'a> Page<'a> {
    /// # Errors
    /// [`Error::NoData`] where there is no figure.
    fn new(query: &'a Query, info: &SeriesInfo, figures: &'a CitedFigures) -> Result<Self> {
        let rows = &figures.answer.data;
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
            let reason = "no figure of that period was known on that day";
            return Err(Error::no_data(&query.id, reason));
        };
        let check = check(rows, query.is_range);
        let [start, end, day] = [first.date, last.date, figures.as_of].map(|day| day.to_string());
        let range = [("start", &*start), ("end", &*end)];
        let dates = if query.is_range {
            range
        } else {
            [("date", &*end), ("end", "")]
        };
        let as_of = [("as_of", &*day)];
        let told = query.vintage(figures);
        let named = Vintage::ALL.iter().find(|(_, vintage)| *vintage == told);
        let values = named.map_or("", |(name, _)| name);
        let vintage = told.describe(&format_day(figures.as_of));
        let stated = dates.into_iter().chain(query.transformation()).chain(as_of);
        let permanent = query_string(stated.chain([("check", &*check), ("values", values)]));
        let data = range.into_iter().chain(as_of).chain(query.transformation());
        let agrees = query.agrees(&check, dates);
        let frequency = charts::line(&figures.answer, "").frequency;
        let [first_period, last_period] = [first, last].map(|o| period(o.date, frequency));
        let mut period = last_period;
        let mut value = format_exact(last.value);
        let mut separator = " ";
        if query.is_range {
            period = format!("{first_period} to {period}");
            value = format!("{} {} figures", rows.len(), frequency.word());
            separator = ", ";
        }
        let title = untrusted::clean_name(&info.title, MAX_TITLE);
        let id = encode_segment(&query.id);
        let path = format!("/cite/{id}{permanent}");
        let address = format!("{}{path}", query.desk.settings().home());
        let sentence = format!(
            "{title} ({}), {period}: {value}{separator}{}. Source: {}, {vintage}, from {}, {address}",
            query.id,
            figures.long_unit(),
            untrusted::clean_name(&info.source, MAX_TITLE),
            query.desk.settings().service
        );
        let description = format!("{title}, {period}: a figure with its permanent address.");
        let heading = format!("Cite {title}, {period}");
        Ok(Self {
            frame: Frame::new(query.desk, &heading, &description, &path),
            data: format!("/api/public/data/{id}{}", query_string(data)),
            query,
            figures,
            title,
            period,
            value,
            vintage,
            sentence,
            address,
            check,
            agrees,
        })
    }

    /// Returns the figure as other pages write it: "$24.3 trillion (2017 dollars)"; empty for a range.
    fn text(&self) -> String {
        let newest = Figure::newest(&charts::plot(&self.figures.answer));
        let single = newest.filter(|_| !self.query.is_range);
        single.map_or_else(String::new, |figure| figure.text)
    }

    /// Names the figure: "Real GDP (GDPC1), Q3 2008".
    fn reference(&self) -> String {
        format!("{} ({}), {}", self.title, self.query.id, self.period)
    }

    /// Tells the figure and its vintage: "4.2 %, seasonally adjusted, as known on 1 November 2026".
    fn note(&self) -> String {
        let unit = self.figures.long_unit();
        format!("{} {unit}, {}", self.value, self.vintage)
    }

    fn publisher(&self) -> String {
        let source = self.figures.answer.source.as_deref().unwrap_or_default();
        untrusted::clean_name(source, MAX_TITLE)
    }

    fn to_json(&self) -> Document {
        let answer = &self.figures.answer;
        let rows = &answer.data;
        let last = rows.last();
        let value = last.filter(|_| !self.query.is_range).map(|o| o.value);
        Document::json(&json!({
            "citation": self.sentence,
            "url": self.address,
            "seriesId": self.query.id,
            "title": self.title,
            "period": self.period,
            "start": rows.first().map(|o| o.date),
            "end": last.map(|o| o.date),
            "count": rows.len(),
            "value": value,
            "text": self.text(),
            "unit": unit_name(answer),
            "as_of": self.figures.as_of,
            "vintage": self.vintage,
            "check": self.check,
            "agrees": self.agrees,
            "knowledge": answer.provenance.knowledge,
            "sources": answer.provenance.sources,
            "notes": answer.provenance.notes,
            "data": format!("{}{}", self.frame.base, self.data),
        }))
    }
}

impl CitedFigures {
    /// Returns the unit without abbreviations: "%, seasonally adjusted".
    fn long_unit(&self) -> String {
        let unit = unit_name(&self.answer);
        match unit.strip_suffix(", SA") {
            Some(unit) => format!("{unit}, seasonally adjusted"),
            None => unit.to_owned(),
        }
    }
}

impl Query<'_> {
    /// Returns the arguments that transform figures.
    fn transformation(&self) -> [(&str, &str); 2] {
        ["units", "frequency"].map(|name| (name, self.request.form_value(name)))
    }

    /// Returns whether check and dates of the request are those of the figures; `None` for a request without a check.
    fn agrees(&self, check: &str, dates: [(&str, &str); 2]) -> Option<bool> {
        let is_same = |(name, value): (&str, &str)| {
            let requested = self.request.form_value(name);
            matches!(requested, "" | "max") || requested == value
        };
        let requested = self.request.argument("check")?;
        Some(requested == check && dates.into_iter().all(is_same))
    }

    /// Returns the vintage of the figures, for a permanent address no later one than it names, so that an archive loaded later
    /// does not change the sentence.
    fn vintage(&self, figures: &CitedFigures) -> Vintage {
        let found = figures.answer.provenance.vintage();
        let values = self.request.form_value("values");
        let named = Vintage::ALL.iter().find(|(name, _)| *name == values);
        let is_permanent = self.request.argument("check").is_some();
        match named.filter(|_| is_permanent) {
            Some((_, named)) => found.min(*named),
            None => found,
        }
    }

    /// Returns the figure that the address names; "another figure" for any other text, which is not ours to show.
    fn named_figure(&self) -> &str {
        let check = self.request.form_value("check");
        let is_figure = check.len() <= 24 && check.parse::<f64>().is_ok_and(f64::is_finite);
        if is_figure { check } else { "another figure" }
    }

    /// Reads the figures from `start` to `end` as known on a day.
    fn figures_as_of(&self, start: &str, end: &str, as_of: &str) -> Result<CitedFigures> {
        let range = [("seriesId", &*self.id), ("start", start), ("end", end)];
        let others = self.transformation().into_iter().chain([("as_of", as_of)]);
        let arguments = range.into_iter().chain(others);
        let mut answer = time_series::read_all_rows(self.desk, endpoint_arguments(arguments))?;
        if !self.is_range {
            answer.data = answer.data.last().copied().into_iter().collect();
        }
        let known_on = parse_as_of(self.desk, Some(as_of).filter(|day| !day.is_empty()))?;
        if let Some(range) = self.read_range(&answer) {
            answer.provenance.knowledge = self.desk.basis_of_range([&*self.id], known_on, range)?;
        }
        Ok(CitedFigures {
            answer,
            as_of: self.desk.reading_day(known_on),
        })
    }

    /// Returns the dates of the figures that the rows are made from: their periods, and those that a change counts from.
    fn read_range(&self, answer: &TimeSeriesAnswer) -> Option<RangeInclusive<Date>> {
        let rows = &answer.data;
        let frequency = charts::line(answer, "").frequency;
        let lookback = match self.request.form_value("units") {
            "" | "lin" | "log" => 0.days(),
            "ch1" | "pc1" => 1.year(),
            _ => frequency.period(),
        };
        let start = shift(rows.first()?.date, -lookback);
        Some(start..=frequency.period_end(rows.last()?.date))
    }

    /// Returns the figures to cite. Without a requested day they are as of a complete day with the same figures, else of today.
    fn figures(&self, info: &SeriesInfo) -> Result<CitedFigures> {
        let value = |name| self.request.form_value(name);
        let (start, end) = match (value("date"), self.is_range) {
            (_, true) => (value("start"), value("end")),
            ("", false) => ("max", ""),
            (date, false) => (date, date),
        };
        let now = self.figures_as_of(start, end, value("as_of"))?;
        let rows = &now.answer.data;
        let ends = rows.first().zip(rows.last());
        let Some((first, last)) = ends.filter(|_| value("as_of").is_empty()) else {
            return Ok(now);
        };
        let [first_day, last_day] = [first, last].map(|o| o.date.to_string());
        for day in self.known_days(info)? {
            match self.figures_as_of(&first_day, &last_day, &day.to_string()) {
                Ok(then) if then.answer.data == *rows => return Ok(then),
                Ok(_) | Err(Error::NoData { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(now)
    }

    /// Returns the days on which today's figures may have been known: the one before the last sync, since a later sync of that
    /// day would still count for it, yesterday, and today.
    fn known_days(&self, info: &SeriesInfo) -> Result<impl Iterator<Item = Date>> {
        let today = self.desk.today();
        let yesterday = shift(today, (-1).days());
        let stored = self.desk.series_status(&info.id)?;
        let synced = stored.map(|stored| stored.fetched_at.to_zoned(TimeZone::UTC).date());
        let before_sync = synced.map(|day| shift(day, (-1).days()).min(yesterday));
        Ok(before_sync.into_iter().chain([yesterday, today]))
    }
}

/// Returns the address of the service without its scheme: "macro.example".
pub(super) fn host(desk: &Desk) -> &str {
    let home = desk.settings().home();
    home.split_once("://").map_or(home, |(_, rest)| rest)
}

/// Returns the argument `check` of the permanent address: the figure, or a digest of the rows of a range.
fn check(rows: &[Observation], is_range: bool) -> String {
    if let [row] = rows
        && !is_range
    {
        return row.value.to_string();
    }
    let lines = rows.iter().map(|o| format!("{},{}\n", o.date, o.value));
    digest(&lines.collect::<String>())
}
