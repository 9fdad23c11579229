//! Resources: the catalogue, series, metrics, methods, terms and the regime as addresses that can be read,
//! listed and subscribed to.

mod address;
pub(super) mod pages;

pub(super) use address::{Address, SCHEME};

use super::{LIST_TTL_MS, apps, skills};
use crate::desk::library;
use crate::endpoints::{Answer, Arguments, Backend, Route};
use crate::error::Error;
use crate::indicators::COMPOSITES;
use rmcp::ErrorData;
use rmcp::model::{CacheScope, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};

const JSON: &str = "application/json";
const CSV: &str = "text/csv";
const MARKDOWN: &str = "text/markdown";

/// Most time a client may keep data whose next release is known: a revision may come before.
const MOST_TTL_MS: u64 = 24 * 3_600_000;

/// The fixed resources, in a fixed order.
pub(super) fn list() -> Vec<Resource> {
    let row = |uri: &str, name: &str, title: &str, mime: &str, about: &str| {
        Resource::new(uri, name)
            .with_title(title)
            .with_mime_type(mime)
            .with_description(about)
    };
    let mut list = vec![
        row(
            "macro://summary",
            "summary",
            "Macro summary",
            JSON,
            "Regime, rates, curve, inflation, labor, credit and volatility now",
        ),
        row(
            "macro://regime",
            "regime",
            "Macro regime",
            JSON,
            "Regime, confidence, trajectory, narrative and asset views now; can be subscribed to",
        ),
        row(
            "macro://catalog",
            "catalog",
            "Catalogue of series",
            CSV,
            "Every series with title, unit, frequency, category, source and whether it is held",
        ),
        row(
            "macro://articles",
            "articles",
            "Latest articles",
            MARKDOWN,
            "The newest articles; their text is by their authors",
        ),
        row(
            "macro://method/regime",
            "method-regime",
            "Method: macro regime",
            MARKDOWN,
            "How the regime is computed",
        ),
    ];
    list.extend(COMPOSITES.iter().map(|c| {
        let slug = library::method_slug(c);
        row(
            &format!("{SCHEME}method/{slug}"),
            &format!("method-{slug}"),
            &format!("Method: {}", c.name),
            MARKDOWN,
            "Formula, inputs, weights and source",
        )
    }));
    list.extend(apps::list());
    list.extend(skills::files());
    #[cfg(feature = "conformance")]
    list.extend(super::fixtures::resources());
    list
}

/// The templates, in a fixed order.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let row = |uri: &str, name: &str, title: &str, mime: &str, about: &str| {
        ResourceTemplate::new(uri, name)
            .with_title(title)
            .with_mime_type(mime)
            .with_description(about)
    };
    vec![
        row(
            "macro://series/{seriesId}{?start,end,format}",
            "series",
            "Series",
            JSON,
            "Rows of one series; format=csv or .csv after the identifier gives a file. Default: the last 365 days",
        ),
        row(
            "macro://metric/{ticker}",
            "metric",
            "Metric",
            JSON,
            "Latest value with changes and meaning",
        ),
        row(
            "macro://method/{indicator}",
            "method",
            "Method",
            MARKDOWN,
            "Formula, inputs, weights and source of a composite or the regime",
        ),
        row(
            "macro://glossary/{slug}",
            "glossary",
            "Glossary term",
            MARKDOWN,
            "What a term means and what is near it",
        ),
        row(
            "macro://catalog/{category}",
            "catalog-category",
            "Catalogue by category",
            CSV,
            "The series of one category: rates, inflation, labor …",
        ),
        row(
            "macro://articles/{tag}",
            "articles-tag",
            "Articles by tag",
            MARKDOWN,
            "The newest articles that carry a tag",
        ),
        #[cfg(feature = "conformance")]
        super::fixtures::template(),
    ]
}

/// Reads any resource: `macro://`, `ui://` or `skill://`.
///
/// # Errors
/// The protocol's "resource not found" for what is not there, "invalid params" for what is not an address.
pub(super) async fn read(backend: &Backend, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    if let Some(file) = apps::read(uri).or_else(|| skills::read(uri)) {
        return Ok(kept(file, LIST_TTL_MS));
    }
    let address = Address::parse(uri).map_err(|e| not_found(uri, &e.to_string()))?;
    let (text, mime, ttl) = content(backend, &address)
        .await
        .map_err(|e| refuse(uri, &e))?;
    let contents = ResourceContents::text(text, uri).with_mime_type(mime);
    Ok(kept(contents, ttl))
}

fn kept(contents: ResourceContents, ttl: u64) -> ReadResourceResult {
    ReadResourceResult::new(vec![contents])
        .with_ttl_ms(ttl)
        .with_cache_scope(CacheScope::Public)
}

/// Text, media type and milliseconds to keep.
type Content = (String, &'static str, u64);

async fn content(backend: &Backend, address: &Address) -> crate::Result<Content> {
    let page = |text: String| (text, MARKDOWN, LIST_TTL_MS);
    match address {
        Address::Catalog(category) => {
            let text = pages::catalogue(backend.desk(), category.as_deref())?;
            Ok((text, CSV, LIST_TTL_MS))
        }
        Address::Summary => endpoint(backend, "get_macro_summary", &[]).await,
        Address::Regime => endpoint(backend, "get_regime", &[]).await,
        Address::Metric(ticker) => endpoint(backend, "get_metric", &[("ticker", ticker)]).await,
        Address::Series { id, csv, range } => {
            let format = if *csv { "csv" } else { "json" };
            let mut arguments = vec![("seriesId", id.as_str()), ("format", format)];
            arguments.extend(range.iter().map(|(k, v)| (k.as_str(), v.as_str())));
            endpoint(backend, "get_time_series", &arguments).await
        }
        Address::Method(indicator) => library::method(backend.desk(), indicator).map(page),
        Address::Glossary(slug) => library::term(slug).map(page),
        Address::Articles(tag) => {
            let text = pages::articles(backend.desk(), tag.as_deref())?;
            Ok((text, MARKDOWN, 300_000))
        }
    }
}

/// An endpoint's answer as a resource.
async fn endpoint(
    backend: &Backend,
    tool: &'static str,
    given: &[(&str, &str)],
) -> crate::Result<Content> {
    let route = Route::find(tool).ok_or_else(|| Error::Internal {
        what: format!("{tool} is not in the table"),
        source: None,
    })?;
    let arguments: Arguments = given
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
        .collect();
    let answer = route.call(backend, arguments).await?;
    let ttl = time_to_keep(backend, &answer);
    Ok(match &answer.csv {
        Some(csv) => (String::from_utf8_lossy(&csv.body).into_owned(), CSV, ttl),
        None => (
            String::from_utf8_lossy(&answer.json).into_owned(),
            JSON,
            ttl,
        ),
    })
}

/// Until the day of the next release where one is known, else as long as the endpoint says.
fn time_to_keep(backend: &Backend, answer: &Answer) -> u64 {
    let least = u64::try_from(answer.max_age.as_millis()).unwrap_or(LIST_TTL_MS);
    let due = serde_json::from_slice::<Value>(&answer.json)
        .ok()
        .and_then(|v| v.get("nextRelease")?.as_str()?.parse().ok())
        .and_then(|day: crate::model::Date| day.to_zoned(jiff::tz::TimeZone::UTC).ok());
    let wait = due
        .map(|due| due.timestamp().duration_since(backend.desk().now()))
        .and_then(|wait| u64::try_from(wait.as_millis()).ok())
        .unwrap_or(0);
    wait.clamp(least, MOST_TTL_MS.max(least))
}

/// The protocol's words for a resource that is not there.
pub(super) fn not_found(uri: &str, why: &str) -> ErrorData {
    ErrorData::resource_not_found(
        format!("Resource not found: {why}"),
        Some(json!({ "uri": crate::error::quote(uri) })),
    )
}

fn refuse(uri: &str, error: &Error) -> ErrorData {
    crate::error::log(error, "resources/read");
    match error {
        Error::Unknown { .. } | Error::Ambiguous { .. } | Error::NoData { .. } => {
            not_found(uri, &error.to_string())
        }
        Error::InvalidParam { .. } => ErrorData::invalid_params(error.to_string(), None),
        Error::NotPermitted { .. }
        | Error::RateLimited { .. }
        | Error::Unavailable { .. }
        | Error::BadFile { .. }
        | Error::Store { .. }
        | Error::Internal { .. } => ErrorData::internal_error(error.to_string(), None),
    }
}
