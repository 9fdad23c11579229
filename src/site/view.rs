//! What of a series is shown: the arguments of the API, and the addresses that say the same.

use super::asked::PageRequest;
use super::charts;
use super::past::{self, Past};
use super::questions::{Answers, Question};
use econoscope_answers::endpoints::compare_series::{Comparison, Params};
use econoscope_answers::endpoints::days::parse_as_of;
use econoscope_answers::endpoints::decode::{self, parts};
use econoscope_answers::endpoints::time_series::{self, TimeSeriesAnswer};
use econoscope_answers::endpoints::{Arguments, Endpoint, Route};
use econoscope_core::chart::ChartSpec;
use econoscope_core::error::{Error, Result};
use econoscope_core::model::AsOf;
use econoscope_core::model::frequency::shift;
use econoscope_data::desk::Desk;
use jiff::ToSpan;

/// Arguments that say what of a series is shown; they are those of the API.
pub(super) const ARGUMENTS: [&str; 5] = ["start", "end", "units", "frequency", "as_of"];

/// Ranges on offer, with their years; `max` is all there is.
pub(super) const RANGES: [(&str, i64); 5] =
    [("1y", 1), ("5y", 5), ("10y", 10), ("30y", 30), ("max", 0)];

/// Units on offer: the API's word, and what it says to a reader. `index` stands for a formula.
pub(super) const UNITS: [(&str, &str); 8] = [
    ("", "Level"),
    ("chg", "Change"),
    ("ch1", "Change from a year ago"),
    ("pch", "% change"),
    ("pc1", "% from a year ago"),
    ("pca", "% change, annualized"),
    (LOG, "Level, log scale"),
    (INDEX, "Index, first = 100"),
];

/// Index units: 100 at the first figure in view.
pub(super) const INDEX: &str = "index";

/// Levels on a logarithmic axis; the API's `log` would be their logarithms.
pub(super) const LOG: &str = "log";

/// Rows of a comparison that a chart takes: more than most screens have columns.
const ROWS: usize = 2_000;

/// Figures in a page that are for its chart.
const FIGURES: usize = 6_000;

/// Frequencies on offer, the finest first.
pub(super) const FREQUENCIES: [(&str, &str); 5] = [
    ("d", "Daily"),
    ("w", "Weekly"),
    ("m", "Monthly"),
    ("q", "Quarterly"),
    ("a", "Annual"),
];

/// What is shown with another value of an argument, as the query of an address.
pub(super) fn with(asked: &PageRequest, name: &str, value: &str) -> String {
    let others = asked.all(&ARGUMENTS).filter(|(known, _)| *known != name);
    query(others.chain([(name, value)]))
}

/// Where the API has the figures of a series.
pub(super) fn source(desk: &Desk, id: &str, asked: &PageRequest) -> String {
    match asked.given("units") {
        INDEX => comparison(&as_index(desk, id, asked)),
        _ => format!("/api/public/data/{id}{}", query(of_api(asked))),
    }
}

/// The arguments with the units that the API is asked for.
fn of_api(asked: &PageRequest) -> impl Iterator<Item = (&str, &str)> {
    let all = asked.all(&ARGUMENTS);
    all.map(|(name, value)| match name {
        "units" => (name, api_units(value)),
        _ => (name, value),
    })
}

/// The units that the API is asked for: a scale is a matter of the drawing.
pub(super) fn api_units(units: &str) -> &str {
    if units == LOG { "" } else { units }
}

/// Where the API has a comparison.
pub(super) fn comparison(arguments: &[(&'static str, String)]) -> String {
    format!("/api/public/compare{}", query(pairs(arguments)))
}

/// What of a series is shown.
pub(super) struct View {
    pub(super) spec: ChartSpec,
    /// What has become of it since a past day.
    pub(super) past: Option<Past>,
}

/// The figures of a series as a chart; those of a past day behind those of today.
///
/// # Errors
/// What the endpoint says.
pub(super) fn read(
    desk: &Desk,
    id: &str,
    asked: &PageRequest,
    answers: &mut Answers,
) -> Result<View> {
    if answers.is_forwarded {
        let answer: TimeSeriesAnswer = answers.read()?;
        let spec = scaled(charts::plot(&answer), asked);
        return Ok(View { spec, past: None });
    }
    if asked.given("units") == INDEX {
        let answer = compared(desk, &as_index(desk, id, asked))?;
        return Ok(View {
            spec: charts::compared((&answer, None), false).0,
            past: None,
        });
    }
    let arguments = of_api(asked).chain([("seriesId", id)]);
    let answer = time_series::every_row(desk, collected(arguments))?;
    let mut spec = charts::plot(&answer);
    let past = past::beside(desk, id, asked, (&answer, &mut spec))?;
    let spec = scaled(spec, asked);
    Ok(View { spec, past })
}

/// The chart on the axes that are asked for.
fn scaled(spec: ChartSpec, asked: &PageRequest) -> ChartSpec {
    match asked.given("units") {
        LOG => spec.on_log_axes(),
        _ => spec,
    }
}

/// The question for the figures of a series, where answers are forwarded.
pub(super) fn question(id: &str, asked: &PageRequest) -> Question {
    let arguments: Vec<_> = of_api(asked).chain([("seriesId", id)]).collect();
    Question::new("get_time_series", &arguments)
}

/// The arguments of `compare_series` for an index; a comparison counts back from no day.
fn as_index(desk: &Desk, id: &str, asked: &PageRequest) -> Vec<(&'static str, String)> {
    formulas(asked, id, first_day(desk, asked, asked.given("start")))
}

/// Names and formulas of a list as it is written.
pub(super) fn listed(text: &str) -> impl Iterator<Item = &str> {
    parts(text).filter(|part| !part.is_empty())
}

/// The arguments of `compare_series` for a list from a day on; an index is a formula.
pub(super) fn formulas(
    asked: &PageRequest,
    list: &str,
    start: String,
) -> Vec<(&'static str, String)> {
    let given = |name| asked.given(name).to_owned();
    let (mut series, mut units) = (list.to_owned(), api_units(asked.given("units")).to_owned());
    if units == INDEX {
        let base = match asked.given("base") {
            "" => String::new(),
            base => format!(",\"{}\"", base.replace('"', "")),
        };
        let wrapped = listed(list).map(|s| format!("index({s}{base})"));
        let wrapped: Vec<String> = wrapped.collect();
        (series, units) = (wrapped.join(","), String::new());
    }
    // Of a past day each has two lines.
    let lines = listed(list).count().max(1)
        * if asked.given("as_of").is_empty() {
            1
        } else {
            2
        };
    let rows = FIGURES / lines;
    vec![
        ("series", series),
        ("start", start),
        ("end", given("end")),
        ("units", units),
        ("frequency", given("frequency")),
        ("as_of", given("as_of")),
        ("max_points", rows.clamp(2, ROWS).to_string()),
    ]
}

/// A list by titles and codes; what is no series as it is written.
pub(super) fn titles(desk: &Desk, list: &str) -> String {
    let all = listed(list).map(|name| match desk.resolve("series", name) {
        Ok(info) => charts::titled(&desk.shown_id(&info.id), Some(&info.title)),
        Err(_) => name.to_owned(),
    });
    all.collect::<Vec<_>>().join(", ")
}

/// Our own words as the options of a form, each with its label, the one that holds marked.
pub(super) fn options(all: impl AsRef<[(&'static str, &'static str)]>, now: &str) -> String {
    let option = |(word, label): &(&'static str, &'static str)| {
        let selected = if *word == now { " selected" } else { "" };
        format!("<option value=\"{word}\"{selected}>{label}</option>")
    };
    all.as_ref().iter().map(option).collect()
}

/// Arguments as they are asked for.
fn pairs<'a>(arguments: &'a [(&'static str, String)]) -> impl Iterator<Item = (&'a str, &'a str)> {
    arguments.iter().map(|(name, value)| (*name, &**value))
}

/// Arguments with a value, as the query of an address.
pub(super) fn query<'a>(arguments: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in arguments.filter(|(_, value)| !value.is_empty()) {
        text.append_pair(name, value);
    }
    match text.finish() {
        text if text.is_empty() => text,
        text => format!("?{text}"),
    }
}

/// The first day of a range that counts back from the day as of which something is shown; any other text as it is.
pub(super) fn first_day(desk: &Desk, asked: &PageRequest, range: &str) -> String {
    let from = match parse_as_of(desk, asked.argument("as_of")) {
        Ok(AsOf::Day(day)) => day,
        // The endpoint says what is wrong with it.
        Ok(AsOf::Latest) | Err(_) => desk.today(),
    };
    let found = RANGES.iter().find(|(label, _)| *label == range);
    match found {
        Some((_, 0)) => "1700-01-01".to_owned(),
        Some((_, years)) => shift(from, (-*years).years()).to_string(),
        None => range.to_owned(),
    }
}

/// Arguments as an endpoint takes them; those without a value are left out.
pub(super) fn collected<'a>(arguments: impl Iterator<Item = (&'a str, &'a str)>) -> Arguments {
    let given = arguments.filter(|(_, value)| !value.is_empty());
    given.map(|(n, v)| (n.to_owned(), v.into())).collect()
}

/// What `compare_series` answers to these arguments.
///
/// # Errors
/// What the endpoint says.
pub(super) fn compared(desk: &Desk, arguments: &[(&'static str, String)]) -> Result<Comparison> {
    let route = Route::find(Params::SPEC.tool);
    let route = route.ok_or_else(|| Error::internal("looking up an endpoint", "comparison"))?;
    let checked = decode::check(route.input_schema(), collected(pairs(arguments)))?;
    Params::local(desk, &decode::params(&checked)?)
}
