//! The script of pages and widgets. Its name is a digest of its content, so that browsers may cache it without limit.

use crate::rest::{self, BodyMetadata};
use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::get;
use econoscope_answers::{Backend, Body};
use std::sync::{Arc, LazyLock};

/// Path and content of the script.
static SCRIPT: LazyLock<(String, Arc<Body>)> = LazyLock::new(|| {
    let vintages = include_str!("../../templates/vintages.js");
    let pages = include_str!("../../templates/pages.js");
    let threshold = include_str!("../../templates/threshold.js");
    let text = [econoscope_core::chart::SCRIPT, vintages, threshold, pages].concat();
    let path = format!("/assets/{}.js", super::text::digest(&text));
    (path, Arc::new(Body::new(text.into())))
});

/// Returns the path of the script.
pub(super) fn script_path() -> &'static str {
    &SCRIPT.0
}

/// Returns the route of the script. Requests are free, since the script is compressed once per start.
pub(super) fn routes(backend: &Arc<Backend>) -> Router {
    let handler = async |State(backend): State<Arc<Backend>>, headers: HeaderMap| {
        let metadata = BodyMetadata::new("text/javascript; charset=utf-8", rest::YEAR);
        let response = rest::respond_with_body(&SCRIPT.1, metadata, &headers, backend.pool()).await;
        response.unwrap_or_else(|error| rest::respond(&error, script_path(), None))
    };
    let router = Router::new().route(script_path(), get(handler));
    router.with_state(Arc::clone(backend))
}
