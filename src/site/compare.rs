//! The page that compares series and formulas: a chart, and the answer of `compare_series` as tables.

use super::charts::{self, Panels};
use super::prelude::*;
use super::text::{describe_data_age, parse_frequency, value_decimals};
use super::view::{FREQUENCIES, INDEX, RANGES, UNITS, comparison_arguments, comparison_path};
use super::view::{is_identifier, range_start, split_list};
use super::vintages::Vintages;
use super::{page_request, view};
use econoscope_answers::endpoints::compare_series::{ComparedColumn, Comparison, Params};
use econoscope_answers::route::decode;
use econoscope_answers::{Arguments, Endpoint};
use econoscope_core::chart::ChartSpec;
use econoscope_core::format::{Unit, unit_name};
use std::collections::BTreeSet;

pub(super) const ARGUMENTS: [&str; 8] = [
    "series",
    "range",
    "start",
    "end",
    "units",
    "base",
    "frequency",
    "as_of",
];

#[derive(Template)]
#[template(path = "compare.html")]
struct Page<'a> {
    frame: Frame,
    request: &'a PageRequest,
    /// Series and formulas as written.
    names: Vec<&'a str>,
    /// Why they cannot be compared; empty otherwise.
    error: String,
    content: Option<Content>,
}

/// An answer and its chart.
struct Content {
    answer: Comparison,
    /// The answer in the chart, as JSON of the API, and the one of a past reference day.
    json: String,
    json_then: Option<String>,
    /// For a past reference day: how each column differs from that of today.
    differences: Vec<String>,
    source: String,
    /// Who publishes the figures.
    publishers: String,
    /// The chart and the panels below it.
    panels: Panels,
    /// Paths and names of pages that combine two series into one.
    combinations: Vec<(String, String)>,
    title: String,
}

impl Content {
    /// Returns the units of the chart and of its panels.
    fn unit(&self) -> String {
        let (first, others) = &self.panels;
        let specs = [first].into_iter().chain(others);
        join(specs.map(ChartSpec::unit_heading), "; ")
    }

    /// Returns the first date with a figure; a range may begin long before it.
    fn first_day(&self) -> Date {
        let first = self.answer.dates.first();
        first.map_or(self.answer.start, |first| self.answer.start.max(*first))
    }

    /// Returns why requested series have no column, or else the other notes.
    fn notes(&self, names: &[&str], are_gaps: bool) -> impl Iterator<Item = &String> {
        let is_name = |key: &str| names.iter().any(|name| name.eq_ignore_ascii_case(key));
        let notes = self.answer.provenance.notes.iter();
        let wanted = notes.filter(move |(key, _)| is_name(key) == are_gaps);
        wanted.map(|(_, note)| note)
    }

    /// Formats a date of the answer as a period.
    fn period(&self, date: &Date) -> String {
        period(*date, parse_frequency(Some(&self.answer.frequency)))
    }
}

pub(super) fn page(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let names: Vec<&str> = split_list(request.form_value("series")).collect();
    let query = page_query(request);
    let picture = (!names.is_empty()).then(|| format!("/chart/compare.png{query}"));
    let frame = Frame::of(desk, "/compare");
    let mut page = Page {
        frame: frame.with_preview(&query, picture),
        request,
        names,
        error: String::new(),
        content: None,
    };
    if page.names.is_empty() {
        return render_page(&page);
    }
    match fetch(desk, request) {
        Ok(answer) => {
            page.frame.data_age = describe_data_age(request.as_of(desk)?, &answer.provenance);
            let content = content(desk, request, &page.names, answer)?;
            page.frame.title = format!("{} – {}", content.title, page.frame.service);
            page.content = Some(content);
            render_page(&page)
        }
        Err(error) if error.code() == "internal" => Err(error),
        Err(error) => {
            let near = join(error.suggestions().iter().map(|s| &s.id), ", ");
            page.error = error.to_string() + &enclosed(" Similar names: ", &near, ".");
            Ok(render_page(&page)?.with_error(&error))
        }
    }
}

impl Page<'_> {
    /// Returns each series with a link to the page without it.
    fn chips(&self) -> impl Iterator<Item = (String, &&str)> {
        self.names.iter().enumerate().map(|(i, name)| {
            let mut others = self.names.clone();
            others.remove(i);
            (self.example(&others.join(",")), name)
        })
    }

    /// Returns the path of the page with other series.
    fn example(&self, series: &str) -> String {
        path_with(self.request, &[("series", series)])
    }

    /// Returns the path of the page with another range.
    fn range(&self, range: &str) -> String {
        let changes = [("range", range), ("start", ""), ("end", "")];
        path_with(self.request, &changes)
    }

    /// Returns the current range; empty where the request has a first day.
    fn current_range(&self) -> &str {
        match self.request.argument("start") {
            Some(_) => "",
            None => requested_range(self.request),
        }
    }
}

fn requested_range(request: &PageRequest) -> &str {
    let range = request.argument("range");
    range.unwrap_or(page_request::DEFAULT_RANGE)
}

/// Returns the arguments of the page as a query string.
pub(super) fn page_query(request: &PageRequest) -> String {
    query_string(request.form_values(&ARGUMENTS))
}

/// Fetches the comparison of a page, picture or widget.
///
/// # Errors
/// The error of the endpoint.
pub(super) fn fetch(desk: &Desk, request: &PageRequest) -> Result<Comparison> {
    view::call::<Params>(desk, arguments(desk, request))
}

/// Compares the figures of a past reference day with those of today: returns the comparison of today, and a sentence on
/// each column. `None` for today.
///
/// # Errors
/// The error of the endpoint.
pub(super) fn compare_vintages(
    desk: &Desk,
    request: &PageRequest,
    then: &Comparison,
) -> Result<Option<(Comparison, Vec<String>)>> {
    let AsOf::Day(day) = request.as_of(desk)? else {
        return Ok(None);
    };
    let mut arguments = arguments(desk, request);
    arguments.retain(|name, _| name != "as_of");
    let now = view::call::<Params>(desk, arguments)?;
    let is_complete = [then, &now].iter().all(|o| o.dates.len() >= o.rows);
    let difference = |old: &ComparedColumn| {
        let Some(new) = charts::same_column(&now, old) else {
            let series = &old.series;
            let unit = &old.unit;
            let day = format_day(day);
            return format!(
                "{series}: what was published on {day} was in another unit, {unit}, and is not drawn."
            );
        };
        let vintages = Vintages {
            then: charts::column_line(then, old),
            now: charts::column_line(&now, new),
            day,
            vintage: then.provenance.vintage(),
            unit: Unit::parse(&old.unit, &old.unit),
            short: old.unit.clone(),
            decimals: value_decimals(old.latest).min(2),
        };
        let newest = vintages.describe_newest(&old.series);
        // A shortened line lacks figures, so that its revisions cannot be counted.
        if is_complete {
            newest + &vintages.describe_revisions()
        } else {
            newest
        }
    };
    let differences = then.columns.iter().map(difference).collect();
    Ok(Some((now, differences)))
}

/// Returns the arguments of the endpoint, with the first day of the range.
fn arguments(desk: &Desk, request: &PageRequest) -> Arguments {
    let start = match request.argument("start") {
        Some(day) => day.to_owned(),
        None => range_start(desk, request, requested_range(request)),
    };
    let mut arguments = comparison_arguments(request, request.form_value("series"), &start);
    arguments.insert("correlations".to_owned(), "true".into());
    arguments
}

/// Returns the path of the comparison in the API.
pub(super) fn source(desk: &Desk, request: &PageRequest) -> String {
    comparison_path(&arguments(desk, request))
}

/// Returns the path of the page with other values of some arguments.
fn path_with(request: &PageRequest, changes: &[(&str, &str)]) -> String {
    let arguments = request.form_values(&ARGUMENTS).map(|(name, value)| {
        let change = changes.iter().find(|(changed, _)| *changed == name);
        *change.unwrap_or(&(name, value))
    });
    format!("/compare{}", query_string(arguments))
}

fn content(
    desk: &Desk,
    request: &PageRequest,
    names: &[&str],
    answer: Comparison,
) -> Result<Content> {
    let vintages = compare_vintages(desk, request, &answer)?;
    let now = vintages.as_ref().map(|(now, _)| now);
    let json = |answer: &Comparison| {
        let json = serde_json::to_string(answer)
            .map_err(|e| Error::internal("writing a comparison", e))?;
        // `</script>` in a text must not end the element around it.
        Ok::<_, Error>(json.replace('<', "\\u003c"))
    };
    Ok(Content {
        json: json(now.unwrap_or(&answer))?,
        json_then: now.map(|_| json(&answer)).transpose()?,
        source: source(desk, request),
        publishers: publishers(desk, &answer),
        panels: charts::plot_comparison(request, &answer, now),
        combinations: combinations(request, names, &answer),
        title: charts::format_titles(&answer),
        differences: vintages.map(|v| v.1).unwrap_or_default(),
        answer,
    })
}

/// Names everybody who publishes figures of a comparison; of a series that the answer does not cite, by the catalogue.
pub(super) fn publishers(desk: &Desk, answer: &Comparison) -> String {
    let cited = &answer.provenance.sources;
    let mut names: Vec<String> = cited.iter().map(|cited| cited.source.clone()).collect();
    let cited_ids: Vec<&str> = cited
        .iter()
        .flat_map(|c| &c.series)
        .map(|id| &**id)
        .collect();
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let ids = answer.columns.iter().flat_map(|c| c.series.split(is_end));
    for id in ids.filter(|word| word.len() > 2) {
        let known = desk.find_id(id).ok().flatten();
        let info = known.and_then(|id| Catalogue::embedded().get(id.as_str()));
        let is_cited = |info: &SeriesInfo| cited_ids.contains(&info.id.as_str());
        if let Some(info) = info.filter(|info| !info.is_composite() && !is_cited(info)) {
            names.push(info.source.clone());
        }
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    join(names, ", ")
}

/// Renders every row of a comparison as CSV, a column for each series or formula.
///
/// # Errors
/// The error of the endpoint.
pub(super) fn csv(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let mut arguments = arguments(desk, request);
    arguments.remove("correlations");
    let params: Params = decode::params_of(arguments)?;
    let answer = Params::local(desk, &params.with_all_rows())?;
    let mut writer = csv::Writer::from_writer(Vec::new());
    let fault = |e: csv::Error| Error::internal("writing a comparison as CSV", e);
    let names = answer.columns.iter().map(|column| column.series.as_str());
    let header = std::iter::once("observation_date").chain(names);
    writer.write_record(header).map_err(fault)?;
    for (row, date) in answer.dates.iter().enumerate() {
        let values = answer.columns.iter().map(|column| {
            let value = column.values.get(row).copied().flatten();
            value.map_or_else(String::new, |value| value.to_string())
        });
        let record = std::iter::once(date.to_string()).chain(values);
        writer.write_record(record).map_err(fault)?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|e| fault(e.into_error().into()))?;
    Ok(Document::data("text/csv; charset=utf-8", bytes))
}

/// Returns links that combine two series: their difference where they have one unit, else their ratio.
fn combinations(
    request: &PageRequest,
    names: &[&str],
    answer: &Comparison,
) -> Vec<(String, String)> {
    let ([a, b], [first, second]) = (names, &*answer.columns) else {
        return Vec::new();
    };
    // Formulas of formulas would lead to ever more pages.
    if !names.iter().all(|name| is_identifier(name)) {
        return Vec::new();
    }
    let (label, sign) = if first.unit == second.unit {
        ("Spread", "-")
    } else {
        ("Ratio", "/")
    };
    let formula = format!("{a}{sign}{b}");
    let path = |series: &str| path_with(request, &[("series", series)]);
    let beside = path(&format!("{a},{b},{formula}"));
    vec![
        (path(&formula), format!("{label}: {formula}")),
        (beside, format!("{label} beside them")),
    ]
}
