//! oEmbed (<https://oembed.com>): for a link to a page of this site, the widget that shows the same.

use super::charts::format_title;
use super::prelude::*;
use super::view::format_titles;
use super::{release, scenarios, widgets};
use axum::http::StatusCode;
use serde_json::json;
use std::collections::BTreeMap;
use url::Url;

pub(super) const ARGUMENTS: [&str; 4] = ["url", "maxwidth", "maxheight", "format"];

/// Default size of a widget, and the smallest that it fits into.
const SIZE: (u32, u32) = (480, 270);
const MIN_SIZE: (u32, u32) = (160, 90);

/// The representation of a page: title, path of the widget, path of the picture.
type Card = (String, String, String);

pub(super) fn page(desk: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    if let Some(format) = request.argument("format").filter(|f| *f != "json") {
        let error = Error::invalid("format", format, "is not a supported format", "json");
        let mut document = render_error(&error);
        document.status = StatusCode::NOT_IMPLEMENTED;
        return Ok(document);
    }
    let (title, widget, picture) = card(desk, request.form_value("url"))?;
    let width = side(request, "maxwidth", SIZE.0, MIN_SIZE.0)?;
    let height = side(request, "maxheight", SIZE.1, MIN_SIZE.1)?;
    let settings = desk.settings();
    let base = settings.home();
    let escaped = askama::filters::escape(&title, askama::filters::Html)
        .map_or_else(|_| String::new(), |t| t.to_string());
    let source = widget.replace('&', "&amp;");
    let html = format!(
        "<iframe src=\"{base}{source}\" title=\"{escaped}\" width=\"{width}\" height=\"{height}\" style=\"border:0\" \
         loading=\"lazy\"></iframe>"
    );
    Ok(Document::json(&json!({
        "version": "1.0",
        "type": "rich",
        "title": title,
        "provider_name": settings.service,
        "provider_url": base,
        "cache_age": super::document::MAX_AGE.as_secs(),
        "html": html,
        "width": width,
        "height": height,
        "thumbnail_url": format!("{base}{picture}"),
        "thumbnail_width": 1_200,
        "thumbnail_height": 630,
    })))
}

/// Returns one side of the widget: the default, within the maximum of the request.
fn side(request: &PageRequest, name: &str, default: u32, min: u32) -> Result<u32> {
    let Some(text) = request.argument(name) else {
        return Ok(default);
    };
    let max: u32 = text.parse().map_err(|_| {
        let allowed = "a whole number, such as 600";
        Error::invalid(name, text, "is not a number of pixels", allowed)
    })?;
    Ok(default.min(max).max(min))
}

/// Returns the card of a page.
///
/// # Errors
/// [`Error::Unknown`] for an address outside this site or of a page without a widget.
fn card(desk: &Desk, address: &str) -> Result<Card> {
    let unknown = || Error::unknown("page with a widget", address, Vec::new());
    let settings = desk.settings();
    let base = Url::parse(settings.home()).ok();
    let url = Url::parse(address).map_err(|_| unknown())?;
    if base.is_none_or(|base| base.authority() != url.authority()) {
        return Err(unknown());
    }
    let arguments: BTreeMap<String, String> = url.query_pairs().into_owned().collect();
    let argument = |name: &str| arguments.get(name).map_or("", String::as_str);
    let theme = argument("theme");
    let segments: Vec<&str> = url.path().trim_matches('/').split('/').collect();
    match segments.as_slice() {
        ["series", name] | ["widget", "metric", name, ..] => {
            let name = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
            let info = desk.resolve("series", &name)?;
            let id = desk.display_id(&info.id);
            let title = format_title(&id, Some(&info.title));
            let id = encode_segment(&id);
            let range = [argument("start"), argument("range")].concat();
            let units = argument("units");
            let view = [("range", &*range), ("units", units), ("theme", theme)];
            let widget = format!("/widget/metric/{id}{}", query_string(view));
            Ok((title, widget, format!("/chart/{id}.png")))
        }
        ["compare"] | ["widget", "chart"] if !argument("series").is_empty() => {
            let query = url.query().map(|q| format!("?{q}")).unwrap_or_default();
            Ok((
                format_titles(desk, argument("series")),
                format!("/widget/chart{query}"),
                format!("/chart/compare.png{query}"),
            ))
        }
        ["release", name] | ["widget", "release", name] => {
            let (_, figure) = release::first_figure(desk, name)?;
            Ok(named_card("release", name, figure.name, theme))
        }
        ["scenarios", name] | ["widget", "scenario", name] => {
            let title = scenarios::find(desk, name)?.title.clone();
            Ok(named_card("scenario", name, title, theme))
        }
        ["widget", "recession"] => Ok((
            widgets::RECESSION_TITLE.into(),
            "/widget/recession".into(),
            format!("/chart/{}CRPI.png", settings.prefix),
        )),
        ["" | "regime"] | ["widget", "regime"] => Ok((
            widgets::REGIME_TITLE.into(),
            "/widget/regime".into(),
            "/chart/regime.png".into(),
        )),
        _ => Err(unknown()),
    }
}

/// Returns the card of a release or a scenario; `name` is a segment of an address and so encoded.
fn named_card(kind: &str, name: &str, title: String, theme: &str) -> Card {
    let query = query_string([("theme", theme)]);
    (
        title,
        format!("/widget/{kind}/{name}{query}"),
        format!("/chart/{kind}/{name}.png"),
    )
}

/// Renders an error as JSON.
pub(super) fn render_error(error: &Error) -> Document {
    Document::json(&json!({ "error": error.to_string(), "code": error.code() }))
}
