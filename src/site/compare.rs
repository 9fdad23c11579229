//! Series and formulas side by side: the chart, and the same answer as `compare_series` beside it.

use super::asked::{FIRST, PageRequest};
use super::charts;
use super::document::Document;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::text::readable;
use super::view::{
    FREQUENCIES, INDEX, LOG, RANGES, UNITS, compared, comparison, first_day, formulas,
};
use super::view::{listed, options, query};
use super::{assets, past, series, text};
use askama::Template;
use econoscope_answers::endpoints::compare_series::{ComparedColumn, Comparison};
use econoscope_answers::endpoints::days::parse_as_of;
use econoscope_core::error::{Error, Result};
use econoscope_core::format::{Unit, day, period, spelled};
use econoscope_core::indicators::prose::capitalised;
use econoscope_core::model::{AsOf, Date, Frequency};
use econoscope_data::desk::Desk;

/// What a picture of several series is told.
pub(super) const PICTURE: &[&str] = &[
    "series",
    "range",
    "start",
    "end",
    "units",
    "base",
    "frequency",
    "as_of",
    "theme",
    "width",
    "height",
];
/// What a widget is told: all but the size, which is its frame's.
pub(super) const WIDGET: &[&str] = PICTURE.split_at(PICTURE.len() - 2).0;
/// What the page is told: all but the theme, which is the reader's.
pub(super) const ARGUMENTS: &[&str] = WIDGET.split_at(WIDGET.len() - 1).0;

/// Comparisons to begin with.
const EXAMPLES: [(&str, &str); 5] = [
    ("DGS10,DGS2", "Ten-year and two-year yields"),
    (
        "yoy(CPILFESL),FEDFUNDS",
        "Core inflation and the policy rate",
    ),
    ("UNRATE,JTSJOL", "Unemployment and job openings"),
    ("yoy(M2SL),yoy(CPIAUCSL)", "Money and prices, year on year"),
    ("SERVICE_CRPI,T10Y3M", "Recession probability and the curve"),
];

#[derive(Template)]
#[template(path = "compare.html")]
struct Page<'a> {
    frame: Frame,
    asked: &'a PageRequest,
    /// Names and formulas as written.
    names: Vec<String>,
    today: Date,
    trouble: Option<String>,
    shown: Option<Shown>,
}

struct Link {
    href: String,
    text: String,
}

/// An answer and its chart.
struct Shown {
    answer: Comparison,
    /// What is drawn, as the API gives it, and the same of the past day as of which figures are shown.
    json: String,
    then: Option<String>,
    /// What has become of each column since that day.
    told: Vec<String>,
    source: String,
    unit: String,
    chart: String,
    narrow: String,
    /// How to see two of them as one.
    together: Vec<Link>,
    /// Its series by titles and codes.
    title: String,
    is_log: bool,
    has_panels: bool,
}

impl Shown {
    /// A date of the answer as the period that it stamps.
    fn period(&self, date: &Date) -> String {
        let frequency = self.answer.frequency.parse();
        period(*date, frequency.unwrap_or(Frequency::Daily))
    }
}

pub(super) fn page(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let description = "Series and formulas side by side: chart, statistics, correlations, spread.";
    let names: Vec<String> = listed(asked.given("series")).map(str::to_owned).collect();
    let frame = Frame::of(desk, "Compare", description, "/compare")?;
    let answer = (!names.is_empty()).then(|| answer(desk, asked)).transpose();
    let own = own(asked);
    let picture = match names.len() {
        0 => "/chart/DGS10.png".to_owned(),
        _ => format!("/chart/compare.png{own}"),
    };
    let mut page = Page {
        frame: frame.lively(&own, picture),
        asked,
        names,
        today: desk.today(),
        trouble: None,
        shown: None,
    };
    match answer {
        Ok(Some(answer)) => {
            let as_of = parse_as_of(desk, asked.argument("as_of"))?;
            page.frame.asof = text::known(as_of, &answer.provenance);
            let shown = shown(desk, asked, &page.names, answer)?;
            page.frame.title = format!("{} – {}", shown.title, page.frame.service);
            page.shown = Some(shown);
        }
        Ok(None) => {}
        Err(error) if error.code() == "internal" => return Err(error),
        Err(error) => {
            page.trouble = Some(said(&error));
            return Ok(html(&page, assets::path())?.failed(&error));
        }
    }
    html(&page, assets::path())
}

impl Page<'_> {
    /// Each series with the page that is without it.
    fn chips(&self) -> Vec<Link> {
        let chip = |(i, name): (usize, &String)| {
            let others = self.names.iter().enumerate().filter(|(k, _)| *k != i);
            let others: Vec<&str> = others.map(|(_, name)| name.as_str()).collect();
            Link {
                href: address(self.asked, &[("series", &others.join(","))]),
                text: name.clone(),
            }
        };
        self.names.iter().enumerate().map(chip).collect()
    }

    /// The page of other series.
    fn example(&self, series: &str) -> String {
        address(self.asked, &[("series", series)])
    }

    /// The page of a range.
    fn range(&self, label: &str) -> String {
        let changed = [("range", label), ("start", ""), ("end", "")];
        address(self.asked, &changed)
    }

    /// The range that one sees; none from a day on.
    fn current(&self) -> &str {
        match self.asked.argument("start") {
            Some(_) => "",
            None => self.asked.argument("range").unwrap_or(FIRST),
        }
    }
}

/// An error, with what could be asked instead.
fn said(error: &Error) -> String {
    let near: Vec<&str> = error.suggestions().iter().map(|s| s.id.as_str()).collect();
    match near.is_empty() {
        true => error.to_string(),
        false => format!("{error} Near: {}.", near.join(", ")),
    }
}

/// The page's own arguments as the query of an address.
pub(super) fn own(asked: &PageRequest) -> String {
    query(asked.all(ARGUMENTS))
}

/// What `compare_series` answers to what a page, picture or widget was asked for.
pub(super) fn answer(desk: &Desk, asked: &PageRequest) -> Result<Comparison> {
    compared(desk, &arguments(desk, asked))
}

/// What has become of a comparison since a past day.
pub(super) struct Past {
    /// The same as it is known now.
    pub(super) now: Comparison,
    /// A text for each column.
    told: Vec<String>,
}

/// What has become of the figures of a past day; `None` of a comparison of today.
///
/// # Errors
/// What the endpoint says.
pub(super) fn past(desk: &Desk, asked: &PageRequest, then: &Comparison) -> Result<Option<Past>> {
    let AsOf::Day(day) = parse_as_of(desk, asked.argument("as_of"))? else {
        return Ok(None);
    };
    let mut arguments = arguments(desk, asked);
    arguments.retain(|(name, _)| *name != "as_of");
    let now = compared(desk, &arguments)?;
    let is_whole = [then, &now].iter().all(|o| o.dates.len() >= o.rows);
    let told = then.columns.iter().map(|old| {
        let Some(new) = charts::same(&now, old) else {
            return format!(
                "{}: what was published on {} was in another unit, {}, and is not drawn.",
                old.series,
                text::in_words(day),
                old.unit
            );
        };
        let lines = [(then, old), (&now, new)].map(|(o, column)| charts::side_by_side(o, column));
        let [old_line, new_line] = &lines;
        let style = (
            Unit::of(&old.unit, &old.unit),
            text::places(old.latest).min(2),
        );
        past::told((&old.series, is_whole), (old_line, new_line), day, &style)
    });
    let told = told.collect();
    Ok(Some(Past { now, told }))
}

/// The arguments of the endpoint; a range is the days that it means today.
fn arguments(desk: &Desk, asked: &PageRequest) -> Vec<(&'static str, String)> {
    let start = match asked.argument("start") {
        Some(day) => day.to_owned(),
        None => first_day(desk, asked, asked.argument("range").unwrap_or(FIRST)),
    };
    let mut arguments = formulas(asked, asked.given("series"), start);
    arguments.push(("correlations", "true".to_owned()));
    arguments
}

/// Where the API has the same.
pub(super) fn source(desk: &Desk, asked: &PageRequest) -> String {
    comparison(&arguments(desk, asked))
}

/// The page with other values of some arguments.
fn address(asked: &PageRequest, changed: &[(&str, &str)]) -> String {
    let arguments = asked.all(ARGUMENTS).map(|(name, value)| {
        let new = changed.iter().find(|(changed, _)| *changed == name);
        (name, new.map_or(value, |(_, new)| *new))
    });
    format!("/compare{}", query(arguments))
}

fn shown(desk: &Desk, asked: &PageRequest, names: &[String], answer: Comparison) -> Result<Shown> {
    let past = past(desk, asked, &answer)?;
    let (now, then) = match &past {
        Some(past) => (&past.now, Some(&answer)),
        None => (&answer, None),
    };
    let (spec, others) = charts::compared((now, then), asked.given("units") == LOG);
    let (is_log, has_panels) = (spec.is_log, !others.is_empty());
    let units = std::iter::once(&spec).chain(&others);
    let units: Vec<&str> = units.map(|spec| &*spec.unit).collect();
    let unit = units.join("; ");
    let (chart, narrow) = series::drawings((spec, others));
    let json = |answer: &Comparison| {
        let json = serde_json::to_string(answer);
        let json = json.map_err(|e| Error::internal("writing a comparison", e))?;
        // Nothing in it may end the element that it stands in.
        Ok::<_, Error>(json.replace('<', "\\u003c"))
    };
    Ok(Shown {
        json: json(now)?,
        then: then.map(json).transpose()?,
        told: past.map(|past| past.told).unwrap_or_default(),
        source: source(desk, asked),
        unit,
        chart,
        narrow,
        together: together(asked, names, &answer),
        title: charts::titles(&answer),
        is_log,
        has_panels,
        answer,
    })
}

/// Two series as one: their difference where they are of one unit, their ratio otherwise.
fn together(asked: &PageRequest, names: &[String], answer: &Comparison) -> Vec<Link> {
    let ([a, b], [first, second]) = (names, answer.columns.as_slice()) else {
        return Vec::new();
    };
    // Formulas of formulas would be a page each without end.
    let is_plain = |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !names.iter().all(is_plain) {
        return Vec::new();
    }
    let (word, sign) = match first.unit == second.unit {
        true => ("Spread", "-"),
        false => ("Ratio", "/"),
    };
    let formula = format!("{a}{sign}{b}");
    let all = format!("{a},{b},{formula}");
    let link = |series: &str, text| Link {
        href: address(asked, &[("series", series)]),
        text,
    };
    vec![
        link(&formula, format!("{word}: {formula}")),
        link(&all, format!("{word} beside them")),
    ]
}

/// A figure of a column as it is written, "–" where there is none.
fn figure(value: &Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), text::plain)
}

/// A column's name with what it is.
fn named(column: &ComparedColumn) -> String {
    match &column.title {
        Some(title) => format!("{} ({title})", column.series),
        None => column.series.clone(),
    }
}

/// A figure as it is written.
fn value(value: &f64) -> String {
    text::plain(*value)
}
