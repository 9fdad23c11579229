//! Citations: one sentence for a figure, and a permanent address that holds the figure.
//!
//! The address names series, period, transformation, the day on which the figure was known, and the figure itself. Each
//! visit computes the figure again as of that day and compares it with the one in the address. A later sync records its
//! figures under its own day and so changes no earlier day. An archive of vintages loaded later may change a past day, and
//! so may another version of this program; the page then reports the difference.

use super::charts;
use super::prelude::*;
use super::text::{digest, encoded, format_day, format_exact, readable};
use super::view::{endpoint_arguments, query_string};
use econoscope_answers::endpoints::days::parse_as_of;
use econoscope_answers::endpoints::time_series::{self, TimeSeriesAnswer};
use econoscope_core::format::period;
use econoscope_core::model::frequency::shift;
use econoscope_core::model::{AsOf, Date, Observation, SeriesInfo, untrusted};
use jiff::ToSpan;
use jiff::tz::TimeZone;
use serde_json::json;

/// Arguments besides those of the view.
pub(super) const ARGUMENTS: [&str; 3] = ["date", "check", "format"];

/// Maximum characters of a title.
const MAX_TITLE: usize = 200;

#[derive(Template)]
#[template(path = "cite.html")]
struct Page<'a> {
    frame: Frame,
    query: &'a Query<'a>,
    citation: &'a Citation,
    is_today: bool,
}

/// Renders the citation of a figure or of a range.
///
/// # Errors
/// [`Error::NoData`] where no such figure was known; [`Error::NotPermitted`] for one that may not be passed on.
pub(super) fn page(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let info = desk.resolve("series", &request.name)?;
    desk.permit(&info)?;
    let query = Query {
        desk,
        request,
        id: desk.shown_id(&info.id),
        is_range: request.argument("start").is_some() || request.argument("end").is_some(),
    };
    let citation = Citation::new(&query, &info, query.figures(&info)?)?;
    match request.form_value("format") {
        "json" => Ok(citation.to_json(&query)),
        _ => citation.render(&query),
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
    answer: TimeSeriesAnswer,
    rows: Vec<Observation>,
    as_of: Date,
}

/// The citation of a figure or of a range.
struct Citation {
    figures: CitedFigures,
    title: String,
    first: Date,
    last: Observation,
    /// The period, or the first and the last of a range.
    period: String,
    /// The figure, or the number of figures of a range.
    value: String,
    /// Path and query of the permanent address.
    path: String,
    address: String,
    check: String,
    /// Whether the record has the figure of the requested address; `None` where that address has none.
    agrees: Option<bool>,
    sentence: String,
}

impl Citation {
    /// # Errors
    /// [`Error::NoData`] where there is no figure.
    fn new(query: &Query, info: &SeriesInfo, figures: CitedFigures) -> Result<Self> {
        let (Some(first), Some(last)) = (figures.rows.first(), figures.rows.last()) else {
            let reason = "no figure of that period was known on that day";
            return Err(Error::no_data(&query.id, reason));
        };
        let (first, last) = (first.date, *last);
        let check = check(&figures.rows, query.is_range);
        let [start, end, day] = [first, last.date, figures.as_of].map(|day| day.to_string());
        let dates = match query.is_range {
            true => [("start", &*start), ("end", &*end)],
            false => [("date", &*end), ("end", "")],
        };
        let permanent = dates.into_iter().chain(query.transformation());
        let permanent = permanent.chain([("as_of", &*day), ("check", &*check)]);
        let path = format!("/cite/{}{}", encoded(&query.id), query_string(permanent));
        let is_same = |(name, value): (&str, &str)| {
            let requested = query.request.form_value(name);
            matches!(requested, "" | "max") || requested == value
        };
        let agrees = query.request.argument("check");
        let agrees = agrees.map(|requested| requested == check && dates.into_iter().all(is_same));
        let frequency = charts::line(&figures.answer, "").frequency;
        let last_period = period(last.date, frequency);
        let (period, value, separator) = match query.is_range {
            true => (
                format!("{} to {last_period}", period(first, frequency)),
                format!("{} {} figures", figures.rows.len(), frequency.word()),
                ", ",
            ),
            false => (last_period, format_exact(last.value), " "),
        };
        let title = untrusted::name(&info.title, MAX_TITLE);
        let address = format!("{}{path}", query.desk.settings().home());
        let sentence = format!(
            "{title} ({}), {period}: {value}{separator}{}. Source: {}, as known on {}, from {}, {address}",
            query.id,
            figures.long_unit(),
            untrusted::name(&info.source, MAX_TITLE),
            format_day(figures.as_of),
            query.desk.settings().service
        );
        Ok(Self {
            figures,
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

    fn to_json(&self, query: &Query) -> Document {
        let provenance = &self.figures.answer.provenance;
        let (first, last, as_of) = (self.first, self.last.date, self.figures.as_of);
        let [start, end, day] = [first, last, as_of].map(|day| day.to_string());
        let range = [("start", &*start), ("end", &*end), ("as_of", &*day)];
        let data = query_string(range.into_iter().chain(query.transformation()));
        let home = query.desk.settings().home();
        Document::json(&json!({
            "citation": self.sentence,
            "url": self.address,
            "seriesId": query.id,
            "title": self.title,
            "period": self.period,
            "start": first,
            "end": last,
            "count": self.figures.rows.len(),
            "value": (!query.is_range).then_some(self.last.value),
            "unit": self.figures.unit(),
            "as_of": as_of,
            "check": self.check,
            "agrees": self.agrees,
            "knowledge": provenance.knowledge,
            "sources": provenance.sources,
            "notes": provenance.notes,
            "data": format!("{home}/api/public/data/{}{data}", encoded(&query.id)),
        }))
    }

    fn render(&self, query: &Query) -> Result<Document> {
        let Self { title, period, .. } = self;
        let description = format!("{title}, {period}: a figure with its permanent address.");
        let heading = format!("Cite {title}, {period}");
        render_scripted_page(&Page {
            frame: Frame::new(query.desk, &heading, &description, &self.path).with_script(),
            query,
            citation: self,
            is_today: self.figures.as_of == query.desk.today(),
        })
    }
}

impl CitedFigures {
    fn unit(&self) -> &str {
        let unit = self.answer.unit_in_words.as_deref();
        unit.unwrap_or(&self.answer.unit)
    }

    /// Returns the unit without abbreviations: "%, seasonally adjusted".
    fn long_unit(&self) -> String {
        match self.unit().strip_suffix(", SA") {
            Some(unit) => format!("{unit}, seasonally adjusted"),
            None => self.unit().to_owned(),
        }
    }
}

impl Query<'_> {
    /// Returns the arguments that transform figures.
    fn transformation(&self) -> [(&str, &str); 2] {
        ["units", "frequency"].map(|name| (name, self.request.form_value(name)))
    }

    /// Reads the figures of a range as known on a day: all of them for a range, else the last.
    fn figures_as_of(&self, (start, end): (&str, &str), as_of: &str) -> Result<CitedFigures> {
        let arguments = [
            ("seriesId", &*self.id),
            ("start", start),
            ("end", end),
            ("as_of", as_of),
        ];
        let arguments = arguments.into_iter().chain(self.transformation());
        let answer = time_series::every_row(self.desk, endpoint_arguments(arguments))?;
        let rows = match self.is_range {
            true => answer.data.clone(),
            false => answer.data.last().copied().into_iter().collect(),
        };
        let as_of = Some(as_of).filter(|day| !day.is_empty());
        Ok(CitedFigures {
            answer,
            rows,
            as_of: match parse_as_of(self.desk, as_of)? {
                AsOf::Day(day) => day,
                AsOf::Latest => self.desk.today(),
            },
        })
    }

    /// Returns the figures to cite. Without a requested day they are as of the last complete day with the same figures.
    fn figures(&self, info: &SeriesInfo) -> Result<CitedFigures> {
        let value = |name| self.request.form_value(name);
        let range = match (value("date"), self.is_range) {
            (_, true) => (value("start"), value("end")),
            ("", false) => ("max", ""),
            (date, false) => (date, date),
        };
        let now = self.figures_as_of(range, value("as_of"))?;
        let (true, Some(first), Some(last)) =
            (value("as_of").is_empty(), now.rows.first(), now.rows.last())
        else {
            return Ok(now);
        };
        let (first, last) = (first.date.to_string(), last.date.to_string());
        for day in self.complete_days(info)? {
            match self.figures_as_of((&first, &last), &day.to_string()) {
                Ok(then) if then.rows == now.rows => return Ok(then),
                Ok(_) | Err(Error::NoData { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(now)
    }

    /// Returns the complete days on which today's figures may have been known: the one before the last sync, since a later
    /// sync of that day would still count for it, and yesterday.
    fn complete_days(&self, info: &SeriesInfo) -> Result<impl Iterator<Item = Date>> {
        let day_before = |day: Date| shift(day, (-1).days());
        let yesterday = day_before(self.desk.today());
        let stored = self.desk.held(&info.id)?;
        let synced = stored.map(|stored| stored.fetched_at.to_zoned(TimeZone::UTC).date());
        let before_sync = synced.map(|day| day_before(day).min(yesterday));
        Ok(before_sync.into_iter().chain([yesterday]))
    }
}

/// Returns the address of a series' citation for a picture: "macro.example/cite/UNRATE".
pub(super) fn short_address(desk: &Desk, id: &str) -> String {
    let home = desk.settings().home();
    let home = home.split_once("://").map_or(home, |(_, rest)| rest);
    format!("{home}/cite/{}", encoded(id))
}

/// Returns the argument `check` of the permanent address: the figure, or a digest of the rows of a range.
fn check(rows: &[Observation], is_range: bool) -> String {
    if let ([row], false) = (rows, is_range) {
        return row.value.to_string();
    }
    let text: String = rows
        .iter()
        .map(|o| format!("{},{}\n", o.date, o.value))
        .collect();
    digest(&text)
}
