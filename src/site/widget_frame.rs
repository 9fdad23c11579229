//! The layout of widgets for other sites: title, figure, chart, notes, date and credit, from 160 by 90 pixels up.
//!
//! A widget is static at first. Its script fetches the script of the charts when a reader touches or focuses it.

use super::error_page::{describe, heading};
use super::prelude::*;
use econoscope_core::model::Attribution;
use std::sync::LazyLock;

/// The style sheet: colors, then rules that pages and widgets share, then rules of widgets.
static STYLE: LazyLock<String> = LazyLock::new(|| {
    [
        econoscope_core::chart::STYLE,
        include_str!("../../templates/base.css"),
        econoscope_core::chart::SCRIPT_STYLE,
        include_str!("../../templates/widget.css"),
    ]
    .concat()
});

/// Reports the fitting height to the embedding page and loads the script of the charts.
static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let script = include_str!("../../templates/widget.js").trim();
    script.replace("SCRIPT_PATH", super::assets::script_path())
});

/// A widget.
#[derive(Default, Template)]
#[template(path = "widget.html")]
pub(super) struct Widget {
    pub(super) title: String,
    pub(super) value: Option<String>,
    pub(super) unit: String,
    /// Notes below the figure.
    pub(super) notes: Vec<String>,
    /// Whether the notes name the lines of the picture, in their order.
    pub(super) is_legend: bool,
    /// Why there is no figure.
    pub(super) gap: Option<String>,
    /// Identifiers and addresses of widgets with a similar name.
    pub(super) suggestions: Vec<(String, String)>,
    pub(super) picture: String,
    /// Address of the figures of the picture in the API; empty where the picture stays static.
    pub(super) source: String,
    /// Whether the axis of the picture is logarithmic.
    pub(super) is_log: bool,
    /// Address of the page with more about it.
    pub(super) more: String,
    pub(super) date: String,
    /// Note on an old date, which small frames hide.
    pub(super) age: String,
    /// Whether the picture is beside the text and not below it.
    pub(super) is_side: bool,
    pub(super) credit: Attribution,
    /// Sources of the figures: "Bureau of Labor Statistics".
    pub(super) cited: String,
    /// `light` or `dark` where the embedding page sets a theme; empty where the reader's setting applies.
    pub(super) theme: String,
}

impl Widget {
    /// Creates a widget without a figure.
    pub(super) fn new(
        request: &PageRequest,
        title: impl Into<String>,
        credit: Attribution,
        cited: String,
    ) -> Self {
        Self {
            title: title.into(),
            credit,
            cited,
            theme: request.form_value("theme").to_owned(),
            ..Self::default()
        }
    }

    /// Renders the widget.
    pub(super) fn render_document(&self) -> Result<Document> {
        Ok(Document::widget(render(self)?, &STYLE, &SCRIPT))
    }
}

/// Renders a widget that describes an error and links to widgets with a similar name.
pub(super) fn render_error(desk: &Desk, request: &PageRequest, error: &Error) -> Result<Document> {
    let title = match error.code() {
        "unknown_name" | "ambiguous_name" => "No such metric",
        _ => heading(error),
    };
    let link = |id: &String| (id.clone(), format!("/widget/metric/{}", encode_segment(id)));
    let similar = error.suggestions().iter().take(3);
    let suggestions: Vec<_> = similar.map(|s| link(&s.id)).collect();
    let gap = if let Error::Unknown { name, .. } = error
        && !suggestions.is_empty()
    {
        format!("There is no metric “{name}” here. Did you mean:")
    } else if let Error::Ambiguous { name, .. } = error {
        format!("Several metrics match “{name}”:")
    } else {
        describe(error)
    };
    Widget {
        gap: Some(gap),
        suggestions,
        ..Widget::new(request, title, desk.attribution(), String::new())
    }
    .render_document()
}
