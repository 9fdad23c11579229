//! The page for what could not be answered.

use super::asked::PageRequest;
use super::document::Document;
use super::frame::{Frame, html};
use super::text::encoded;
use askama::Template;
use econoscope_core::error::{Error, Result, Suggestion};
use econoscope_data::desk::Desk;
use econoscope_data::desk::library::LONGEST_NAME;

#[derive(Template)]
#[template(path = "fault.html")]
struct Fault<'a> {
    frame: Frame,
    error: &'a Error,
    /// Where what could be asked instead is to be found.
    room: &'a str,
}

/// The page for what could not be answered.
pub(super) fn page(desk: &Desk, asked: &PageRequest, error: &Error) -> Result<Document> {
    let frame = Frame::of(desk, "Not shown", "This page could not be shown.", "")?;
    let room = match asked.path.split('/').nth(1).unwrap_or_default() {
        "chart" => "series",
        section => section,
    };
    html(&Fault { frame, error, room }, "")
}

/// What went wrong, in the words of a heading.
pub(super) fn heading(error: &Error) -> &'static str {
    match error.code() {
        "not_permitted" => "Not served here",
        "rate_limited" => "Too much for one day",
        "unknown_name" | "ambiguous_name" => "Not found",
        "no_data" => "No data",
        "invalid_param" => "Not understood",
        _ => "Not available now",
    }
}

/// Why a part of a page is not shown. What passes is not told, for the page is kept.
pub(super) fn reason(error: &Error) -> String {
    match error.code() {
        "no_data" | "not_permitted" => error.to_string(),
        _ => "Not available now.".into(),
    }
}

/// An error for a reader; its own words tell a program to call again.
fn said(error: &Error) -> String {
    if let Error::Unknown { kind, name, .. } = error {
        format!("There is no {kind} “{name}” here.")
    } else if let Error::Ambiguous { name, .. } = error {
        format!("“{name}” may mean several things.")
    } else {
        error.to_string()
    }
}

/// There is no such thing, but some whose names are near: addresses and titles of those that are.
pub(super) fn unknown<'a>(
    kind: &'static str,
    name: &str,
    known: impl Iterator<Item = (&'a str, &'a str)>,
) -> Error {
    let likeness = |id: &str| strsim::jaro_winkler(id, name);
    // Nothing is like a text that is longer than any name, and to find that out takes long.
    let known = known.filter(|_| name.len() <= LONGEST_NAME);
    let mut near: Vec<_> = known.filter(|(id, _)| likeness(id) > 0.7).collect();
    near.sort_by(|a, b| likeness(b.0).total_cmp(&likeness(a.0)));
    let near = near.into_iter().take(3);
    let near = near.map(|(id, title)| Suggestion::new(id, title));
    Error::unknown(kind, name, near.collect())
}
