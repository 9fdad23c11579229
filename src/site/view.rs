//! The view of a series or comparison: which figures a page shows, and the addresses of the same figures in the API.

use super::charts;
use super::prelude::*;
use super::vintages::{self, VintageComparison};
use econoscope_answers::endpoints::compare_series::Params;
use econoscope_answers::endpoints::time_series::{self, TimeSeriesAnswer};
use econoscope_answers::route::decode::{self, parts};
use econoscope_answers::{Arguments, Endpoint};
use econoscope_core::chart::ChartSpec;
use econoscope_core::model::frequency::shift;
use jiff::ToSpan;

/// Arguments of a view of one series, named as in the API.
pub(super) const ARGUMENTS: [&str; 5] = ["start", "end", "units", "frequency", "as_of"];

/// Ranges with their years; 0 stands for all figures.
pub(super) const RANGES: [(&str, i64); 5] =
    [("1y", 1), ("5y", 5), ("10y", 10), ("30y", 30), ("max", 0)];

/// Units with their labels. They are those of the API, except [`LOG`] and [`INDEX`].
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

/// Units of an index that is 100 at the first figure in view. A comparison computes it by a formula.
pub(super) const INDEX: &str = "index";

/// Units of levels on a logarithmic axis. The units `log` of the API are logarithms.
pub(super) const LOG: &str = "log";

/// Maximum rows of a comparison in a chart: more than most screens have columns.
const MAX_ROWS: usize = 2_000;

/// Maximum figures in a page for its chart.
const MAX_FIGURES: usize = 6_000;

/// Frequencies with their labels, the finest first.
pub(super) const FREQUENCIES: [(&str, &str); 5] = [
    ("d", "Daily"),
    ("w", "Weekly"),
    ("m", "Monthly"),
    ("q", "Quarterly"),
    ("a", "Annual"),
];

/// Returns the query of the request with another value of one argument.
pub(super) fn query_with(request: &PageRequest, name: &str, value: &str) -> String {
    let others = request
        .form_values(&ARGUMENTS)
        .filter(|(other, _)| *other != name);
    query_string(others.chain([(name, value)]))
}

/// Returns the path of a series' figures in the API.
pub(super) fn figures_path(desk: &Desk, id: &str, request: &PageRequest) -> String {
    if request.form_value("units") == INDEX {
        return comparison_path(&index_arguments(desk, id, request));
    }
    let query = query_string(api_arguments(request));
    format!("/api/public/data/{id}{query}")
}

/// Returns the arguments of the request with the units of the API.
fn api_arguments(request: &PageRequest) -> impl Iterator<Item = (&str, &str)> {
    let arguments = request.form_values(&ARGUMENTS);
    arguments.map(|(name, value)| match name {
        "units" => (name, api_units(value)),
        _ => (name, value),
    })
}

/// Returns the units for the API: the scale of an axis does not concern it.
pub(super) fn api_units(units: &str) -> &str {
    if units == LOG { "" } else { units }
}

/// Returns the path of a comparison in the API.
pub(super) fn comparison_path(arguments: &Arguments) -> String {
    let texts = arguments.iter();
    let pairs = texts.map(|(name, value)| (&**name, value.as_str().unwrap_or_default()));
    format!("/api/public/compare{}", query_string(pairs))
}

/// The figures of a view.
pub(super) struct View {
    pub(super) spec: ChartSpec,
    /// For a past reference day: how the figures differ from those of today.
    pub(super) comparison: Option<VintageComparison>,
    /// The two levels of a yearly change: "334.131 in August 2026, 323.291 a year earlier".
    pub(super) level: String,
}

/// Loads the figures of a series as a chart. Figures of a past reference day stand behind those of today and are compared
/// with them.
///
/// # Errors
/// The error of the endpoint.
pub(super) fn load(
    desk: &Desk,
    id: &str,
    request: &PageRequest,
    answers: &mut Answers,
) -> Result<View> {
    let mut comparison = None;
    let mut level = None;
    let spec = if answers.is_forwarded {
        let answer: TimeSeriesAnswer = answers.read()?;
        charts::plot(&answer)
    } else if request.form_value("units") == INDEX {
        let answer = call::<Params>(desk, index_arguments(desk, id, request))?;
        charts::plot_comparison(request, &answer, None).0
    } else {
        let arguments = api_arguments(request).chain([("seriesId", id)]);
        let answer = time_series::read_all_rows(desk, endpoint_arguments(arguments))?;
        let mut spec = charts::plot(&answer);
        level = answer.provenance.notes.get("level").cloned();
        comparison = vintages::add_latest(desk, id, request, &answer, &mut spec)?;
        spec
    };
    Ok(View {
        spec: with_axes(spec, request),
        comparison,
        level: level.unwrap_or_default(),
    })
}

/// Applies the logarithmic axes that the units of a request may name.
pub(super) fn with_axes(spec: ChartSpec, request: &PageRequest) -> ChartSpec {
    match request.form_value("units") {
        LOG => spec.with_log_axes(),
        _ => spec,
    }
}

/// Returns the endpoint call for the figures of a series.
pub(super) fn figures_call(id: &str, request: &PageRequest) -> EndpointCall {
    let arguments = api_arguments(request).chain([("seriesId", id)]);
    EndpointCall::new("get_time_series", arguments)
}

/// Returns the arguments of `compare_series` for the index of a series.
fn index_arguments(desk: &Desk, id: &str, request: &PageRequest) -> Arguments {
    let start = range_start(desk, request, request.form_value("start"));
    comparison_arguments(request, id, &start)
}

/// Splits a list of series and formulas.
pub(super) fn split_list(text: &str) -> impl Iterator<Item = &str> {
    parts(text).filter(|part| !part.is_empty())
}

/// Returns whether a name is an identifier and not a formula.
pub(super) fn is_identifier(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the arguments of `compare_series` for a list of series and formulas.
pub(super) fn comparison_arguments(request: &PageRequest, list: &str, start: &str) -> Arguments {
    let mut series = list.to_owned();
    let mut units = api_units(request.form_value("units"));
    if units == INDEX {
        let base = match request.form_value("base") {
            "" => String::new(),
            day => format!(",\"{}\"", day.replace('"', "")),
        };
        let formulas = split_list(list).map(|name| format!("index({name}{base})"));
        (series, units) = (join(formulas, ","), "");
    }
    // A past reference day draws two lines for each series.
    let vintages = 1 + usize::from(request.argument("as_of").is_some());
    let lines = split_list(list).count().max(1) * vintages;
    let rows = (MAX_FIGURES / lines).clamp(2, MAX_ROWS).to_string();
    endpoint_arguments([
        ("series", &*series),
        ("start", start),
        ("end", request.form_value("end")),
        ("units", units),
        ("frequency", request.form_value("frequency")),
        ("as_of", request.form_value("as_of")),
        ("max_points", &*rows),
    ])
}

/// Formats a list with the titles of its series; formulas stay as they are.
pub(super) fn format_titles(desk: &Desk, list: &str) -> String {
    let titles = split_list(list).map(|name| match desk.resolve("series", name) {
        Ok(info) => charts::format_title(&desk.display_id(&info.id), Some(&info.title)),
        Err(_) => name.to_owned(),
    });
    join(titles, ", ")
}

/// Formats the arguments that have a value as a query string with its question mark; empty where there is none.
pub(super) fn query_string<'a>(arguments: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(arguments.into_iter().filter(|(_, value)| !value.is_empty()));
    match query.finish() {
        query if query.is_empty() => query,
        query => format!("?{query}"),
    }
}

/// Returns the first day of a range that ends on the reference day. Any other text is returned as it is.
pub(super) fn range_start(desk: &Desk, request: &PageRequest, range: &str) -> String {
    // The endpoint reports an error.
    let reference_day = desk.reading_day(request.as_of(desk).unwrap_or(AsOf::Latest));
    match RANGES.iter().find(|(label, _)| *label == range) {
        Some((_, 0)) => "1700-01-01".to_owned(),
        Some((_, years)) => shift(reference_day, (-*years).years()).to_string(),
        None => range.to_owned(),
    }
}

/// Builds the arguments of an endpoint from those that have a value.
pub(super) fn endpoint_arguments<'a>(
    arguments: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Arguments {
    let stated = arguments.into_iter().filter(|(_, value)| !value.is_empty());
    stated
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect()
}

/// Calls an endpoint over the figures of this server.
///
/// # Errors
/// The error of the endpoint.
pub(super) fn call<E: Endpoint>(desk: &Desk, arguments: Arguments) -> Result<E::Output> {
    E::local(desk, &decode::params_of(arguments)?)
}
