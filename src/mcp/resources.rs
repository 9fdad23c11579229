//! Resources: the catalogue, series, metrics, methods, terms and the regime under addresses that clients can list, read
//! and subscribe to.

mod address;
pub(super) mod pages;

pub(super) use address::{Address, SCHEME};

use super::protocol::LIST_TTL_MS;
use super::{apps, skills};
use crate::alerts;
use crate::site::rights;
use econoscope_answers::{Backend, Route};
use econoscope_core::error::Error;
use econoscope_core::indicators::COMPOSITES;
use econoscope_core::model::table;
use econoscope_desk::scores::Scores;
use econoscope_desk::texts::doubts;
use http::StatusCode;
use rmcp::ErrorData;
use rmcp::model::{CacheScope, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};
use std::sync::Arc;

const JSON: &str = "application/json";
const CSV: &str = "text/csv";
const MARKDOWN: &str = "text/markdown";

/// Cache time of alerts and articles.
const NEWS_TTL_MS: u64 = 300_000;

/// Returns the rows of `resources.csv`, fixed resources before templates: address, name, title, media type, description.
fn rows() -> impl Iterator<Item = [&'static str; 5]> {
    table::embedded(include_str!("../../data/resources.csv"))
}

fn is_template([address, ..]: &[&str; 5]) -> bool {
    address.contains('{')
}

/// Returns all resources but templates, in a fixed order.
pub(super) fn list() -> Vec<Resource> {
    let row = |[uri, name, title, mime, about]: [&str; 5]| {
        Resource::new(uri, name)
            .with_title(title)
            .with_mime_type(mime)
            .with_description(about)
    };
    let rows = rows().filter(|row| !is_template(row));
    let mut list: Vec<Resource> = rows.map(row).collect();
    list.extend(COMPOSITES.iter().map(|c| {
        let slug = c.indicator.slug();
        row([
            &format!("{SCHEME}method/{slug}"),
            &format!("method-{slug}"),
            &format!("Method: {}", c.indicator.definition().title),
            MARKDOWN,
            "Formula, inputs, weights and source",
        ])
    }));
    list.extend(apps::list());
    list.extend(skills::files());
    list
}

/// Returns the resource templates.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |[uri, name, title, mime, about]: [&str; 5]| {
        ResourceTemplate::new(uri, name)
            .with_title(title)
            .with_mime_type(mime)
            .with_description(about)
    };
    rows().filter(is_template).map(template).collect()
}

/// Reads any resource: `macro://`, `ui://` or `skill://`.
///
/// # Errors
/// The protocol's "resource not found" for an unknown address or name, "invalid params" for invalid arguments.
pub(super) async fn read(backend: &Backend, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    if let Some(file) = file(uri) {
        return Ok(cacheable(file, LIST_TTL_MS));
    }
    let address = Address::parse(uri).map_err(|e| not_found(uri, &e.to_string()))?;
    let content = content(backend, address).await;
    let (text, mime, ttl) = content.map_err(|e| to_protocol_error(uri, &e))?;
    let contents = ResourceContents::text(text, uri).with_mime_type(mime);
    Ok(cacheable(contents, ttl))
}

/// Returns a file of the program, which never changes.
pub(super) fn file(uri: &str) -> Option<ResourceContents> {
    apps::read(uri).or_else(|| skills::read(uri))
}

fn cacheable(contents: ResourceContents, ttl: u64) -> ReadResourceResult {
    ReadResourceResult::new(vec![contents])
        .with_ttl_ms(ttl)
        .with_cache_scope(CacheScope::Public)
}

/// Text, media type and cache time in milliseconds.
type Content = (String, &'static str, u64);

async fn content(backend: &Backend, address: Address) -> econoscope_core::Result<Content> {
    let desk = Arc::clone(backend.desk());
    let pool = backend.pool();
    let is_forwarding = backend.upstream().is_some();
    Ok(match address {
        Address::Catalog(category) => {
            let render = move || pages::catalogue(&desk, category.as_deref());
            (pool.run(render).await?, CSV, LIST_TTL_MS)
        }
        Address::Summary => endpoint(backend, "get_macro_summary", &[]).await?,
        Address::Scores if desk.settings().lock.is_some() => {
            return Err(Error::no_data(
                "macro://scores",
                "the record was computed after the day that this server is locked to",
            ));
        }
        Address::Scores => (Scores::embedded().render_markdown(), MARKDOWN, LIST_TTL_MS),
        Address::Doubts => (doubts::render_markdown(desk.today()), MARKDOWN, LIST_TTL_MS),
        Address::Rights => (rights::render_markdown(&desk), MARKDOWN, LIST_TTL_MS),
        Address::Regime => endpoint(backend, "get_regime", &[]).await?,
        Address::Calendar => endpoint(backend, "get_release_calendar", &[]).await?,
        Address::Metric(ticker) => endpoint(backend, "get_metric", &[("ticker", &ticker)]).await?,
        Address::Series { id, csv, range } => {
            let format = if csv { "csv" } else { "json" };
            let mut arguments = vec![("seriesId", id.as_str()), ("format", format)];
            arguments.extend(range.iter().map(|(k, v)| (k.as_str(), v.as_str())));
            endpoint(backend, "get_time_series", &arguments).await?
        }
        Address::Alert(_) if is_forwarding => {
            return Err(Error::NotPermitted {
                what: "a condition".to_owned(),
                reason: "this server forwards requests to another service, and would watch its own local data".to_owned(),
            });
        }
        Address::Alert(condition) => {
            let render = move || alerts::resource(&desk, &condition);
            (pool.run(render).await?, JSON, NEWS_TTL_MS)
        }
        Address::Formulas => (pages::FORMULAS.to_owned(), MARKDOWN, LIST_TTL_MS),
        Address::Document(id) => {
            let (json, _, ttl) = endpoint(backend, "fetch", &[("id", &id)]).await?;
            let document: Value = serde_json::from_str(&json)
                .map_err(|e| Error::internal("reading a document", e))?;
            let text = document.get("text").and_then(Value::as_str);
            let origin = document.get("origin").and_then(Value::as_str);
            let origin = origin.map_or_else(String::new, |origin| format!("{origin}\n\n"));
            (origin + text.unwrap_or_default(), MARKDOWN, ttl)
        }
        Address::Articles(tag) => {
            let render = move || pages::articles(&desk, tag.as_deref());
            (pool.run(render).await?, MARKDOWN, NEWS_TTL_MS)
        }
    })
}

/// Returns an endpoint's answer as the content of a resource.
async fn endpoint(
    backend: &Backend,
    tool: &'static str,
    arguments: &[(&str, &str)],
) -> econoscope_core::Result<Content> {
    let answer = Route::call_tool(backend, tool, arguments).await?;
    let (bytes, mime) = match &answer.csv {
        Some(csv) => (&csv.body, CSV),
        None => (&answer.json, JSON),
    };
    let text = String::from_utf8_lossy(bytes).into_owned();
    let ttl = u64::try_from(answer.max_age.as_millis()).unwrap_or(LIST_TTL_MS);
    Ok((text, mime, ttl))
}

/// Builds the protocol's error for an unknown resource.
pub(super) fn not_found(uri: &str, why: &str) -> ErrorData {
    let data = json!({ "uri": econoscope_core::error::quote(uri) });
    ErrorData::resource_not_found(format!("Resource not found: {why}"), Some(data))
}

fn to_protocol_error(uri: &str, error: &Error) -> ErrorData {
    econoscope_core::error::log(error, "resources/read");
    match crate::rest::status(error) {
        StatusCode::NOT_FOUND => not_found(uri, &error.to_string()),
        StatusCode::BAD_REQUEST | StatusCode::FORBIDDEN => {
            ErrorData::invalid_params(error.to_string(), None)
        }
        _ => ErrorData::internal_error(error.to_string(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_valid() {
        let lines = include_str!("../../data/resources.csv").lines().skip(1);
        assert_eq!(rows().count(), lines.count());
        assert!(rows().all(|[address, ..]| address.starts_with(SCHEME)));
        assert_eq!(rows().filter(is_template).count(), 9);
    }
}
