//! Forwarding needs no code per endpoint: path and query come from the table, the body is decoded into the
//! endpoint's own answer, and what breaks the contract is an error that names the field.

use super::answer::Answer;
use super::backend::finished;
use super::days;
use super::decode::{self, Arguments};
use super::endpoint::Endpoint;
use econoscope_core::error::{Error, Result, quote};
use econoscope_core::indicators::prose::joined;
use econoscope_core::model::{Date, SeriesId};
use econoscope_data::desk::resolve;
use econoscope_data::upstream::{Fetched, Freshness, Kind, Request};
use serde_json::Value;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// The question for the upstream.
///
/// # Errors
/// [`Error::Ambiguous`] or [`Error::InvalidParam`] for a name that cannot be an identifier.
pub(super) fn request<E: Endpoint>(checked: &Arguments, today: Date) -> Result<Request> {
    let mut arguments = E::outbound(&days::plain(checked, today)?, today)?;
    let mut what = "page";
    let mut segments = Vec::new();
    for part in E::SPEC.path.split('/').filter(|s| !s.is_empty()) {
        let hole = part.strip_prefix('{').and_then(|p| p.strip_suffix('}'));
        let Some(name) = hole else {
            segments.push(part.to_owned());
            continue;
        };
        what = if name == "ticker" { "ticker" } else { "series" };
        let given = arguments.remove(name).unwrap_or_default();
        segments.push(identifier(what, given.as_str().unwrap_or_default())?);
    }
    let query = arguments.into_iter();
    Ok(Request {
        segments,
        query: query.map(|(name, value)| (name, plain(&value))).collect(),
        what,
        // A question with arguments is one caller's; the others are asked by everyone.
        kind: match checked.is_empty() {
            true => Kind::Shared,
            false => Kind::Interactive,
        },
        // What may be kept for half an hour and more changes slowly: a week late is still worth showing.
        max_stale: match E::SPEC.max_age {
            ..1_800 => DAY,
            _ => 7 * DAY,
        },
        check: Some(|body| read::<E>(body).map(drop)),
    })
}

/// A name as the upstream knows it; one that we do not know may be known there.
fn identifier(what: &'static str, name: &str) -> Result<String> {
    if let Some(info) = resolve::find(name) {
        return Ok(info.id.to_string());
    }
    match (resolve::explain(what, name), SeriesId::new(name)) {
        (Error::Unknown { .. }, Ok(id)) => Ok(id.to_string()),
        (error, _) => Err(error),
    }
}

/// Refuses an answer about another series than was asked for. What nobody here knows may be called otherwise there.
///
/// # Errors
/// [`Error::Unavailable`] that names both.
pub(super) fn about(asked: &str, came: &str) -> Result<()> {
    let known = |name: &str| resolve::find(name).map(|info| info.id.clone());
    match (known(asked), known(came)) {
        (Some(one), Some(other)) if one != other => Err(untrusted(&format!(
            "is of {}, not of {}",
            quote(came),
            quote(asked)
        ))),
        _ => Ok(()),
    }
}

/// The error for an answer that was not what it should be: `what` completes "The upstream's answer …".
pub(super) fn untrusted(what: &str) -> Error {
    Error::Unavailable {
        what: format!("The upstream's answer {what}."),
        retry_after: Some(Duration::from_secs(300)),
        source: None,
    }
}

/// The error for a question that an upstream of the contract cannot answer: `what` completes "The upstream cannot …".
pub(super) fn unable(what: &str) -> Error {
    Error::Unavailable {
        what: format!("The upstream cannot {what}."),
        retry_after: None,
        source: None,
    }
}

fn plain(value: &Value) -> String {
    match value.as_array() {
        Some(items) => joined(items.iter().map(plain), ","),
        None => decode::shown(value),
    }
}

/// Decodes a body into the endpoint's answer.
///
/// # Errors
/// [`Error::Unavailable`] naming the field that breaks the contract.
fn read<E: Endpoint>(body: &[u8]) -> Result<E::Output> {
    let mut json = serde_json::Deserializer::from_slice(body);
    serde_path_to_error::deserialize(&mut json).map_err(|e| {
        let (path, problem) = (e.path().to_string(), e.inner().to_string());
        let (path, problem) = (quote(&path), quote(&problem));
        untrusted(&format!("breaks the contract at `{path}`: {problem}"))
    })
}

/// Decodes and renders a fetched body.
///
/// # Errors
/// [`Error::Unavailable`] when it breaks the contract, or when an upstream that does not know `as_of`
/// answered for another day.
pub(super) fn render<E: Endpoint>(body: &[u8], checked: &Arguments, today: Date) -> Result<Answer> {
    let plain = days::plain(checked, today)?;
    let params = decode::params::<E>(&plain)?;
    let mut output = E::received(read::<E>(body)?, &params, today)?;
    let told = E::PROVENANCE.and_then(|of| of(&mut output).as_of);
    let told = told.map(|day| Value::from(day.to_string()));
    if plain.contains_key("as_of") && plain.get("as_of") != told.as_ref() {
        let tool = E::SPEC.tool;
        let what = format!("answer {tool} for a past day; leave as_of out");
        return Err(unable(&what));
    }
    finished(output, &params, (checked, today))
}

/// A sentence that says where a forwarded answer comes from and how old it is.
pub fn sentence(fetched: &Fetched) -> String {
    let freshness = match fetched.freshness {
        Freshness::Fresh => "fresh",
        Freshness::Stale => "stale",
        Freshness::Offline => "offline",
    };
    let age = fetched.age.as_secs();
    let mut text = format!("Forwarded from the upstream service; {freshness}, {age} s old.");
    if let Some(quota) = &fetched.quota {
        let (left, limit, at) = (quota.remaining, quota.limit, quota.resets_at);
        text +=
            &format!(" {left} of {limit} upstream calls are left; the next is free at {at:.0}.");
    }
    text
}

/// An upstream knows no suggestions; ours help with what it does not know.
pub(super) fn explain(mut error: Error) -> Error {
    if let Error::Unknown {
        kind,
        name,
        suggestions,
    } = &mut error
        && suggestions.is_empty()
        && *kind != "page"
    {
        *suggestions = resolve::suggest(name);
    }
    error
}
