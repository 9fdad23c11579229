//! What crawlers and clients read first: `/.well-known/*` and `/llms.txt`, generated from the table.

use super::Shared;
use crate::endpoints::Backend;
use crate::endpoints::documents::{card, llms, openapi};
use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

type Document = fn(&str) -> String;

const DOCUMENTS: [(&str, &str, Document); 3] = [
    (
        "/.well-known/mcp.json",
        "application/json",
        card::server_card,
    ),
    (
        "/.well-known/openapi.yaml",
        "application/yaml",
        openapi::document,
    ),
    ("/llms.txt", "text/plain; charset=utf-8", llms::llms_txt),
];

/// The documents as routes; each is made once per start from the base address.
pub(super) fn routes() -> Router<Shared> {
    DOCUMENTS
        .into_iter()
        .fold(Router::new(), |router, (path, kind, document)| {
            router.route(
                path,
                get(move |State(shared): State<Shared>| async move {
                    serve(&shared.backend, kind, document)
                }),
            )
        })
}

fn serve(backend: &Backend, kind: &'static str, document: Document) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "public, max-age=3600"),
    ];
    (headers, document(backend.base_url())).into_response()
}
