//! The page that builds the code of a widget and previews it at three sizes.

use super::prelude::*;
use super::view::split_list;
use super::view::{FREQUENCIES, INDEX, RANGES, UNITS, format_titles, is_identifier};
use super::{compare, page_request, release, widgets};

pub(super) const ARGUMENTS: [&[&str]; 2] = [&compare::ARGUMENTS, &["show", "name", "theme"]];

#[derive(Template)]
#[template(path = "embed.html")]
struct Page<'a> {
    frame: Frame,
    request: &'a PageRequest,
    is_series: bool,
    /// Names and titles of the releases or scenarios to choose from.
    cards: Vec<(String, String)>,
    /// Name of the chosen card.
    name: String,
    series: &'a str,
    range: &'a str,
    /// Title of the widget.
    title: String,
    /// Path of the widget.
    widget: String,
}

pub(super) fn page(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let series = request.argument("series").unwrap_or("DGS10");
    let requested = request.form_value("range");
    let mut ranges = RANGES.iter().map(|(label, _)| *label);
    let known = ranges.find(|label| *label == requested);
    let range = known.unwrap_or(page_request::DEFAULT_RANGE);
    let kind = request.form_value("show");
    let cards = cards(desk, kind)?;
    let name = request.form_value("name");
    let named = cards.iter().find(|card| card.0 == name);
    let chosen = named.or_else(|| cards.first());
    let (name, card_title) = chosen.cloned().unwrap_or_default();
    let theme = query_string(request.form_values(&["theme"]));
    let (title, widget) = match kind {
        "regime" => (
            widgets::REGIME_TITLE.into(),
            format!("/widget/{kind}{theme}"),
        ),
        "recession" => (
            widgets::RECESSION_TITLE.into(),
            format!("/widget/{kind}{theme}"),
        ),
        "release" | "scenario" => (card_title, format!("/widget/{kind}/{name}{theme}")),
        _ => (
            format_titles(desk, series),
            series_widget(request, series, range),
        ),
    };
    render_page(&Page {
        frame: Frame::of(desk, "/embed"),
        is_series: !matches!(kind, "regime" | "recession" | "release" | "scenario"),
        title,
        widget,
        cards,
        name,
        request,
        series,
        range,
    })
}

/// Returns names and titles of the releases or scenarios; empty for other kinds.
fn cards(desk: &Desk, kind: &str) -> Result<Vec<(String, String)>> {
    match kind {
        "release" => release::figures(desk),
        "scenario" => {
            let scenarios = desk.scenarios().into_iter();
            let decided = scenarios.filter(|scenario| scenario.event.is_some());
            Ok(decided.map(|s| (s.slug.clone(), s.title.clone())).collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// Returns the path of the widget of one or more series.
fn series_widget(request: &PageRequest, series: &str, range: &str) -> String {
    // A zoomed view has days instead of a range.
    let is_zoomed = request.argument("start").is_some();
    let range = ("range", if is_zoomed { "" } else { range });
    let view = request.form_values(&["start", "end", "units", "theme"]);
    let view = [range].into_iter().chain(view);
    // Only the widget of a comparison takes these.
    let of_comparison = request.form_values(&["base", "frequency", "as_of"]);
    let is_single = split_list(series).count() == 1
        && is_identifier(series)
        && request.form_value("units") != INDEX
        && of_comparison.clone().all(|(_, value)| value.is_empty());
    if is_single {
        let query = query_string(view);
        return format!("/widget/metric/{}{query}", encode_segment(series));
    }
    let arguments = [("series", series)].into_iter().chain(view);
    let query = query_string(arguments.chain(of_comparison));
    format!("/widget/chart{query}")
}
