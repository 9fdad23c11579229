//! Widgets of the regime, the recession probability, a series, and several series.

use super::prelude::*;
use super::text::{format_metric, parse_frequency, series_decimals, series_unit};
use super::view::{INDEX, api_units, with_axes};
use super::widget_frame::Widget;
use super::{charts, compare, quadrant};
use econoscope_answers::endpoints::compare_series::ComparedColumn;
use econoscope_answers::endpoints::metric::Metric;
use econoscope_answers::endpoints::regime;
use econoscope_answers::endpoints::time_series::TimeSeriesAnswer;
use econoscope_answers::render::provenance::Provenance;
use econoscope_core::chart::render_fluid;
use econoscope_core::format::{Unit, month, short_day};
use econoscope_core::indicators::recession::CRPI;
use econoscope_core::indicators::regime::Regime;
use econoscope_core::model::Attribution;

pub(super) const REGIME_TITLE: &str = "US macro regime";
pub(super) const RECESSION_TITLE: &str = "US recession within 12 months";

/// Arguments of the widget of a series.
pub(super) const ARGUMENTS: [&str; 5] = ["theme", "range", "start", "end", "units"];

/// Default range of the recession probability.
const RECESSION_RANGE: &str = "40y";
/// Default range of a series.
const SERIES_RANGE: &str = "10y";

/// Age in days above which a widget states it.
const MAX_FRESH_DAYS: i64 = 2;

pub(super) fn regime_calls(_: &PageRequest, _: bool) -> Vec<EndpointCall> {
    vec![EndpointCall::new("get_regime", [])]
}

pub(super) fn regime(desk: &Desk, request: &PageRequest, mut answers: Answers) -> Result<Document> {
    let answer: regime::RegimeAnswer = answers.read()?;
    let provenance = &answer.provenance;
    let month = answer.month.map(|date| format!(", {}", month(date)));
    let title = format!("{REGIME_TITLE}{}", month.unwrap_or_default());
    let sources = format_sources(provenance);
    let mut widget = Widget::new(request, title, answer.attribution, sources);
    widget.date = provenance.as_of.map(short_day).unwrap_or_default();
    let age = provenance.age_days.filter(|days| *days > MAX_FRESH_DAYS);
    widget.age = age.map_or_else(String::new, |days| format!("{days} days old"));
    widget.more = format!("{}/regime", desk.settings().home());
    widget.is_side = true;
    let label = regime_label(&answer.regime);
    if answer.regime == "UNKNOWN" {
        let noted = provenance.notes.get("regime").map(String::as_str);
        let reason = noted.unwrap_or("its inputs are missing");
        widget.gap = Some(format_dates(&format!("Not known: {reason}.")));
    } else {
        widget.value = Some(label.to_owned());
        if let Some(now) = answer.growth_score.zip(answer.inflation_score) {
            widget.picture = quadrant::draw_small(now, label)?;
        }
    }
    let trajectory = answer.trajectory.to_lowercase();
    let confidence = answer.confidence;
    let note = confidence.map(|c| format!("Confidence {c} %, {trajectory}"));
    let target = answer.transition_target.as_deref().map(regime_label);
    let alternative = target.map(|label| format!("Likely alternative: {label}"));
    widget.notes = note.into_iter().chain(alternative).collect();
    widget.render_document()
}

/// Formats the sources of figures: "Bureau of Labor Statistics". Of more than two it names the first two.
pub(super) fn format_sources(provenance: &Provenance) -> String {
    let sources = provenance.sources.iter();
    let mut names: Vec<&str> = sources.map(|cited| &*cited.source).collect();
    names.dedup();
    match names.as_slice() {
        [first, second, _, ..] => format!("{first}, {second} and others"),
        few => few.join(", "),
    }
}

/// Returns the label of a regime: "Reflation".
pub(super) fn regime_label(name: &str) -> &str {
    let mut quadrants = Regime::QUADRANTS.iter();
    let quadrant = quadrants.find(|regime| regime.name() == name);
    quadrant.map_or(name, |regime| regime.title())
}

/// Returns the calls for the recession probability, of an upstream the one for the figure, wherever the upstream has it.
pub(super) fn recession_calls(request: &PageRequest, is_forwarding: bool) -> Vec<EndpointCall> {
    let [figure, history] = series_calls(CRPI.indicator.id, request, RECESSION_RANGE);
    let others = Some(history).filter(|_| !is_forwarding);
    [figure].into_iter().chain(others).collect()
}

/// Renders the widget of the recession probability: that of its series, with a band instead of changes.
pub(super) fn recession(
    desk: &Desk,
    request: &PageRequest,
    mut answers: Answers,
) -> Result<Document> {
    let id = CRPI.indicator.id;
    let (mut widget, value) = series_widget(desk, request, id, RECESSION_RANGE, &mut answers)?;
    widget.title = RECESSION_TITLE.into();
    let band = value.and_then(|value| CRPI.band(value)).map(capitalize);
    let legend = (!widget.picture.is_empty()).then(|| "40 years, recessions gray".to_owned());
    widget.notes = band.into_iter().chain(legend).collect();
    widget.render_document()
}

/// Returns the arguments for the history of a series. A long daily history is weekly, so that no row is cut off.
fn history_arguments<'a>(
    id: &str,
    request: &'a PageRequest,
    default_range: &'a str,
) -> [(&'static str, &'a str); 4] {
    let range = request.argument("range").unwrap_or(default_range);
    let info = Catalogue::embedded().get(id);
    let is_daily = info.is_some_and(|info| info.frequency == Frequency::Daily);
    let is_long = matches!(range, "10y" | "30y" | "max");
    [
        ("start", request.argument("start").unwrap_or(range)),
        ("end", request.form_value("end")),
        ("units", api_units(request.form_value("units"))),
        ("frequency", if is_daily && is_long { "w" } else { "" }),
    ]
}

/// Returns the calls for the newest figure of a series and for its history.
fn series_calls(id: &str, request: &PageRequest, default_range: &str) -> [EndpointCall; 2] {
    let view = history_arguments(id, request, default_range);
    let history = [("seriesId", id)].into_iter().chain(view);
    [
        EndpointCall::new("get_metric", [("ticker", id)]),
        EndpointCall::new("get_time_series", history),
    ]
}

/// Returns the calls for a series, of an upstream one: the figures of a view that the request names, else the newest figure.
pub(super) fn metric_calls(request: &PageRequest, is_forwarding: bool) -> Vec<EndpointCall> {
    let [newest, view] = series_calls(&request.name, request, SERIES_RANGE);
    if !is_forwarding {
        return vec![newest, view];
    }
    vec![if names_view(request) { view } else { newest }]
}

/// Whether a request for the widget of a series names other figures than the newest.
fn names_view(request: &PageRequest) -> bool {
    let mut names = ARGUMENTS.iter().filter(|name| **name != "theme");
    names.any(|name| request.argument(name).is_some())
}

pub(super) fn metric(desk: &Desk, request: &PageRequest, mut answers: Answers) -> Result<Document> {
    let name = &request.name;
    if answers.is_forwarded && names_view(request) {
        let history: TimeSeriesAnswer = answers.read()?;
        let title = &*history.display_name;
        let sources = format_sources(&history.provenance);
        let credit = Attribution {
            text: history.attribution.text.clone(),
            url: history.attribution.url.clone(),
        };
        let mut widget = Widget::new(request, title, credit, sources);
        let home = desk.settings().home();
        widget.more = format!("{home}/series/{}", encode_segment(name));
        widget.source = history_path(name, name, request, SERIES_RANGE);
        add_history(&mut widget, &history, request);
        return widget.render_document();
    }
    let (widget, _) = series_widget(desk, request, name, SERIES_RANGE, &mut answers)?;
    widget.render_document()
}

/// Builds the widget of a series, and returns its newest value.
fn series_widget(
    desk: &Desk,
    request: &PageRequest,
    name: &str,
    default_range: &str,
    answers: &mut Answers,
) -> Result<(Widget, Option<f64>)> {
    let metric: Metric = answers.read()?;
    let id = encode_segment(&metric.ticker);
    let sources = format_sources(&metric.provenance);
    let title = &*metric.display_name;
    let mut widget = Widget::new(request, title, metric.attribution.clone(), sources);
    widget.more = format!("{}/series/{id}", desk.settings().home());
    widget.notes = format_changes(desk, &metric);
    if metric.stale == Some(true) {
        widget.age = "old".to_owned();
    }
    let format_date = |date| format_short_period(date, metric.frequency.as_deref());
    widget.date = metric.date.map(format_date).unwrap_or_default();
    let Some(value) = metric.value else {
        let noted = metric.provenance.notes.get("value").map(String::as_str);
        let note = noted.unwrap_or("The source gives no value.");
        // The title names the series already.
        let reason = note.strip_prefix("No data for ");
        let gap = match reason.and_then(|rest| rest.split_once("): ")) {
            Some((_, reason)) => format!("No figure: {reason}."),
            None => note.to_owned(),
        };
        widget.gap = Some(format_dates(&gap.replace('`', "")));
        return Ok((widget, None));
    };
    let (number, unit) = format_metric(desk, &metric, value);
    (widget.value, widget.unit) = (Some(number), unit);
    // A widget can do without its chart, but an invalid argument is an error.
    let history: TimeSeriesAnswer = match answers.read() {
        Ok(history) => history,
        Err(error @ Error::InvalidParam { .. }) => return Err(error),
        Err(_) => return Ok((widget, Some(value))),
    };
    widget.source = history_path(&metric.ticker, name, request, default_range);
    add_history(&mut widget, &history, request);
    Ok((widget, Some(value)))
}

/// Adds the picture of a history. In other units, up to an earlier day, or without a figure yet, the newest one of the
/// picture is the figure.
fn add_history(widget: &mut Widget, history: &TimeSeriesAnswer, request: &PageRequest) {
    let spec = with_axes(charts::plot(history), request);
    widget.is_log = spec.is_log;
    let units = api_units(request.form_value("units"));
    let is_other = !units.is_empty() || request.argument("end").is_some() || widget.value.is_none();
    if let Some(newest) = history.data.last().filter(|_| is_other) {
        let decimals = usize::from(spec.decimals);
        let (number, unit) = series_unit(history).format_parts(newest.value, decimals);
        (widget.value, widget.unit) = (Some(number), unit);
        widget.notes = match units {
            "" => Vec::new(),
            _ => vec![history.unit.clone()],
        };
        widget.date = format_short_period(newest.date, history.frequency.as_deref());
    }
    widget.picture = render_fluid(&spec);
}

/// Returns the path of the history of a series in the API; `id` is its identifier there.
fn history_path(id: &str, name: &str, request: &PageRequest, default_range: &str) -> String {
    let query = query_string(history_arguments(name, request, default_range));
    format!("/api/public/data/{}{query}", encode_segment(id))
}

/// Renders the widget of several series.
pub(super) fn comparison(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let answer = compare::fetch(desk, request)?;
    let title = charts::format_titles(&answer);
    let sources = compare::publishers(desk, &answer);
    let mut widget = Widget::new(request, title, desk.attribution(), sources);
    let home = desk.settings().home();
    widget.more = format!("{home}/compare{}", compare::page_query(request));
    widget.source = compare::source(desk, request);
    let units = request.form_value("units");
    let (spec, others) = charts::plot_comparison(request, &answer, None);
    widget.is_log = spec.is_log;
    let panels = [&spec].into_iter().chain(&others);
    widget.picture = panels.map(render_fluid).collect();
    let note = |column: &ComparedColumn| {
        let unit = if units == INDEX { "" } else { &*column.unit };
        let value = Unit::parse(unit, unit).write(column.latest, 2);
        format!("{} {value}", column.series)
    };
    widget.notes = answer.columns.iter().map(note).collect();
    widget.is_legend = true;
    let newest = answer.columns.iter().map(|column| column.date).max();
    widget.date = newest.map(short_day).unwrap_or_default();
    widget.render_document()
}

/// Formats the recent changes of a metric: "+0.02 in 7 days", "−0.10 from the month before".
pub(super) fn format_changes(desk: &Desk, metric: &Metric) -> Vec<String> {
    let decimals = series_decimals(desk, &metric.ticker, metric.value.unwrap_or_default());
    let unit = Unit::parse(metric.changes.unit.as_deref().unwrap_or(&metric.unit), "");
    let month = match metric.frequency.as_deref() {
        Some("monthly") => "from the month before",
        Some(_) | None => "in 30 days",
    };
    let week = metric.changes.week.map(|change| (change, "in 7 days"));
    let changes = week
        .into_iter()
        .chain(metric.changes.month.map(|change| (change, month)));
    changes
        .map(|(change, span)| format!("{} {span}", unit.format_change(change, decimals)))
        .collect()
}

/// Formats a period in little room: "24 Aug 2026", "June 2026", "Q2 2026".
fn format_short_period(date: Date, frequency: Option<&str>) -> String {
    let frequency = parse_frequency(frequency);
    if frequency < Frequency::Monthly {
        return short_day(date);
    }
    period(date, frequency)
}
