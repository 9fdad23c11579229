//! What an indicator is made of, or what moved a figure: a waterfall as page and picture, with its figures as a table.

use super::prelude::*;
use super::text::{describe_data_age, format_points};
use super::view;
use super::widgets::{format_sources, regime_label};
use super::{charts, cite, pictures};
use econoscope_answers::endpoints::explain_indicator::{
    ExplainedInput, Explanation, Params, Score, all_indicators,
};
use econoscope_core::chart::{Bar, ChartSpec};
use econoscope_core::format::{day, number, unit_name};
use econoscope_core::indicators::drivers::{Rule, Whole};
use econoscope_core::indicators::indicators;
use econoscope_core::model::quantity::spell_out_unit;
use econoscope_core::model::series_info::round_to;

/// Arguments of the page, named as in the API.
pub(super) const ARGUMENTS: [&str; 3] = ["date", "since", "as_of"];

/// Spans of a change with their labels.
const SPANS: [(&str, &str); 4] = [
    ("", "As usual"),
    ("1m", "One month"),
    ("3m", "Three months"),
    ("1y", "A year"),
];

#[derive(Template)]
#[template(path = "why.html")]
struct Page<'a> {
    frame: Frame,
    request: &'a PageRequest,
    answer: Explanation,
    /// The figure with parts that it is about.
    whole: Option<&'static Whole>,
    charts: Vec<ChartSpec>,
    query: String,
}

/// Returns identifiers and titles of everything that has such a page.
fn subjects() -> impl Iterator<Item = (&'static str, &'static str)> {
    let title = |id| Catalogue::embedded().get(id).map_or(id, |info| &info.title);
    let wholes = Whole::all().iter();
    let figures = wholes.map(move |w| (w.series, title(w.series)));
    figures.chain(all_indicators().map(|i| (i.ticker(), i.definition().title)))
}

/// Returns the names of everything that has such a page.
pub(super) fn names() -> Vec<&'static str> {
    subjects().map(|(id, _)| id).collect()
}

/// Returns the path of the page that explains a series; `None` where nothing does.
pub(super) fn path_of(id: &str) -> Option<String> {
    let mut wholes = Whole::all().iter();
    let whole = wholes.find(|w| [w.series, w.total].contains(&id));
    let own = || Some(indicators().find(|i| i.id == id)?.ticker());
    let name = whole.map(|w| w.series).or_else(own);
    name.map(|name| format!("/why/{name}"))
}

/// Calls `explain_indicator`.
///
/// # Errors
/// The error of the endpoint.
fn explain(desk: &Desk, request: &PageRequest, name: &str) -> Result<Explanation> {
    let arguments = request.form_values(&ARGUMENTS).chain([("indicator", name)]);
    view::call::<Params>(desk, endpoint_arguments(arguments))
}

/// Draws a waterfall of each score.
fn waterfalls(answer: &Explanation) -> Vec<ChartSpec> {
    let draw = |score| waterfall(answer, score);
    answer.scores.iter().filter_map(draw).collect()
}

pub(super) fn page(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let answer = explain(desk, request, &request.name)?;
    let charts = waterfalls(&answer);
    let title = charts.first().map_or(&answer.name, |chart| &chart.title);
    let name = &answer.name;
    let description = format!("{name}: what it is made of and what moved it, part by part.");
    let query = query_string(request.form_values(&ARGUMENTS));
    let path = format!("/why/{}", answer.indicator);
    let mut frame = Frame::new(desk, title, &description, &path);
    frame.data_age = describe_data_age(request.as_of(desk)?, &answer.provenance);
    if !charts.is_empty() {
        frame.picture = format!("/chart{path}.png{query}");
    }
    render_page(&Page {
        whole: whole_of(&answer),
        frame,
        request,
        answer,
        charts,
        query,
    })
}

/// Renders the waterfall as a picture.
///
/// # Errors
/// Those of the endpoint; [`Error::NoData`] without a value; [`Error::InvalidParam`] for an unknown theme, size or format.
pub(super) fn picture(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let answer = explain(desk, request, pictures::name(request))?;
    let charts = waterfalls(&answer);
    let Some((first, others)) = charts.split_first() else {
        let reason = answer.provenance.notes.get("value").cloned();
        return Err(Error::no_data(&answer.name, reason.unwrap_or_default()));
    };
    let mut spec = first.clone();
    // The address shows the same on a later day.
    let today = desk.today().to_string();
    let as_of = request.argument("as_of").unwrap_or(&today);
    let month = month(&answer);
    let dated = match whole_of(&answer) {
        Some(_) => ("date", month.as_str()),
        None => ("as_of", as_of),
    };
    let query = query_string([dated, ("since", request.form_value("since"))]);
    let host = cite::host(desk);
    let credit = desk.attribution().text;
    spec.credit = format!("{credit}, {host}/why/{}{query}", answer.indicator);
    spec.source = format_sources(&answer.provenance);
    pictures::render(desk, request, spec, others)
}

/// Returns the figure with parts that an answer is about.
fn whole_of(answer: &Explanation) -> Option<&'static Whole> {
    Whole::all().iter().find(|w| w.series == answer.indicator)
}

/// Returns the month of the value: "2026-08".
fn month(answer: &Explanation) -> String {
    let date = answer.scores.first().and_then(|score| score.date);
    date.map_or_else(String::new, |date| date.strftime("%Y-%m").to_string())
}

/// Draws a score from its base over each input to its value. What rounding leaves is a bar, so that the labels add up.
fn waterfall(answer: &Explanation, score: &Score) -> Option<ChartSpec> {
    let whole = whole_of(answer);
    let is_count = whole.is_some_and(|w| w.rule == Rule::Sum);
    // All labels have one scale and the same decimals, so that they add up as they are read.
    let [factor, decimals] = if is_count { [1_000, 0] } else { [1, 2] };
    let scaled = |value: f64| round_to(value * f64::from(factor), decimals);
    let bar = |name: &str, value: f64, before: Option<f64>, is_total: bool| Bar {
        name: capitalize(name),
        value: scaled(value),
        before: before.filter(|_| whole.is_none()).map(scaled),
        is_total,
        link: String::new(),
    };
    let own = answer.inputs.iter().filter(|i| i.score == score.name);
    let part = |input: &ExplainedInput| {
        let id = input.series.split(", ").next().unwrap_or_default();
        Some(Bar {
            link: format!("/series/{id}"),
            ..bar(&input.name, input.points?, input.points_before, false)
        })
    };
    let mut bars: Vec<Bar> = own.filter_map(part).collect();
    if whole.is_some() {
        bars.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    } else if score.base != 0.0 {
        bars.insert(0, bar("base", score.base, Some(score.base_before), true));
    }
    let total = bar(&score.name, score.value?, score.value_before, true);
    let rest = total.value - bars.iter().map(|bar| bar.value).sum::<f64>();
    if round_to(rest, decimals) != 0.0 {
        let name = "rest and rounding";
        bars.push(bar(name, rest / f64::from(factor), None, false));
    }
    let unit = short_unit(&score.unit);
    let name = answer.name.split(" (").next().unwrap_or_default();
    let mut spec = ChartSpec {
        lead: lead(answer),
        unit: capitalize(&unit_name(if is_count { &unit } else { &score.unit })),
        unit_short: unit,
        decimals: if is_count { 0 } else { 2 },
        ..ChartSpec::default()
    };
    let regime = || Some(regime_label(answer.label.as_deref()?).to_lowercase());
    spec.title = match (whole, answer.scores.as_slice()) {
        (Some(_), _) => format!("What drove {name}?"),
        (None, [_]) => format!("Why {}? {name}", total.label(&spec)),
        (None, _) => format!("Why {}? {name}", regime()?),
    };
    if whole.is_none() {
        spec.unit += &format!("; pale: as known on {}", day(answer.before));
    }
    bars.push(total);
    spec.bars = bars;
    Some(spec)
}

/// Returns the unit behind each label.
fn short_unit(unit: &str) -> String {
    match unit {
        "thous" => "people".to_owned(),
        "percentage points" | "points around target" => "points".to_owned(),
        // The font of pictures has no Greek letters.
        "standard deviations" => "SD".to_owned(),
        // An amount of dollars would be written in its own size: millions here, trillions there.
        unit => spell_out_unit(unit).replace(" dollars", ""),
    }
}

/// Returns the sentence on what moved the value, without the identifier of a series.
fn lead(answer: &Explanation) -> String {
    let text = format_dates(&answer.moved);
    if let Some((head, rest)) = text.split_once(" [")
        && let Some((_, tail)) = rest.split_once(']')
    {
        return format!("{head}{tail}");
    }
    text
}
