//! Forwarding: path and query come from the endpoint table, and the body is read into the endpoint's own answer.
//!
//! What the contract leaves open is read as it is; a field that breaks it is noted and left out.

use crate::render::answer::Answer;
use crate::render::provenance::in_plain_words;
use crate::render::structure::Fields;
use crate::route::decode::{self, Arguments};
use crate::route::endpoint::{Endpoint, Spec};
use crate::route::{Route, backend, reader};
use econoscope_core::catalogue::Catalogue;
use econoscope_core::error::{Error, Result, quote};
use econoscope_core::indicators::prose::join;
use econoscope_core::model::{Date, SeriesId, SeriesInfo, untrusted};
use econoscope_data::upstream::{Freshness, Kind, Request, Upstream, UpstreamResponse};
use econoscope_desk::names::resolve;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// The composites of the contract, each with the member of the summary that has it.
const COMPOSITES: [(&str, &str); 5] = [
    ("SERVICE_CRPI", "recession_probability"),
    ("SERVICE_CMSI", "stress_index"),
    ("SERVICE_CNLI", "net_liquidity_trn"),
    ("SERVICE_CRAI", ""),
    ("SERVICE_NVI", ""),
];

/// The tools that may have a composite which the upstream does not give as a metric, in the order in which they are asked.
const SUBSTITUTES: [&str; 2] = ["get_signals", "get_macro_summary"];

/// Builds the request for the upstream.
///
/// # Errors
/// [`Error::Ambiguous`] or [`Error::InvalidParam`] for a name that cannot be an identifier, [`Error::Unavailable`] for
/// what the contract does not have.
pub(crate) fn build_request<E: Endpoint>(checked: &Arguments, today: Date) -> Result<Request> {
    let spec = Spec::of(E::TOOL);
    let mut arguments = E::upstream_arguments(checked, today)?;
    let is_beyond = |name: &&String| !spec.contract.contains(&name.as_str());
    if let Some(name) = arguments.keys().find(is_beyond) {
        let tool = E::TOOL;
        let what = format!(
            "answer {tool} with {name}, which its contract does not have; leave {name} out"
        );
        return Err(unsupported_error(&what));
    }
    let mut what = "page";
    let mut segments = Vec::new();
    for part in spec.path.split('/').filter(|s| !s.is_empty()) {
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
        max_stale: match spec.max_age {
            ..1_800 => DAY,
            _ => 7 * DAY,
        },
        check: Some(|body| {
            let route = Route::of_tool(E::TOOL)?;
            reader::read(body, &route.received_schema, None).map(drop)
        }),
    })
}

/// Returns the identifier of a name; a name that is unknown here may be known to the upstream.
fn identifier(what: &'static str, name: &str) -> Result<String> {
    let id = match (resolve::resolve(what, name), SeriesId::new(name)) {
        (Ok(resolution), _) => resolution.info.id.to_string(),
        (Err(Error::Unknown { .. }), Ok(id)) => id.to_string(),
        (Err(error), _) => return Err(error),
    };
    let info = Catalogue::embedded().get(&id);
    let is_own = info.is_some_and(|info| info.is_composite()) && !is_contract_composite(&id);
    if is_own {
        let what = format!("tell {id}, an index that its contract does not have");
        return Err(unsupported_error(&what));
    }
    Ok(id)
}

fn is_contract_composite(id: &str) -> bool {
    COMPOSITES.iter().any(|(composite, _)| *composite == id)
}

/// Asks the upstream. A composite that it does not give as a metric is taken from its signals or its summary.
///
/// # Errors
/// Those of the request and of the upstream.
pub(crate) async fn fetch(
    upstream: &Upstream,
    route: &Route,
    checked: &Arguments,
    today: Date,
) -> Result<UpstreamResponse> {
    let request = (route.request)(checked, today)?;
    let last = request.segments.last().filter(|_| request.what == "ticker");
    let id = last.filter(|id| is_contract_composite(id));
    let composite = id.and_then(|id| Catalogue::embedded().get(id)).cloned();
    let metric = upstream.get(request).await;
    let Some(info) = composite else {
        return metric.map_err(add_suggestions);
    };
    let is_absent = match &metric {
        Ok(response) => {
            let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
            !body.get("value").is_some_and(Value::is_number)
        }
        Err(error) => matches!(error, Error::Unknown { .. }),
    };
    for tool in SUBSTITUTES.iter().filter(|_| is_absent) {
        let other = Route::of_tool(tool)?;
        let request = (other.request)(&Arguments::new(), today)?;
        if let Ok(response) = upstream.get(request).await
            && let Ok(received) = reader::read(&response.body, &other.received_schema, None)
            && let Some(body) = find_composite(&info, tool, &received.fields)
        {
            let body = body.to_string().into();
            return Ok(UpstreamResponse { body, ..response });
        }
    }
    metric.map_err(add_suggestions)
}

/// Returns a composite of the signals or the summary as the body of a metric; `None` where it has no value.
fn find_composite(info: &Arc<SeriesInfo>, tool: &str, fields: &Fields) -> Option<Value> {
    let id = info.id.as_str();
    let short = id.trim_start_matches("SERVICE_");
    let is_same = |name: &Value| {
        let is_named = |name: &str| [id, short].iter().any(|own| name.eq_ignore_ascii_case(own));
        name.as_str().is_some_and(is_named)
    };
    let is_own = |entry: &&Value| {
        let mut names = ["seriesId", "ticker"].into_iter();
        names.any(|name| entry.get(name).is_some_and(is_same))
    };
    let entry = match fields.get("convexIndices").and_then(Value::as_array) {
        Some(indices) => indices.iter().find(is_own)?.clone(),
        None => {
            let (_, member) = COMPOSITES.iter().find(|(composite, _)| *composite == id)?;
            json!({ "value": fields.get(*member)? })
        }
    };
    let value = entry.get("value").filter(|value| value.is_number())?;
    let credit = fields.get("attribution");
    Some(json!({
        "ticker": id, "displayName": info.title, "category": info.category, "unit": info.units_short,
        "value": value, "date": entry.get("date"), "changes": {}, "interpretation": entry.get("interpretation"),
        "attribution": credit.filter(|credit| credit.is_object()).cloned().unwrap_or_else(|| json!({})),
        "notes": { "value": format!("from the upstream's {tool}, since its metrics do not have it") },
    }))
}

/// Refuses an answer about another series than the requested one. Names that are unknown here pass.
///
/// # Errors
/// [`Error::Unavailable`] that names both.
pub(crate) fn check_series(requested: &str, received: &str) -> Result<()> {
    let id = |name: &str| resolve::find(name).map(|info| info.id.clone());
    match (id(requested), id(received)) {
        (Some(one), Some(other)) if one != other => {
            let [requested, received] = [requested, received].map(quote);
            let what = format!("is of {received}, not of {requested}");
            Err(contract_error(&what))
        }
        _ => Ok(()),
    }
}

/// Builds the error for an answer against the contract; `what` completes "The upstream's answer …".
pub(crate) fn contract_error(what: &str) -> Error {
    let retry_after = Duration::from_secs(300);
    Error::unavailable(format!("The upstream's answer {what}."), Some(retry_after))
}

/// Builds the error for a request beyond the contract; `what` completes "The upstream cannot …".
pub(crate) fn unsupported_error(what: &str) -> Error {
    Error::unavailable(format!("The upstream cannot {what}."), None)
}

fn query_value(value: &Value) -> String {
    match value.as_array() {
        Some(items) => join(items.iter().map(query_value), ","),
        None => decode::format_value(value),
    }
}

/// Reads and renders a fetched body. Its text is fenced as a whole, since any part of it may be the upstream's words.
///
/// # Errors
/// [`Error::Unavailable`] when nothing of the contract is left, and those of the endpoint.
pub(crate) fn render_received<E: Endpoint>(
    body: &[u8],
    base: &Url,
    checked: &Arguments,
    today: Date,
) -> Result<Answer> {
    let params = decode::params::<E>(checked)?;
    let schema: &Fields = &Route::of_tool(E::TOOL)?.received_schema;
    let mut received = reader::read(body, schema, Some(base))?;
    if !received.notes.is_empty() {
        let notes = received.fields.entry("notes").or_insert_with(|| json!({}));
        if let Value::Object(notes) = notes {
            let unread = received.notes.iter();
            notes.extend(unread.map(|(field, note)| (field.clone(), json!(note))));
        }
    }
    let fields = Value::Object(received.fields);
    let output = serde_json::from_value(fields.clone())
        .map_err(|e| contract_error(&format!("breaks the contract: {}", quote(&e.to_string()))))?;
    let mut answer = backend::render(&E::from_upstream(output, &params, today)?, &params)?;
    let mut structure = answer.value()?;
    reader::keep_unnamed(&mut structure, &fields, &Value::Object(schema.clone()));
    if let Value::Object(members) = &mut structure
        && !received.untrusted.is_empty()
    {
        members.insert("untrusted".into(), json!(received.untrusted));
    }
    answer.json = structure.to_string().into();
    let mut text = answer.text.to_string();
    for (field, note) in received.notes {
        if !answer.text.contains(&note) {
            text += &format!("\n{}: {note}.", in_plain_words(&field));
        }
    }
    answer.text = untrusted::enclose(&text).into();
    Ok(answer)
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
        text += &format!(
            " {} of {} upstream calls are left",
            quota.remaining, quota.limit
        );
        text += &format!("; the next is free at {:.0}.", quota.resets_at);
    }
    text
}

/// Adds our suggestions to an upstream's error for an unknown name, which has none.
pub(crate) fn add_suggestions(mut error: Error) -> Error {
    if let Error::Unknown {
        kind,
        name,
        suggestions,
        ..
    } = &mut error
        && suggestions.is_empty()
        && *kind != "page"
    {
        *suggestions = resolve::suggestions(name);
        suggestions.retain(|suggestion| suggestion.id != *name);
    }
    error
}
