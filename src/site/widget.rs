//! The frame of widgets for other people's pages: figure, chart, change, date, credit, at any size from 160 by 90.
//!
//! What is shown first is still; the charts' script is fetched when somebody touches or focuses the widget.

use super::document::Frames;
use super::fault::{heading, said};
use super::prelude::*;
use super::text::encoded;
use econoscope_core::model::Attribution;
use std::sync::LazyLock;

/// Colours, then what all surfaces share, then the widgets' own.
static STYLE: LazyLock<String> = LazyLock::new(|| {
    [
        econoscope_core::chart::STYLE,
        include_str!("../../templates/base.css"),
        econoscope_core::chart::SCRIPT_STYLE,
        include_str!("../../templates/widget.css"),
    ]
    .concat()
});

/// Tells the page around it the height that suits its width, and wakes the chart.
static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../templates/widget.js")
        .trim()
        .replace("SCRIPT_PATH", super::assets::path())
});

/// A widget: a heading, a figure or the reason why there is none, a picture, a foot.
#[derive(Default, Template)]
#[template(path = "widget.html")]
pub(super) struct Widget {
    pub(super) title: String,
    pub(super) value: Option<String>,
    pub(super) unit: String,
    pub(super) lines: Vec<String>,
    /// Whether the lines name the curves of the picture, in their order.
    pub(super) is_legend: bool,
    pub(super) why: Option<String>,
    /// Identifiers of what could be asked instead.
    suggestions: Vec<String>,
    pub(super) picture: String,
    /// Where the API has the figures of the picture; empty for one that cannot be touched.
    pub(super) source: String,
    /// Whether the picture has logarithmic axes.
    pub(super) is_log: bool,
    /// Page with more about it.
    pub(super) more: String,
    pub(super) date: String,
    /// That the date is long past; left out where there is no room.
    pub(super) old: String,
    /// Whether the picture stands beside the words and not below them.
    pub(super) is_side: bool,
    pub(super) credit: Attribution,
    /// Who brought the figures: "Bureau of Labor Statistics".
    pub(super) cited: String,
    theme: &'static str,
}

impl Widget {
    /// An empty one.
    pub(super) fn new(
        asked: &PageRequest,
        title: impl Into<String>,
        (credit, cited): (Attribution, String),
    ) -> Self {
        Self {
            title: title.into(),
            credit,
            cited,
            theme: asked.theme(),
            ..Self::default()
        }
    }

    /// The widget as a document that everybody may frame.
    pub(super) fn document(&self) -> Result<Document> {
        let html = self
            .render()
            .map_err(|e| Error::internal("rendering a widget", e))?;
        Ok(Document::html(html, &STYLE, &SCRIPT, Frames::Everyone))
    }
}

/// A widget that says why there is no figure and what could be asked instead.
pub(super) fn refusal(desk: &Desk, asked: &PageRequest, error: &Error) -> Result<Document> {
    let title = match error.code() {
        "unknown_name" | "ambiguous_name" => "No such metric",
        _ => heading(error),
    };
    let suggestions = error.suggestions().iter().take(3);
    let suggestions: Vec<String> = suggestions.map(|s| s.id.clone()).collect();
    let why = if let Error::Unknown { name, .. } = error
        && !suggestions.is_empty()
    {
        format!("“{name}” is no metric here. Did you mean:")
    } else if let Error::Ambiguous { name, .. } = error {
        format!("Several metrics answer to “{name}”:")
    } else {
        said(error)
    };
    Widget {
        why: Some(why),
        suggestions,
        ..Widget::new(asked, title, (desk.attribution(), String::new()))
    }
    .document()
}
