//! Where the code of a widget is put together, with the widget as it will be at three sizes.

use super::asked::PageRequest;
use super::document::Document;
use super::frame::{Frame, html};
use super::questions::Answers;
use super::text::encoded;
use super::view::{RANGES, UNITS, options, query};
use super::{assets, figures, release, view};
use askama::Template;
use econoscope_answers::endpoints::decode::parts;
use econoscope_core::error::Result;
use econoscope_data::desk::Desk;

/// What the page is told.
pub(super) const ARGUMENTS: [&str; 8] = [
    "show", "name", "series", "range", "start", "end", "units", "theme",
];

/// What widgets show.
const SHOWN: [(&str, &str); 5] = [
    ("", "Series"),
    ("regime", "Macro regime"),
    ("recession", "Recession probability"),
    ("release", "Release card"),
    ("scenario", "Scenario dial"),
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
    /// Names and titles of the cards of the kind that is shown, and the name that is chosen.
    cards: Vec<(String, String)>,
    name: String,
    series: &'a str,
    range: &'a str,
    /// What the widget shows.
    title: String,
    /// Address of the widget.
    widget: String,
}

pub(super) fn page(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let description = "The code that puts a chart, the regime or a figure into your own page.";
    let mut frame = Frame::of(desk, "Embed", description, "/embed")?;
    frame.script = assets::path();
    let series = asked.argument("series").unwrap_or("DGS10");
    let range = match asked.given("range") {
        range if RANGES.iter().any(|(label, _)| *label == range) => range,
        _ => "10y",
    };
    let show = asked.given("show");
    let cards = cards(desk, show)?;
    let mut named = cards.iter().filter(|(name, _)| name == asked.given("name"));
    let card = named.next().or_else(|| cards.first());
    let (name, title) = card.cloned().unwrap_or_default();
    let theme = query([("theme", asked.given("theme"))].into_iter());
    let page = Page {
        is_series: !SHOWN.iter().skip(1).any(|(shown, _)| *shown == show),
        title: match show {
            "regime" => figures::REGIME.to_owned(),
            "recession" => figures::RECESSION.to_owned(),
            "release" | "scenario" => title,
            _ => view::titles(desk, series),
        },
        widget: match show {
            "regime" | "recession" => format!("/widget/{show}{theme}"),
            "release" | "scenario" => format!("/widget/{show}/{name}{theme}"),
            _ => widget(asked, series, range),
        },
        frame,
        cards,
        name,
        asked,
        series,
        range,
    };
    html(&page, assets::path())
}

/// Names and titles of what has a card of a kind; nothing for what is of no name.
fn cards(desk: &Desk, show: &str) -> Result<Vec<(String, String)>> {
    match show {
        "release" => release::figures(desk),
        "scenario" => {
            let all = desk.scenarios().into_iter();
            let decided = all.filter(|scenario| scenario.event.is_some());
            Ok(decided
                .map(|scenario| (scenario.slug.clone(), scenario.title.clone()))
                .collect())
        }
        _ => Ok(Vec::new()),
    }
}

/// The address of the widget of a series or of several.
fn widget(asked: &PageRequest, series: &str, range: &str) -> String {
    let (theme, units) = (("theme", asked.given("theme")), asked.given("units"));
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
