//! Discovery documents for crawlers and clients, generated from the endpoint table and the base address.

use super::body::{BodyMetadata, respond};
use super::error;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::routing::get;
use bytes::Bytes;
use econoscope_answers::documents::{card, crawlers, llms, openapi};
use econoscope_answers::{Backend, Body, ENDPOINTS};
use std::sync::Arc;
use std::time::Duration;

type Document = fn(&str) -> String;

const CARD: &str = "application/mcp-server-card+json";
const CATALOG: &str = "application/ai-catalog+json";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";
/// The documents change only with the program.
const MAX_AGE: Duration = Duration::from_secs(3_600);

const DOCUMENTS: [(&str, &str, Document); 10] = [
    ("/mcp/server-card", CARD, card::server_card),
    ("/.well-known/ai-catalog.json", CATALOG, card::catalog),
    ("/.well-known/mcp.json", JSON, card::server_card),
    ("/.well-known/mcp/server-card.json", JSON, card::server_card),
    ("/.well-known/mcp-server-card.json", JSON, card::server_card),
    ("/.well-known/openapi.yaml", "application/yaml", |base| {
        openapi::openapi_document(&ENDPOINTS, base)
    }),
    ("/llms.txt", TEXT, |base| llms::llms_txt(&ENDPOINTS, base)),
    ("/llms-full.txt", TEXT, |base| {
        llms::llms_full(&ENDPOINTS, base)
    }),
    ("/robots.txt", TEXT, crawlers::robots),
    ("/sitemap.xml", "application/xml", |base| {
        crawlers::sitemap(&ENDPOINTS, base)
    }),
];

/// Returns the routes of the documents. Each document is generated once, at the start.
pub(crate) fn routes(backend: &Arc<Backend>) -> Router {
    let mut router = Router::new();
    for (path, kind, document) in DOCUMENTS {
        let body = Arc::new(Body::new(Bytes::from(document(backend.base_url()))));
        let handler = move |State(backend): State<Arc<Backend>>, uri: Uri, headers: HeaderMap| async move {
            let response = respond(
                &body,
                BodyMetadata::new(kind, MAX_AGE),
                &headers,
                backend.pool(),
            )
            .await;
            response.unwrap_or_else(|error| error::respond(&error, uri.path(), None))
        };
        router = router.route(path, get(handler));
    }
    router.with_state(Arc::clone(backend))
}
