//! Where the code of a widget is put together, with the widget as it will be at three sizes.

use super::asked::PageRequest;
use super::document::Document;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::text::encoded;
use super::view::{RANGES, UNITS, options, query};
use super::{assets, figures, view};
use askama::Template;
use econoscope_answers::endpoints::decode::parts;
use econoscope_core::error::Result;
use econoscope_data::desk::Desk;

/// What the page is told.
pub(super) const ARGUMENTS: [&str; 7] =
    ["show", "series", "range", "start", "end", "units", "theme"];

/// What widgets show.
const SHOWN: [(&str, &str); 3] = [
    ("", "Series"),
    ("regime", "Macro regime"),
    ("recession", "Recession probability"),
];
const THEMES: [(&str, &str); 3] = [
    ("", "As the reader prefers"),
    ("light", "Light"),
    ("dark", "Dark"),
];

#[derive(Template)]
#[template(path = "embed.html")]
struct Page<'a> {
    frame: Frame,
    asked: &'a PageRequest,
    is_series: bool,
    series: &'a str,
    range: &'a str,
    /// What the widget shows.
    title: String,
    /// Address of the widget.
    widget: String,
}

pub(super) fn page(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let description = "The code that puts a chart, the regime or a figure into your own page.";
    let frame = Frame::of(desk, "Embed", description, "/embed")?;
    let series = asked.argument("series").unwrap_or("DGS10");
    let range = match asked.given("range") {
        range if RANGES.iter().any(|(label, _)| *label == range) => range,
        _ => "10y",
    };
    let page = Page {
        frame: frame.lively("", "/chart/DGS10.png".into()),
        is_series: !matches!(asked.given("show"), "regime" | "recession"),
        title: match asked.given("show") {
            "regime" => figures::REGIME.to_owned(),
            "recession" => figures::RECESSION.to_owned(),
            _ => view::titles(desk, series),
        },
        widget: widget(asked, series, range),
        asked,
        series,
        range,
    };
    html(&page, assets::path())
}

/// The address of the widget that was chosen.
fn widget(asked: &PageRequest, series: &str, range: &str) -> String {
    let (theme, units) = (("theme", asked.given("theme")), asked.given("units"));
    if let show @ ("regime" | "recession") = asked.given("show") {
        return format!("/widget/{show}{}", query([theme].into_iter()));
    }
    // A view that was zoomed has days, and else a range.
    let days = [("start", asked.given("start")), ("end", asked.given("end"))];
    let range = if days[0].1.is_empty() { range } else { "" };
    let told = [("range", range), days[0], days[1], ("units", units), theme];
    let is_plain = series
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_');
    if parts(series).count() == 1 && is_plain && units != view::INDEX {
        let query = query(told.into_iter());
        return format!("/widget/metric/{}{query}", encoded(series));
    }
    let told = [("series", series)].into_iter().chain(told);
    format!("/widget/chart{}", query(told))
}
