//! oEmbed (<https://oembed.com>): a pasted link to a page of ours becomes a widget that shows the same.

use super::asked::PageRequest;
use super::charts::titled;
use super::document::Document;
use super::questions::Answers;
use super::text::encoded;
use super::view::{query, titles};
use super::{figures, release, scenarios};
use axum::http::StatusCode;
use econoscope_core::error::{Error, Result};
use econoscope_data::desk::Desk;
use serde_json::json;
use std::collections::BTreeMap;
use url::Url;

/// What is asked: the page, the room there is, the form of the answer.
pub(super) const ARGUMENTS: [&str; 4] = ["url", "maxwidth", "maxheight", "format"];

/// Usual size, and the smallest that a widget fills.
const SIZE: (u32, u32) = (480, 270);
const LEAST: (u32, u32) = (160, 90);

/// What stands for a page: its title, its widget, its picture.
type Card = (String, String, String);

pub(super) fn page(desk: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    if let Some(form) = asked
        .argument("format")
        .filter(|form| !form.is_empty() && *form != "json")
    {
        let error = Error::invalid("format", form, "is not answered in", "json");
        let mut refusal = refusal(&error);
        refusal.status = StatusCode::NOT_IMPLEMENTED;
        return Ok(refusal);
    }
    let (named, widget, picture) = card(desk, asked.given("url"))?;
    let (width, height) = (
        side(asked, "maxwidth", SIZE.0, LEAST.0)?,
        side(asked, "maxheight", SIZE.1, LEAST.1)?,
    );
    let settings = desk.settings();
    let base = settings.home();
    let title = askama::filters::escape(&named, askama::filters::Html);
    let title = title.map_or_else(|_| String::new(), |t| t.to_string());
    let source = widget.replace('&', "&amp;");
    let html = format!(
        "<iframe src=\"{base}{source}\" title=\"{title}\" width=\"{width}\" height=\"{height}\" style=\"border:0\" \
         loading=\"lazy\"></iframe>"
    );
    Ok(Document::json(&json!({
        "version": "1.0",
        "type": "rich",
        "title": named,
        "provider_name": settings.service,
        "provider_url": base,
        "cache_age": super::document::MAX_AGE.as_secs(),
        "html": html,
        "width": width,
        "height": height,
        "thumbnail_url": format!("{base}{}", picture),
        "thumbnail_width": 1_200,
        "thumbnail_height": 630,
    })))
}

/// One side of the frame: as much as is usual, within what the asker has.
fn side(asked: &PageRequest, name: &str, usual: u32, least: u32) -> Result<u32> {
    let Some(given) = asked.argument(name) else {
        return Ok(usual);
    };
    match given.parse::<u32>() {
        Ok(most) => Ok(usual.min(most).max(least)),
        Err(_) => Err(Error::invalid(
            name,
            given,
            "is not a number of pixels",
            "a whole number, such as 600",
        )),
    }
}

/// The card of a page of ours.
///
/// # Errors
/// [`Error::Unknown`] for an address that is none of ours or has no widget.
fn card(desk: &Desk, address: &str) -> Result<Card> {
    let unknown = || Error::unknown("page with a widget", address, Vec::new());
    let settings = desk.settings();
    let ours = Url::parse(settings.home()).ok();
    let wanted = Url::parse(address).map_err(|_| unknown())?;
    if ours.is_none_or(|ours| ours.authority() != wanted.authority()) {
        return Err(unknown());
    }
    let given: BTreeMap<String, String> = wanted.query_pairs().into_owned().collect();
    let get = |name: &str| given.get(name).map_or("", String::as_str);
    let theme = query([("theme", get("theme"))].into_iter());
    let own = wanted.query().map(|q| format!("?{q}")).unwrap_or_default();
    let path: Vec<&str> = wanted.path().trim_matches('/').split('/').collect();
    match path.as_slice() {
        ["series", name] | ["widget", "metric", name, ..] => {
            let name = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
            let info = desk.resolve("series", &name)?;
            let id = encoded(&desk.shown_id(&info.id));
            let range = [get("start"), get("range")].join("");
            let told = [
                ("range", &*range),
                ("units", get("units")),
                ("theme", get("theme")),
            ];
            let widget = format!("/widget/metric/{id}{}", query(told.into_iter()));
            let title = titled(&desk.shown_id(&info.id), Some(&info.title));
            Ok((title, widget, format!("/chart/{id}.png")))
        }
        ["compare"] | ["widget", "chart"] if !get("series").is_empty() => Ok((
            titles(desk, get("series")),
            format!("/widget/chart{own}"),
            format!("/chart/compare.png{own}"),
        )),
        ["release", name] | ["widget", "release", name] => {
            let (_, figure) = release::first(desk, name)?;
            Ok(drawn("release", name, figure.name, &theme))
        }
        ["scenarios", name] | ["widget", "scenario", name] => {
            let title = scenarios::named(desk, name)?.title.clone();
            Ok(drawn("scenario", name, title, &theme))
        }
        ["widget", "recession"] => Ok((
            figures::RECESSION.into(),
            "/widget/recession".into(),
            format!("/chart/{}CRPI.png", settings.prefix),
        )),
        ["" | "regime"] | ["widget", "regime"] => Ok((
            figures::REGIME.into(),
            "/widget/regime".into(),
            "/chart/regime.png".into(),
        )),
        _ => Err(unknown()),
    }
}

/// The card of what has a widget and a picture of one name, which comes out of an address.
fn drawn(kind: &str, name: &str, title: String, theme: &str) -> Card {
    (
        title,
        format!("/widget/{kind}/{name}{theme}"),
        format!("/chart/{kind}/{name}.png"),
    )
}

/// What could not be answered, for programs.
pub(super) fn refusal(error: &Error) -> Document {
    Document::json(&json!({ "error": error.to_string(), "code": error.code() }))
}
