//! Forwarding: path and query come from the endpoint table, and the body is decoded into the endpoint's own answer. A
//! body that breaks the contract is an error that names the field.

use crate::dates;
use crate::render::answer::Answer;
use crate::route::backend;
use crate::route::decode::{self, Arguments};
use crate::route::endpoint::Endpoint;
use econoscope_core::error::{Error, Result, quote};
use econoscope_core::indicators::prose::join;
use econoscope_core::model::{Date, SeriesId};
use econoscope_data::upstream::{Freshness, Kind, Request, UpstreamResponse};
use econoscope_desk::names::resolve;
use serde_json::Value;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Builds the request for the upstream.
///
/// # Errors
/// [`Error::Ambiguous`] or [`Error::InvalidParam`] for a name that cannot be an identifier.
pub(crate) fn build_request<E: Endpoint>(checked: &Arguments, today: Date) -> Result<Request> {
    let mut arguments = E::upstream_arguments(&dates::with_plain_as_of(checked, today)?, today)?;
    let mut what = "page";
    let mut segments = Vec::new();
    for part in E::SPEC.path.split('/').filter(|s| !s.is_empty()) {
        let argument = part.strip_prefix('{').and_then(|p| p.strip_suffix('}'));
        let Some(name) = argument else {
            segments.push(part.to_owned());
            continue;
        };
        what = if name == "ticker" { "ticker" } else { "series" };
        let value = arguments.remove(name).unwrap_or_default();
        segments.push(identifier(what, value.as_str().unwrap_or_default())?);
    }
    let query = arguments.into_iter();
    Ok(Request {
        segments,
        query: query
            .map(|(name, value)| (name, query_value(&value)))
            .collect(),
        what,
        // A request with arguments is one caller's; those without are common to all.
        kind: if checked.is_empty() {
            Kind::Shared
        } else {
            Kind::Interactive
        },
        // An answer that clients may cache for half an hour changes slowly: a week late it is still useful.
        max_stale: match E::SPEC.max_age {
            ..1_800 => DAY,
            _ => 7 * DAY,
        },
        check: Some(|body| decode_body::<E>(body).map(drop)),
    })
}

/// Returns the identifier of a name; a name that is unknown here may be known to the upstream.
fn identifier(what: &'static str, name: &str) -> Result<String> {
    match (resolve::resolve(what, name), SeriesId::new(name)) {
        (Ok(resolution), _) => Ok(resolution.info.id.to_string()),
        (Err(Error::Unknown { .. }), Ok(id)) => Ok(id.to_string()),
        (Err(error), _) => Err(error),
    }
}

/// Refuses an answer about another series than the requested one. Names that are unknown here pass.
///
/// # Errors
/// [`Error::Unavailable`] that names both.
pub(crate) fn check_series(requested: &str, received: &str) -> Result<()> {
    let id = |name: &str| resolve::find(name).map(|info| info.id.clone());
    match (id(requested), id(received)) {
        (Some(one), Some(other)) if one != other => {
            let received = quote(received);
            let requested = quote(requested);
            Err(contract_error(&format!(
                "is of {received}, not of {requested}"
            )))
        }
        _ => Ok(()),
    }
}

/// Builds the error for an answer against the contract; `what` completes "The upstream's answer …".
pub(crate) fn contract_error(what: &str) -> Error {
    Error::Unavailable {
        what: format!("The upstream's answer {what}."),
        retry_after: Some(Duration::from_secs(300)),
        source: None,
    }
}

/// Builds the error for a request beyond the contract; `what` completes "The upstream cannot …".
pub(crate) fn unsupported_error(what: &str) -> Error {
    Error::Unavailable {
        what: format!("The upstream cannot {what}."),
        retry_after: None,
        source: None,
    }
}

fn query_value(value: &Value) -> String {
    match value.as_array() {
        Some(items) => join(items.iter().map(query_value), ","),
        None => decode::format_value(value),
    }
}

/// Decodes a body into the endpoint's output.
///
/// # Errors
/// [`Error::Unavailable`] naming the field that breaks the contract.
fn decode_body<E: Endpoint>(body: &[u8]) -> Result<E::Output> {
    let mut json = serde_json::Deserializer::from_slice(body);
    serde_path_to_error::deserialize(&mut json).map_err(|e| {
        let path = quote(&e.path().to_string());
        let problem = quote(&e.inner().to_string());
        contract_error(&format!("breaks the contract at `{path}`: {problem}"))
    })
}

/// Decodes and renders a fetched body.
///
/// # Errors
/// [`Error::Unavailable`] when it breaks the contract, or when the upstream ignored `as_of` and answered for another day.
pub(crate) fn render_received<E: Endpoint>(
    body: &[u8],
    checked: &Arguments,
    today: Date,
) -> Result<Answer> {
    let plain = dates::with_plain_as_of(checked, today)?;
    let params = decode::params::<E>(&plain)?;
    if let Some(day) = plain.get("as_of") {
        let received: Value = serde_json::from_slice(body).unwrap_or_default();
        if received.get("as_of") != Some(day) {
            let what = format!("answer {} for a past day; leave as_of out", E::SPEC.tool);
            return Err(unsupported_error(&what));
        }
    }
    backend::render(
        &E::from_upstream(decode_body::<E>(body)?, &params, today)?,
        &params,
    )
}

/// Describes the origin of a forwarded answer: its age, and the remaining budget.
pub fn describe_origin(fetched: &UpstreamResponse) -> String {
    let freshness = match fetched.freshness {
        Freshness::Fresh => "fresh",
        Freshness::Stale => "stale",
        Freshness::Offline => "offline",
    };
    let age = fetched.age.as_secs();
    let mut text = format!("Forwarded from the upstream service; {freshness}, {age} s old.");
    if let Some(quota) = &fetched.quota {
        let left = quota.remaining;
        let limit = quota.limit;
        let at = quota.resets_at;
        text +=
            &format!(" {left} of {limit} upstream calls are left; the next is free at {at:.0}.");
    }
    text
}

/// Adds our suggestions to an upstream's error for an unknown name, which has none.
pub(crate) fn add_suggestions(mut error: Error) -> Error {
    if let Error::Unknown {
        kind,
        name,
        suggestions,
    } = &mut error
        && suggestions.is_empty()
        && *kind != "page"
    {
        *suggestions = resolve::suggestions(name);
    }
    error
}
