//! Resources: the catalogue, series, metrics, methods, terms and the regime as addresses that can be read,
//! listed and subscribed to.

mod address;
pub(super) mod pages;

pub(super) use address::{Address, SCHEME};

use super::protocol::LIST_TTL_MS;
use super::{apps, skills};
use crate::alerts;
use econoscope_answers::endpoints::{Answer, Backend, Route};
use econoscope_core::error::Error;
use econoscope_core::indicators::COMPOSITES;
use econoscope_core::model::table;
use econoscope_data::desk::library;
use econoscope_data::desk::scores::Scores;
use rmcp::ErrorData;
use rmcp::model::{CacheScope, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};
use std::sync::Arc;

const JSON: &str = "application/json";
const CSV: &str = "text/csv";
const MARKDOWN: &str = "text/markdown";

/// Most time a client may keep data whose next release is known: a revision may come before.
const MAX_TTL_MS: u64 = 24 * 3_600_000;

/// The fixed resources but those of composites, apps and skills, then the templates, each in a fixed order: address, name,
/// title, kind and what is there.
fn rows() -> impl Iterator<Item = [&'static str; 5]> {
    // A test reads every row.
    let rows = table::rows(include_str!("../../data/resources.csv"));
    rows.filter_map(|(_, row)| row.ok())
}

fn is_template([address, ..]: &[&str; 5]) -> bool {
    address.contains('{')
}

/// The fixed resources, in a fixed order.
pub(super) fn list() -> Vec<Resource> {
    let row = |[uri, name, title, mime, about]: [&str; 5]| {
        Resource::new(uri, name)
            .with_title(title)
            .with_mime_type(mime)
            .with_description(about)
    };
    let fixed = rows().filter(|row| !is_template(row));
    let mut list: Vec<Resource> = fixed.map(row).collect();
    list.extend(COMPOSITES.iter().map(|c| {
        let slug = c.about.slug();
        row([
            &format!("{SCHEME}method/{slug}"),
            &format!("method-{slug}"),
            &format!("Method: {}", c.about.title),
            MARKDOWN,
            "Formula, inputs, weights and source",
        ])
    }));
    list.extend(apps::list());
    list.extend(skills::files());
    list
}

/// The templates as listed.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let templates = rows().filter(is_template);
    let listed = templates.map(|[uri, name, title, mime, about]| {
        ResourceTemplate::new(uri, name)
            .with_title(title)
            .with_mime_type(mime)
            .with_description(about)
    });
    listed.collect()
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
    let (text, mime, ttl) = content(backend, address)
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

async fn content(backend: &Backend, address: Address) -> econoscope_core::Result<Content> {
    let (desk, pool) = (Arc::clone(backend.desk()), backend.pool());
    match address {
        Address::Catalog(category) => {
            let make = move || pages::catalogue(&desk, category.as_deref());
            Ok((pool.run(make).await?, CSV, LIST_TTL_MS))
        }
        Address::Summary => endpoint(backend, "get_macro_summary", &[]).await,
        Address::Scores => Ok((Scores::embedded().in_markdown(), MARKDOWN, LIST_TTL_MS)),
        Address::Regime => endpoint(backend, "get_regime", &[]).await,
        Address::Calendar => endpoint(backend, "get_release_calendar", &[]).await,
        Address::Metric(ticker) => endpoint(backend, "get_metric", &[("ticker", &ticker)]).await,
        Address::Series { id, csv, range } => {
            let format = if csv { "csv" } else { "json" };
            let mut arguments = vec![("seriesId", id.as_str()), ("format", format)];
            arguments.extend(range.iter().map(|(k, v)| (k.as_str(), v.as_str())));
            endpoint(backend, "get_time_series", &arguments).await
        }
        Address::Method(indicator) => {
            let make = move || library::method(&desk, &indicator);
            Ok((pool.run(make).await?, MARKDOWN, LIST_TTL_MS))
        }
        Address::Alert(condition) => {
            let make = move || alerts::resource(&desk, &condition);
            Ok((pool.run(make).await?, JSON, 300_000))
        }
        Address::Formulas => Ok((pages::FORMULAS.to_owned(), MARKDOWN, LIST_TTL_MS)),
        Address::Glossary(slug) => {
            let make = move || library::term(&slug);
            Ok((pool.run(make).await?, MARKDOWN, LIST_TTL_MS))
        }
        Address::Document(id) => {
            let (json, _, ttl) = endpoint(backend, "fetch", &[("id", &id)]).await?;
            let document: Value = serde_json::from_str(&json)
                .map_err(|e| Error::internal("reading a document", e))?;
            let text = document.get("text").and_then(Value::as_str);
            Ok((text.unwrap_or_default().to_owned(), MARKDOWN, ttl))
        }
        Address::Articles(tag) => {
            let make = move || pages::articles(&desk, tag.as_deref());
            Ok((pool.run(make).await?, MARKDOWN, 300_000))
        }
    }
}

/// An endpoint's answer as a resource.
async fn endpoint(
    backend: &Backend,
    tool: &'static str,
    given: &[(&str, &str)],
) -> econoscope_core::Result<Content> {
    let answer = Route::ask(backend, tool, given).await?;
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

/// What is read of an answer: thousands of rows beside it are passed over.
#[derive(serde::Deserialize)]
struct Due {
    #[serde(rename = "nextRelease")]
    next_release: Option<econoscope_core::model::Date>,
}

/// Until the day of the next release where one is known, else as long as the endpoint says.
fn time_to_keep(backend: &Backend, answer: &Answer) -> u64 {
    let least = u64::try_from(answer.max_age.as_millis()).unwrap_or(LIST_TTL_MS);
    let due = serde_json::from_slice::<Due>(&answer.json)
        .ok()
        .and_then(|due| due.next_release?.to_zoned(jiff::tz::TimeZone::UTC).ok());
    let wait = due
        .map(|due| due.timestamp().duration_since(backend.desk().now()))
        .and_then(|wait| u64::try_from(wait.as_millis()).ok())
        .unwrap_or(0);
    wait.clamp(least, MAX_TTL_MS.max(least))
}

/// The protocol's words for a resource that is not there.
pub(super) fn not_found(uri: &str, why: &str) -> ErrorData {
    ErrorData::resource_not_found(
        format!("Resource not found: {why}"),
        Some(json!({ "uri": econoscope_core::error::quote(uri) })),
    )
}

fn refuse(uri: &str, error: &Error) -> ErrorData {
    econoscope_core::error::log(error, "resources/read");
    match error {
        Error::Unknown { .. } | Error::Ambiguous { .. } | Error::NoData { .. } => {
            not_found(uri, &error.to_string())
        }
        Error::InvalidParam { .. } => ErrorData::invalid_params(error.to_string(), None),
        Error::NotPermitted { .. }
        | Error::RateLimited { .. }
        | Error::Unavailable { .. }
        | Error::Busy { .. }
        | Error::BadFile { .. }
        | Error::Store { .. }
        | Error::Internal { .. } => ErrorData::internal_error(error.to_string(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_read() {
        let lines = include_str!("../../data/resources.csv").lines().skip(1);
        assert_eq!(rows().count(), lines.count());
        assert!(rows().all(|[address, ..]| address.starts_with(SCHEME)));
        assert_eq!(rows().filter(is_template).count(), 9);
    }
}
