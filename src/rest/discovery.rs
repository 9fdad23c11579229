//! Discovery documents for crawlers and clients, generated from the endpoint table and the base address.

use super::body::{BodyMetadata, respond};
use super::error;
use crate::site;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::routing::get;
use bytes::Bytes;
use econoscope_answers::documents::{card, crawlers, llms, openapi};
use econoscope_answers::{Backend, Body, ENDPOINTS};
use std::sync::Arc;
use std::time::Duration;

/// A document of fixed address.
struct Document {
    path: &'static str,
    media_type: &'static str,
    render: fn(&str) -> String,
    in_sitemap: bool,
}

impl Document {
    const fn new(path: &'static str, media_type: &'static str, render: fn(&str) -> String) -> Self {
        Self {
            path,
            media_type,
            render,
            in_sitemap: false,
        }
    }

    const fn in_sitemap(self) -> Self {
        Self {
            in_sitemap: true,
            ..self
        }
    }
}

const CARD: &str = "application/mcp-server-card+json";
const CATALOG: &str = "application/ai-catalog+json";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
/// The documents change only with the program.
const MAX_AGE: Duration = Duration::from_secs(3_600);

static DOCUMENTS: [Document; 10] = [
    Document::new("/mcp/server-card", CARD, card::server_card),
    Document::new("/.well-known/ai-catalog.json", CATALOG, card::catalog),
    Document::new("/.well-known/mcp.json", JSON, card::server_card),
    Document::new("/.well-known/mcp/server-card.json", JSON, card::server_card),
    Document::new("/.well-known/mcp-server-card.json", JSON, card::server_card),
    Document::new("/.well-known/openapi.yaml", "application/yaml", |base| {
        openapi::openapi_document(&ENDPOINTS, base)
    })
    .in_sitemap(),
    Document::new("/llms.txt", TEXT, |base| llms::llms_txt(&ENDPOINTS, base)).in_sitemap(),
    Document::new("/llms-full.txt", TEXT, |base| {
        llms::llms_full(&ENDPOINTS, base)
    })
    .in_sitemap(),
    Document::new("/robots.txt", TEXT, crawlers::robots),
    Document::new("/sitemap.xml", "application/xml", |base| {
        crawlers::sitemap(sitemap_paths(), base)
    }),
];

/// Returns the paths of pages, documents and endpoints in the sitemap.
fn sitemap_paths() -> impl Iterator<Item = String> {
    let documents = DOCUMENTS.iter().filter(|document| document.in_sitemap);
    let endpoints = ENDPOINTS.iter().filter(|route| route.spec.in_sitemap);
    let others = documents
        .map(|document| document.path)
        .chain(endpoints.map(|route| route.spec.path));
    site::sitemap_paths().chain(others.map(str::to_owned))
}

/// Returns the paths of the documents.
pub(crate) fn document_paths() -> impl Iterator<Item = &'static str> {
    DOCUMENTS.iter().map(|document| document.path)
}

/// Returns the routes of the documents. Each document is generated once, at the start.
pub(crate) fn routes(backend: &Arc<Backend>) -> Router {
    let mut router = Router::new();
    for document in &DOCUMENTS {
        let text = (document.render)(backend.desk().settings().home());
        let body = Arc::new(Body::new(Bytes::from(text)));
        let handler = move |State(backend): State<Arc<Backend>>, uri: Uri, headers: HeaderMap| async move {
            let response = respond(
                &body,
                BodyMetadata::new(document.media_type, MAX_AGE),
                &headers,
                backend.pool(),
            )
            .await;
            response.unwrap_or_else(|error| error::respond(&error, uri.path(), None))
        };
        router = router.route(document.path, get(handler));
    }
    router.with_state(Arc::clone(backend))
}
