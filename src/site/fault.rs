//! The page for what could not be answered.

use super::frame::NAV;
use super::prelude::*;
use super::search::{self, Hit};
use super::text::{encoded, readable};
use econoscope_core::error::Suggestion;
use econoscope_data::desk::library::LONGEST_NAME;

#[derive(Template)]
#[template(path = "fault.html")]
struct Fault<'a> {
    frame: Frame,
    error: &'a Error,
    /// Addresses and titles of what has a name near the one that was asked for.
    near: Vec<(String, String)>,
    /// Pages that speak of the words of that name.
    hits: Vec<Hit>,
}

/// Most results of the search on a page for what is not there.
const MAX_HITS: usize = 8;

/// Most characters of an address that leads nowhere that are looked at.
const MAX_ADDRESS: usize = 80;

/// The page for what could not be answered; `hits` are what [`hits`] found.
pub(super) fn page(
    desk: &Desk,
    asked: &PageRequest,
    error: &Error,
    mut hits: Vec<Hit>,
) -> Result<Document> {
    let mut frame = Frame::of(desk, heading(error), "This page could not be shown.", "")?;
    frame.words = words(error);
    let section = match asked.path.split('/').nth(1).unwrap_or_default() {
        "" => String::new(),
        "chart" => "/series".to_owned(),
        section => format!("/{section}"),
    };
    let near = error.suggestions().iter();
    let near = near.map(|s| (format!("{section}/{}", encoded(&s.id)), s.title.clone()));
    let near: Vec<_> = near.collect();
    hits.retain(|hit| !near.iter().any(|(href, _)| *href == hit.href));
    let fault = Fault {
        frame,
        error,
        near,
        hits,
    };
    html(&fault, "")
}

/// What the search finds for a name that is not known; nothing for other errors.
pub(super) fn hits(desk: &Desk, error: &Error) -> Vec<Hit> {
    let found = search::hits(desk, &words(error), MAX_HITS);
    found.unwrap_or_else(|error| {
        tracing::warn!(%error, "a page for what is not there has no suggestions");
        Vec::new()
    })
}

/// The words of a name that is not known, as somebody would search for it.
fn words(error: &Error) -> String {
    let Error::Unknown { name, .. } = error else {
        return String::new();
    };
    let parts = name.split(|c: char| !c.is_alphanumeric());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

/// There is no page at an address, but perhaps a section of nearly that name.
pub(super) fn nowhere(_: &Desk, asked: &PageRequest, _: Answers) -> Result<Document> {
    let address: String = asked.name.chars().take(MAX_ADDRESS).collect();
    let first = address.split('/').nth(1).unwrap_or_default();
    let sections = NAV.iter();
    let sections = sections.map(|(href, label)| (href.trim_start_matches('/'), *label));
    let near = near(first, sections.filter(|(name, _)| !name.contains('#')));
    Err(Error::unknown("page", &address, near))
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
        "no_data" | "not_permitted" => reader_reason(error),
        _ => "Not available now.".into(),
    }
}

/// Why the figures of a series are not shown, without what only an operator can do about it.
pub(super) fn reader_reason(error: &Error) -> String {
    let text = if let Error::NotPermitted { reason, .. } = error {
        let owner = reason.split("; an operator").next().unwrap_or(reason);
        format!("These figures are not shown here: {owner}.")
    } else if let Error::NoData { reason, .. } = error {
        let known = reason.split("; `econoscope").next().unwrap_or(reason);
        let known = known.replacen("it is not loaded", "this server has not loaded them", 1);
        format!("There are no figures of this series here: {known}.")
    } else {
        said(error)
    };
    readable(&text.replace('`', ""))
}

/// An error for a reader; its own words tell a program to call again.
pub(super) fn said(error: &Error) -> String {
    if let Error::Unknown { kind, name, .. } = error {
        format!("There is no {kind} “{name}” here.")
    } else if let Error::Ambiguous { name, .. } = error {
        format!("“{name}” may mean several things.")
    } else if matches!(error, Error::NotPermitted { .. } | Error::NoData { .. }) {
        reader_reason(error)
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
    Error::unknown(kind, name, near(name, known))
}

/// Those of some names that are nearly a name, the nearest first, at most three.
fn near<'a>(name: &str, known: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Suggestion> {
    let likeness = |id: &str| strsim::jaro_winkler(id, name);
    // Nothing is like a text that is longer than any name, and to find that out takes long.
    let known = known.filter(|_| name.len() <= LONGEST_NAME);
    let mut near: Vec<_> = known.filter(|(id, _)| likeness(id) > 0.7).collect();
    near.sort_by(|a, b| likeness(b.0).total_cmp(&likeness(a.0)));
    let near = near.into_iter().take(3);
    near.map(|(id, title)| Suggestion::new(id, title)).collect()
}
