//! Error pages, and the wording of errors for readers.

use super::prelude::*;
use super::search::{self, Hit};
use super::text::words;
use econoscope_core::error::Suggestion;
use econoscope_desk::reference::LONGEST_NAME;

#[derive(Template)]
#[template(path = "error.html")]
struct Page<'a> {
    frame: Frame,
    error: &'a Error,
    /// Paths and titles of pages with a similar name.
    suggestions: Vec<(String, String)>,
    /// Search results for the words of the name.
    hits: Vec<Hit>,
}

/// Maximum number of search results.
const MAX_HITS: usize = 8;

/// Maximum characters of an unknown path that are examined.
const MAX_PATH: usize = 80;

/// Renders an error page; `hits` come from [`search_hits`].
pub(super) fn render(
    desk: &Desk,
    request: &PageRequest,
    error: &Error,
    mut hits: Vec<Hit>,
) -> Result<Document> {
    let mut frame = Frame::new(desk, heading(error), "This page could not be shown.", "");
    frame.search_text = search_text(error);
    let section = match request.path.split('/').nth(1).unwrap_or_default() {
        "chart" => "/series".to_owned(),
        section => enclosed("/", section, ""),
    };
    let link = |s: &Suggestion| {
        let path = format!("{section}/{}", encode_segment(&s.id));
        (path, s.title.clone())
    };
    let suggestions: Vec<_> = error.suggestions().iter().map(link).collect();
    hits.retain(|hit| suggestions.iter().all(|(href, _)| *href != hit.href));
    render_page(&Page {
        frame,
        error,
        suggestions,
        hits,
    })
}

/// Returns search results for the unknown name of an error; empty for other errors.
pub(super) fn search_hits(desk: &Desk, error: &Error) -> Vec<Hit> {
    search::hits(desk, &search_text(error), MAX_HITS).unwrap_or_else(|error| {
        tracing::warn!(%error, "the search for an error page failed");
        Vec::new()
    })
}

/// Returns the words of an unknown name as a search query; empty for other errors.
fn search_text(error: &Error) -> String {
    let Error::Unknown { name, .. } = error else {
        return String::new();
    };
    join(words(name), " ")
}

/// Fails for a path without a page, and suggests sections with a similar name.
pub(super) fn not_found(_: &Desk, request: &PageRequest, _: Answers) -> Result<Document> {
    let path: String = request.name.chars().take(MAX_PATH).collect();
    let section = path.split('/').nth(1).unwrap_or_default();
    let sections =
        super::pages::navigation().map(|(path, name)| (path.trim_start_matches('/'), name));
    Err(Error::unknown("page", &path, nearest(section, sections)))
}

/// Returns the heading for an error.
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

/// Describes why a part of a page is missing. Errors that pass are not described, since the page is cached.
pub(super) fn describe_gap(error: &Error) -> String {
    match error.code() {
        "no_data" | "not_permitted" => describe(error),
        _ => "Not available now.".into(),
    }
}

/// Describes an error to a reader, without advice that only a program or an operator can follow.
pub(super) fn describe(error: &Error) -> String {
    let text = if let Error::Unknown { kind, name, .. } = error {
        return format!("There is no {kind} “{name}” here.");
    } else if let Error::Ambiguous { name, .. } = error {
        return format!("“{name}” may mean several things.");
    } else if let Error::NotPermitted { reason, .. } = error {
        let cause = reason.split("; an operator").next().unwrap_or(reason);
        format!("These figures are not shown here: {cause}.")
    } else if let Error::NoData { reason, .. } = error {
        let cause = reason.split("; `econoscope").next().unwrap_or(reason);
        let told = cause.replacen("it is not loaded", "this server has not loaded them", 1);
        format!("There are no figures of this series here: {told}.")
    } else {
        return error.to_string();
    };
    format_dates(&text.replace('`', ""))
}

/// Finds the item with this name. `label` returns the name and the title of an item.
///
/// # Errors
/// [`Error::Unknown`] with similar names.
pub(super) fn find<'a, T: Copy>(
    kind: &'static str,
    name: &str,
    items: impl IntoIterator<Item = T>,
    label: impl Fn(T) -> (&'a str, &'a str),
) -> Result<T> {
    let all: Vec<T> = items.into_iter().collect();
    let found = all.iter().copied().find(|item| label(*item).0 == name);
    found.ok_or_else(|| Error::unknown(kind, name, nearest(name, all.into_iter().map(label))))
}

/// Returns up to three similar names, the most similar first.
fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<Suggestion> {
    // A longer text resembles no name, and the comparison would be slow.
    if name.len() > LONGEST_NAME {
        return Vec::new();
    }
    let similarity = |(id, title)| (strsim::jaro_winkler(id, name), id, title);
    let mut similar: Vec<_> = candidates.map(similarity).filter(|c| c.0 > 0.7).collect();
    similar.sort_by(|a, b| b.0.total_cmp(&a.0));
    similar.truncate(3);
    let suggestion = |(_, id, title)| Suggestion::new(id, title);
    similar.into_iter().map(suggestion).collect()
}
